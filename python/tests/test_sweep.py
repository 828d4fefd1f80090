"""Sweeps: points, executors, and workers that are lost."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

import wordline
from wordline import _sweep

AXES = [{"field": "seed", "count": 12}]


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
    assert documents(wordline.sweep({"experiment": small, "axis": AXES}, executor=executor)) == alone


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


SIZES = """
[experiment]
targets = ["em064lx@stm32h755-qspi"]
workload = { kind = "raw", operations = ["write"], total_bytes = "64 KiB" }

[[axis]]
field = "workload.access_bytes"
range = { from = "512 B", to = "4 KiB", factor = 2 }

[[axis]]
field = ["age", "seed"]
values = [[0, 1], [0.5, 2]]

[[leave_out]]
age = 0.5
"workload.access_bytes" = { max = "1 KiB" }
"""


def test_a_sweep_is_that_of_the_command_in_every_form(tmp_path):
    tomllib = pytest.importorskip("tomllib")
    toml, as_json = tmp_path / "sweep.toml", tmp_path / "sweep.json"
    toml.write_text(SIZES)
    as_json.write_text(json.dumps(tomllib.loads(SIZES)))
    specs = [SIZES, SIZES.encode(), toml, as_json, as_json.read_text(), tomllib.loads(SIZES)]
    for points in [_sweep.points_of(spec, []) for spec in specs]:
        assert points.axes == ["workload.access_bytes", "age", "seed"]
        assert [points.values(index) for index in range(len(points))] == [
            {"age": 0, "seed": 1, "workload.access_bytes": 512},
            {"age": 0, "seed": 1, "workload.access_bytes": 1024},
            {"age": 0, "seed": 1, "workload.access_bytes": 2048},
            {"age": 0.5, "seed": 2, "workload.access_bytes": 2048},
            {"age": 0, "seed": 1, "workload.access_bytes": 4096},
            {"age": 0.5, "seed": 2, "workload.access_bytes": 4096},
        ]
        last = json.loads(points.text(5))
        # Defaults of the targets are there, and a list takes each value as its only one.
        assert last["workload"]["access_bytes"] == [4096] and last["workload"]["wrap_bytes"] and last["seed"] == 2


def test_points_have_the_bytes_of_the_command(command, tmp_path):
    file = tmp_path / "sweep.toml"
    file.write_text(SIZES)
    said = subprocess.run([command, "sweep", str(file), "--format", "json"], capture_output=True, text=True, check=True)
    points = json.loads(said.stdout)["points"]
    swept = wordline.sweep(file)
    assert [(point.index, point.values) for point in swept] == [(one["point"], one["at"]) for one in points]
    assert [json.loads(point.result.to_json()) for point in swept] == [one["result"] for one in points]


def axis(field, **values):
    return {"axis": [{"field": field, **values}]}


BAD = [
    ({"axis": []}, "axis"),
    (axis("seed", values=[]), "seed"),
    (axis("seed", count=10**9), "seed"),
    (axis("seed", range={"from": 3, "to": 1, "step": 1}), "seed"),
    (axis("seed", values=[1, 1]), "seed"),
    (axis("sede", values=[1]), "sede"),
    (axis("workload.acces_bytes", values=[1]), "workload.acces_bytes"),
    ({"axis": [{"field": "seed", "values": list(range(400))}, {"field": "age", "values": list(range(400))}]}, "axis"),
    ({"axis": [{"field": "workload", "values": [{"kind": "raw"}]}, {"field": "workload.kind", "values": ["raw"]}]}, "workload.kind"),
    ({"axis": [{"field": "seed", "count": 2}], "leave_out": [{"age": 1}]}, "leave_out"),
    ({"axis": [{"field": "seed", "cuont": 2}]}, "cuont"),
    ({"axes": {"seed": [1]}}, "axes"),
]


@pytest.mark.parametrize(("part", "place"), BAD)
def test_what_is_no_sweep_is_refused_with_its_place(part, place, small):
    with pytest.raises(wordline.SweepError) as caught:
        wordline.sweep({"experiment": small, **part})
    assert caught.value.place == place, caught.value


@pytest.mark.parametrize("spec", [[], 5, "{", "axis = ", "[1", b"\xff", {"targets": []}, {"experiment": {"age": math.nan}}])
def test_what_is_nothing_of_the_kind_is_refused(spec):
    with pytest.raises(wordline.SweepError):
        wordline.sweep(spec)
    with pytest.raises(wordline.SweepError) as caught:
        wordline.sweep(axis("seed", count=2))
    assert caught.value.place == "experiment"
    with pytest.raises(wordline.ExperimentError) as caught:
        wordline.sweep([5])
    assert caught.value.place == "[0].experiment"


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
    swept = wordline.sweep({"experiment": small, "axis": AXES}, executor=losing, batch=2)
    assert losing.lost and documents(swept) == alone


def test_a_point_that_kills_every_worker_is_a_point_that_failed(small, alone):
    losing = Losing(poison=[5])
    losing.calls = 1
    swept = wordline.sweep({"experiment": small, "axis": AXES}, executor=losing, batch=3)
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

    swept = wordline.sweep({"experiment": small, "axis": AXES}, executor=pool, batch=2, progress=progress)
    assert documents(swept) == alone
    assert len(made) == 2


class Breaking:
    """An executor that breaks with a point: everything that is under way is lost, and nothing more is taken."""

    def __init__(self, poison):
        self.poison, self.under_way, self.ran, self.workers, self.is_broken = poison, [], [], 1, False

    def submit(self, function, batch, options):
        if self.is_broken:
            raise BrokenExecutor("a worker is gone")
        future = Future()
        indices = [index for index, _ in batch]
        self.under_way.append(future)
        if self.poison in indices:
            self.is_broken = True
            for one in self.under_way:
                if not one.done():
                    one.set_exception(BrokenExecutor("a worker is gone"))
        else:
            self.ran += indices
            future.set_result(function(batch, options))
        return future


def test_a_point_that_broke_its_executor_is_not_run_in_this_process(small, alone, monkeypatch):
    here = []
    inner = _sweep.each_done

    def watched(batch, options, stop=None):
        here.extend(index for index, _ in batch)
        return inner(batch, options, stop)

    breaking = Breaking(poison=5)
    monkeypatch.setattr(_sweep, "each_done", watched)
    with pytest.warns(RuntimeWarning, match="rest of the sweep"):
        swept = wordline.sweep({"experiment": small, "axis": AXES}, executor=breaking, batch=1)
    assert [point.index for point in swept.failed] == [5] and "lost once" in str(swept[5].error)
    assert isinstance(swept[5].error, wordline.WorkerError)
    assert 5 not in here and set(breaking.ran).isdisjoint(here[len(breaking.ran):])
    assert [point.result.to_json() for point in swept if point.result] == alone[:5] + alone[6:]


def test_a_stop_ends_the_rest_in_this_process(small):
    breaking = Breaking(poison=2)
    with pytest.warns(RuntimeWarning, match="rest of the sweep"):
        ended = []
        swept = wordline.sweep(
            {"experiment": small, "axis": AXES},
            executor=breaking,
            batch=1,
            progress=lambda done, total: ended.append(done),
            stop=lambda: len(ended) >= 6,
        )
    assert 6 <= len(swept) < 12 and not swept.complete


def shut_down():
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    return pool


class Failing:
    """An executor that takes everything and does nothing."""

    workers = 1

    def submit(self, function, batch, options):
        future = Future()
        future.set_exception(BrokenExecutor("the workers do not start"))
        raise_later = self.__dict__.setdefault("taken", [])
        raise_later.append(batch)
        if len(raise_later) > 1:
            raise BrokenExecutor("the workers do not start")
        return future


@pytest.mark.parametrize("factory", [shut_down, Failing])
def test_a_function_that_makes_broken_executors_is_refused(factory, small):
    made = []

    def make():
        made.append(factory())
        assert len(made) < 100
        return made[-1]

    with pytest.raises(wordline.SettingError) as caught:
        wordline.sweep({"experiment": small, "axis": AXES}, executor=make)
    assert caught.value.place == "executor" and len(made) < 12


class MappingWith:
    """An executor that can only map, and fails with some points: as it goes, or as a whole."""

    def __init__(self, poison, is_lazy):
        self.poison, self.is_lazy = set(poison), is_lazy

    def map(self, function, batches):
        def each(batch):
            if self.poison & {index for index, _ in batch}:
                raise ValueError("a bad answer")
            return function(batch)

        return map(each, batches) if self.is_lazy else [each(batch) for batch in batches]


@pytest.mark.parametrize("is_lazy", [True, False])
def test_a_point_that_fails_a_map_dooms_none_behind_it(is_lazy, small, alone):
    executor = MappingWith({2, 7}, is_lazy)
    swept = wordline.sweep({"experiment": small, "axis": AXES}, executor=executor, batch=4)
    assert [point.index for point in swept.failed] == [2, 7] and swept.complete
    # No worker was lost.
    assert "executor failed 3 times: ValueError: a bad answer" in str(swept[2].error)
    kept = [text for index, text in enumerate(alone) if index not in (2, 7)]
    assert [point.result.to_json() for point in swept if point.result] == kept


class Late:
    """An executor whose batches end only after the sweep was asked to stop. Some do not say which have begun."""

    workers = 2

    def __init__(self, says_what_runs):
        self.says, self.asked, self.begun = says_what_runs, threading.Event(), threading.Semaphore(0)
        self.threads = ThreadPoolExecutor(2)

    def submit(self, function, batch, options):
        def work():
            self.begun.release()
            assert self.asked.wait(30)
            time.sleep(0.3)
            return function(batch, options)

        inner = self.threads.submit(work)
        if self.says:
            return inner
        outer = Future()

        def copied(done):
            if not outer.cancelled():
                outer.set_result(done.result())

        inner.add_done_callback(copied)
        return outer


@pytest.mark.parametrize("says_what_runs", [True, False])
@pytest.mark.parametrize("is_interrupt", [True, False])
def test_batches_under_way_are_kept(is_interrupt, says_what_runs, small, alone):
    late = Late(says_what_runs)

    def stop():
        if late.asked.is_set():
            return True
        # Not before two batches are under way.
        if late.threads._work_queue.qsize() < 2:
            return False
        assert late.begun.acquire(timeout=30) and late.begun.acquire(timeout=30)
        late.asked.set()
        if is_interrupt:
            raise KeyboardInterrupt
        return True

    spec = {"experiment": small, "axis": AXES}
    if is_interrupt:
        with pytest.raises(wordline.Interrupted) as caught:
            wordline.sweep(spec, executor=late, batch=2, stop=stop)
        swept = caught.value.result
    else:
        swept = wordline.sweep(spec, executor=late, batch=2, stop=stop)
    late.threads.shutdown()
    assert not swept.complete
    assert [point.index for point in swept] == [0, 1, 2, 3] and documents(swept) == alone[:4]


def test_a_store_keeps_points_and_gives_them_back(small, alone, tmp_path):
    store = tmp_path / "store"
    spec = {"experiment": small, "axis": AXES}
    assert documents(wordline.sweep(spec, store=store, executor=spawned)) == alone
    entries = sorted(path for path in store.rglob("*.json") if path.parent != store)
    assert len(entries) == 12
    written = [path.stat().st_mtime_ns for path in entries]
    assert documents(wordline.sweep(spec, store=store)) == alone
    assert wordline.run({**small, "seed": 3}, store=str(store)).to_json() == alone[3]
    assert [path.stat().st_mtime_ns for path in entries] == written
    for call in (lambda: wordline.run(small, store=tmp_path / "full"), lambda: wordline.sweep(spec, store=tmp_path / "full")):
        (tmp_path / "full").mkdir(exist_ok=True)
        (tmp_path / "full/other.txt").write_text("mine")
        with pytest.raises(wordline.SettingError) as caught:
            call()
        assert caught.value.place == "store"


def test_a_stop_gives_the_points_that_ended(small):
    swept = wordline.sweep({"experiment": small, "axis": AXES}, batch=1, stop=lambda: True)
    assert not swept.complete and swept.total == 12
    assert len({point.index for point in swept}) == len(swept)


def test_an_interrupt_keeps_the_points_that_ended(small):
    program = """
