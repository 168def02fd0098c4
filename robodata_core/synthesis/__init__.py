"""KG-Agent's second half: reasoning programs and instruction data, made from a graph."""
