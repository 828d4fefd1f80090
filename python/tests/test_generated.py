"""The typed classes are those of the schema, and read whatever documents hold."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import wordline
from wordline.experiment import BufferWorkload, Experiment, KvWorkload, RawWorkload, StreamAccess


def generated(sources: Path) -> str:
    sys.path.insert(0, str(sources / "python"))
    try:
        import generate
    finally:
        sys.path.pop(0)
    return generate.generate(sources / "docs/reference/result.schema.json")


def test_the_classes_are_those_of_the_schema(sources):
    file = sources / "python/wordline/experiment.py"
    made = generated(sources)
    if os.environ.get("UPDATE_REFERENCE"):
        file.write_text(made, encoding="utf-8")
    assert file.read_text(encoding="utf-8") == made, "run: make reference"


KINDS = ["raw", "buffer", "wear", "fs", "bound", "io", "sql", "kv", "dram", "app"]


@pytest.mark.parametrize("kind", ["raw", "bound", "wear", "dram"])
def test_a_completed_experiment_survives_the_classes(kind):
    targets = ["rdimm-6400-2rx4-128g@xeon6-1s"] if kind == "dram" else ["mt29f1g01"]
    text = wordline._run._wordline.complete(json.dumps({"targets": targets, "workload": {"kind": kind}}), [])
    experiment = Experiment.from_dict(json.loads(text))
    assert wordline._run._wordline.complete(json.dumps(experiment.to_dict()), []) == text


def test_every_workload_of_a_document_becomes_its_class():
    read = Experiment.from_dict(
        {
            "targets": ["mt29f1g01"],
            "workload": {"kind": "buffer", "source": {"kind": "stream", "record_bytes": 4096}, "rates_bytes_per_s": [1e6]},
        }
    )
    assert isinstance(read.workload, BufferWorkload)
    assert isinstance(read.workload.source, StreamAccess)
    kv = Experiment.from_dict({"workload": {"kind": "kv", "test": {"crash": {"images": 4}}}})
    assert isinstance(kv.workload, KvWorkload)
    assert kv.workload.test.crash.images == 4
    assert kv.to_dict() == {"workload": {"kind": "kv", "test": {"crash": {"images": 4}}}}


def test_an_unknown_field_is_refused_with_the_nearest_name():
    with pytest.raises(wordline.ExperimentError) as caught:
        Experiment.from_dict({"workload": {"kind": "raw", "acces_bytes": [1]}})
    assert caught.value.place == "workload.acces_bytes"
    assert caught.value.allowed == ("access_bytes",)
    with pytest.raises(wordline.ExperimentError) as caught:
        Experiment.from_dict({"workload": {"kind": "rav"}})
    assert caught.value.place == "workload.kind"
    assert "raw" in caught.value.allowed


def test_a_changed_field_leaves_the_others():
    one = Experiment(targets=["ram"], workload=RawWorkload(streams=[1]), seed=3)
    other = one.replace(seed=4)
    assert (one.seed, other.seed, other.targets) == (3, 4, ["ram"])
    assert one != other
    with pytest.raises(wordline.ExperimentError, match="seed"):
        one.replace(sed=1)
