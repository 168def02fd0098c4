"""What words of a language mean for any graph: tables, their reader, and the learned word model."""

from __future__ import annotations

from robodata_core.language.lexicon.lexicon import Lexicon, open_lexicon
from robodata_core.language.lexicon.phrases import Phrases, open_phrases
from robodata_core.language.lexicon.relations import Evidence, RelationModel, RelationScore
from robodata_core.language.lexicon.word_model import WordModel

__all__ = [
    "Evidence",
    "Lexicon",
    "Phrases",
    "RelationModel",
    "RelationScore",
    "WordModel",
    "open_lexicon",
    "open_phrases",
]
