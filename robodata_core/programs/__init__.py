"""Reasoning programs in the manner of KG-Agent: steps, execution with evidence, SPARQL."""
