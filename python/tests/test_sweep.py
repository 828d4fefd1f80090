"""Sweeps: points, executors, and workers that are lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import wordline
from wordline import _sweep

AXES = {"seed": {"from": 0, "to": 11}}


def documents(swept):
    return [point.result.to_json() for point in swept]


@pytest.fixture
def alone(small):
    """What each point gives by itself."""
    return [wordline.run({**small, "seed": seed}).to_json() for seed in range(12)]


class Mapping:
    """An executor that can only map."""

    def map(self, function, batches):
        return map(function, batches)


def spawned():
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


@pytest.mark.parametrize("executor", [None, Mapping(), spawned, ThreadPoolExecutor])
def test_every_executor_gives_the_bytes_of_single_runs(executor, small, alone):
    assert documents(wordline.sweep({"experiment": small, "axes": AXES}, executor=executor)) == alone


def test_a_list_of_experiments_is_a_sweep(small, alone):
    listed = ({**small, "seed": seed} for seed in range(12))
    assert documents(wordline.sweep(listed, batch=5)) == alone


def test_a_failed_point_has_its_reason_and_ends_nothing(small):
    swept = wordline.sweep([small, {**small, "targets": ["nowhere"]}, {**small, "age": 7}, small])
    assert [point.error is None for point in swept] == [True, False, False, True]
    assert isinstance(swept[1].error, wordline.CatalogError)
    assert isinstance(swept[2].error, wordline.SettingError)
    assert len(swept.results) == 2 and len(swept.failed) == 2 and swept.complete
    assert "2 failed" in repr(swept)


def test_axes_are_lists_ranges_and_nested_tables(small, tmp_path):
    text = f"""
    [experiment]
    targets = {json.dumps(small["targets"])}
    workload = {{ kind = "raw", operations = ["write"] }}
    [axes]
    workload.access_bytes = {{ from = 512, to = 4096, factor = 2 }}
    workload.operations = ["read", ["read", "write"]]
    age = {{ from = 0.0, to = 0.3, step = 0.1 }}
    """
    file = tmp_path / "sweep.toml"
    file.write_text(text)
    for spec in (text, file):
        points = _sweep.points_of(spec, [])
        assert len(points) == 4 * 2 * 4
        seen = {json.dumps(points.values(index)) for index in range(len(points))}
        assert len(seen) == len(points)
        last = json.loads(points.text(len(points) - 1))
        assert last["workload"]["access_bytes"] == [4096] and last["workload"]["operations"] == ["read", "write"]
        assert last["age"] == pytest.approx(0.3)


BAD = [
    ({"axes": {}}, "SweepError", "axes"),
    ({"axes": {"seed": []}}, "SweepError", "axes.seed"),
    ({"axes": {"seed": {"from": 0, "to": 10**9}}}, "SweepError", "axes.seed"),
    ({"axes": {"seed": {"from": 0, "to": 9999}, "age": {"from": 0, "to": 1, "step": 0.00001}}}, "SweepError", "axes"),
    ({"axes": {"seed": [1], "workload": [{}], "workload.kind": ["raw"]}}, "SweepError", "axes.workload.kind"),
    ({"axes": {"sede": [1]}}, "ExperimentError", "axes.sede"),
    ({"axes": {"workload.acces_bytes": [[1]]}}, "ExperimentError", "axes.workload.acces_bytes"),
    ({"axes": {"seed": "abc"}}, "SweepError", "axes.seed"),
    ({"axes": {"seed": 5}}, "SweepError", "axes.seed"),
    ({"axes": {"seed": {"from": 3, "to": 1}}}, "SweepError", "axes.seed"),
    ({"axes": {"seed": {"from": 1, "too": 3}}}, "SweepError", "axes.seed"),
    ({"axs": {"seed": [1]}}, "SweepError", "axes"),
    ({"axes": {"seed": [1]}, "experimant": {}}, "SweepError", "experimant"),
    ([], "SweepError", "points"),
    (5, "SweepError", "spec"),
    ([5], "ExperimentError", "[0].experiment"),
    ("{", "SweepError", "spec"),
    ("axes = ", "ExperimentError", None),
]


@pytest.mark.parametrize(("spec", "kind", "place"), BAD)
def test_what_is_no_sweep_is_refused_with_its_place(spec, kind, place, small):
    if isinstance(spec, dict) and "axes" in spec:
        spec = {"experiment": small, **spec}
    with pytest.raises(wordline.WordlineError) as caught:
        wordline.sweep(spec)
    assert type(caught.value).__name__ == kind
    if place is not None:
        assert caught.value.place == place, caught.value


def test_an_executor_and_a_batch_are_checked(small):
    for given in ({"executor": 5}, {"batch": 0}, {"batch": "a"}):
        with pytest.raises(wordline.SettingError):
            wordline.sweep([small], **given)


class Losing:
    """An executor whose workers are lost: always with some points, else now and then."""

    def __init__(self, poison=()):
        self.poison, self.calls, self.lost = set(poison), 0, []

    def submit(self, function, batch, options):
        future, self.calls = Future(), self.calls + 1
        indices = {index for index, _ in batch}
        if indices & self.poison or self.calls % 3 == 1:
            self.lost.append(indices)
            # A worker that did its work and died before its answer arrived, or before: nobody can know.
            function(batch, options)
            future.set_exception(OSError("killed"))
        else:
            future.set_result(function(batch, options))
        return future


def test_a_lost_worker_costs_its_batch_which_is_tried_again(small, alone):
    losing = Losing()
    swept = wordline.sweep({"experiment": small, "axes": AXES}, executor=losing, batch=2)
    assert losing.lost and documents(swept) == alone


def test_a_point_that_kills_every_worker_is_a_point_that_failed(small, alone):
    losing = Losing(poison=[5])
    losing.calls = 1
    swept = wordline.sweep({"experiment": small, "axes": AXES}, executor=losing, batch=3)
    assert [point.index for point in swept] == list(range(12))
    assert [point.index for point in swept.failed] == [5]
    assert isinstance(swept[5].error, wordline.WorkerError)
    assert [point.result.to_json() for point in swept if point.result] == alone[:5] + alone[6:]


def kill_a_worker(pool):
    """Kills a process of a pool once it has one."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for process in list((pool._processes or {}).values()):
            os.kill(process.pid, signal.SIGKILL)
            return
        time.sleep(0.01)


