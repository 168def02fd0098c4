"""Chatty-KG's pipeline: from a question over triples to queries, with few model calls."""
