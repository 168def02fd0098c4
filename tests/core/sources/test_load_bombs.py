"""Small files that stand for gigabytes or for ever: loading them ends in a sentence, in time."""

from __future__ import annotations

import bz2
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from robodata_core.errors import LoadError
from robodata_core.sources.snapshot import open_snapshot
from robodata_core.sources.snapshot.loading import load_files
from tests.conftest import ROOT

RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:"'


def entity_bomb(depth: int = 9) -> bytes:
    entities = ['<!ENTITY a0 "lollollollollollollollollollol">']
    entities += [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)]
    return (
        f"<?xml version='1.0'?><!DOCTYPE rdf:RDF [{''.join(entities)}]>"
        f"<rdf:RDF {RDF}><rdf:Description rdf:about='urn:x'><e:p>&a{depth};</e:p></rdf:Description>"
        "</rdf:RDF>"
    ).encode()


def long_value() -> bytes:
    """One that the parser has the memory for: 30 MB."""
    return entity_bomb(6)


def long_line() -> bytes:
    return b'<urn:a> <urn:b> "' + b"x" * 20_000_000 + b'" .\n'


def deep_xml() -> bytes:
    start = b"<rdf:Description><e:p>" * 60_000
    end = b"</e:p></rdf:Description>" * 60_000
    return f"<rdf:RDF {RDF}>".encode() + start + end + b"</rdf:RDF>"


def packed_literal() -> bytes:
    start = f"<rdf:RDF {RDF}><rdf:Description rdf:about='urn:x'><e:p>".encode()
    # Members one after the other unpack to one text, and only one has to be packed.
    return gzip.compress(start) + gzip.compress(b"x" * 10_000_000) * 250


def packed_line() -> bytes:
    return bz2.compress(b"<urn:a> <urn:b> '") + bz2.compress(b"x" * 10_000_000) * 30


def turtle_prefixes() -> bytes:
    """A prefix of a megabyte, used fifty thousand times."""
    return b"@prefix p: <urn:" + b"x" * 1_000_000 + b"> .\n" + b"p:a p:b p:c .\n" * 50_000


def json_ld() -> bytes:
    return b'{"@id": "urn:a", "urn:p": ' + b'[{"urn:p": ' * 200_000 + b"1" + b"}]" * 200_000 + b"}"


def _run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=100,
    )


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs what Linux tells of a process's memory"
)
def test_a_long_value_takes_little_more_than_itself(tmp_path: Path) -> None:
    """9 MB of one that is taken: read a character at a time, it took 1.2 GB."""
    (tmp_path / "long.nt").write_bytes(b'<urn:a> <urn:b> "' + b"x" * 9_000_000 + b'" .\n')
    code = (
        "from pathlib import Path\n"
        "from robodata_core.sources.snapshot.loading import load_files\n"
        "load_files([Path('long.nt')], Path('made'), name='long')\n"
        # What a process holds at most; its resource usage counts the one it was begun by.
        "status = Path('/proc/self/status').read_text().split('VmHWM:')[1]\n"
        "print(int(status.split()[0]) // 1024)\n"
    )
    done = _run(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 400


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("bomb.rdf", entity_bomb),
        ("value.rdf", long_value),
        ("line.nt", long_line),
        ("deep.rdf", deep_xml),
        ("literal.rdf.gz", packed_literal),
        ("prefix.ttl", turtle_prefixes),
        ("deep.jsonld", json_ld),
        ("line.ttl.bz2", packed_line),
    ],
    ids=["entities", "value", "plain", "nesting", "literal", "prefix", "jsonld", "line"],
)
def test_what_cannot_be_bounded_is_ended(
    tmp_path: Path, name: str, data: Callable[[], bytes]
) -> None:
    (tmp_path / name).write_bytes(data())
    code = (
        "import resource, sys\n"
        "from robodata_core.cli import run\n"
        "import robodata_core.sources.snapshot.loading as loading\n"
        "import robodata_core.sources.snapshot.loading._inputs as inputs\n"
        "inputs._SECONDS = 2.0\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (1_200_000_000, resource.RLIM_INFINITY))\n"
        f"sys.exit(run(['kg', 'load', {name!r}, '--output', 'made']))\n"
    )
    done = _run(code, tmp_path)
    assert "Traceback" not in done.stderr and "something went wrong" not in done.stderr
    if done.returncode:
        assert done.returncode == 1 and name in done.stderr, done.stderr
        assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mark.nt", "<urn:a> <urn:b> <urn:c> .\n"),
        ("mark.ttl", "<urn:a> <urn:b> <urn:c> .\n"),
        ("mark.nq", "<urn:a> <urn:b> <urn:c> .\n"),
        ("mark.jsonld", '{"@id": "urn:a", "urn:b": {"@id": "urn:c"}}'),
    ],
)
def test_a_byte_order_mark_is_no_part_of_a_graph(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.encode())
    load_files([tmp_path / name], tmp_path / "made")
    with open_snapshot(tmp_path / "made") as source:
        assert source.statements("urn:a").total == 1


