#!/usr/bin/env python3
"""Learns what words mean which relation, and how readings are ranked, from real questions.

    python -m pip install -e '.[train]'
    python scripts/train_language.py --data ../shared/data

Takes about 40 minutes on two cores, one with ``--only frames``, and gives the same files for the
same data and versions of the libraries. Figures in the manifest are those of questions that a fold
had not seen, neither for the word model nor for the ranker.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import lightgbm
import numpy
import scipy
from language_training.decisions import Decided, decided
from language_training.examples import Example, examples_of
from language_training.fit import WEIGHT, fit_decision, fit_order, fit_weights, ranked
from language_training.frames import STEP, examples_of_frames, fit_frames, read_frames
from language_training.graphs import ASKED, Graphs, asked_on, open_graph, sample_view
from language_training.masking import mask_all
from language_training.own import own_examples, own_questions
from language_training.questions import (
    Asked,
    labels_of_properties,
    labels_of_things,
    simple_questions,
    web_questions,
)
from language_training.word_model import fit_word_model
from language_training.written import (
    wordings,
    written_examples,
    written_questions,
)

from robodata_core.language.lexicon import Lexicon, WordModel, open_lexicon
from robodata_core.language.lexicon.word_model import Relation
from robodata_core.language.ranking import Scorer, Weights
from robodata_core.language.understanding import Models
from robodata_core.language.view import View
from robodata_core.sources.snapshot import open_snapshot

HERE = Path(__file__).resolve().parent
OUTPUT = HERE.parent / "robodata_core" / "language" / "weights"
FOLDS = 4
WORKERS = 2
LEAST = 3
#: Share of the written questions that readings are learned from, and of those read twice.
READ, ASKED_TWICE = 0.5, 0.3
#: How ids of questions begin, by who wrote them: a crowd, searchers of the web, this project,
#: people who put programs into words for it.
WRITERS = "swot"
THRESHOLDS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
SOURCES = {
    "SimpleQuestions on Wikidata, train part": "CC BY 3.0 (questions), CC BY (mapping)",
    "WikiWebQuestions, train part": "no licence stated: weights only, no text of it is shipped",
    "the project's own development questions on its sample": "Apache-2.0",
    "questions, wordings and frames that people wrote for it": "Apache-2.0",
    "CoDEx-M train triples, FB15k-237 and Wikidata labels": "MIT, CC BY 2.5, CC0",
}
_log = logging.getLogger("robodata.training")

Case = tuple[int, Example, Mapping[str, float], bool]


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the data sets")
    parser.add_argument("--only", choices=("frames",), help="learn this part alone (a minute)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder for the weights")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    options.output.mkdir(parents=True, exist_ok=True)
    lexicon = open_lexicon("en")
    asked = [*simple_questions(options.data), *web_questions(options.data)]
    frames = read_frames("frames_en.tsv")
    unframed = frameless(asked, HERE.parent)
    model = fit_frames(examples_of_frames(unframed, frames, random.Random(0), lexicon), lexicon)
    model.write(options.output / "frames.en.gz", STEP)
    if options.only == "frames":
        told = options.output / "manifest.json"
        if told.exists():
            known = json.loads(told.read_text(encoding="utf-8"))
            known["questions"]["frames"] = len(frames)
            told.write_text(_written(known), encoding="utf-8")
        return 0
    rows = [*masked_rows(options.data, asked), *wordings()]
    _log.info("%d questions, %d with one fact", len(asked), len(rows))
    with tempfile.TemporaryDirectory() as folder:
        graph = options.data / "checks" / "simplequestions_graph.nt.gz"
        view = open_graph(graph, Path(folder) / "graph", lexicon)
        on_graph = list(asked_on(asked, view, labels_of_things(options.data)))
        order = random.Random(0).sample(on_graph, len(on_graph))
        folds = {item.id: number % FOLDS for number, item in enumerate(order)}
        own, written = own_questions(HERE.parent), list(written_questions())
        graphs = Graphs(Path(folder), Path(folder) / "graph")
        graphs.make()
        parts = {
            fold: Fold(
                fold,
                [row for row in rows if folds.get(row[0]) != fold],
                [item for item in on_graph if folds[item.id] == fold],
                graphs,
            )
            for fold in range(FOLDS)
        }
        with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as workers:
            jobs = {n: workers.submit(examples_of_fold, part) for n, part in parts.items()}
            examples = {n: job.result() for n, job in jobs.items()}
            _log.info("%d examples", sum(map(len, examples.values())))
            weights, figures, by_fold = fitted(examples)
            _log.info("weights are learned")
            asked_twice = [workers.submit(decided_in_fold, parts[n], by_fold[n]) for n in parts]
            decision = fit_decision([one for job in asked_twice for one in job.result()])
    weights.write(options.output / "ranker.en.gz")
    decision.write(options.output / "decision.en.gz")
    words = fit_words(rows, lexicon)
    words.write(options.output / "words.en.gz")
    counts = {"for words": len(rows), "for ranking": len(on_graph), "own": len(own),
              "written": len(written), "frames": len(frames), "folds": FOLDS}  # fmt: skip
    text = manifest(counts, len(words.relations), figures)
    (options.output / "manifest.json").write_text(text, encoding="utf-8")
    _log.info("%s", text)
    return 0


@dataclass(frozen=True, slots=True)
class Fold:
    """One of the folds.

    Attributes:
        number: Which.
        rows: What words are learned from: questions and wordings of the other folds.
        asked: Its questions that people really asked.
        graphs: What to ask.
    """

    number: int
    rows: Sequence[tuple[str, tuple[str, ...], Relation]]
    asked: Sequence[Asked]
    graphs: Graphs

    def words(self, lexicon: Lexicon) -> WordModel:
        """Return the word model learned from the other folds; it is kept beside the graphs."""
        kept = self.graphs.folder / f"words-{self.number}.gz"
        if not kept.exists():
            fit_words(self.rows, lexicon).write(kept)
        return WordModel.read(kept)

    def has(self, id_: str) -> bool:
        """Tell whether a question that was written for the project is of this fold."""
        return zlib.crc32(id_.encode()) % FOLDS == self.number


def examples_of_fold(fold: Fold) -> list[Example]:
    """Return the examples of one fold, read with words that were learned from the others."""
    lexicon = open_lexicon("en")
    words = fold.words(lexicon)
    view = View(open_snapshot(fold.graphs.path(ASKED)), roles=lexicon.role)
    found = examples_of(fold.asked, view, lexicon, words, random.Random(fold.number))
    own = [item for item in own_questions(HERE.parent) if fold.has(item[0])]
    found += own_examples(own, sample_view(lexicon), lexicon, words)
    chance = random.Random(fold.number)
    texts = [one for one in written_questions() if fold.has(one.id) and chance.random() < READ]
    return found + written_examples(texts, lexicon, words, fold.graphs)


def decided_in_fold(fold: Fold, weights: Weights) -> list[Decided]:
    """Return the questions of one fold, read by rules and by what the others taught."""
    lexicon = open_lexicon("en")
    models = Models(fold.words(lexicon), weights)
    return decided(fold.asked, fold.has, fold.graphs, lexicon, models, ASKED_TWICE)


def fitted(
    examples: Mapping[int, Sequence[Example]],
) -> tuple[Weights, dict[str, dict[str, str]], dict[int, Weights]]:
    """Return weights learned from all folds, what they do on others, and those without each."""
    cases, unread, orders = folded(examples)
    every = [example for fold in examples.values() for example in fold]
    order = fit_order(every)
    weights = fit_weights(order, [(v, right, WEIGHT[e.form]) for _, e, v, right in cases])
    by_fold = {
        fold: fit_weights(one, [(v, r, WEIGHT[e.form]) for f, e, v, r in cases if f != fold])
        for fold, one in orders.items()
    }
    figures = measured(cases, unread)
    # Ranked by what other writers asked, own questions also by another graph alone.
    writers = {n: [e for e in every if e.id[0] == sign] for n, sign in enumerate(WRITERS)}
    by_writer = measured(*folded(writers)[:2])
    figures |= {f"by writer: {name}": row for name, row in by_writer.items()}
    return weights, figures, by_fold


def manifest(counts: Mapping[str, int], relations: int, figures: object) -> str:
    """Return the manifest of weights as JSON."""
    data = {
        "trained on": SOURCES,
        "questions": counts,
        "relations": relations,
        "libraries": {m.__name__: m.__version__ for m in (lightgbm, numpy, scipy)},
        "answered rightly and wrongly, in percent, by form and threshold": figures,
    }
    return _written(data)


def _written(data: Mapping[str, object]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def frameless(asked: Sequence[Asked], root: Path) -> list[str]:
    """Return questions to be put into frames, of each writer some."""
    chance = random.Random(0)
    crowd, web = ([one.question for one in asked if one.id[0] == sign] for sign in "sw")
    own = [question.text for _, question, _ in own_questions(root)]
    written = [question.question for question in written_questions()]
    some = zip((crowd, web, written), (1500, 800, 3500), strict=True)
    return [*own, *(text for texts, number in some for text in chance.sample(texts, number))]


def masked_rows(data: Path, asked: Sequence[Asked]) -> list[tuple[str, tuple[str, ...], Relation]]:
    """Return questions about one fact: id, masked words, relation."""
    labels = labels_of_properties(data)
    single = [item for item in asked if item.property]
    masked = mask_all(single, labels_of_things(data))
    return [
        (i.id, masked[i.id], Relation(labels.get(i.property, i.property), i.inverse))
        for i in single
    ]


def fit_words(rows: Sequence[tuple[str, tuple[str, ...], Relation]], lexicon: Lexicon) -> WordModel:
    """Fit the word model; relations that were hardly asked for are left out."""
    counts = Counter(relation for _, _, relation in rows)
    return fit_word_model([(w, r) for _, w, r in rows if counts[r] >= LEAST], lexicon)


def folded(
    examples: Mapping[int, Sequence[Example]],
) -> tuple[list[Case], Counter[str], dict[int, Scorer]]:
    """Rank each fold's examples by the others.

    Returns:
        Cases, how many examples have no reading, and what ordered each fold.
    """
    cases: list[Case] = []
    unread: Counter[str] = Counter()
    orders: dict[int, Scorer] = {}
    for fold, mine in examples.items():
        others = [e for other in examples if other != fold for e in examples[other]]
        orders[fold] = fit_order(others)
        for example in mine:
            found = ranked(example, orders[fold])
            if found is None:
                unread[example.form] += 1
            else:
                cases.append((fold, example, *found))
    return cases, unread, orders


def measured(cases: Sequence[Case], unread: Counter[str]) -> dict[str, dict[str, str]]:
    """Return right and wrong by form of question and threshold, each fold by the others."""
    chances: dict[str, list[tuple[float, bool]]] = {}
    for fold in sorted({case[0] for case in cases}):
        others = [(v, r, WEIGHT[e.form]) for f, e, v, r in cases if f != fold]
        weights = fit_weights(Scorer({}), others)
        for f, example, values, right in cases:
            if f == fold:
                found = weights.chance(values), right
                chances.setdefault(_group(example), []).append(found)
    figures = {}
    for group, found in sorted(chances.items()):
        number = len(found) + unread.get(group, 0)
        figures[f"{group} ({number})"] = {
            str(least): f"{_share(found, least, True, number)} / "
            f"{_share(found, least, False, number)}"
            for least in THRESHOLDS
        }
    return figures


def _group(example: Example) -> str:
    if example.form not in ("web", "own", "written"):
        return example.form
    kind = "has a reading" if any(example.right) else "has none"
    return f"{example.form}, {kind}"


def _share(found: Sequence[tuple[float, bool]], least: float, right: bool, number: int) -> float:
    hits = sum(1 for chance, hit in found if chance >= least and hit is right)
    return round(100 * hits / number, 1)


if __name__ == "__main__":
    raise SystemExit(main())
