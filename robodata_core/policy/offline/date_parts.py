"""Parts of dates that are asked for by a noun: "X's death year", "the year in which X died".

The question is put as "when"; how much of the date is asked for is kept beside it. Nothing of a
graph is known here.
"""

from __future__ import annotations

import re
from typing import Final

from robodata_core.policy.offline.operators import PRECISIONS

__all__ = ["named_part"]

_PARTS: Final = "year|decade|century|month"
#: What happens to somebody or something, and how it is asked when it did.
_EVENTS: Final = {
    "birth": "when was {} born", "death": "when did {} die", "demise": "when did {} die",
    "passing": "when did {} die", "foundation": "when was {} founded",
    "founding": "when was {} founded", "establishment": "when was {} founded",
    "formation": "when was {} founded", "inception": "when was {} founded",
    "release": "when was {} released", "publication": "when was {} published",
}  # fmt: skip
_VERBS: Final = {
    "born": "when was {} born", "died": "when did {} die", "passed away": "when did {} die",
    "founded": "when was {} founded", "established": "when was {} founded",
    "set up": "when was {} founded", "released": "when was {} released",
    "published": "when was {} published", "came out": "when was {} released",
}  # fmt: skip
_LEAD: Final = (
    r"(?:(?:what|which)(?:'s|’s| is| was) |(?:please )?(?:give|tell) (?:me |us )?|state |name "
    r"|i need |i want )?(?:the )?(?:exact )?"
)
#: Whose date it is: words that ask or order nothing by themselves.
_WHOSE: Final = (
    r"(?P<s>(?!(?:is|are|was|were|do|does|did|has|have|had|can|could|give|tell|name|list|show|find"
    r"|in|on|at|of|by|for|from|the same|before|after)\b)"
    r"(?:(?!\b(?:who|whom|whose|what|which|where|when|why|how|same|and|or)\b)[^,;?!])+?)"
)
_OWNED: Final = r"(?:['’]s|['’]|:|,| -| –)?"
_NOUN: Final = rf"(?P<n>{'|'.join(_EVENTS)})"
_PART: Final = rf"(?P<p>{_PARTS})"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_LEAD}{_PART} of {_NOUN} (?:of|for) {_WHOSE}",
        rf"{_LEAD}{_PART} of {_WHOSE}['’]s? {_NOUN}",
        rf"{_LEAD}{_PART} of the {_NOUN} of {_WHOSE}",
        rf"{_LEAD}{_NOUN} {_PART} (?:of |for |)?{_WHOSE}",
        rf"{_LEAD}{_WHOSE}{_OWNED} {_NOUN} {_PART}",
        rf"{_LEAD}{_WHOSE}{_OWNED} {_PART} of {_NOUN}",
        rf"{_LEAD}{_PART} (?:in which |when |that |during which |)?{_WHOSE} (?:(?:is|was|were) )?"
        rf"(?P<v>{'|'.join(_VERBS)})",
    )
)


def named_part(text: str) -> tuple[str, int] | None:
    """Return the question for the whole date and the precision asked for, or None.

    Args:
        text: The question without the sign at its end.
    """
    for form in _FORMS:
        match = form.fullmatch(text)
        if match is None:
            continue
        found = match.groupdict()
        event = _EVENTS[found["n"].lower()] if "n" in found else _VERBS[found["v"].lower()]
        asked = event.format(found["s"].strip())
        return f"{asked[0].upper()}{asked[1:]}?", PRECISIONS[found["p"].lower()]
    return None
