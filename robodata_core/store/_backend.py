"""Where the RDF of a local graph is kept: in memory, in a folder, or at a server.

The graph itself (drafts, handles, memory) is the same for all; a backend only says what stands in
the RDF, carries out one change whole or not at all, and tells when somebody else made one. The
server's backend is in ``_server``.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import traceback
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import pyoxigraph as ox

from robodata_core.errors import StoreBusyError, StoreError, StoreFullError
from robodata_core.store import _vocabulary as v
from robodata_core.store._literals import string
from robodata_core.store._memory import FORMAT
from robodata_core.store.terms import Terms, property_from_node

# What RocksDB writes into every folder it owns.
_MARK = "CURRENT"
# What stands there before, where making a store was cut off.
_BEGUN = re.compile(r"(?:LOCK|IDENTITY|LOG(?:\.old\..*)?|MANIFEST-\d+|\d+\.(?:log|dbtmp))\Z")


def open_store(path: str | os.PathLike[str]) -> ox.Store:
    """Open or create the store in the folder ``path``.

    Raises:
        StoreBusyError: If somebody has it open.
        StoreError: If the folder cannot be used.
    """
    folder = Path(path).expanduser()
    try:
        if folder.exists() and not folder.is_dir():
            raise StoreError(
                f"The store cannot be opened: {folder} is a file, not a folder.",
                hint="Name a new or empty folder.",
            )
        if folder.is_dir() and not (folder / _MARK).exists():
            if any(folder.glob("*.sst")):
                raise _damaged(folder)
            if not all(_BEGUN.match(path.name) for path in folder.iterdir()):
                raise StoreError(
                    f"The store cannot be opened: {folder} holds other files.",
                    hint="Name a new or empty folder.",
                )
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _sentence(error, folder) from error
    with sentences(folder):
        return ox.Store(os.fspath(folder))


@contextlib.contextmanager
def sentences(folder: Path | None) -> Iterator[None]:
    """Turn what Oxigraph raises inside into ``StoreError``.

    Raises:
        StoreBusyError: If somebody else has the store open.
        StoreFullError: If there is no space left.
        StoreError: For anything else that goes wrong with the files.
    """
    try:
        with letting_go():
            yield
    except (OSError, SyntaxError) as error:
        raise _sentence(error, folder) from error
    except RuntimeError as error:  # what RocksDB finds broken
        if str(error).startswith(("Corruption", "IO error")):
            raise _sentence(error, folder) from error
        raise
    except BaseException as error:
        # Damage that nobody foresaw arrives as a panic of the Rust side.
        if type(error).__name__ == "PanicException":
            raise _damaged(folder) from error
        raise


@contextlib.contextmanager
def letting_go() -> Iterator[None]:
    """Keep exceptions that come out of here from holding on to the store.

    Oxigraph gives a folder free when nothing refers to its store any more, and a traceback refers
    to everything its functions worked with.
    """
    try:
        yield
    except BaseException as error:
        chain: BaseException | None = error
        while chain is not None:
            traceback.clear_frames(chain.__traceback__)
            chain = chain.__context__
        raise


def _sentence(error: Exception, folder: Path | None) -> StoreError:
    text = str(error).lower()
    where = f" in {folder}" if folder else ""
    if "while lock file" in text or "lock hold by current process" in text:
        return StoreBusyError(
            f"The store{where} is open elsewhere: only one process may use it at a time.",
            hint="Close the other one, or name another folder.",
        )
    if any(sign in text for sign in ("no space left", "quota exceeded", "space limit", "enospc")):
        return StoreFullError(
            f"There is no space left for the store{where}; what was stored before is kept.",
            hint="Free some space and try again.",
        )
    if "permission denied" in text or "read-only file system" in text:
        return StoreError(
            f"The store{where} cannot be written: permission denied.",
            hint="Name a folder you may write to.",
        )
    if any(sign in text for sign in ("corruption", "invalid", "no such file")):
        return _damaged(folder)
    return StoreError(f"The store{where} cannot be used: {error}")


def _damaged(folder: Path | None) -> StoreError:
    where = f" in {folder}" if folder else ""
    return StoreError(
        f"The store{where} is damaged and cannot be read.",
        hint="Restore it from a copy, or name another folder.",
    )


_BLOCK: Final = 20


@dataclass(frozen=True, slots=True)
class Pattern:
    """What is to match in the union of all graphs.

    Attributes:
        direct: The triple itself.
        more: Patterns beside it, where the triple alone does not hold the whole value.
        filter: A filter on these.
    """

    direct: Terms
    more: tuple[str, ...] = ()
    filter: str = ""

    @property
    def triples(self) -> tuple[str, ...]:
        """All triple patterns, as SPARQL has them."""
        return " ".join(map(str, self.direct)), *self.more


class Backend(Protocol):
    """Keeps the RDF of one local graph; used under that graph's lock.

    Attributes:
        advice: What to do about a graph there that cannot be read.
    """

    advice: str

    @property
    def rdf(self) -> ox.Store:
        """All of the RDF as it was last read; not to be written to."""
        ...

    @property
    def facts(self) -> ox.Store:
        """The same; names and where facts come from may be left out of it."""
        ...

    def dump(self) -> bytes:
        """Return all of the RDF as N-Quads."""
        ...

    def guard(self) -> AbstractContextManager[None]:
        """Turn what can go wrong while ``rdf`` is read into ``StoreError``."""
        ...

    def write(self, added: Sequence[ox.Quad], removed: Sequence[ox.Quad]) -> bool:
        """Carry out a change; when this returns True, it is where it is to stay.

        Returns:
            False if somebody else changed the graph meanwhile: nothing was done, and ``renew``
            brings what they did.

        Raises:
            StoreError: If it could not be carried out.
        """
        ...

    def renew(self, *, must: bool = False) -> bool:
        """Take over what others have written.

        Args:
            must: Whether to look at once, and to fail if that is not possible; otherwise what was
                read a moment ago, or last, is good enough.

        Returns:
            Whether there was anything.

        Raises:
            StoreError: If others left what is no local graph, or, with ``must``, on any failure.
        """
        ...

    def confirm(self, wanted: Pattern, others: Iterable[Pattern]) -> bool:
        """Tell whether a pattern matches where the graph is kept.

        Args:
            wanted: The pattern.
            others: Patterns that will probably be asked for next.

        Raises:
            StoreError: If it cannot be found out.
        """
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class Embedded:
    """An Oxigraph store of this process alone.

    In memory, names and where facts come from wait packed until somebody reads them: a quad takes
    some 250 bytes, a fact has 15, and programs ask for three.

    Args:
        folder: Where it is on disk; None keeps it in memory.
        store: What to keep it in, belonging to nobody else, instead of a new one in memory.

    Raises:
        StoreError: If the folder cannot be used.
    """

    advice = "Restore it from a copy, or name another folder."

    def __init__(
        self, folder: str | os.PathLike[str] | None = None, *, store: ox.Store | None = None
    ) -> None:
        self._folder = Path(folder).expanduser() if folder is not None else None
        self._rdf = open_store(self._folder) if self._folder is not None else store or ox.Store()
        self._waiting: list[tuple[bytes, bytes]] | None = None if self._folder is not None else []
        self._lock = threading.Lock()
        with self.guard():
            if not len(self._rdf):
                self._rdf.add(ox.Quad(v.STORE, v.FORMAT, string(FORMAT)))
                self._flush()

    @property
    def rdf(self) -> ox.Store:
        """The store."""
        with self._lock:
            if self._waiting:  # who reads once will read again: from now on nothing waits
                for added, removed in self._waiting:
                    apply_to(self._rdf, _unpacked(added), _unpacked(removed))
                self._waiting = None
        return self._rdf

    @property
    def facts(self) -> ox.Store:
        """See ``Backend``."""
        return self._rdf

    def dump(self) -> bytes:
        """See ``Backend``; what waits goes on waiting."""
        with self._lock:
            whole = dumped(self._rdf)
            if not self._waiting:
                return whole
            lines = dict.fromkeys(whole.splitlines(keepends=True))
            for added, removed in self._waiting:
                for line in zlib.decompress(removed).splitlines(keepends=True):
                    lines.pop(line, None)
                lines |= dict.fromkeys(zlib.decompress(added).splitlines(keepends=True))
        return b"".join(lines)

    def guard(self) -> AbstractContextManager[None]:
        """See ``Backend``."""
        return sentences(self._folder)

    def write(self, added: Sequence[ox.Quad], removed: Sequence[ox.Quad]) -> bool:
        """See ``Backend``; nobody else can have changed it."""
        with self._lock, self.guard():
            if self._waiting is not None:
                coming, going = _beside(added), _beside(removed)
                self._waiting.append((_packed(coming), _packed(going)))
                added = [quad for quad in added if quad not in coming]
                removed = [quad for quad in removed if quad not in going]
            apply_to(self._rdf, added, removed)
            self._flush()
        return True

    def renew(self, *, must: bool = False) -> bool:
        """There is nobody else."""
        return False

    def confirm(self, wanted: Pattern, others: Iterable[Pattern]) -> bool:
        """See ``Backend``."""
        with self.guard():
            if not wanted.more:  # nearly always so, and found many times faster without a query
                return next(self._rdf.quads_for_pattern(*wanted.direct), None) is not None
            query = f"ASK {{ {' . '.join(wanted.triples)} {wanted.filter} }}"
            return bool(self._rdf.query(query, use_default_graph_as_union=True))

    def close(self) -> None:
        """Oxigraph lets go of a folder when its store is no longer referred to."""
        del self._rdf

    def _flush(self) -> None:
        if self._folder is not None:
            self._rdf.flush()


def _beside(quads: Sequence[ox.Quad]) -> dict[ox.Quad, None]:
    """Return the quads that no program asks for: of names, calls, and statements of plain values.

    Another value, with its unit or precision, hangs on the node of its statement.
    """
    valued = {
        quad.subject
        for quad in quads
        if property_from_node(quad.predicate.value, "statement/value") is not None
    }
    return dict.fromkeys(
        quad
        for quad in quads
        if isinstance(quad.graph_name, ox.DefaultGraph)
        or any(
            isinstance(term, ox.NamedNode) and v.tells_whence(term) and term not in valued
            for term in (quad.subject, quad.object)
        )
    )


def _packed(quads: Iterable[ox.Quad]) -> bytes:
    return zlib.compress(ox.serialize(quads, format=ox.RdfFormat.N_QUADS) or b"")


def dumped(store: ox.Store) -> bytes:
    """Return all of an Oxigraph store as N-Quads."""
    return store.dump(format=ox.RdfFormat.N_QUADS) or b""


def _unpacked(data: bytes) -> list[ox.Quad]:
    return list(ox.parse(zlib.decompress(data), format=ox.RdfFormat.N_QUADS))


def apply_to(store: ox.Store, added: Sequence[ox.Quad], removed: Sequence[ox.Quad]) -> None:
    """Carry out a change of an Oxigraph store in one transaction."""
    if not removed:
        store.extend(added)
        return
    # Oxigraph runs all operations of one update as one transaction.
    store.update(f"DELETE DATA {{ {quads_text(removed)} }} ; INSERT DATA {{ {quads_text(added)} }}")


def quads_text(quads: Iterable[ox.Quad], default: ox.NamedNode | None = None) -> str:
    """Write quads as in an update.

    Args:
        quads: The quads.
        default: The graph to write those of the default graph into, if not the default graph.
    """
    by_graph: dict[object, list[str]] = {}
    for quad in quads:
        graph: object = quad.graph_name
        if isinstance(graph, ox.DefaultGraph):
            graph = default or graph
        by_graph.setdefault(graph, []).append(f"{quad.subject} {quad.predicate} {quad.object} .")
    parts = []
    for graph, triples in by_graph.items():
        if isinstance(graph, ox.DefaultGraph):
            parts += triples
            continue
        # rdflib takes a time that grows with the square of a block's length.
        blocks = (triples[start : start + _BLOCK] for start in range(0, len(triples), _BLOCK))
        parts += [f"GRAPH {graph} {{ {' '.join(block)} }}" for block in blocks]
    return "\n".join(parts)
