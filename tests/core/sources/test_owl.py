"""OWL: its own syntaxes through py-horned-owl, and what class expressions become."""

from __future__ import annotations

import gzip
import importlib.util
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robodata_core.api import RoboData
from robodata_core.errors import LoadError
from robodata_core.iris import (
    EACH,
    ONLY,
    SOME,
    class_property,
    is_anonymous,
    is_property_id,
    member_property,
)
from robodata_core.model import Direction, EntityValue
from robodata_core.sources.snapshot import SnapshotSource, open_snapshot
from robodata_core.sources.snapshot.loading import load_files

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("pyhornedowl") is None, reason="py-horned-owl is not installed"
)
BOTH = pytest.mark.parametrize("small", [0, 1_000])
E = "http://e/"
SUBCLASS = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
HEAD = """Prefix(:=<http://e/>)
Prefix(rdfs:=<http://www.w3.org/2000/01/rdf-schema#>)
Prefix(xsd:=<http://www.w3.org/2001/XMLSchema#>)
Ontology(<http://e/home>
"""
AXIOMS = """
Declaration(Class(:Cup))
Declaration(ObjectProperty(:hasPart))
AnnotationAssertion(rdfs:label :Cup "tea cup"@en)
AnnotationAssertion(rdfs:comment :Cup "Says \\"drink\\" & <more> \\\\ less.")
SubClassOf(:Cup :Crockery)
SubClassOf(:Cup ObjectSomeValuesFrom(:hasPart :Handle))
SubClassOf(:Cup ObjectAllValuesFrom(:contains :Liquid))
SubClassOf(:Cup ObjectHasValue(:belongsTo :kitchen1))
SubClassOf(:Knife ObjectExactCardinality(1 :hasPart :Blade))
SubClassOf(:Knife ObjectMaxCardinality(3 :hasPart :Rivet))
SubClassOf(:Knife ObjectSomeValuesFrom(:hasPart ObjectUnionOf(:Wood :Steel)))
SubClassOf(:Knife ObjectIntersectionOf(:Tool ObjectSomeValuesFrom(:hasUse :Cutting)))
SubClassOf(:Pan ObjectSomeValuesFrom(:hasPart ObjectIntersectionOf(:Handle :Long)))
SubClassOf(:Pan ObjectSomeValuesFrom(ObjectInverseOf(:hasPart) :Set))
SubClassOf(:Pan DataSomeValuesFrom(:hasSize xsd:float))
EquivalentClasses(:Mug ObjectIntersectionOf(:Cup ObjectSomeValuesFrom(:hasPart :BigHandle)))
ClassAssertion(:Cup :cup1)
ObjectPropertyAssertion(:hasPart :cup1 :handle1)
"""


def some(name: str) -> str:
    return class_property(E + name, SOME)


def loaded(tmp_path: Path, text: str, name: str = "home.ofn", *, small: int = 1_000) -> Path:
    (tmp_path / name).write_text(text, encoding="utf-8")
    load_files([tmp_path / name], tmp_path / "out", name="home", small=small)
    return tmp_path / "out"


def values(source: SnapshotSource, subject: str, property_: str) -> set[str]:
    page = source.statements(E + subject, property=property_)
    assert page.total == len(page.statements)
    return {item.value.id for item in page.statements if isinstance(item.value, EntityValue)}


@pytest.fixture(params=[0, 1_000])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SnapshotSource]:
    with open_snapshot(loaded(tmp_path, HEAD + AXIOMS + ")", small=request.param)) as source:
        yield source


# -- what restrictions become -------------------------------------------------------------------


@needs_library
def test_a_restriction_that_a_fact_says_whole_is_that_fact(home: SnapshotSource) -> None:
    assert values(home, "Cup", some("hasPart")) == {E + "Handle"}
    assert values(home, "Cup", class_property(E + "contains", ONLY)) == {E + "Liquid"}
    assert values(home, "Cup", class_property(E + "belongsTo", EACH)) == {E + "kitchen1"}
    assert values(home, "Cup", SUBCLASS) == {E + "Crockery"}
    assert home.entity(E + "Cup").label == "tea cup"
    assert home.entity(E + "Cup").description == 'Says "drink" & <more> \\ less.'


