"""The lifecycle node: opens the core, wires services, action and topics to it, and reports.

What requests do is in ``requests`` and ``map_requests``, what objects lead to in
``surroundings``; here is the life cycle. The process around the node is in ``process``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, LifecycleState, TransitionCallbackReturn

from robodata_core.errors import ConfigurationError, RoboDataError
from robodata_core.events import RunEvent
from robodata_msgs import msg as m
from robodata_ros import convert, parameters, qos
from robodata_ros.health import Health
from robodata_ros.logs import RosLog
from robodata_ros.map_requests import MapRequests
from robodata_ros.requests import Requests
from robodata_ros.runtime import Runtime
from robodata_ros.serving import Serving
from robodata_ros.surroundings import Surroundings

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
        self._wrong = parameters.declare(self)
        self._log = RosLog(self.get_logger())
        self._log.attach()
        for sentence in parameters.unknown(self):
            self.get_logger().warning(sentence)
        self._state = "unconfigured"
        self._problem = ""
        self._runtime: Runtime | None = None
        self._around: Surroundings | None = None
        self._events: Any = None
        self._serving = Serving(self)
        self._requests = Requests(self._serving, self._on_event)
        self._map_requests = MapRequests(
            self._serving, lambda: self._around.session if self._around else 0
        )
        self._health = Health(self)
        self._diagnostics = self.create_publisher(DiagnosticArray, "/diagnostics", qos.DIAGNOSTICS)
        # A steady clock: diagnostics and signs of life go on when simulated time stands still.
        self._timer = self.create_timer(
            1.0, self._every_second, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self.add_on_set_parameters_callback(self._on_parameters)

    # -- life cycle -----------------------------------------------------------------------------

    def on_configure(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Open the core and make the topics."""
        try:
            values = parameters.values_of(self)
            wrong = [*self._wrong.values(), *parameters.problems_of(values)]
            if wrong:
                raise ConfigurationError(" ".join(wrong))
            self._open(values)
        except Exception as error:
            self._release()
            self._problem = f"The node cannot be configured: {_words(error)}"
            self.get_logger().error(self._problem)
            return _FAILED
        assert self._runtime is not None
        self._problem = ""
        self._state = "inactive"
        self.get_logger().info(f"Configured: {self._runtime.source.name}")
        return super().on_configure(state)

    def _open(self, values: dict[str, Any]) -> None:
        settings = parameters.core_settings(values)
        around = self._around = Surroundings(self, values) if values["map"] else None
        self._runtime = Runtime(
            settings,
            values["max_concurrent"],
            tuple(values["enrichment_sources"]),
            values["max_graph"],
            around.see if around is not None else None,
            values["max_waiting"],
            values["judge_triples"],
        )
        self._events = self.create_publisher(m.RunEvent, "~/events", qos.EVENTS)
        if around is not None:
            around.make_topics()

    def on_activate(self, state: LifecycleState) -> TransitionCallbackReturn:
        """Take requests and objects."""
        assert self._runtime is not None
        if self._around is not None:
            self._map_requests.activate(*self._around.start())
        self._serving.runtime = self._runtime
        self._state = "active"
        done = super().on_activate(state)
        self.get_logger().info(f"Active: answers on {self.get_fully_qualified_name()}/ask")
        return done

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
        return self._serving.busy

    def wind_down(self) -> None:
        """Take no more requests and cancel what is under way."""
        runtime, self._serving.runtime = self._serving.runtime, None
        if runtime is not None:
            runtime.cancel_all()

    def destroy_node(self) -> None:
        """Stop all threads before the node goes."""
        self._stop()
        self._release()
        self._requests.destroy()
        self._map_requests.destroy()
        self._log.detach()
        super().destroy_node()

    def _stop(self) -> None:
        self.wind_down()
        if self._around is not None:
            self._around.stop()

    def _release(self) -> None:
        events, self._events = self._events, None
        if self._runtime is not None:
            self._runtime.close()
            self._runtime = None
        if self._around is not None:
            self._around.close()
            self._around = None
        if events is not None:
            self.destroy_publisher(events)

    # -- callbacks ------------------------------------------------------------------------------

    def _on_parameters(self, changed: list[Any]) -> Any:
        result = parameters.check(changed, unconfigured=self._state == "unconfigured")
        if result.successful:
            for parameter in changed:
                self._wrong.pop(parameter.name, None)
        return result

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
        runtime, around = self._runtime, self._around
        values: dict[str, Any] = {}
        lost: dict[str, int] = {}
        wrong = self._problem
        if runtime is not None:
            values["source"] = runtime.source.name
            values["runs under way"] = runtime.runs.busy
        if self._events is not None:
            values["watchers"] = self._events.get_subscription_count()
        values.update(self._serving.counts)
        if self._serving.last_error:
            values["last error"] = self._serving.last_error
        if around is not None:
            values["objects"] = len(around.belief.objects())
            values["regions"] = len(around.belief.regions())
            wrong = wrong or (around.links.problem if around.links is not None else "")
            keeper = around.keeper
            if keeper is not None:
                values["arrays waiting"] = keeper.waiting
                lost["arrays dropped"] = keeper.dropped
                lost["objects ignored"] = keeper.ignored
                lost["objects malformed"] = keeper.malformed
                if keeper.why_malformed:
                    values["last malformed"] = keeper.why_malformed
                wrong = wrong or keeper.problem
        return self._health.report(self._state, values, lost, wrong)


def _words(error: Exception) -> str:
    return str(error) if isinstance(error, RoboDataError) else repr(error)
