"""A sentence-transformers model on this machine, loaded when the first text needs it.

``local`` means local: nothing is downloaded here, and no hub is asked for anything. What can be
seen without loading is checked at once, so that a wrong name does not end a run half-way.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
from array import array
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from robodata_core.cancellation import CancelToken
from robodata_core.errors import ConfigurationError
from robodata_core.policy.offline.vectors import unit

__all__ = ["LocalEmbedder"]

_log = logging.getLogger("robodata.policy.offline")
_MOST_FILES: Final = 200
_GET_IT: Final = (
    "Give the folder of a sentence-transformers model, or download one once:"
    " python -c \"from sentence_transformers import SentenceTransformer as S; S('{model}')\""
)


class LocalEmbedder:
    """Makes vectors with a model on this machine; thread-safe.

    Args:
        model: Its folder, or its name where it was downloaded before.

    Attributes:
        name: Tells models apart, and a folder from what it held before.

    Raises:
        ConfigurationError: If sentence-transformers is not installed or has no such model.
    """

    def __init__(self, model: str) -> None:
        if find_spec("sentence_transformers") is None:
            raise ConfigurationError(
                "sentence-transformers is not installed.",
                hint="pip install 'robodata[semantic]', or use semantic: endpoint.",
            )
        self._lock = threading.Lock()
        self._loaded: Any = None
        folder = Path(model).expanduser()
        if folder.is_dir():
            if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
                raise ConfigurationError(
                    f"The folder {_short(model)} holds no model.",
                    hint="A model's folder has config.json or modules.json in it.",
                )
            self._source = str(folder)
            self.name = f"local {folder.resolve()} {_state(folder)}"
            return
        if folder.is_absolute() or model.startswith((".", "~")) or model.count("/") > 1:
            raise ConfigurationError(
                f"There is no folder {_short(model)}.",
                hint="Give the folder of a sentence-transformers model, or its name.",
            )
        self._source = model
        self.name = f"local {model}"
        if not _was_downloaded(model):
            self._model()  # there is more than one place to look, and the library knows them

    def embed(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[array[float]]:
        """Return one vector for every text; see ``embeddings.Embedder``.

        Raises:
            ConfigurationError: If the model cannot be loaded.
            CancelledError: If ``cancel`` says so, before anything is made.
        """
        if cancel is not None:
            cancel.check()
        with self._lock:
            rows = self._model().encode(list(texts), show_progress_bar=False)
        return [unit([float(number) for number in row]) for row in rows]

    def close(self) -> None:
        """Forget the model."""
        self._loaded = None

    def _model(self) -> Any:
        if self._loaded is None:
            _log.info("loading the embedding model %s", self._source)
            library = import_module("sentence_transformers")
            with suppress(Exception):  # its bars would stand in the middle of an answer
                import_module("transformers.utils.logging").disable_progress_bar()
            try:
                self._loaded = library.SentenceTransformer(self._source, local_files_only=True)
            except Exception as error:  # whatever the library raises
                reason = " ".join(str(error).split())[:200]
                _log.info("the embedding model cannot be loaded: %s", reason)
                if Path(self._source).is_dir():
                    raise ConfigurationError(
                        f"The model in {_short(self._source)} cannot be loaded: {reason}",
                        hint="Is it a whole sentence-transformers model?",
                    ) from error
                raise ConfigurationError(
                    f"The model {_short(self._source)} is not on this machine.",
                    hint=_GET_IT.format(model=self._source[:100]),
                ) from error
        return self._loaded


def _short(model: str) -> str:
    return repr(model[:200])


def _state(folder: Path) -> str:
    """Return a mark of what a folder holds, by names, sizes and times: vectors are kept by it."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())[:_MOST_FILES]
    digest = hashlib.sha256()
    for path in files:
        found = path.stat()
        digest.update(f"{path.relative_to(folder)} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:12]


def _was_downloaded(model: str) -> bool:
    """Tell whether the Hugging Face cache has a model of that name."""
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    cache = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")
    full = model if "/" in model else f"sentence-transformers/{model}"
    return (cache / f"models--{full.replace('/', '--')}" / "snapshots").is_dir()