def test_where_a_mistake_is_is_still_told(tmp_path: Path) -> None:
    (tmp_path / "bad.ttl").write_text("<urn:a> <urn:b> <urn:c> .\n\n<urn:a> oops .\n")
    with pytest.raises(LoadError) as told:
        load_files([tmp_path / "bad.ttl"], tmp_path / "made")
    assert told.value.line == 3


@pytest.mark.parametrize(("free", "ends"), [(60.0, "done"), (-60.0, "error")])
def test_a_parser_has_processor_time_by_the_bytes_it_reads(free: float, ends: str) -> None:
    """Output that drips is no sign that it will end: a context is built up anew at every node."""
    terms = ", ".join(f'"p{n}": "urn:p{n}"' for n in range(500))
    node = '{"@context": {"q": "urn:q"}, "@id": "urn:a%d", "q": "1"}'
    nodes = ", ".join(node % n for n in range(25_000))
    request = {"media_type": "application/ld+json", "base": "urn:b", "free": free}
    document = f'{{"@context": {{{terms}}}, "@graph": [{nodes}]}}'
    asked = json.dumps(request).encode() + b"\n" + document.encode()
    code = "from robodata_core.sources.parsing import parse_rdf; import sys; "
    code += "parse_rdf(sys.stdin.buffer, sys.stdout.buffer)"
    done = subprocess.run([sys.executable, "-c", code], input=asked, capture_output=True, cwd=ROOT)
    assert ends in json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("extension", ["ttl", "rdf", "jsonld"])
def test_time_grows_with_the_properties_of_one_thing_and_no_faster(
    tmp_path: Path, extension: str
) -> None:
    """Processor time, also of the parser's process: four times as many take six times at most."""

    def seconds(number: int) -> float:
        path = tmp_path / f"{number}.{extension}"
        path.write_bytes(one_thing(extension, number))
        started = sum(os.times()[:4])
        load_files([path], tmp_path / f"made-{time.monotonic_ns()}")
        return sum(os.times()[:4]) - started

    short, long = seconds(4_000), seconds(16_000)
    if long > 6 * short:  # what else the process did meanwhile counts, too, and only once
        short, long = seconds(4_000), seconds(16_000)
    assert long <= 6 * short, (short, long)


def one_thing(extension: str, number: int) -> bytes:
    """A thing with so many properties."""
    if extension == "jsonld":
        return json.dumps({"@id": "urn:x", **{f"urn:p{n}": n for n in range(number)}}).encode()
    if extension == "ttl":
        return ("<urn:x> " + ";\n".join(f"<urn:p{n}> {n}" for n in range(number)) + ".").encode()
    stated = "".join(f"<e:p{n}>{n}</e:p{n}>" for n in range(number))
    start = f"<rdf:RDF {RDF}><rdf:Description rdf:about='urn:x'>"
    return f"{start}{stated}</rdf:Description></rdf:RDF>".encode()
