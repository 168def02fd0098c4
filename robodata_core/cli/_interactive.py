"""A person in the loop: see the answer before it is given out, and send the agent back.

Everything happens on one local graph, so that nothing is looked up twice. What is shown here is
narration (stderr); only the accepted answer goes to stdout.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from robodata_core.answers.text import answer_lines, status_line
from robodata_core.api import RoboData
from robodata_core.cli._waiting import ask_in_thread, heeding_ctrl_c
from robodata_core.errors import InvalidRequestError
from robodata_core.model import Answer

_MENU = "[Enter] accept   m HINT: look for more   q QUESTION: ask something else"


def converse(robodata: RoboData, question: str, on_event: Callable[[Any], None] | None) -> Answer:
    """Ask, show, and ask again until the answer is accepted; end of input accepts.

    Args:
        robodata: An opened RoboData; its local graph grows with every round.
        question: The first question.
        on_event: Watches every run.
    """
    answer = ask_in_thread(robodata, question, on_event)
    while True:
        for _, line in answer_lines(answer, most_claims=30):
            click.echo(line, err=True)
        click.echo(status_line(answer), err=True)
        reply = _reply()
        if not reply:
            return answer
        command, _, rest = reply.partition(" ")
        try:
            if command == "m" and rest.strip():
                answer = ask_in_thread(robodata, question, on_event, hint=rest)
            elif command == "q" and rest.strip():
                question = rest.strip()
                answer = ask_in_thread(robodata, question, on_event)
            else:
                click.echo(_MENU, err=True)
        except InvalidRequestError as error:
            click.echo(str(error), err=True)


def _reply() -> str:
    click.echo(_MENU, err=True)
    click.echo("> ", err=True, nl=False)
    try:
        with heeding_ctrl_c():
            return input().strip()
    except EOFError:
        return ""
