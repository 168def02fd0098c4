"""Text as evidence: corpora that sentences come from. Sentences are never mixed with triples."""
