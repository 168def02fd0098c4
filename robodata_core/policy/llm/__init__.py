"""The policy that asks a language model, over any OpenAI-compatible endpoint."""
