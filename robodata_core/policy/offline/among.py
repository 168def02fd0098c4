"""What is chosen from, put before it: "of the poets who lived here, which one died young".

The same words with the noun behind the question word. Nothing of a graph is known here.
"""

from __future__ import annotations

import re
from typing import Final

from robodata_core.policy.offline.tables import superlatives
from robodata_core.policy.offline.words import WH_WORDS, tokenize, word_set

__all__ = ["chosen_from"]

_FROM: Final = re.compile(
    r"(?:of|among|amongst|out of|from among|from amongst)\s+(?:all\s+(?:of\s+)?)?"
    r"(?P<which>(?:the|those|these|all)\s+)?(?P<those>[^,;:?]+)[,;:]\s*"
    r"(?P<asks>which|who|what|how many)\b(?:\s+(?:ones?|of\s+(?:them|these|those)))?\s+"
    r"(?P<said>\S.*)",
    re.IGNORECASE,
)
_ONLY: Final = re.compile(
    r"(?:is|are|was|were)\s+(?:the\s+only\s+(?:ones?|person|thing)|those|the\s+ones?)\s+"
    r"(?:that|who|which)\s+",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|many)\s+")
_DEGREES: Final = word_set("most least more fewer less first last only same other else")


def chosen_from(text: str) -> tuple[str, bool]:
    """Return a question with what is chosen from behind its question word, or nothing.

    Returns:
        The question; and whether what is chosen from is described by a clause, so that the text
        as it is would seem to ask twice.
    """
    found = _FROM.fullmatch(text.strip(" ?.!"))
    if found is None:
        return "", False
    said = _ONLY.sub("", found["said"], count=1)
    those = _NUMBER.sub("", found["those"], count=1)
    told = {token.norm for token in tokenize(those)}
    if _by_degree(said) or told & word_set("and or"):
        return "", False
    asks = "how many" if found["asks"].lower() == "how many" else "which"
    clause = bool(told & WH_WORDS) or "that" in told
    noun = those if found["which"] else f"of {those}"
    return f"{asks} {noun} {said}", clause


def _by_degree(said: str) -> bool:
    words = [token.norm for token in tokenize(said)]
    return bool(_DEGREES & set(words)) or any((word,) in superlatives() for word in words)