@needs_library
def test_nothing_is_asserted_of_the_members_property(home: SnapshotSource) -> None:
    assert values(home, "Cup", E + "hasPart") == set()
    assert values(home, "cup1", E + "hasPart") == {E + "handle1"}
    page = home.statements(E + "Handle", direction=Direction.IN)
    properties = {item.property for item in page.statements}
    assert some("hasPart") in properties and E + "hasPart" not in properties


@needs_library
def test_what_a_fact_does_not_say_whole_stays_in_words(home: SnapshotSource) -> None:
    assert values(home, "Knife", some("hasPart")) == {E + "Blade"}
    assert values(home, "Knife", some("hasUse")) == {E + "Cutting"}
    kinds = {home.entity(id_).label for id_ in values(home, "Knife", SUBCLASS)}
    assert kinds == {
        "Tool",
        "has part exactly 1 Blade",
        "has part at most 3 Rivet",
        "has part some (Wood or Steel)",
    }
    assert home.statements(E + "Knife", property=SUBCLASS).statements[0].value == EntityValue(
        E + "Tool"
    )
    assert values(home, "Pan", some("hasPart")) == {E + "Handle", E + "Long"}
    kinds = {home.entity(id_).label for id_ in values(home, "Pan", SUBCLASS)}
    assert kinds == {
        "has part some (Handle and Long)",
        "inverse of has part some Set",
        "has size some float",
    }


@needs_library
def test_a_declaration_is_no_statement_but_makes_a_thing_known(home: SnapshotSource) -> None:
    type_ = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    assert values(home, "Cup", type_) == set()
    assert values(home, "cup1", type_) == {E + "Cup"}
    assert {item.property for item in home.relations([E + "Cup"], direction=Direction.OUT)} == {
        *(SUBCLASS, some("hasPart")),
        *(class_property(E + "contains", ONLY), class_property(E + "belongsTo", EACH)),
    }
    assert home.property(type_).uses == 1
    rows = home.sparql("SELECT ?x WHERE { ?x a owl:Class . FILTER(isIRI(?x)) }").rows
    assert (EntityValue(E + "Cup"),) in rows


@needs_library
@BOTH
def test_what_is_only_declared_can_be_found(tmp_path: Path, small: int) -> None:
    with open_snapshot(loaded(tmp_path, f"{HEAD}Declaration(Class(:Lid)))", small=small)) as source:
        assert [hit.id for hit in source.search("lid")] == [E + "Lid"]
        assert source.statements(E + "Lid").total == 0


@needs_library
def test_an_equivalence_keeps_its_other_direction(home: SnapshotSource) -> None:
    assert values(home, "Mug", SUBCLASS) == {E + "Cup"}
    assert values(home, "Mug", some("hasPart")) == {E + "BigHandle"}
    (same,) = values(home, "Mug", "http://www.w3.org/2002/07/owl#equivalentClass")
    assert home.entity(same).label == "Cup and (has part some Big Handle)"


@needs_library
def test_the_properties_say_what_they_mean(home: SnapshotSource) -> None:
    name = some("hasPart")
    assert is_property_id(name) and member_property(name) == E + "hasPart"
    known = home.property(name)
    assert (known.label, known.aliases) == ("has part (some)", ("has part",))
    assert known.description.startswith("Each member of the class has some member of the other")
    assert known.uses == 5


@needs_library
@BOTH
def test_anonymous_classes_describe_nothing(tmp_path: Path, small: int) -> None:
    text = HEAD + "Declaration(Class(:Thing))\nSubClassOf(:A ObjectMaxCardinality(1 :p :B))\n"
    text += "SubClassOf(:A :Thing))"
    with open_snapshot(loaded(tmp_path, text, small=small)) as source:
        assert source.entity(E + "A").description == "kind of Thing"


