"""Closed word lists of conversation: pronouns, openings, small talk. English only."""

from __future__ import annotations

from typing import Final

from robodata_core.policy.offline.words import PREPOSITIONS, WH_WORDS, word_set

__all__ = [
    "ASKING",
    "BACK",
    "FEMALE",
    "FEMALE_NOUNS",
    "MALE",
    "MALE_NOUNS",
    "ORDINALS",
    "PERSON_TYPES",
    "PLACE_TYPES",
    "PLURAL",
    "POSSESSIVES",
    "SINGULAR",
    "THINGS",
]


MALE: Final = word_set("he him his himself")
FEMALE: Final = word_set("she her hers herself")
THINGS: Final = word_set("it its itself")
PLURAL: Final = word_set("they them their theirs themselves those these both")
SINGULAR: Final = MALE | FEMALE | THINGS
POSSESSIVES: Final = word_set("his her its their")
BACK: Final = SINGULAR | PLURAL | word_set("there")
"""Words that point back unless the question itself says to what."""

ASKING: Final = WH_WORDS | PREPOSITIONS | word_set("about than since until")
"""What a question of nothing but question words is made of: "When?", "Since when?"."""

FEMALE_NOUNS: Final = word_set(
    "mother wife daughter sister grandmother granddaughter aunt niece queen actress girlfriend"
    " widow princess empress duchess woman girl stepmother"
)
MALE_NOUNS: Final = word_set(
    "father husband son brother grandfather grandson uncle nephew king boyfriend widower prince"
    " emperor duke man boy stepfather"
)
PERSON_TYPES: Final = word_set("human person people man woman actor singer politician character")
PLACE_TYPES: Final = word_set(
    "country state city town village place location region island continent capital municipality"
    " district province county metropolis territory kingdom empire republic settlement nation"
    " room building area river mountain lake sea neighborhood borough"
)
ORDINALS: Final = {
    "first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3,
    "fifth": 4, "5th": 4, "sixth": 5, "seventh": 6, "eighth": 7, "ninth": 8, "tenth": 9,
    "last": -1,
}  # fmt: skip
