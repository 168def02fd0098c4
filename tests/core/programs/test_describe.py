"""Programs and what they give, in words that no other program shares."""

from __future__ import annotations

import dataclasses
from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from robodata_core.model import Direction, EntityValue, QuantityValue, TimeValue
from robodata_core.programs.compiler import compile_sparql
from robodata_core.programs.describe import Verbaliser
from robodata_core.programs.steps import (
    Comparison,
    Count,
    End,
    Extreme,
    FilterByConstraint,
    FilterByCount,
    FilterByType,
    Follow,
    Gives,
    Judge,
    JudgeKind,
    JudgeSize,
    Program,
    Start,
    Step,
)
from tests.core.programs.strategies import programs

LABELS = {
    "Q42": "Douglas Adams",
    "Q571": "book",
    "Q1": "Arthur",
    "Q2": "Ford",
    "Q350": "Cambridge",
    "P19": "place of birth",
    "P40": "child",
    "P50": "author",
    "P737": "influenced by",
    "P463": "member of",
    "P47": "shares border with",
    "P569": "date of birth",
    "P1082": "population",
}
ADAMS = Start("a", (EntityValue("Q42"),))
WORDS = Verbaliser(lambda id_: LABELS.get(id_, ""))
ARTHUR, FORD = EntityValue("Q1"), EntityValue("Q2")


def _program(*steps: Step) -> Program:
    last = steps[-1]
    assert not isinstance(last, End)
    return Program((*steps, End(last.out)))


def test_a_single_relation_reads_like_a_persons_sentence() -> None:
    told = {
        ("P19", Direction.OUT): "The place of birth of Douglas Adams is Arthur.",
        ("P737", Direction.OUT): "Douglas Adams was influenced by Arthur.",
        ("P737", Direction.IN): "Arthur was influenced by Douglas Adams.",
        ("P463", Direction.OUT): "Douglas Adams is a member of Arthur.",
        ("P50", Direction.IN): "The author of Arthur is Douglas Adams.",
        ("P47", Direction.OUT): "Douglas Adams shares border with Arthur.",
    }
    for (property_, way), sentence in told.items():
        program = _program(ADAMS, Follow("b", "a", (property_,), way))
        assert WORDS.sentence(program, [ARTHUR]) == sentence


def test_several_are_told_once() -> None:
    children = _program(ADAMS, Follow("b", "a", ("P40",)))
    assert WORDS.sentence(children, [ARTHUR, FORD]) == (
        "The children of Douglas Adams are Arthur and Ford."
    )
    books = _program(ADAMS, Follow("b", "a", ("P50",), Direction.IN))
    assert WORDS.sentence(books, [ARTHUR, FORD]) == (
        "The author of each of Arthur and Ford is Douglas Adams."
    )
    count = _program(ADAMS, Follow("b", "a", ("P40",)), Count("n", "b"))
    assert WORDS.reading(count) == "the number of children of Douglas Adams"


def test_labels_become_parts_of_sentences() -> None:
    told = {
        "located in time zone": (
            "time zone that Ann is located in", "Ann is located in time zone Bob."),
        "division it is the capital of": (
            "division Ann is the capital of", "The division Ann is the capital of is Bob."),
        "won an award together with": (
            "anything that Ann won an award together with", "Ann won an award together with Bob."),
        "role performed together with": (
            "anything that Ann is a role performed together with",
            "Ann is a role performed together with Bob."),
        "different from": ("anything that Ann is different from", "Ann is different from Bob."),
        "subclass of": ("anything that Ann is a subclass of", "Ann is a subclass of Bob."),
        "found at": ("anything that Ann is found at", "Ann is found at Bob."),
        "made of": ("anything that Ann is made of", "Ann is made of Bob."),
        "spoken in": ("anything that Ann was spoken in", "Ann was spoken in Bob."),
        "language used": ("language used of Ann", "The language used of Ann is Bob."),
    }  # fmt: skip
    names = {"Q1": "Ann", "Q2": "Bob"}
    for label, (reading, sentence) in told.items():
        words = Verbaliser(lambda id_, label=label: names.get(id_, label))  # type: ignore[misc]
        program = _program(Start("a", (ARTHUR,)), Follow("b", "a", ("P1",)))
        assert words.reading(program) == reading
        assert words.sentence(program, [FORD]) == sentence


def test_one_of_what_is_counted_is_told_as_one() -> None:
    told = {
        ("P40", Direction.OUT, 1): "that has exactly 1 child",
        ("P40", Direction.OUT, 2): "that has exactly 2 children",
        ("P47", Direction.IN, 1): "that has exactly 1 thing that shares border with it",
        ("P47", Direction.IN, 2): "that has exactly 2 things that share border with it",
    }
    for (property_, way, number), words in told.items():
        step = FilterByCount("b", "a", (property_,), way, Comparison.EQ, number)
        assert WORDS.reading(_program(ADAMS, step)) == f"Douglas Adams {words}"


