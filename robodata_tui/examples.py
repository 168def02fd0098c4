"""What a source holds, in a line, and questions that it can answer.

The questions are about common knowledge. Each names the fact it asks for, and one is offered only
where the source really holds that fact; a test asks all of them of the embedded snapshots. A
source over the network is not asked before anybody wants it to be: there the questions are
offered as they are.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from robodata_core.errors import RoboDataError
from robodata_core.sources.base import KnowledgeSource
from robodata_core.text import clean_text, plural

__all__ = ["CANDIDATES", "MOST", "find_examples", "held_line"]

MOST: Final = 6
_MOST_HITS: Final = 3
_log = logging.getLogger("robodata.tui")

CANDIDATES: Final = (
    ("What is the capital of Canada?", "Canada", "capital"),
    ("Who are the relatives of Douglas Adams?", "Douglas Adams", "sibling"),
    ("Which Italian cities are twinned with Japanese cities?", "Rome", "twinned"),
    ("When was Douglas Adams born?", "Douglas Adams", "date of birth"),
    ("Where is a cup usually kept?", "cup", "location"),
    ("Is Ottawa the capital of Canada?", "Canada", "capital"),
    ("Who wrote The Hitchhiker's Guide to the Galaxy?", "Douglas Adams", "notable work"),
    ("Which languages does Arnold Schwarzenegger speak?", "Arnold Schwarzenegger", "languages"),
    ("How many children does Douglas Adams have?", "Douglas Adams", "child"),
    ("What is a knife used for?", "knife", "use"),
    ("What is a towel made of?", "towel", "material"),
    ("What is in a kitchen?", "kitchen", "location"),
    ("Is milk usually kept in a refrigerator?", "milk", "location"),
    ("Where is bread usually kept?", "bread", "location"),
)
"""Questions, each with the entity and the relation (how its label begins) it needs."""


def held_line(source: KnowledgeSource) -> str:
    """Return what a source holds, in a line: its counts where it knows them, else its name."""
    lines = []
    for part in getattr(source, "sources", (source,)):
        manifest: Any = getattr(part, "manifest", None)
        name = clean_text(str(getattr(part, "name", "")), limit=80).removeprefix("snapshot:")
        counts = getattr(manifest, "counts", None)
        if not counts:
            lines.append(f"{name} (asked when a question needs it)")
            continue
        lines.append(
            f"{name}: {plural(counts.get('triples', 0), 'triple')} about"
            f" {plural(counts.get('entities', 0), 'entity', 'entities')}"
            f" ({plural(counts.get('properties', 0), 'relation')})"
        )
    return "\n".join(lines)


def find_examples(source: KnowledgeSource) -> tuple[tuple[str, ...], bool]:
    """Return questions that fit a source, and whether they were checked against it."""
    parts = getattr(source, "sources", (source,))
    if not all(getattr(part, "manifest", None) is not None for part in parts):
        return tuple(question for question, _, _ in CANDIDATES[:MOST]), False
    found: list[str] = []
    for question, name, relation in CANDIDATES:
        if len(found) < MOST and _holds(source, name, relation):
            found.append(question)
    return tuple(found), True


def _holds(source: KnowledgeSource, name: str, relation: str) -> bool:
    """Tell whether a source states such a relation of an entity of that name."""
    try:
        hits = source.search(name, limit=_MOST_HITS)
        ids = [hit.id for hit in hits if name.casefold() in (hit.label.casefold(), hit.id)]
        names = {count.property for count in source.relations(ids)} if ids else set()
        labels = source.properties(names)
    except RoboDataError as error:
        _log.info("An example cannot be checked: %s", error)
        return False
    return any(item.label.casefold().startswith(relation) for item in labels.values())
