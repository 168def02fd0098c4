"""How a claim holds, as lines: paths, gaps, words of the question, what decides."""

from __future__ import annotations

from datetime import datetime, timezone
from itertools import combinations
from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.color import Color, rgb_to_lab
from textual.theme import BUILTIN_THEMES

from robodata_core.model import (
    Answer,
    AnswerStatus,
    Claim,
    EntityValue,
    Evidence,
    Provenance,
    ResultItem,
    SupportSet,
    Triple,
    TruthKind,
)
from robodata_tui.citing import sentence_parts, spare_words
from robodata_tui.drawing import drawing, path_lines, question_line
from robodata_tui.proof import edge_colours, make_proof
from robodata_tui.supporting import in_place_of, of_member
from robodata_tui.words import claim_line, clean

QUESTION = "Which Italian cities are twinned with Japanese cities?"


def triple(number: int, subject: str, relation: str, object_: str) -> Evidence:
    where = Provenance("snapshot:a", datetime(2026, 1, 1, tzinfo=timezone.utc), "r", "k1", "fetch")
    return Evidence(
        f"T{number}",
        Triple(subject, relation, EntityValue(object_)),
        subject_label=subject,
        predicate_label=relation,
        object_label=object_,
        provenance=(where,),
    )


def claim(text: str, *items: Evidence, kind: TruthKind = TruthKind.STATED) -> Claim:
    return Claim("c1", text, True, SupportSet(items), kind=kind)


TWINS = claim(
    "Rome is twinned with Tokyo.",
    triple(1, "Tokyo", "country", "Japan"),
    triple(2, "Tokyo", "instance of", "city"),
    triple(3, "Rome", "twinned with", "Tokyo"),
    triple(4, "Rome", "country", "Italy"),
)
ROMAN = triple(5, "Rome", "instance of", "city")


def test_a_proof_is_a_path_with_what_decides_in_it() -> None:
    proof = make_proof(TWINS, QUESTION)
    first, second = (line.plain for line in path_lines(proof))
    assert first == "Italy ◀─country¹─ Rome ═twinned with²═▶ Tokyo ─country³─▶ Japan"
    assert second == "Tokyo ─instance of⁴─▶ city"
    assert proof.edges[0].item.handle == "T3", "the triple that decides stands first"


def test_every_edge_says_which_words_of_the_question_it_answers() -> None:
    line = question_line(make_proof(TWINS, QUESTION)).plain
    assert "Italian¹" in line and "twinned with²" in line and "Japanese³" in line


def test_each_edge_has_its_own_number_and_colour() -> None:
    """Also one that no word asks for; of many, numbers go on and colours begin again."""
    items = [triple(n, f"thing {n}", "next", f"thing {n + 1}") for n in range(12)]
    edges = make_proof(claim("They follow each other.", *items), "Who?").edges
    plain = {edge.number: edge.style.removeprefix("bold ") for edge in edges}
    assert sorted(plain) == list(range(1, 13))
    assert len({plain[n] for n in range(1, 9)}) == 8 and plain[9] == plain[1]
    assert {edge.told for edge in edges} > {"next¹", "next¹²"}


@pytest.mark.parametrize("name", sorted(BUILTIN_THEMES))
def test_colours_of_edges_can_be_read_and_told_apart(name: str) -> None:
    theme = BUILTIN_THEMES[name]
    colours = [Color.parse(text) for text in edge_colours(dark=theme.dark).values()]
    known = theme.to_color_system().generate()
    for ground in (known["background"], known["surface"]):
        if theme.ansi:  # the terminal's own
            continue
        behind = _light(Color.parse(ground))
        for colour in colours:
            light = _light(colour)
            contrast = (max(light, behind) + 0.05) / (min(light, behind) + 0.05)
            assert contrast >= 4.5, (colour.hex, ground)
    for one, other in combinations(map(rgb_to_lab, colours), 2):
        assert dist((one.L, one.a, one.b), (other.L, other.a, other.b)) > 15


