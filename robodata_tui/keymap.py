"""Every key of the application in one table; the command palette and the help made from it.

Ids are what the settings' keymap refers to.

Ctrl+M and Ctrl+H are left alone: on plain terminals they are Enter and Backspace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from textual.app import SystemCommand
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget

__all__ = ["BINDINGS", "commands", "help_text"]

_TABLE: Final = """
* a                    | ask                 | Ask              | Go to the question line
* x                    | cancel              | Cancel           | Cancel the run and keep what was found
! ctrl+c               | stop                | Stop             | Cancel from anywhere; or copy selected text
  ctrl+n               | new_conversation    | New conversation | Begin anew; facts found stay
* p                    | open('proof')       | Whole proof      | Draw the whole proof of the claim
  1                    | pane('answer')      | Answer           | Go to the answer and its claims
  2                    | pane('proof')       | Proof            | Go to the proof of the claim
* t,3                  | pane('trace')       | Trace            | Go to the trace; again for its next tab
* g,4                  | pane('graph')       | Graph            | Go to the graph
* d,5                  | pane('doubt')       | Doubt            | Sources that differ; again: two runs
  0                    | rail                | States           | Go to the state rail
  n                    | other(1)            | Later            | Go to the answer after
  N                    | other(-1)           | Earlier          | Go to the answer before
  b                    | return              | Come back        | Go back to where the last jump came from
  w                    | live                | Ask live Wikidata | Ask the last question of live Wikidata, after a yes
* slash                | filter              | Filter           | Filter the rows of this pane
* y                    | yank                | Yank             | Copy what is selected, over ssh as well
* z                    | zoom                | Zoom             | This pane alone, and back
* e                    | open('export')      | Export           | Save answer, graph, screen or run to a file
  s                    | open('statistics')  | Statistics       | Time and tokens per state and tool
  left_square_bracket  | step(-1)            | Step back        | One visit of a state back
  right_square_bracket | step(1)             | Step forward     | One visit of a state forward
  f                    | follow              | Follow           | Follow the run's end again
  escape               | back                | Back             | Leave the question line, a filter or the zoom
  ctrl+o               | open('jump')        | Jump             | Jump to any part of the screen
* f1,question_mark     | open('help')        | Help             | What this part shows; its keys
  f2                   | settings            | Settings         | Source, policy, model, store and limits
  f3                   | open('themes')      | Themes           | Choose a theme, with preview
  f8                   | open('history')     | History          | Open earlier runs and journals
  ctrl+q,q             | leave               | Quit             | Leave; asks while a run goes on
"""  # noqa: E501
"""Keys, what they do, their name and what is said of them; ``*`` stands in the bottom row, and
``!`` comes before what the part with the keyboard would do with the key."""


def _binding(line: str) -> Binding:
    keys, action, text, tip = (cell.strip() for cell in line[2:].split("|"))
    name = text.lower().replace(" ", "_")
    show, first = line[0] == "*", line[0] == "!"
    return Binding(keys, action, text, show=show, id=name, tooltip=tip, priority=first)


BINDINGS: Final[list[Any]] = [_binding(line) for line in _TABLE.strip("\n").split("\n")]


_LEFT_OUT = frozenset({"back", "ask", "stop"})


def commands(run: object) -> Iterable[SystemCommand]:
    """Yield a command for every key, so that nothing needs its key known.

    Args:
        run: Takes an action's text and runs it.
    """
    assert callable(run)
    for binding in BINDINGS:
        if binding.action not in _LEFT_OUT:
            action = binding.action
            yield SystemCommand(
                binding.description, binding.tooltip, lambda action=action: run(action)
            )


_NAMES = {
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "escape": "Esc",
    "enter": "Enter",
    "space": "Space",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "backspace": "Backspace",
}


def help_text(
    part: Widget | None, bindings: Iterable[Binding], general: Iterable[Binding]
) -> Content:
    """Return what ``part`` shows and its keys, then the keys that work everywhere."""
    about = str(getattr(part, "HELP", "")) or "RoboData answers questions from a knowledge graph."
    parts = [Content(about + "\n\n")]
    own = list(bindings)
    if own:
        parts += [Content.styled("Keys here\n", "bold"), _table(own), Content("\n")]
    parts += [Content.styled("Keys everywhere\n", "bold"), _table(general)]
    parts.append(Content("\nOn the question line letters are text: Esc leaves it, a comes back.\n"))
    return Content.assemble(*parts)


def _table(bindings: Iterable[Binding]) -> Content:
    rows = [
        (" ".join(_name(key) for key in item.key.split(",")), item.tooltip or item.description)
        for item in bindings
    ]
    return Content("".join(f"  {keys:<14} {text}\n" for keys, text in rows))


def _name(key: str) -> str:
    key = key.strip()
    return _NAMES.get(key) or key.replace("ctrl+", "^")
