"""Several results files as one: which of them may stand in one figure, and which may not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robodata_core.errors import ConfigurationError
from robodata_core.evaluation.results import Header, Results, Row, difference

__all__ = ["pool"]


def pool(results: Sequence[Results], *, other_code: bool = False) -> Results:
    """Put the results of several files together.

    Args:
        results: What the files hold.
        other_code: Take files that were begun by different code.

    Raises:
        ConfigurationError: If their set-ups or their code differ, or two hold the same data set:
            zero-shot and trained figures, figures of before and after a change, or the same
            question twice, do not belong in one figure.
    """
    first = results[0]
    seen: set[tuple[str, str]] = set()
    rows: list[Row] = []
    for number, part in enumerate(results):
        if dict(part.header.setup) != dict(first.header.setup):
            raise ConfigurationError(
                f"{first.header.data} was run {first.header.label}, {part.header.data}"
                f" {part.header.label}; {difference(first.header, part.header, data=False)}.",
                hint="Figures of different set-ups are never pooled: report each by itself.",
            )
        if part.header.code != first.header.code and not other_code:
            raise ConfigurationError(
                f"{first.header.data} was run by {first.header.version}, {part.header.data} by"
                f" other code ({part.header.version}).",
                hint="Report each by itself, or all together with --other-code; the report then"
                " counts the answers of other code.",
            )
        for row in part.rows:
            if (part.header.sha256, row.id) in seen:
                raise ConfigurationError(f"{part.header.data} is given twice.")
            seen.add((part.header.sha256, row.id))
            rows.append(replace(row, id=f"{number + 1}:{row.id}") if len(results) > 1 else row)
    names = ", ".join(part.header.data for part in results)
    header = Header(
        data=names,
        sha256=" ".join(part.header.sha256 for part in results),
        format=first.header.format,
        task=first.header.task,
        items=sum(part.header.items for part in results),
        setup=first.header.setup,
        turns_alone=first.header.turns_alone,
        left_out=tuple(line for part in results for line in part.header.left_out),
        robodata=first.header.robodata,
        code=first.header.code,
    )
    return Results(header, tuple(rows))
