"""Behaviour-tree leaves on the real node."""

from __future__ import annotations

import time
from typing import Any

import pytest

from robodata_msgs import msg as m
from robodata_ros.client import RoboDataClient
from tests.ros.harness import Peer, eventually, running

py_trees = pytest.importorskip("py_trees", reason="py_trees is not installed (extra bt)")
from robodata_ros.behaviours import Ask, ChangeMap, FindObject, NothingMissing, Query, WhereToPut  # noqa: E402


def ticked(leaf: Any) -> Any:
    """Tick a leaf until it has an end, as a tree does."""
    statuses = []

    def over() -> bool:
        leaf.tick_once()
        statuses.append(leaf.status)
        time.sleep(0.02)
        return bool(leaf.status != py_trees.common.Status.RUNNING)

    eventually(over)
    return statuses


def test_a_tree_finds_a_cup_and_where_it_goes(peer: Peer) -> None:
    with running("/tree", peer) as node:
        client = RoboDataClient(peer.node, node.name)
        publisher = peer.node.create_publisher(m.SemanticObjectArray, f"{node.name}/objects", 10)
        try:
            eventually(client.ready)
            cup = m.SemanticObject(id="cup_1", class_id="cup", score=0.9)
            cup.pose.position.x = 1.0
            array = m.SemanticObjectArray(objects=[cup])
            find = FindObject("find", client, class_id="cup", key="thing")

            def found() -> bool:
                publisher.publish(array)
                statuses = ticked(find)
                assert statuses[0] == py_trees.common.Status.RUNNING
                return bool(find.status == py_trees.common.Status.SUCCESS)

            eventually(found)
            assert find.board.thing.id == "cup_1"
            put = WhereToPut("put", client, object_key="thing", key="place")
            ticked(put)
            assert put.status == py_trees.common.Status.SUCCESS
            assert put.board.place.place.label == "kitchen"
            ask = Ask("ask", client, "What is a cup made of?", key="answer")
            ticked(ask)
            assert ask.status == py_trees.common.Status.SUCCESS
            put_vase = ChangeMap(
                "assert", client, key="vase", object=m.MapObject(id="vase_1", class_id="vase")
            )
            ticked(put_vase)
            assert (put_vase.status, put_vase.board.vase) == (put.status, "vase_1")
            sparql = "SELECT ?x { ?x <urn:robodata:relation:last_seen> ?t }"
            rows = Query("rows", client, sparql=sparql)
            ticked(rows)
            assert rows.status == py_trees.common.Status.SUCCESS
            assert {"urn:robodata:map:vase_1"} <= {row["x"].value for row in rows.board.rows}
            gone = ChangeMap("remove", client, object_key="vase", operation=2)
            ticked(gone)
            assert gone.status == py_trees.common.Status.SUCCESS
            rocket = NothingMissing("rocket", client, "launch a rocket")
            ticked(rocket)
            assert rocket.status == py_trees.common.Status.FAILURE
            assert "not known" in rocket.feedback_message
            nothing = FindObject("nothing", client, class_id="unicorn")
            ticked(nothing)
            assert nothing.status == py_trees.common.Status.FAILURE
            assert nothing.feedback_message
            wrong = FindObject("wrong", client, region="attic")
            ticked(wrong)
            assert wrong.status == py_trees.common.Status.FAILURE
            assert "attic" in wrong.feedback_message
        finally:
            peer.node.destroy_publisher(publisher)
            client.destroy()
