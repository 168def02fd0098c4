"""The leaves for BehaviorTree.CPP, compiled against that library and run on a real node.

``behaviortree_ros2`` needs rclcpp, which no wheel has: a header of the same face, over rcl, stands
in for it (``cpp/behaviortree_ros2``). BehaviorTree.CPP 4 is no wheel either: without the variable
``BEHAVIORTREE_CPP``, the prefix it is installed in, this is skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from robodata_msgs import msg as m
from robodata_msgs import srv
from tests.conftest import ROOT
from tests.ros.harness import Peer, eventually, running
from tests.ros.test_map import REGIONS, thing

PREFIX = Path(os.environ.get("BEHAVIORTREE_CPP") or "/nowhere")
pytestmark = [
    pytest.mark.skipif(
        not (PREFIX / "include" / "behaviortree_cpp").is_dir() or shutil.which("g++") is None,
        reason="BEHAVIORTREE_CPP names no prefix with BehaviorTree.CPP, or there is no g++",
    ),
    pytest.mark.timeout(1_200),
]
TREES = ROOT / "examples" / "behavior_tree" / "robodata_nodes.xml"
RUN = """
import ctypes, sys
import rclpy  # finds the wheels' libraries
sys.exit(ctypes.CDLL(sys.argv[1]).tidy(sys.argv[2].encode(), sys.argv[3].encode()))
"""


@pytest.fixture(scope="module")
def tidy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree's runner, compiled from the example as it stands."""
    made = tmp_path_factory.mktemp("tidy") / "libtidy.so"
    here, ros = Path(__file__).parent / "cpp", Path(sys.prefix)
    includes = [here, PREFIX / "include", *(path for path in (ros / "include").iterdir())]
    libraries = ("behaviortree_cpp", "rcl", "rcutils", "rmw", "rosidl_typesupport_cpp")
    command = [
        *("g++", "-std=c++17", "-fPIC", "-shared", "-Wno-unused-result"),
        *(f"-I{path}" for path in includes),
        *(str(here / "tidy.cpp"), "-o", str(made)),
        *(f"-L{PREFIX / 'lib'}", f"-L{ros / 'lib'}", f"-Wl,-rpath,{PREFIX / 'lib'}"),
        *(f"-l{name}" for name in (*libraries, "robodata_msgs__rosidl_typesupport_cpp")),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4_000:]
    return made


def run(tidy: Path, namespace: str) -> tuple[int, dict[str, str]]:
    command = [sys.executable, "-c", RUN, str(tidy), str(TREES), namespace]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    lines = [line.partition("=") for line in done.stdout.splitlines() if "=" in line]
    return done.returncode, {name: value for name, _, value in lines}


def test_the_tree_finds_a_cup_and_where_it_belongs(peer: Peer, tidy: Path, tmp_path: Path) -> None:
    path = tmp_path / "regions.yaml"
    path.write_text(REGIONS)
    with running("/tree", peer, f"regions:={path}") as node:
        code, _ = run(tidy, "/tree")
        assert code == 1  # there is no cup to find
        publisher = peer.node.create_publisher(m.SemanticObjectArray, f"{node.name}/objects", 10)
        array = m.SemanticObjectArray(objects=[thing("cup", 8.0, 2.0, id_="cup_2")])
        array.header.frame_id = "map"

        def seen() -> bool:
            publisher.publish(array)
            request = srv.FindObjects.Request(class_id="cup", region="bathroom")
            found = peer.call(srv.FindObjects, f"{node.name}/find_objects", request)
            placed = srv.WhereShouldItGo.Request(object="cup_2")
            where = peer.call(srv.WhereShouldItGo, f"{node.name}/where_should_it_go", placed)
            return bool(found.objects and any(one.region for one in where.placements))

        eventually(seen)
        code, board = run(tidy, "/tree")
        peer.node.destroy_publisher(publisher)
    assert code == 0
    assert (board["cup"], board["place"]) == ("cup_2", "kitchen")
    assert "cup" in board["reason"]
