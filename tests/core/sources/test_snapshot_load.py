"""Loading files: every format, errors with their place, nothing half-made."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pyoxigraph as ox
import pytest

from robodata_core.errors import ConfigurationError, LoadError, SnapshotError
from robodata_core.model import Direction, EntityKind, EntityValue, SomeValue
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import Progress, load_files, write_snapshot

TURTLE = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a rdfs:label "Ann Lee"@en , "Ann\\nLee \\"A\\" \\u00e9"@en ; :knows :b ; :born "1970-01-02"^^<http://www.w3.org/2001/XMLSchema#date> .
:b rdfs:label "Bob"@en ; :knows :a .
"""  # noqa: E501
BOTH = pytest.mark.parametrize("small", [0, 1_000])
FORMATS = {
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "ttl": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "owl": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}


def content(extension: str) -> bytes:
    quads = list(ox.parse(TURTLE.encode(), format=ox.RdfFormat.TURTLE))
    format_ = FORMATS[extension]
    rows = quads if format_.supports_datasets else [quad.triple for quad in quads]
    return ox.serialize(rows, format=format_) or b""


def graph_of(folder: Path) -> str:
    return hashlib.sha256(gzip.decompress((folder / "graph.nq.gz").read_bytes())).hexdigest()


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


# -- formats ----------------------------------------------------------------------------------


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize("packing", ["", ".gz", ".bz2"])
def test_every_format_gives_the_same_graph(tmp_path: Path, extension: str, packing: str) -> None:
    data = content(extension)
    packed = {"": data, ".gz": gzip.compress(data), ".bz2": bz2.compress(data)}[packing]
    file = tmp_path / f"people.{extension}{packing}"
    file.write_bytes(packed)
    manifest = load_files([file], tmp_path / "out")
    assert (manifest.form, manifest.name) == ("nquads", "out")
    assert manifest.counts["triples"] == 6
    assert manifest.sources == ({"file": file.name, "sha256": hashlib.sha256(packed).hexdigest()},)
    write_snapshot(ox.parse(TURTLE.encode(), format=ox.RdfFormat.TURTLE), tmp_path / "x", name="x")
    assert manifest.sha256 == graph_of(tmp_path / "out") == graph_of(tmp_path / "x")


@pytest.mark.parametrize("extension", FORMATS)
def test_every_format_fills_a_store(tmp_path: Path, extension: str) -> None:
    file = tmp_path / f"people.{extension}"
    file.write_bytes(content(extension))
    manifest = load_files([file], tmp_path / "out", small=0)
    assert (manifest.form, manifest.counts["triples"]) == ("oxigraph", 6)
    with open_snapshot(tmp_path / "out") as source:
        assert source.search("ann lee")[0].id == "http://example.org/a"
        assert source.statements("http://example.org/a").total == 2
        assert source.problems() == []


@BOTH
def test_sloppy_lines_are_read_as_well(tmp_path: Path, small: int) -> None:
    file = tmp_path / "sloppy.nt"
    file.write_bytes(
        b"# a comment\n\n<http://e/a>\t<http://e/p>   <http://e/b>.\r\n"
        b'  <http://e/a> <http://www.w3.org/2000/01/rdf-schema#label> "A\\u00e9"@en . # more\n'
        b"<http://e/a> <http://e/p> <http://e/\\u00e9> .\n<http://e/b> <http://e/p> <http://e/a> ."
    )
    load_files([file], tmp_path / "out", small=small)
    with open_snapshot(tmp_path / "out") as source:
        assert source.search("aé")[0].id == "http://e/a"
        found = source.statements("http://e/a", property="http://e/p")
        assert {item.value for item in found.statements} == {
            EntityValue("http://e/b"),
            EntityValue("http://e/é"),
        }
        assert source.property("http://e/p").uses == 3


def test_several_files_are_one_graph(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)
    (tmp_path / "b.nt").write_text("<http://example.org/b> <http://example.org/knows> <urn:c:1> .")
    manifest = load_files([tmp_path / "a.ttl", tmp_path / "b.nt"], tmp_path / "out", name="both")
    assert manifest.counts["triples"] == 7
    assert [source["file"] for source in manifest.sources] == ["a.ttl", "b.nt"]


