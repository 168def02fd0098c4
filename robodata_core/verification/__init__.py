"""Triple verification: is a triple stated, contradicted, or implied by the rest of the graph."""
