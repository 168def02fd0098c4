"""Package files, launch files, parameters and documents agree with each other and the code."""

from __future__ import annotations

import ast
import configparser
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

from robodata_core import __version__
from tests.conftest import ROOT

PACKAGES = ("package.xml", "robodata_msgs/package.xml")
INTERFACES = sorted(
    path.relative_to(ROOT / "robodata_msgs").as_posix()
    for kind in ("msg", "srv", "action")
    for path in (ROOT / "robodata_msgs").glob(f"{kind}/*.{kind}")
)


def test_the_ros_tests_can_run(missing_packages: list[str]) -> None:
    if missing_packages:
        pytest.skip(
            f"{' and '.join(missing_packages)} not installed: the tests with real nodes did not "
            "run (make test-ros)"
        )


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_have_this_version_and_licence(name: str) -> None:
    package = ElementTree.parse(ROOT / name).getroot()
    assert package.get("format") == "3"
    assert package.findtext("version") == __version__
    assert package.findtext("license") == "Apache-2.0"


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_are_as_ros_tools_want_them(name: str) -> None:
    package = pytest.importorskip("catkin_pkg.package", reason="catkin-pkg comes with 'ros'")
    warnings: list[str] = []
    parsed = package.parse_package(str(ROOT / name), warnings=warnings)
    parsed.validate(warnings)
    assert not warnings
    built = {"package.xml": "ament_python", "robodata_msgs/package.xml": "ament_cmake"}
    assert parsed.get_build_type() == built[name]


def test_what_the_node_imports_is_declared_for_rosdep() -> None:
    package = ElementTree.parse(ROOT / "package.xml").getroot()
    declared = {item.text for kind in ("depend", "exec_depend") for item in package.iter(kind)}
    files = [*(ROOT / "robodata_ros").rglob("*.py"), *(ROOT / "launch").glob("*.py")]
    imported = {
        name.split(".")[0]
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imported(node)
    }
    keys = {"click": "python3-click", "tf2_ros": "tf2_ros_py"}
    own = {"robodata_core", "robodata_ros", "py_trees"}  # py_trees: for whoever uses behaviours
    needed = {keys.get(name, name) for name in imported - sys.stdlib_module_names - own}
    assert {"geometry_msgs", "visualization_msgs", "launch_ros"} <= needed <= declared


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


def test_the_document_installs_what_the_package_needs() -> None:
    """pip's line for workspaces: colcon installs no Python packages."""
    setup = configparser.ConfigParser(interpolation=None)
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    needed = {_name(line) for line in setup["options"]["install_requires"].split()}
    document = (ROOT / "docs" / "ROS.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^pip install (click .*)$", document, flags=re.MULTILINE)
    told = {_name(word.strip("'")) for word in line.split()}
    # The terminal's part does not run on a robot.
    assert needed - told == {"setuptools", "textual"}
    assert told <= needed


def _name(requirement: str) -> str:
    return re.split(r"[<>=\[;]", requirement)[0]


def test_the_marker_names_the_package() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    files = setup["options.data_files"]
    assert files["share/ament_index/resource_index/packages"].split() == ["resource/robodata"]
    assert files["share/robodata"].split() == ["package.xml"]


def test_every_interface_is_built() -> None:
    listed = re.findall(
        r'"((?:msg|srv|action)/\w+\.\w+)"', (ROOT / "robodata_msgs" / "CMakeLists.txt").read_text()
    )
    assert sorted(listed) == INTERFACES


@pytest.mark.parametrize("name", INTERFACES)
def test_every_field_is_documented(name: str) -> None:
    text = (ROOT / "robodata_msgs" / name).read_text(encoding="utf-8")
    assert text.startswith("# ")
    for block in re.split(r"^---$", text, flags=re.MULTILINE):
        documented = False
        for line in block.splitlines():
            if not line.strip():
                documented = False
            elif line.lstrip().startswith("#"):
                documented = True
            elif "=" not in line and "#" not in line:
                # A field right below a documented one may share its comment or speak for itself.
                assert documented, f"{name}: {line}"
            else:
                documented = True


