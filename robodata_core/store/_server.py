"""A SPARQL 1.1 server as the place of a local graph, shared by any number of processes.

What the graph keeps in its default graph stands at the server in the named graph
``urn:robodata:graph:names``, beside the graphs of the runs, so that it does not matter what a
server takes for its default graph, and other data may live there too::

    GRAPH <urn:robodata:graph:names> {
      <urn:robodata:store> rd:format "1" ;
        rd:version "6d0c..." ;            # another one after every change
        rd:commit "6d0c...", "81f2..." ;  # every change that was carried out
        rd:holds <urn:robodata:run:RUN> . # the graphs of the runs
    }

A change is one update on the condition that the version is still the one last read, so it is
carried out whole or not at all, is not carried out twice when it is sent again, and no two
processes give the same handle. That it was carried out is then asked for; nothing else counts.
Reading is done on a copy in memory, read anew when the version is another; whether a triple stands
in the graph is asked of the server itself. Blank nodes are never written.

Specifications: SPARQL 1.1 Protocol, SPARQL 1.1 Update.
"""

from __future__ import annotations

import itertools
import logging
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Final

import pyoxigraph as ox

from robodata_core.errors import SourceError, StoreError
from robodata_core.store import _vocabulary as v
from robodata_core.store._backend import Pattern, apply_to, quads_text
from robodata_core.store._disk import sentences
from robodata_core.store._literals import string
from robodata_core.store._memory import FORMAT
from robodata_core.text import clean_text

if TYPE_CHECKING:
    from robodata_core.sources.http import HttpClient, HttpResponse

__all__ = ["Server"]

_log = logging.getLogger("robodata.store")

_NAMES: Final = ox.NamedNode(v.ROBODATA + "graph:names")
_VERSION: Final = ox.NamedNode(v.TERM + "version")
_COMMIT: Final = ox.NamedNode(v.TERM + "commit")
_HOLDS: Final = ox.NamedNode(v.TERM + "holds")
_OWN: Final = frozenset({_VERSION, _COMMIT, _HOLDS})
_EVERYTHING: Final = (
    f"{{ GRAPH {_NAMES} {{ ?s ?p ?o }} BIND({_NAMES} AS ?g) }} UNION "
    f"{{ GRAPH {_NAMES} {{ {v.STORE} {_HOLDS} ?g }} GRAPH ?g {{ ?s ?p ?o }} }}"
)
_RESULTS: Final = "application/sparql-results+json"
_FRESH_SECONDS: Final = 1.0
_GONE_SECONDS: Final = 5.0
_CHECK_SECONDS: Final = 5.0
_MOST_READS: Final = 5
_MOST_CONFIRMED: Final = 50