@BOTH
def test_blank_nodes_become_things_of_their_file(tmp_path: Path, small: int) -> None:
    for name in "ab":
        text = f'_:x <http://e/in> "{name}" . <http://e/{name}> <http://e/has> _:x .'
        (tmp_path / f"{name}.ttl").write_text(text)
    load_files([tmp_path / "a.ttl", tmp_path / "b.ttl"], tmp_path / "out", small=small)
    with open_snapshot(tmp_path / "out") as source:
        one, two = (source.statements(f"http://e/{name}").statements[0].value for name in "ab")
        assert isinstance(one, EntityValue)
        assert isinstance(two, EntityValue)
        assert one != two
        assert source.statements(one.id).total == 1
        (back,) = source.statements(two.id, direction=Direction.IN).statements
        assert back.subject == "http://e/b"


@BOTH
def test_unknown_values_of_wikidata_stay_unknown(tmp_path: Path, small: int) -> None:
    file = tmp_path / "x.nt"
    file.write_text(
        "<http://www.wikidata.org/entity/Q1> <http://www.wikidata.org/prop/direct/P20> _:genid1 ."
    )
    load_files([file], tmp_path / "out", small=small)
    with open_snapshot(tmp_path / "out") as source:
        assert source.statements("Q1").statements[0].value == SomeValue()


def test_pages_about_a_thing_make_it_known_but_are_no_things(tmp_path: Path) -> None:
    page, schema = "https://af.wikipedia.org/wiki/Douglas_Adams", "http://schema.org/"
    (tmp_path / "x.nt").write_text(
        f"<{page}> <{schema}about> <http://www.wikidata.org/entity/Q42> .\n"
        f'<{page}> <{schema}name> "Douglas Adams"@en .\n'
        f'<{page}> <{schema}inLanguage> "af" .\n'
        "<http://www.wikidata.org/entity/Q42> <http://www.w3.org/2000/01/rdf-schema#label> "
        '"Douglas Adams"@en .\n'
    )
    load_files([tmp_path / "x.nt"], tmp_path / "out")
    with open_snapshot(tmp_path / "out") as source:
        (hit,) = source.search("douglas adams")
        assert (hit.id, hit.popularity) == ("Q42", 1)
        assert source.all_properties() == ()
        assert source.statements("Q42", direction=Direction.IN).total == 0


def test_languages(tmp_path: Path) -> None:
    file = tmp_path / "x.ttl"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    file.write_text(
        f'<http://e/a> {label} "Wien"@de , "Vienna"@en , "Vienne"@fr , "Wean"@de-at .'
        f'<http://e/b> {label} "Praha"@cs . <http://e/c> {label} "all"@mul , "wszystko"@pl .'
    )
    load_files([file], tmp_path / "en")
    load_files([file], tmp_path / "de", language="de")
    with open_snapshot(tmp_path / "en") as english, open_snapshot(tmp_path / "de") as german:
        labels = [english.entity(f"http://e/{name}").label for name in "abc"]
        assert labels == ["Vienna", "Praha", "all"]
        assert german.entity("http://e/a").label == "Wien"
        assert german.entity("http://e/a").aliases == ("Wean",)
        assert english.search("Wien") == ()


# -- tables -----------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("delimiter", ["|", "\t"])
@pytest.mark.parametrize("header", ["", "subject{}relation{}object\n"])
def test_tables_of_names(tmp_path: Path, small: int, delimiter: str, header: str) -> None:
    rows = [
        ("Kismet", "directed_by", "William Dieterle"),
        ("Kismet", "release_year", "1944"),
        ('Flags "of" our \\ Fathers', "release_year", "1944"),
        ("Amélie; 100% <x>", "directed_by", "Jean-Pierre Jeunet"),
    ]
    text = header.format(delimiter, delimiter)
    text += "".join(delimiter.join(row) + "\n" for row in rows)
    (tmp_path / "kb.txt").write_text(text, encoding="utf-8")
    load_files([tmp_path / "kb.txt"], tmp_path / "out", name="films", small=small)
    with open_snapshot(tmp_path / "out") as source:
        (film,) = source.search("Kismet")
        assert film.id == "urn:robodata:films:e:Kismet"
        year = source.search("1944")[0].id
        films = source.statements(year, direction=Direction.IN).statements
        assert {source.entity(item.subject).label for item in films} == {rows[0][0], rows[2][0]}
        assert source.search("amelie 100 x")[0].label == "Amélie; 100% <x>"
        (relation,) = source.search("directed by", kind=EntityKind.PROPERTY)
        assert relation.id == "urn:robodata:films:p:directed_by"
        assert source.property(relation.id).uses == 2
        if small:
            assert film.description == "directed by William Dieterle; release year 1944"


