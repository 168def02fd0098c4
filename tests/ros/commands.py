"""The ``ros2`` commands that the documents tell people to paste, taken apart."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

DOCUMENTS = ("README.md", "docs/ROS.md")
_WITH_MESSAGE = {("service", "call"), ("action", "send_goal"), ("topic", "pub")}


@dataclass(frozen=True)
class Command:
    """A command line.

    Attributes:
        verb: Its first two words after ``ros2``, for example ``service call``.
        names: Names of things: a service and its type, a node and a parameter...
        message: The YAML of a request, goal or message, or empty.
    """

    verb: str
    names: tuple[str, ...]
    message: str = ""

    def __str__(self) -> str:
        return " ".join((self.verb, *self.names))


def commands() -> list[Command]:
    """Return the commands of all documents, each once."""
    found: dict[Command, None] = {}
    for name in DOCUMENTS:
        for line in _lines(ROOT / name):
            words = shlex.split(line, comments=True)
            if words[:1] == ["ros2"]:
                found[_command(words[1:])] = None
    return list(found)


def _lines(path: Path) -> list[str]:
    blocks = re.findall(r"^```\w*\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S)
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]


def _command(words: list[str]) -> Command:
    plain, rest = [], iter(words)
    for word in rest:
        if word == "--ros-args":
            break
        if word.startswith("--qos-"):
            next(rest)  # its value
        elif not word.startswith("-"):
            plain.append(word)
    verb, names, message = tuple(plain[:2]), plain[2:], ""
    if verb in _WITH_MESSAGE:
        *names, message = names
    return Command(" ".join(verb), tuple(names), message)
