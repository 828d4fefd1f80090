"""Runs experiments."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, Union

from wordline import _wordline
from wordline._errors import ExperimentError, Interrupted
from wordline._model import Model
from wordline._result import ResultSet

#: What an experiment may be given as.
AnyExperiment = Union[Model, Mapping[str, Any], str, bytes, ResultSet]
#: A file of an experiment: where it lies, or its bytes.
Input = Union[str, "os.PathLike[str]", bytes]
#: Takes the name of a step, what is done, and all that there is to do (0 where that is unknown).
Progress = Callable[[str, int, int], object]


class Event(Protocol):
    """What is set when a run shall stop, such as ``threading.Event``."""

    def is_set(self) -> bool:
        """Whether it is."""


Stop = Union[Event, Callable[[], object]]


def text_of(experiment: AnyExperiment) -> str:
    """The experiment as JSON."""
    import json

    if isinstance(experiment, str):
        return experiment
    if isinstance(experiment, (bytes, bytearray)):
        try:
            return bytes(experiment).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ExperimentError(f"byte {error.start} is not UTF-8; expected JSON", f"byte {error.start}") from None
    if isinstance(experiment, ResultSet):
        return experiment._document.experiment()
    if not isinstance(experiment, (Model, Mapping)):
        kinds = "an Experiment, a mapping, JSON as str or bytes, or a ResultSet"
        raise ExperimentError(f"an experiment is not {type(experiment).__name__}; expected {kinds}", "experiment")
    from wordline._model import plain

    try:
        return json.dumps(plain(experiment), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ExperimentError(f"no JSON can hold this experiment: {error}", _odd(experiment)) from None


def _odd(experiment: Any) -> str | None:
    """The first place whose value JSON cannot hold."""
    import json

    for path, value in paths(_shallow(experiment)):
        if not isinstance(value, (dict, list)):
            try:
                json.dumps(value, allow_nan=False)
            except (TypeError, ValueError):
                return dotted(path)
    return None


def _shallow(value: Any, depth: int = 0) -> Any:
    """Parts as dictionaries, and whatever else as it is."""
    if depth > 20:
        return None
    if isinstance(value, Model):
        return {name: _shallow(getattr(value, name), depth + 1) for name in value._fields}
    if isinstance(value, Mapping):
        return {str(name): _shallow(one, depth + 1) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shallow(one, depth + 1) for one in value]
    return value


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterable[tuple[tuple[Any, ...], Any]]:
    """Every place in a value, the deepest of each branch first."""
    if isinstance(value, dict):
        for name, one in value.items():
            yield from paths(one, (*path, name))
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from paths(one, (*path, index))
    if path:
        yield path, value


def dotted(path: Iterable[Any]) -> str:
    """A path as people write it: ``workload.access_bytes[1]``."""
    words = ""
    for step in path:
        if isinstance(step, int):
            words += f"[{step}]"
        else:
            words += f".{step}" if words else str(step)
    return words


def placed(error: ExperimentError, experiment: AnyExperiment) -> ExperimentError:
    """The error with a dotted path, where the experiment was no text: lines of a text that nobody wrote help nobody.

    The place at fault is the one without which the experiment is sound, or else the one that the message names.
    """
    import copy
    import json

    if isinstance(experiment, (str, bytes, bytearray)) or not (error.place or "").startswith("line "):
        return error
    data = json.loads(text_of(experiment))
    message = error.message.removeprefix(f"{error.place}: ")
    named = message.split("`")[1] if message.count("`") >= 2 else None
    fallback = None
    for path, value in paths(data):
        less = copy.deepcopy(data)
        parent = less
        for step in path[:-1]:
            parent = parent[step]
        del parent[path[-1]]
        try:
            _wordline.complete(json.dumps(less), [])
            return ExperimentError(message, dotted(path), error.allowed)
        except ExperimentError:
            if named is not None and named in (path[-1], value):
                fallback = dotted(path)
        except Exception:
            return ExperimentError(message, dotted(path), error.allowed)
    place = fallback or (named if "missing field" in message else None)
    return ExperimentError(message, place, error.allowed)


def folders_of(catalog: Iterable[Any] | str | os.PathLike[str]) -> list[str]:
    """Folders of sheets as a list; one may stand by itself."""
    if isinstance(catalog, (str, os.PathLike)):
        return [os.fspath(catalog)]
    return [os.fspath(folder) for folder in catalog]


def stopper(stop: Stop | None) -> Callable[[], object] | None:
    """A function that says whether to stop."""
    if stop is None or not hasattr(stop, "is_set"):
        return stop
    asked: Callable[[], object] = stop.is_set
    return asked


def run(
    experiment: AnyExperiment,
    *,
    progress: Progress | None = None,
    stop: Stop | None = None,
    inputs: Mapping[str, Input] | None = None,
    catalog: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = (),
    threads: int = 0,
    budget_s: float | None = None,
    destroy: Iterable[str | os.PathLike[str]] = (),
    store: str | os.PathLike[str] | None = None,
) -> ResultSet:
    """Runs an experiment, and gives what ``wordline run`` gives.

    ``experiment`` is an :class:`~wordline.Experiment`, a mapping, JSON as text or bytes, or a result that is run again.
    What it leaves out is as the command has it. Other threads of Python go on meanwhile.

    ``progress`` is called now and then with the name of a step, what is done and all that there is to do. ``stop`` is an
    event or a function; once it is true, the run ends and the document with the finished rows has ``complete`` false.
    ``inputs`` says where the files lie that the experiment names, or gives their bytes. ``catalog`` has folders with
    sheets of your own. ``threads`` is the number of threads for independent cases; 0 takes all processors, and no result
    depends on it. ``budget_s`` ends the run after a time. ``destroy`` names the devices and files that may be written.
    ``store`` is a folder that keeps results, as ``--store`` of the command: what lies there is not simulated again.

    Ctrl-C raises :class:`~wordline.Interrupted`, a ``KeyboardInterrupt`` whose ``result`` has the finished rows.

    >>> import wordline
    >>> experiment = {"targets": ["mt25ql128"], "workload": {"kind": "raw", "operations": ["read"], "access_bytes": [4096]}}
    >>> result = wordline.run(experiment, progress=lambda step, done, total: None)
    >>> result.workload, result.complete, len(result) > 0
    ('raw', True, True)
    >>> wordline.run({**experiment, "targets": ["mt25ql129"]})
    Traceback (most recent call last):
        ...
    wordline._errors.CatalogError: targets: unknown part "mt25ql129"; did you mean mt25ql128? (wordline part list names all)
    """
    text = text_of(experiment)
    given = {str(name): _input(value) for name, value in (inputs or {}).items()}
    try:
        document, raised = _wordline.run(
            text,
            progress=progress,
            stop=stopper(stop),
            inputs=given,
            folders=folders_of(catalog),
            threads=threads,
            budget_s=budget_s,
            destroy=[os.fspath(path) for path in destroy],
            store=None if store is None else os.fspath(store),
        )
    except ExperimentError as error:
        raise placed(error, experiment) from None
    result = ResultSet(document)
    if raised is None:
        return result
    if isinstance(raised, KeyboardInterrupt):
        raise Interrupted(result) from raised
    raise raised


def _input(value: Input) -> bytes | str:
    return bytes(value) if isinstance(value, (bytes, bytearray)) else os.fspath(value)


def complete(
    experiment: AnyExperiment,
    *,
    catalog: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = (),
) -> Any:
    """The experiment with everything that it leaves out, as an :class:`~wordline.Experiment`.

    >>> import wordline
    >>> wordline.complete({"targets": ["em064lx"], "workload": {"kind": "raw"}}).targets
    ['em064lx@stm32h755-qspi']
    """
    import json

    from wordline.experiment import Experiment

    try:
        text = _wordline.complete(text_of(experiment), folders_of(catalog))
    except ExperimentError as error:
        raise placed(error, experiment) from None
    return Experiment.from_dict(json.loads(text))