def test_what_has_the_most_of_something_is_named_by_its_kind() -> None:
    any_, largest = FilterByType("a", "", ("Q571",)), Extreme("b", "a", "P1082", largest=True)
    assert WORDS.reading(_program(any_, largest)) == "book with the largest population"
    assert WORDS.sentence(_program(any_, largest), [ARTHUR]) == (
        "The book with the largest population is Arthur."
    )
    earliest = Extreme("b", "a", "P569", largest=False)
    assert WORDS.reading(_program(any_, earliest)) == "book with the earliest date of birth"
    day = TimeValue(1952, 3, 11, precision=11)
    born = {
        FilterByConstraint("b", "a", "P569", Comparison.EQ, day): "is 11 March 1952",
        FilterByConstraint(
            "b", "a", "P569", Comparison.EQ, TimeValue(1952, precision=9)
        ): "is in 1952",
    }
    for step, words in born.items():
        assert WORDS.reading(_program(any_, step)) == f"any book whose date of birth {words}"


def test_what_is_not_stated_of_somebody_is_told_of_him() -> None:
    day = TimeValue(1952, 5, 11, precision=11)
    born = FilterByConstraint("b", "a", "P569", Comparison.EQ, day)
    judged = _program(ADAMS, born, Judge("j", "b", JudgeKind.NOT_EMPTY))
    assert WORDS.absent(judged) == (
        "It is not stated that Douglas Adams has a date of birth that is 11 May 1952."
    )
    many = FilterByConstraint("c", "b", "P1082", Comparison.GT, QuantityValue(Decimal(5)))
    judged = _program(ADAMS, born, many, Judge("j", "c", JudgeKind.NOT_EMPTY))
    assert WORDS.reading(judged) == (
        "whether Douglas Adams has a date of birth that is 11 May 1952"
        " and has a population that is more than 5"
    )


def test_two_classes_of_one_name_are_named_once() -> None:
    words = Verbaliser(lambda id_: "planet" if id_ in ("Q1", "Q2") else LABELS.get(id_, ""))
    both = _program(FilterByType("a", "", ("Q1", "Q2")))
    assert words.reading(both) == "any planet (Q1 or Q2)"
    assert words.reading(_program(FilterByType("a", "", ("Q1",)))) == "any planet"
    more = _program(FilterByType("a", "", ("Q1", "Q571", "Q2")))
    assert words.reading(more) == "any “planet (Q1 or Q2)” or “book”"


def test_sentences_begin_with_a_capital_unless_a_name_has_its_own() -> None:
    for label, told in (
        ("knife", "Knife is a subclass of book."),
        ("iPhone", "iPhone is a subclass of book."),
        ("x86 chip", "x86 chip is a subclass of book."),
    ):
        names = {"Q1": label, "Q571": "book", "P279": "subclass of"}
        words = Verbaliser(lambda id_, names=names: names.get(id_, ""))  # type: ignore[misc]
        program = _program(Start("a", (ARTHUR,)), Follow("b", "a", ("P279",)))
        assert words.sentence(program, [EntityValue("Q571")]) == told


def test_several_of_a_chain_are_told_once() -> None:
    chain = _program(ADAMS, Follow("b", "a", ("P40",)), Follow("c", "b", ("P50",)))
    assert WORDS.sentence(chain, [ARTHUR, FORD]) == (
        "The authors of the child of Douglas Adams are Arthur and Ford."
    )


def test_a_relation_without_a_label_is_told_by_its_id() -> None:
    program = _program(ADAMS, Follow("b", "a", ("P172",)))
    assert WORDS.sentence(program, [ARTHUR]) == "The P172 of Douglas Adams is Arthur."


def test_readings_name_what_is_asked() -> None:
    books = (ADAMS, Follow("b", "a", ("P50",), Direction.IN), FilterByType("c", "b", ("Q571",)))
    assert WORDS.reading(_program(*books)) == "any book whose author is Douglas Adams"
    largest = Extreme("d", "c", "P1082", largest=True)
    assert WORDS.reading(_program(*books, largest)) == (
        "one of (any book whose author is Douglas Adams) with the largest population"
    )
    born = (ADAMS, Follow("b", "a", ("P40",)), Follow("c", "b", ("P19",)))
    assert WORDS.reading(_program(*born)) == "place of birth of the child of Douglas Adams"
    judged = Judge("j", "c", JudgeKind.CONTAINS, EntityValue("Q350"))
    assert WORDS.reading(_program(*born, judged)) == (
        "whether the place of birth of the child of Douglas Adams is Cambridge"
    )


def test_what_is_absent_is_said_of_the_source() -> None:
    wrong = _program(ADAMS, Follow("b", "a", ("P19",)), Judge("j", "b", JudgeKind.CONTAINS, ARTHUR))
    assert WORDS.absent(wrong) == (
        "It is not stated that the place of birth of Douglas Adams is Arthur."
    )
    none = _program(ADAMS, Follow("b", "a", ("P40",)))
    assert WORDS.absent(none) == "Nothing is stated for “child of Douglas Adams”."


