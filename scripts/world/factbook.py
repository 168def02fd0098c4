"""Reads the World Factbook's country profiles as statements with a year.

The profiles are prose in fields; each field has one reader here, and what a reader does not
understand it leaves out. A fact that changes carries the year it is an estimate for, or the date of
the edition, as a qualifier (point in time), so that an answer can say how old it is.
"""

from __future__ import annotations

import calendar
import gzip
import html
import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from wikidata_sample.facts import Fact

from robodata_core.model import (
    CoordinateValue,
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    TimeValue,
    Value,
)

__all__ = ["DATASET", "EDITION", "Names", "Profile", "read_profiles", "slug", "statements"]

DATASET = "factbook-2026"
EDITION = TimeValue(2026, 5, 0, precision=10)
NEW = "urn:robodata:factbook:"
"""What the profiles name and no other data set has an id for gets one below this."""

SQUARE_KILOMETRE, KILOMETRE, METRE = "Q712226", "Q828224", "Q11573"
PERCENT, DOLLAR = "Q11229", "Q550207"
CAPITAL = "Q5119"
MONTHS = {name: number for number, name in enumerate(calendar.month_name) if name}
SCALES = {"": 1, "million": 10**6, "billion": 10**9, "trillion": 10**12}
CONTINENTS = {
    "africa": "Q15",
    "europe": "Q46",
    "north-america": "Q49",
    "south-america": "Q18",
    "central-america-n-caribbean": "Q49",
    "middle-east": "Q48",
    "central-asia": "Q48",
    "south-asia": "Q48",
    "east-n-southeast-asia": "Q48",
    "australia-oceania": "Q55643",
}
# What remarks say a point is the highest or lowest of.
WHOLES = {
    "africa": "Q15",
    "antarctica": "Q51",
    "asia": "Q48",
    "earth": "Q2",
    "europe": "Q46",
    "north america": "Q49",
    "south america": "Q18",
}
NUMBER = r"-?\d[\d,]*(?:\.\d+)?"


@dataclass(frozen=True, slots=True)
class Profile:
    """One country's profile: its region, its names and its fields by path."""

    code: str
    region: str
    fields: Mapping[str, str]

    def text(self, path: str) -> str:
        """Return a field as plain text; empty where it is missing."""
        return self.fields.get(path, "")

    @property
    def name(self) -> str:
        """The short name, or the long one where the profile says there is no short one."""
        for form in ("short", "long"):
            name = self.text(f"Government/Country name/conventional {form} form")
            name = re.sub(r"\s*\(.*", "", name)
            if name and name.lower() != "none":
                return name
        return ""

    def names(self) -> Iterator[str]:
        """Yield other names: long, local and former ones, and abbreviations."""
        for field in ("conventional long form", "local short form", "abbreviation"):
            for name in re.split(r"[;/]", self.text(f"Government/Country name/{field}")):
                name = re.sub(r"\s*\(.*?\)", "", name).strip()
                if 1 < len(name) < 60 and name.lower() != "none" and name != self.name:
                    yield name


class Names:
    """Finds the id of what a profile names; new things get an id of their own.

    Args:
        known: Kind -> folded name -> id, from the other data sets.
        lies_in: Place -> countries it is known to lie in.
    """

    def __init__(
        self, known: Mapping[str, Mapping[str, str]], lies_in: Mapping[str, Collection[str]]
    ) -> None:
        self._known = known
        self._lies_in = lies_in
        self.new: dict[str, tuple[str, str]] = {}
        """Id -> (label, kind) of things no other data set has."""

    def find(self, kind: str, name: str) -> str | None:
        """Return the id of a known thing of a kind."""
        return self._known.get(kind, {}).get(fold(name))

    def city(self, name: str, country: str, home: str) -> str:
        """Return the id of a city of a country; one of the same name elsewhere is another."""
        capital = self.find(f"capital of {country}", name)
        known = capital or self.find("city", name)
        if known and (capital or country in self._lies_in.get(known, (country,))):
            return known
        id_ = f"{NEW}city:{slug(name)}-{slug(home)}"
        self.new.setdefault(id_, (name, "city"))
        return id_

    def get(self, kind: str, name: str) -> str:
        """Return the id of a thing of a kind, a new one if need be."""
        known = self.find(kind, name)
        if known:
            return known
        id_ = f"{NEW}{kind}:{slug(name)}"
        self.new.setdefault(id_, (name, kind))
        return id_


