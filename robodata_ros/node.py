"""The lifecycle node: opens the core, wires services, action and topics to it, and reports.

What requests do is in ``requests``, what objects lead to in ``facts``; here are the life cycle,
the parameters and the diagnostics. The process around the node is in ``process``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from robodata_core.errors import RoboDataError
from robodata_core.events import RunEvent
from robodata_msgs import msg as m
from robodata_ros import convert, parameters, qos
from robodata_ros.enrichment import TABLE, ClassLookup, LabelTable
from robodata_ros.facts import FactPublisher, Limits
from robodata_ros.logs import RosLog
from robodata_ros.requests import Requests
from robodata_ros.runtime import Runtime

__all__ = ["RoboDataNode"]

_DONE: Final = TransitionCallbackReturn.SUCCESS
_FAILED: Final = TransitionCallbackReturn.FAILURE


class RoboDataNode(LifecycleNode):
    """Answers questions, verifies triples, and tells what is known about objects.

    Args:
        name: Node name.
        options: Handed on to ``rclpy.node.Node`` (``namespace``, ``parameter_overrides``...).
    """

    def __init__(self, name: str = "robodata", **options: Any) -> None:
        super().__init__(name, **options)
        parameters.declare(self)
        self._log = RosLog(self.get_logger())
        self._log.attach()
        self._state = "unconfigured"
        self._runtime: Runtime | None = None
        self._values: dict[str, Any] = {}
        self._facts: FactPublisher | None = None
        self._lookup: ClassLookup | None = None
        self._topics: list[Any] = []
        self._subscriptions_in: list[Any] = []
        self._events: Any = None
        self._requests = Requests(self, self._on_event)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)
        # A steady clock: diagnostics and signs of life go on when simulated time stands still.
        self._timer = self.create_timer(
            1.0, self._every_second, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self.add_on_set_parameters_callback(self._on_parameters)

    # -- life cycle -----------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the core and make the topics."""
        self._values = values = parameters.values_of(self)
        try:
            settings = parameters.core_settings(values)
            more = tuple(values["enrichment_sources"])
            self._runtime = Runtime(settings, values["max_concurrent"], more, values["max_graph"])
            self._lookup = self._make_lookup(values, self._runtime)
        except Exception as error:
            self._release()
            self.get_logger().error(f"The node cannot be configured: {_words(error)}")
            return _FAILED
        self._events = self.create_publisher(m.RunEvent, "~/events", qos.EVENTS)
        facts = self.create_publisher(m.FactArray, "~/facts", qos.FACTS)
        updates = self.create_publisher(m.FactArray, "~/fact_updates", qos.FACT_UPDATES)
        self._topics = [self._events, facts, updates]
        self._state = "inactive"
        self.get_logger().info(f"Configured: {self._runtime.source.name}")
        return super().on_configure(state)

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take requests and objects."""
        assert self._runtime is not None
        if self._values["enrichment"]:
            self._start_facts()
        self._requests.activate(self._runtime)
        self._state = "active"
        return super().on_activate(state)

    def on_deactivate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Cancel what is under way, and take no more."""
        self._stop()
        self._state = "inactive"
        return super().on_deactivate(state)

    def on_cleanup(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Release the core and the topics."""
        self._release()
        self._state = "unconfigured"
        return super().on_cleanup(state)

    def on_shutdown(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Stop and release, from whatever state."""
        self._stop()
        self._release()
        self._state = "finalized"
        return super().on_shutdown(state)

    def on_error(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Go back to unconfigured after an error in a transition."""
        self._stop()
        self._release()
        self._state = "unconfigured"
        return _DONE

    def start(self) -> bool:
        """Configure and activate; tells whether that worked."""
        return bool(self.trigger_configure() == _DONE and self.trigger_activate() == _DONE)

    @property
    def busy(self) -> bool:
        """Whether requests are under way."""
        return self._requests.busy

    def wind_down(self) -> None:
        """Take no more requests and cancel what is under way."""
        self._requests.deactivate()

    def destroy_node(self) -> None:
        """Stop all threads before the node goes."""
        self._stop()
        self._release()
        self._requests.destroy()
        self._log.detach()
        super().destroy_node()

    def _make_lookup(self, values: dict[str, Any], runtime: Runtime) -> ClassLookup:
        path = Path(values["label_table"]) if values["label_table"] else TABLE
        return ClassLookup(
            runtime.sources,
            LabelTable.read(path, values["labels"]),
            values["relations"],
            chain=values["class_chain"],
            most_values=values["max_values"],
            verify=values["verify_facts"],
        )

    def _start_facts(self) -> None:
        assert self._lookup is not None
        _, facts, updates = self._topics
        limits = Limits(
            queue_size=self._values["queue_size"],
            max_objects=self._values["max_objects"],
            forget_after=self._values["forget_after"],
            snapshot_period=self._values["snapshot_period"],
        )
        self._facts = FactPublisher(
            self._lookup,
            self._while_up(updates.publish),
            self._while_up(facts.publish),
            lambda: self.get_clock().now().to_msg(),
            limits,
            self._while_up(self.get_logger().warning),
        )
        self._facts.start()
        self._subscriptions_in = [
            self.create_subscription(
                m.SemanticObjectArray, "~/objects", self._on_objects, qos.OBJECTS
            )
        ]
        if self._values["detections"]:
            self._take_detections()

    def _while_up(self, tell: Callable[[Any], Any]) -> Callable[[Any], None]:
        """Return ``tell``, silent once a signal has ended the context: nobody hears it then."""

        def told(what: Any) -> None:
            if self.context.ok():
                tell(what)

        return told

    def _take_detections(self) -> None:
        from robodata_ros.detections import Detection3DArray, to_objects

        if Detection3DArray is None:
            self.get_logger().warning("vision_msgs is not installed: no detections are taken.")
            return
        self._subscriptions_in.append(
            self.create_subscription(
                Detection3DArray,
                "~/detections",
                lambda message: self._on_objects(to_objects(message)),
                qos.OBJECTS,
            )
        )

    def _stop(self) -> None:
        self._requests.deactivate()
        for subscription in self._subscriptions_in:
            self.destroy_subscription(subscription)
        self._subscriptions_in = []
        if self._facts is not None:
            self._facts.stop()
            self._facts = None

    def _release(self) -> None:
        self._events = None
        if self._runtime is not None:
            self._runtime.close()
            self._runtime = None
        for topic in self._topics:
            self.destroy_publisher(topic)
        self._topics = []

    # -- callbacks ------------------------------------------------------------------------------

    def _on_parameters(self, changed: list[Any]) -> Any:
        return parameters.check(changed, unconfigured=self._state == "unconfigured")

    def _on_objects(self, array: Any) -> None:
        if self._facts is not None:
            self._facts.put(array, self.get_parameter("min_score").value)

    def _on_event(self, event: RunEvent) -> None:
        """Tell an event of a run, in that run's thread; converting is dear, so only if heard."""
        topic = self._events
        if topic is None or not self.get_parameter("publish_events").value:
            return
        with suppress(Exception):  # the topic may go while a run that was given up goes on
            if topic.get_subscription_count():
                topic.publish(convert.event_to_msg(event))

    def _every_second(self) -> None:
        self._requests.tell_all()
        with suppress(Exception):
            self._diagnostics.publish(self._report())

    def _report(self) -> Any:
        facts, runtime = self._facts, self._runtime
        level, message = DiagnosticStatus.OK, self._state
        values: dict[str, Any] = {"state": self._state}
        if runtime is not None:
            values["source"] = runtime.source.name
            values["runs under way"] = runtime.runs.busy
        if self._events is not None:
            values["watchers"] = self._events.get_subscription_count()
        values.update(self._requests.counts)
        if self._requests.last_error:
            values["last error"] = self._requests.last_error
        if facts is not None:
            values["objects"] = facts.objects
            values["arrays waiting"] = facts.waiting
            values["arrays dropped"] = facts.dropped
            values["objects ignored"] = facts.ignored
            values["objects malformed"] = facts.malformed
            if facts.problem:
                level, message = DiagnosticStatus.ERROR, facts.problem
            elif facts.dropped or facts.ignored or facts.malformed:
                level, message = DiagnosticStatus.WARN, "some objects were not taken"
        status = DiagnosticStatus(
            level=level,
            name=f"{self.get_fully_qualified_name().lstrip('/')}: status",
            message=convert.clean(message),
            hardware_id="robodata",
            values=[
                KeyValue(key=key, value=convert.clean(str(value))) for key, value in values.items()
            ],
        )
        report = DiagnosticArray(status=[status])
        report.header.stamp = self.get_clock().now().to_msg()
        return report


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, RoboDataError) else repr(error)