class Server:
    """The ``Backend`` at a SPARQL server.

    Args:
        client: Sends the requests; closed with this.
        query_url: Address of its query service.
        update_url: Address of its update service.
        clock: Seconds, for how long an answer is good enough.
        new_version: Gives every change another name.

    Raises:
        StoreError: If it cannot be reached, refuses to write, or holds something else.
    """

    advice = "Have the server's data restored, or name another data set of it."

    def __init__(
        self,
        client: HttpClient,
        query_url: str,
        update_url: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        new_version: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self._client = client
        self._query_url = query_url
        self._update_url = update_url
        self._clock = clock
        self._new_version = new_version
        self._rdf = ox.Store()
        self._graphs: set[ox.NamedNode] = set()
        self._version: str | None = None
        self._look_at = 0.0
        self._confirmed: dict[Pattern, float] = {}
        self._begin()

    @property
    def rdf(self) -> ox.Store:
        """The copy."""
        return self._rdf

    def guard(self) -> AbstractContextManager[None]:
        """See ``Backend``; the copy is in memory."""
        return sentences(None)

    def close(self) -> None:
        """Close connections."""
        self._client.close()

    # -- reading ------------------------------------------------------------------------------

    def renew(self, *, must: bool = False) -> bool:
        """See ``Backend``; without ``must`` the server is looked at once a second at most."""
        now = self._clock()
        if not must and now < self._look_at:
            return False
        try:
            version = self._version_there()
            if version == self._version:
                self._look_at = self._clock() + _FRESH_SECONDS
                return False
            if not version:
                raise StoreError(
                    f"The local graph at {self._query_url} is gone: the server no longer has it.",
                    hint="What was read from it is still in memory and can be exported.",
                )
            self._read()
        except StoreError as error:
            if must:
                raise
            _log.warning("What is in memory has to do: %s", error)
            self._look_at = self._clock() + _GONE_SECONDS
            return False
        self._look_at = self._clock() + _FRESH_SECONDS
        return True

    def confirm(self, wanted: Pattern, others: Iterable[Pattern]) -> bool:
        """See ``Backend``; asked for together with up to 50 ``others``, good for a second."""
        now = self._clock()
        if self._confirmed.get(wanted, now) > now:
            return True
        patterns = [wanted, *itertools.islice(others, _MOST_CONFIRMED)]
        branches = (
            f"{{ {_in_graphs(pattern)} BIND({number} AS ?i) }}"
            for number, pattern in enumerate(patterns)
        )
        query = f"SELECT DISTINCT ?i WHERE {{ {' UNION '.join(branches)} }}"
        found = {int(row["i"].value) for row in self._rows(query, _CHECK_SECONDS)}
        self._confirmed = {patterns[number]: self._clock() + _FRESH_SECONDS for number in found}
        if 0 not in found:
            self._version = None  # if memory has it, somebody deleted it behind our back
            self._look_at = 0.0
        return 0 in found

    def _version_there(self) -> str:
        query = f"SELECT ?v WHERE {{ GRAPH {_NAMES} {{ {v.STORE} {_VERSION} ?v }} }}"
        versions = [row["v"].value for row in self._rows(query, _CHECK_SECONDS)]
        return versions[0] if len(versions) == 1 else ""

    def _read(self) -> None:
        """Copy the whole graph."""
        for _ in range(_MOST_READS):
            store, version, rows = ox.Store(), "", 0
            graphs: set[ox.NamedNode] = set()
            quads: list[ox.Quad] = []
            for row in self._rows(f"SELECT ?g ?s ?p ?o WHERE {{ {_EVERYTHING} }}"):
                rows += 1
                graph, predicate, object_ = row["g"], row["p"], row["o"]
                graphs.add(graph)
                if graph == _NAMES and row["s"] == v.STORE and predicate in _OWN:
                    version = object_.value if predicate == _VERSION else version
                    continue
                place = ox.DefaultGraph() if graph == _NAMES else graph
                quads.append(ox.Quad(row["s"], predicate, object_, place))
            store.extend(quads)
            if self._is_whole(rows, version):
                self._rdf, self._graphs, self._version = store, graphs, version
                self._confirmed = {}
                return
        raise StoreError("The local graph is changed by others all the time and cannot be read.")

    def _is_whole(self, rows: int, version: str) -> bool:
        """Tell whether so many rows were all there was; False if there is another version.

        Raises:
            StoreError: If the server leaves rows out.
        """
        count = f"SELECT (COUNT(*) AS ?n) WHERE {{ {_EVERYTHING} }}"
        (row,) = self._rows(count)
        total = int(row["n"].value)
        if self._version_there() != version:
            return False
        if total != rows:
            raise StoreError(
                f"The server gave {rows} of the {total} rows of the local graph.",
                hint="Raise its limit of rows in an answer.",
            )
        return True

    # -- writing ------------------------------------------------------------------------------

    def write(self, added: Sequence[ox.Quad], removed: Sequence[ox.Quad]) -> bool:
        """See ``Backend``."""
        before, after = self._version, self._new_version()
        if before is None:
            return False
        self._version = None  # whatever happens now, memory may be behind
        graphs = {q.graph_name for q in added if isinstance(q.graph_name, ox.NamedNode)}
        new_graphs = graphs - self._graphs
        own = [ox.Quad(v.STORE, _HOLDS, graph) for graph in new_graphs]
        own += [ox.Quad(v.STORE, term, string(after)) for term in (_VERSION, _COMMIT)]
        was = ox.Quad(v.STORE, _VERSION, string(before))
        text = (
            f"DELETE {{ {quads_text([*removed, was], _NAMES)} }}\n"
            f"INSERT {{ {quads_text([*added, *own], _NAMES)} }}\n"
            f"WHERE {{ {quads_text([was], _NAMES)} }}"
        )
        failure: StoreError | None = None
        try:
            self._update(text)
        except StoreError as error:
            failure = error  # the answer is lost; the update may have been carried out
        if not self._is_done(after, failure):
            if failure is not None:
                raise failure
            return False
        apply_to(self._rdf, added, removed)
        self._graphs |= new_graphs
        self._version = after
        self._confirmed = {}
        return True

    def _is_done(self, version: str, failure: StoreError | None) -> bool:
        query = f"ASK {{ GRAPH {_NAMES} {{ {v.STORE} {_COMMIT} {string(version)} }} }}"
        try:
            return bool(self._ask(query))
        except StoreError as error:
            raise failure or error from error

    def _begin(self) -> None:
        """Read the graph, or make one; see that it may be written."""
        if not self._version_there():
            facts = [
                ox.Quad(v.STORE, v.FORMAT, string(FORMAT)),
                ox.Quad(v.STORE, _VERSION, string(self._new_version())),
            ]
            new = f"FILTER NOT EXISTS {{ GRAPH {_NAMES} {{ {v.STORE} {v.FORMAT} ?f }} }}"
            self._update(f"INSERT {{ {quads_text(facts, _NAMES)} }} WHERE {{ {new} }}")
        else:
            nothing = ox.Quad(v.STORE, _COMMIT, string("none"))
            self._update(f"DELETE DATA {{ {quads_text([nothing], _NAMES)} }}")
        self._read()

    # -- requests -----------------------------------------------------------------------------

    def _rows(self, query: str, seconds: float | None = None) -> Iterator[Any]:
        found = self._parsed(query, seconds)
        try:
            if not isinstance(found, ox.QuerySolutions):
                raise ValueError("no rows")
            yield from found
        except (SyntaxError, ValueError) as error:
            raise self._nonsense() from error

    def _ask(self, query: str) -> bool:
        found = self._parsed(query, _CHECK_SECONDS)
        if not isinstance(found, ox.QueryBoolean):
            raise self._nonsense()
        return bool(found)

    def _parsed(self, query: str, seconds: float | None) -> Any:
        headers = {"Content-Type": "application/sparql-query", "Accept": _RESULTS}
        body = self._send(self._query_url, query, headers, seconds).body
        try:
            return ox.parse_query_results(body, format=ox.QueryResultsFormat.JSON)
        except (SyntaxError, ValueError) as error:
            raise self._nonsense() from error

    def _update(self, text: str) -> None:
        self._send(self._update_url, text, {"Content-Type": "application/sparql-update"}, None)

    def _send(
        self, url: str, text: str, headers: dict[str, str], seconds: float | None
    ) -> HttpResponse:
        try:
            response = self._client.request(
                "POST", url, data=text.encode("utf-8"), headers=headers, seconds=seconds
            )
        except SourceError as error:
            raise _failed(error) from error
        if response.status in (404, 405):
            what = "updates" if url == self._update_url else "queries"
            raise StoreError(
                f"The local graph's server takes no {what} at {url} (status {response.status}).",
                hint="Check the address; store_update is the setting for that of updates.",
            )
        if response.status >= 300:
            reason = clean_text(response.body[:300].decode("utf-8", "replace"), limit=200)
            raise StoreError(
                f"The local graph's server refused the request (status {response.status}): {reason}"
            )
        return response

    def _nonsense(self) -> StoreError:
        return StoreError(
            f"The answer of the local graph's server at {self._query_url} is no SPARQL result.",
            hint="Is that the address of a SPARQL query service?",
        )


def _failed(error: SourceError) -> StoreError:
    hint = error.hint
    if "credentials" in hint:
        hint = "Set ROBODATA_STORE_USER and ROBODATA_STORE_PASSWORD, or ROBODATA_STORE_TOKEN."
    return StoreError(f"The server of the local graph cannot be used: {error.message}", hint=hint)


def _in_graphs(pattern: Pattern) -> str:
    triples = (f"GRAPH ?g{number} {{ {triple} }}" for number, triple in enumerate(pattern.triples))
    return f"{' '.join(triples)} {pattern.filter}"
