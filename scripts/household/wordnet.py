"""WordNet's names of kinds, and the kinds below them: ``make_household_kinds`` made their table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from wikidata_sample.names import read_table

from household.kinds import Kind, Kinds, spelled

__all__ = ["add_kinds"]


def add_kinds(path: Path, kinds: Kinds, synsets: Mapping[str, Kind]) -> Iterator[tuple[Kind, Kind]]:
    """Name kinds as WordNet does, add those below them, and yield these, each after the one above.

    What another source calls so is the same kind; a name that is taken is left there, and so is one
    that is the plural of another: several of what is in a chest are "drawers".

    Args:
        path: The table.
        kinds: All kinds; new ones are added.
        synsets: The kinds of BDDL's synsets.
    """
    rows = list(read_table(path, ("synset", "above", "names")))
    found = dict(synsets)
    taken = {
        name
        for *_, told in rows
        for name in told.split("|")
        if kinds.find(name) is None and _is_plural(name, kinds)
    }
    above: dict[str, str] = {}
    for synset, up, told in rows:
        names = [name for name in told.split("|") if name not in taken]
        if up:
            known = kinds.find(names[0]) if names else None
            same = (kind for name in names if (kind := kinds.find(name)) and kind.label == name)
            known = known or next(same, None)
            if known is None:
                above[synset] = up
                label = names[0] if names else f"{spelled(synset)} ({spelled(up)})"
                known = kinds.add(label, own=synset)
            found[synset] = known
            known.matches[f"urn:wordnet:synset:{synset}"] = None
        for name in names:
            if kinds.find(name) is None:
                kinds.call(found[synset], name)
    done: set[str] = set()
    for synset in above:
        line = [synset]
        while (up := above[line[-1]]) in above and up not in done:
            line.append(up)
        for one in reversed(line):
            if one not in done:
                done.add(one)
                yield found[one], found[above[one]]


def _is_plural(name: str, kinds: Kinds) -> bool:
    """Tell whether a word is the plural of what another kind is called."""
    one = re.sub(r"(?:(?<=[sx])|(?<=[cs]h))es$|s$", "", name)
    return one != name and " " not in name and kinds.find(one) is not None
