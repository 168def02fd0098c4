"""A tiny snapshot that tests of every part can use: a few people, places and works, by hand.

``tiny_snapshot(folder)`` builds it and returns where it is; open it with ``open_snapshot``. It has
every kind of value, a statement with preferred and deprecated rank, qualifiers, a reference,
``somevalue`` and ``novalue``, two data sets, two namesakes, and entities of another source.
"""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox

from robodata_core.sources.snapshot.loading import write_snapshot

__all__ = ["TINY", "tiny_snapshot"]

_PREFIXES = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix wds: <http://www.wikidata.org/entity/statement/> .
@prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> .
@prefix psv: <http://www.wikidata.org/prop/statement/value/> .
@prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix pqv: <http://www.wikidata.org/prop/qualifier/value/> .
@prefix pr: <http://www.wikidata.org/prop/reference/> .
@prefix wdref: <http://www.wikidata.org/reference/> .
@prefix wdv: <http://www.wikidata.org/value/> .
@prefix wdno: <http://www.wikidata.org/prop/novalue/> .
@prefix wikibase: <http://wikiba.se/ontology#> .
@prefix prov: <http://www.w3.org/ns/prov#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix geo: <http://www.opengis.net/ont/geosparql#> .
@prefix home: <http://example.org/home#> .
@prefix set: <urn:robodata:dataset:> .
"""

TINY = (
    _PREFIXES
    + """
# Names: no data set claims them.
wd:Q16 rdfs:label "Canada"@en ; skos:altLabel "CA"@en , "Dominion of Canada"@en .
wd:Q1930 rdfs:label "Ottawa"@en ; schema:description "capital of Canada"@en .
wd:Q172 rdfs:label "Toronto"@en .
wd:Q515 rdfs:label "city"@en .
wd:Q6256 rdfs:label "country"@en .
wd:Q5 rdfs:label "human"@en ; skos:altLabel "person"@en .
wd:Q36180 rdfs:label "writer"@en ; skos:altLabel "author"@en .
wd:Q145 rdfs:label "United Kingdom"@en ; skos:altLabel "UK"@en , "Great Britain"@en .
wd:Q42 rdfs:label "Douglas Adams"@en , "Douglas Adams"@de ;
    skos:altLabel "Douglas Noël Adams"@en , "DNA"@en .
wd:Q21454969 rdfs:label "Douglas Adams"@en ; schema:description "painter"@en .
wd:Q14623681 rdfs:label "Jane Belson"@en .
wd:Q14623683 rdfs:label "Polly Adams"@en .
wd:Q25169 rdfs:label "The Hitchhiker's Guide to the Galaxy"@en ; skos:altLabel "HHGTTG"@en .
wd:Q11573 rdfs:label "metre"@en .
wd:P36 a wikibase:Property ; wikibase:propertyType wikibase:WikibaseItem ;
    rdfs:label "capital"@en ; skos:altLabel "capital city"@en .
wd:P31 a wikibase:Property ; wikibase:propertyType wikibase:WikibaseItem ;
    rdfs:label "instance of"@en ; skos:altLabel "is a"@en .
wd:P17 rdfs:label "country"@en .
wd:P27 rdfs:label "country of citizenship"@en .
wd:P106 rdfs:label "occupation"@en .
wd:P26 rdfs:label "spouse"@en ; skos:altLabel "wife"@en , "husband"@en .
wd:P40 rdfs:label "child"@en .
wd:P800 rdfs:label "notable work"@en .
wd:P569 rdfs:label "date of birth"@en ; wikibase:propertyType wikibase:Time .
wd:P577 rdfs:label "publication date"@en .
wd:P580 rdfs:label "start time"@en .
wd:P582 rdfs:label "end time"@en .
wd:P585 rdfs:label "point in time"@en .
wd:P1082 rdfs:label "population"@en ; wikibase:propertyType wikibase:Quantity .
wd:P2048 rdfs:label "height"@en .
wd:P625 rdfs:label "coordinate location"@en .
wd:P856 rdfs:label "official website"@en ; wikibase:propertyType wikibase:Url .
wd:P214 rdfs:label "VIAF ID"@en ; wikibase:propertyType wikibase:ExternalId .
wd:P1448 rdfs:label "official name"@en .

