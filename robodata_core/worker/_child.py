"""What runs first in a worker's process: limits, then the job. A script, not to be imported.

Only the standard library, until the job's module is imported.
"""

from __future__ import annotations

import importlib
import json
import signal
import sys


def main() -> None:
    """Read what to do from the first line of stdin, and do it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    request = json.loads(stdin.readline())
    if hasattr(signal, "setitimer"):
        # No Python handler: the alarm must end the process even while native code runs.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if request["seconds"]:
            signal.setitimer(signal.ITIMER_REAL, request["seconds"])
    sys.path[:] = request["path"]
    module, _, name = request["job"].partition(":")
    job = getattr(importlib.import_module(module), name)
    if request["memory"]:
        _limit(request["memory"])
    job(stdin, stdout)


def _limit(memory: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # not everywhere; time and size still hold
        return


if __name__ == "__main__":
    main()
