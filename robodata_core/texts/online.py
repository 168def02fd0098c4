"""Texts that services give: Wikipedia's extracts, and the snippets of a search service.

Requests go through the project's HTTP client, with its bounds; answers are untrusted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from html import unescape
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from robodata_core.errors import ConfigurationError, MalformedResponseError
from robodata_core.text import clean_text
from robodata_core.texts.corpus import Sentence, mentions, split

if TYPE_CHECKING:
    from robodata_core.cancellation import CancelToken
    from robodata_core.sources.http import Credentials, HttpClient

__all__ = ["WebSearch", "Wikipedia", "search_credentials"]

_MOST_TITLES: Final = 2
_SNIPPET: Final = 400


class Wikipedia:
    """The pages of one Wikipedia as plain text; see ``TextCorpus``.

    Args:
        client: Sends requests.
        api: Address of its Action API.
        language: Which Wikipedia, for the name.
        now: Tells the time.
    """

    def __init__(
        self, client: HttpClient, api: str, language: str, now: Callable[[], datetime]
    ) -> None:
        self.name = f"wikipedia:{language}"
        self._client, self._api, self._now = client, api, now

    def about(
        self, names: Sequence[str], limit: int, cancel: CancelToken | None = None
    ) -> tuple[Sentence, ...]:
        """Return the first sentences of the page."""
        for name in names[:_MOST_TITLES]:
            found = self._page(name, cancel, intro=True)
            if found:
                return found[:limit]
        return ()

    def together(
        self,
        names: Sequence[str],
        others: Sequence[str],
        limit: int,
        cancel: CancelToken | None = None,
    ) -> tuple[Sentence, ...]:
        """Return the sentences of either page that mention the other thing."""
        found: list[Sentence] = []
        for title, wanted in ((names[:1], others), (others[:1], names)):
            for name in title:
                page = self._page(name, cancel, intro=False)
                found += [one for one in page if mentions(one.text, wanted)]
        return tuple(found[:limit])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _page(self, title: str, cancel: CancelToken | None, *, intro: bool) -> tuple[Sentence, ...]:
        fields = {
            "action": "query", "format": "json", "formatversion": "2", "redirects": "1",
            "prop": "extracts", "explaintext": "1", "titles": title.replace("|", " "),
        }  # fmt: skip
        if intro:
            fields["exintro"] = "1"
        data = self._client.get(self._api, fields, cancel=cancel).json()
        pages = _at(data, "query.pages")
        page = pages[0] if isinstance(pages, list) and pages else {}
        text = page.get("extract") if isinstance(page, Mapping) else None
        if not isinstance(text, str):
            return ()
        called = clean_text(str(page.get("title") or title), limit=200)
        site = urlsplit(self._api)
        address = f"{site.scheme}://{site.netloc}/wiki/{quote(called.replace(' ', '_'))}"
        now = self._now()
        return tuple(
            Sentence(said, self.name, called, address, place, now, is_field)
            for place, (said, is_field) in enumerate(split(text), 1)
        )


class WebSearch:
    """A search service that answers in JSON.

    Args:
        client: Sends requests, with the service's key if it wants one.
        template: Address with ``{query}`` in it (SearXNG: ``https://HOST/search?format=json&q=``).
        results: Where the hits are and what their fields are called:
            ``results:title,url,content`` (SearXNG) or ``web.results:title,url,description``.
        now: Tells the time.

    Raises:
        ConfigurationError: If the template or the names of the fields are not well formed.
    """

    def __init__(
        self, client: HttpClient, template: str, results: str, now: Callable[[], datetime]
    ) -> None:
        path, _, fields = results.partition(":")
        names = [name.strip() for name in fields.split(",")]
        if "{query}" not in template:
            raise ConfigurationError("web_search has no {query} where the words go.")
        if not path or len(names) != 3 or not all(names):
            raise ConfigurationError(
                "web_results is not well formed.", hint="For example: results:title,url,content"
            )
        self.name = f"web:{urlsplit(template).hostname}"
        self._client, self._template, self._now = client, template, now
        self._path, self._fields = path, names

    def search(
        self, query: str, limit: int, cancel: CancelToken | None = None
    ) -> tuple[Sentence, ...]:
        """Return the snippets of the first hits.

        Raises:
            SourceError: If the service does not answer, or in another form.
        """
        address = self._template.replace("{query}", quote(query, safe=""))
        hits = _at(self._client.get(address, cancel=cancel).json(), self._path)
        if not isinstance(hits, list):
            raise MalformedResponseError(f"The search service's answer has no {self._path}.")
        now, found = self._now(), []
        for place, hit in enumerate(hits[:limit], 1):
            title, url, said = (_text(hit, name) for name in self._fields)
            if said:
                is_field = any(part for _, part in split(said))
                found.append(Sentence(said, self.name, title, url, place, now, is_field))
        return tuple(found)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def search_credentials(environment: Mapping[str, str], template: str) -> Credentials | None:
    """Return the search service's key, bound to its host.

    Args:
        environment: May hold ``ROBODATA_SEARCH_KEY``, and in ``ROBODATA_SEARCH_HEADER`` the header
            it goes into (without, it is a bearer token).
        template: Address of the service.
    """
    from robodata_core.sources.http import Credentials, origin

    key = environment.get("ROBODATA_SEARCH_KEY", "")
    if not key:
        return None
    header = environment.get("ROBODATA_SEARCH_HEADER", "")
    sent = {header: key} if header else {"Authorization": f"Bearer {key}"}
    return Credentials(sent, frozenset({origin(template)}), {"ROBODATA_SEARCH_KEY": key})


def _at(data: Any, path: str) -> Any:
    for name in path.split("."):
        data = data.get(name) if isinstance(data, Mapping) else None
    return data


def _text(hit: Any, name: str) -> str:
    value = _at(hit, name)
    if not isinstance(value, str):
        return ""
    with suppress(ValueError):
        value = unescape(value)
    return clean_text(" ".join(value.split()), limit=_SNIPPET)
