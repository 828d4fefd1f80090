"""Many experiments, on the processors of this machine or of others."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from wordline import _wordline
from wordline._errors import Interrupted, SettingError, WordlineError, WorkerError
from wordline._points import Points, Spec, points_of
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
        #: The value of each field that varies.
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
        #: Dotted paths of the fields that vary.
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
            # Rows have columns of their own for some fields, such as age.
            labels.append((f"at.{axis}", [_label(point.values[axis]) for point in done]))
        documents = [point.result._document for point in done if point.result is not None]
        return _wordline.arrow_stream(documents, labels)

    def to_arrow(self) -> pyarrow.Table:
        """The rows of all points as one table, with the columns ``point`` and ``at.FIELD`` for each field that varies."""
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


def each_done(batch: Sequence[_Task], options: Mapping[str, Any], stop: Stop | None = None) -> Iterator[_Done]:
    """Runs some points one after the other. A point that cannot be run says why."""
    asked = stopper(stop)
    for index, text in batch:
        if asked is not None and asked():
            return
        started = time.perf_counter()
        result, error = None, None
        try:
            result = run(text, threads=1, stop=stop, **options)
        except Exception as raised:
            error = raised
        if result is not None and not result.complete:
            return
        yield index, result, error, time.perf_counter() - started


def run_batch(batch: Sequence[_Task], options: Mapping[str, Any], stop: Stop | None = None) -> list[_Done]:
    """What workers do with a batch. Ctrl-C reaches processes of this machine as well: what is done by then comes back."""
    if stop is None and _is_worker():
        if _interrupts.taken():
            return []
        stop = _interrupts
    done: list[_Done] = []
    try:
        for one in each_done(batch, options, stop):
            done.append(one)
    except KeyboardInterrupt:
        pass
    return done


class _Interrupts:
    """Ctrl-C in a worker, as something that ends a batch instead of the worker, whose pool would break with it."""

    def __init__(self) -> None:
        self._seen = False

    def is_set(self) -> bool:
        """Whether there was one."""
        return self._seen

    def taken(self) -> bool:
        """Whether there was one before this batch. From here on no interrupt ends this process."""
        import signal

        if signal.getsignal(signal.SIGINT) != self._see:
            signal.signal(signal.SIGINT, self._see)
        if hasattr(signal, "pthread_sigmask"):
            # It was blocked from the beginning of the process on: see _unbroken.
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        seen, self._seen = self._seen, False
        return seen

    def _see(self, number: int, frame: object) -> None:
        self._seen = True


_interrupts = _Interrupts()


def _is_worker() -> bool:
    """Whether this is the main thread of a process that another one started for its work."""
    import threading
    from multiprocessing import parent_process

    return parent_process() is not None and threading.current_thread() is threading.main_thread()


@contextmanager
def _unbroken() -> Iterator[None]:
    """Keeps Ctrl-C waiting meanwhile, and for good in processes that start meanwhile: one that ended before its first
    batch would break its pool, and what the others are at would be lost."""
    import signal
    import threading

    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    if "concurrent.futures.process" in sys.modules:
        from multiprocessing import resource_tracker

        # Before Python 3.12 its start lets interrupts through again.
        resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


#: Exceptions of clusters that say that a worker is gone.
_GONE = frozenset({"KilledWorker", "CommClosedError", "WorkerCrashedError", "NodeDiedError", "OutOfMemoryError"})


def _is_loss(why: BaseException) -> bool:
    from concurrent.futures import BrokenExecutor

    return isinstance(why, (BrokenExecutor, OSError, EOFError)) or type(why).__name__ in _GONE


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

    def take(self, done: Iterable[_Done], *, quietly: bool = False) -> None:
        """Takes what a batch gave. A point counts once, whoever ran it twice."""
        for one in done:
            error = one[2]
            if not quietly and isinstance(error, SettingError) and error.place == "store":
                # Every other point would fail by it as well.
                raise error
            self.done.setdefault(one[0], one)
        if self.progress is not None and not quietly:
            self.progress(len(self.done), len(self.points))

    def lost(self, batch: Sequence[_Task], why: BaseException, tries: int = ATTEMPTS) -> None:
        """Gives up on points whose workers were lost, or whose batches failed, again and again."""
        times = "once" if tries == 1 else f"{tries} times"
        what = "its worker was lost" if _is_loss(why) else "its executor failed"
        words = f"{what} {times}: {type(why).__name__}: {why}"
        self.take([(index, None, WorkerError(words, f"[{index}]"), 0.0) for index, _ in batch])

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
    store: str | os.PathLike[str] | None = None,
) -> SweepResult:
    """Runs many experiments.

    ``spec`` is a list of experiments; or a sweep as ``wordline sweep`` reads it, with ``experiment``, ``axis`` and
    ``leave_out``: as a mapping, as TOML or JSON, or as the path of a file. The first axis varies slowest.

    ``executor`` is anything with ``submit`` or ``map`` as in ``concurrent.futures``, a ``Client`` of Dask, or a function
    that makes an executor; without one, threads of this process run the points on all of its processors. Workers need
    this package and nothing else. ``batch`` is the number of points of a batch; without it, batches take about a second.

    A point that fails has its reason in ``error``. A worker that is lost costs its batch, which is tried again.
    ``progress`` is called with the points that ended and all that there are. ``store`` is a folder that keeps results,
    as ``--store`` of the command: workers take them from there, and need it at the same path. Ctrl-C raises
    :class:`~wordline.Interrupted`, whose ``result`` has the points that ended, with the batches that were under way. A
    second Ctrl-C does not wait for these. Ctrl-C ends batches of worker processes, not the processes: the pool stays whole.

    >>> import wordline
    >>> swept = wordline.sweep('''
    ... [experiment]
    ... targets = ["em064lx"]
    ... [experiment.workload]
    ... kind = "raw"
    ... operations = ["write"]
    ... [[axis]]
    ... field = "seed"
    ... values = [1, 2]
    ... [[axis]]
    ... field = "workload.access_bytes"
    ... range = { from = "512 B", to = "2 KiB", factor = 2 }
    ... ''')
    >>> swept
    <SweepResult: 6 of 6 points>
    >>> swept[5].values
    {'seed': 2, 'workload.access_bytes': 2048}
    """
    folders = folders_of(catalog)
    if batch is not None and (isinstance(batch, bool) or not isinstance(batch, int) or batch < 1):
        raise SettingError(f"batch is {batch!r}; allowed: 1 and more points", "batch")
    points = points_of(spec, folders)
    options: dict[str, Any] = {"inputs": dict(inputs or {}), "catalog": folders}
    if store is not None:
        # Workers have working folders of their own.
        options["store"] = os.path.abspath(store)
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
    makes, refusals, came_back = 1, 0, False
    reason: BaseException = RuntimeError("it took no work")

    def failure(future: Any) -> BaseException | None:
        try:
            raised: BaseException | None = future.exception()
        except (Exception, CancelledError) as cancelled:
            return cancelled
        return raised

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

    def replaced(why: BaseException) -> None:
        """Makes another executor. One that never gave anything back is no executor, however often it is made."""
        nonlocal executor, makes, refusals
        assert make is not None
        makes, refusals = makes + 1, refusals + 1
        if refusals >= ATTEMPTS or not came_back and makes > 3 * ATTEMPTS:
            words = "the function makes executors that are broken or shut down"
            raise SettingError(f"{words}: {type(why).__name__}: {why}; allowed: new ones", "executor") from why
        _close(executor)
        executor = make()

    def fill() -> bool:
        """Submits what there is room for; false where the executor takes no more."""
        nonlocal refusals, reason
        while len(under_way) < 2 * workers and (attempt := chosen()):
            try:
                with _unbroken():
                    future = executor.submit(run_batch, attempt.batch, options, *stop)
                    under_way[future] = attempt
            except RuntimeError as why:
                # It broke, or was shut down.
                (alone if attempt.is_alone else again).append(attempt)
                if make is None:
                    reason = why
                    return False
                replaced(why)
                continue
            refusals = 0
            future.add_done_callback(finished.put)
        return True

    def drain() -> None:
        """Takes what workers are at: it was paid for. What they have not begun ends here."""
        if ended is not None:
            ended.set()
        # Some executors do not say which they have begun: the oldest, as many as there are workers.
        for future in list(under_way)[workers:]:
            future.cancel()
        while under_way:
            for future in [one for one in under_way if one.done()]:
                if failure(future) is None:
                    going.take(future.result(), quietly=True)
                del under_way[future]
            if under_way:
                try:
                    finished.get(timeout=0.2)
                except queue.Empty:
                    continue

    try:
        while not going.stopped():
            takes_more = fill()
            if not under_way:
                if not takes_more:
                    _rest(going, options, [*again, *alone], batches, reason)
                break
            try:
                # Waits that are short, so that a signal is met on every platform.
                future = finished.get(timeout=0.2)
            except queue.Empty:
                continue
            attempt = under_way[future]
            why = failure(future)
            if why is not None:
                reason = why
                del under_way[future]
                retry(attempt, why)
                continue
            done = future.result()
            came_back = True
            batches.measured(done)
            going.take(done)
            del under_way[future]
            if len(done) < len(attempt.batch) and not going.stopped():
                # Its worker was interrupted, and this process was not.
                here = {one[0] for one in done}
                retry(_Try([one for one in attempt.batch if one[0] not in here], attempt.attempt, attempt.is_alone), _CUT)
        drain()
    except KeyboardInterrupt as interrupt:
        try:
            drain()
        except KeyboardInterrupt:
            # Asked twice: at once.
            pass
        raise Interrupted(going.result()) from interrupt
    finally:
        if ended is not None:
            ended.set()
        for future in under_way:
            future.cancel()
        if make is not None:
            _close(executor)


#: Why a batch came back in part.
_CUT = InterruptedError("the worker was interrupted")


def _rest(
    going: _Sweep, options: Mapping[str, Any], left: list[_Try], batches: _Batches, why: BaseException
) -> None:
    """Runs in this process what an executor that broke never began. What it had begun may be what broke it."""
    import warnings

    words = "the executor broke, and the rest of the sweep runs in this process; a function that makes executors mends it"
    warnings.warn(words, RuntimeWarning, stacklevel=4)
    untouched: list[_Task] = []
    for one in left:
        if one.is_alone:
            going.lost(one.batch, why, ATTEMPTS + one.attempt - 1)
        elif one.attempt > 1:
            going.lost(one.batch, why, one.attempt - 1)
        else:
            untouched.extend(one.batch)
    while not going.stopped() and (untouched or (untouched := batches.take())):
        _here(going, options, untouched, batches)
        untouched = []


def _here(going: _Sweep, options: Mapping[str, Any], batch: Sequence[_Task], batches: _Batches) -> None:
    """Runs points in this process, where each counts as soon as it ends."""
    for one in each_done(batch, options, going.asked):
        batches.measured([one])
        going.take([one])


def _mapped(going: _Sweep, options: Mapping[str, Any], fixed: int | None, executor: Any) -> None:
    """With an executor that can only map: a few points here say how long a batch is."""
    from functools import partial

    batches = _Batches(going.points, _workers(executor), fixed)
    work = partial(run_batch, options=options)

    def mapped(left: Sequence[list[_Task]]) -> BaseException | None:
        """Maps batches, and gives what ended that."""
        mark: Exception | None = None
        results: Iterator[list[_Done]] = iter(())
        try:
            results = iter(executor.map(work, left))
        except Exception as why:
            return why
        while not going.stopped():
            try:
                done = next(results)
            except StopIteration:
                break
            except Exception as why:
                mark = why
                break
            going.take(done)
        return mark

    def settle(tasks: list[_Task]) -> None:
        """Maps points singly, and halves of them wherever one fails, until the one at fault is by itself."""
        if going.stopped():
            return
        tries = ATTEMPTS if len(tasks) == 1 else 1
        why: BaseException | None = None
        for _ in range(tries):
            why = mapped([[one] for one in tasks])
            if why is None or going.stopped():
                return
        tasks, whole = [one for one in tasks if one[0] not in going.done], len(tasks)
        if whole == 1 and why is not None:
            going.lost(tasks, why)
        elif len(tasks) == 1:
            settle(tasks)
        elif tasks:
            middle = len(tasks) // 2
            settle(tasks[:middle])
            settle(tasks[middle:])

    try:
        while fixed is None and not going.stopped() and batches._seconds < BATCH_S / 4 and (batch := batches.take()):
            _here(going, options, batch, batches)
        left = []
        while batch := batches.take():
            left.append(batch)
        if left and mapped(left) is not None:
            settle([one for batch in left for one in batch if one[0] not in going.done])
    except KeyboardInterrupt as interrupt:
        raise Interrupted(going.result()) from interrupt
