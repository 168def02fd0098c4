"""What the household's data sets are, whose they are, and of which year."""

from __future__ import annotations

from wikidata_sample.facts import DATASETS as SAMPLE
from wikidata_sample.facts import Dataset

__all__ = ["BDDL", "CONCEPTNET", "HANDED_DOWN", "HOUSEHOLD", "SOMA", "THINGS", "TYPICAL", "WORDNET"]

BDDL = Dataset(
    name="bddl-2021",
    files=("household/taxonomy.jsonl.gz", "household/activities.jsonl.gz"),
    source="BDDL, the BEHAVIOR Domain Definition Language (Srivastava and others 2021), "
    "github.com/StanfordVL/bddl: a WordNet taxonomy of things with what can be done with them, "
    "and 100 household activities",
    licence="MIT",
    note="All of it is typical: said of kinds of things, not of a single one. Where things belong "
    "is where activities put them in the end, if that place stands fixed in a room.",
    year="2021",
)
HANDED_DOWN = Dataset(
    name="bddl-derived",
    files=BDDL.files,
    source="Derived from BDDL by scripts/household: abilities handed down the taxonomy, and which "
    "tools can slice which things",
    licence="MIT (BDDL); Apache-2.0 (part of RoboData)",
    note="Nobody stated these; they follow where a kind has what the kinds above it have.",
    year="2021",
)
SOMA = Dataset(
    name="soma",
    files=("soma/soma_classes.tsv.gz",),
    source="SOMA, the Socio-physical Model of Activities, with DUL, github.com/ease-crc/soma at "
    "5d27187e587a: named classes, their named superclasses and comments",
    licence="LGPL-3.0 (licences/LGPL-3.0.txt)",
    note="Anonymous class expressions are not included; robodata kg load reads them from the OWL.",
    year="2023",
)
THINGS = Dataset(
    name="household-things",
    files=(),
    source="Tables written for RoboData, by hand and, the longer part, by language models from "
    "what they know (scripts/data/household_things.tsv and household_activities.tsv)",
    licence="Apache-2.0 (part of RoboData)",
    note="General knowledge, true of such things as a rule; not checked against any source.",
    year="2026",
)
WORDNET = Dataset(
    name="wordnet-household",
    files=(),
    source="WordNet 3.0 (Princeton University), nouns, as in Debian's wordnet-base, by "
    "scripts/make_household_kinds.py: other names of BDDL's synsets, and the kinds below them",
    licence="WordNet-3.0 (licences/WordNet.txt)",
    note="Food, furniture, clothing, tools and other things of homes; what another source calls so "
    "is the same kind.",
    year="2006",
)
TYPICAL = Dataset(
    name="wordnet-typical",
    files=(),
    source="WordNet 3.0 (Princeton University), its meronyms and glosses, as in Debian's "
    "wordnet-base; written to scripts/data/household_wordnet.tsv by "
    "scripts/make_household_wordnet.py",
    licence="WordNet-3.0 (licences/WordNet.txt)",
    note="What kinds have as parts, are made of, and are for; the last is read from glosses in "
    "regular forms. Said of the kind itself, not handed down. Descriptions of kinds that have no "
    "other are glosses.",
    year="2006",
)
WIKIDATA = next(dataset for dataset in SAMPLE if dataset.name == "household")
CONCEPTNET = Dataset(
    name="conceptnet-5",
    files=("conceptnet_kitchen/conceptnet_kitchen.tsv.gz",),
    source="ConceptNet 5 (Speer, Chin and Havasi 2017), its part about kitchens as gathered in "
    "github.com/annagrotius/Kitchen-Robot-KG at 4d5fda9c43f1",
    licence="CC-BY-SA-4.0",
    note="Said by volunteers and by other resources of words, often loosely; typical at best.",
    year="2019",
)
HOUSEHOLD = (BDDL, HANDED_DOWN, SOMA, THINGS, WIKIDATA, WORDNET, TYPICAL)
