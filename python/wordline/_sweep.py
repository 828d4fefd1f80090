"""Many experiments, on the processors of this machine or of others."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline._errors import Interrupted, SettingError, WordlineError, WorkerError
from wordline._expand import Points, Spec, points_of
from wordline._result import ResultSet, arrow_table, pandas_frame, polars_frame
from wordline._run import Input, Stop, folders_of, run, stopper

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,unused-ignore]
    import polars
    import pyarrow  # type: ignore[import-untyped,unused-ignore]

#: Work of a batch, in seconds: what a cluster adds to each is then a small share.
BATCH_S = 1.0

#: How often a batch is tried whose worker is lost.
ATTEMPTS = 3

#: Points of a batch at most.
MOST_IN_BATCH = 10_000


class SweepPoint:
    """A point of a sweep."""

    __slots__ = ("error", "index", "result", "values")

    def __init__(self, index: int, values: dict[str, Any], result: ResultSet | None, error: Exception | None) -> None:
        #: Its place in the sweep, from 0.
        self.index = index
        #: Where it lies on each axis.
        self.values = values
        #: What it gave; None where it failed.
        self.result = result
        #: Why it failed.
        self.error = error

    def __repr__(self) -> str:
        words = repr(self.result) if self.error is None else f"failed: {self.error}"
        return f"<SweepPoint {self.index} {self.values}: {words}>"


class SweepResult:
    """What a sweep gave: a point for each experiment that ended, in their order, whoever ran them."""

    __slots__ = ("axes", "complete", "points", "total")

    def __init__(self, points: list[SweepPoint], axes: Sequence[str], total: int) -> None:
        #: The points, each once, in the order of the sweep.
        self.points = points
        #: Names of the axes.
        self.axes = list(axes)
        #: Points of the whole sweep.
        self.total = total
        #: False when the sweep was ended early.
        self.complete = len(points) == total

    @property
    def results(self) -> list[ResultSet]:
        """The results of the points that did not fail."""
        return [point.result for point in self.points if point.result is not None]

    @property
    def failed(self) -> list[SweepPoint]:
        """The points that failed, each with its reason in ``error``."""
        return [point for point in self.points if point.error is not None]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        done = [point for point in self.points if point.result is not None]
        labels: list[tuple[str, list[Any]]] = [("point", [point.index for point in done])]
        for axis in self.axes:
            labels.append((axis, [_label(point.values[axis]) for point in done]))
        documents = [point.result._document for point in done if point.result is not None]
        return _wordline.arrow_stream(documents, labels)

    def to_arrow(self) -> pyarrow.Table:
        """The rows of all points as one table, with the columns ``point`` and those of the axes."""
        return arrow_table(self)

    def to_polars(self) -> polars.DataFrame:
        """The same as a frame of Polars."""
        return polars_frame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a frame of pandas."""
        return pandas_frame(self)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[SweepPoint]:
        return iter(self.points)

    def __getitem__(self, index: int) -> SweepPoint:
        return self.points[index]

    def __repr__(self) -> str:
        failed = len(self.failed)
        words = f", {failed} failed" if failed else ""
        return f"<SweepResult: {len(self.points)} of {self.total} points{words}>"


