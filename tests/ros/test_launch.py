"""Launch files, read as they are written: launch itself is only on machines with ROS installed.

What they name must exist: arguments, parameters, executables and files of the package.
"""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.ros.commands import commands

FILES = sorted(ROOT.glob("launch/*.launch.py"))
ROBODATA = ROOT / "launch" / "robodata.launch.py"
MODULES = {"os", "sys", "__future__", "ament_index_python.packages", "launch", "launch_ros"}


def calls(path: Path, *names: str) -> Iterator[ast.Call]:
    """Yield the calls of functions or classes of these names."""
    for part in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(part, ast.Call):
            function = part.func
            name = function.attr if isinstance(function, ast.Attribute) else function.id  # type: ignore[attr-defined]
            if name in names:
                yield part


def first(call: ast.Call) -> str:
    return str(ast.literal_eval(call.args[0]))


def keywords(call: ast.Call) -> dict[str, ast.expr]:
    return {word.arg: word.value for word in call.keywords if word.arg}


def installed() -> set[str]:
    """Return the files of the package's share folder, as folder/name."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    found = set()
    for folder, patterns in setup["options.data_files"].items():
        for pattern in patterns.split():
            found |= {f"{folder}/{path.name}" for path in ROOT.glob(pattern)}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_says_what_to_launch_and_imports_nothing_else(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [part for part in tree.body if isinstance(part, ast.FunctionDef)]
    assert [function.name for function in functions] == ["generate_launch_description"]
    (returned,) = (part for part in ast.walk(functions[0]) if isinstance(part, ast.Return))
    assert isinstance(returned.value, ast.Call)
    assert getattr(returned.value.func, "id", "") == "LaunchDescription"
    for part in ast.walk(tree):
        if isinstance(part, ast.ImportFrom):
            module = part.module or ""
            assert module in MODULES or module.split(".")[0] in ("launch", "launch_ros")
        if isinstance(part, ast.Import):
            assert {alias.name for alias in part.names} <= MODULES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_files_it_names_are_installed(path: Path) -> None:
    folders = {"examples": "examples"}
    named = set()
    for call in calls(path, "join"):
        parts = [part.value for part in call.args if isinstance(part, ast.Constant)]
        base = call.args[0]
        if isinstance(base, ast.Name) and base.id in folders:
            parts.insert(0, folders[base.id])
        if parts and "." in parts[-1]:
            named.add("/".join(["share/robodata", *parts]))
    assert named and named <= installed()


def test_arguments_are_declared_described_and_used() -> None:
    declared = {first(call): keywords(call) for call in calls(ROBODATA, "DeclareLaunchArgument")}
    used = {first(call) for call in calls(ROBODATA, "LaunchConfiguration")}
    assert set(declared) == used
    assert used == {"namespace", "params_file", "log_level", "autostart", "respawn"}
    for words in declared.values():
        assert {"default_value", "description"} <= set(words)
    for switch in ("autostart", "respawn"):
        words = declared[switch]
        assert ast.literal_eval(words["default_value"]) in ast.literal_eval(words["choices"])


def test_the_node_it_starts_exists() -> None:
    (call,) = calls(ROBODATA, "LifecycleNode")
    words = keywords(call)
    package, executable, name = (
        ast.literal_eval(words[word]) for word in ("package", "executable", "name")
    )
    assert f"lib/{package}/{executable}" in installed()
    assert name == "robodata"
    document = (ROOT / "docs" / "ROS.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| `(\w+)` \|", document, flags=re.MULTILINE))
    given = {
        ast.literal_eval(key)
        for part in ast.walk(words["parameters"])
        if isinstance(part, ast.Dict)
        for key in part.keys
        if key is not None
    }
    assert given and given <= known


def test_the_documents_launch_what_is_there_with_its_arguments() -> None:
    launched = [one for one in commands() if one.verb == "launch robodata"]
    assert {one.names[0] for one in launched} == {path.name for path in FILES}
    for one in launched:
        (path,) = [path for path in FILES if path.name == one.names[0]]
        known = {first(call) for call in calls(path, "DeclareLaunchArgument")}
        assert {name.partition(":=")[0] for name in one.names[1:]} <= known


def test_the_documents_run_what_is_installed() -> None:
    ran = [one for one in commands() if one.verb == "run robodata"]
    assert ran and all(f"lib/robodata/{one.names[0]}" in installed() for one in ran)
