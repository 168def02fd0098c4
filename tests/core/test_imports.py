"""Importing is cheap, pulls in nothing optional, and respects the layers."""

from __future__ import annotations

import ast
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import robodata_core
from tests.conftest import ROOT

# Front ends and libraries of optional parts: no module of the core may load them when imported.
OPTIONAL = {
    "grandcypher",
    "networkx",
    "openai",
    "pytest",
    "rclpy",
    "rdflib",
    "robodata_ros",
    "robodata_tui",
    "textual",
}

# Needed by parts of the core, but not by `import robodata_core`.
LAZY = {
    "click",
    "httpx",
    "httpx2",
    "pydantic",
    "pydantic_core",
    "pyoxigraph",
    "rapidfuzz",
    "rich",
    "sqlite3",
    "yaml",
}

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(robodata_core.__path__, "robodata_core.")
    if not info.name.endswith("__main__")
)
OUTSIDE_CLI = [name for name in MODULES if not name.startswith("robodata_core.cli")]


def loaded_after(code: str) -> set[str]:
    """Return the top-level modules a fresh interpreter holds after ``code``."""
    script = f"{code}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}


def test_importing_the_package_loads_nothing_heavy() -> None:
    # A plain interpreter is the measure: its start-up hooks may have loaded things already.
    before = loaded_after("pass")
    assert (loaded_after("import robodata_core") - before) & (OPTIONAL | LAZY) == set()


def test_the_front_door_loads_nothing_optional() -> None:
    before = loaded_after("pass")
    after = loaded_after("from robodata_core import Answer, RoboData, RoboDataError, Settings")
    assert (after - before) & (OPTIONAL | {"click", "rich"}) == set()


def test_no_module_of_the_core_loads_anything_optional() -> None:
    before = loaded_after("pass")
    imports = "\n".join(f"import {name}" for name in OUTSIDE_CLI)
    assert (loaded_after(imports) - before) & (OPTIONAL | {"click", "rich"}) == set()


def test_the_command_line_starts_without_the_terminal_library() -> None:
    before = loaded_after("pass")
    after = loaded_after("import robodata_core.cli")
    assert (after - before) & (OPTIONAL | {"rich"}) == set()


@pytest.mark.parametrize("name", robodata_core.__all__)
def test_every_public_name_of_the_package_is_there(name: str) -> None:
    assert getattr(robodata_core, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = robodata_core.no_such_name


@pytest.mark.parametrize("name", MODULES)
def test_every_module_says_what_it_is_and_exports_what_it_lists(name: str) -> None:
    module = __import__(name, fromlist=["_"])
    assert module.__doc__, f"{name} has no docstring"
    listed = getattr(module, "__all__", [])
    assert len(set(listed)) == len(listed)
    missing = [item for item in listed if not hasattr(module, item)]
    assert missing == []


def test_the_import_contracts_hold() -> None:
    pytest.importorskip("importlinter", reason="import-linter is not installed (extra 'dev')")
    script = "from importlinter.cli import lint_imports_command as main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


#: Packages that even tests enter by their face: what others may use is in their ``__init__``.
FACED = ("robodata_core.sources",)


def _entered(path: Path) -> Iterator[str]:
    """Yield the private modules of other packages that a file imports and should not."""
    me = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    product = me.startswith("robodata_")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module is None:
            continue
        parts = node.module.split(".")
        private = next((i for i, part in enumerate(parts) if part.startswith("_")), None)
        if private is None or parts[0] == "__future__" or parts[private] == "_version":
            continue
        guarded = product or node.module.startswith(FACED)
        owner = ".".join(parts[:private])
        if guarded and not me.startswith(owner + "."):
            yield node.module


@pytest.mark.parametrize(
    "top", ["benchmarks", "robodata_core", "robodata_ros", "robodata_tui", "scripts", "tests"]
)
def test_packages_are_entered_by_their_faces(top: str) -> None:
    if not (ROOT / top).is_dir():
        pytest.skip(f"{top} is not here")
    entered = {
        str(path): found for path in (ROOT / top).rglob("*.py") if (found := [*_entered(path)])
    }
    assert entered == {}


@pytest.mark.parametrize(
    ("library", "package"),
    [("requests", "sources/http"), ("httpx2", "policy/llm"), ("subprocess", "worker")],
)
def test_one_package_speaks_http_one_to_models_and_one_starts_processes(
    library: str, package: str
) -> None:
    core = ROOT / "robodata_core"
    users = {
        path.relative_to(core)
        for path in core.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if library in _imported(node)
    }
    assert users
    assert all(path.is_relative_to(package) for path in users), users


def _imported(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Import):
        return {name.name.split(".")[0] for name in node.names}
    return {str(node.module).split(".")[0]} if isinstance(node, ast.ImportFrom) else set()