@BOTH
def test_other_syntaxes_give_the_same_facts(tmp_path: Path, small: int) -> None:
    owl = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> .\n"
    owl += "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    node = "[ a owl:Restriction ; owl:onProperty :hasPart ; owl:someValuesFrom :Handle ]"
    text = f"{owl}:Cup rdfs:subClassOf :Crockery , {node} .\n:list :of ( 1 2 ) ; :by [ :p 1 ] ."
    with open_snapshot(loaded(tmp_path, text, "home.ttl", small=small)) as source:
        assert values(source, "Cup", some("hasPart")) == {E + "Handle"}
        assert values(source, "Cup", SUBCLASS) == {E + "Crockery"}
        assert len(values(source, "list", E + "of")) == 1
        rows = source.sparql("SELECT ?n WHERE { ?x rdf:rest*/rdf:first ?n . ?s <http://e/of> ?x }")
        assert len(rows.rows) == 2


@BOTH
@pytest.mark.parametrize(
    "more",
    [
        "_:r rdfs:comment 'about the axiom' .",
        ":x :mentions _:r .",
        ":Plate rdfs:subClassOf _:r .",
        "_:r owl:someValuesFrom :Lid .",
        "_:r owl:onProperty :q .",
    ],
)
def test_expressions_that_are_more_than_that_are_kept(
    tmp_path: Path, small: int, more: str
) -> None:
    text = (
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":Cup rdfs:subClassOf _:r . _:r a owl:Restriction ; owl:onProperty :p ; "
        f"owl:someValuesFrom :D .\n{more}\n"
    )
    with open_snapshot(loaded(tmp_path, text, "x.ttl", small=small)) as source:
        (kept,) = values(source, "Cup", SUBCLASS)
        assert source.statements(kept).total >= 2


def test_shared_expressions_do_not_multiply(tmp_path: Path) -> None:
    text = (
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n:A rdfs:subClassOf _:n0 .\n"
    )
    # 2^60 paths from the first to the last.
    text += "".join(f"_:n{n} owl:intersectionOf ( _:n{n + 1} _:n{n + 1} ) .\n" for n in range(60))
    text += "_:n60 owl:onProperty :p ; owl:someValuesFrom :B .\n"
    with open_snapshot(loaded(tmp_path, text, "x.ttl")) as source:
        assert len(values(source, "A", SUBCLASS)) == 1


@BOTH
def test_odd_lists_and_circles_end(tmp_path: Path, small: int) -> None:
    text = (
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n"
        ":A rdfs:subClassOf _:a . _:a owl:intersectionOf _:l . _:l rdf:first _:a ; rdf:rest _:l .\n"
        ":B rdfs:subClassOf _:b . _:b owl:intersectionOf _:m . _:m rdf:first _:b ; rdf:rest () .\n"
        ":C rdfs:subClassOf _:c . _:c owl:onProperty _:c ; owl:someValuesFrom _:c .\n"
        ":D rdfs:subClassOf _:d . _:d owl:onProperty :p ; owl:someValuesFrom 'text' .\n"
        ":E rdfs:subClassOf _:e . _:e owl:onProperty :p ; owl:onClass :F ; "
        "owl:qualifiedCardinality 'many' .\n"
    )
    with open_snapshot(loaded(tmp_path, text, "x.ttl", small=small)) as source:
        for name in "ABCDE":
            assert values(source, name, some("p")) == set()
            assert len(values(source, name, SUBCLASS)) == 1


NAMES = st.sampled_from("ABCD")
ROLES = st.sampled_from("pq")
Expr = tuple[Any, ...]
EXPRESSIONS: st.SearchStrategy[Expr] = st.recursive(
    st.tuples(st.just("named"), NAMES),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["some", "only"]), ROLES, inner),
        st.tuples(st.just("each"), ROLES, NAMES),
        st.tuples(st.just("exactly"), ROLES, NAMES, st.integers(0, 2)),
        st.tuples(st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)),
    ),
    max_leaves=6,
)


def turtle(expr: Expr) -> str:
    """Write an expression as OWL's mapping to RDF has it."""
    kind, *rest = expr
    if kind == "named":
        return f":{rest[0]}"
    if kind in ("and", "or"):
        members = " ".join(turtle(member) for member in rest[0])
        part = "intersectionOf" if kind == "and" else "unionOf"
        return f"[ a owl:Class ; owl:{part} ( {members} ) ]"
    on = f"a owl:Restriction ; owl:onProperty :{rest[0]}"
    if kind == "exactly":
        number = f'"{rest[2]}"^^<http://www.w3.org/2001/XMLSchema#nonNegativeInteger>'
        return f"[ {on} ; owl:qualifiedCardinality {number} ; owl:onClass :{rest[1]} ]"
    if kind == "each":
        return f"[ {on} ; owl:hasValue :{rest[1]} ]"
    part = "someValuesFrom" if kind == "some" else "allValuesFrom"
    return f"[ {on} ; owl:{part} {turtle(rest[1])} ]"


