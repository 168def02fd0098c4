"""The 53 everyday classes of the embedded sample under the names that COCO detectors use."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from robodata_core.sources.snapshot.loading import load_files

COCO_NAMES = {
    "airplane": "Q197",
    "apple": "Q89",
    "backpack": "Q5843",
    "banana": "Q503",
    "baseball bat": "Q809910",
    "bed": "Q42177",
    "bench": "Q204776",
    "bicycle": "Q11442",
    "blender": "Q501862",
    "book": "Q571",
    "bottle": "Q80228",
    "bowl": "Q153988",
    "broccoli": "Q47722",
    "cake": "Q13276",
    "carrot": "Q81",
    "chair": "Q15026",
    "clock": "Q376",
    "couch": "Q131514",
    "cup": "Q81727",
    "desk": "Q1064858",
    "dining table": "Q115665141",
    "door": "Q36794",
    "fork": "Q81881",
    "handbag": "Q467505",
    "hat": "Q80151",
    "hot dog": "Q181055",
    "keyboard": "Q1921606",
    "knife": "Q32489",
    "laptop": "Q3962",
    "microwave": "Q127956",
    "mouse": "Q7987",
    "orange": "Q13191",
    "oven": "Q36539",
    "pizza": "Q177",
    "plate": "Q57216",
    "potted plant": "Q27993793",
    "refrigerator": "Q37828",
    "remote": "Q185091",
    "sandwich": "Q28803",
    "scissors": "Q40847",
    "shoe": "Q22676",
    "sink": "Q140565",
    "spoon": "Q81895",
    "suitcase": "Q200814",
    "teddy bear": "Q213477",
    "tie": "Q44416",
    "toaster": "Q14890",
    "toilet": "Q7857",
    "toothbrush": "Q134205",
    "umbrella": "Q41607",
    "vase": "Q191851",
    "window": "Q35473",
    "wine glass": "Q1531435",
}

WITHOUT_FACTS = frozenset(
    (
        *("clock", "laptop", "backpack", "mouse", "shoe", "umbrella", "suitcase", "handbag"),
        "potted plant",
    )
)
"""Classes that the sample names and says nothing else about."""

SOMA = "http://www.ease-crc.org/ont/SOMA.owl#"
SOMA_CLASSES = {
    "bottle": "Bottle",
    "bowl": "Bowl",
    "couch": "Sofa",
    "cup": "Cup",
    "dining table": "Table",
    "door": "Door",
    "fork": "Fork",
    "knife": "Knife",
    "oven": "Oven",
    "plate": "Plate",
    "refrigerator": "Refrigerator",
    "sink": "Sink",
    "spoon": "Spoon",
    "wine glass": "WineGlass",
}
"""What the SOMA ontology has under one of the names that the label table gives for them."""


def soma_snapshot(shared: Path, folder: Path) -> Path:
    """Load the SOMA ontology; skips where it cannot be."""
    if importlib.util.find_spec("pyhornedowl") is None:
        pytest.skip("py-horned-owl, which reads OWL in functional syntax, is not installed")
    load_files(sorted((shared / "soma").glob("*.owl.gz")), folder / "soma")
    return folder / "soma"
