"""One tree of settings: defaults, then settings files, then environment, then arguments.

Environment variables carry the prefix ``ROBODATA_`` (``ROBODATA_MAX_TURNS=10``). Secrets are
never settings: keys are read from the environment where they are used, and never written.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from robodata_core.errors import ConfigurationError
from robodata_core.iris import is_id
from robodata_core.text import clean_text, parse_json
from robodata_core.trust import harmless, is_trusted, read_settings_file, user_settings_path
from robodata_core.whole_files import file_limit

__all__ = ["DEFAULT_SOURCE", "Settings", "TuiSettings", "load_settings"]

_log = logging.getLogger("robodata.config")

DEFAULT_SOURCE = "snapshot:world"
METACOGNITION_TURNS = 50
OFFLINE_SECONDS = 60.0
MODEL_SECONDS = 600.0


class TuiSettings(BaseModel):
    """What shapes the terminal UI; runs do not depend on it.

    Attributes:
        theme: Name of the theme, or empty for the default one.
        keymap: Keys by binding id (``cancel: ctrl+x``), instead of the ones built in.
        ssh: Whether to spare the line: few frames a second, no animation.
        journals: How many journals of its own it keeps, at most 500 MB of them; 0 for all. Those
            in a folder that ``journal`` names are never removed.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    theme: str = ""
    keymap: dict[str, str] = Field(default_factory=dict)
    ssh: bool = False
    journals: int = Field(default=500, ge=0)


