"""Decides which Freebase relations say the same as a Wikidata property, from shared facts.

Two kinds of evidence. *Facts*: pairs that Wikidata states, too (CoDEx, the sample, the Factbook's
profiles in Wikidata's form). Only heads and tails that both sides know count, so that what is
missing on either side does not look like disagreement. *Questions*: SimpleQuestions was written on
Freebase and mapped to Wikidata by others; it has one triple for each question, so only recall can
be told. A relation is mapped where

- questions: at least 5 of the triples agree, they are at least 80% of those it could state, and the
  relation does not say ten times as much about the same heads; or
- facts: at least 5 agree, the F1 of precision and recall is at least 0.5, at least 30% of all that
  the relation says of the same heads agrees, and the relation that shares most with that property
  does not agree much better (the F1 is at least 0.85 of its). That keeps out what merely goes
  along with it, such as films with those who wrote *and* directed them.

Where both kinds name different properties, the questions decide. Everything else keeps an IRI of
its own, and so does a pair that the table of relations refuses with a reason. The table of
decisions is written with the counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

__all__ = ["Decision", "decide"]

Pairs = set[tuple[str, str]]
LEAST_SHARED = 5
LEAST_F1 = 0.5
LEAST_RECALL = 0.8
NEAR_THE_BEST = 0.85
LEAST_OF_ALL = 0.3
LEAST_OF_ALL_ASKED = 0.1
NEVER = frozenset({"P31", "P279", "P361", "P910", "P1343", "P530", "P1376"})
"""Classes are decided elsewhere; P1376 is P36 read backwards; the others are too general."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a relation is mapped to and why.

    Attributes:
        relation: Freebase's name of the relation.
        prop: Wikidata's property; empty where it stays under its own IRI.
        inverse: Whether the property leads from tail to head.
        basis: ``facts``, ``questions`` or ``none``.
        agree: Number of pairs both sides state.
        precision: Of the relation's pairs the property could state, the part it does; for
            questions unknown (0).
        recall: Of the property's pairs the relation could state, the part it does.
    """

    relation: str
    prop: str = ""
    inverse: bool = False
    basis: str = "none"
    agree: int = 0
    precision: float = 0.0
    recall: float = 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


class _Side:
    """Pairs indexed for counting what two sides share."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.tails_of: dict[str, set[str]] = defaultdict(set)
        self.tails: set[str] = set()
        for head, tail in pairs:
            self.tails_of[head].add(tail)
            self.tails.add(tail)

    def shared(self, other: _Side) -> tuple[int, int, int, int]:
        """Return how many pairs both state, how many each states that the other could, and all.

        The last number counts all of this side's pairs whose head the other side knows.
        """
        agree = mine = theirs = all_ = 0
        for head, tails in self.tails_of.items():
            others = other.tails_of.get(head)
            if others is None:
                continue
            here, there = tails & other.tails, others & self.tails
            agree += len(here & there)
            mine += len(here)
            theirs += len(there)
            all_ += len(tails)
        return agree, mine, theirs, all_


def decide(
    relations: Mapping[str, Pairs],
    facts: Mapping[str, Pairs],
    questions: Mapping[str, Pairs],
    refused: Collection[tuple[str, str]] = (),
) -> dict[str, Decision]:
    """Decide for every relation.

    Args:
        relations: Freebase's relations, their pairs with Wikidata's ids.
        facts: Wikidata's properties, what is known to be stated of them.
        questions: The same for the mapped questions.
        refused: Relations with properties they are never mapped to.
    """
    stated = {prop: _Side(pairs) for prop, pairs in facts.items() if prop not in NEVER}
    asked = {prop: _Side(pairs) for prop, pairs in questions.items() if prop not in NEVER}
    found: dict[str, list[Decision]] = defaultdict(list)
    for relation, pairs in relations.items():
        for inverse in (False, True):
            side = _Side((t, h) for h, t in pairs) if inverse else _Side(pairs)
            found[relation] += _by_questions(relation, inverse, side, asked)
            found[relation] += _by_facts(relation, inverse, side, stated)
    kept = {
        relation: [o for o in options if (relation, o.prop) not in refused]
        for relation, options in found.items()
    }
    best: dict[str, Decision] = {}
    for option in (option for options in kept.values() for option in options):
        if option.basis == "facts" and option.agree > getattr(best.get(option.prop), "agree", 0):
            best[option.prop] = option
    return {relation: _choose(relation, kept[relation], best) for relation in relations}


def _by_questions(
    relation: str, inverse: bool, side: _Side, asked: Mapping[str, _Side]
) -> list[Decision]:
    made = []
    for prop, other in asked.items():
        agree, _, theirs, all_ = side.shared(other)
        if (
            agree >= LEAST_SHARED
            and agree >= LEAST_RECALL * theirs
            and agree >= LEAST_OF_ALL_ASKED * all_
        ):
            recall = agree / theirs
            made.append(Decision(relation, prop, inverse, "questions", agree, 0.0, recall))
    return made


def _by_facts(
    relation: str, inverse: bool, side: _Side, stated: Mapping[str, _Side]
) -> list[Decision]:
    made = []
    for prop, other in stated.items():
        agree, mine, theirs, all_ = side.shared(other)
        if agree >= LEAST_SHARED and agree >= LEAST_OF_ALL * all_:
            option = Decision(relation, prop, inverse, "facts", agree, agree / mine, agree / theirs)
            if option.f1 >= LEAST_F1:
                made.append(option)
    return made


def _choose(relation: str, options: list[Decision], best: Mapping[str, Decision]) -> Decision:
    facts = [
        option
        for option in options
        if option.basis == "facts" and option.f1 >= NEAR_THE_BEST * best[option.prop].f1
    ]
    questions = [option for option in options if option.basis == "questions"]
    asked = {option.prop for option in questions}
    for group in ([option for option in facts if option.prop in asked], questions, facts):
        if group:
            return max(group, key=lambda option: (option.f1 or option.recall, option.agree))
    return Decision(relation)
