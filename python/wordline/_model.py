"""What the typed classes of experiments have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from wordline._errors import ExperimentError

#: Classes by what the fields of others name: the class itself, or the field that tells several apart, and these.
Choice = tuple[str, "dict[str, Any]"]


class Model:
    """A part of an experiment. A field that is None is not stated: the laboratory chooses as the command does.

    >>> from wordline.experiment import RawWorkload
    >>> work = RawWorkload(operations=["write"], access_bytes=[2048])
    >>> work
    RawWorkload(access_bytes=[2048], operations=['write'])
    >>> work.to_dict()
    {'kind': 'raw', 'access_bytes': [2048], 'operations': ['write']}
    >>> RawWorkload.from_dict(work.to_dict()) == work
    True
    """

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    #: What every one of its kind states.
    _constants: ClassVar[dict[str, str]] = {}
    #: Fields that hold other parts, and which.
    _nested: ClassVar[dict[str, str]] = {}
    #: Parts by their names: those of the module that is generated.
    _registry: ClassVar[dict[str, Any]] = {}

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it, without what is not stated."""
        stated: dict[str, Any] = dict(self._constants)
        for name in self._fields:
            value = getattr(self, name)
            if value is not None:
                stated[name] = plain(value)
        return stated

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Any:
        """Reads what :meth:`to_dict` gives; an unknown field is refused with the nearest name."""
        return _read(cls, data, "")

    def replace(self, **changes: Any) -> Any:
        """The same with other values of some fields."""
        for name in changes:
            if name not in self._fields:
                raise _unknown(type(self), name, name)
        values = {name: getattr(self, name) for name in self._fields}
        return type(self)(**{**values, **changes})

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        stated = ((name, getattr(self, name)) for name in self._fields)
        words = ", ".join(f"{name}={value!r}" for name, value in stated if value is not None)
        return f"{type(self).__name__}({words})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._fields}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)


def plain(value: Any) -> Any:
    """What JSON can hold of a value: parts as dictionaries, sequences as lists, numbers of NumPy as Python's."""
    if isinstance(value, Model):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (str, int, float)) or value is None:
        return value
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [plain(one) for one in value]
    for method in ("tolist", "item"):
        made = getattr(value, method, None)
        if callable(made):
            return plain(made())
    return value


def _unknown(cls: type[Model], name: str, place: str) -> ExperimentError:
    from wordline._wordline import nearest

    known = [*cls._constants, *cls._fields]
    near = nearest(name, known)
    allowed = near or known
    words = f"did you mean {' or '.join(near)}?" if near else f"allowed: {', '.join(known)}"
    return ExperimentError(f"{cls.__name__} has no field {name!r}; {words}", place, allowed)


def _read(cls: type[Model], data: Any, place: str) -> Any:
    if isinstance(data, Model):
        return data
    if not isinstance(data, Mapping):
        raise ExperimentError(f"{cls.__name__} is not {type(data).__name__}; expected a mapping", place or None)
    values = {}
    for name, value in data.items():
        path = f"{place}.{name}" if place else str(name)
        if name in cls._constants:
            if value != cls._constants[name]:
                allowed = (cls._constants[name],)
                raise ExperimentError(f"{name} of {cls.__name__} is not {value!r}; allowed: {allowed[0]}", path, allowed)
        elif name in cls._fields:
            values[name] = _nested(cls._nested.get(name), value, path)
        else:
            raise _unknown(cls, str(name), path)
    return cls(**values)


def _nested(name: str | None, value: Any, place: str) -> Any:
    if name is None or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_nested(name, one, f"{place}[{index}]") for index, one in enumerate(value)]
    known = Model._registry[name]
    if not isinstance(known, tuple):
        return _read(known, value, place)
    field, classes = known
    if not isinstance(value, Mapping):
        return value if isinstance(value, Model) else _read(Model, value, place)
    # The field that tells apart holds a name, or is one itself.
    kind = next((one for one in classes if one in value), None) if field == "" else value.get(field)
    cls = classes.get(str(kind))
    if cls is not None and isinstance(cls, tuple):
        field, classes = cls
        kind = value.get(field)
        cls = classes.get(str(kind))
    if cls is None:
        allowed = tuple(classes)
        path = f"{place}.{field}" if field else place
        raise ExperimentError(f"{kind!r} is unknown; allowed: {', '.join(allowed)}", path, allowed)
    return _read(cls, value, place)
