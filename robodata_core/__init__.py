"""RoboData: verifiable answers over knowledge graphs.

``RoboData.open()`` is the way in; everything public is loaded on first use, so importing this
package is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from robodata_core._version import __version__

if TYPE_CHECKING:
    from robodata_core.api import RoboData
    from robodata_core.config import Settings
    from robodata_core.errors import RoboDataError
    from robodata_core.model import Answer

__all__ = ["Answer", "RoboData", "RoboDataError", "Settings", "__version__"]

_HOMES = {
    "Answer": "robodata_core.model",
    "RoboData": "robodata_core.api",
    "RoboDataError": "robodata_core.errors",
    "Settings": "robodata_core.config",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
