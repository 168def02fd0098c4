#!/usr/bin/env python3
"""Makes a graph that SimpleQuestions on Wikidata can be asked on, for `robodata synthesize`.

    python scripts/make_question_graph.py --data DATA --without 0.1 graph.nt.gz
    robodata kg load graph.nt.gz --output question-graph
    robodata synthesize --source snapshot:question-graph --examples 0 \
        --queries DATA/questions_real/simplequestions_wd_train.tsv.gz --output examples.jsonl

Its facts are those of the questions whose subject has a known label, and the triples of `world`;
--without leaves a share of the questions' facts out (chosen by a hash), so that there are
questions without an answer.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
from pathlib import Path

from language_training.questions import labels_of_properties, labels_of_things, simple_questions

ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def facts(data: Path, named: frozenset[str], without: float) -> list[tuple[str, str, str]]:
    """Return subject, property and object of every fact, each once."""
    found: dict[tuple[str, str, str], None] = {}
    with gzip.open(data / "world" / "codex_m_labelled.tsv.gz", "rt", encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            head, relation, tail = line.rstrip("\n").split("\t")
            found[head, relation, tail] = None
    for asked in simple_questions(data):
        chance = int(hashlib.sha256(asked.id.encode()).hexdigest()[:8], 16) / 0xFFFFFFFF
        if asked.subject not in named or chance < without:
            continue
        ends = (asked.subject, asked.property, asked.target)
        head, relation, tail = ends
        found[(tail, relation, head) if asked.inverse else ends] = None
    return list(found)


def main() -> None:
    """Write the graph."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--without", type=float, default=0.1, help="share of facts to leave out")
    parser.add_argument("output", type=Path, help="N-Triples, packed (.nt.gz)")
    options = parser.parse_args()
    things, relations = labels_of_things(options.data), labels_of_properties(options.data)
    triples = facts(options.data, frozenset(things), options.without)
    with gzip.open(options.output, "wt", encoding="utf-8") as out:
        for head, relation, tail in triples:
            out.write(f"<{ENTITY}{head}> <{DIRECT}{relation}> <{ENTITY}{tail}> .\n")
        for id_, names in things.items():
            label = json.dumps(sorted(names)[0], ensure_ascii=False)
            out.write(f"<{ENTITY}{id_}> <{LABEL}> {label}@en .\n")
        for id_ in sorted({relation for _, relation, _ in triples} & relations.keys()):
            label = json.dumps(relations[id_], ensure_ascii=False)
            out.write(f"<{ENTITY}{id_}> <{LABEL}> {label}@en .\n")
    print(f"{len(triples):,} facts, {len(things):,} names: {options.output}")


if __name__ == "__main__":
    main()
