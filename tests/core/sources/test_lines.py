"""N-Quads lines taken apart: the same terms as the parser gives."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.sources.ntriples import (
    BlankNodes,
    canonical_lines,
    literal_parts,
    split_line,
    term_of,
)

iris = st.sampled_from(["http://e/a", "http://e/é", "urn:x:y#z", "http://e/a?b=%20"]).map(
    ox.NamedNode
)
texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=20)
literals = st.one_of(
    texts.map(ox.Literal),
    texts.map(lambda text: ox.Literal(text, language="en-gb")),
    texts.map(lambda text: ox.Literal(text, datatype=ox.NamedNode("http://e/type#x"))),
)
blanks = st.sampled_from(["a", "b1", "x-y_z"]).map(ox.BlankNode)
graphs = st.one_of(st.just(ox.DefaultGraph()), iris, blanks)
quads = st.builds(ox.Quad, st.one_of(iris, blanks), iris, st.one_of(iris, literals, blanks), graphs)


@given(quads)
def test_terms_survive(quad: ox.Quad) -> None:
    (line,) = canonical_lines(f"{quad} .".encode())
    subject, predicate, object_, graph = split_line(line)
    assert term_of(subject) == quad.subject
    assert term_of(predicate) == quad.predicate
    assert term_of(object_) == quad.object
    assert (term_of(graph) if graph else ox.DefaultGraph()) == quad.graph_name


@given(st.lists(quads, max_size=10))
def test_many_lines_at_once(rows: list[ox.Quad]) -> None:
    text = "\n".join(f"  {quad}  . # note" for quad in rows).encode()
    assert canonical_lines(text) == [f"{quad} .".encode() for quad in rows]


@pytest.mark.parametrize(
    "line", [b"", b"<a> <b>", b"<a> <b> <c>", b"<a> <b> <<( <c> <d> <e> )>> ."]
)
def test_other_lines_are_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        split_line(line)


def test_literals() -> None:
    assert literal_parts(rb'"a\"b\\c\n\u00E9\U0001F600"@en') == ('a"b\\c\né😀', "en", "")
    assert literal_parts(b'"5"^^<http://e/int>') == ("5", "", "http://e/int")
    assert term_of(b'"right to left"@ar--rtl') == ox.Literal("right to left", language="ar")
    with pytest.raises(ValueError, match="not a literal"):
        literal_parts(b"<http://e/a>")


@given(st.lists(quads, max_size=8))
def test_blank_nodes_are_named_alike_in_blocks_and_lines(rows: list[ox.Quad]) -> None:
    lines = [f"{quad} .".encode() for quad in rows]
    named = list(BlankNodes("x", 0).rename_lines(lines))
    assert BlankNodes("x", 0).rename(b"\n".join(lines)) == b"\n".join(named)
    for before, after in zip(lines, named, strict=True):
        for one, other in zip(split_line(before), split_line(after), strict=True):
            assert (one == other) != one.startswith(b"_:")
            assert not other.startswith(b"_:")