def test_ids_and_iris_in_tables_are_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text(
        "subject\tsubject_label\tproperty\tproperty_label\tobject\tobject_label\n"
        "Q16\tCanada\tP36\tcapital\tQ1930\tOttawa\n"
        "Q16\tCanada\tlikes\tlikes\thttp://e/x\tmaple syrup\n"
        "Q16\tCanada\tlikes\tlikes\thttp://[no iri\t\n"
    )
    load_files([tmp_path / "t.tsv"], tmp_path / "out")
    with open_snapshot(tmp_path / "out") as source:
        assert source.statements("Q16", property="P36").statements[0].value == EntityValue("Q1930")
        assert source.property("P36").label == "capital"
        assert source.entity("http://e/x").label == "maple syrup"
        assert source.search("Ottawa")[0].id == "Q1930"
        assert (
            source.search("http://[no iri")[0].id == "urn:robodata:out:e:http%3A%2F%2F%5Bno%20iri"
        )


# -- errors -----------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("x.nt", b"<http://a> <http://b> <http://c> .\n<http://a> <http://b> c .\n", 2),
        ("x.nt", b"# comment\n\n<http://a> <http://b> .\n", 3),
        ("x.nt", b'<http://a> <http://b> "open', 1),
        ("x.nt", b'<http://a> <http://b> "\xff" .\n', 1),
        ("x.nt", b"<http://a b> <http://b> <http://c> .\n", 1),
        ("x.nq", b"<http://a> <http://b> <http://c> <http://g> .\n" * 50 + b"oops\n", 51),
        ("x.nt", b"# \n<http://a> <http://b> <<( <http://c> <http://d> <http://e> )>> .\n", 2),
        ("x.ttl", b"@prefix : <http://e/> .\n:a :b :c .\n:a :b x:c .", 3),
        ("x.ttl", b"\n\n<http://a> <http://b> ;;; [", 3),
        ("x.rdf", b"<?xml version='1.0'?>\n<rdf:RDF>\n<x></y>\n</rdf:RDF>", 2),
        ("x.owl", b"<?xml version='1.0'?>\n<!-- -->\n<a>\n</a>", 3),
        ("x.jsonld", b'{"@id":"http://a",\n "http://b": x}', 2),
        ("x.txt", b"a|b|c\nd|e\n", 2),
        ("x.txt", b"a|b|c\nd||f\n", 2),
        ("x.txt", b"a|b|c\nd|e|\xff\n", 2),
        ("x.txt", b"no bars here\n", 1),
    ],
)
def test_errors_say_where(tmp_path: Path, small: int, name: str, data: bytes, line: int) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LoadError) as caught:
        load_files([tmp_path / name], tmp_path / "out", small=small)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{tmp_path / name}:{line}: ")
    assert "\n" not in str(caught.value)
    assert files_in(tmp_path) == {name}