def fold(name: str) -> str:
    """Return what equal names have in common: no accents, case, articles or punctuation."""
    text = unicodedata.normalize("NFKD", name)
    text = "".join(c for c in text if not unicodedata.combining(c)).casefold()
    text = re.sub(r"[^\w ]+", " ", text.replace("&", " and "))
    text = re.sub(r"\bst\b", "saint", text)
    return re.sub(r"^the ", "", " ".join(text.split()))


def slug(name: str) -> str:
    """Return a name as part of an IRI."""
    return re.sub(r"[^a-z0-9]+", "-", fold(name)).strip("-")


def read_profiles(path: Path) -> list[Profile]:
    """Read all profiles that are of one country.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not shaped as expected.
    """
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    profiles = [Profile(row["code"], row["region"], dict(_flat(row["profile"]))) for row in rows]
    return [one for one in profiles if one.region in CONTINENTS and one.name]


def _flat(tree: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    for key, value in tree.items():
        path = f"{above}/{key.strip()}".lstrip("/")
        if isinstance(value, dict):
            if isinstance(value.get("text"), str):
                yield path, _plain(value["text"])
            yield from _flat({k: v for k, v in value.items() if k != "text"}, path)
        elif isinstance(value, str):
            yield path, _plain(value)


def _plain(text: str) -> str:
    text = re.sub(r"<br\s*/?>|</p>", "; ", text)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split()).strip("; ")


# -- readers of fields ----------------------------------------------------------------------------


