"""The local graph: an Oxigraph store that remembers where every triple came from."""