def follows(expr: Expr) -> tuple[set[tuple[str, str]], bool]:
    """What facts follow for a subclass of an expression, and whether they say all of it."""
    kind, *rest = expr
    if kind == "named":
        return {(SUBCLASS, E + rest[0])}, True
    if kind == "and":
        parts = [follows(member) for member in rest[0]]
        return {fact for facts, _ in parts for fact in facts}, all(whole for _, whole in parts)
    if kind == "or":
        return set(), False
    role = E + rest[0]
    if kind == "each":
        return {(class_property(role, EACH), E + rest[1])}, True
    if kind == "exactly":
        return ({(class_property(role, SOME), E + rest[1])} if rest[2] else set()), False
    name = class_property(role, SOME if kind == "some" else ONLY)
    filler = rest[1]
    if filler[0] == "named":
        return {(name, E + filler[1])}, True
    members = filler[1] if filler[0] == "and" else []
    named = {(name, E + member[1]) for member in members if member[0] == "named"}
    return named, kind == "only" and all(member[0] == "named" for member in members) and bool(named)


@given(expressions=st.lists(EXPRESSIONS, min_size=1, max_size=4), small=st.sampled_from([0, 1_000]))
def test_facts_are_what_follows(
    expressions: list[Expr], small: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://e/> .\n"
    text += "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    for number, expr in enumerate(expressions):
        text += f":S{number} a owl:Class ; rdfs:subClassOf {turtle(expr)} .\n"
    folder = tmp_path_factory.mktemp("follows")
    with open_snapshot(loaded(folder, text, "x.ttl", small=small)) as source:
        for number, expr in enumerate(expressions):
            facts, whole = follows(expr)
            found = set()
            anonymous = 0
            for item in source.statements(f"{E}S{number}").statements:
                assert isinstance(item.value, EntityValue)
                if is_anonymous(item.value.id):
                    assert item.property == SUBCLASS
                    assert source.entity(item.value.id).label
                    anonymous += 1
                else:
                    found.add((item.property, item.value.id))
            assert found == facts
            assert anonymous == (not whole)


# -- the converter ------------------------------------------------------------------------------


@needs_library
@pytest.mark.parametrize("name", ["home.ofn", "home.owl", "home.owl.gz", "home.xml"])
def test_functional_syntax_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    text = f"\ufeff# a comment\n\n# another\n{HEAD}{AXIOMS})".encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    manifest = load_files([tmp_path / name], tmp_path / "out", name="home")
    assert manifest.sources[0]["file"] == name
    with open_snapshot(tmp_path / "out") as source:
        assert source.search("tea cup")[0].id == E + "Cup"


@needs_library
@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "home.omn",
            "Prefix: : <http://e/>\nOntology: <http://e/home>\nObjectProperty: :hasPart\n"
            "Class: :Handle\nClass: :Cup\n  SubClassOf: :hasPart some :Handle\n",
        ),
        (
            "home.owx",
            '<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#" '
            'xml:base="http://e/home" ontologyIRI="http://e/home">\n<SubClassOf>'
            '<Class IRI="http://e/Cup"/><ObjectSomeValuesFrom><ObjectProperty '
            'IRI="http://e/hasPart"/><Class IRI="http://e/Handle"/></ObjectSomeValuesFrom>'
            "</SubClassOf></Ontology>",
        ),
    ],
)
def test_manchester_syntax_and_owl_xml(tmp_path: Path, name: str, text: str) -> None:
    with open_snapshot(loaded(tmp_path, text, name)) as source:
        assert values(source, "Cup", some("hasPart")) == {E + "Handle"}


