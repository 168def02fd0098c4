"""Queries and updates sent to the SPARQL server of a local graph, and what it answers.

Specification: SPARQL 1.1 Protocol; texts are sent directly, not as forms.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import pyoxigraph as ox

from robodata_core.errors import SourceError, StoreError
from robodata_core.text import clean_text

if TYPE_CHECKING:
    from robodata_core.sources.http import HttpClient, HttpResponse

CHECK_SECONDS: Final = 15.0
_RESULTS: Final = "application/sparql-results+json"


class Requests:
    """Sends requests to one server.

    Args:
        client: Sends them; closed with this.
    """

    def __init__(self, client: HttpClient, query_url: str, update_url: str) -> None:
        self._client = client
        self.query_url = query_url
        self._update_url = update_url

    def close(self) -> None:
        self._client.close()

    def rows(self, query: str, seconds: float | None = None) -> Iterator[Any]:
        """Yield the rows of a SELECT.

        Raises:
            StoreError: If there is no answer (within ``seconds``), or another one.
        """
        found = self._parsed(query, seconds)
        try:
            if not isinstance(found, ox.QuerySolutions):
                raise ValueError("no rows")
            yield from found
        except (SyntaxError, ValueError) as error:
            raise self._nonsense() from error
        finally:
            del found  # an error would take it to another thread, where it must not end

    def ask(self, query: str) -> bool:
        """Return the answer of an ASK.

        Raises:
            StoreError: If there is none.
        """
        found = self._parsed(query, CHECK_SECONDS)
        if not isinstance(found, ox.QueryBoolean):
            raise self._nonsense()
        return bool(found)

    def _parsed(self, query: str, seconds: float | None) -> Any:
        headers = {"Content-Type": "application/sparql-query", "Accept": _RESULTS}
        body = self._send(self.query_url, query, headers, seconds).body
        try:
            return ox.parse_query_results(body, format=ox.QueryResultsFormat.JSON)
        except (SyntaxError, ValueError) as error:
            raise self._nonsense() from error

    def update(self, text: str) -> None:
        """Send an update.

        Raises:
            StoreError: If the server does not say that it has been carried out; it may have.
        """
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
            f"The answer of the local graph's server at {self.query_url} is no SPARQL result.",
            hint="Is that the address of a SPARQL query service?",
        )


def _failed(error: SourceError) -> StoreError:
    hint = error.hint
    if "credentials" in hint:
        hint = (
            "Credentials come from ROBODATA_STORE_USER and ROBODATA_STORE_PASSWORD, or"
            " ROBODATA_STORE_TOKEN; the server must take updates."
        )
    return StoreError(f"The server of the local graph cannot be used: {error.message}", hint=hint)
