"""The knowledge model: what an entity, a statement, a claim and an answer are.

Frozen data only: no input or output, no RDF terms (those live in ``store/_terms.py``), no
behaviour beyond what follows from the data. Terms are Wikibase's (item, property, statement,
rank, qualifier, reference, snak) and the paper's (claim, support set).

Ids are strings throughout: ``Q42`` or ``P36`` for Wikidata's entities, the absolute IRI for
entities of any other source. ``robodata_core.iris`` converts.
"""

from __future__ import annotations

from robodata_core.model._answers import (
    Absence,
    Answer,
    AnswerStatus,
    Claim,
    Completeness,
    Evidence,
    Provenance,
    ResultItem,
    RunStatistics,
    Spending,
    SupportSet,
    TokenCount,
    TruthKind,
)
from robodata_core.model._graph import (
    EXACT_MATCHES,
    Direction,
    Entity,
    EntityKind,
    MatchKind,
    Property,
    Rank,
    Reference,
    RelationCount,
    SearchHit,
    Snak,
    SparqlResult,
    Statement,
    StatementPage,
    Triple,
    ids_in,
)
from robodata_core.model._values import (
    CoordinateValue,
    EntityValue,
    ExternalIdValue,
    MonolingualTextValue,
    NoValue,
    QuantityValue,
    SomeValue,
    StringValue,
    TimeValue,
    UrlValue,
    Value,
    datatype_of,
)

__all__ = [
    "EXACT_MATCHES",
    "Absence",
    "Answer",
    "AnswerStatus",
    "Claim",
    "Completeness",
    "CoordinateValue",
    "Direction",
    "Entity",
    "EntityKind",
    "EntityValue",
    "Evidence",
    "ExternalIdValue",
    "MatchKind",
    "MonolingualTextValue",
    "NoValue",
    "Property",
    "Provenance",
    "QuantityValue",
    "Rank",
    "Reference",
    "RelationCount",
    "ResultItem",
    "RunStatistics",
    "SearchHit",
    "Snak",
    "SomeValue",
    "SparqlResult",
    "Spending",
    "Statement",
    "StatementPage",
    "StringValue",
    "SupportSet",
    "TimeValue",
    "TokenCount",
    "Triple",
    "TruthKind",
    "UrlValue",
    "Value",
    "datatype_of",
    "ids_in",
]
