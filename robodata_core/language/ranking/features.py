"""Features of a reading: what speaks for it and against it, as numbers by name.

A feature holds for any reading, whatever rules built it. Names of grammar rules become features
of their own (``rule:NAME``). Case never counts, and no word of a language stands here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

from robodata_core.language.grammar import Operators, open_grammar
from robodata_core.language.lexicon.lexicon import Kind, Lexicon
from robodata_core.language.lexicon.relations import Evidence, RelationScore
from robodata_core.language.ranking.accord import Accord
from robodata_core.language.text import Text, words_of
from robodata_core.language.types import (
    Candidate,
    Hop,
    Mention,
    MentionKind,
    NameMatch,
    Reading,
)
from robodata_core.language.view import View
from robodata_core.model import (
    CoordinateValue,
    Direction,
    EntityValue,
    QuantityValue,
    TimeValue,
    Value,
)

__all__ = ["Features", "Signals"]

#: How far from a name a word may stand that tells what it names: "the famous band X".
_BESIDE: Final = 3
_SAMPLE: Final = 6
#: Wikibase's precision of a year.
_YEAR: Final = 9
#: Up to so many names, words for a relation are read without the other names.
_FEW: Final = 4
_LITERALS: Final[dict[type, str]] = {
    TimeValue: "time",
    QuantityValue: "quantity",
    CoordinateValue: "coordinate",
}
#: The kind whose members differ by what they do.
_WHO: Final = "person"
#: Kinds of words of which one left unread makes a reading say something else.
_BINDING: Final = frozenset({"denial", "share", "unit"})
#: Operators that are read as a whole, or not at all.
_WHOLE: Final = frozenset(
    ("left_limit", "left_extreme", "left_denied", "left_union", "left_intersection",
     "left_sharing", "left_often", "left_count", "left_literal")
)  # fmt: skip
#: Operators that leave nothing out where they are not read.
_SOFT: Final = frozenset(("exists", "option", "entire", "rest", "distinct", "stress"))
#: Share of the answers that a noun must hold of, to tell what they are.
_TOLD: Final = 0.67
#: Added to sums of probabilities, so that a share of hardly anything is not much.
_LITTLE: Final = 1e-3
#: What a name is bound to was never learned from; it is as sure as a label.
_AS_LABEL: Final = {NameMatch.BOUND: NameMatch.LABEL}


@dataclass(frozen=True, slots=True)
class Features:
    """A reading's features, and the words it does not account for.

    Attributes:
        values: By name; what is missing is 0.
        unexplained: Places of the words.
        unread: Places of words that change what is asked, of which the reading says nothing.
        misread: Whether one of these turns round or bounds what is said.
        broader: Places of words that say more than the relation that is followed.
        denotation: Equal for readings that lead to the same.
    """

    values: Mapping[str, float]
    unexplained: frozenset[int]
    denotation: Hashable = None
    unread: frozenset[int] = frozenset()
    misread: bool = False
    broader: frozenset[int] = frozenset()


class Signals:
    """What features need to know of one text, reckoned once.

    Args:
        text: The text.
        mentions: All its mentions.
        evidence: What its words say of relations.
        view: What is really there.
        lexicon: Of its language.
        judges: Whether the text asks for yes or no.
    """

    def __init__(
        self,
        text: Text,
        mentions: Sequence[Mention],
        evidence: Evidence,
        view: View,
        lexicon: Lexicon,
        *,
        judges: bool = False,
    ) -> None:
        self._text = text
        self._evidence = evidence
        self._view = view
        self._lexicon = lexicon
        self._spans = {(m.start, m.end) for m in mentions}
        self._same = {(m.start, m.end): len({c.value for c in m.candidates}) for m in mentions}
        self._best = {(m.start, m.end): max(c.popularity for c in m.candidates) for m in mentions}
        self._named_in: dict[Value, list[tuple[int, int]]] = {}
        for mention in mentions:
            for candidate in mention.candidates:
                self._named_in.setdefault(candidate.value, []).append((mention.start, mention.end))
        self._whole = sum(evidence.rarity.values()) or 1.0
        norms = [token.norm for token in text.tokens]
        self._asked: tuple[Kind, ...] = tuple(
            kind for kind in lexicon.kinds if kind.asked & set(norms)
        )
        self._heads = self._read_heads(norms)
        self._nouns_asked = self._read_asked(norms)
        self._judges = judges
        self._classes = {
            i
            for m in mentions
            for i in range(m.start, m.end)
            if any(c.kind is MentionKind.CLASS for c in m.candidates)
        }
        self._operators = {
            i: kind for i, norm in enumerate(norms) if (kind := lexicon.operator(norm))
        }
        literals = [m for m in mentions if m.candidates[0].kind is MentionKind.LITERAL]
        found = open_grammar(lexicon).find(text, literals)
        self._spanned = dict(_spanned(found, mentions, lexicon, text))
        self._years = dict(_years(self._spanned, mentions, text, lexicon))
        self._accord = Accord(found, text, evidence, lexicon)
        self._broader: frozenset[int] = frozenset()
        self._unfit: frozenset[int] = frozenset()
        self._stems = {i: lexicon.stem(norms[i]) for i in evidence.content}
        nouns = {at for at, phrase in evidence.phrases() if phrase.kind == "noun"}
        self._noun_places = sorted(nouns, key=len, reverse=True)
        self._roots: dict[Value, frozenset[str]] = {}
        self._dates: dict[Value, frozenset[int]] = {}
        self._there: dict[tuple[tuple[int, int], Value], float] = {}

    def _read_heads(self, norms: Sequence[str]) -> frozenset[int]:
        """Return the places of content words right behind a question word or an article."""
        found: set[int] = set()
        content = self._evidence.content
        for i, norm in enumerate(norms):
            kind = self._lexicon.kind(norm)
            if kind == "question" or (kind == "article" and i < 6):
                found.update(j for j in range(i + 1, min(len(norms), i + 4)) if j in content)
        return frozenset(found)

    def _read_asked(self, norms: Sequence[str]) -> frozenset[int]:
        """Return the places of the content words right behind a question word: "which tall men"."""
        found: set[int] = set()
        for i, norm in enumerate(norms):
            at = i + 1
            while self._lexicon.kind(norm) == "question" and at in self._evidence.content:
                found.add(at)
                at += 1
        return frozenset(found)

    def look_up(self, readings: Iterable[Reading]) -> None:
        """Look up together what is asked of the answers of many readings one by one."""
        sampled = (value for reading in readings for value in reading.sample[:_SAMPLE])
        self._view.telling_of(one.id for one in sampled if isinstance(one, EntityValue))

    def features(self, reading: Reading) -> Features:
        """Return the features of a reading."""
        values: dict[str, float] = {}
        taken = set(reading.structure)
        for mention, _ in reading.mentions:
            taken.update(range(mention.start, mention.end))
        taken |= self._accord.read(reading, taken)
        self._mentions(reading, values)
        taken |= self._dated(reading)
        left = {i: root for i, root in self._evidence.content.items() if i not in taken}
        explained, said = self._hops(reading, values)
        self._structure(reading, taken | said, values)
        unexplained = {i for i in left if i not in explained and i not in self._told}
        unsaid = unexplained | {i for i in left if i not in said}
        self._answers(reading, left, unexplained, values)
        self._unsaid(reading, left, unsaid, values)
        self._left(left, unexplained, taken, said, values)
        values["u_against"] = self._against(reading, unexplained)
        unread = frozenset(self._operators.keys() - taken - said) | self._unfit
        for places, name in self._spanned.items():
            if name in _WHOLE and not places <= taken:
                unread |= places - taken
        misread = any(self._operators.get(i, "") in _BINDING for i in unread)
        broader = self._broader | self._untold(reading, left.keys(), said)
        return Features(
            values, frozenset(unexplained), reading.denotation, unread, misread, broader
        )

    # -- mentions -------------------------------------------------------------------------------

    def _mentions(self, reading: Reading, values: dict[str, float]) -> None:
        """Add how well names agree; remember the words beside them that tell what they name."""
        self._told: set[int] = set()
        number = len(reading.mentions)
        values["mentions"] = max(0, number - 1)
        if not number:
            values["no_mention"] = 1.0
        for mention, candidate in reading.mentions:
            for name, value in self._mention(mention, candidate).items():
                values[name] = values.get(name, 0.0) + value / number
            beside = range(mention.start - _BESIDE, mention.end + _BESIDE)
            told, content = self._roots_of(candidate.value), self._evidence.content
            self._told.update(i for i in beside if content.get(i) in told)

    def _mention(self, mention: Mention, candidate: Candidate) -> dict[str, float]:
        span = (mention.start, mention.end)
        rarity = self._evidence.rarity
        inside = [rarity[i] for i in range(*span) if i in rarity]
        tokens = self._text.tokens[mention.start : mention.end]
        words = [token for token in tokens if token.is_word]
        contained = any(
            start <= mention.start and mention.end <= end and (start, end) != span
            for start, end in self._spans
        )
        found = {
            "m_words": math.log(max(1, len(words))),
            "m_letters": math.log(max(1, sum(len(t.norm) for t in words))),
            "m_cover": sum(inside) / self._whole,
            "m_rare": min(inside, default=0.0) / 10,
            "m_inside": float(contained),
            "m_marked": float(mention.marked),
            f"m_{_AS_LABEL.get(candidate.match, candidate.match).value}": 1.0,
            "m_same": math.log(self._same[span]),
            "m_less_known": math.log1p(self._best[span]) - math.log1p(candidate.popularity),
        }
        if candidate.match is NameMatch.VARIANT and len(words) == 1:
            found["m_variant_short"] = 1.0
        if candidate.match in (NameMatch.SLIP, NameMatch.PART):
            found["m_distance"] = 1.0 - candidate.similarity
        return found

    def _dated(self, reading: Reading) -> set[int]:
        """Return the places of years beside names of what is dated so: "Titanic (1997)"."""
        found: set[int] = set()
        for places, year in self._years.items():
            for mention, candidate in reading.mentions:
                before = min(places) < mention.start
                gap = (max(places) + 1, mention.start) if before else (mention.end, min(places))
                between = {i for i in range(*gap) if self._text.tokens[i].is_word}
                if between <= self._told and year in self._years_of(candidate.value):
                    found |= places
        return found

    def _years_of(self, value: Value) -> frozenset[int]:
        """Return the years in the name of something, and of what dates are stated of it."""
        known = self._dates.get(value)
        if known is None:
            known = frozenset()
            if isinstance(value, EntityValue):
                around = self._view.relations(value.id)
                edges = ((name, Direction.OUT) for name in self._view.time_relations)
                ends = (self._view.ends((value.id,), edge) for edge in edges if edge in around)
                times = (one for found in ends for one in found if isinstance(one, TimeValue))
                named = (one for one in words_of(self._view.label(value.id)) if one.isdecimal())
                known = frozenset((*(one.year for one in times), *map(int, named)))
            self._dates[value] = known
        return known

    def _roots_of(self, value: Value) -> frozenset[str]:
        known = self._roots.get(value)
        if known is None:
            known = frozenset()
            if isinstance(value, EntityValue):
                root, small = self._lexicon.root, self._lexicon.is_small
                known = frozenset(root(w) for w in self._view.telling(value.id) if not small(w))
            self._roots[value] = known
        return known

    def _stems_of(self, value: Value) -> frozenset[str]:
        if not isinstance(value, EntityValue):
            return frozenset()
        return frozenset(map(self._lexicon.stem, self._view.telling(value.id)))

    # -- hops -----------------------------------------------------------------------------------

    def _hops(self, reading: Reading, values: dict[str, float]) -> tuple[set[int], set[int]]:
        """Add what words say of the weakest hop; return the words that hops explain, and name."""
        number = len(reading.hops)
        values["hops"] = max(0, number - 1)
        if not number:
            values["no_hop"] = 1.0
            return set(), set()
        values["h_unnamed"] = sum(1.0 for hop in reading.hops if number > 1 and not hop.words)
        explained: set[int] = set()
        said: set[int] = set()
        self._broader = self._unfit = frozenset()
        found: list[tuple[float, RelationScore]] = []
        for hop in reading.hops:
            score = self._hop(reading, hop)
            explained |= score.explained
            said |= score.said
            if "narrowed" not in reading.rules:
                self._broader |= score.broader
                self._unfit |= score.unfit
            strength = score.log + 2 * score.label + 2 * score.phrase + (0 if score.seen else -3)
            found.append((strength, score))
            values["h_many"] = values.get("h_many", 0.0) + self._nouns(score.said)
        found.sort(key=lambda pair: pair[0])
        values.update(_of_hop(found[0][1]))
        for _, score in found[1:]:
            for name, value in _of_hop(score).items():
                values[f"o{name}"] = values.get(f"o{name}", 0.0) + value
        if number == 1 and len(reading.mentions) == 1:
            there, share = self._share(reading)
            values["h_there"] = share
            if "h_unseen" in values:
                values["h_rival"] = there
        return explained, said

    def _hop(self, reading: Reading, hop: Hop) -> RelationScore:
        mention, places = hop.start, None
        if mention is None and reading.mentions:
            mention = (reading.mentions[0][0].start, reading.mentions[0][0].end)
        if hop.start is not None and hop.span is not None and hop is not reading.hops[-1]:
            # What is outside of its part of the text speaks of other hops.
            inside = range(*hop.start)
            places = frozenset(i for i in range(*hop.span) if i not in inside)
        elif 1 < len(reading.mentions) <= _FEW:
            named = {i for other, _ in reading.mentions for i in other.span}
            places = frozenset(i for i in self._evidence.words if i not in named)
        scores = self._evidence.score(hop.edges, mention, places)
        return max(scores.values(), key=lambda s: (s.log + 2 * s.label + 2 * s.phrase, s.seen))

    def _nouns(self, said: frozenset[int]) -> int:
        """Return how many nouns too many one hop is read from ("father of the mother of")."""
        nouns: list[frozenset[int]] = []
        for at in self._noun_places:
            if at <= said and all(at.isdisjoint(known) for known in nouns):
                nouns.append(at)
        return max(0, len(nouns) - 1)

    def _share(self, reading: Reading) -> tuple[float, float]:
        """Return how likely what the model knows around the named thing is, and the share of it."""
        mention, candidate = reading.mentions[0]
        span = (mention.start, mention.end)
        if not isinstance(candidate.value, EntityValue):
            return 0.0, 0.0
        whole = self._there.get((span, candidate.value))
        around = self._view.relations(candidate.value.id)
        if whole is None:
            scores = self._evidence.score(around, span)
            whole = sum(score.probability for score in scores.values()) + _LITTLE
            self._there[span, candidate.value] = whole
        mine = self._evidence.score((e for e in reading.hops[0].edges if e in around), span)
        return whole, max((score.probability for score in mine.values()), default=0.0) / whole

    # -- structure ------------------------------------------------------------------------------

    def _structure(self, reading: Reading, taken: set[int], values: dict[str, float]) -> None:
        for rule, times in Counter(reading.rules).items():
            values[f"rule:{rule}"] = float(times)
        values.update(reading.features)
        values["rules"] = math.log1p(len(reading.rules))
        for places, name in self._spanned.items():
            if not places <= taken:
                values[name] = values.get(name, 0.0) + 1.0
        if self._judges and not reading.judged:
            values["t_auxiliary"] = 1.0
        for place, kind in self._operators.items():
            if place not in taken:
                values[f"left_{kind}"] = values.get(f"left_{kind}", 0.0) + 1.0

    # -- answers --------------------------------------------------------------------------------

    def _answers(
        self,
        reading: Reading,
        left: Mapping[int, str],
        unexplained: set[int],
        values: dict[str, float],
    ) -> None:
        """Add how the answers fit what is asked for; words that tell their kind are explained."""
        values["a_size"] = math.log1p(reading.size)
        values["a_none"] = float(reading.size == 0)
        sample = reading.sample[:_SAMPLE]
        if not sample:
            return
        roots = [self._roots_of(value) for value in sample]
        share = 1 / len(sample)
        for kind in self._asked:
            fit = sum(share for value in sample if self._is_of(value, kind))
            values[f"a_{kind.name}"] = fit
            values[f"a_not_{kind.name}"] = 1.0 - fit
        told = {root: sum(root in found for found in roots) for root in left.values()}
        weight = sum(self._evidence.rarity[i] for i in left) or 1.0
        values["a_noun"] = (
            sum(self._evidence.rarity[i] * told[root] * share for i, root in left.items()) / weight
        )
        heads = [root for i, root in left.items() if i in self._heads]
        if heads:
            values["a_head"] = sum(told[root] * share for root in heads) / len(heads)
        nouns = {root for i, root in left.items() if i in self._classes and told[root] > 0}
        if nouns:
            values["a_mixed"] = max(1.0 - told[root] * share for root in nouns)
        # A noun tells the kind of the answers; a verb of its family ("directed") does not.
        stems = [self._stems_of(value) for value in sample] if unexplained else []
        least = max(1.0, _TOLD * len(sample))
        unexplained.difference_update(
            {i for i in unexplained if sum(self._stems[i] in one for one in stems) >= least}
        )
        used = {i for mention, _ in reading.mentions for i in range(mention.start, mention.end)}
        beside = (
            span
            for value in sample
            for span in self._named_in.get(value, ())
            if not used & set(range(*span))
        )
        values["a_named"] = float(reading.size <= 5 and any(True for _ in beside))

    def _untold(self, reading: Reading, left: Set[int], said: Set[int]) -> frozenset[int]:
        """Return the places of what is asked for where not all answers are told to be that.

        "Which women were born in X" is more than who was born there. A town may be told to be a
        city, as places and groups are called many things; an actor is no singer. What the relation
        says, too ("which countries border X"), is untold where some answers are that and some not.
        """
        sample = [value for value in reading.sample if isinstance(value, EntityValue)]
        found: set[int] = set()
        for place in self._nouns_asked & left if sample else ():
            norm, root = self._text.tokens[place].norm, self._evidence.content[place]
            if place in said and not any(root in self._roots_of(value) for value in sample):
                continue
            kinds, forms = tuple(self._lexicon.kinds), {norm, self._lexicon.stem(norm)}
            if any(norm in kind.asked for kind in kinds):
                continue
            loose = [k.classes for k in kinds if k.name != _WHO and forms & k.classes]
            alike = loose if place not in said else []
            if not all(
                root in self._roots_of(value)
                or any(words & self._view.telling(value.id) for words in alike)
                for value in sample
            ):
                found.add(place)
        return frozenset(found)

    def _is_of(self, value: Value, kind: Kind) -> bool:
        if not isinstance(value, EntityValue):
            return _LITERALS.get(type(value), "") in kind.values
        return not kind.classes.isdisjoint(self._view.telling(value.id))

    # -- what is left ---------------------------------------------------------------------------

    def _unsaid(
        self, reading: Reading, left: Mapping[int, str], unsaid: set[int], values: dict[str, float]
    ) -> None:
        """Add what no name, rule or name of a relation reads, and no kind of answer tells."""
        told = [self._roots_of(value) for value in reading.sample[:_SAMPLE]]
        lost = [
            i for i in unsaid if i not in self._told and not any(left[i] in one for one in told)
        ]
        values["u_unsaid"] = sum(self._evidence.rarity[i] for i in lost) / self._whole
        values["u_unsaid_words"] = float(len(lost))
        if "s_exists" in values:
            values["s_exists_unsaid"] = float(len(lost))

    def _left(
        self,
        left: Mapping[int, str],
        unexplained: set[int],
        taken: set[int],
        said: set[int],
        values: dict[str, float],
    ) -> None:
        rarity, evidence = self._evidence.rarity, self._evidence
        unused = {i for span in self._spans if taken.isdisjoint(range(*span)) for i in range(*span)}
        values["u_named"] = sum(rarity[i] for i in unexplained & unused) / self._whole
        values["u_named_strange"] = sum(1.0 for i in unexplained & unused if not evidence.knows(i))
        values["u_share"] = sum(rarity[i] for i in unexplained) / self._whole
        values["u_words"] = float(len(unexplained))
        values["u_worst"] = max((min(rarity[i], 10.0) for i in unexplained), default=0.0) / 10
        values["u_phrases"] = float(self._evidence.phrases_beside(said, taken))
        values["u_strange"] = sum(1.0 for i in left if i in unexplained and not evidence.knows(i))

    def _against(self, reading: Reading, unexplained: set[int]) -> float:
        """Return how much the word speaks against its relations that does so most."""
        evidence = self._evidence
        return max(
            (
                min(
                    (evidence.contradicts(edge, i) for hop in reading.hops for edge in hop.edges),
                    default=0.0,
                )
                * evidence.rarity[i]
                / 10
                for i in unexplained
            ),
            default=0.0,
        )


def _spanned(
    found: Operators, mentions: Sequence[Mention], lexicon: Lexicon, text: Text
) -> Iterator[tuple[frozenset[int], str]]:
    """Yield the places of operators in a text, with the feature of leaving one unread."""
    named = {mention.start for mention in mentions}
    for limit in found.limits:
        if limit.other < 0 or limit.other in named:
            yield frozenset(range(limit.start, limit.end)), "left_limit"
    for extreme in found.extremes:
        yield frozenset(range(extreme.start, extreme.end)), "left_extreme"
    for denial in found.denials:
        yield frozenset(range(denial.start, denial.end)), "left_denied"
    for kind, places in found.joints.items():
        if places and kind not in _SOFT:
            yield places, f"left_{kind}"
    for mention in mentions:
        literal = mention.candidates[0].kind is MentionKind.LITERAL
        if literal and not _points(mention, text, lexicon):
            yield mention.span, "left_literal"


def _years(
    spanned: Mapping[frozenset[int], str], mentions: Sequence[Mention], text: Text, lexicon: Lexicon
) -> Iterator[tuple[frozenset[int], int]]:
    """Yield where a year stands alone, with small words before it ("of 1997"), and which it is."""
    years = {
        mention.span: value.year
        for mention in mentions
        if isinstance(value := mention.candidates[0].value, TimeValue) and value.precision == _YEAR
    }
    for places in spanned:
        for span, year in years.items():
            if span <= places and all(lexicon.is_small(text.tokens[i].norm) for i in places - span):
                yield places, year


def _points(mention: Mention, text: Text, lexicon: Lexicon) -> bool:
    """Tell whether a number only points at something: "which one", "one of them"."""
    norms = [token.norm for token in text.tokens]
    if not all(map(lexicon.is_small, norms[mention.start : mention.end])):
        return False
    before, after = norms[: mention.start][-1:], norms[mention.end :][:1]
    counted = bool(after) and after[0].isalpha() and not lexicon.is_small(after[0])
    return not counted or any(lexicon.kind(one) in ("question", "article") for one in before)


def _of_hop(score: RelationScore) -> dict[str, float]:
    found = {
        "h_log": score.log / 3,
        "h_chance": score.probability,
        "h_label": score.label,
        "h_alias": score.alias,
        "h_description": score.description,
        "h_phrase": score.phrase,
        "h_turned": max(0.0, score.turned - score.phrase),
        "h_back": score.back,
        "h_tied": float(score.tied),
    }
    if score.seen:
        found["h_gap"] = score.best - score.probability
        found["h_best"] = score.best
        found["h_prior"] = score.prior / 5
    else:
        said = score.label + score.alias + score.phrase
        found["h_unseen"] = 1.0
        found["h_unsaid"] = float(said == 0.0)
        found["h_unsaid_other"] = score.best if said == 0.0 else 0.0
        found["h_unseen_label"] = score.label
        found["h_unseen_phrase"] = score.phrase
        found["h_other"] = score.best
    return found
