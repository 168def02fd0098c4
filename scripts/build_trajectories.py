"""Makes the investigations that ship with RoboData: robodata_core/data/trajectories.jsonl.

    python scripts/build_trajectories.py [--source snapshot:wikidata-sample ...] [--most 40]

No language model is asked. Of the relations of a graph statements are taken that the verifier
supports with the statement itself hidden, and such made false by another value of the same relation
that it refutes. A fixed strategy investigates them with the real tools, through the real state
machine, by a course that what decides the triple asks for (``COURSES``); texts are the graph's own
descriptions. A course that began with a look that found nothing is corrected. It hands in what the
verifier measured. Each course is taken for so many triples, each relation for one a judgement, so
that they are spread. The same graphs give the same file.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from robodata_core import RoboData
from robodata_core.iris import predicate_iri
from robodata_core.model import EntityValue, MonolingualTextValue
from robodata_core.policy.llm.client import Completion
from robodata_core.policy.llm.ledger import Prices
from robodata_core.policy.llm.prompt import PromptBudget
from robodata_core.sources.base import KnowledgeSource, QueryLimits
from robodata_core.sources.capabilities import all_properties
from robodata_core.texts.corpus import mentions
from robodata_core.texts.index import TextIndex, load_texts
from robodata_core.texts.open import Texts
from robodata_core.verification.investigation import Agent
from robodata_core.verification.trajectories import Trajectories, Trajectory
from robodata_core.verification.verdict import Judgement, Verdict
from robodata_core.verification.verifying import Verifier

OUTPUT = Path(__file__).parent.parent / "robodata_core" / "data" / "trajectories.jsonl"
TRIED = 12
ROWS = 400
DESCRIBED = 100_000
STRIDE = 10
"""From the most used relations to the rarest in strides, so that kinds of relations are spread."""
JUDGE = "Judge by what the measured verifier found, in the light of that."
#: A look: what it is to settle, why, the tool, and what it is called with.
LOOKS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "texts": (
        "See what texts say of subject and object together, with text_evidence.",
        "A sentence that names both would tell of the triple itself.",
        "text_evidence",
        {"entity": "subject", "other": "object"},
    ),
    "class": (
        "See what the end's class is, with kg_definition.",
        "The end is of a class that no end of the relation was measured to have; what that class"
        " is tells whether it only has another name.",
        "kg_definition",
        {"id": "class"},
    ),
    "of subject": (
        "List what is stated of the subject that bears on the relation, with kg_neighbours.",
        "What is stated of the subject shows whether the relation is filled, and with what.",
        "kg_neighbours",
        {"entity": "subject", "relation": "relation"},
    ),
    "of object": (
        "List what is stated of the object that bears on the relation, with kg_neighbours.",
        "What has the object as its value, or what it has itself, shows how it is used.",
        "kg_neighbours",
        {"entity": "object", "relation": "relation"},
    ),
    "paths": (
        "See whether subject and object hang together in another way, with kg_paths.",
        "A path at whose ends the relation usually holds would be evidence; none is no evidence.",
        "kg_paths",
        {"entity_a": "subject", "entity_b": "object"},
    ),
    "value beside": (
        "See how the object hangs together with the value that is stated, with kg_paths.",
        "Two values may both hold where one lies in the other, or is another name of it.",
        "kg_paths",
        {"entity_a": "other", "entity_b": "object"},
    ),
    "subject beside": (
        "See how the subject hangs together with the one that is stated, with kg_paths.",
        "A value may belong to two subjects where one is a part or another form of the other.",
        "kg_paths",
        {"entity_a": "other", "entity_b": "subject"},
    ),
}
#: By what decides, the courses that are taken in turn; what stands behind "or" corrects the plan.
COURSES: dict[str, tuple[tuple[str, ...], ...]] = {
    "texts": (("texts", "paths"), ("texts", "of subject")),
    "class": (("class",), ("class", "of object")),
    "other value": (("of subject", "value beside"), ("texts", "or", "of subject")),
    "other subject": (("of object", "subject beside"), ("paths", "or", "of object")),
    "direction": (("of object",), ("of object", "paths")),
    "path": (("paths",), ("of object", "paths"), ("texts", "or", "paths")),
    "pattern": (("of subject",), ("of subject", "of object"), ("texts", "or", "of subject")),
}
MEASURED = re.compile(r"Measured: (\w+), strength ([0-9.]+) \([^)]*\)\. (.*)")
SIDE = re.compile(r"^(For|Against) \([0-9.]+\): .*$", re.MULTILINE)
EMPTY = ("No path ", "Nothing is stated ", "The texts say nothing ")


class FixedStrategy:
    """Stands in a model's place: the looks of a course, then what was measured."""

    looks: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    names: Mapping[str, str] = {}

    def take(self, course: Sequence[str], names: Mapping[str, str]) -> None:
        """Take a course with the next triple."""
        place = course.index("or") if "or" in course else len(course)
        self.looks, self.spare = tuple(course[:place]), tuple(course[place + 1 :])
        self.names = names

    def complete(self, messages: Sequence[Mapping[str, Any]], **_: Any) -> Completion:
        """Return the next reply."""
        told = str(messages[1]["content"])
        measured = MEASURED.search(told)
        assert measured
        if "State: PLANNING." in str(messages[0]["content"]):
            expected = "incorrect" if measured[1] == "refuted" else "correct"
            because = "That is what the measured verifier says."
            return _said({"impression": expected, "because": because, "plan": self._plan()})
        done = told.count("\nAction: ")
        observed = told.rpartition(f"\nObservation O{done}: ")[2]
        if done and self.spare and observed.startswith(EMPTY):
            self.looks, self.spare = (*self.looks[:done], *self.spare), ()
            return self._step(done, {"correction": self._plan(done)})
        if done < len(self.looks):
            return self._step(done, {"plan_step": done + 1})
        return _said({"answer": _judged(measured, told)})

    def _plan(self, since: int = 0) -> list[str]:
        return [*(LOOKS[name][0] for name in self.looks[since:]), JUDGE]

    def _step(self, place: int, planned: Mapping[str, Any]) -> Completion:
        _, thought, tool, arguments = LOOKS[self.looks[place]]
        named = {name: self.names[role] for name, role in arguments.items()}
        call = {"tool": tool, "arguments": named}
        return _said({"thought": thought, **planned, "calls": [call]})


