"""Learning a calibration for verification from a file of labelled triples."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any, Final

import click

from robodata_core.cli.options import opened
from robodata_core.errors import ConfigurationError, InvalidRequestError
from robodata_core.text import plural

_SHOWN: Final = 3


def learn_calibration(path: str, output: str, options: dict[str, Any]) -> int:
    """Learn, measure on a fifth that is kept apart, and write.

    Raises:
        ConfigurationError: If there is too little to learn from, or a file cannot be used.
        SourceError: If the source cannot be read.
    """
    from robodata_core.evaluation.datasets import GoldTriple, load_dataset
    from robodata_core.verification.calibration import Example, fit, measure
    from robodata_core.verification.verifying import Request, Verifier

    data = load_dataset(path)
    if data.task != "triples":
        raise ConfigurationError(f"{path} holds {data.task}, not labelled triples.")
    items = [item for item in data.items if isinstance(item, GoldTriple)]
    examples: list[tuple[str, Example]] = []
    left_out: list[str] = []
    with opened(options) as robodata:
        verifier = Verifier(robodata.source, robodata.settings)
        with click.progressbar(items, label="Looking at triples", file=_stderr()) as shown:
            for item in shown:
                request = Request(item.subject, item.predicate, item.object)
                try:
                    example = verifier.example(request, item.holds)
                except InvalidRequestError as error:
                    left_out.append(f"{item.id}: {error}")
                    continue
                if example is None:
                    left_out.append(f"{item.id}: rules join entities only, in a snapshot")
                else:
                    examples.append((item.id, example))
    apart = [one for id_, one in examples if _kept_apart(id_)]
    scorer = verifier.scorer.learnt_from if verifier.scorer else ""
    first = fit([one for id_, one in examples if not _kept_apart(id_)], "", scorer)
    held_out = measure(first.probability, apart)
    name = f"{plural(len(examples), 'triple')} of {data.name} ({data.sha256[:12]})"
    learnt = replace(fit([one for _, one in examples], name, scorer), held_out=held_out)
    learnt.write(output)
    for line in left_out[:_SHOWN]:
        click.echo(f"left out: {line}", err=True)
    more = f" {len(left_out):,} were left out." if left_out else ""
    click.echo(
        f"Learnt from {name}.{more} On {held_out.triples:,} kept apart (a fifth, learning from the"
        f" rest): accuracy {held_out.accuracy:.3f}, F1 {held_out.f1:.3f}. Use it with"
        f" --calibration {output}"
    )
    return 0


def learn_scorer(output: str, options: dict[str, Any]) -> int:
    """Train a scorer on the source's graph, and write it.

    Raises:
        ConfigurationError: If there is too little to learn from, or NumPy is missing.
        SourceError: If the source cannot be read.
    """
    from robodata_core.verification.verifying import Verifier

    with opened(options) as robodata:
        verifier = Verifier(robodata.source, robodata.settings)
        with click.progressbar(length=1_000, label="Training", file=_stderr()) as shown:
            scorer = verifier.learn_scorer(
                lambda share: shown.update(int(share * 1_000) - shown.pos)
            )
    scorer.write(output)
    click.echo(
        f"Learnt from {scorer.learnt_from}: {plural(len(scorer.entities), 'thing')},"
        f" {plural(len(scorer.relations), 'relation')}. It counts where a calibration weighs it:"
        f" robodata verify --learn TRIPLES --output FILE --scorer {output}"
    )
    return 0


def _kept_apart(id_: str) -> bool:
    return hashlib.sha256(id_.encode("utf-8", "replace")).digest()[0] % 5 == 0


def _stderr() -> Any:
    import sys

    return sys.stderr
