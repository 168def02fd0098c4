"""Who decides a turn: without a model (``offline``), later with one (``llm``)."""
