"""What is shipped: the wheel and the source archive hold what an installation needs.

The archives are built from a copy of the checkout, offline, with the setuptools that is
installed; without a suitable one the tests are skipped.
"""

from __future__ import annotations

import configparser
import email.parser
import json
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import robodata_core
from tests.conftest import ROOT

MAX_DATA_BYTES = 28_000_000  # of a wheel of at most 30 MB
LEFT_OUT = shutil.ignore_patterns(
    ".*", "__pycache__", "*.egg-info", "build", "dist", "node_modules"
)


def _can_build() -> bool:
    """Whether setuptools is here and makes wheels on its own, which it does from 70.1 on."""
    try:
        import setuptools
    except ImportError:
        return False
    return tuple(map(int, setuptools.__version__.split(".")[:2])) >= (70, 1)


pytestmark = [
    pytest.mark.skipif(not _can_build(), reason="building needs setuptools 70.1 or later"),
    pytest.mark.skipif(
        not (ROOT / "setup.cfg").is_file(), reason="the tests do not run from a checkout"
    ),
]


def _built(kind: str, folder: Path) -> Path:
    """Build one archive of a copy of the checkout."""
    checkout, out = folder / "checkout", folder / "out"
    shutil.copytree(ROOT, checkout, ignore=LEFT_OUT)
    out.mkdir()
    # Building rewrites sys.argv, hence the name.
    script = (
        "import sys; from setuptools import build_meta; out = sys.argv[1];"
        f"build_meta.build_{kind}(out)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(out)],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return zipfile.ZipFile(_built("wheel", tmp_path_factory.mktemp("wheel")))


def _metadata_file(wheel: zipfile.ZipFile, name: str) -> str:
    (path,) = (path for path in wheel.namelist() if path.endswith(f".dist-info/{name}"))
    return wheel.read(path).decode("utf-8")


def _packages() -> list[Path]:
    """The top-level packages that setup.cfg ships."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    patterns = setup["options.packages.find"]["include"].split()
    found = [path for pattern in patterns for path in ROOT.glob(pattern)]
    return [path for path in found if (path / "__init__.py").is_file()]


def _package_files() -> set[str]:
    files = (path for package in _packages() for path in package.rglob("*") if path.is_file())
    names = [path.relative_to(ROOT).as_posix() for path in files]
    return {name for name in names if "__pycache__" not in name and "/." not in name}


def test_the_wheel_holds_every_module_and_data_file_and_nothing_else(
    wheel: zipfile.ZipFile,
) -> None:
    shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert {name for name in shipped if ".data/" not in name} == _package_files()


def test_the_wheel_holds_what_ros_tools_look_for(wheel: zipfile.ZipFile) -> None:
    data = {name.partition(".data/data/")[2] for name in wheel.namelist() if ".data/" in name}
    assert data == {
        "lib/robodata/node",
        "share/ament_index/resource_index/packages/robodata",
        "share/robodata/package.xml",
        *(f"share/robodata/{path.relative_to(ROOT)}" for path in ROOT.glob("launch/*.launch.py")),
        *(f"share/robodata/{path.relative_to(ROOT)}" for path in ROOT.glob("config/*")),
        *(f"share/robodata/{path.relative_to(ROOT)}" for path in ROOT.glob("examples/*.py")),
    }


def test_the_data_in_the_wheel_stays_small(wheel: zipfile.ZipFile) -> None:
    data = [info for info in wheel.infolist() if not info.filename.endswith(".py")]
    assert sum(info.compress_size for info in data) <= MAX_DATA_BYTES


def test_the_metadata_agrees_with_the_package(wheel: zipfile.ZipFile) -> None:
    metadata = email.parser.Parser().parsestr(_metadata_file(wheel, "METADATA"))
    assert metadata["Name"] == "robodata"
    assert metadata["Version"] == robodata_core.__version__
    assert metadata["Requires-Python"] == ">=3.10"
    assert "Apache-2.0" in (metadata["License-Expression"] or metadata["License"])
    assert str(metadata.get_payload()).strip(), "the long description is empty"


def test_a_plain_installation_needs_no_model_and_no_robot(wheel: zipfile.ZipFile) -> None:
    metadata = email.parser.Parser().parsestr(_metadata_file(wheel, "METADATA"))
    always = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    for name in ("requests", "rdflib", "pyyaml"):
        assert [line for line in always if line.lower().startswith(name)], name
    for name in ("openai", "rclpy", "ros-", "networkx", "grand-cypher", "pytest"):
        assert not [line for line in always if line.lower().startswith(name)]


def test_the_command_is_installed(wheel: zipfile.ZipFile) -> None:
    entries = configparser.ConfigParser()
    entries.read_string(_metadata_file(wheel, "entry_points.txt"))
    assert entries["console_scripts"]["robodata"] == "robodata_core.cli:main"


@pytest.mark.parametrize("name", ["LICENSE", "NOTICE"])
def test_the_wheel_carries_its_licence(wheel: zipfile.ZipFile, name: str) -> None:
    assert [path for path in wheel.namelist() if path.endswith(f"/{name}") and "dist-info" in path]


def test_the_source_archive_is_complete(tmp_path: Path) -> None:
    with tarfile.open(_built("sdist", tmp_path)) as sdist:
        held = {name.partition("/")[2] for name in sdist.getnames()}
    assert _package_files() <= held
    assert {
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "Makefile",
        "NOTICE",
        "README.md",
        "pyproject.toml",
        "setup.cfg",
        "setup.py",
    } <= held
    assert {"tests/conftest.py", "benchmarks/run_all.py", "docs/ARCHITECTURE.md"} <= held


def test_every_requirement_has_an_upper_bound() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    groups = [setup["options"]["install_requires"], *setup["options.extras_require"].values()]
    lines = [line.partition(";")[0].strip() for group in groups for line in group.splitlines()]
    build = re.search(r"^requires = (.*)$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert build is not None
    needed = [line for line in lines if line and not line.startswith("#")]
    assert len(needed) > 40
    assert [one for one in needed + json.loads(build[1]) if not re.search("<|==", one)] == []


def test_the_bill_of_materials_tells_extras_apart() -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "build_sbom"))
    requires = ["click<9,>=8.1", 'mcp<3,>=2.3; extra == "mcp"']
    resolved = [
        {"name": "robodata", "version": "1", "requires_dist": requires, "sha256": ""},
        {"name": "Click", "version": "8.1", "sha256": "ab", "license": "BSD-3-Clause"},
        {"name": "mcp", "version": "2.3", "requires_dist": ["Click", 'rich; extra == "cli"']},
    ]
    made = script["sbom"](resolved, {"robodata", "click"})
    click, mcp = made["components"]
    assert (click["purl"], click["scope"]) == ("pkg:pypi/click@8.1", "required")
    assert click["hashes"] == [{"alg": "SHA-256", "content": "ab"}]
    assert (mcp["name"], mcp["scope"]) == ("mcp", "optional")
    needs = {one["ref"]: one["dependsOn"] for one in made["dependencies"]}
    assert needs["pkg:pypi/robodata@1"] == ["pkg:pypi/click@8.1", "pkg:pypi/mcp@2.3"]
    assert needs["pkg:pypi/mcp@2.3"] == ["pkg:pypi/click@8.1"]


def test_the_changelog_has_this_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{robodata_core.__version__}]" in changelog
