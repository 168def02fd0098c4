"""How good the answers are: question sets, metrics, and the tables they are reported in."""
