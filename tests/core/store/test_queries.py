"""Queries from strangers: what is refused, what is not, and that nothing runs for ever."""

from __future__ import annotations

import contextlib
import gzip
import http.server
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodata_core.cancellation import CancelToken
from robodata_core.errors import (
    CancelledError,
    DeadlineExceededError,
    QueryError,
    QueryLimitError,
    QueryRefusedError,
    QuerySyntaxError,
    StoreError,
)
from robodata_core.model import (
    EntityValue,
    MonolingualTextValue,
    QuantityValue,
    StringValue,
    Triple,
)
from robodata_core.store._query_process import QueryProcesses as Processes
from robodata_core.store.queries import QueryLimits, QueryProcesses, check_read_only, run_bounded

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
# Millions of millions of rows: no cap on rows helps, counting never ends.
CROSSED = "?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p ."
ENDLESS = f"SELECT (COUNT(*) AS ?n) {{ {CROSSED} }}"


def quads(size: int = 2_000) -> Iterator[ox.Quad]:
    graph = ox.NamedNode("urn:robodata:run:r1")
    label = ox.NamedNode("http://www.w3.org/2000/01/rdf-schema#label")
    for n in range(1, size + 1):
        subject = ox.NamedNode(f"{WD}Q{n}")
        object_ = ox.NamedNode(f"{WD}Q{n * 7 % size + 1}")
        yield ox.Quad(subject, ox.NamedNode(f"{WDT}P{n % 20 + 1}"), object_, graph)
        yield ox.Quad(subject, label, ox.Literal(f"name {n}", language="en"))


linux_only = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads /proc")


@pytest.fixture(scope="module")
def store() -> ox.Store:
    store = ox.Store()
    store.extend(quads())
    return store


@pytest.fixture(scope="module")
def processes(store: ox.Store) -> Iterator[QueryProcesses]:
    def dump() -> bytes:
        return store.dump(format=ox.RdfFormat.N_QUADS) or b""

    with QueryProcesses.for_dump(dump) as processes:
        yield processes


def children() -> set[int]:
    """Ids of the living children of this process (Linux)."""
    found = set()
    for task in Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # A thread has ended.
            found |= {int(number) for number in task.read_text().split()}
    return found


# -- what is let through ----------------------------------------------------------------------

READS = [
    "SELECT ?o { wd:Q16 wdt:P36 ?o }",
    "ASK { ?s rdfs:label 'SERVICE <http://x/> { }' }",
    'SELECT * { ?s rdfs:label "INSERT DATA { } ; DROP ALL" } # SERVICE <http://x/> {}',
    "SELECT * { ?service wdt:P31 ?load }",
    "SELECT * { <http://x/SERVICE> <http://x/LOAD> <http://x/#SERVICE> }",
    "SELECT * { <http://x/O'Brien> ?p ?o }",
    "PREFIX soma: <http://x/> SELECT * { soma:Service ?p soma:LOAD }",
    "SELECT * FROM <http://x/g> FROM NAMED <http://x/h> { GRAPH ?g { ?s ?p ?o } }",
    "CONSTRUCT { ?s a ?o } WHERE { ?s wdt:P31 ?o }",
    "DESCRIBE wd:Q16",
    "SELECT * { ?s wdt:P31/wdt:P279* wd:Q5 FILTER(?a<?b && ?c>?d) }",
    "SELECT (CONCAT(STR(?s), 'x') AS ?y) (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s",
    "SELECT * { { SELECT ?s { ?s ?p ?o } LIMIT 3 } OPTIONAL { ?s a ?l } MINUS { ?s a ?o } }",
    'SELECT * { ?s ?p """a \'long\' SERVICE text"""@en, 1.5e3, -2, true, \'\\u0041\\\\u\' }',
    "BASE <http://x/> PREFIX : <#> SELECT * { :a <b> [ :c (1 2) ; :d _:e ] VALUES ?x { UNDEF 1 } }",
    "select * where { ?s ?p ?o } order by desc(?s) limit 5 offset 2",
    "SELECT * { FILTER(1 IN (" + ", ".join(f"wd:Q{n}" for n in range(1, 2_000)) + ")) }",
    "SELECT * { VALUES ?s { " + " ".join(f"wd:Q{n}" for n in range(1, 3_000)) + " } ?s ?p ?o }",
]


