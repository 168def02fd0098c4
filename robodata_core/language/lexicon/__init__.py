"""What words of a language mean for any graph: tables, their reader, and the learned word model."""

from __future__ import annotations

from robodata_core.language.lexicon.lexicon import Lexicon, open_lexicon
from robodata_core.language.lexicon.relations import RelationModel, RelationScore

__all__ = ["Lexicon", "RelationModel", "RelationScore", "open_lexicon"]