@BOTH
def test_the_line_is_right_far_into_the_second_file(tmp_path: Path, small: int) -> None:
    good = b"".join(b"<http://a/%d> <http://b> <http://c> .\n" % n for n in range(3_000))
    (tmp_path / "good.nt").write_bytes(good)
    (tmp_path / "bad.nt").write_bytes(good + b"<http://a> <http://b> bad .\n" + good)
    with pytest.raises(LoadError, match=r"bad\.nt:3001: "):
        load_files([tmp_path / "good.nt", tmp_path / "bad.nt"], tmp_path / "out", small=small)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("x.nt.gz", gzip.compress(b"<http://a> <http://b> <http://c> .\n" * 999)[:-20], "cut off"),
        ("x.ttl.gz", gzip.compress(b"<http://a> <http://b> <http://c> .\n" * 999)[:-20], "cut off"),
        ("x.nt.gz", b"plain text", r"not a \.gz file"),
        ("x.nt.bz2", bz2.compress(b"<http://a> <http://b> <http://c> .\n" * 999)[:-20], "cut off"),
        ("x.docx", b"", "cannot be told"),
        ("x", b"", "cannot be told"),
        ("x.owl", b"Prefix(:=<http://x>)\nOntology(<http://x>", "functional syntax"),
        ("x.owl", b"Prefix: : <http://x>\nOntology <http://x>", "Manchester"),
        ("x.owl", b'<?xml version="1.0"?>\n<Ontology xmlns="x">', "OWL/XML"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(LoadError, match=words):
        load_files([tmp_path / name], tmp_path / "out")
    assert files_in(tmp_path) == {name}


def test_missing_files_folders_and_no_files(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="cannot be read"):
        load_files([tmp_path / "none.nt"], tmp_path / "out")
    with pytest.raises(LoadError, match="folder"):
        load_files([tmp_path], tmp_path / "out")
    with pytest.raises(LoadError, match="nothing to load"):
        load_files([], tmp_path / "out")
    (tmp_path / "a.ttl").write_text(TURTLE)
    with pytest.raises(ConfigurationError, match="name of a snapshot"):
        load_files([tmp_path / "a.ttl"], tmp_path / "out", name="no good/../name")


def test_an_empty_file_is_an_empty_graph(tmp_path: Path) -> None:
    (tmp_path / "e.nt").write_bytes(b"")
    for small in (0, 10):
        load_files([tmp_path / "e.nt"], tmp_path / f"out{small}", small=small)
        with open_snapshot(tmp_path / f"out{small}") as source:
            assert source.search("anything") == ()
            assert source.statements("Q1").total == 0
            assert source.all_properties() == ()


# -- the folder -------------------------------------------------------------------------------


@BOTH
def test_the_same_input_gives_the_same_snapshot(tmp_path: Path, small: int) -> None:
    text = TURTLE + "\n:a :near [ :at [ :x 1 ] ] , [ :at 2 ] ."
    (tmp_path / "a.ttl").write_text(text)
    for name in ("one", "two"):
        load_files([tmp_path / "a.ttl"], tmp_path / name, name="same", small=small)
    names = ["manifest.json"] + (["graph.nq.gz", "index.sqlite", "checksums.txt"] if small else [])
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_order_and_repetition_do_not_matter(tmp_path: Path) -> None:
    lines = [str(quad) + " ." for quad in ox.parse(TURTLE.encode(), format=ox.RdfFormat.TURTLE)]
    one = write_snapshot(lines, tmp_path / "one", name="x")
    two = write_snapshot(reversed(lines + lines), tmp_path / "two", name="x")
    assert one == two
    for name in ("manifest.json", "graph.nq.gz", "index.sqlite"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_graph_that_is_packed_densely_is_the_same(tmp_path: Path) -> None:
    quads = list(ox.parse(TURTLE.encode(), format=ox.RdfFormat.TURTLE))
    loose = write_snapshot(quads, tmp_path / "loose", name="x")
    dense = write_snapshot(quads, tmp_path / "dense", name="x", dense=True)
    assert dense == loose
    assert not (tmp_path / "dense" / "graph.nq.gz").exists()
    with open_snapshot(tmp_path / "loose") as one, open_snapshot(tmp_path / "dense") as other:
        query = "SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o"
        assert other.sparql(query) == one.sparql(query)
    packed = tmp_path / "dense" / "graph.nq.xz"
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(SnapshotError, match=r"graph\.nq\.xz"):
        open_snapshot(tmp_path / "dense")


def test_what_is_there_stays_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)
    (tmp_path / "bad.ttl").write_text("oops")
    out = tmp_path / "out"
    load_files([tmp_path / "a.ttl"], out)
    before = (out / "manifest.json").read_bytes()
    with pytest.raises(LoadError, match="exists already"):
        load_files([tmp_path / "a.ttl"], out)
    with pytest.raises(LoadError, match="bad.ttl"):
        load_files([tmp_path / "bad.ttl"], out, force=True)
    assert (out / "manifest.json").read_bytes() == before
    load_files([tmp_path / "a.ttl"], out, force=True, title="again")
    assert (out / "manifest.json").read_bytes() != before
    assert files_in(tmp_path) == {"a.ttl", "bad.ttl", "out"}


def test_a_folder_that_is_no_snapshot_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(LoadError, match="not a snapshot"):
        load_files([tmp_path / "a.ttl"], tmp_path / "mine", force=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


@BOTH
@pytest.mark.parametrize("stage", ["reading", "indexing"])
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, small: int, stage: str) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)
    load_files([tmp_path / "a.ttl"], tmp_path / "out")
    before = (tmp_path / "out" / "manifest.json").read_bytes()

    def interrupt(progress: Progress) -> None:
        if progress.stage == stage:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load_files(
            [tmp_path / "a.ttl"], tmp_path / "out", force=True, small=small, progress=interrupt
        )
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before
    assert files_in(tmp_path) == {"a.ttl", "out"}