@pytest.mark.parametrize("query", READS)
def test_reading_is_let_through_and_means_the_same(query: str) -> None:
    text = check_read_only(query)
    assert check_read_only(text) == text


@pytest.mark.parametrize(
    "query",
    [
        "INSERT DATA { <urn:a> <urn:b> <urn:c> }",
        "delete where { ?s ?p ?o }",
        "DROP ALL",
        "CLEAR GRAPH <urn:a>",
        "LOAD <http://127.0.0.1:9/>",
        "COPY DEFAULT TO <urn:g>",
        "PREFIX a: <urn:a> # hm\nINSERT { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "SELECT * { ?s ?p ?o } ; DROP ALL",
        "WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * { sErViCe SILENT <http://127.0.0.1:9/> { ?s ?p ?o } }",
        "SELECT * { SERVICE ?x { ?s ?p ?o } }",
        "SELECT * { { SELECT * { OPTIONAL { SERVICE <http://x/> { ?s ?p ?o } } } } }",
        "SELECT * { FILTER EXISTS { SERVICE <http://x/> { ?s ?p ?o } } }",
        "SELECT * { ?s ?p ?o .\n# comment\nSERVICE\n# comment\n<http://x/> { ?s ?p ?o } }",
        "PREFIX e: <http://x/> SELECT * { SERVICE e:{ ?s ?p ?o } }",
        "PREFIX : <http://x/> SELECT * { SERVICE:x { ?s ?p ?o } }",
        "SELECT * { ?s ?p trueSERVICE <http://x/> { ?s ?p ?o } }",
        "SELECT * { ?s ?p 1SERVICE <http://x/> { ?s ?p ?o } }",
        "SELECT * { ?s ?p 'a'SERVICE<http://x/>{ ?s ?p ?o } }",
        "SELECT * { SERVICE wikibase:label { bd:serviceParam wikibase:language 'en' } }",
        "SELECT * {" + " { " * 100 + "}" * 101,
        "SELECT * { ?s ?p '" + "x" * 200_000 + "' }",
    ],
)
def test_more_than_reading_is_refused(query: str) -> None:
    with pytest.raises(QueryRefusedError):
        check_read_only(query)
    with pytest.raises(QueryRefusedError):
        run_bounded(ox.Store(), query)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "empty"),
        ("  # only a comment", "empty"),
        ("What is the capital of Canada?", "unexpected|must be a"),
        ("SELECT ?o { wd:Q16 wdt:P36 }", "line 1, column 28"),
        ("SELECT ?o {\n  wd:Q16\n  wdt:P36 nonsense }", "line 3, column 11"),
        ("SELECT ?o { ?s foo:bar ?o }", "prefix 'foo:'"),
        ("SELECT ?o { ?s ?p ?o", "not closed"),
        ("SELECT ?o { ?s ?p ?o }}", "closes nothing"),
        ("SELECT ?o { ?s ?p ?o )", "closes nothing"),
        ("SELECT * { ?s ?p 'unfinished }", "unexpected"),
        ("SELECT ?s ?o { ?s ?p ?o } GROUP BY ?s", "unbound"),
        ("S\\u0045LECT * { ?s ?p ?o }", "must be a|unexpected"),
        ("SELECT * { S\\u0045RVICE <http://x/> {} }", "makes no sense|unexpected"),
        ("SELECT * { <http://x/\\u0020y> ?p ?o }", "bad IRI"),
        ("SELECT * { ?s ?p ?o } \x00", "unexpected"),
        ("PREFIX a: <urn:a>", "must be a"),
        ("SELECT * { ?s ?p ?o FILTER(<urn:f>(?s)) }", "urn:f"),
    ],
)
def test_what_is_not_sparql_is_said_to_be_none(query: str, message: str) -> None:
    with pytest.raises(QuerySyntaxError, match=message):
        check_read_only(query)
    with pytest.raises(QuerySyntaxError):
        run_bounded(ox.Store(), query)