def test_a_pool_that_breaks_is_made_again(small, alone):
    made = []

    def pool():
        made.append(spawned())
        return made[-1]

    killed = []

    def progress(done, total):
        if not killed:
            killed.append(done)
            kill_a_worker(made[-1])

    swept = wordline.sweep({"experiment": small, "axes": AXES}, executor=pool, batch=2, progress=progress)
    assert documents(swept) == alone
    assert len(made) == 2


def test_a_pool_that_broke_leaves_its_points_to_this_process(small, alone):
    with spawned() as pool:
        killed = []

        def progress(done, total):
            if not killed:
                killed.append(done)
                kill_a_worker(pool)

        with pytest.warns(RuntimeWarning, match="rest of the sweep"):
            swept = wordline.sweep({"experiment": small, "axes": AXES}, executor=pool, batch=2, progress=progress)
    assert documents(swept) == alone


def test_a_stop_gives_the_points_that_ended(small):
    swept = wordline.sweep({"experiment": small, "axes": AXES}, batch=1, stop=lambda: True)
    assert not swept.complete and swept.total == 12
    assert len({point.index for point in swept}) == len(swept)


def test_an_interrupt_keeps_the_points_that_ended(small):
    program = """
import json, os, signal, sys, wordline
def progress(done, total):
    if done >= 4:
        os.kill(os.getpid(), signal.SIGINT)
try:
    wordline.sweep({"experiment": json.loads(sys.argv[1]), "axes": {"seed": {"from": 0, "to": 999}}}, batch=2, progress=progress)
except KeyboardInterrupt as interrupt:
    swept = interrupt.result
    print(4 <= len(swept) < 1000, swept.complete, len({point.index for point in swept}) == len(swept))
"""
    done = subprocess.run([sys.executable, "-c", program, json.dumps(small)], capture_output=True, text=True)
    assert done.stdout == "True False True\n", done.stderr


def test_dask_gives_the_same_bytes_and_a_killed_worker_loses_nothing(small, alone, tmp_path):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    dask.config.set({"distributed.scheduler.allowed-failures": 5, "temporary-directory": str(tmp_path)})
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster, distributed.Client(cluster) as client:
        assert documents(wordline.sweep({"experiment": small, "axes": AXES}, executor=client)) == alone
        killed = []

        def progress(done, total):
            if not killed:
                (pid, *_) = client.run(os.getpid).values()
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

        # Work that is under way when the worker dies.
        slow = {**small, "workload": {**small["workload"], "total_bytes": 1 << 26}}
        axes = {"seed": {"from": 0, "to": 23}}
        swept = wordline.sweep({"experiment": slow, "axes": axes}, executor=client, batch=2, progress=progress)
        assert killed and [point.index for point in swept] == list(range(24)) and not swept.failed


def test_ray_gives_the_same_bytes(small, alone):
    ray = pytest.importorskip("ray")
    try:
        swept = wordline.sweep({"experiment": small, "axes": AXES}, executor=wordline.ray_executor())
    finally:
        ray.shutdown()
    assert documents(swept) == alone