def _label(value: Any) -> int | float | str | None:
    """A value of an axis as a cell: a list of one is its only element."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, (int, float, str)):
        return value
    import json

    return json.dumps(value)


#: A point as it travels: its place and its experiment.
_Task = tuple[int, str]
#: What comes back: its place, a result or an error, and the seconds that it took.
_Done = tuple[int, "ResultSet | None", "Exception | None", float]


def run_batch(batch: Sequence[_Task], options: Mapping[str, Any], stop: Stop | None = None) -> list[_Done]:
    """Runs some points one after the other: what workers do. A point that cannot be run says why."""
    asked = stopper(stop)
    done: list[_Done] = []
    for index, text in batch:
        if asked is not None and asked():
            break
        started = time.perf_counter()
        result, error = None, None
        try:
            result = run(text, threads=1, stop=stop, **options)
        except Exception as raised:
            error = raised
        if result is not None and not result.complete:
            break
        done.append((index, result, error, time.perf_counter() - started))
    return done


class _Try:
    """A batch that is tried."""

    __slots__ = ("attempt", "batch", "is_alone")

    def __init__(self, batch: list[_Task], attempt: int, is_alone: bool) -> None:
        self.batch = batch
        self.attempt = attempt
        #: Whether nothing else is under way meanwhile, so that only its own point can be at fault.
        self.is_alone = is_alone

    def next(self) -> _Try:
        """The same once more."""
        return _Try(self.batch, self.attempt + 1, self.is_alone)


class _Batches:
    """Cuts what is left into batches of about a second, from what the points took so far."""

    def __init__(self, points: Points, workers: int, fixed: int | None) -> None:
        self._points = points
        self._workers = workers
        self._fixed = fixed
        self._next = 0
        self._seconds = 0.0
        self._measured = 0
        self._largest = 0

    def measured(self, done: Sequence[_Done]) -> None:
        """Learns from a batch that ended."""
        self._seconds += sum(one[3] for one in done)
        self._measured += len(done)
        self._largest = max(self._largest, len(done))

    def take(self) -> list[_Task]:
        """The next batch; empty where nothing is left."""
        left = len(self._points) - self._next
        size = self._fixed or self._size(left)
        size = min(size, left)
        batch = [(index, self._points.text(index)) for index in range(self._next, self._next + size)]
        self._next += size
        return batch

    def _size(self, left: int) -> int:
        if not self._measured:
            return 1
        each = max(self._seconds / self._measured, 1e-6)
        # One point says little of others, and no worker shall wait long for the last one.
        wanted = min(int(BATCH_S / each) + 1, 8 * self._largest, MOST_IN_BATCH)
        return max(1, min(wanted, -(-left // self._workers)))


class _Sweep:
    """A sweep that goes on."""

    def __init__(self, points: Points, progress: Callable[[int, int], object] | None, stop: Stop | None) -> None:
        self.points = points
        self.done: dict[int, _Done] = {}
        self.progress = progress
        self.asked = stopper(stop)

    def take(self, done: Iterable[_Done]) -> None:
        """Takes what a batch gave. A point counts once, whoever ran it twice."""
        for one in done:
            self.done.setdefault(one[0], one)
        if self.progress is not None:
            self.progress(len(self.done), len(self.points))

    def lost(self, batch: Sequence[_Task], why: BaseException) -> None:
        """Gives up on points whose workers were lost again and again."""
        for index, _ in batch:
            words = f"its worker was lost {ATTEMPTS} times: {type(why).__name__}: {why}"
            self.take([(index, None, WorkerError(words, f"[{index}]"), 0.0)])

    def stopped(self) -> bool:
        """Whether the caller wants no more."""
        return self.asked is not None and bool(self.asked())

    def result(self) -> SweepResult:
        """What there is."""
        points = [
            SweepPoint(index, self.points.values(index), result, error)
            for index, (_, result, error, _) in sorted(self.done.items())
        ]
        return SweepResult(points, self.points.axes, len(self.points))


def sweep(
    spec: Spec,
    *,
    executor: Any = None,
    batch: int | None = None,
    inputs: Mapping[str, Input] | None = None,
    catalog: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = (),
    progress: Callable[[int, int], object] | None = None,
    stop: Stop | None = None,
) -> SweepResult:
    """Runs many experiments.

    ``spec`` is a list of experiments; or a base and axes over its fields, whose combinations are the points: as a
    mapping, as TOML, or as the path of a file. A field is named by its dotted path. Values are a list, or a range with
    ``from``, ``to``, and ``step`` or ``factor``. The last axis varies fastest; axes in TOML are in the order of their names.

    ``executor`` is anything with ``submit`` or ``map`` as in ``concurrent.futures``, a ``Client`` of Dask, or a function
    that makes an executor; without one, threads of this process run the points on all of its processors. Workers need
    this package and nothing else. ``batch`` is the number of points of a batch; without it, batches take about a second.

    A point that fails has its reason in ``error``. A worker that is lost costs its batch, which is tried again.
    ``progress`` is called with the points that ended and all that there are. Ctrl-C raises
    :class:`~wordline.Interrupted`, whose ``result`` has the points that ended.

    >>> import wordline
    >>> swept = wordline.sweep('''
    ... [experiment]
    ... targets = ["em064lx"]
    ... [experiment.workload]
    ... kind = "raw"
    ... operations = ["write"]
    ... [axes]
    ... workload.access_bytes = { from = 512, to = 2048, factor = 2 }
    ... seed = [1, 2]
    ... ''')
    >>> swept
    <SweepResult: 6 of 6 points>
    >>> swept[5].values
    {'seed': 2, 'workload.access_bytes': [2048]}
    """
    folders = folders_of(catalog)
    if batch is not None and (isinstance(batch, bool) or not isinstance(batch, int) or batch < 1):
        raise SettingError(f"batch is {batch!r}; allowed: 1 and more points", "batch")
    points = points_of(spec, folders)
    options = {"inputs": dict(inputs or {}), "catalog": folders}
    going = _Sweep(points, progress, stop)
    if executor is None:
        _in_threads(going, options, batch)
    elif isinstance(executor, type):
        _made(going, options, batch, executor)
    elif hasattr(executor, "get_executor"):
        workers = sum(executor.nthreads().values()) or 1
        _submitted(going, options, batch, executor.get_executor(pure=False), None, workers)
    elif hasattr(executor, "submit"):
        _submitted(going, options, batch, executor, None, _workers(executor))
    elif hasattr(executor, "map"):
        _mapped(going, options, batch, executor)
    elif callable(executor):
        _made(going, options, batch, executor)
    else:
        kinds = "submit or map, as those of concurrent.futures have"
        raise SettingError(f"an executor is not {type(executor).__name__}; expected something with {kinds}", "executor")
    return going.result()


def _made(going: _Sweep, options: Mapping[str, Any], batch: int | None, make: Callable[[], Any]) -> None:
    """With executors that a function makes, another one whenever one breaks."""
    executor = make()
    _submitted(going, options, batch, executor, make, _workers(executor))


def _workers(executor: Any) -> int:
    for name in ("workers", "_max_workers"):
        known = getattr(executor, name, None)
        if isinstance(known, int) and known > 0:
            return known
    return _processors()


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _close(executor: Any) -> None:
    shutdown = getattr(executor, "shutdown", None)
    if shutdown is not None:
        shutdown(wait=False, cancel_futures=True)


def _in_threads(going: _Sweep, options: Mapping[str, Any], fixed: int | None) -> None:
    """In this process: runs need no lock of the interpreter, so that threads suffice."""
    import threading
    from concurrent.futures import ThreadPoolExecutor

    ended = threading.Event()
    workers = min(_processors(), len(going.points))
    with ThreadPoolExecutor(workers, thread_name_prefix="wordline") as threads:
        try:
            _submitted(going, options, fixed, threads, None, workers, ended)
        finally:
            ended.set()


def _submitted(
    going: _Sweep,
    options: Mapping[str, Any],
    fixed: int | None,
    executor: Any,
    make: Callable[[], Any] | None,
    workers: int,
    ended: Any = None,
) -> None:
    """Keeps two batches for each worker under way."""
    import queue
    from concurrent.futures import CancelledError

    batches = _Batches(going.points, workers, fixed)
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    under_way: dict[Any, _Try] = {}
    again: list[_Try] = []
    alone: list[_Try] = []
    stop = (ended,) if ended is not None else ()

    def retry(lost: _Try, why: BaseException) -> None:
        if lost.attempt < ATTEMPTS:
            (alone if lost.is_alone else again).append(lost.next())
        elif lost.is_alone:
            going.lost(lost.batch, why)
        else:
            # Whichever point does it is found by running each by itself.
            alone.extend(_Try([one], 1, True) for one in lost.batch)

    def chosen() -> _Try | None:
        if again:
            return again.pop()
        if batch := batches.take():
            return _Try(batch, 1, False)
        return alone.pop() if alone and not under_way else None

    def fill() -> bool:
        """Submits what there is room for; false where the executor takes no more."""
        nonlocal executor
        while len(under_way) < 2 * workers and (attempt := chosen()):
            try:
                future = executor.submit(run_batch, attempt.batch, options, *stop)
            except RuntimeError:
                # It broke, or was shut down.
                (alone if attempt.is_alone else again).append(attempt)
                if make is None:
                    return False
                _close(executor)
                executor = make()
                continue
            under_way[future] = attempt
            future.add_done_callback(finished.put)
        return True

    try:
        while True:
            takes_more = fill()
            if not under_way:
                if not takes_more:
                    _rest(going, options, [*again, *alone], batches)
                break
            try:
                # Waits that are short, so that a signal is met on every platform.
                future = finished.get(timeout=0.2)
            except queue.Empty:
                if going.stopped():
                    break
                continue
            attempt = under_way.pop(future)
            try:
                done = future.result()
            except (Exception, CancelledError) as why:
                retry(attempt, why)
                continue
            batches.measured(done)
            going.take(done)
            if going.stopped():
                break
    except KeyboardInterrupt as interrupt:
        raise Interrupted(going.result()) from interrupt
    finally:
        if ended is not None:
            ended.set()
        for future in under_way:
            future.cancel()
        if make is not None:
            _close(executor)


def _rest(going: _Sweep, options: Mapping[str, Any], lost: list[_Try], batches: _Batches) -> None:
    """Runs in this process what an executor that broke left over."""
    import warnings

    words = "the executor broke, and the rest of the sweep runs in this process; a function that makes executors mends it"
    warnings.warn(words, RuntimeWarning, stacklevel=4)
    for one in lost:
        going.take(run_batch(one.batch, options))
    while not going.stopped() and (batch := batches.take()):
        done = run_batch(batch, options)
        batches.measured(done)
        going.take(done)


def _mapped(going: _Sweep, options: Mapping[str, Any], fixed: int | None, executor: Any) -> None:
    """With an executor that can only map: a few points here say how long a batch is."""
    from functools import partial

    batches = _Batches(going.points, _workers(executor), fixed)
    try:
        while fixed is None and batches._seconds < BATCH_S / 4 and (batch := batches.take()):
            done = run_batch(batch, options)
            batches.measured(done)
            going.take(done)
        left = []
        while batch := batches.take():
            left.append(batch)
        work = partial(run_batch, options=options)
        for attempt in range(1, ATTEMPTS + 1):
            try:
                for done in executor.map(work, left):
                    going.take(done)
                    if going.stopped():
                        return
            except Exception as why:
                tasks = [one for batch in left for one in batch if one[0] not in going.done]
                left = [[one] for one in tasks]
                if attempt == ATTEMPTS:
                    going.lost(tasks, why)
                continue
            return
    except KeyboardInterrupt as interrupt:
        raise Interrupted(going.result()) from interrupt
