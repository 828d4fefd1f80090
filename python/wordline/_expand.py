"""From a sweep to its points."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol, Union

from wordline import _wordline
from wordline._errors import ExperimentError, InputError, SweepError
from wordline._model import Model, plain
from wordline._result import ResultSet
from wordline._run import AnyExperiment, complete, text_of

#: Experiments, or a base with axes: as a mapping, as TOML or JSON, or a file of either.
Spec = Union[Iterable[AnyExperiment], Mapping[str, Any], str, bytes, "os.PathLike[str]"]

#: Nobody waits for more.
MOST_POINTS = 1_000_000


class Points(Protocol):
    """The points of a sweep, made one by one."""

    #: Names of the axes.
    axes: Sequence[str]

    def __len__(self) -> int: ...

    def text(self, index: int) -> str:
        """The experiment of a point, as JSON."""

    def values(self, index: int) -> dict[str, Any]:
        """Where it lies on each axis."""


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

    def __len__(self) -> int:
        return len(self._texts)

    def text(self, index: int) -> str:
        """The experiment of a point, as JSON."""
        return self._texts[index]

    def values(self, index: int) -> dict[str, Any]:
        """Nothing: there are no axes."""
        return {}


class Product:
    """Every combination of the values of some axes; the last axis varies fastest."""

    def __init__(self, base: Mapping[str, Any], axes: Mapping[str, Sequence[Any]]) -> None:
        self.axes: Sequence[str] = list(axes)
        self._base = base
        self._values = [list(values) for values in axes.values()]
        self._count = 1
        for values in self._values:
            self._count *= len(values)
        if not 0 < self._count <= MOST_POINTS:
            raise SweepError(f"the axes have {self._count} points; allowed: 1 to {MOST_POINTS}", "axes")

    def __len__(self) -> int:
        return self._count

    def _chosen(self, index: int) -> list[Any]:
        chosen = []
        for values in reversed(self._values):
            index, place = divmod(index, len(values))
            chosen.append(values[place])
        return chosen[::-1]

    def experiment(self, index: int) -> dict[str, Any]:
        """The experiment of a point."""
        made: dict[str, Any] = _copied(self._base)
        for axis, value in zip(self.axes, self._chosen(index)):
            *parents, last = axis.split(".")
            holder = made
            for name in parents:
                holder = holder.setdefault(name, {})
            holder[last] = value
        return made

    def text(self, index: int) -> str:
        """The experiment of a point, as JSON."""
        return text_of(self.experiment(index))

    def values(self, index: int) -> dict[str, Any]:
        """Where a point lies on each axis."""
        return dict(zip(self.axes, self._chosen(index)))


def _copied(value: Any) -> Any:
    return {name: _copied(one) for name, one in value.items()} if isinstance(value, dict) else value


def points_of(spec: Spec, catalog: Sequence[str]) -> Points:
    """The points of a sweep, checked as far as they can be without running any."""
    if isinstance(spec, os.PathLike):
        spec = _read(spec)
    if isinstance(spec, (str, bytes, bytearray)):
        spec = _parsed(spec if isinstance(spec, str) else bytes(spec).decode("utf-8"))
    if isinstance(spec, (Model, ResultSet)) or isinstance(spec, Mapping) and "axes" not in spec:
        raise SweepError("a single experiment is no sweep; expected a list, or a base with axes", "axes")
    if not isinstance(spec, Mapping):
        if not isinstance(spec, Iterable) or isinstance(spec, (bytes, bytearray)):
            kinds = "a list of experiments, a mapping, TOML, or a path"
            raise SweepError(f"a sweep is not {type(spec).__name__}; expected {kinds}", "spec")
        listed = Listed(spec)
        if not len(listed):
            raise SweepError(f"the sweep has no points; allowed: 1 to {MOST_POINTS}", "points")
        return listed
    known = ("title", "experiment", "axes")
    for name in spec:
        if name not in known:
            near = _wordline.nearest(str(name), known) or known
            raise SweepError(f"a sweep has no field {name!r}; did you mean {' or '.join(near)}?", str(name), near)
    base = plain(spec.get("experiment", {}))
    if not isinstance(base, dict) or not isinstance(spec["axes"], Mapping):
        raise SweepError("experiment and axes of a sweep are mappings", "experiment")
    axes = {name: _listed(name, values) for name, values in _flat(spec["axes"])}
    if not axes:
        raise SweepError("the sweep has no axes; expected at least one, over a field of the experiment", "axes")
    _distinct(list(axes))
    product = Product(base, _wrapped(base, axes, catalog))
    _checked(product, catalog)
    return product


def _read(path: os.PathLike[str]) -> str:
    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name} cannot be read: {error}", name) from None


def _parsed(text: str) -> Any:
    import json

    start = text.lstrip()[:1]
    # A table of TOML begins as a list of JSON does.
    if start in ("{", "["):
        try:
            return json.loads(text)
        except ValueError as error:
            if start == "{":
                raise SweepError(f"the sweep is no JSON: {error}", "spec") from None
    return json.loads(_wordline.toml_to_json(text))


def _flat(axes: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, Any]]:
    """Axes by their dotted paths: TOML nests what is written with dots."""
    for name, value in axes.items():
        path = f"{before}{name}"
        if isinstance(value, Mapping) and not {"from", "to"} & set(value):
            yield from _flat(value, f"{path}.")
        else:
            yield path, value


def _listed(axis: str, values: Any) -> list[Any]:
    place = f"axes.{axis}"
    if isinstance(values, Mapping):
        return _range(place, values)
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SweepError(f"{values!r} is no list of values; expected a list, or from and to", place)
    listed = [plain(value) for value in values]
    if not listed:
        raise SweepError("the axis has no values; expected at least one", place)
    return listed


def _range(place: str, values: Mapping[str, Any]) -> list[Any]:
    known = ("from", "to", "step", "factor")
    for name in values:
        if name not in known:
            near = _wordline.nearest(str(name), known) or known
            raise SweepError(f"a range has no field {name!r}; did you mean {' or '.join(near)}?", place, near)
    numbers: dict[str, Fraction] = {}
    is_whole = True
    for name, number in values.items():
        if isinstance(number, bool) or not isinstance(number, (int, float)) or number - number != 0:
            raise SweepError(f"{name} is {number!r}; expected a number", f"{place}.{name}")
        # As it is written: 0.1 three times is 0.3.
        numbers[name] = Fraction(repr(number))
        is_whole &= isinstance(number, int)
    if "from" not in numbers or "to" not in numbers or {"step", "factor"} <= set(numbers):
        raise SweepError("a range states from, to, and step or factor", place)
    first, last = numbers["from"], numbers["to"]
    factor, step = numbers.get("factor"), numbers.get("step", Fraction(1))
    if factor is not None and (factor <= 1 or first <= 0) or step <= 0 or last < first:
        raise SweepError("a range rises: step above 0, factor above 1 and from above 0, to not below from", place)
    made: list[Any] = []
    value = first
    while value <= last:
        if len(made) >= MOST_POINTS:
            raise SweepError(f"the range has more than {MOST_POINTS} values; allowed: 1 to {MOST_POINTS}", place)
        made.append(int(value) if is_whole else float(value))
        value = value * factor if factor is not None else value + step
    return made


def _distinct(axes: list[str]) -> None:
    for index, one in enumerate(axes):
        for other in axes[:index]:
            if one == other or one.startswith(f"{other}.") or other.startswith(f"{one}."):
                raise SweepError(f"two axes are on one field: {other} and {one}", f"axes.{one}")


def _wrapped(base: dict[str, Any], axes: dict[str, list[Any]], catalog: Sequence[str]) -> dict[str, list[Any]]:
    """Single values become lists of one where the field is a list."""
    usual = _usual(base, axes, catalog)
    made = {}
    for axis, values in axes.items():
        field: Any = usual
        for name in axis.split("."):
            field = field.get(name) if isinstance(field, Mapping) else None
        # A single timing class stands without a list in any case.
        is_list = isinstance(field, list) and axis != "timing"
        made[axis] = [value if isinstance(value, list) or not is_list else [value] for value in values]
    return made


def _usual(base: dict[str, Any], axes: dict[str, list[Any]], catalog: Sequence[str]) -> Any:
    """The first point with the usual values of fields whose axes have single values: these show which are lists."""
    import json

    point = Product(base, {axis: values[:1] for axis, values in axes.items()}).experiment(0)
    for axis, values in axes.items():
        *parents, last = axis.split(".")
        holder: Any = point
        for name in parents:
            holder = holder.get(name) if isinstance(holder, dict) else None
        if not isinstance(holder, dict) or isinstance(values[0], (list, Mapping)) or last in ("kind", "timing"):
            continue
        if axis == "targets":
            holder[last] = [values[0]]
        else:
            holder.pop(last, None)
    try:
        return json.loads(_wordline.complete(text_of(point), catalog))
    except Exception:
        # What is wrong with it is said when the points are checked.
        return point


def _checked(product: Product, catalog: Sequence[str]) -> None:
    """Every value of each axis by itself: a slip in an axis is one of the sweep, not of a thousand points."""
    strides = [1]
    for values in reversed(product._values[1:]):
        strides.insert(0, strides[0] * len(values))
    seen = set()
    for axis, values, stride in zip(product.axes, product._values, strides):
        for place in range(min(len(values), 64)):
            index = place * stride
            if index in seen:
                continue
            seen.add(index)
            try:
                complete(product.experiment(index), catalog=catalog)
            except ExperimentError as error:
                where = f"axes.{error.place}" if error.place in product.axes else error.place
                raise ExperimentError(error.message, where, error.allowed) from None
            except Exception:
                # What cannot be run is a point that failed.
                continue
