"""The map's services: typed questions of planners, corrections, and the map itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from rclpy.callback_groups import ReentrantCallbackGroup

from robodata_core.belief import (
    Call,
    Changes,
    FindQuery,
    MapObject,
    ObjectState,
    Region,
    evidence_for,
    kind_of,
)
from robodata_core.cancellation import CancelToken
from robodata_core.errors import InvalidRequestError, NotFoundError
from robodata_core.model import EntityValue, SupportSet, Value
from robodata_core.sources.base import QueryLimits
from robodata_msgs import msg as m
from robodata_msgs import srv
from robodata_ros import convert, qos
from robodata_ros.codes import Code
from robodata_ros.keeper import Keeper, frame_of, map_to_msg, object_message
from robodata_ros.links import ClassLinks
from robodata_ros.patterns import Pattern, pattern_of, read_pattern
from robodata_ros.runtime import Runtime
from robodata_ros.serving import Refused, Serving

__all__ = ["MapRequests"]

_LONGEST: Final = 256
_MOST_ROWS: Final = 1_000
_EXPLAINED_ROWS: Final = 200
"""Rows of a pattern that come with their evidence; each costs a look-up for every triple."""
_SETTLE: Final = 2.0


class MapRequests:
    """The services of the map.

    ``~/find_objects``, ``~/where_should_it_go``, ``~/what_is_missing``, ``~/query_pattern``,
    ``~/update_map`` and ``~/get_map``.

    Args:
        serving: Gates and counts requests.
        session: Gives the number of the node's activation.
    """

    def __init__(self, serving: Serving, session: Callable[[], int]) -> None:
        self._serving = serving
        self._session = session
        self._links: ClassLinks | None = None
        self._keeper: Keeper | None = None
        node = serving.node
        group = ReentrantCallbackGroup()
        takers: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
            (srv.FindObjects, "find_objects", self._find),
            (srv.WhereShouldItGo, "where_should_it_go", self._where),
            (srv.WhatIsMissing, "what_is_missing", self._missing),
            (srv.QueryPattern, "query_pattern", self._query),
            (srv.UpdateMap, "update_map", self._update),
            (srv.GetMap, "get_map", self._get),
        )
        self._services = [
            node.create_service(
                kind,
                f"~/{name}",
                self._answering(name, work),
                callback_group=group,
                qos_profile=qos.SERVICES,
            )
            for kind, name, work in takers
        ]

    def activate(self, links: ClassLinks, keeper: Keeper) -> None:
        """Work with these from now on."""
        self._links, self._keeper = links, keeper

    def destroy(self) -> None:
        """Take the services down."""
        for service in self._services:
            self._serving.node.destroy_service(service)

    def _answering(self, name: str, work: Callable[[_Request], None]) -> Callable[[Any, Any], Any]:
        """Return the callback of a service: ``work`` in a thread, whatever happens told."""

        async def answer(request: Any, response: Any) -> Any:
            with self._serving.opened():
                try:
                    runtime = self._serving.active()
                    if runtime.world is None or self._links is None or self._keeper is None:
                        raise Refused(Code.NOT_ACTIVE, "This node keeps no map (parameter map).")
                    call = Call(name, self._serving.new_id(name))
                    links, keeper = self._links, self._keeper

                    def job(token: CancelToken) -> None:
                        work(_Request(request, response, runtime, links, keeper, call, token))

                    await self._serving.work(runtime.queries, job, request)
                    response.success = True
                    self._serving.counts["map requests"] += 1
                except NotFoundError as error:
                    refused = Refused(Code.INVALID_REQUEST, str(error))
                    return self._serving.fail(type(response)(), refused)
                except BaseException as error:
                    return self._serving.fail(type(response)(), error)
                return response

        return answer

    # -- what planners ask ----------------------------------------------------------------------

    def _find(self, at: _Request) -> None:
        request, response = at.request, at.response
        texts = (request.class_id, request.affordance, request.region, request.near)
        _check_lengths(*texts)
        if not (math.isfinite(request.max_distance) and request.max_distance >= 0):
            raise InvalidRequestError("max_distance is negative, infinite or none.")
        pose = convert.pose_from_msg(request.pose.pose) if request.near_pose else None
        query = FindQuery(
            *texts,
            pose=pose,
            frame=request.pose.header.frame_id,
            max_distance=request.max_distance,
            seen_only=request.seen_only,
            include_gone=request.include_gone,
        )
        at.settle(request.class_id)
        assert at.runtime.planning is not None
        found = at.runtime.planning.find(query, at.call, at.token, request.limit)
        shown = found[: request.limit] if request.limit else found
        if not found:
            response.error_msg = convert.clean(at.runtime.planning.looked_at(query))
        response.total = len(found)
        response.objects = [at.object(one.item) for one in shown]
        response.distances = [math.nan if one.distance is None else one.distance for one in shown]
        response.support = [_support(one.support) for one in shown]

    def _where(self, at: _Request) -> None:
        _check_lengths(at.request.object)
        if not at.request.object:
            raise InvalidRequestError("Name the object, by its id in the map or its class.")
        at.settle(at.request.object)
        assert at.runtime.planning is not None
        places = at.runtime.planning.places(at.request.object, at.call, at.token)
        for place in places[: at.request.limit or 10]:
            regions = [item for item in place.things if not isinstance(item, MapObject)]
            objects = [item for item in place.things if isinstance(item, MapObject)]
            kind = kind_of((), of_class=True)
            at.response.placements.append(
                m.Placement(
                    place=convert.term_of_entity(place.kind.id, place.kind.label),
                    region=regions[0].id if regions else "",
                    object=objects[0].id if objects else "",
                    score=float(place.score),
                    reason=convert.clean(place.reason),
                    kind=convert.truth_to_msg(kind),
                    support=[_support(one) for one in place.support],
                )
            )

    def _missing(self, at: _Request) -> None:
        request, response = at.request, at.response
        _check_lengths(request.activity, request.region)
        if not request.activity:
            raise InvalidRequestError("Name the activity.")
        at.settle()
        assert at.runtime.planning is not None
        found = at.runtime.planning.missing(request.activity, request.region, at.call, at.token)
        response.error_msg = convert.clean(found.note)
        response.activity = convert.term_of_entity(found.activity.id, found.activity.label)
        for kind, support in found.needed:
            term = convert.term_of_entity(kind.id, kind.label)
            response.needed.append(term)
            response.support.append(_support(support))
            if not found.present.get(kind.id):
                response.missing.append(term)
        present = {item.id: item for items in found.present.values() for item in items}
        response.present = [at.object(present[id_]) for id_ in sorted(present)]

    def _query(self, at: _Request) -> None:
        request, response = at.request, at.response
        rows = min(request.limit or _MOST_ROWS, _MOST_ROWS)
        if bool(request.sparql) == bool(request.pattern):
            raise InvalidRequestError("Send either a pattern or a SPARQL query.")
        pattern = read_pattern(request.pattern) if request.pattern else None
        text = request.sparql if pattern is None else pattern.sparql
        source = at.runtime.source
        left = at.token.remaining
        limits = QueryLimits(rows=rows, seconds=min(10.0, left if left is not None else 10.0))
        result = source.sparql(text, limits=limits, cancel=at.token)
        if result.boolean is None and not result.variables and not result.rows:
            raise InvalidRequestError(
                "A pattern has bindings, which SELECT and ASK give; CONSTRUCT and DESCRIBE do not."
            )
        if result.boolean is not None and (pattern is None or not pattern.variables):
            response.asked, response.answer = True, result.boolean
        names = _names(source, result.rows)
        response.variables = list(result.variables)
        response.truncated = result.truncated
        explained = pattern
        if pattern is None and result.rows:
            explained = pattern_of(text)
            if explained is not None and not set(explained.variables) <= {*result.variables}:
                explained = None  # what was not selected is not known any more
        for number, row in enumerate(result.rows):
            binding = m.Binding(values=[_term(value, names) for value in row])
            if explained is not None and number < _EXPLAINED_ROWS:
                at.token.check()
                binding.support = _support(_explained(explained, result.variables, row, at))
            response.rows.append(binding)
        if pattern is not None and not pattern.variables and result.boolean:
            support = _support(_explained(pattern, (), (), at))
            response.rows.append(m.Binding(support=support))

    # -- the map itself -------------------------------------------------------------------------

    def _get(self, at: _Request) -> None:
        request = at.request
        at.settle()
        at.response.map = map_to_msg(
            at.belief, at.links, self._session(), gone=request.include_gone, history=request.history
        )
        at.response.map.header.stamp = self._serving.node.get_clock().now().to_msg()

    def _update(self, at: _Request) -> None:
        request = at.request
        _check_lengths(request.id, request.author, *request.fields)
        operations = {
            srv.UpdateMap.Request.ASSERT: self._assert,
            srv.UpdateMap.Request.CORRECT: self._correct,
            srv.UpdateMap.Request.REMOVE: self._remove,
        }
        operation = operations.get(request.operation)
        if operation is None:
            raise InvalidRequestError(f"{request.operation} is no operation of UpdateMap.")
        operation(at)

    def _assert(self, at: _Request) -> None:
        request = at.request
        given = request.region[0] if request.region else request.object
        given.id = given.id or request.id
        if request.id not in ("", given.id):
            raise InvalidRequestError("Two ids are given, one in id and one beside it.")
        author = request.author or at.call.tool
        # Where a planner names no frame, that of the map is meant, which ~/map tells.
        given.frame_id = given.frame_id or frame_of(at.belief)
        if request.region:
            at.belief.add_regions([convert.region_from_msg(given, "", author)])
            at.response.id = given.id
            at.keeper.wake()
            return
        item = convert.object_from_msg(given, self._now(), at.call.tool, author)
        at.response.id = id_ = at.belief.put(item)
        thing = at.belief.thing(id_)
        assert isinstance(thing, MapObject)
        at.keeper.tell(Changes(new=(thing,), seen=(thing,)))

    def _now(self) -> float:
        return float(self._serving.node.get_clock().now().nanoseconds / 1e9)

    def _correct(self, at: _Request) -> None:
        request = at.request
        author = request.author or at.call.tool
        before = at.belief.thing(request.id)
        at.response.id = request.id
        if request.region:
            if not isinstance(before, Region):
                raise NotFoundError(f"The map has no region {request.id[:100]!r}.")
            region = convert.region_from_msg(request.region[0], before.frame, author)
            if request.region[0].id not in ("", request.id):
                raise InvalidRequestError("Two ids are given, one in id and one in region.")
            # Without fields it is what holds as a whole.
            names = request.fields or ("class_id", "label", "pose", "size", "kind")
            fields = _fields_of(region, names, before.frame)
            at.belief.add_regions([replace(before, **fields, source=author)])
            at.keeper.wake()
            return
        if not isinstance(before, MapObject):
            kind = "a region: send it in region" if before is not None else "not in the map"
            raise NotFoundError(f"{request.id[:100]!r} is {kind}.")
        # What is not corrected need not be right, so it is not looked at.
        filled = request.object
        if "class_id" not in request.fields:
            filled.class_id = before.class_id
        given = convert.object_from_msg(filled, before.last_seen, at.call.tool, author)
        fields = _fields_of(given, request.fields, before.frame)
        at.belief.correct(request.id, fields, author)
        self._tell(at, before)

    def _tell(self, at: _Request, before: MapObject) -> None:
        after = at.belief.thing(before.id)
        assert isinstance(after, MapObject)
        was_seen = before.state is ObjectState.SEEN
        if was_seen and after.state is not ObjectState.SEEN:
            at.keeper.tell(Changes(vanished=(before,)))
        elif before.class_id != after.class_id and was_seen:
            at.keeper.tell(Changes(reclassified=(before,), seen=(after,)))
        else:
            at.keeper.wake()

    def _remove(self, at: _Request) -> None:
        author = at.request.author or at.call.tool
        before = at.belief.remove(at.request.id, author, self._now())
        at.response.id = at.request.id
        if isinstance(before, MapObject):
            at.keeper.tell(Changes(vanished=(before,)))
        else:
            at.keeper.wake()


def _fields_of(given: MapObject | Region, names: Sequence[str], frame: str) -> dict[str, Any]:
    """Return what a correction gives; a pose without a frame is in the thing's own.

    Raises:
        InvalidRequestError: If something cannot be corrected.
    """
    can = ["class_id", "label", "pose", "size"]
    can.append("kind" if isinstance(given, Region) else "state")
    for name in names:
        if name not in can:
            raise InvalidRequestError(f"{name[:60]!r} cannot be corrected; {', '.join(can)} can.")
    fields: dict[str, Any] = {name: getattr(given, name) for name in names}
    return fields | ({"frame": given.frame or frame} if "pose" in fields else {})


class _Request:
    """One request with everything its work needs."""

    def __init__(
        self,
        request: Any,
        response: Any,
        runtime: Runtime,
        links: ClassLinks,
        keeper: Keeper,
        call: Call,
        token: CancelToken,
    ) -> None:
        self.request = request
        self.response = response
        self.runtime = runtime
        self.links = links
        self.keeper = keeper
        self.call = call
        self.token = token
        assert runtime.world is not None
        self.belief = runtime.world.map.belief

    def settle(self, *asked: str) -> None:
        """Wait a moment for classes that were seen just now, or are asked for, to be linked."""
        for label in (*(thing.class_id for thing in self.belief.things().values()), *asked):
            self.links.entity(label)
        left = self.token.remaining
        self.links.settle(_SETTLE if left is None else min(_SETTLE, left / 2))

    def object(self, item: MapObject) -> Any:
        """Return an object as a message."""
        return object_message(self.belief, self.links, item)


def _check_lengths(*texts: str) -> None:
    if max(map(len, texts), default=0) > _LONGEST:
        raise InvalidRequestError(f"A text of the request is longer than {_LONGEST} characters.")


def _support(support: SupportSet) -> Any:
    return m.SupportSet(evidence=[convert.evidence_to_msg(item) for item in support.evidence])


def _names(source: Any, rows: Any) -> dict[str, str]:
    ids = {value.id for row in rows for value in row if isinstance(value, EntityValue)}
    return {id_: entity.label for id_, entity in source.entities(ids).items()} if ids else {}


def _term(value: Value | None, names: dict[str, str]) -> Any:
    if value is None:
        return m.Term(kind=m.Term.BLANK_NODE, precision=math.nan)
    label = names.get(value.id, "") if isinstance(value, EntityValue) else ""
    return convert.value_to_msg(value, label)


def _explained(pattern: Pattern, variables: Any, row: Any, at: _Request) -> SupportSet:
    """Return the statements behind one row of a pattern: all of them, or none."""
    assert at.runtime.world is not None
    source = at.runtime.world.plain
    found = []
    for triple in pattern.bound(dict(zip(variables, row, strict=True))):
        page = source.statements(triple.subject, property=triple.predicate, limit=500)
        found += [item for item in page.statements if item.value == triple.object][:1]
    whole = len(found) == len(pattern.triples)
    return SupportSet(evidence_for(found, source, at.call) if whole else ())
