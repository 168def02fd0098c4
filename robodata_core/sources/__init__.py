"""Remote ontologies behind one protocol: embedded snapshots now, live services beside them."""