class Settings(BaseModel):
    """What shapes a run.

    Attributes:
        source: Where knowledge comes from: ``snapshot:NAME-OR-PATH``, ``wikidata``, ``auto`` or
            ``sparql:URL`` (``sparql:URL|URL`` fails over); several are chained.
        policy: Who decides: ``offline`` (no model), ``llm``, ``chat`` or ``auto``. Where it is not
            set, naming a model or its endpoint means ``llm``.
        model: Name of the language model, for ``llm``.
        base_url: Its OpenAI-compatible endpoint; empty for ``OPENAI_BASE_URL`` or OpenAI.
        models: Other models by role: ``exploration``, ``evaluation``, ``update``,
            ``metacognition``, ``second_look``, ``chat``, ``investigation``.
        tool_calls: ``native`` tool calls, or ``json`` for models that know none; native ones
            fall back to JSON when the server refuses them or the model makes none.
        context_tokens: Context window of the model: no prompt is longer.
        reply_tokens: Most tokens of a reply.
        model_timeout: Seconds without a sign of life after which a model call is given up.
        model_tries: Most attempts of a model call that fails in a way that may pass.
        prices: By model: price per million tokens sent and received, for the ledger.
        store: Folder of the local graph, or ``sparql:URL`` for one at a SPARQL 1.1 server; empty
            for one in memory.
        store_update: Where that server takes updates, if not where its query address tells.
        language: Preferred language of labels (BCP 47).
        max_turns: Most turns of a run; the last one must answer. 50 with metacognition,
            unless set.
        time_budget: Seconds a run may take, and opening what it needs; null for no limit. 60
            without a model and 600 with one, unless set.
        self_reflection: Whether reflections are kept between turns.
        metacognition: Whether strategy is observed and corrected.
        second_look: Whether a model looks once more at whether an answer's reading fits the
            question (only where a model decides).
        decompose: Whether questions are taken apart before they are answered (needs ``llm``).
        concurrency: Most read calls of one turn at the same time.
        view_tokens: Budget of the local graph's view in a prompt; above it the graph counts
            as too large to be read at once.
        max_question: Longest question taken, in characters.
        confidence: Score (0 to 1) below which the offline policy says it does not know. Learned
            readings have ``likely``; above ``sure`` it holds for them, too.
        likely: Probability (0 to 1) from which on a learned reading is given, as a likely one.
        sure: The same from which on it is given without that, and ``auto`` asks no model; where
            names and relations of a chat answer agree less with the question, the agent goes on.
        question_tokens: What a question may cost: ``chat`` and ``auto`` go on with no dearer
            policy that usually takes more tokens than are left; 0 for no limit.
        lexicon: Extra relation names for the offline policy (a tab-separated file), or empty.
        ranker: Trained ranker of the offline policy, or empty.
        calibration: What verification learnt from labelled triples (``robodata verify --learn``),
            or empty.
        scorer: Link scorer of verification (``robodata verify --learn-scorer``), or empty.
        texts: Texts that verification by a model may quote: an index (`robodata text load`),
            ``wikipedia`` or ``wikipedia:LANGUAGE``; several are asked in order.
        web_search: Address of a search service that answers in JSON, with ``{query}`` in it; its
            key is ``ROBODATA_SEARCH_KEY`` in the environment.
        web_results: Where its hits are, and their title, address and text.
        wikipedia_api: Address of Wikipedia's Action API, with ``{language}`` in it.
        trajectories: File of investigations to learn from beside those that ship, or empty for
            the user's own (`robodata memory`).
        semantic: Whether words that no name of a relation has are compared by meaning: ``off``,
            ``endpoint`` (an OpenAI-compatible embeddings service) or ``local`` (with
            sentence-transformers, extra ``semantic``).
        semantic_url: Base address of that service, as ``https://host/v1``.
        semantic_model: Name of the embedding model.
        journal: Folder that every run's journal is written to, or empty for none.
        tui: What shapes the terminal UI.
        chain: ``fill`` asks later sources for what earlier ones lack, ``merge`` asks all.
        contact: How services can reach you (an address), sent in the User-Agent.
        cache: Folder for answers of services; empty for the user's cache folder.
        cache_days: How long such answers are good; 0 keeps none on disk.
        wikidata_api: Address of the Action API of ``wikidata``, or of another Wikibase.
        wikidata_sparql: Address of its query service.
        maxlag: Seconds of database lag above which Wikidata is left alone.
        http_timeout: Seconds one request to a source may take, repeats included.
        read_bytes: Most bytes that are read as a whole of a file, unpacked. All else that is read
            has a fixed share of it: one answer of a service or a model half (decoded; a line of a
            stream a 24th), forms of files that need less (settings a 500th), lines of files that
            are read piece by piece, and what may be sent to `serve-wikibase` (a tenth).
        http_tries: Most attempts of a request that fails in a way that may pass.
        sparql_labels: Predicates of labels at ``sparql:URL``, best first.
        sparql_descriptions: Predicates of descriptions there.
        sparql_aliases: Predicates of further names there.
        sparql_types: Predicates of types there.
        sparql_graphs: Named graphs to query there; empty leaves it to the endpoint.
        sparql_page: Most rows of one answer the endpoint gives whole.
        record: File that all traffic with sources and models is recorded to, or empty.
        replay_traffic: Recording that answers instead of the network, or empty.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)

    source: tuple[str, ...] = (DEFAULT_SOURCE,)
    policy: Literal["offline", "chat", "llm", "auto"] = "offline"
    model: str = ""
    base_url: str = ""
    models: dict[
        Literal[
            "exploration",
            "evaluation",
            "update",
            "metacognition",
            "second_look",
            "chat",
            "investigation",
        ],
        str,
    ] = Field(default_factory=dict)
    tool_calls: Literal["native", "json"] = "native"
    context_tokens: int = Field(default=32_000, ge=2_000, le=10_000_000)
    reply_tokens: int = Field(default=2_000, ge=100, le=200_000)
    model_timeout: float = Field(default=120.0, gt=0, le=86_400)
    model_tries: int = Field(default=4, ge=1, le=20)
    prices: dict[str, tuple[float, float]] = Field(default_factory=dict)
    store: str = ""
    store_update: str = ""
    language: str = Field(default="en", pattern=r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")
    max_turns: int = Field(default=30, ge=1, le=1_000)
    time_budget: float | None = Field(default=None, gt=0)
    self_reflection: bool = True
    metacognition: bool = False
    second_look: bool = True
    decompose: bool = False
    concurrency: int = Field(default=4, ge=1, le=64)
    view_tokens: int = Field(default=12_000, ge=200)
    max_question: int = Field(default=2_000, ge=10, le=100_000)
    confidence: float = Field(default=0.5, ge=0.0, le=1.0)
    likely: float = Field(default=0.45, ge=0.0, le=1.0)
    sure: float = Field(default=0.8, ge=0.0, le=1.0)
    question_tokens: int = Field(default=0, ge=0)
    lexicon: str = ""
    ranker: str = ""
    calibration: str = ""
    scorer: str = ""
    texts: tuple[str, ...] = ()
    web_search: str = ""
    web_results: str = "results:title,url,content"
    wikipedia_api: str = "https://{language}.wikipedia.org/w/api.php"
    trajectories: str = ""
    semantic: Literal["off", "endpoint", "local"] = "off"
    semantic_url: str = ""
    semantic_model: str = ""
    journal: str = ""
    tui: TuiSettings = TuiSettings()
    chain: Literal["fill", "merge"] = "fill"
    contact: str = ""
    cache: str = ""
    cache_days: float = Field(default=7.0, ge=0, le=3_650)
    wikidata_api: str = "https://www.wikidata.org/w/api.php"
    wikidata_sparql: str = "https://query.wikidata.org/sparql"
    maxlag: int = Field(default=5, ge=1, le=60)
    http_timeout: float = Field(default=60.0, gt=0, le=86_400)
    read_bytes: int = Field(default=100_000_000, ge=10_000_000, le=4_000_000_000)
    http_tries: int = Field(default=4, ge=1, le=20)
    sparql_labels: tuple[str, ...] = ("http://www.w3.org/2000/01/rdf-schema#label",)
    sparql_descriptions: tuple[str, ...] = (
        "http://schema.org/description",
        "http://www.w3.org/2000/01/rdf-schema#comment",
    )
    sparql_aliases: tuple[str, ...] = ("http://www.w3.org/2004/02/skos/core#altLabel",)
    sparql_types: tuple[str, ...] = (
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
        "http://www.wikidata.org/prop/direct/P31",
    )
    sparql_graphs: tuple[str, ...] = ()
    sparql_page: int = Field(default=10_000, ge=100, le=1_000_000)
    record: str = ""
    replay_traffic: str = ""

    def __init__(self, **given: Any) -> None:
        super().__init__(**_laid_over(_environment(), given))

    @field_validator(
        "source",
        "texts",
        "sparql_labels",
        "sparql_descriptions",
        "sparql_aliases",
        "sparql_types",
        "sparql_graphs",
        mode="before",
    )
    @classmethod
    def _split_list(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("source")
    @classmethod
    def _at_least_one_source(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise ValueError("name at least one source")
        return value

    @field_validator(
        "sparql_labels", "sparql_descriptions", "sparql_aliases", "sparql_types", "sparql_graphs"
    )
    @classmethod
    def _iris(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        for iri in value:
            if ":" not in iri or not is_id(iri):
                raise ValueError(f"{iri!r} is no absolute IRI")
        if not value and info.field_name != "sparql_graphs":
            raise ValueError("name at least one predicate")
        return value

    @property
    def answer_bytes(self) -> int:
        """Most bytes of one answer of a service or a model, decoded."""
        return self.read_bytes // 2


def load_settings(config: str | Path | None = None, **overrides: Any) -> Settings:
    """Merge defaults, the settings files, the environment and ``overrides``.

    The user's own ``robodata.yaml`` (in the configuration folder) comes before that of the working
    folder. Of the latter, all but settings that can harm nobody count only after
    ``robodata trust``; what is ignored is logged as a warning. What files may hold is from then
    on what they say (``whole_files.file_limit``).

    Args:
        config: Settings file that takes the place of the working folder's; whoever names it
            trusts it.
        overrides: Settings by name; None values are ignored.

    Raises:
        ConfigurationError: If a file or value is wrong, in one sentence.
    """
    if config is not None and not Path(config).is_file():
        raise ConfigurationError(f"There is no settings file at {config}.")
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        layers = _laid_over(_laid_over(_file_settings(config), _environment()), given)
        settings = _with_defaults(Settings(**layers))
    except ValidationError as error:
        raise ConfigurationError(_sentence(error)) from error
    file_limit(settings.read_bytes)
    return settings


def _file_settings(config: str | Path | None) -> dict[str, Any]:
    """Return what the settings files say, the user's own first."""
    merged: dict[str, Any] = {}
    own = user_settings_path()
    if _is_file(own):
        merged = read_settings_file(own)[0]
    path = Path(config) if config is not None else Path("robodata.yaml")
    if not _is_file(path):
        return merged
    found, content = read_settings_file(path)
    if config is None and path.resolve() != own.resolve() and not is_trusted(path, content):
        found, ignored = harmless(found)
        if ignored:
            _log.warning(
                "Ignored in %s: %s. Nobody has trusted that file yet; read it, then run: "
                "robodata trust",
                path.resolve(),
                ", ".join(ignored),
            )
    return _laid_over(merged, found)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _with_defaults(settings: Settings) -> Settings:
    """Set what is not set and depends on other settings."""
    update: dict[str, Any] = {}
    if settings.metacognition and "max_turns" not in settings.model_fields_set:
        update["max_turns"] = METACOGNITION_TURNS
    if (settings.model or settings.base_url) and "policy" not in settings.model_fields_set:
        update["policy"] = "llm"
    if "time_budget" not in settings.model_fields_set:
        offline = update.get("policy", settings.policy) == "offline"
        update["time_budget"] = OFFLINE_SECONDS if offline else MODEL_SECONDS
    return settings.model_copy(update=update) if update else settings


