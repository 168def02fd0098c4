"""Which code gave an answer: a fingerprint of the installed core, noted with every result.

A version number stays the same from one change to the next while somebody works on the code;
what the files hold does not.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).resolve().parents[1]
_CODE: Final = (".py", ".tsv", ".txt", ".json")
"""Modules, tables of words, prompts, and the manifest of the embedded snapshot."""
_DIGITS: Final = 12


def code_fingerprint(package: Path = _PACKAGE) -> str:
    """Return a short hash of what the package's files hold, or "" where they cannot be read.

    The same for the same files wherever and whenever they were installed: neither paths outside
    the package nor times count.

    Args:
        package: Folder of the package.
    """
    found = hashlib.sha256()
    try:
        for name in _files(package):
            content = (package / name).read_bytes()
            found.update(f"{name}\0{len(content)}\0".encode())
            found.update(content)
    except OSError:
        return ""
    return found.hexdigest()[:_DIGITS]


def _files(package: Path) -> list[str]:
    names = []
    for folder, folders, files in os.walk(package):
        folders[:] = [name for name in folders if name != "__pycache__"]
        inside = Path(folder).relative_to(package)
        names += [(inside / name).as_posix() for name in files if name.endswith(_CODE)]
    return sorted(names)