@BOTH
def test_progress_counts_bytes_up_to_the_end(tmp_path: Path, small: int) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)
    seen: list[Progress] = []
    load_files([tmp_path / "a.ttl"], tmp_path / "out", small=small, progress=seen.append)
    size = (tmp_path / "a.ttl").stat().st_size
    assert {progress.total for progress in seen} == {size}
    assert [progress.done for progress in seen] == sorted(progress.done for progress in seen)
    assert (seen[-1].done, seen[-1].triples) == (size, 6)
    assert seen[0].stage == "reading"


KILLED = """
import os, signal, sys
from robodata_core.sources.snapshot.loading import load_files

def die(progress):
    if progress.stage == sys.argv[1]:
        os.kill(os.getpid(), signal.SIGKILL)

load_files(["a.ttl"], "out", small=int(sys.argv[2]), force=True, progress=die)
"""


@BOTH
@pytest.mark.parametrize("stage", ["reading", "indexing"])
@pytest.mark.skipif(os.name != "posix", reason="kills a process as POSIX does")
def test_a_load_that_is_killed_is_simply_run_again(tmp_path: Path, small: int, stage: str) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)
    load_files([tmp_path / "a.ttl"], tmp_path / "out", title="before")
    command = [sys.executable, "-c", KILLED, stage, str(small)]
    for _ in range(2):
        done = subprocess.run(command, cwd=tmp_path, timeout=120)
        assert done.returncode == -9
        (left,) = files_in(tmp_path) - {"a.ttl", "out"}
        assert left.startswith(".out.loading-")
    with open_snapshot(tmp_path / "out") as source:
        assert (source.manifest.title, source.problems()) == ("before", [])
    load_files([tmp_path / "a.ttl"], tmp_path / "out", small=small, force=True, title="after")
    assert files_in(tmp_path) == {"a.ttl", "out"}
    with open_snapshot(tmp_path / "out") as source:
        assert (source.manifest.title, source.problems()) == ("after", [])


@pytest.mark.skipif(os.name != "posix", reason="folders are locked as POSIX does")
def test_a_load_that_still_runs_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)

    def another(progress: Progress) -> None:
        if progress.stage == "indexing":
            load_files([tmp_path / "a.ttl"], tmp_path / "out", title="the faster one")

    with pytest.raises(LoadError, match="exists already"):
        load_files([tmp_path / "a.ttl"], tmp_path / "out", progress=another)
    assert files_in(tmp_path) == {"a.ttl", "out"}
    with open_snapshot(tmp_path / "out") as source:
        assert (source.manifest.title, source.problems()) == ("the faster one", [])


@pytest.mark.skipif(os.name != "posix", reason="folders are locked as POSIX does")
def test_what_was_to_be_replaced_comes_back(tmp_path: Path) -> None:
    """The state that a process leaves that is killed between the two renames of a replacement."""
    (tmp_path / "a.ttl").write_text(TURTLE)
    load_files([tmp_path / "a.ttl"], tmp_path / "out", title="before")
    (tmp_path / "out").rename(tmp_path / ".out.loading-abc.old")
    (tmp_path / ".out.loading-abc").mkdir()
    with pytest.raises(LoadError, match="exists already"):
        load_files([tmp_path / "a.ttl"], tmp_path / "out")
    assert files_in(tmp_path) == {"a.ttl", "out"}
    with open_snapshot(tmp_path / "out") as source:
        assert (source.manifest.title, source.problems()) == ("before", [])