import json, os, signal, sys, wordline
def progress(done, total):
    if done >= 4:
        os.kill(os.getpid(), signal.SIGINT)
try:
    wordline.sweep({"experiment": json.loads(sys.argv[1]), "axis": [{"field": "seed", "count": 1000}]}, batch=2, progress=progress)
except KeyboardInterrupt as interrupt:
    swept = interrupt.result
    print(4 <= len(swept) < 1000, swept.complete, len({point.index for point in swept}) == len(swept))
"""
    done = subprocess.run([sys.executable, "-c", program, json.dumps(small)], capture_output=True, text=True)
    assert done.stdout == "True False True\n", done.stderr


@pytest.mark.parametrize("after", [1, 2, 9, 30])
@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_ctrl_c_loses_no_point_that_a_process_finished(start, after, small, tmp_path):
    # As a terminal does it: every process of the group is interrupted, those too that only just start.
    program = """
import json, os, signal, sys, wordline
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
def progress(done, total):
    if done >= int(sys.argv[3]):
        os.killpg(0, signal.SIGINT)
if __name__ == "__main__":
    spec = {"experiment": json.loads(sys.argv[1]), "axis": [{"field": "seed", "count": 2000}]}
    with ProcessPoolExecutor(3, mp_context=get_context(sys.argv[4])) as pool:
        try:
            wordline.sweep(spec, executor=pool, batch=2, progress=progress, store=sys.argv[2])
        except KeyboardInterrupt as interrupt:
            print(json.dumps([point.index for point in interrupt.result if point.error is None]))
        else:
            print("it went on")
