"""Whatever is said, a conversation answers, stays bounded, and carries nothing over a reset."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robodata_core import RoboData
from robodata_core.dialogue.naming import ids_in
from robodata_core.errors import InvalidRequestError
from robodata_core.model import AnswerStatus

_WORDS = [
    "who", "what", "which", "of", "them", "these", "and", "the", "is", "was", "born", "her",
    "his", "it", "there", "that", "city", "film", "Mona Reyl", "Ivo", "The Night Ferry", "Orla",
    "no", "I meant", "not", "first one", "latter", "both", "how many", "children", "else",
    "other", "oldest", "?", ",", "(Q42)", "(Q1, Q2)", "in 1950", "thanks", "why", "one of", '"',
    "’s", "about",
]  # fmt: skip
_SAID = st.one_of(
    st.lists(st.sampled_from(_WORDS), min_size=1, max_size=9).map(" ".join),
    st.text(max_size=60),
)


@pytest.mark.parametrize("least", [1, 3])
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_any_sequence_of_texts(town: Path, least: int, data: st.DataObject) -> None:
    said = data.draw(st.lists(_SAID, min_size=least, max_size=least + 2))
    with RoboData.open(source=f"snapshot:{town}", time_budget=30.0) as robodata:
        conversation = robodata.conversation(most_turns=3)
        for text in ("Who are the children of Mona Reyl?", *said):
            try:
                answer = conversation.ask(text)
            except InvalidRequestError:
                continue
            assert answer.status is not AnswerStatus.FAILED, answer.text
            assert all(claim.supported for claim in answer.claims)
            bound = {id_ for id_ in ids_in(answer.understood_as) if id_.startswith("http")}
            assert all(id_.startswith("http://town.example/") for id_ in bound)
            assert len(conversation.turns) <= 3
        conversation.reset()
        again = conversation.ask("When was she born?")
        assert again.status is AnswerStatus.UNKNOWN
        assert again.understood_as == ""
        assert not again.results and not again.suggestions