FULL = """
import subprocess, sys
from robodata_core.errors import LoadError
from robodata_core.sources.snapshot.loading import load_files
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", "disk"], check=True)
print("mounted", flush=True)
try:
    load_files(["big.nt"], "disk/out", small=int(sys.argv[1]))
except LoadError as error:
    import os
    print(error.message, error.hint, os.listdir("disk"), flush=True)
"""


@BOTH
@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk as Linux does")
def test_a_small_disk_that_fills_up(tmp_path: Path, small: int) -> None:
    (tmp_path / "disk").mkdir()
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    rows = (f'<http://e/{n}> <{label}> "thing {n * 7_919 % 30_011}" .\n' for n in range(30_000))
    (tmp_path / "big.nt").write_text("".join(rows))
    command = [sys.executable, "-c", FULL, str(small and 300_000)]
    try:
        # In a mount namespace of its own, so that nothing stays behind.
        done = subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", *command],
            cwd=tmp_path, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    except OSError:
        pytest.skip("there is no unshare")
    if "mounted" not in done.stdout:
        pytest.skip("no disk can be mounted here")
    assert "There is no space left on the disk" in done.stdout, done.stderr
    assert "Nothing was changed" in done.stdout and done.stdout.rstrip().endswith("[]")


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files as Linux does")
@pytest.mark.parametrize("small", [0, 300_000])
def test_a_full_disk_is_said_and_nothing_is_left(tmp_path: Path, small: int) -> None:
    lines = (
        f'<http://e/{n}> <http://www.w3.org/2000/01/rdf-schema#label> "thing number {n}" .\n'
        for n in range(20_000)
    )
    (tmp_path / "big.nt").write_text("".join(lines))
    program = (
        "import resource, sys\n"
        "from robodata_core.errors import LoadError\n"
        "from robodata_core.sources.snapshot.loading import load_files\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "try:\n"
        f"    load_files(['big.nt'], 'out', small={small})\n"
        "except LoadError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert "no space left" in done.stdout, done.stderr
    assert files_in(tmp_path) == {"big.nt"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_an_unwritable_place_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").write_text(TURTLE)
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(LoadError, match="cannot be written"):
        load_files([tmp_path / "a.ttl"], tmp_path / "locked" / "out")


# -- shared data ------------------------------------------------------------------------------


def test_metaqa_is_loaded_whole(tmp_path: Path, shared_dir: Path) -> None:
    head = tmp_path / "kb.txt"
    with gzip.open(shared_dir / "metaqa" / "kb.txt.gz", "rt", encoding="utf-8") as file:
        rows = [line for _, line in zip(range(20_000), file, strict=False)]
    head.write_text("".join(rows), encoding="utf-8")
    manifest = load_files([head], tmp_path / "out", name="metaqa")
    triples = {tuple(row.rstrip("\n").split("|")) for row in rows}
    names = {row[0] for row in triples} | {row[2] for row in triples}
    relations = {row[1] for row in triples}
    assert manifest.counts["triples"] == len(triples) + len(names) + len(relations)
    assert manifest.counts["entities"] == len(names)
    assert manifest.counts["properties"] == len(relations)


def test_statements_of_real_wikidata_rdf(tmp_path: Path, shared_dir: Path) -> None:
    """The RDF of Q42 says the same as its JSON: statement ids and ranks."""
    import json

    folder = shared_dir / "wikidata_api_fixtures" / "entitydata"
    load_files([folder / "Q42.ttl.gz"], tmp_path / "out")
    with gzip.open(folder / "Q42.json.gz") as file:
        document = json.load(file)
    claims = document["entities"]["Q42"]["claims"]
    with open_snapshot(tmp_path / "out") as source:
        page = source.statements("Q42", limit=10_000, all_ranks=True)
    expected = {
        (claim["id"].lower(), name, claim["rank"])
        for name, list_ in claims.items()
        for claim in list_
    }
    found = {(item.id.lower(), item.property, item.rank.value) for item in page.statements}
    assert {item for item in found if item[0]} == expected