@pytest.mark.parametrize("name", INTERFACES)
def test_interfaces_speak_of_parameters_that_exist(name: str) -> None:
    document = (ROOT / "docs" / "ROS.md").read_text(encoding="utf-8")
    said = re.findall(r"parameter (\w+)", (ROOT / "robodata_msgs" / name).read_text())
    assert set(said) <= set(re.findall(r"^\| `(\w+)` \|", document, flags=re.MULTILINE))


@pytest.mark.parametrize("path", sorted(ROOT.glob("config/*.yaml")), ids=lambda path: path.name)
def test_parameter_files_name_parameters_that_exist(path: Path) -> None:
    document = (ROOT / "docs" / "ROS.md").read_text(encoding="utf-8")
    known = set(re.findall(r"^\| `(\w+)` \|", document, flags=re.MULTILINE))
    given = yaml.safe_load(path.read_text(encoding="utf-8"))
    for node in given.values():
        assert set(node["ros__parameters"]) <= known


def test_the_document_has_the_parameter_table(missing_packages: list[str]) -> None:
    if missing_packages:
        pytest.skip("the table is made by a module that imports ROS packages")
    from robodata_ros.parameters import markdown

    assert markdown() in (ROOT / "docs" / "ROS.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("launch/*.launch.py")), ids=lambda path: path.name
)
def test_launch_files(path: Path) -> None:
    compile(path.read_text(encoding="utf-8"), str(path), "exec")
    pytest.importorskip("launch_ros", reason="launch is not on PyPI: needs a ROS installation")
    namespace: dict[str, object] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), namespace)
    description = namespace["generate_launch_description"]()  # type: ignore[operator]
    assert description.entities


def test_importing_the_package_needs_no_ros() -> None:
    code = "import sys, robodata_ros; assert 'rclpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_the_command_says_what_is_missing(missing_packages: list[str]) -> None:
    if not missing_packages:
        pytest.skip("nothing is missing here")
    done = subprocess.run(
        [sys.executable, "-m", "robodata_core.cli", "node"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "docs/ROS.md" in done.stderr and "Traceback" not in done.stderr


def test_the_executable_says_what_its_python_lacks() -> None:
    command = [sys.executable, "-I", "-S", str(ROOT / "scripts" / "ros" / "node")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = f"robodata: robodata_ros is not installed for {sys.executable}; see docs/ROS.md.\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_building_the_messages_says_what_is_missing(missing_packages: list[str]) -> None:
    if not missing_packages:
        pytest.skip("nothing is missing here")
    env = {name: value for name, value in os.environ.items() if not name.startswith("ROS_")}
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "build_msgs"), "--force"],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("build_msgs: ") and "Traceback" not in done.stderr


def test_a_workspace_has_both_packages_beside_each_other(tmp_path: Path) -> None:
    """Plain colcon and catkin_pkg find them there, which they do not in the checkout."""
    command = [sys.executable, str(ROOT / "scripts" / "make_workspace"), str(tmp_path / "ws")]
    for _ in range(2):  # again over what is there
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    source = tmp_path / "ws" / "src"
    found = sorted(str(path.parent.relative_to(source)) for path in source.glob("*/package.xml"))
    assert found == ["robodata", "robodata_msgs"]
    assert not (source / "robodata" / "robodata_msgs").exists()
    assert (source / "robodata" / "setup.cfg").read_text() == (ROOT / "setup.cfg").read_text()
    inside = subprocess.run(
        [*command[:2], str(ROOT / "build" / "ws")], capture_output=True, text=True, check=False
    )
    assert inside.returncode == 1 and "outside" in inside.stderr
    packages = pytest.importorskip("catkin_pkg.packages")
    assert {package.name for package in packages.find_packages(str(source)).values()} == {
        "robodata",
        "robodata_msgs",
    }


@pytest.mark.skipif(shutil.which("colcon") is None, reason="colcon not installed")
def test_colcon_lists_both_packages_of_a_workspace_without_a_flag(tmp_path: Path) -> None:
    made = [sys.executable, str(ROOT / "scripts" / "make_workspace"), str(tmp_path / "ws")]
    subprocess.run(made, check=True, capture_output=True)
    listed = subprocess.run(
        ["colcon", "list", "--names-only"],
        cwd=tmp_path / "ws",
        capture_output=True,
        text=True,
        check=True,
    )
    assert listed.stdout.split() == ["robodata", "robodata_msgs"]
