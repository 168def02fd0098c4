"""Check one ``robodata ask --json`` object: ``check_answer.py FILE EXPECTED_ID``.

Asserts the parts of the contract every other program relies on, with the standard library
alone, so that it runs in a user's environment.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def problems(answer: dict[str, Any], expected: str) -> list[str]:
    """Return what is wrong with ``answer``, in sentences."""
    found = []
    if answer.get("status") != "answered":
        found.append(f"status is {answer.get('status')!r}, not 'answered'")
    if expected not in [result.get("id") for result in answer.get("results", [])]:
        found.append(f"{expected} is not among the results {answer.get('results')}")
    if not answer.get("claims"):
        found.append("there are no claims")
    for claim in answer.get("claims", []):
        if not claim.get("supported") or not claim.get("support"):
            found.append(f"claim {claim.get('id')} has no support")
        for triple in claim.get("support", []):
            if not triple.get("provenance", {}).get("source"):
                found.append(f"{triple.get('handle')} does not say where it is from")
    return found


def main() -> int:
    """Read the file, print what is wrong, return the exit code."""
    path, expected = sys.argv[1:]
    found = problems(json.loads(Path(path).read_text(encoding="utf-8")), expected)
    for problem in found:
        print(f"{path}: {problem}", file=sys.stderr)
    if not found:
        print(f"{path}: answered with {expected}, every claim supported")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
