"""What people say around a question is told from the question, by a model that is learned."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from robodata_core.errors import ConfigurationError
from robodata_core.language.grammar.frame_model import FORMS, FrameModel, open_frame_model
from robodata_core.language.grammar.framing import unframed
from robodata_core.language.text import read_text


@pytest.mark.parametrize(
    ("text", "asked", "judges"),
    [
        ("my teacher gave us a quiz: what is the capital of Chad?", "what is the capital of Chad?",
         False),
        ("hello dear machine, my neighbour would love to hear who wrote Emma", "who wrote Emma",
         False),
        ("I need the currency of Peru for a crossword, please", "the currency of Peru", False),
        ("My uncle swears that Oslo is the capital of Norway. Is he right?",
         "Oslo is the capital of Norway", True),
        ("Nairobi is in Kenya, isn't it?", "Nairobi is in Kenya", True),
    ],
)  # fmt: skip
def test_frames_that_nobody_wrote_down_are_taken_off(text: str, asked: str, judges: bool) -> None:
    framed = unframed(read_text(text), "en")
    assert (framed.text.raw, framed.judges) == (asked, judges)


@pytest.mark.parametrize(
    "text",
    [
        "In the kitchen, what can cut bread?",
        "Is it a myth that Oslo is the capital of Norway?",
        "Nobody thinks that Oslo is the capital of Sweden, right?",
        "Name every city in Peru.",
        "I am flying to Chad, what money do they use there?",
        "Only Oslo is a capital?",
        'Who directed "Can you tell me"?',
    ],
)
def test_what_changes_the_question_stays(text: str) -> None:
    assert unframed(read_text(text), "en").text.raw == text


def test_a_model_is_written_and_read_as_it_is(tmp_path: Path) -> None:
    model = FrameModel(["so", ","], {"<so|": [0.5, 0.0, 1.0, 0.0]}, {"*": 0.75, "<so": 0.125})
    for name in ("one.gz", "two.gz"):
        model.write(tmp_path / name, 1 / 8)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    again = FrameModel.read(tmp_path / "one.gz")
    assert again.edges == model.edges
    assert again.inner == {"*": 0.75}  # One step tells too little to be kept.


@pytest.mark.parametrize("edges", [{"<a|": [1]}, {"<a|": "no"}, [1, 2]])
def test_a_file_that_holds_no_model_is_refused(tmp_path: Path, edges: object) -> None:
    path = tmp_path / "bad.gz"
    data = {"form": "robodata-frames-1", "step": 0.1, "words": [], "edges": edges, "inner": {}}
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    with pytest.raises(ConfigurationError):
        FrameModel.read(path)


def test_what_is_asked_has_a_form_and_a_probability() -> None:
    model = open_frame_model("en")
    assert model is not None
    assert open_frame_model("xx") is None
    for text in ("", "?", "who wrote Emma", "so " * 200):
        core = model.core(read_text(text))
        assert core.form in FORMS
        assert 0.0 <= core.probability <= 1.0 + 1e-9
        assert 0 <= core.start <= core.end <= len(read_text(text).tokens)
