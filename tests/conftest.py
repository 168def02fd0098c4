"""What all tests share: where the shared data is, how hypothesis searches, a clean environment."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

ROOT = Path(__file__).resolve().parent.parent

#: A secret that every test runs with: wherever it is seen, one would have leaked.
CANARY = "sk-canary-7c1d9b30e4"

#: Seconds of processor time that no test may need, on a machine that has a core for it.
GREEDY = float(os.environ.get("TEST_PROCESSOR_SECONDS", "10"))
#: Seconds of processor time that ``_slowness`` takes there.
_CALM = 0.35
#: What ran beside a test may have gone when it is measured how slow the machine is.
_BESIDE = 2.0
_PROCESSOR_SECONDS = pytest.StashKey[float]()

# Started in the background, Ctrl+C would be ignored here and in every child; the tests of Ctrl+C
# need it as a terminal has it. A handler of ours becomes the default in children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: the machines that run this are shared, and time is not what the tests are about.
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
# A failure in CI is shown as it was found: making it smaller can take longer than all tests.
_NO_SHRINKING = [Phase.explicit, Phase.generate]
settings.register_profile("ci", max_examples=50, derandomize=True, phases=_NO_SHRINKING, **_COMMON)
settings.register_profile(
    "brief", max_examples=10, derandomize=True, phases=_NO_SHRINKING, **_COMMON
)
settings.register_profile("dev", max_examples=50, **_COMMON)
settings.register_profile("thorough", max_examples=2_000, **_COMMON)
# Several test processes share the cores: threads of linear algebra would wait for each other.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Keep names of tests readable where an argument is long, and the same in every process.

    What is packed (gzip) holds the time at which it was: named after such bytes, a test has
    another name in each worker of pytest-xdist, which then collects nothing.
    """
    if isinstance(val, str) and len(val) > 60:
        return f"{argname}-of-{len(val)}-characters"
    if isinstance(val, bytes):
        return f"{argname}-of-{len(val)}-bytes"
    return None


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The data sets that lie beside the checkout; a test that needs them is skipped without."""
    path = ROOT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("the shared data sets are not beside this checkout (../shared/data)")
    return path


@pytest.fixture(scope="session", autouse=True)
def _clean_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's settings and caches out of the tests, and the tests out of them."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("ROBODATA_")]:
            patch.delenv(name)
        for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            patch.setenv(name, str(home / name.lower()))
        patch.setenv("OPENAI_API_KEY", CANARY)
        # What tests expect of answers stands in the small snapshot; those of the default name it.
        patch.setenv("ROBODATA_SOURCE", "snapshot:wikidata-sample")
        # A scripted model replies to the turns of a run; its own tests ask for the second look.
        patch.setenv("ROBODATA_SECOND_LOOK", "false")
        yield


@pytest.fixture(scope="module", autouse=True)
def _what_stays() -> None:
    """Search for garbage only among what the tests of one module make.

    Python looks through everything there is, again and again; with what thousands of tests have
    loaded and made that takes a fifth of all processor time, and of the terminal UI's half.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note the processor time of this process and of its children that have ended."""
    item.stash[_PROCESSOR_SECONDS] = sum(os.times()[:4])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that took much processor time, whatever they and their fixtures ran."""
    taken = [
        (seconds, report.nodeid)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "teardown"
        for name, seconds in report.user_properties
        if name == "processor_seconds" and seconds > GREEDY
    ]
    if taken:
        terminalreporter.section(f"tests that took over {GREEDY:g} s of processor time")
    for seconds, name in sorted(taken, reverse=True):
        terminalreporter.write_line(f"{seconds:6.1f}  {name}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that shows the canary, leaves it in a file, or takes too much processor time."""
    report = yield
    if call.when == "teardown":
        taken = sum(os.times()[:4]) - item.stash[_PROCESSOR_SECONDS]
        report.user_properties.append(("processor_seconds", taken))
        if taken > GREEDY and report.passed and taken > (most := _BESIDE * GREEDY * _slowness()):
            report.outcome = "failed"
            report.longrepr = f"{taken:.1f} s of processor time; here no test may need {most:.1f}."
    if call.when != "call" or not report.passed:
        return report
    seen = [name for name, text in report.sections if CANARY in text]
    folder = getattr(item, "funcargs", {}).get("tmp_path")
    if isinstance(folder, Path):
        seen += [str(path) for path in _small_files(folder) if CANARY.encode() in path.read_bytes()]
    if seen:
        report.outcome = "failed"
        report.longrepr = f"The canary was seen in: {', '.join(seen)}"
    return report


def _slowness() -> float:
    """Return how many times longer a thing takes now than on a calm machine, and at least 1.

    Processor time is no constant either: processes that share a core share its caches.
    """
    begun = time.thread_time()
    kept = {str(number): (number, str(number * 7)) for number in range(200_000)}
    sum(len(kept[str(number * 7_919 % 200_000)][1]) for number in range(200_000))
    return max(1.0, (time.thread_time() - begun) / _CALM)


def _small_files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*"))[:200]:
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 1_000_000:
            yield path