class _Listener(http.server.BaseHTTPRequestHandler):
    hits: list[str]

    def do_POST(self) -> None:
        self.hits.append(self.path)
        self.send_response(500)
        self.end_headers()

    do_GET = do_POST

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture(scope="module")
def listener() -> Iterator[tuple[str, list[str]]]:
    """An endpoint on loopback that notes who calls."""
    hits: list[str] = []
    handler = type("Listener", (_Listener,), {"hits": hits})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", hits
        server.shutdown()


def test_the_engine_would_really_call(listener: tuple[str, list[str]]) -> None:
    """The tests below are worth something: unguarded, both spellings reach the endpoint."""
    url, hits = listener
    for query in (
        f"SELECT * {{ ?s ?p ?o . SERVICE <{url}> {{ ?a ?b ?c }} }}",
        f"PREFIX : <{url}> SELECT * {{ ?s ?p ?o . SERVICE:x {{ ?a ?b ?c }} }}",
    ):
        hits.clear()
        store = ox.Store()
        store.add(ox.Quad(ox.NamedNode("urn:s"), ox.NamedNode("urn:p"), ox.NamedNode("urn:o")))
        with pytest.raises(OSError):
            list(store.query(query))
        assert hits


PIECES = [
    *("SELECT", "*", "{", "}", "?s", "?o", "'", '"', "'''", '"""', "#", "\n", " ", "\\"),
    *("\\u0027", "\\u0022", "<", "<urn:a>", ">", "&&", "(", ")", "FILTER(?s<?o", "FILTER("),
    *("OPTIONAL {", "@en", "^^", "a", "true", "1", ".", ";", ",", ":", "e:", "SERVICE"),
    *("SERVICE:x {}", "service?s{}", "?s<?o", "1>", "BIND(", "[", "]", "-", "/", "|", "%"),
    *("ex:a\\'", "ex:a\\#", "_:b", "?", "é", "CALL", "} CALL", ") CALL", "VALUES ?s {"),
    *("SERVICE SILENT", "trueSERVICE"),
]


@given(
    st.lists(st.sampled_from(PIECES), max_size=8),
    st.lists(st.sampled_from(PIECES), max_size=5),
    st.booleans(),
)
def test_no_arrangement_of_text_reaches_an_endpoint(
    listener: tuple[str, list[str]], before: list[str], after: list[str], call: bool
) -> None:
    url, hits = listener
    hits.clear()
    service = f" SERVICE <{url}> {{ ?a ?b ?c }} "
    middle = "".join(before) + (service if call else "") + "".join(after)
    query = f"PREFIX e: <{url}> PREFIX : <{url}> SELECT * {{ ?s ?p ?o . {middle} }}"
    query = query.replace("CALL", service)
    store = ox.Store()
    store.add(ox.Quad(ox.NamedNode("urn:s"), ox.NamedNode("urn:p"), ox.NamedNode("urn:o")))
    try:
        text = check_read_only(query)
    except QueryError:
        return
    for _ in store.query(text):
        break
    assert not hits


@given(st.text(max_size=60))
def test_any_text_is_answered_with_a_query_error_or_is_a_query(text: str) -> None:
    for query in (text, f"SELECT * {{ {text} }}", f"SELECT * {{ ?s ?p '{text}' }}"):
        try:
            assert check_read_only(query)
        except QueryError as error:
            assert error.message


def test_checking_never_runs_a_query() -> None:
    values = " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(80)))} }}" for n in range(6))
    start = time.monotonic()
    check_read_only(f"ASK {{ {values} FILTER(?v0 + ?v1 > 1000) }}")
    check_read_only(f"SELECT (COUNT(*) AS ?n) {{ {values} }}")
    # Running it would take days; a minute is generous for parsing on a busy machine.
    assert time.monotonic() - start < 60


# -- what comes back --------------------------------------------------------------------------


def test_small_queries_give_values(store: ox.Store, processes: QueryProcesses) -> None:
    result = run_bounded(store, "SELECT ?o ?l { wd:Q1 wdt:P2 ?o ; rdfs:label ?l }")
    assert result.variables == ("o", "l")
    assert result.rows == ((EntityValue("Q8"), MonolingualTextValue("name 1", "en")),)
    assert run_bounded(store, "ASK { wd:Q1 wdt:P2 wd:Q8 }").boolean is True
    assert run_bounded(store, "ASK { wd:Q1 wdt:P2 wd:Q9 }").boolean is False
    unbound = run_bounded(store, "SELECT ?o ?x { wd:Q1 wdt:P2 ?o OPTIONAL { ?o wdt:P99 ?x } }")
    assert unbound.rows == ((EntityValue("Q8"), None),)


