"""The child process that converts OWL syntaxes to RDF/XML: a script, not to be imported.

A parser in native code cannot be interrupted, and one that recurses dies of deep nesting; here it
takes nobody with it. The first line on stdin is a JSON object with the module search path and the
limits, the rest is the document. The answer on stdout is a JSON line, followed by the RDF/XML if
that line says ``ok``. Nothing is fetched: imports stay names.
"""

from __future__ import annotations

import json
import signal
import sys


def main() -> None:
    """Convert one document."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends this process
    stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
    request = json.loads(stdin.readline())
    if hasattr(signal, "setitimer"):
        # No Python handler: the alarm must end the process even while native code runs.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, request["seconds"])
    _limit_memory(request["memory"])
    sys.path[:] = request["path"]
    try:
        text = stdin.read().decode("utf-8-sig")
        import pyhornedowl

        ontology = pyhornedowl.open_ontology_from_string(text, serialization=request["syntax"])
        data = ontology.save_to_string("owl").encode("utf-8", "replace")
    except MemoryError:
        reply = {"error": "memory"}
    except UnicodeDecodeError as error:
        reply = {"error": "encoding", "at": str(error.start)}
    except Exception as error:  # whatever it is, the parent turns it into a sentence
        reply = {"error": "syntax", "text": str(error)[:10_000]}
    else:
        stdout.write(b'{"ok": true}\n')
        stdout.write(data)
        stdout.flush()
        return
    stdout.write(json.dumps(reply).encode() + b"\n")
    stdout.flush()


def _limit_memory(most: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):  # not everywhere; time and size still hold
        pass


if __name__ == "__main__":
    main()
