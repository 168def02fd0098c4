"""What the documents say about the code is derived from the code."""

from __future__ import annotations

import re

import pytest

from robodata_core.orchestrator.machine import INVESTIGATION, mermaid
from tests.conftest import ROOT

DOCUMENTS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("*.md", "docs/*.md", "benchmarks/*.md")
    for path in ROOT.glob(pattern)
)


def test_the_diagrams_are_the_machine() -> None:
    text = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```mermaid\n(.*?)```", text, flags=re.DOTALL)
    machines = [block for block in blocks if block.startswith("stateDiagram")]
    assert machines == [mermaid(), mermaid(INVESTIGATION)]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_between_documents_lead_somewhere(name: str) -> None:
    document = ROOT / name
    targets = re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8"))
    local = [target.partition("#")[0] for target in targets if "://" not in target]
    missing = [target for target in local if target and not (document.parent / target).exists()]
    assert missing == []


def test_every_benchmark_is_described() -> None:
    text = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(bench_\w+)`", text)) - {"bench_NAME"}
    there = {path.stem for path in (ROOT / "benchmarks").glob("bench_*.py")}
    assert there <= named