QUERIES = [
    "SELECT ?o ?l { wd:Q1 wdt:P2 ?o . ?o rdfs:label ?l }",
    "SELECT ?s ?x { ?s wdt:P2 ?o OPTIONAL { ?o wdt:P99 ?x } } ORDER BY ?s LIMIT 7",
    "ASK { wd:Q1 wdt:P2 wd:Q9 }",
    "SELECT (COUNT(?s) AS ?n) { ?s wdt:P3 ?o }",
    "SELECT DISTINCT ?p { wd:Q1 ?p ?o } ORDER BY ?p",
    'SELECT ?s { ?s rdfs:label ?l FILTER(CONTAINS(?l, "name 19") && LANG(?l) = "en") } ORDER BY ?s',
    "SELECT ?s { VALUES ?s { wd:Q1 wd:Q2 } { ?s wdt:P2 ?o } UNION { ?s wdt:P3 ?o } } ORDER BY ?s",
    "SELECT ?g { GRAPH ?g { wd:Q1 wdt:P2 ?o } }",
    "SELECT ?o { wd:Q1 wdt:P2/wdt:P9* ?o }",
    "SELECT ?o FROM <urn:robodata:run:r1> { wd:Q1 ?p ?o }",
    "SELECT ?o FROM <urn:nothing> { wd:Q1 ?p ?o }",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_child_process_gives_the_same_result(
    store: ox.Store, processes: QueryProcesses, query: str
) -> None:
    # A path in a branch that adds nothing makes the shape one that only a child may run.
    hard = query.rstrip("}") + " MINUS { ?nowhere wdt:P98/wdt:P97 ?here } }"
    if not query.endswith("}"):
        hard = query
    assert run_bounded(store, query, processes=processes) == run_bounded(
        store, hard, processes=processes
    )


def test_constructed_triples(store: ox.Store, processes: QueryProcesses) -> None:
    query = "CONSTRUCT { ?o wdt:P1 ?s } WHERE { ?s wdt:P2 ?o FILTER(?s = wd:Q1) }"
    result = run_bounded(store, query, processes=processes)
    assert result.triples == (Triple("Q8", "P1", EntityValue("Q1")),)
    described = run_bounded(store, "DESCRIBE wd:Q1", processes=processes)
    assert Triple("Q1", "P2", EntityValue("Q8")) in described.triples


def test_rows_are_cut_and_said_to_be_cut(store: ox.Store, processes: QueryProcesses) -> None:
    limits = QueryLimits(rows=5)
    for query in (
        "SELECT ?s { ?s wdt:P3 ?o }",
        "SELECT ?s { ?s wdt:P3+ ?o }",
        "SELECT ?a { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    ):
        result = run_bounded(store, query, limits=limits, processes=processes)
        assert (len(result.rows), result.truncated) == (5, True)
    whole = run_bounded(store, "SELECT ?s { ?s wdt:P3 ?o } LIMIT 5", limits=limits)
    assert (len(whole.rows), whole.truncated) == (5, False)
    triples = run_bounded(
        store, "CONSTRUCT WHERE { ?s wdt:P3 ?o }", limits=limits, processes=processes
    )
    assert (len(triples.triples), triples.truncated) == (5, True)


def test_bytes_are_cut_and_said_to_be_cut(store: ox.Store, processes: QueryProcesses) -> None:
    limits = QueryLimits(bytes=1_000)
    for query in ("SELECT ?s { ?s wdt:P3 ?o }", "SELECT ?s { ?s wdt:P3|wdt:P4 ?o }"):
        result = run_bounded(store, query, limits=limits, processes=processes)
        assert 5 < len(result.rows) < 40 and result.truncated


# -- what must end ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        ENDLESS,
        f"SELECT * {{ {CROSSED} FILTER(CONCAT(STR(?a), STR(?f), STR(?k)) = 'x') }}",
        f"ASK {{ {CROSSED} FILTER(STRLEN(CONCAT(STR(?a), STR(?f), STR(?k))) = 1) }}",
        "SELECT (COUNT(*) AS ?n) { "
        + " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(99)))} }}" for n in range(8))
        + " }",
        f"CONSTRUCT {{ ?a ?b ?c }} WHERE {{ {CROSSED} FILTER(CONCAT(?a, ?f, ?k) = 'x') }}",
    ],
)
def test_a_query_that_never_ends_is_ended(
    store: ox.Store, processes: QueryProcesses, query: str
) -> None:
    before = children()
    start = time.monotonic()
    with pytest.raises(QueryLimitError):
        run_bounded(store, query, limits=QueryLimits(seconds=0.5), processes=processes)
    # The cap is half a second and loading a second at most; the rest is room for a busy machine.
    assert time.monotonic() - start < 20
    assert children() <= before, "a process was left running"
    assert threading.active_count() < 20


