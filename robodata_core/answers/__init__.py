"""From a draft to a validated answer: checking, wording, export."""
