"""From a sweep to its points."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, Union

from wordline import _wordline
from wordline._errors import ExperimentError, InputError, SweepError
from wordline._model import Model, plain
from wordline._result import ResultSet
from wordline._run import AnyExperiment, text_of

#: Experiments; or a sweep as the command reads it: as a mapping, as TOML or JSON, or a file of either.
Spec = Union[Iterable[AnyExperiment], Mapping[str, Any], str, bytes, "os.PathLike[str]"]

#: As many as a sweep of the command has.
MOST_POINTS = 100_000


class Points(Protocol):
    """The points of a sweep, made one by one."""

    #: Dotted paths of the fields that vary.
    axes: Sequence[str]

    def __len__(self) -> int: ...

    def text(self, index: int) -> str:
        """The experiment of a point, as JSON."""

    def values(self, index: int) -> dict[str, Any]:
        """The value of each field that varies."""


class Listed:
    """Experiments that were listed."""

    axes: Sequence[str] = ()

    def __init__(self, experiments: Iterable[AnyExperiment]) -> None:
        self._texts: list[str] = []
        for index, experiment in enumerate(experiments):
            if index >= MOST_POINTS:
                raise SweepError(f"there are more than {MOST_POINTS} points; allowed: 1 to {MOST_POINTS}", "points")
            try:
                self._texts.append(text_of(experiment))
            except ExperimentError as error:
                raise ExperimentError(error.message, f"[{index}].{error.place}", error.allowed) from None
        if not self._texts:
            raise SweepError(f"the sweep has no points; allowed: 1 to {MOST_POINTS}", "points")

    def __len__(self) -> int:
        return len(self._texts)

    def text(self, index: int) -> str:
        """The experiment of a point, as JSON."""
        return self._texts[index]

    def values(self, index: int) -> dict[str, Any]:
        """Nothing: there are no axes."""
        return {}


class Stated:
    """The points of a sweep of the command."""

    def __init__(self, text: str, catalog: Sequence[str]) -> None:
        self._points = _wordline.sweep_points(text, catalog)
        self.axes: Sequence[str] = self._points.fields

    def __len__(self) -> int:
        return len(self._points)

    def text(self, index: int) -> str:
        """The experiment of a point, as JSON."""
        return self._points.text(index)

    def values(self, index: int) -> dict[str, Any]:
        """The value of each field that varies."""
        import json

        values: dict[str, Any] = json.loads(self._points.at(index))
        return values


def _is_path(text: str) -> bool:
    """Whether a text is the name of a file: no sweep in TOML or JSON is one line without assignments."""
    return bool(text.strip()) and not any(mark in text for mark in "\n={[")


def points_of(spec: Spec, catalog: Sequence[str]) -> Points:
    """The points of a sweep, checked as far as they can be without running any."""
    if isinstance(spec, str) and _is_path(spec):
        spec = pathlib.Path(spec)
    if isinstance(spec, os.PathLike):
        spec = _read(spec)
    if isinstance(spec, (bytes, bytearray)):
        try:
            spec = bytes(spec).decode("utf-8")
        except UnicodeDecodeError as error:
            raise SweepError(f"byte {error.start} is not UTF-8; expected TOML or JSON", "spec") from None
    if isinstance(spec, str):
        experiments = _list_of(spec)
        return Stated(spec, catalog) if experiments is None else Listed(experiments)
    if isinstance(spec, (Model, ResultSet)) or isinstance(spec, Mapping) and not {"experiment", "axis"} & set(spec):
        kinds = "a list of experiments, or a mapping with experiment and axis"
        raise SweepError(f"a single experiment is no sweep; expected {kinds}", "axis")
    if isinstance(spec, Mapping):
        import json

        try:
            text = json.dumps(plain(spec), allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise SweepError(f"no JSON can hold this sweep: {error}", "spec") from None
        return Stated(text, catalog)
    if not isinstance(spec, Iterable):
        kinds = "a list of experiments, a mapping, TOML, JSON, or a path"
        raise SweepError(f"a sweep is not {type(spec).__name__}; expected {kinds}", "spec")
    return Listed(spec)


def _read(path: os.PathLike[str]) -> str:
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name} cannot be read: {error}", name) from None


def _list_of(text: str) -> list[Any] | None:
    """A list of experiments as JSON. A table of TOML begins like one."""
    import json

    if not text.lstrip().startswith("["):
        return None
    try:
        read = json.loads(text)
    except ValueError:
        return None
    return read if isinstance(read, list) else None
