"""Taking questions apart: requests, kinds, answer types, focus, directions of phrases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.policy.base import AnswerKind
from robodata_core.policy.offline.facing import facing
from robodata_core.policy.offline.question import analyse
from robodata_core.policy.offline.relations import Match, Reading
from robodata_core.policy.offline.words import singular_phrase, stem, tokenize


@pytest.mark.parametrize(
    ("text", "kind", "wanted"),
    [
        ("Who wrote Faust?", AnswerKind.THINGS, "person"),
        ("Where was he born?", AnswerKind.THINGS, "place"),
        ("When did it end?", AnswerKind.THINGS, "time"),
        ("In what year was it founded?", AnswerKind.THINGS, "time"),
        ("How many children does she have?", AnswerKind.NUMBER, "number"),
        ("What is the number of its members?", AnswerKind.THINGS, ""),
        ("How tall is it?", AnswerKind.THINGS, "number"),
        ("Is Ottawa the capital of Canada?", AnswerKind.YES_OR_NO, ""),
        ("Tell me whether Ottawa is a city.", AnswerKind.YES_OR_NO, ""),
        ("Do you know who founded Tencent?", AnswerKind.THINGS, "person"),
        ("List the members of the band.", AnswerKind.THINGS, ""),
        ("which city is it in", AnswerKind.THINGS, "place"),
    ],
)
def test_kind_and_answer_type(text: str, kind: AnswerKind, wanted: str) -> None:
    (request,) = analyse(text).requests
    assert (request.kind, request.wanted) == (kind, wanted)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Who are the relatives of X and what books did he write?", 2),
        ("Of everyone who died in X, who had the most occupations?", 1),
        ("Out of all the poets who lived there, which one died young?", 1),
        ("For my project, what is X and who is Y?", 2),
        ("In which city was X born and where did he die?", 2),
        ("Start from the root and list all subclasses. Then for each subclass, list its parts", 3),
        ("When and where was X born?", 2),
        ("Who is the father and who is the mother of X?", 2),
        ("Among the founders of X, who has been a member of Y?", 1),
        ("Who wrote 'What is it? And why?'?", 1),
        ("Which countries are members of X and have Spanish as official language?", 1),
        ("What did J. R. R. Tolkien write?", 1),
    ],
)
def test_requests_are_split_where_another_begins(text: str, parts: int) -> None:
    assert len(analyse(text).requests) == parts


def test_later_requests_point_back() -> None:
    first, second = analyse("Who is the father of X and where did he live?").requests
    assert not first.back and second.back
    *_, last = analyse("List all subclasses. Then for each subclass, list its parts.").requests
    assert last.chained


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (
            "Who wrote 'The Hitchhiker's Guide to the Galaxy?'",
            "The Hitchhiker's Guide to the Galaxy?",
        ),
        ('Who wrote "Faust"?', "Faust"),
        ("who wrote [Kiki's Delivery Service]", "Kiki's Delivery Service"),
        ("Who wrote “Faust”?", "Faust"),
    ],
)
def test_quotes_keep_their_apostrophes(text: str, quoted: str) -> None:
    (quote,) = analyse(text).quotes
    assert quote.text == quoted


def test_focus_is_the_noun_that_is_asked_for() -> None:
    def focus(text: str) -> list[str]:
        question = analyse(text)
        return [question.tokens[i].text for i in sorted(question.requests[0].focus)]

    assert focus("Which federal state is it in?") == ["federal", "state"]
    assert focus("List all direct subclasses of X") == ["direct", "subclasses"]
    assert focus("What did Douglas Adams die of?") == []
    assert focus("When did the films release?") == []


@pytest.mark.parametrize(
    "group",
    [
        ("director", "directed", "directs", "directors", "directing"),
        ("writer", "wrote", "written", "writes", "write"),
        ("located", "location", "locations"),
        ("influence", "influenced", "influences"),
        ("founder", "founded", "founders"),
        ("colour", "color", "colours"),
        ("actor", "acted", "acts", "actresses"),
        ("buried", "burial"),
        ("languages", "language"),
    ],
)
def test_inflections_share_a_stem(group: tuple[str, ...]) -> None:
    assert len({stem(word) for word in group}) == 1


@pytest.mark.parametrize(
    "pair",
    [("university", "universe"), ("national", "nation"), ("member", "number"), ("part", "party")],
)
def test_different_words_keep_different_stems(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) != stem(pair[1])


def test_singular_takes_the_head_noun() -> None:
    assert singular_phrase("members of parliament") == "member of parliament"
    assert singular_phrase("countries") == "country"
    assert singular_phrase("record labels") == "record label"


@given(st.text(max_size=200))
def test_tokens_cover_the_words_in_order(text: str) -> None:
    tokens = tokenize(text)
    assert all(text[t.start : t.end].startswith(t.text[:1]) for t in tokens if t.text)
    assert [t.start for t in tokens] == sorted(t.start for t in tokens)
    analyse(text)


def _faces(text: str, phrase: str, name: str, direction: str, kind: str) -> str:
    tokens = tokenize(text)
    words = [token.norm for token in tokens]

    def span(part: str) -> tuple[int, int]:
        inner = [token.norm for token in tokenize(part)]
        start = next(i for i in range(len(words)) if words[i : i + len(inner)] == inner)
        return start, start + len(inner)

    reading = Reading(((),), direction, kind, "", 1.0)
    return facing(Match(*span(phrase), reading), span(name), tokens)


@pytest.mark.parametrize(
    ("text", "phrase", "direction", "kind", "expected"),
    [
        ("What is the capital of X?", "capital", "out", "noun", "out"),
        ("What is X's capital?", "capital", "out", "noun", "out"),
        ("X is the capital of what?", "capital", "out", "noun", "in"),
        ("Which country has X as its capital?", "capital", "out", "noun", "in"),
        ("Whose father is X?", "father", "out", "noun", "in"),
        ("the director X made what?", "director", "out", "noun", "in"),
        ("Who wrote X?", "wrote", "out", "verb", "out"),
        ("What did X write?", "write", "out", "verb", "in"),
        ("By whom was X founded?", "founded", "out", "verb", "out"),
        ("What was written by X?", "written by", "in", "verb", "in"),
        ("X was written by whom?", "written by", "in", "verb", "out"),
        ("Where was X born?", "born", "in", "verb", "out"),
        ("Who is married to X?", "married", "either", "verb", "either"),
    ],
)
def test_phrases_face_the_way_the_wording_says(
    text: str, phrase: str, direction: str, kind: str, expected: str
) -> None:
    assert _faces(text, phrase, "X", direction, kind) == expected
