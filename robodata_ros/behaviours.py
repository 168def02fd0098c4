"""Behaviour-tree leaves for py_trees: find an object, where to put it, what is missing, ask.

Two more ask for the bindings of a pattern or a query, and change the map.

Each one sends its request when it is ticked first, is RUNNING until the node has answered, and
writes what came to the blackboard. None blocks a tick. They need ``py_trees`` (the extra ``bt``);
``py_trees_ros`` trees use them as they are: pass the client that belongs to the tree's node.

    client = RoboDataClient(node)
    find = FindObject("find a cup", client, class_id="cup", region="kitchen", key="cup")
    tree = py_trees.composites.Sequence("tidy", memory=True, children=[find, ...])
"""

from __future__ import annotations

from typing import Any

import py_trees
from py_trees.common import Access, Status

from robodata_msgs.srv import FindObjects, QueryPattern, UpdateMap, WhatIsMissing, WhereShouldItGo

__all__ = ["Ask", "ChangeMap", "FindObject", "NothingMissing", "Query", "WhereToPut"]


class _Request(py_trees.behaviour.Behaviour):
    """A leaf that waits for one future.

    Args:
        name: Name of the leaf.
        client: A ``RoboDataClient``.
        key: Where on the blackboard the result goes.
    """

    def __init__(self, name: str, client: Any, key: str) -> None:
        super().__init__(name)
        self._client = client
        self._key = key
        self._future: Any = None
        self.board = self.attach_blackboard_client(name)
        self.board.register_key(key, access=Access.WRITE)

    def initialise(self) -> None:
        """Send the request."""
        self._future = self._send()

    def update(self) -> Any:
        """Return RUNNING until there is an answer, then whether it is a useful one."""
        if not self._future.done():
            return Status.RUNNING
        reply = self._future.result()
        told = getattr(reply, "error_msg", "") or getattr(reply, "problem", "")
        # What a service has done may have a remark in the field that tells why one has not.
        done = getattr(reply, "success", not told)
        result = self._read(reply) if done else None
        if result is None:
            self.feedback_message = told or "nothing found"
            return Status.FAILURE
        self.feedback_message = str(result)[:80]
        self.board.set(self._key, result)
        return Status.SUCCESS

    def terminate(self, new_status: Any) -> None:
        """Forget a request that nobody waits for any more."""
        if new_status is Status.INVALID and self._future is not None:
            self._future.cancel()

    def _send(self) -> Any:
        raise NotImplementedError

    def _read(self, reply: Any) -> Any:
        """Return what goes to the blackboard; None for "nothing found"."""
        raise NotImplementedError


class FindObject(_Request):
    """Finds the nearest object; writes its ``MapObject``, fails where there is none.

    Args:
        name: Name of the leaf.
        client: A ``RoboDataClient``.
        key: Where on the blackboard the object goes.
        fields: Fields of ``FindObjects.Request``.
    """

    def __init__(self, name: str, client: Any, *, key: str = "object", **fields: Any) -> None:
        super().__init__(name, client, key)
        self._fields = {"limit": 1, **fields}

    def _send(self) -> Any:
        return self._client.call(FindObjects.Request(**self._fields))

    def _read(self, reply: Any) -> Any:
        return reply.objects[0] if reply.objects else None


class WhereToPut(_Request):
    """Finds where a thing belongs; writes the best ``Placement`` that is in the map, else the best.

    Args:
        name: Name of the leaf.
        client: A ``RoboDataClient``.
        object_key: Where on the blackboard the object is (a ``MapObject``, or an id).
        key: Where on the blackboard the placement goes.
    """

    def __init__(
        self, name: str, client: Any, *, object_key: str = "object", key: str = "placement"
    ) -> None:
        super().__init__(name, client, key)
        self._object_key = object_key
        self.board.register_key(object_key, access=Access.READ)

    def _send(self) -> Any:
        thing = self.board.get(self._object_key)
        return self._client.call(WhereShouldItGo.Request(object=getattr(thing, "id", thing)))

    def _read(self, reply: Any) -> Any:
        there = [place for place in reply.placements if place.region or place.object]
        return next(iter(there or reply.placements), None)


class NothingMissing(_Request):
    """Succeeds if everything an activity needs is there; writes labels of what is missing.

    Args:
        name: Name of the leaf.
        client: A ``RoboDataClient``.
        activity: The activity.
        region: Count only what is in or on that; empty for anywhere.
        key: Where on the blackboard the labels go, also where it fails.
    """

    def __init__(
        self, name: str, client: Any, activity: str, *, region: str = "", key: str = "missing"
    ) -> None:
        super().__init__(name, client, key)
        self._request = WhatIsMissing.Request(activity=activity, region=region)

    def _send(self) -> Any:
        return self._client.call(self._request)

    def _read(self, reply: Any) -> Any:
        labels = [term.label or term.value for term in reply.missing]
        self.board.set(self._key, labels)
        return None if labels else labels


class Ask(_Request):
    """Asks a question in words; writes the ``Answer``, fails where it is not known.

    Args:
        name: Name of the leaf.
        client: A ``RoboDataClient``.
        question: The question.
        key: Where on the blackboard the answer goes.
    """

    def __init__(self, name: str, client: Any, question: str, *, key: str = "answer") -> None:
        super().__init__(name, client, key)
        self._question = question

    def _send(self) -> Any:
        return self._client.ask(self._question)

    def _read(self, reply: Any) -> Any:
        answer = reply.answer
        return answer if answer is not None and answer.results else None


class Query(_Request):
    """Asks for what a pattern or a SPARQL query binds; writes its rows, fails where there is none.

    A query that is answered with yes or no writes whether it is so, and fails on a no.

    Args:
        name: Name of the leaf.
        client: A ``RoboDataClient``.
        key: Where on the blackboard the rows go: a dictionary of ``Term`` by variable each.
        fields: Fields of ``QueryPattern.Request``, ``pattern`` or ``sparql``.
    """

    def __init__(self, name: str, client: Any, *, key: str = "rows", **fields: Any) -> None:
        super().__init__(name, client, key)
        self._fields = fields

    def _send(self) -> Any:
        return self._client.call(QueryPattern.Request(**self._fields))

    def _read(self, reply: Any) -> Any:
        if reply.asked:
            return reply.answer or None
        rows = [dict(zip(reply.variables, row.values, strict=True)) for row in reply.rows]
        return rows or None


class ChangeMap(_Request):
    """Asserts, corrects or removes something on the map; writes the id of what was changed.

    Args:
        name: Name of the leaf.
        client: A ``RoboDataClient``.
        key: Where on the blackboard the id goes.
        object_key: Where on the blackboard the object is (a ``MapObject``, or an id) that is to be
            changed, where no field says so.
        fields: Fields of ``UpdateMap.Request``.
    """

    def __init__(
        self, name: str, client: Any, *, key: str = "changed", object_key: str = "", **fields: Any
    ) -> None:
        super().__init__(name, client, key)
        self._object_key = object_key
        self._fields = fields
        if object_key:
            self.board.register_key(object_key, access=Access.READ)

    def _send(self) -> Any:
        fields = dict(self._fields)
        if self._object_key:
            thing = self.board.get(self._object_key)
            fields["id"] = getattr(thing, "id", thing)
        return self._client.call(UpdateMap.Request(**fields))

    def _read(self, reply: Any) -> Any:
        return reply.id or None
