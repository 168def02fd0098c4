"""What WordNet says of kinds, and the kinds below them.

``make_household_kinds`` made the table of names, ``make_household_wordnet`` that of parts,
materials, uses and definitions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from wikidata_sample.names import read_table

from household.kinds import BASE, Kind, Kinds, spelled

__all__ = ["add_kinds", "told_of"]

HEADER = ("synset", "above", "names", "parts", "materials", "uses", "definition")
SYNSET = re.compile(r"^urn:(?:bddl|wordnet):synset:")
#: What is eaten anyway need not be said of what is done to it, if people say it without, too.
FOOD = re.compile(r" foods?$")
LONGEST_DEFINITION = 120


def add_kinds(
    path: Path,
    kinds: Kinds,
    synsets: Mapping[str, Kind],
    may_be: Callable[[Kind, str], bool],
) -> Iterator[tuple[Kind, Kind]]:
    """Name kinds as WordNet does, add those below them, and yield these, each after the one above.

    What another source calls so is the same kind, unless what is above it says otherwise; a name
    that is taken is left there, and so is one that is the plural of another: several of what is in
    a chest are "drawers".

    Args:
        path: The table.
        kinds: All kinds; new ones are added.
        synsets: The kinds of BDDL's synsets.
        may_be: Whether a kind of such a name may be that of a synset.
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
            known = _called(names, kinds, synset, may_be)
            names = [name for name in names if kinds.find(name) in (None, known)]
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


def _called(
    names: list[str], kinds: Kinds, synset: str, may_be: Callable[[Kind, str], bool]
) -> Kind | None:
    """Return the kind of a synset's first name, or one whose own name is another of them."""
    for number, name in enumerate(names):
        kind = kinds.find(name)
        if kind and (not number or kind.label == name) and may_be(kind, synset):
            return kind
    return None


def _is_plural(name: str, kinds: Kinds) -> bool:
    """Tell whether a word is the plural of what another kind is called."""
    one = re.sub(r"(?:(?<=[sx])|(?<=[cs]h))es$|s$", "", name)
    return one != name and " " not in name and kinds.find(one) is not None


def told_of(
    path: Path,
    kinds: Kinds,
    uses: Collection[str],
    parts: Collection[str],
    may_be: Callable[[Kind, str], bool],
) -> Iterator[tuple[Kind, str, Kind]]:
    """Yield what WordNet says of kinds: the kind, a property and its value.

    A kind that several synsets were joined with is what the first of them says. Of what is a part
    itself no parts are told: what has wheels is no rim.

    Args:
        path: The table.
        kinds: All kinds; parts and materials are added, and descriptions where there are none.
        uses: Ids of what the other sources have as a use.
        parts: Ids of what they have as a part.
        may_be: Whether a kind of such a name may be that of a synset.
    """
    rows = list(read_table(path, HEADER))
    found: dict[str, Kind] = {}
    first: dict[str, Kind] = {}
    for kind in kinds.by_id.values():
        names = [SYNSET.sub("", iri) for iri in kind.matches if SYNSET.match(iri)]
        found |= {name: kind for name in names if name not in found}
        first |= {name: kind for name in names[:1]}
    for kind, above in _new(rows, kinds, found, first, may_be):
        yield kind, "P279", above
    for synset, *_, text in rows:
        if synset in first and not first[synset].description and len(text) <= LONGEST_DEFINITION:
            first[synset].description = text
    inner = {found[one].id for row in rows for one in _each(row[3])} | set(parts)
    for synset, _, _, has, materials, told, _ in rows:
        if (known := first.get(synset)) is None:
            continue
        if known.id not in inner:
            yield from ((known, "P527", found[one]) for one in _each(has))
        yield from ((known, "P186", found[one]) for one in _each(materials))
        named = (_use(use, kinds, uses) for use in _each(told))
        yield from ((known, "P366", use) for use in named if use is not None)


def _each(cell: str) -> list[str]:
    return [one for one in cell.split("|") if one]


def _new(
    rows: list[list[str]],
    kinds: Kinds,
    found: dict[str, Kind],
    first: dict[str, Kind],
    may_be: Callable[[Kind, str], bool],
) -> Iterator[tuple[Kind, Kind]]:
    """Add parts and materials that are no kinds yet; yield them with what is above them."""
    whole = {one: row[0] for row in reversed(rows) for cell in row[3:5] for one in _each(cell)}
    for synset, above, names, *_ in rows:
        if names and synset not in found:
            known = len(kinds.by_id)
            of = found[whole[synset]]
            kind = found[synset] = first[synset] = _part(synset, names, of, kinds, may_be)
            if above in found and len(kinds.by_id) > known:
                yield kind, found[above]


def _part(
    synset: str, names: str, of: Kind, kinds: Kinds, may_be: Callable[[Kind, str], bool]
) -> Kind:
    """Return the kind of a part, or of a material, that is no synset of the household."""
    name, *others = names.split("|")
    kind = kinds.find(name)
    if kind is None:
        kind = kinds.add(name, own=synset)
    elif (
        kind.label != name
        or any(SYNSET.match(iri) for iri in kind.matches)
        or not may_be(kind, synset)
    ):
        label = f"{spelled(name)} ({of.label})"
        kind = kinds.by_id.setdefault(BASE + synset, Kind(BASE + synset, label))
    kind.matches[f"urn:wordnet:synset:{synset}"] = None
    for other in others:
        if kinds.find(other) is None:
            kinds.call(kind, other)
    return kind


def _use(told: str, kinds: Kinds, uses: Collection[str]) -> Kind | None:
    """Return the kind of a use; none if what is called so is a thing, as clothing is."""
    bare = kinds.find(FOOD.sub("", told))
    if bare is not None and bare.id in uses:
        return bare
    name = re.sub(r" foods$", " food", told)
    kind = kinds.get(name)
    is_thing = any(SYNSET.match(iri) for iri in kind.matches)
    return kind if kind.id in uses or not is_thing else None
