"""Runs: the bytes of the command, progress, stops, interrupts, and what is wrong with an experiment."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading

import pytest

import wordline
from wordline.experiment import Experiment, RawWorkload

LONG = {
    "targets": ["mt29f1g01"],
    "workload": {"kind": "raw", "operations": ["write"], "total_bytes": 1 << 33},
    "timing": ["typ", "max"],
}

#: An experiment of several workloads, each with what it reads.
KINDS = {
    "raw": {"targets": ["em064lx", "mt25ql128"], "workload": {"kind": "raw", "total_bytes": 1 << 20}},
    "buffer": {
        "targets": ["em064lx"],
        "workload": {
            "kind": "buffer",
            "source": {"kind": "stream", "record_bytes": 4096, "total_bytes": 1 << 22},
            "rates_bytes_per_s": [1e6],
        },
    },
    "log": {
        "targets": [],
        "workload": {"kind": "buffer", "source": {"kind": "log", "file": "fio_lat.1.log"}, "rates_bytes_per_s": [1e6]},
    },
    "wear": {"targets": ["nand08gw3b2c"], "workload": {"kind": "wear", "blocks": 1, "samples": 4}},
    "bound": {"targets": ["mt29f1g01"], "workload": {"kind": "bound"}},
    "kv": {"targets": ["em064lx"], "workload": {"kind": "kv", "tables": ["own"], "test": {"crash": {"images": 8, "sizes": ["8B/16B"]}}}},
    "dram": {
        "targets": ["rdimm-6400-2rx4-128g@xeon6-1s"],
        "workload": {"kind": "dram", "test": {"kind": "idle", "samples": 50}},
    },
    "compare": {
        "targets": ["em064lx", "mt25ql128"],
        "workload": {"kind": "compare", "work": {"kind": "log", "rate": "50KB/s", "record": "4KiB"}},
    },
    "health": {"targets": [], "workload": {"kind": "health", "of": "score", "families": 2}},
}


def inputs(sources, experiment):
    """The file that an experiment reads, where it reads one."""
    file = experiment["workload"].get("source", {}).get("file")
    return {file: sources / "examples" / file} if file else {}


@pytest.mark.parametrize("kind", KINDS)
def test_the_bytes_are_those_of_the_command(kind, command, sources, tmp_path):
    experiment = KINDS[kind]
    saved = tmp_path / "experiment.json"
    saved.write_text(json.dumps(experiment))
    given = [f"--input={name}={path}" for name, path in inputs(sources, experiment).items()]
    called = subprocess.run(
        [command, "run", str(saved), "--format", "json", "--quiet", *given], capture_output=True, text=True
    )
    assert called.stdout, called.stderr
    result = wordline.run(experiment, inputs=inputs(sources, experiment))
    assert result.to_json() == called.stdout
    # From a document as well, and after a journey to another process.
    again = wordline.run(result, inputs=inputs(sources, experiment))
    assert again.to_json() == called.stdout
    assert pickle.loads(pickle.dumps(result)).to_json() == called.stdout


def test_every_form_of_an_experiment_gives_the_same(small):
    typed = Experiment(
        targets=small["targets"],
        workload=RawWorkload(operations=["write"], access_bytes=[2048], total_bytes=1 << 20),
    )
    text = json.dumps(small)
    forms = [small, typed, text, text.encode(), wordline.run(small), wordline.complete(small)]
    assert len({wordline.run(form).to_json() for form in forms}) == 1


def test_numbers_of_numpy_are_numbers(small):
    numpy = pytest.importorskip("numpy")
    plain = wordline.run(small).to_json()
    small["workload"]["access_bytes"] = numpy.array([2048])
    small["workload"]["total_bytes"] = numpy.int64(1 << 20)
    assert wordline.run(small).to_json() == plain


def test_progress_is_called_on_this_thread_and_its_exception_comes_back(small):
    seen = []
    wordline.run(LONG | {"workload": {**LONG["workload"], "total_bytes": 1 << 26}}, progress=lambda *at: seen.append(at))
    assert seen and all(isinstance(step, str) and 0 <= done <= total for step, done, total in seen)

    def fail(*at):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        wordline.run(LONG, progress=fail)


def test_a_stop_gives_a_document_that_is_not_complete():
    event = threading.Event()
    event.set()
    result = wordline.run(LONG, stop=event)
    assert not result.complete
    assert "not complete" in repr(result)
    assert not wordline.run(LONG, stop=lambda: True).complete
    assert not wordline.run(LONG, budget_s=0.0).complete


def test_an_interrupt_keeps_the_finished_rows():
    program = """
import json, os, signal, sys, threading, wordline
experiment = json.loads(sys.argv[1])
experiment["workload"]["access_bytes"] = [2048, 4096]
done = []
def progress(step, at, total):
    if at > 0.1 * total and not done:
        done.append(at)
        os.kill(os.getpid(), signal.SIGINT)
try:
    wordline.run(experiment, progress=progress, threads=1)
except KeyboardInterrupt as interrupt:
    assert isinstance(interrupt, wordline.Interrupted)
    print(interrupt.result.complete, isinstance(interrupt.result.to_json(), str))
