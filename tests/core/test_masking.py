"""What is shown holds no secret, whatever stands between its letters and wherever it is cut."""

from __future__ import annotations

import pytest

from robodata_core.errors import RoboDataError
from robodata_core.masking import GONE, shown

KEY = "sk-very-secret-0123456789"


@pytest.mark.parametrize("between", ["", "\u200b", "\x00", "\u00ad", "\x1b[1m"])
@pytest.mark.parametrize("show", [shown, lambda text: str(RoboDataError(text))])
def test_a_secret_is_found_under_what_nobody_sees(
    between: str, show: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    assert callable(show)
    assert show(f"refused: {between.join(KEY)}.") == f"refused: {GONE}."


@pytest.mark.parametrize("room", range(len("refused: "), len(f"refused: {KEY}")))
def test_no_part_of_a_secret_stays_where_a_text_is_cut(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", KEY)
    assert KEY[:3] not in shown(f"refused: {KEY} and more", limit=room)