def statements(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    """Yield what a profile states of its country and of the places it names."""
    for reader in _READERS:
        yield from reader(profile, country, names)


def _fact(subject: str, prop: str, value: Value, *qualifiers: tuple[str, Value]) -> Fact:
    return Fact(subject, prop, value, (DATASET,), qualifiers=qualifiers)


def _year(text: str) -> TimeValue | None:
    found = re.search(r"\((?:[^()]*\D)?((?:19|20)\d\d)(?: est\.?)?\)", text)
    return TimeValue(int(found[1]), precision=9) if found else None


def _dated(text: str) -> tuple[tuple[str, Value], ...]:
    return (("P585", _year(text) or EDITION),)


def _number(text: str, unit: str = "") -> Decimal | None:
    found = re.search(rf"({NUMBER})\s*{unit}", text)
    return Decimal(found[1].replace(",", "")) if found else None


def _figures(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    population = profile.text("People and Society/Population/total")
    number = _number(population)
    if number is not None and number == int(number):
        yield _fact(country, "P1082", QuantityValue(number), *_dated(population))
    area = _number(profile.text("Geography/Area/total"), "sq km")
    if area is not None:
        yield _fact(country, "P2046", QuantityValue(area, SQUARE_KILOMETRE))
    for year in range(2030, 2019, -1):
        product = profile.text(
            f"Economy/Real GDP (purchasing power parity)/Real GDP (purchasing power parity) {year}"
        )
        found = re.match(rf"\$({NUMBER})\s*(\w*)", product)
        if found and found[2] in SCALES:
            amount = Decimal(found[1].replace(",", "")) * SCALES[found[2]]
            yield _fact(
                country, "P4010", QuantityValue(amount.normalize() + 0, DOLLAR), *_dated(product)
            )
            break


def _places(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    yield _fact(country, "P30", EntityValue(CONTINENTS[profile.region]))
    where = _coordinate(profile.text("Geography/Geographic coordinates"))
    if where:
        yield _fact(country, "P625", where)
    for path, prop in (("highest", "P610"), ("lowest", "P1589")):
        remarked = profile.text(f"Geography/Elevation/{path} point")
        text = re.sub(r"\s*\(.*?\)", "", remarked).partition(";")[0]
        found = re.match(rf"([^\W\d_].+?)\s+({NUMBER})\s*(?:m\b|$)", text)
        if not found or found[1].startswith(("unnamed", "several", "ocean-side")):
            continue
        name = found[1].partition(",")[0].strip()
        height = QuantityValue(Decimal(found[2].replace(",", "")), METRE)
        place = names.get("mountain" if prop == "P610" else "place", name)
        yield _fact(country, prop, EntityValue(place), ("P2044", height))
        if prop == "P610":
            yield _fact(place, "P2044", height)
            yield _fact(place, "P17", EntityValue(country))
        for above in _extreme_of(remarked, path):
            yield _fact(above, prop, EntityValue(place), ("P2044", height))


def _extreme_of(text: str, which: str) -> Iterator[str]:
    """Yield the continents a point is the highest or lowest of, and the Earth, as remarked."""
    for remark in re.findall(rf"{which} (?:point|peak) (?:in|on) ([A-Za-z ]+)", text):
        found = [id_ for name, id_ in WHOLES.items() if remark.casefold().startswith(name)]
        yield from found[:1]


def _coordinate(text: str) -> CoordinateValue | None:
    found = re.match(r"(\d+) (\d+) ([NS]), (\d+) (\d+) ([EW])", text)
    if not found:
        return None
    latitude = (int(found[1]) + int(found[2]) / 60) * (1 if found[3] == "N" else -1)
    longitude = (int(found[4]) + int(found[5]) / 60) * (1 if found[6] == "E" else -1)
    return CoordinateValue(round(latitude, 4), round(longitude, 4))


def _capital(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    text = profile.text("Government/Capital/name")
    if not text or text.startswith(("none", "no ", "time")):
        return
    for part in re.split(r";| and (?=[A-Z])", text):
        found = re.match(r"([^\W\d_][\w' .\-]*?)\s*(?:,|\(([^)]*)\)|$)", part.strip())
        if not found or len(found[1]) > 40:
            continue
        role = (found[2] or "").lower()
        if any(word in role for word in ("legislative", "judicial", "commercial", "seat")):
            continue
        city = names.city(found[1], country, profile.name)
        yield _fact(country, "P36", EntityValue(city))
        yield _fact(city, "P17", EntityValue(country))
        yield _fact(city, "P1376", EntityValue(country))
        yield _fact(city, "P31", EntityValue(CAPITAL))
        where = _coordinate(profile.text("Government/Capital/geographic coordinates"))
        if where:
            yield _fact(city, "P625", where)
        return


def _borders(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    text = profile.text("Geography/Land boundaries/border countries")
    for part in text.split(";"):
        found = re.match(rf"\s*(.+?)\s+(?:\(.*?\)\s*)?({NUMBER})\s*km", part)
        other = found and names.find("country", re.sub(r"\s*\(.*", "", found[1]))
        if found and other:
            length = QuantityValue(Decimal(found[2].replace(",", "")), KILOMETRE)
            yield _fact(country, "P47", EntityValue(other), ("P2043", length))


def _shares(text: str) -> Iterator[tuple[str, Decimal | None, bool]]:
    """Yield the named parts of a list with percentages, and whether a part is official."""
    text = re.sub(r";? ?note\b.*", "", text)
    for part in re.split(r"[,;](?![^(]*\))", text):
        found = re.match(r"\s*([A-Z][\w'’ \-]*?)\s*((?:\(.*?\)\s*)*)(?:(\d[\d.]*)%.*)?$", part)
        if found and found[1].lower() not in ("other", "none", "unspecified"):
            share = Decimal(found[3]) if found[3] else None
            yield found[1].strip(), share, "official" in found[2]


def _share(share: Decimal | None, year: TimeValue | None) -> tuple[tuple[str, Value], ...]:
    if share is None:
        return ()
    return (("P1107", QuantityValue(share, PERCENT)), ("P585", year or EDITION))


def _languages(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    for path in ("Languages", "Languages/Languages"):
        text = profile.text(f"People and Society/{path}")
        for name, share, official in _shares(text):
            language = names.find("language", name) or names.find("language", name + " language")
            if language is None and (share is None or not official):
                continue
            language = language or names.get("language", name)
            yield _fact(country, "P2936", EntityValue(language), *_share(share, _year(text)))
            if official:
                yield _fact(country, "P37", EntityValue(language))


def _peoples(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    for path, kind, prop in (
        ("Religions", "religion", "P140"),
        ("Ethnic groups", "people", "P172"),
    ):
        text = profile.text(f"People and Society/{path}")
        for name, share, _ in _shares(text):
            id_ = names.find(kind, name)
            if id_ is None and share is not None and len(name) < 40:
                id_ = names.get(kind, name)
            if id_:
                yield _fact(country, prop, EntityValue(id_), *_share(share, _year(text)))


def _demonyms(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    for field in ("adjective", "noun"):
        text = profile.text(f"People and Society/Nationality/{field}")
        for name in re.split(r",| or |;", re.sub(r"\(.*?\)", "", text)):
            if 2 < len(name.strip()) < 30:
                yield _fact(country, "P1549", MonolingualTextValue(name.strip(), "en"))


def _government(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    text = profile.text("Government/Government type")
    kind = re.split(r"[;,(]| under | in (?:free|name|political) | with ", text)[0]
    kind = re.sub(r"^(?:a|an) ", "", kind.strip())
    if re.search(_FORMS, kind) and len(kind) < 50:
        yield _fact(country, "P122", EntityValue(names.get("government", kind)), ("P585", EDITION))
    since = re.match(
        r"(?:(\d{1,2}) )?(?:([A-Z][a-z]+) )?(\d{4})\b", profile.text("Government/Independence")
    )
    if since and (since[2] is None or since[2] in MONTHS):
        yield _fact(country, "P571", _date(*since.groups()))
    title = profile.text("Government/National anthem(s)/title")
    found = re.match(r"[\"“]([^\"”]{3,60})[,\"”]", title)
    if found:
        yield _fact(country, "P85", EntityValue(names.get("anthem", found[1].strip())))


def _money(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    rates = profile.text("Economy/Exchange rates/Currency")
    rates = rates or profile.text("Economy/Exchange rates")
    for name in _currencies(rates):
        id_ = names.get("currency", "/".join(map(_singular, name.split("/"))))
        yield _fact(country, "P38", EntityValue(id_))


def _currencies(rates: str) -> list[str]:
    """Return what is paid with where exchange rates read so."""
    priced = re.findall(r"(?:^|; )([^\d;:]+?)\s*(?:\([A-Z/]+\))? per ([^-:;]+)", rates)
    if len(priced) > 1:
        # Rates of other countries' currencies, all in the country's own.
        return list({unit.strip(): None for _, unit in priced})[:1]
    if priced:
        return re.split(r" or ", priced[0][0])
    told = re.match(r"the (.+?) (?:is used|became)\b|note: uses the (\w+)$", rates)
    return [told[1] or told[2]] if told else []


_FORMS: Final = (
    r"republic|monarchy|democracy|federation|dictatorship|regime|sultanate|party-led state"
)
# Plurals that English takes from the currencies' own languages.
_PLURALS: Final = {
    "kroner": "krone", "kronor": "krona", "kronur": "króna", "koruny": "koruna", "leva": "lev",
    "lei": "leu", "zlotych": "zloty", "meticais": "metical", "maloti": "loti", "leke": "lek",
    "quetzales": "quetzal", "emalangeni": "lilangeni", "colones": "colón", "reals": "real",
}  # fmt: skip


def _singular(name: str) -> str:
    words = name.split()
    last = words[-1]
    if last in _PLURALS:
        last = _PLURALS[last]
    elif last.endswith("s") and not last.endswith("ss"):
        last = last[:-1]
    return " ".join((*words[:-1], last))


def _date(day: str | None, month: str | None, year: str) -> TimeValue:
    if month is None:
        return TimeValue(int(year), precision=9)
    number = MONTHS[month]
    return TimeValue(int(year), number, int(day or 0), precision=11 if day else 10)


def _leaders(profile: Profile, country: str, names: Names) -> Iterator[Fact]:
    for field, prop in (("chief of state", "P35"), ("head of government", "P6")):
        text = profile.text(f"Government/Executive branch/{field}").split(";")[0]
        person = _leader(text, profile.name)
        if person is None:
            continue
        name, since = person
        circumstances: list[tuple[str, Value]] = [("P585", EDITION)]
        if since:
            circumstances.insert(0, ("P580", since))
        id_ = names.get("person", name)
        yield _fact(country, prop, EntityValue(id_), *circumstances)


def _leader(text: str, country: str) -> tuple[str, TimeValue | None] | None:
    """Read ``President Frank-Walter STEINMEIER (since 19 March 2017)``: name and date."""
    found = re.match(r"(.*?)\s*\(since (?:(\d{1,2}) )?(?:([A-Z][a-z]+) )?(\d{4})", text)
    if not found:
        return None
    before = re.sub(r"\(.*?\)|,.*", "", found[1]).replace(country, "of")
    words = before.split()
    loud = [at for at, word in enumerate(words) if _is_loud(word)]
    if not loud:
        return None
    # "King HARALD V of Norway": what stands behind the name is no part of it.
    end = next((at for at in range(loud[-1] + 1, len(words)) if words[at] == "of"), len(words))
    start = max((at + 1 for at in range(loud[-1]) if _is_title(words[at])), default=0)
    name = " ".join(_cased(word) for word in words[start:end])
    month = found[3] if found[3] in MONTHS else None
    return (name, _date(found[2] if month else None, month, found[4])) if len(name) > 2 else None


def _is_loud(word: str) -> bool:
    """Tell whether a word is in capitals, as surnames are in the profiles."""
    return len(word) > 2 and word.upper() == word and not re.fullmatch(r"[IVX]+", word)


# What stands before a name, in lower case and without dots.
_TITLES: Final = frozenset(
    """
    president prime minister king queen emir sultan emperor prince princess grand duke duchess
    chancellor premier general gen governor governor-general chairman chairperson chair captain
    regent pope supreme leader lt col brig maj marshal amir sheikh federal council state republic
    confederation acting interim transitional military junta head government country islands
    territory of the and for chief executive taoiseach commissioner administrator crown co-prince
    archbishop sovereign captains co-princes representative colonel field sir dame hon secretary
    administration swiss ministers presidency member bosnia herzegovina mayor affairs party first
    dr capt air vice-marshal gnu cnsp assembly grand-duke hereditary emeritus
    """.split()  # noqa: SIM905 - a list of forty words in quotes is no easier to read
)


def _is_title(word: str) -> bool:
    return word.strip(".,:").lower() in _TITLES


def _cased(word: str) -> str:
    if word.upper() != word or re.fullmatch(r"[IVX]+", word):
        return word
    return re.sub(r"[^\W\d_]+", lambda part: part[0].capitalize(), word) if len(word) > 1 else word


_Reader = Callable[[Profile, str, Names], Iterable[Fact]]
_READERS: tuple[_Reader, ...] = (
    _figures,
    _places,
    _capital,
    _borders,
    _languages,
    _peoples,
    _demonyms,
    _government,
    _money,
    _leaders,
)