def _light(colour: Color) -> float:
    """Return the relative luminance, as WCAG reckons it."""
    parts = (part / 255 for part in (colour.r, colour.g, colour.b))
    lines = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * lines[0] + 0.7152 * lines[1] + 0.0722 * lines[2]


def test_a_word_of_two_things_goes_with_the_words_around_it() -> None:
    proof = make_proof(
        claim("Rome is twinned with Tokyo.", *TWINS.support.evidence, ROMAN), QUESTION
    )
    cities = [number for text, number in proof.question if text == "cities"]
    names = {edge.number: edge.item.triple.subject for edge in proof.edges}
    assert [names[number] for number in cities] == ["Rome", "Tokyo"]


def test_a_name_is_marked_once_and_small_words_are_none() -> None:
    book = triple(1, "The Guide to the Galaxy", "author", "Adams")
    mother = triple(2, "Adams", "mother", "Janet")
    question = "Who is the mother of the author of The Guide to the Galaxy?"
    line = question_line(make_proof(claim("Janet.", book, mother), question)).plain
    assert line == "Who is the mother² of the author of The Guide to the Galaxy¹?"


def test_a_long_question_leaves_the_path_in_sight() -> None:
    question = f"{'My daughter wonders. ' * 60}What is the capital of Italy, {'please ' * 200}?"
    proof = make_proof(
        claim("Rome is the capital of Italy.", triple(1, "Italy", "capital", "Rome")), question
    )
    short = question_line(proof, 100).plain
    assert len(short) < 260 and "capital of Italy¹" in short and short.endswith("?")
    assert short.startswith("My daughter wonders.")
    assert question_line(proof).plain.replace("¹", "") == question


def test_a_gap_stands_before_what_is_stated_in_its_place() -> None:
    gap = triple(9, "Berlin", "capital of", "France")
    there = triple(1, "Berlin", "capital of", "Germany")
    no = claim("It is not stated.", kind=TruthKind.ABSENT)
    proof = make_proof(no, "Is Berlin the capital of France?", (there,), gap)
    lines = [line.plain for line in path_lines(proof)]
    assert lines == ["Berlin ┄capital of¹ ∅┄▶ France", "Berlin ─capital of²─▶ Germany"]
    assert drawing(proof, 80).plain.splitlines() == [
        "Berlin ┄┄ capital of¹ ∅ ┄┄▶ France",
        " └─ capital of² ─▶ Germany",
    ]


def test_only_what_a_gap_reaches_stands_in_its_place() -> None:
    gap = triple(9, "A", "child", "B")
    near, far = triple(1, "A", "child", "C"), triple(2, "C", "spouse", "D")
    claims = [claim("It is not stated.", kind=TruthKind.ABSENT), claim("Other.", far, near)]
    assert in_place_of(gap, [*claims, claim("Else.", triple(3, "X", "child", "Y"))]) == (near, far)


def test_of_many_paths_the_first_are_shown() -> None:
    items = [triple(n, f"country {n}", "in", "Africa") for n in range(30)]
    lines = path_lines(make_proof(claim("There are 30 of them.", *items), "How many?"))
    assert len(lines) < 10 and lines[-1].plain.startswith("… and ")


def test_what_nothing_connects_is_a_gap() -> None:
    proof = make_proof(
        claim("A likes B.", triple(1, "A", "likes", "B"), triple(2, "C", "likes", "D")), "?"
    )
    assert [line.plain.startswith("┄┄ not stated") for line in path_lines(proof)] == [False, True]
    assert "not stated" in drawing(proof, 80).plain


def test_between_what_is_compared_nothing_is_missing() -> None:
    sizes = triple(1, "Spain", "area", "505,370"), triple(2, "France", "area", "643,801")
    for kind in (TruthKind.ABSENT, TruthKind.RECKONED):
        proof = make_proof(claim("Spain is smaller.", *sizes, kind=kind), "Is Spain larger?")
        assert [line.plain[:6] for line in path_lines(proof)] == ["Spain ", "France"]
        assert "not stated ┄" not in drawing(proof, 80).plain


