"""What a source holds, in a line, and questions that it can answer.

The questions are about common knowledge. Each names the fact it asks for, and one is offered only
where the source really holds that fact; a test asks all of them of the embedded snapshots. Where a
snapshot holds too few of them, as people's own do, more are made from its most used relations, and
offered where the answer is what the snapshot states. A source over the network is not asked before
anybody wants it to be: there the questions are offered as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.config import Settings
from robodata_core.errors import RoboDataError
from robodata_core.model import Answer, AnswerStatus, EntityValue, Property, Value
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.capabilities import capabilities
from robodata_core.sources.predicates import Role, predicate_of
from robodata_core.text import clean_text, plural

__all__ = ["CANDIDATES", "MOST", "find_examples", "held_line", "trying"]

MOST: Final = 6
_MOST_HITS: Final = 3
_MOST_RELATIONS: Final = 24
_MOST_PAIRS: Final = 200_000
_MOST_SUBJECTS: Final = 40
_TRIED: Final = 2
"""Things that a relation is asked of before another relation is tried."""
_MOST_NAME: Final = 40
_ONE: Final = 4.0
"""Seconds that a question takes at most while it is tried."""
_LIMITS: Final = QueryLimits(rows=_MOST_SUBJECTS, seconds=1.0)
_NO_WORDS: Final = ("external-id", "url", "commonsMedia", "globe-coordinate", "geo-shape")
_KINDS: Final = ("instance of", "subclass of", "type")
_HOW_IT_IS_WRITTEN: Final = "http://www.w3.org/"
"""How relations of RDF, OWL and SKOS begin: nobody asks for them."""
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


def find_examples(
    source: KnowledgeSource, ask: Callable[[str], Answer | None] | None = None
) -> tuple[tuple[str, ...], bool]:
    """Return questions that fit a source, and whether they were checked against it.

    Args:
        source: The source.
        ask: Answers a question to try it, or gives None where there is no time left for that;
            without it none are made.
    """
    parts = getattr(source, "sources", (source,))
    if not all(getattr(part, "manifest", None) is not None for part in parts):
        return tuple(question for question, _, _ in CANDIDATES[:MOST]), False
    found: list[str] = []
    for question, name, relation in CANDIDATES:
        if len(found) < MOST and _holds(source, name, relation):
            found.append(question)
    if ask is not None and len(found) < MOST:
        found += islice(_answered(_made(parts), ask), MOST - len(found))
    return tuple(found), True


def _answered(
    made: Iterable[list[tuple[str, Value]]], ask: Callable[[str], Answer | None]
) -> Iterator[str]:
    """Yield of every list the first question whose answer has its value, while there is time."""
    for tried in made:
        for question, value in tried:
            answer = ask(question)
            if answer is None:
                return
            stated = value in [item.value for item in answer.results]
            if stated and answer.status is AnswerStatus.ANSWERED:
                yield question
                break


def trying(
    source: KnowledgeSource, settings: Settings, cancel: CancelToken
) -> Callable[[str], Answer | None]:
    """Return what answers a question to try it: without a model, a journal or the local graph.

    Args:
        source: What is asked.
        settings: What it was opened with.
        cancel: Ends it, also by its deadline.
    """
    opened: list[Any] = []

    def ask(question: str) -> Answer | None:
        if cancel.cancelled or cancel.remaining == 0:
            return None
        if not opened:
            from robodata_core.api import RoboData
            from robodata_core.store.open import open_graph

            alone = {"policy": "offline", "model": "", "store": "", "journal": ""}
            plain = settings.model_copy(update={**alone, "decompose": False})
            opened.append(RoboData(plain, source, open_graph(plain)))
        answer: Answer = opened[0].ask(question, cancel=cancel.part(_ONE))
        return answer

    return ask


def _made(parts: Iterable[KnowledgeSource]) -> Iterator[list[tuple[str, Value]]]:
    """Yield for every relation that is used much questions, each with a value of its answer."""
    asked: set[str] = set()
    for part in parts:
        listed = capabilities(part).all_properties
        for relation in islice(listed() if listed is not None else (), _MOST_RELATIONS):
            if not _can_be_asked(relation):
                continue
            try:
                yield _questions(part, relation, asked)
            except RoboDataError as error:
                _log.info("No example can be made of %s: %s", relation.label, error)


def _can_be_asked(relation: Property) -> bool:
    label = relation.label
    words = (
        label.replace(" ", "").isalpha()
        and label.count(" ") < 4
        and label[-3:] != "ing"
        and label[:3] != "in "
    )
    told = relation.datatype not in _NO_WORDS and label.lower() not in _KINDS
    return words and told and not relation.id.startswith(_HOW_IT_IS_WRITTEN)


def _questions(
    part: KnowledgeSource, relation: Property, asked: set[str]
) -> list[tuple[str, Value]]:
    """Return questions for what a relation leads to, best of things not asked of yet."""
    pairs = _pairs(part, relation)
    named = part.entities({subject.id for subject, _ in pairs})
    made: dict[str, tuple[str, Value]] = {}
    for subject, value in pairs:
        name = named[subject.id].label if subject.id in named else ""
        plain = name[:1].isalpha() and not any(one.isdigit() or one == "?" for one in name)
        if plain and 2 < len(name) <= _MOST_NAME:
            made.setdefault(subject.id, (_asking(relation.label, name), value))
    chosen = sorted(made, key=lambda id_: id_ in asked)[:_TRIED]
    asked.update(chosen)
    return [made[id_] for id_ in chosen]


def _asking(label: str, name: str) -> str:
    if label.startswith("has "):
        return f"What {label[4:]} does {name} have?"
    if label.endswith((" by", " of", " in", " at")):
        return f"What is {name} {label}?"
    return f"What is the {label} of {name}?"


def _pairs(part: KnowledgeSource, relation: Property) -> list[tuple[EntityValue, Value]]:
    """Return some of the things that have a relation, each with what it leads to."""
    near = capabilities(part).near
    found: Iterable[tuple[Value | None, ...]] = ()
    if near is not None:
        found = near.pairs(relation.id, most=_MOST_PAIRS) or ()
    else:
        iri = predicate_of(relation.id, Role.FACT)
        query = f"SELECT ?s ?o WHERE {{ ?s <{iri}> ?o }} LIMIT {_MOST_SUBJECTS}"
        found = part.sparql(query, limits=_LIMITS).rows
    subjects = ((one, end) for one, end in found if isinstance(one, EntityValue) and end)
    return list(islice(subjects, _MOST_SUBJECTS))


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
