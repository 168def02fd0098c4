"""Wikibase's Action API: search and entity documents, in batches, kept for a while.

Etiquette (mediawiki.org, "API:Etiquette"): ``maxlag`` on every request, what the service asks to
wait is waited, 50 ids a request. What a document means is ``_wikibase_json``'s business, what a
source does with it ``wikidata``'s.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from robodata_core.cache import BoundedCache
from robodata_core.errors import MalformedResponseError, NotFoundError, SourceRefusedError
from robodata_core.model import EntityKind
from robodata_core.sources.http import HttpClient, HttpResponse, ResponseCache
from robodata_core.sources.sparql import language_chain
from robodata_core.sources.wikibase._entities import (
    ParsedEntity,
    UnsupportedEntityError,
    parse_entity,
)
from robodata_core.text import clean_text, parse_json

#: Ids in one ``wbgetentities``: the service's limit for everybody.
BATCH: Final = 50
_KEPT: Final = 2_000
#: Hits read of a search, however few are asked for; how long, and how many in all, are kept.
_SEARCHED: Final = 10
_SECONDS: Final = 600.0
_KEPT_HITS: Final = 20_000
_PROPS: Final = "info|labels|descriptions|aliases|claims|datatype|sitelinks"
_ID: Final = re.compile(r"[QP][1-9][0-9]{0,11}\Z", re.ASCII)
_UNKNOWN: Final = ("no-such-entity", "missingtitle", "invalid-entity-id")


@dataclass(frozen=True, slots=True)
class WikibaseSite:
    """Addresses of one Wikibase.

    Attributes:
        name: Name of the source in provenance.
        api: Address of ``api.php``.
        sparql: Address of the query service.
    """

    name: str
    api: str
    sparql: str


WIKIDATA: Final = WikibaseSite(
    "wikidata", "https://www.wikidata.org/w/api.php", "https://query.wikidata.org/sparql"
)


class WikibaseApi:
    """Asks one Action API. Thread-safe.

    Args:
        client: Sends the requests.
        site: Which Wikibase.
        language: Preferred language of terms.
        cache: Keeps entity documents between runs.
        maxlag: Seconds of database lag above which the service is to refuse, and we to wait.
        now: Clock in seconds, for how long the hits of a search are good.
    """

    def __init__(
        self,
        client: HttpClient,
        site: WikibaseSite,
        *,
        language: str,
        cache: ResponseCache,
        maxlag: int,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._site = site
        self._language = language
        self._cache = cache
        self._maxlag = maxlag
        #: Documents in a tuple, so that one known not to exist can be told from one not known.
        self._parsed: BoundedCache[str, tuple[ParsedEntity | None]] = BoundedCache(_KEPT)
        self._searches: BoundedCache[
            tuple[str, EntityKind, str], tuple[int, list[Mapping[str, Any]]]
        ] = BoundedCache(_KEPT_HITS, seconds=_SECONDS, now=now)

    def search(
        self, words: str, *, kind: EntityKind, limit: int, language: str
    ) -> list[Mapping[str, Any]]:
        """Return the hits of ``wbsearchentities``, as they came; for some minutes from memory.

        A few more than asked for are read, for whoever asks for the same with another limit.
        """
        most = max(_SEARCHED, min(limit, BATCH))
        key = (words, kind, language)
        asked, hits = self._searches.get(key) or (0, [])
        if not asked or len(hits) >= asked < most:
            hits = self._search(words, kind, most, language)
            self._searches.put(key, (most, hits), 1 + len(hits))
        return hits[: max(1, limit)]

    def _search(
        self, words: str, kind: EntityKind, limit: int, language: str
    ) -> list[Mapping[str, Any]]:
        data = self._call(
            action="wbsearchentities",
            search=words,
            language=language,
            uselang=language,
            type=kind.value,
            limit=str(limit),
        )
        found = data.get("search")
        if not isinstance(found, list):
            raise MalformedResponseError(f"{self._site.name} sent no list of hits.")
        return [item for item in found if isinstance(item, Mapping)]

    def known(self, id_: str) -> ParsedEntity | None:
        """Return a document that is kept, without asking anybody."""
        return self._recall(id_)[1]

    def documents(self, ids: Iterable[str]) -> dict[str, ParsedEntity | None]:
        """Return documents by the id they were asked for; None for those that do not exist.

        Ids that are neither items nor properties are left out.
        """
        found: dict[str, ParsedEntity | None] = {}
        missing = []
        for id_ in dict.fromkeys(ids):
            if not _ID.match(id_):
                continue
            known, parsed = self._recall(id_)
            if known:
                found[id_] = parsed
            else:
                missing.append(id_)
        for start in range(0, len(missing), BATCH):
            found.update(self._fetch(missing[start : start + BATCH]))
        return found

    def unknown(self, ids: Iterable[str]) -> list[str]:
        """Return those of ``ids`` that a request would be needed for."""
        wanted = (id_ for id_ in dict.fromkeys(ids) if _ID.match(id_))
        return [id_ for id_ in wanted if not self._recall(id_)[0]]

    def _recall(self, id_: str) -> tuple[bool, ParsedEntity | None]:
        kept = self._parsed.get(id_)
        if kept is not None:
            return True, kept[0]
        body = self._cache.get(self._site.api, self._language, id_)
        if body is None:
            return False, None
        try:
            parsed = self._parse(parse_json(body))
        except (ValueError, MalformedResponseError):
            return False, None
        self._parsed.put(id_, (parsed,))
        return True, parsed

    def _fetch(self, ids: Sequence[str]) -> dict[str, ParsedEntity | None]:
        try:
            data = self._call(
                action="wbgetentities",
                ids="|".join(ids),
                props=_PROPS,
                languages="|".join(language_chain(self._language)),
            )
        except NotFoundError:
            # One impossible id spoils the whole batch; find out which.
            if len(ids) == 1:
                self._parsed.put(ids[0], (None,))
                return {ids[0]: None}
            middle = len(ids) // 2
            return self._fetch(ids[:middle]) | self._fetch(ids[middle:])
        documents = data.get("entities")
        if not isinstance(documents, Mapping):
            raise MalformedResponseError(f"{self._site.name} sent no entities.")
        by_request = _by_request(documents)
        found: dict[str, ParsedEntity | None] = {}
        for id_ in ids:
            document = by_request.get(id_)
            if document is None:
                raise MalformedResponseError(f"{self._site.name} left {id_} out of its answer.")
            found[id_] = self._parse(document)
            self._parsed.put(id_, (found[id_],))
            if found[id_] is not None:  # what is missing today may exist tomorrow
                body = json.dumps(document).encode()
                self._cache.put(body, self._site.api, self._language, id_)
        return found

    def _parse(self, document: Mapping[str, Any]) -> ParsedEntity | None:
        name = self._site.name
        try:
            return parse_entity(document, source=name, language=self._language)
        except UnsupportedEntityError:
            return None
        except ValueError as error:
            raise MalformedResponseError(f"{name} sent a broken entity: {error}.") from error

    def _call(self, **params: str) -> Mapping[str, Any]:
        name = self._site.name
        response = self._client.get(
            self._site.api,
            {**params, "format": "json", "formatversion": "2", "maxlag": str(self._maxlag)},
            retry_body=_lagging,
        )
        if response.status >= 400:
            raise SourceRefusedError(
                f"{name} does not take the request (status {response.status}).",
                hint="Is the address that of a Wikibase?",
            )
        data = response.json()
        if not isinstance(data, Mapping):
            raise MalformedResponseError(f"{name} sent an answer of an unknown shape.")
        error = data.get("error")
        if isinstance(error, Mapping):
            code = clean_text(str(error.get("code", "")), limit=60)
            if code in _UNKNOWN:
                raise NotFoundError(f"{name} has no such entity.")
            info = clean_text(str(error.get("info", "")), limit=200)
            raise SourceRefusedError(f"{name} refused the request: {info or code}.")
        return data


def _by_request(documents: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return documents by the id they were asked for: redirected ones name both."""
    found: dict[str, Mapping[str, Any]] = {}
    for key, document in documents.items():
        if not isinstance(document, Mapping):
            continue
        found[str(key)] = document
        redirect = document.get("redirects")
        if isinstance(redirect, Mapping) and isinstance(redirect.get("from"), str):
            found[redirect["from"]] = document
    return found


def _lagging(response: HttpResponse) -> float | None:
    """Return seconds to wait if the API reports replication lag (with status 200)."""
    if response.status != 200 or b'"maxlag"' not in response.body[:2_000]:
        return None
    try:
        error = parse_json(response.body).get("error") or {}
    except (ValueError, AttributeError):
        return None
    if not isinstance(error, Mapping) or error.get("code") != "maxlag":
        return None
    header = response.headers.get("retry-after", "")
    return min(float(header), 3_600.0) if header.isascii() and header.isdigit() else 5.0