@pytest.mark.parametrize("width", [20, 60, 120])
def test_the_drawing_names_every_triple(width: int) -> None:
    text = drawing(make_proof(TWINS, QUESTION), width).plain
    for name in ("twinned with", "country", "instance of", "Italy", "Japan", "city"):
        assert name in text
    assert max(map(len, text.splitlines())) <= max(width, 60)


_names = st.sampled_from("ABCDE")


@given(st.lists(st.tuples(_names, _names), min_size=1, max_size=12))
def test_paths_cover_every_triple_once(pairs: list[tuple[str, str]]) -> None:
    items = [triple(number, a, "r", b) for number, (a, b) in enumerate(pairs)]
    proof = make_proof(claim("?", *items), "?")
    covered = [edge.item.handle for _, path in proof.paths for edge in path]
    assert sorted(covered) == sorted(item.handle for item in items)
    for start, path in proof.paths:
        here = start
        for edge in path:
            assert here in (edge.start, edge.end), "a path has no jumps"
            here = edge.end if edge.start == here else edge.start
    assert drawing(proof, 80).plain.count("▶") + drawing(proof, 80).plain.count("◀") == len(items)


@pytest.mark.parametrize(
    ("kind", "sign", "word"),
    [
        (TruthKind.TYPICAL, "≈", "typical"),
        (TruthKind.OBSERVED, "◉", "observed"),
        (TruthKind.RECKONED, "∑", "reckoned"),
        (TruthKind.ABSENT, "∅", "absent"),
    ],
)
def test_kinds_of_truth_have_a_sign_and_a_word(kind: TruthKind, sign: str, word: str) -> None:
    line = claim_line(claim("So it is.", kind=kind))
    assert line.startswith(sign) and word in line


def answer(text: str, *claims: Claim, results: tuple[ResultItem, ...] = ()) -> Answer:
    return Answer("?", AnswerStatus.ANSWERED, text, "offline", claims, results=results)


def test_a_name_that_looks_like_a_citation_is_none() -> None:
    odd = claim("It is the [c1] road.", triple(1, "It", "is", "the [c1] road"))
    parts = sentence_parts(answer("It is the [c1] road. [c1]", odd))
    assert [text for text, place in parts if place is not None] == ["[c1]"]
    assert parts[0] == ("It is the [c1] road. ", None)


def test_what_a_text_says_besides_its_claims_is_kept() -> None:
    one = claim("The child of A is B.")
    assert spare_words(answer("1 in all: the child of A is B. [c1]", one)) == "1 in all"
    assert spare_words(answer("The child of A is B. [c1]", one)) == ""
    assert spare_words(answer("B, they say [c1].", one)) is None


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a👨\u200d👩\u200d👧b", "a👨👩👧b"),
        ("❤\ufe0f 👍\U0001f3fd", "❤ 👍"),
        ("क्\u200dष", "क्\u200dष"),
        ("نمی\u200cخواهم", "نمی\u200cخواهم"),
    ],
)
def test_widths_are_what_every_terminal_thinks(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_a_claim_about_many_is_proved_one_by_one() -> None:
    """A shared country is an end of each proof, never a way from one member to the next."""
    items = []
    for number, (here, there) in enumerate((("Rome", "Tokyo"), ("Turin", "Nagoya"))):
        items += [
            triple(10 * number + 1, here, "twinned with", there),
            triple(10 * number + 2, here, "country", "Italy"),
            triple(10 * number + 3, there, "country", "Japan"),
            triple(10 * number + 4, there, "instance of", "city"),
            triple(10 * number + 5, here, "instance of", "city"),
        ]
    both = claim("Each of Rome and Turin is twinned.", *items)
    for number, name in enumerate(("Rome", "Turin")):
        found = of_member(both, ["Rome", "Turin"], name)
        assert {item.handle for item in found} == {f"T{10 * number + n}" for n in range(1, 6)}
    assert of_member(both, ["Rome"], "Rome") == both.support.evidence
