"""Questions that people really asked, with the relation that is their meaning.

Relations are named by their labels, so that what is learned holds for any graph.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["Asked", "labels_of_properties", "labels_of_things", "simple_questions", "web_questions"]

_ONE_FACT: Final = re.compile(
    r"SELECT DISTINCT \?x WHERE \{ (?:wd:(Q\d+) wdt:(P\d+) \?x|\?x wdt:(P\d+) wd:(Q\d+))\s*\.?\s*\}"
)
_PREFIX: Final = re.compile(r"PREFIX \S+ <[^>]*> ")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what it means.

    Attributes:
        id: Set and number.
        question: As asked.
        subject: The thing it names (an id), or "".
        property: The relation's id, or "" where it asks for more than one fact.
        inverse: Whether the relation is followed backwards.
        target: The answer its writer had in mind, or "".
        things: Every thing its meaning names.
    """

    id: str
    question: str
    subject: str
    property: str
    inverse: bool = False
    target: str = ""
    things: tuple[str, ...] = ()


def simple_questions(data: Path, part: str = "train") -> Iterator[Asked]:
    """Yield crowd-worded questions about one fact (SimpleQuestions on Wikidata, CC BY 3.0)."""
    path = data / "questions_real" / f"simplequestions_wd_{part}.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            subject, relation, target, question = line.rstrip("\n").split("\t")
            inverse = relation[0] == "R"
            yield Asked(
                f"s{number}", question, subject, "P" + relation[1:], inverse, target, (subject,)
            )


def web_questions(data: Path) -> Iterator[Asked]:
    """Yield what people typed into a search box (WikiWebQuestions; not to be shipped)."""
    path = data / "questions_real" / "wikiwebquestions_train.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            query = _PREFIX.sub("", row["sparql"]).strip()
            things = tuple(dict.fromkeys(re.findall(r"wd:(Q\d+)", query)))
            one = _ONE_FACT.fullmatch(query)
            if one is None:
                yield Asked(f"w{number}", row["question"], "", "", things=things)
            else:
                subject, relation = one[1] or one[4], one[2] or one[3]
                yield Asked(
                    f"w{number}", row["question"], subject, relation, not one[1], things=things
                )


def labels_of_things(data: Path) -> Mapping[str, frozenset[str]]:
    """Return the known labels of things by their ids."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, key, columns in (
        ("fb15k237/entities.tsv.gz", "wikidata_id", ("wikidata_label", "name")),
        ("world/entities.tsv.gz", "qid", ("label",)),
    ):
        with gzip.open(data / name, "rt", encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row.get(key):
                    found[row[key]].update(row[c] for c in columns if row.get(c))
    return {id_: frozenset(names) for id_, names in found.items()}


def labels_of_properties(data: Path) -> Mapping[str, str]:
    """Return the labels of relations by their ids."""
    path = data / "wikidata_facts" / "property_labels_en.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["pid"]: row["label"] for row in rows}