set:places {
    wd:Q16 wdt:P31 wd:Q6256 ; wdt:P36 wd:Q1930 ; wdt:P856 <https://canada.ca/> ;
        wdt:P625 "Point(-109.0 56.0)"^^geo:wktLiteral ; wdt:P1448 "Canada"@fr ;
        wdt:P1082 "40000000"^^xsd:decimal .
    # Two counts: the newer one is preferred; the third is known to be wrong.
    wd:Q16 p:P1082 wds:Q16-new , wds:Q16-old , wds:Q16-wrong .
    wds:Q16-new wikibase:rank wikibase:PreferredRank ; ps:P1082 "40000000"^^xsd:decimal ;
        pq:P585 "2023-01-01T00:00:00Z"^^xsd:dateTime ; pqv:P585 wdv:y2023 ;
        prov:wasDerivedFrom wdref:abc .
    wdref:abc pr:P856 <https://statcan.example/> .
    wdv:y2023 wikibase:timeValue "2023-01-01T00:00:00Z"^^xsd:dateTime ;
        wikibase:timePrecision 9 ; wikibase:timeCalendarModel wd:Q1985727 .
    wds:Q16-old wikibase:rank wikibase:NormalRank ; ps:P1082 "30000000"^^xsd:decimal .
    wds:Q16-wrong wikibase:rank wikibase:DeprecatedRank ; ps:P1082 "7"^^xsd:decimal .
    wd:Q1930 wdt:P31 wd:Q515 ; wdt:P17 wd:Q16 .
    wd:Q172 wdt:P31 wd:Q515 ; wdt:P17 wd:Q16 ; wdt:P2048 "76"^^xsd:decimal ;
        p:P2048 wds:Q172-height .
    wds:Q172-height wikibase:rank wikibase:NormalRank ; ps:P2048 "76"^^xsd:decimal ;
        psv:P2048 wdv:m76 .
    wdv:m76 wikibase:quantityAmount "76"^^xsd:decimal ; wikibase:quantityUnit wd:Q11573 .
}
set:people {
    wd:Q42 wdt:P31 wd:Q5 ; wdt:P106 wd:Q36180 ; wdt:P27 wd:Q145 ; wdt:P26 wd:Q14623681 ;
        wdt:P40 wd:Q14623683 ; wdt:P800 wd:Q25169 ; wdt:P214 "113230702" ;
        wdt:P569 "1952-03-11T00:00:00Z"^^xsd:dateTime ; p:P26 wds:Q42-b88670f8 .
    wds:Q42-b88670f8 wikibase:rank wikibase:NormalRank ; ps:P26 wd:Q14623681 ;
        pq:P580 "1991-11-25T00:00:00Z"^^xsd:dateTime ; a wdno:P582 .
    wd:Q21454969 wdt:P31 wd:Q5 ; wdt:P26 _:unknown ; a wdno:P40 .
    wd:Q14623681 wdt:P31 wd:Q5 ; wdt:P26 wd:Q42 .
    wd:Q14623683 wdt:P31 wd:Q5 .
}
set:works { wd:Q42 wdt:P106 wd:Q36180 . }

# Another source: its own IRIs, some without labels.
home:Cup a owl:Class ; rdfs:subClassOf home:DesignedContainer .
home:DesignedContainer a owl:Class ; rdfs:comment "Something made to hold things." .
home:cup_1 a home:Cup ; rdfs:label "blue cup" ; home:hasColor "blue" ; home:onTopOf home:table_1 .
home:table_1 rdfs:label "kitchen table" .
"""
)
"""The snapshot's graph, as TriG."""


def tiny_snapshot(folder: Path, name: str = "tiny") -> Path:
    """Build the snapshot in ``folder / name`` and return that path."""
    output = folder / name
    quads = ox.parse(TINY.encode("utf-8"), format=ox.RdfFormat.TRIG)
    write_snapshot(quads, output, name=name, title="A tiny snapshot for tests")
    return output