def _judged(measured: re.Match[str], told: str) -> dict[str, Any]:
    opening = told.partition("Your first impression")[0]
    cited: dict[str, list[str]] = {"For": [], "Against": []}
    for line in SIDE.finditer(opening):
        cited[line[1]] += re.findall(r"\b(E\d+):", line[0])
    if measured[1] == "supported":
        cited["For"] = re.findall(r"^(S\d+): ", told, re.MULTILINE)[:2] + cited["For"]
    return {
        "verdict": measured[1],
        "probability": float(measured[2]),
        "for": cited["For"][:6],
        "against": cited["Against"][:6] or ["O0"] * (measured[1] == "refuted"),
        "because": measured[3],
    }


def _said(reply: Mapping[str, Any]) -> Completion:
    return Completion(json.dumps(reply), finish="stop")


def candidates(robodata: RoboData, property_: str) -> Iterator[tuple[tuple[str, str, str], bool]]:
    """Yield statements of a property, and such with another of its values."""
    pattern = f"?s <{predicate_iri(property_)}> ?o"
    query = f"SELECT ?s ?o WHERE {{ {pattern} }} LIMIT {ROWS}"
    rows = sorted(
        (subject.id, value.id)
        for subject, value in robodata.source.sparql(query, limits=QueryLimits(ROWS, 20.0)).rows
        if isinstance(subject, EntityValue) and isinstance(value, EntityValue)
    )
    stated = set(rows)
    step = max(1, len(rows) // TRIED)
    for place in range(0, len(rows), step):
        subject, value = rows[place]
        other = rows[(place + len(rows) // 2 + 1) % len(rows)][1]
        yield (subject, property_, value), True
        if (subject, other) not in stated:
            yield (subject, property_, other), False


def descriptions(source: KnowledgeSource, folder: Path) -> Texts:
    """Return what a graph's descriptions say, as a corpus of texts."""
    query = "SELECT ?s ?d WHERE { ?s <http://schema.org/description> ?d }"
    found = source.sparql(query, limits=QueryLimits(DESCRIBED, 60.0, 200_000_000)).rows
    told = {
        subject.id: text.text
        for subject, text in sorted(found, key=str)
        if isinstance(subject, EntityValue) and isinstance(text, MonolingualTextValue)
    }
    known = source.entities(sorted(told))
    rows = [
        json.dumps({"title": known[id_].label, "text": f"{told[id_]}."})
        for id_ in sorted(told)
        if id_ in known and known[id_].label
    ]
    extracts, output = folder / "descriptions.jsonl", folder / "descriptions"
    extracts.write_text("\n".join(rows), encoding="utf-8")
    load_texts([extracts], output, datetime(2026, 1, 1, tzinfo=timezone.utc))
    return Texts((TextIndex(output),))


def deciding(verdict: Verdict, source: KnowledgeSource) -> tuple[str, dict[str, str]]:
    """Return what decides a triple, and what the names of a course's arguments stand for."""
    triple = verdict.triple
    assert isinstance(triple.object, EntityValue)
    names = {"subject": triple.subject, "relation": triple.predicate, "object": triple.object.id}
    supported = verdict.judgement is Judgement.SUPPORTED
    first = (verdict.reasons if supported else verdict.objections)[0]
    if supported:
        ends = source.entities((triple.subject, triple.object.id))
        one, other = ends[triple.subject], ends[triple.object.id]
        if mentions(one.description, (other.label,)):
            return "texts", names
        return first.kind, names
    claim = next((one for one in verdict.against if one.id in first.claims), None)
    for evidence in claim.support.evidence if claim else ():
        value = evidence.triple.object
        if isinstance(value, EntityValue):
            named = {"class": value.id, "other value": value.id}
            names["class"] = names["other"] = named.get(first.kind, evidence.triple.subject)
    return first.kind if claim else "", names


def investigate(name: str, most: int, folder: Path) -> Iterator[Trajectory]:
    """Yield the trajectories of one graph."""
    strategy = FixedStrategy()
    agent = Agent(
        strategy,
        "fixed strategy (no model)",
        PromptBudget(64_000, 2_000, 12_000),
        Prices(),
        Trajectories(Path("/nonexistent/trajectories.jsonl")),
    )
    taken: Counter[str] = Counter()
    share = -(-most // sum(map(len, COURSES.values())))
    with RoboData.open(source=name) as robodata, RoboData.open(source=name) as investigating:
        texts = descriptions(robodata.source, folder)
        investigating._verifier = Verifier(
            investigating.source, investigating.settings, agent, texts
        )
        used = sorted(all_properties(robodata.source), key=lambda one: (-one.uses, one.id))
        for relation in (one for start in range(STRIDE) for one in used[start::STRIDE]):
            wanted = {True: Judgement.SUPPORTED, False: Judgement.REFUTED}
            for triple, holds in candidates(robodata, relation.id):
                if sum(taken.values()) >= most:
                    return
                if holds not in wanted:
                    continue
                verdict = robodata.verify(*triple, without_itself=True)
                if verdict.judgement is not wanted[holds] or not (
                    verdict.subject_label and verdict.object_label
                ):
                    continue
                kind, names = deciding(verdict, robodata.source)
                courses = COURSES.get(kind, ())
                if taken[kind] >= share * len(courses):
                    continue
                strategy.take(courses[taken[kind] % len(courses)], names)
                found = investigating.verify(*triple, without_itself=True)
                if found.judgement is wanted[holds] and found.investigation is not None:
                    del wanted[holds]
                    taken[kind] += 1
                    shown = " / ".join(found.investigation.triple)
                    print(f"{sum(taken.values()):3} {name} {kind}: {shown}", flush=True)
                    yield found.investigation


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--source", nargs="+", default=["snapshot:wikidata-sample", "snapshot:world"]
    )
    parser.add_argument("--most", type=int, default=40, help="Most of one graph.")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    given = parser.parse_args()
    lines = []
    for name in given.source:
        with tempfile.TemporaryDirectory() as folder:
            found = investigate(name, given.most, Path(folder))
            lines += [json.dumps(asdict(one), ensure_ascii=False) for one in found]
    given.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