"""
    file, store = tmp_path / "program.py", tmp_path / "store"
    file.write_text(program)
    words = [sys.executable, str(file), json.dumps(small), str(store), str(after), start]
    done = subprocess.run(words, capture_output=True, text=True, start_new_session=True)
    kept = json.loads(done.stdout)
    assert after <= len(kept) < 2000 and len(set(kept)) == len(kept), done.stderr
    # Workers keep a point in the store before they give it back.
    stored = [path for path in store.rglob("*.json") if path.parent != store]
    assert len(stored) == len(kept), done.stderr
    assert "KeyboardInterrupt" not in done.stderr, done.stderr


def test_dask_gives_the_same_bytes_and_a_killed_worker_loses_nothing(small, alone, tmp_path):
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    dask.config.set({"distributed.scheduler.allowed-failures": 5, "temporary-directory": str(tmp_path)})
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster, distributed.Client(cluster) as client:
        assert documents(wordline.sweep({"experiment": small, "axis": AXES}, executor=client)) == alone
        killed = []

        def progress(done, total):
            if not killed:
                (pid, *_) = client.run(os.getpid).values()
                killed.append(pid)
                os.kill(pid, signal.SIGKILL)

        # Work that is under way when the worker dies.
        slow = {**small, "workload": {**small["workload"], "total_bytes": 1 << 26}}
        axes = [{"field": "seed", "count": 24}]
        swept = wordline.sweep({"experiment": slow, "axis": axes}, executor=client, batch=2, progress=progress)
        assert killed and [point.index for point in swept] == list(range(24)) and not swept.failed


def test_ray_gives_the_same_bytes(small, alone):
    ray = pytest.importorskip("ray")
    try:
        swept = wordline.sweep({"experiment": small, "axis": AXES}, executor=wordline.ray_executor())
    finally:
        ray.shutdown()
    assert documents(swept) == alone