def test_a_query_that_eats_memory_is_ended(store: ox.Store, processes: QueryProcesses) -> None:
    query = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?c ?f ?i"
    with pytest.raises(QueryLimitError):
        run_bounded(store, query, limits=QueryLimits(seconds=60), processes=processes)


def test_after_an_ended_query_the_next_one_is_answered(
    store: ox.Store, processes: QueryProcesses
) -> None:
    with pytest.raises(QueryLimitError):
        run_bounded(store, ENDLESS, limits=QueryLimits(seconds=0.2), processes=processes)
    result = run_bounded(store, "SELECT ?o { wd:Q1 wdt:P2/rdfs:label ?o }", processes=processes)
    assert result.rows == ((MonolingualTextValue("name 8", "en"),),)


def test_cancelling_ends_a_query(store: ox.Store, processes: QueryProcesses) -> None:
    token = CancelToken()
    timer = threading.Timer(0.3, token.cancel)
    timer.start()
    before = children()
    with pytest.raises(CancelledError):
        run_bounded(store, ENDLESS, cancel=token, processes=processes)
    assert children() <= before
    with pytest.raises(CancelledError):
        run_bounded(store, "ASK {}", cancel=token)


def test_the_deadline_of_the_run_ends_a_query(store: ox.Store, processes: QueryProcesses) -> None:
    with pytest.raises(DeadlineExceededError):
        run_bounded(store, ENDLESS, cancel=CancelToken(0.3), processes=processes)


def test_without_processes_the_store_is_dumped(store: ox.Store) -> None:
    before = children()
    result = run_bounded(store, "SELECT ?o { wd:Q1 wdt:P2/rdfs:label ?o }")
    assert result.rows == ((MonolingualTextValue("name 8", "en"),),)
    assert children() <= before


def test_what_would_crash_the_parser_is_refused() -> None:
    with pytest.raises(QueryRefusedError, match="too complex"):
        check_read_only("SELECT * { FILTER(1" + "||1" * 30_000 + ") }")
    with pytest.raises(QueryLimitError, match="too complex"):
        run_bounded(ox.Store(), "SELECT * { FILTER(1" + "||1" * 30_000 + ") }")
    assert check_read_only("SELECT * { " + "?s ?p ?o . " * 60 + "}")


# -- where children get their data ------------------------------------------------------------


def test_children_load_files_and_folders(tmp_path: Path) -> None:
    lines = b"".join(str(quad).encode() + b" .\n" for quad in quads(50))
    (tmp_path / "graph.nq").write_bytes(lines)
    (tmp_path / "graph.nq.gz").write_bytes(gzip.compress(lines))
    on_disk = ox.Store(str(tmp_path / "folder"))
    on_disk.extend(quads(50))
    on_disk.flush()
    del on_disk
    opened = ox.Store.read_only(str(tmp_path / "folder"))
    for processes in (
        Processes.for_file(tmp_path / "graph.nq"),
        Processes.for_file(tmp_path / "graph.nq.gz"),
        Processes.for_folder(tmp_path / "folder"),
    ):
        with processes:
            query = "SELECT ?l { wd:Q1 wdt:P2/rdfs:label ?l }"
            result = run_bounded(opened, query, processes=processes)
            assert result.rows == ((MonolingualTextValue("name 8", "en"),),)


