"""How much RAM a log of latencies needs at which input rate, exactly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from wordline import _wordline
from wordline._errors import SettingError

_UNITS_PS = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3, "ps": 1}

#: Units of NumPy that have a fixed length in whole picoseconds.
_NUMPY_UNITS_PS = {**_UNITS_PS, "m": 60 * 10**12, "h": 3600 * 10**12, "D": 86400 * 10**12, "W": 7 * 86400 * 10**12}

#: What the longest time of a log is counted in.
_MOST_PS = 1 << 63

#: Accesses that are handed over at once.
_PIECE = 1 << 20


class Peaks(NamedTuple):
    """The peaks of a buffer at an input rate, in bytes."""

    #: Data that come byte by byte, with the record that is being written.
    in_flight: float
    #: The same without that record.
    waiting: float
    #: Data that come as whole records, where all are of one size.
    records_in_flight: int | None
    #: The same without the record that is being written.
    records_waiting: int | None
    #: By how much the backlog grows where a log that repeats does not keep up, in bytes per second.
    growth: float | None


class BufferCurve:
    """The peak of a buffer as a function of the input rate: convex, exact, and a few dozen lines."""

    __slots__ = ("_curve",)

    def __init__(self, curve: _wordline.BufferCurve) -> None:
        self._curve = curve

    @property
    def accesses(self) -> int:
        """Accesses of the log."""
        return self._curve.accesses

    @property
    def bytes(self) -> int:
        """Bytes of all of them."""
        return self._curve.bytes

    @property
    def duration_s(self) -> float:
        """Time of all of them in seconds."""
        return self._curve.duration_s

    @property
    def record_bytes(self) -> int | None:
        """The size of every record, where all are of one."""
        return self._curve.record_bytes

    @property
    def limit(self) -> float | None:
        """The highest rate at which the log keeps up, in bytes per second."""
        return self._curve.limit

    def at(self, rate: float) -> Peaks:
        """The peaks at a rate in bytes per second."""
        (in_flight, waiting, records), growth = self._curve.at(float(rate))
        whole, apart = records if records else (None, None)
        return Peaks(in_flight, waiting, whole, apart, growth)

    def ram(self, rates: Iterable[float]) -> list[float]:
        """The fluid peak in flight, in bytes, at each of some rates: what a plot of the curve needs."""
        return [self.at(rate).in_flight for rate in rates]

    def breakpoints(self) -> list[tuple[float, float]]:
        """Rate and fluid peak in flight wherever the curve bends."""
        return self._curve.breakpoints()

    def highest_rate(self, ram_bytes: int, *, records: bool = False, waiting: bool = False) -> float | None:
        """The highest rate that some bytes of RAM allow; 0.0 where none is low enough, None where every rate is.

        ``records``: data come as whole records. ``waiting``: the RAM does not hold the record that is being written.
        """
        return self._curve.highest_rate(int(ram_bytes), records, waiting)

    def __repr__(self) -> str:
        return f"<BufferCurve of {self.accesses} accesses, {len(self.breakpoints())} bends>"


def buffer_curve(
    durations: Any, sizes: Any, *, unit: str = "s", startup_s: float = 0.0, backlog_bytes: int = 0
) -> BufferCurve:
    """The curve of a log: how long each access took, and how many bytes it carried away.

    ``durations`` is an array of NumPy or any sequence, in seconds or another ``unit`` (``ms``, ``us``, ``ns``, ``ps``);
    whole numbers are taken exactly, and so are those of NumPy's ``timedelta64``. ``sizes`` is one size for all accesses, or
    one for each. A start-up before the first access takes ``startup_s`` and leaves ``backlog_bytes`` that wait already.

    >>> import wordline
    >>> curve = wordline.buffer_curve([616] * 20 + [2616] + [616] * 11, 4096, unit="us")
    >>> peaks = curve.at(4096e3)
    >>> peaks.records_waiting, peaks.records_in_flight, round(peaks.in_flight)
    (8192, 12288, 10715)
    >>> round(curve.highest_rate(4096, records=True, waiting=True))
    3131498
    """
    scale = _UNITS_PS.get(unit)
    if scale is None:
        allowed = tuple(_UNITS_PS)
        raise SettingError(f"unit is not {unit!r}; allowed: {', '.join(allowed)}", "unit", allowed)
    durations = _array(durations, "durations")
    count = len(durations)
    each = None if _is_number(sizes) else _array(sizes, "sizes")
    if each is not None and len(each) != count:
        raise SettingError(f"{len(each)} sizes are not one for each of {count} accesses", "sizes")
    common = b"" if each is not None else _eight(_whole(sizes, "sizes"))
    if not 0.0 <= startup_s <= 1e7:
        raise SettingError(f"startup_s is {startup_s}; allowed: 0 to 10000000", "startup_s")
    builder = _wordline.CurveBuilder(round(startup_s * 1e12), _whole(backlog_bytes, "backlog_bytes"))
    for start in range(0, count, _PIECE):
        piece = durations[start : start + _PIECE]
        own = common if each is None else _whole_bytes(each[start : start + _PIECE], "sizes")
        _push(builder, piece, own, scale)
    return BufferCurve(builder.finish())


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) or getattr(value, "shape", None) == ()


def _array(values: Any, place: str) -> Any:
    """Columns of pandas, Polars or Arrow as arrays of NumPy; a plain sequence stays."""
    if isinstance(values, (str, bytes, bytearray)):
        raise SettingError(f"{place} are {type(values).__name__}; expected numbers", place)
    if hasattr(values, "__array__"):
        import numpy

        if numpy.ma.is_masked(values):
            raise SettingError(f"{place} have masked values; expected a number for each access", place)
        values = numpy.asarray(values)
        if values.ndim != 1:
            raise SettingError(f"{place} have {values.ndim} dimensions; expected one", place)
    return values


def _whole(value: Any, place: str) -> int:
    whole = int(value)
    if whole != value or not 0 <= whole < 1 << 62:
        raise SettingError(f"{place} is {value}; allowed: whole numbers of bytes, 0 and more", place)
    return whole


def _eight(value: int) -> bytes:
    return value.to_bytes(8, "little")


def _whole_bytes(values: Any, place: str) -> bytes:
    """Whole numbers, eight bytes each."""
    if getattr(getattr(values, "dtype", None), "kind", None) in ("i", "u", "f"):
        made = values.astype("<u8")
        if not (made == values).all():
            raise SettingError(f"{place} are not all whole numbers of bytes, 0 and more", place)
        packed: bytes = made.tobytes()
        return packed
    return b"".join(_eight(_whole(value, place)) for value in values)


def _push(builder: _wordline.CurveBuilder, piece: Any, sizes: bytes, scale: int) -> None:
    kind = getattr(getattr(piece, "dtype", None), "kind", None)
    if kind == "m":
        builder.push_counts(piece.astype("<i8").tobytes(), _unit_ps(piece.dtype), sizes)
    elif kind in ("i", "u"):
        builder.push_counts(piece.astype("<i8").tobytes(), scale, sizes)
    elif kind == "f":
        seconds = piece.astype("<f8") if scale == 10**12 else piece.astype("<f8") * (scale / 1e12)
        builder.push_seconds(seconds.tobytes(), sizes)
    elif kind in (None, "O"):
        _push_values(builder, list(piece), sizes, scale)
    else:
        raise SettingError(f"durations are of the type {piece.dtype}; expected numbers", "durations")


def _unit_ps(dtype: Any) -> int:
    """Picoseconds of one count of a ``timedelta64``."""
    import numpy

    unit, counts = numpy.datetime_data(dtype)
    scale = _NUMPY_UNITS_PS.get(unit)
    if scale is None or counts * scale >= _MOST_PS:
        allowed = tuple(_NUMPY_UNITS_PS)
        raise SettingError(f"durations are of the type {dtype}; allowed units: {', '.join(allowed)}", "durations", allowed)
    return int(counts * scale)


def _push_values(builder: _wordline.CurveBuilder, values: list[Any], sizes: bytes, scale: int) -> None:
    import struct

    try:
        if all(isinstance(value, int) for value in values):
            builder.push_counts(struct.pack(f"<{len(values)}q", *values), scale, sizes)
        else:
            seconds = [value * (scale / 1e12) if scale != 10**12 else value for value in values]
            builder.push_seconds(struct.pack(f"<{len(values)}d", *seconds), sizes)
    except (TypeError, struct.error) as error:
        raise SettingError(f"durations are not all numbers: {error}", "durations") from None