"""
    done = subprocess.run([sys.executable, "-c", program, json.dumps(LONG)], capture_output=True, text=True)
    assert done.stdout == "False True\n", done.stderr


def test_other_threads_go_on_meanwhile():
    ticks = []
    ended = threading.Event()

    def tick():
        while not ended.wait(0.001):
            ticks.append(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    wordline.run(LONG | {"workload": {**LONG["workload"], "total_bytes": 1 << 28}}, threads=1)
    ended.set()
    ticker.join()
    assert len(ticks) > 5


WRONG = [
    ({"targets": ["em064lx"], "workload": {"kind": "raw", "acces_bytes": [1]}}, "workload.acces_bytes", "access_bytes"),
    ({"targets": "em064lx", "workload": {"kind": "raw"}}, "targets", None),
    ({"targets": ["em064lx"], "workload": {"kind": "raw", "access_bytes": ["2KiB"]}}, "workload.access_bytes[0]", None),
    ({"targets": ["em064lx"], "workload": {"kind": "raw"}, "seed": -1}, "seed", None),
    ({"targets": ["em064lx"], "workload": {"kind": "raw"}, "seed": 2**70}, "seed", None),
    ({"targets": ["em064lx"], "workload": {"kind": "raw"}, "timing": "tpy"}, "timing", "typ"),
    ({"targets": ["em064lx"], "workload": {"kind": "raww"}}, "workload.kind", "raw"),
    ({"targets": ["em064lx"], "workload": {"kind": "raw"}, "sed": 1}, "sed", "seed"),
    ({"targets": ["em064lx"], "workload": {"kind": "raw"}, "age": float("nan")}, "age", None),
    ({"targets": ["em064lx"], "workload": {"kind": "raw", "streams": {1, 2}}}, "workload.streams", None),
    ({"targets": ["em064lx"], "workload": {"kind": "raw", "streams": object()}}, "workload.streams", None),
]


@pytest.mark.parametrize(("experiment", "place", "allowed"), WRONG)
def test_what_is_wrong_is_named_with_its_place(experiment, place, allowed):
    with pytest.raises(wordline.ExperimentError) as caught:
        wordline.run(experiment)
    assert caught.value.place == place, caught.value
    if allowed is not None:
        assert allowed in caught.value.allowed, caught.value


@pytest.mark.parametrize("experiment", [None, 5, 1.5, [], object(), {1, 2}, "", "{", "[]", b"\xff", "\0", {}])
def test_no_object_ends_the_interpreter(experiment):
    with pytest.raises(wordline.ExperimentError):
        wordline.run(experiment)


def test_a_structure_without_end_is_refused():
    endless: dict = {"targets": []}
    endless["workload"] = endless
    with pytest.raises((wordline.ExperimentError, RecursionError)):
        wordline.run(endless)


def test_settings_targets_and_inputs_have_exceptions_of_their_own(small, tmp_path):
    with pytest.raises(wordline.CatalogError) as caught:
        wordline.run({**small, "targets": ["em64lx"]})
    assert caught.value.allowed == ("em064lx",)
    with pytest.raises(wordline.SettingError) as caught:
        wordline.run({**small, "age": 2.0})
    assert caught.value.place == "age"
    with pytest.raises(wordline.InputError) as caught:
        wordline.run(small, inputs={"my.log": b""})
    assert caught.value.place == "my.log"
    log = {"targets": [], "workload": {"kind": "buffer", "source": {"kind": "log", "file": "my.log"}}}
    with pytest.raises(wordline.InputError) as caught:
        wordline.run(log)
    assert "my.log" in str(caught.value)
    with pytest.raises(wordline.InputError):
        wordline.run(log, inputs={"my.log": tmp_path})
    with pytest.raises(wordline.CatalogError):
        wordline.run(small, catalog=[tmp_path])
    with pytest.raises(wordline.SettingError):
        wordline.run(small, budget_s=-1.0)
    with pytest.raises(TypeError):
        wordline.run(small, inputs={"my.log": 5})


def test_an_exception_survives_a_journey_to_another_process(small):
    with pytest.raises(wordline.CatalogError) as caught:
        wordline.run({**small, "targets": ["em64lx"]})
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.place, again.allowed) == (str(caught.value), caught.value.place, caught.value.allowed)
    interrupted = wordline.Interrupted(wordline.run(small))
    assert pickle.loads(pickle.dumps(interrupted)).result == interrupted.result


def test_a_panic_becomes_an_exception():
    from wordline import _wordline

    with pytest.raises(wordline.InternalError, match="provoked by a test"):
        _wordline.provoke_panic()


def test_an_import_loads_nothing_that_is_not_used():
    program = "import sys; before = set(sys.modules); import wordline; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=os.environ)
    assert done.stdout.split() in (["wordline"], ["__future__", "wordline"]), done.stdout + done.stderr


def test_an_unknown_name_of_the_package_is_no_attribute():
    with pytest.raises(AttributeError, match="swep"):
        wordline.swep
    assert set(wordline.__all__) <= set(dir(wordline))
    for name in wordline.__all__:
        assert getattr(wordline, name) is not None