def _environment() -> dict[str, Any]:
    """Return what the environment says; what holds several named things is JSON there."""
    found: dict[str, Any] = {}
    for variable, text in os.environ.items():
        prefix, _, name = variable.lower().partition("_")
        field = Settings.model_fields.get(name)
        if prefix != "robodata" or field is None:
            continue
        found[name] = text
        if isinstance(field.get_default(call_default_factory=True), (dict, BaseModel)):
            try:
                found[name] = parse_json(text)
            except ValueError as error:
                raise ConfigurationError(
                    f"A ROBODATA_ variable cannot be read: {variable} is no JSON."
                ) from error
    return found


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return both, with what is above where they differ."""
    merged = {**below, **above}
    for name in below.keys() & above.keys():
        if isinstance(below[name], Mapping) and isinstance(above[name], Mapping):
            merged[name] = _laid_over(below[name], above[name])
    return merged


def _sentence(error: ValidationError) -> str:
    parts = []
    for item in error.errors(include_url=False):
        place = ".".join(str(part) for part in item["loc"])
        name = clean_text(place, limit=100) or "settings"
        said = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            said = "there is no such setting"
        parts.append(f"{name}: {said[0].lower()}{said[1:]}")
    return "Some settings are not valid: " + "; ".join(parts) + "."