def test_things_of_one_label_are_told_with_their_ids() -> None:
    words = Verbaliser(lambda id_: "Ottawa", lambda id_: id_.startswith("Q"))
    one = _program(Start("a", (EntityValue("Q1"),)), Follow("b", "a", ("P1",)))
    other = _program(Start("a", (EntityValue("Q2"),)), Follow("b", "a", ("P1",)))
    assert words.reading(one) != words.reading(other)


def _query(program: Program) -> str | None:
    try:
        return compile_sparql(program)
    except Exception:  # what no query can hold is left to other tests
        return None


_NAMES = {
    **{f"Q{number}": name for number, name in enumerate(["Ann", "Bob", "Cat", "Dan", "Eve"], 1)},
    "P1": "child",
    "P2": "influenced by",
    "P31": "instance of",
    "P10": "motto",
    "P20": "height",
    "P30": "date of birth",
}
#: Labels that make clauses rather than nouns.
_OTHER_NAMES = _NAMES | {
    "P1": "located in time zone",
    "P2": "division it is the capital of",
    "P10": "won an award together with",
    "P20": "role performed together with",
    "P30": "different from",
}
_READERS = [
    Verbaliser(lambda id_: _NAMES.get(id_, "")),
    Verbaliser(lambda id_: _OTHER_NAMES.get(id_, "")),
]


@given(st.lists(programs(), min_size=2, max_size=12), st.sampled_from(_READERS))
def test_programs_of_different_meaning_read_differently(
    drawn: list[Program], words: Verbaliser
) -> None:
    """Two programs with one reading are the same query."""
    queries: dict[str, str] = {}
    for program in drawn:
        query = _query(program)
        if query is not None:
            assert queries.setdefault(words.reading(program), query) == query


#: What programs give, none of it named in any.
_GIVEN = (EntityValue("Q88"), EntityValue("Q89"))


def _claims(program: Program, words: Verbaliser) -> tuple[str, ...]:
    """Return what is claimed where a program gives certain things: one or several, yes and no."""
    gives = program.final.gives
    if gives is Gives.SET:
        return words.sentence(program, _GIVEN[:1]), words.sentence(program, _GIVEN)
    if gives is Gives.NUMBER:
        return words.counted(program, 1, _GIVEN[:1]), words.counted(program, 7, (), least=True)
    return words.verdict(program, True), words.verdict(program, False)


@given(st.lists(programs(), min_size=2, max_size=12), st.sampled_from(_READERS))
def test_programs_of_different_meaning_are_claimed_differently(
    drawn: list[Program], words: Verbaliser
) -> None:
    """Two programs with one sentence, for the same that they give, ask for the same."""
    known: dict[str, tuple[str, str | None]] = {}
    for program in drawn:
        reading, query = words.reading(program), _query(program)
        for claim in _claims(program, words):
            other, same = known.setdefault(claim, (reading, query))
            assert reading == other or query is not None and query == same, claim


@given(programs(), st.sampled_from(_READERS))
def test_any_change_of_a_program_changes_its_words(program: Program, words: Verbaliser) -> None:
    """Turned relations, other things, other properties: each reads, and is claimed, otherwise."""
    for place, step in enumerate(program.steps):
        for changed in _changes(step):
            other = Program(
                (*program.steps[:place], changed, *program.steps[place + 1 :]),
                program.exclude_start,
            )
            if _read_by_answer(program, place):
                assert words.reading(other) != words.reading(program), (step, changed)
                claims = zip(_claims(program, words), _claims(other, words), strict=True)
                assert not any(one == another for one, another in claims), (step, changed)


def _changes(step: Step) -> list[Step]:
    if isinstance(step, Follow) and step.properties:
        turned = Direction.IN if step.direction is Direction.OUT else Direction.OUT
        return [
            Follow(step.out, step.source, step.properties, turned),
            Follow(step.out, step.source, ("P77",), step.direction),
        ]
    if isinstance(step, Start) and step.values != (EntityValue("Q77"),):
        return [Start(step.out, (EntityValue("Q77"),))]
    if isinstance(step, FilterByType) and step.type_ids != ("Q77",):
        return [FilterByType(step.out, step.source, ("Q77",), step.via)]
    if isinstance(step, Extreme):
        return [Extreme(step.out, step.source, step.property, not step.largest)]
    if isinstance(step, FilterByConstraint) and not isinstance(
        step.value, (QuantityValue, TimeValue)
    ):
        return [FilterByConstraint(step.out, step.source, "P77", step.comparison, step.value)]
    if isinstance(step, (FilterByConstraint, FilterByCount, JudgeSize)):
        return [dataclasses.replace(step, comparison=step.comparison.contrary)]
    return []


def _read_by_answer(program: Program, place: int) -> bool:
    """Tell whether the answer depends on a step."""
    steps = {step.out: step for step in program.steps if not isinstance(step, End)}
    last = program.steps[-1]
    assert isinstance(last, End)
    wanted, seen = [last.source], set()
    while wanted:
        name = wanted.pop()
        if name not in seen:
            seen.add(name)
            wanted += steps[name].reads
    step = program.steps[place]
    return not isinstance(step, End) and step.out in seen