def test_children_that_cannot_load_say_so(tmp_path: Path) -> None:
    (tmp_path / "bad.nq").write_text("this is not RDF")
    query = "SELECT ?l { wd:Q1 wdt:P2/rdfs:label ?l }"
    for processes in (
        Processes.for_file(tmp_path / "missing.nq"),
        Processes.for_file(tmp_path / "bad.nq"),
        Processes.for_folder(tmp_path / "missing"),
    ):
        with processes, pytest.raises(StoreError, match="could not be loaded"):
            run_bounded(ox.Store(), query, processes=processes)


def test_a_changed_store_is_taken_anew() -> None:
    store, version = ox.Store(), 0
    query = "SELECT (COUNT(*) AS ?n) { ?s (wdt:P1|wdt:P2) ?o }"

    def dump() -> bytes:
        return store.dump(format=ox.RdfFormat.N_QUADS) or b""

    with QueryProcesses.for_dump(dump, lambda: version) as processes:
        for version in range(3):  # noqa: B007 - read by the lambda above
            store.add(
                ox.Quad(
                    ox.NamedNode(f"{WD}Q{version + 1}"),
                    ox.NamedNode(WDT + "P1"),
                    ox.NamedNode(WD + "Q9"),
                )
            )
            count = run_bounded(store, query, processes=processes).rows[0][0]
            assert count == QuantityValue(Decimal(version + 1))


def test_many_threads_may_ask_at_once(store: ox.Store, processes: QueryProcesses) -> None:
    results: list[object] = []

    def ask(n: int) -> None:
        query = f"SELECT ?l {{ wd:Q{n} (wdt:P{n % 20 + 1}/rdfs:label) ?l }}"
        results.append(run_bounded(store, query, processes=processes).rows)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and all(results)


@linux_only
def test_a_child_ends_with_its_owner() -> None:
    before = children()
    processes = QueryProcesses.empty()
    run_bounded(ox.Store(), "SELECT ?l { wd:Q1 wdt:P2/rdfs:label ?l }", processes=processes)
    (child,) = children() - before
    processes.close()
    assert child not in children()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


@linux_only
def test_a_child_ends_when_its_owner_is_killed() -> None:
    program = (
        "import pyoxigraph as ox\n"
        "from robodata_core.store.queries import QueryLimits, QueryProcesses, run_bounded\n"
        "processes = QueryProcesses.empty()\n"
        "with processes.process() as process:\n"
        "    print(process.pid, flush=True)\n"
        "values = ' '.join(f'VALUES ?v{n} {{ ' + '1 ' * 99 + '}' for n in range(8))\n"
        "query = 'SELECT (COUNT(*) AS ?n) { ' + values + ' }'\n"
        "run_bounded(ox.Store(), query, limits=QueryLimits(seconds=0.5), processes=processes)\n"
    )
    owner = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    child = int(owner.stdout.readline())
    owner.kill()
    owner.wait()
    owner.stdout.close()
    for _ in range(600):
        if not is_running(child):
            return
        time.sleep(0.1)
    pytest.fail("the child outlived its owner")


def is_running(pid: int) -> bool:
    """Tell whether a process runs; one that nobody has collected yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@linux_only
def test_a_child_that_died_meanwhile_is_replaced() -> None:
    before = children()
    query = "SELECT ?l { wd:Q1 wdt:P2/rdfs:label ?l }"
    with QueryProcesses.empty() as processes:
        run_bounded(ox.Store(), query, processes=processes)
        (child,) = children() - before
        os.kill(child, 9)
        assert run_bounded(ox.Store(), query, processes=processes).rows == ()


def test_a_string_of_any_kind_comes_through_a_child() -> None:
    store = ox.Store()
    texts = ["é\n\"'\\", "\x00\x1b[31m", "\U0001f600", ""]
    for text in texts:
        store.add(ox.Quad(ox.NamedNode("urn:s"), ox.NamedNode("urn:p"), ox.Literal(text)))
    result = run_bounded(store, "SELECT ?o { <urn:s> (<urn:p>|<urn:q>) ?o }")
    assert {row[0] for row in result.rows} == {StringValue(text) for text in texts}