@needs_library
def test_the_same_ontology_gives_the_same_snapshot(tmp_path: Path) -> None:
    (tmp_path / "home.ofn").write_text(HEAD + AXIOMS + ")")
    for name in ("one", "two"):
        load_files([tmp_path / "home.ofn"], tmp_path / name, name="home")
    for name in ("manifest.json", "graph.nq.gz", "index.sqlite"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@needs_library
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (HEAD + "SubClassOf(:A :B)\nSubClassOf(:A ", 6, "ClassExpression expected"),
        (HEAD + "SubClassOf(x:A :B))", 5, "undefined prefix"),
        (HEAD + "SubClassOf(<not an iri> :B))", 5, "not OWL in functional syntax"),
        (HEAD + "SubClassOf(:A :B)) trailing", 5, "not OWL in functional syntax"),
        ("Prefix(", 1, "not OWL in functional syntax"),
    ],
)
def test_errors_say_where(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(LoadError, match=words) as caught:
        loaded(tmp_path, text)
    assert caught.value.line == line
    assert "\n" not in str(caught.value)
    assert {path.name for path in tmp_path.iterdir()} == {"home.ofn"}


@needs_library
def test_bytes_that_are_no_text_are_said(tmp_path: Path) -> None:
    (tmp_path / "x.ofn").write_bytes(HEAD.encode() + b"SubClassOf(:A :\xff))")
    with pytest.raises(LoadError, match="not UTF-8") as caught:
        load_files([tmp_path / "x.ofn"], tmp_path / "out")
    assert caught.value.line == 5


@needs_library
def test_deep_nesting_ends_the_converter_alone(tmp_path: Path) -> None:
    depth = 200_000
    text = f"{HEAD}SubClassOf(:A {'ObjectSomeValuesFrom(:p ' * depth}:B{')' * depth}))"
    with pytest.raises(LoadError, match="nested too deeply"):
        loaded(tmp_path, text)
    assert {path.name for path in tmp_path.iterdir()} == {"home.ofn"}


@needs_library
def test_imports_are_names_and_nothing_is_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.ofn"
    secret.write_text(HEAD + "SubClassOf(:Secret :Thing))")
    text = f"{HEAD}Import(<{secret.as_uri()}>)\nSubClassOf(:A :B))"
    with open_snapshot(loaded(tmp_path, text)) as source:
        assert source.search("Secret") == ()
        assert values(source, "home", "http://www.w3.org/2002/07/owl#imports")


@needs_library
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes as Linux shows them")
def test_ctrl_c_ends_the_converter_with_the_load(tmp_path: Path) -> None:
    # Large enough that the conversion takes seconds.
    axioms = "\n".join(f"SubClassOf(:A{n} ObjectSomeValuesFrom(:p :B{n}))" for n in range(150_000))
    (tmp_path / "home.ofn").write_text(f"{HEAD}{axioms})")
    command = [sys.executable, "-m", "robodata_core.cli", "kg", "load", "home.ofn", "--output", "o"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    while not (workers := converters(process.pid)):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "Traceback" not in err
    # One that was only just starting ends by itself: nobody feeds it any more.
    end = time.monotonic() + 60
    while any(is_converter(pid) for pid in workers):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert {path.name for path in tmp_path.iterdir()} == {"home.ofn"}


def converters(owner: int) -> list[str]:
    """The processes that convert for another."""
    try:
        pids = Path(f"/proc/{owner}/task/{owner}/children").read_text().split()
    except OSError:
        return []
    return [pid for pid in pids if is_converter(pid)]


def is_converter(pid: str) -> bool:
    try:
        return b"worker/_child.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


WITHOUT = """
import sys
sys.modules["pyhornedowl"] = None
from robodata_core.cli import run
sys.exit(run(["kg", "load", sys.argv[1], "--output", sys.argv[2]]))
"""


def test_without_the_library_the_command_that_installs_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "home.owl").write_text(HEAD + AXIOMS + ")")
    command = [sys.executable, "-c", WITHOUT, str(tmp_path / "home.owl"), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "OWL in functional syntax" in line and "pip install 'robodata[owl]'" in line
    assert {path.name for path in tmp_path.iterdir()} == {"home.owl"}


TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60)


@needs_library
@settings(max_examples=15)  # each starts a process
@given(texts=st.lists(TEXT, min_size=1, max_size=20, unique=True))
def test_any_text_comes_through_whole(
    texts: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    escaped = [text.replace("\\", "\\\\").replace('"', '\\"') for text in texts]
    axioms = [f'AnnotationAssertion(:note :A{n} "{text}"@en)' for n, text in enumerate(escaped)]
    folder = tmp_path_factory.mktemp("text")
    with open_snapshot(loaded(folder, HEAD + "\n".join(axioms) + ")")) as source:
        for number, text in enumerate(texts):
            (note,) = source.statements(f"{E}A{number}", property=E + "note").statements
            assert note.value.text == text  # type: ignore[union-attr]


# -- SOMA ---------------------------------------------------------------------------------------

SOMA = "http://www.ease-crc.org/ont/SOMA.owl#"


@pytest.fixture(scope="module")
def soma(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotSource]:
    if importlib.util.find_spec("pyhornedowl") is None:
        pytest.skip("py-horned-owl is not installed")
    out = tmp_path_factory.mktemp("soma") / "soma"
    load_files(sorted((shared_dir / "soma").glob("*.owl.gz")), out)
    with open_snapshot(out) as source:
        yield source


def test_soma_is_loaded_whole(soma: SnapshotSource, shared_dir: Path) -> None:
    """Every class with its named superclasses and comment, as read by other means."""
    text = gzip.decompress((shared_dir / "soma" / "soma_classes.tsv.gz").read_bytes()).decode()
    files = {path.name.removesuffix(".gz") for path in (shared_dir / "soma").glob("*.owl.gz")}
    rows = [line.split("\t") for line in text.splitlines()[1:]]
    rows = [row for row in rows if row[0] in files]
    assert len(rows) > 300
    for _, class_, supers, comment in rows:
        found = values_of(soma, full(class_), SUBCLASS)
        named = {full(name) for name in supers.split(" | ") if name and "(" not in name}
        assert named <= found, class_
        query = f"SELECT ?c WHERE {{ <{full(class_)}> rdfs:comment ?c }}"
        texts = [row[0].text for row in soma.sparql(query).rows]  # type: ignore[union-attr]
        assert not comment or " ".join(comment.split()) in [" ".join(t.split()) for t in texts]


def full(name: str) -> str:
    return SOMA + name.removeprefix("SOMA:") if name.startswith("SOMA:") else name.strip("<>")


def values_of(source: SnapshotSource, id_: str, property_: str) -> set[str]:
    page = source.statements(id_, property=property_, limit=1_000)
    return {item.value.id for item in page.statements if isinstance(item.value, EntityValue)}


def test_soma_says_what_a_cup_has(soma: SnapshotSource) -> None:
    assert soma.search("cup")[0].id == SOMA + "Cup"
    has = class_property(SOMA + "hasPhysicalComponent")
    assert values_of(soma, SOMA + "Cup", has) == {SOMA + "DesignedHandle"}
    assert values_of(soma, SOMA + "Cup", SUBCLASS) == {SOMA + "Crockery"}
    has = class_property(SOMA + "hasDisposition")
    assert values_of(soma, SOMA + "DesignedContainer", has) == {SOMA + "Containment"}


def test_a_question_over_soma(soma: SnapshotSource) -> None:
    command = [sys.executable, "-m", "robodata_core.cli", "ask", "--json"]
    command += ["--source", f"snapshot:{soma.folder}", "What physical component does a cup have?"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["status"]) == (0, "answered")
    assert [item["id"] for item in answer["results"]] == [SOMA + "DesignedHandle"]
    (claim,) = answer["claims"]
    assert claim["support"][0]["provenance"]["source"] == "snapshot:soma"


def test_the_sample_and_soma_in_one_chain(soma: SnapshotSource) -> None:
    sources = f"snapshot:wikidata-sample,snapshot:{soma.folder}"
    with RoboData.open(source=sources) as robodata:
        ours = robodata.ask("What is a knife made of?")
        theirs = robodata.ask("What disposition does a designed container have?")
    assert [item.value for item in ours.results] == [EntityValue("Q11427")]
    assert [item.value for item in theirs.results] == [EntityValue(SOMA + "Containment")]
    for answer, name in ((ours, "snapshot:wikidata-sample"), (theirs, "snapshot:soma")):
        for claim in answer.claims:
            assert {item.provenance[0].source for item in claim.support.evidence} == {name}
