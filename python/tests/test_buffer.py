"""Curves of RAM against a plain simulation of the buffer, and the catalogue."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import wordline


def plain_peak(durations_ps, sizes, rate):
    """The fluid peak in flight by the recursion, with exact numbers."""
    fill, before, peak = Fraction(0), 0, Fraction(0)
    for duration, size in zip(durations_ps, sizes):
        fill = max(Fraction(0), fill - before) + Fraction(rate) * duration / 10**12
        peak, before = max(peak, fill), size
    return peak


@pytest.mark.parametrize("seed", range(8))
def test_the_curve_is_the_recursion_at_every_rate(seed):
    numpy = pytest.importorskip("numpy")
    draw = random.Random(seed)
    durations = [draw.choice([100, 150, 5000, draw.randrange(1, 10**5)]) for _ in range(700)]
    sizes = [draw.choice([512, 4096]) for _ in durations]
    picoseconds = [one * 1000 for one in durations]
    curves = [
        wordline.buffer_curve(durations, sizes, unit="ns"),
        wordline.buffer_curve(numpy.array(durations), numpy.array(sizes), unit="ns"),
        wordline.buffer_curve(numpy.array(durations, dtype="timedelta64[ns]"), sizes),
        wordline.buffer_curve(numpy.array(durations) * 1e-9, sizes),
    ]
    for rate in [1, 1000, 10**6, 10**8, 2**30, 10**10]:
        expected = float(plain_peak(picoseconds, sizes, rate))
        for curve in curves:
            assert curve.at(rate).in_flight == pytest.approx(expected, rel=1e-12)
    assert curves[0].ram([1e6, 1e8]) == [curves[0].at(1e6).in_flight, curves[0].at(1e8).in_flight]
    assert curves[0].accesses == 700 and curves[0].bytes == sum(sizes)


def test_a_rate_beyond_the_log_grows_without_end():
    curve = wordline.buffer_curve([1.0, 1.0], 1000)
    assert curve.limit == 1000.0
    assert curve.at(500.0).growth is None
    assert curve.at(1500.0).growth == 500.0
    assert curve.record_bytes == 1000


def test_every_unit_of_numpy_is_exact():
    numpy = pytest.importorskip("numpy")
    # Exact: nothing of 1234 ps is lost, and nothing of an hour.
    for dtype, counts, scale in [
        ("timedelta64[ps]", [1234, 999], 1),
        ("timedelta64[25ns]", [3, 8], 25_000),
        ("timedelta64[h]", [1, 2], 3600 * 10**12),
        ("timedelta64[D]", [1, 20], 86400 * 10**12),
    ]:
        curve = wordline.buffer_curve(numpy.array(counts, dtype="i8").astype(dtype), 512)
        plain = wordline.buffer_curve([count * scale for count in counts], 512, unit="ps")
        assert curve.duration_s == plain.duration_s == sum(counts) * scale / 1e12, dtype
        assert curve.breakpoints() == plain.breakpoints()
    for dtype, count, place in [
        ("timedelta64[D]", 10**9, "durations[0]"),
        ("timedelta64[W]", 2**62, "durations[0]"),
        ("timedelta64[M]", 1, "durations"),
        ("timedelta64[fs]", 1, "durations"),
        ("timedelta64[ns]", -(2**63), "durations[0]"),
    ]:
        with pytest.raises(wordline.SettingError) as caught:
            wordline.buffer_curve(numpy.array([count], dtype="i8").astype(dtype), 1)
        assert caught.value.place == place, dtype


def test_columns_of_frames_are_taken():
    numpy = pytest.importorskip("numpy")
    pandas = pytest.importorskip("pandas")
    expected = wordline.buffer_curve([100, 5000, 7], [512, 4096, 512], unit="ns").breakpoints()
    index = [7, 1, 4]
    durations = pandas.Series([100, 5000, 7], index=index)
    sizes = pandas.Series([512, 4096, 512], index=index)
    assert wordline.buffer_curve(durations, sizes, unit="ns").breakpoints() == expected
    assert wordline.buffer_curve(pandas.to_timedelta(durations, unit="ns"), sizes).breakpoints() == expected
    polars = pytest.importorskip("polars")
    assert wordline.buffer_curve(polars.Series([100, 5000, 7]), polars.Series([512, 4096, 512]), unit="ns").breakpoints() == expected
    for values, many, place in [([1, 2], numpy.ones((2, 2), "i8"), "sizes"), (numpy.ones((2, 1)), 1, "durations")]:
        with pytest.raises(wordline.SettingError, match="dimensions") as caught:
            wordline.buffer_curve(values, many)
        assert caught.value.place == place


def test_what_is_no_log_is_refused_with_its_place():
    for durations, sizes, place in [
        ([1.0, -1.0], 1, "durations[1]"),
        ([1.0, float("nan")], 1, "durations[1]"),
        ([1.0, "a"], 1, "durations"),
        ([1.0], [1, 2], "sizes"),
        ([1.0], -1, "sizes"),
        ([1.0], 1.5, "sizes"),
        ([2**62], 1, "durations[0]"),
        (b"abc", 1, "durations"),
        ([1.0], b"a", "sizes"),
    ]:
        with pytest.raises(wordline.SettingError) as caught:
            wordline.buffer_curve(durations, sizes)
        assert caught.value.place == place, (durations, sizes)
    numpy = pytest.importorskip("numpy")
    masked = numpy.ma.array([1.0, 2.0], mask=[False, True])
    for durations, sizes, place in [(masked, 1, "durations"), ([1.0, 2.0], masked, "sizes")]:
        with pytest.raises(wordline.SettingError, match="masked") as caught:
            wordline.buffer_curve(durations, sizes)
        assert caught.value.place == place
    with pytest.raises(wordline.SettingError) as caught:
        wordline.buffer_curve([1], 1, unit="min")
    assert "ms" in caught.value.allowed
    with pytest.raises(wordline.SettingError) as caught:
        wordline.buffer_curve([1.0], 1).at(float("inf"))
    assert caught.value.place == "rate"


def test_the_catalogue_lists_what_experiments_name(tmp_path):
    parts = wordline.catalog.parts()
    assert len(parts) > 50 and len({part.id for part in parts}) == len(parts)
    assert {board.id for board in wordline.catalog.boards()} >= {part.default_board for part in parts} - {None}
    assert "rdimm-6400-2rx4-128g@xeon6-1s" in wordline.catalog.targets()
    with pytest.raises(wordline.CatalogError) as caught:
        wordline.catalog.part("em64lx")
    assert caught.value.allowed == ("em064lx",)
    with pytest.raises(wordline.CatalogError):
        wordline.catalog.parts(tmp_path / "nowhere")


def test_a_profile_is_projected_from_its_file(sources):
    path = sources / "examples/solver-profile.json"
    result = wordline.project(path, to="mrdimm-8800-2rx4-128g@xeon6-1s", draws=20)
    assert result.workload == "app" and len(result) > 0
    with pytest.raises(wordline.InputError):
        wordline.project(sources / "nowhere.json", to="mrdimm-8800-2rx4-128g@xeon6-1s")
    with pytest.raises(wordline.SettingError):
        wordline.project({}, to="mrdimm-8800-2rx4-128g@xeon6-1s")
