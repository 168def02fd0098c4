"""Makes the investigations that ship with RoboData: robodata_core/data/trajectories.jsonl.

    python scripts/build_trajectories.py [--source snapshot:wikidata-sample ...] [--most 40]

No language model is asked. Of each relation of a graph one statement is taken that the verifier
supports with the statement itself hidden, and one made false by another value of the same relation
that it refutes. A fixed strategy then investigates both with the real tools, through the real state
machine, and hands in what the verifier measured. The same graphs give the same file.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from robodata_core import RoboData
from robodata_core.iris import predicate_iri
from robodata_core.model import EntityValue
from robodata_core.policy.llm.client import Completion
from robodata_core.policy.llm.ledger import Prices
from robodata_core.policy.llm.prompt import PromptBudget
from robodata_core.sources.base import QueryLimits
from robodata_core.sources.capabilities import all_properties
from robodata_core.verification.investigation import Agent
from robodata_core.verification.trajectories import Trajectories, Trajectory
from robodata_core.verification.verdict import Judgement
from robodata_core.verification.verifying import Verifier

OUTPUT = Path(__file__).parent.parent / "robodata_core" / "data" / "trajectories.jsonl"
TRIED = 12
ROWS = 400
PLAN = (
    "List what is stated of the subject that bears on the relation, with kg_neighbours.",
    "See whether subject and object hang together in another way, with kg_paths.",
    "Judge by what the measured verifier found, in the light of both.",
)
THOUGHTS = (
    "What is stated of the subject shows whether the relation is filled already, and with what.",
    "A path that usually goes with the relation would be evidence for it; none is no evidence.",
)
TRIPLE = re.compile(r"^Triple: .* \((\S+)\) / .* \((\S+)\) / .* \((\S+)\)$", re.MULTILINE)
MEASURED = re.compile(r"Measured: (\w+), strength ([0-9.]+) \([^)]*\)\. (.*)")
SIDE = re.compile(r"^(For|Against) \([0-9.]+\): .*$", re.MULTILINE)


class FixedStrategy:
    """Stands in a model's place: two looks, then what was measured."""

    def complete(self, messages: Sequence[Mapping[str, Any]], **_: Any) -> Completion:
        """Return the next reply."""
        told = str(messages[1]["content"])
        triples = TRIPLE.findall(told)
        measured = MEASURED.search(told)
        assert triples and measured
        subject, relation, object_ = triples[0]
        if "State: PLANNING." in str(messages[0]["content"]):
            expected = "incorrect" if measured[1] == "refuted" else "correct"
            because = "That is what the measured verifier says."
            return _said({"impression": expected, "because": because, "plan": list(PLAN)})
        done = told.count("\nAction: ")
        looks = (
            ("kg_neighbours", {"entity": subject, "relation": relation}),
            ("kg_paths", {"entity_a": subject, "entity_b": object_}),
        )
        if done < len(looks):
            tool, arguments = looks[done]
            call = {"tool": tool, "arguments": arguments}
            return _said({"thought": THOUGHTS[done], "plan_step": done + 1, "calls": [call]})
        opening = told.partition("Your first impression")[0]
        cited: dict[str, list[str]] = {"For": [], "Against": []}
        for line in SIDE.finditer(opening):
            cited[line[1]] += re.findall(r"\b(E\d+):", line[0])
        if measured[1] == "refuted":
            cited["Against"] = cited["Against"] or ["O0"]
        strength = float(measured[2])
        answer = {
            "verdict": measured[1],
            "probability": strength,
            "for": cited["For"][:6],
            "against": cited["Against"][:6],
            "because": measured[3],
        }
        return _said({"answer": answer})


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


def investigate(name: str, most: int, agent: Agent) -> Iterator[Trajectory]:
    """Yield the trajectories of one graph."""
    with RoboData.open(source=name) as robodata, RoboData.open(source=name) as investigating:
        investigating._verifier = Verifier(investigating.source, investigating.settings, agent)
        relations = sorted(all_properties(robodata.source), key=lambda one: (-one.uses, one.id))
        made = 0
        for relation in relations:
            if made >= most:
                return
            wanted = {True: Judgement.SUPPORTED, False: Judgement.REFUTED}
            for triple, holds in candidates(robodata, relation.id):
                if holds not in wanted:
                    continue
                verdict = robodata.verify(*triple, without_itself=True)
                if verdict.judgement is not wanted[holds] or not (
                    verdict.subject_label and verdict.object_label
                ):
                    continue
                found = investigating.verify(*triple, without_itself=True)
                if found.judgement is wanted.pop(holds) and found.investigation is not None:
                    made += 1
                    print(f"{made:3} {name} {' / '.join(found.investigation.triple)}", flush=True)
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
    agent = Agent(
        FixedStrategy(),
        "fixed strategy (no model)",
        PromptBudget(64_000, 2_000, 12_000),
        Prices(),
        Trajectories(Path("/nonexistent/trajectories.jsonl")),
    )
    lines = [
        json.dumps(asdict(one), ensure_ascii=False)
        for name in given.source
        for one in investigate(name, given.most, agent)
    ]
    given.output.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main()
