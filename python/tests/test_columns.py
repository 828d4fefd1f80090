"""Columns are the rows, whoever reads them; charts are those of the report."""

from __future__ import annotations

import collections
import functools
import math
import re

import pytest

import wordline

TEXTS = ("target", "part", "board", "workload", "operation", "timing", "metric", "no_value", "unit", "basis", "distribution")


@pytest.fixture(scope="module")
def result():
    work = {"kind": "wear", "blocks": 1, "samples": 4}
    return wordline.run({"targets": ["nand08gw3b2c"], "workload": work})


def same(rows, columns):
    """Each row has the values of the columns, and the columns no others."""
    assert len(columns) > 12
    for index, row in enumerate(rows):
        for name, values in columns.items():
            expected, found = row.get(name), values[index]
            if isinstance(found, float) and math.isnan(found):
                found = None
            assert found == expected or str(found) == str(expected), (index, name)
    assert set().union(*rows) <= set(columns)


def test_arrow_holds_the_rows(result):
    pytest.importorskip("pyarrow")
    table = result.to_arrow()
    table.validate(full=True)
    same(result.rows, {name: table[name].to_pylist() for name in table.column_names})


def test_polars_holds_the_rows(result):
    pytest.importorskip("polars")
    frame = result.to_polars()
    same(result.rows, frame.to_dict(as_series=False))
    assert frame["value"].dtype.is_float()


def test_pandas_holds_the_rows(result):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = result.to_pandas()
    columns = {name: [None if value != value else value for value in frame[name].tolist()] for name in frame.columns}
    same(result.rows, columns)


def test_a_sweep_has_columns_of_its_fields_with_names_of_their_own(small):
    for needed in ("pyarrow", "polars", "pandas"):
        pytest.importorskip(needed)
    fields = {"workload.access_bytes": [512, 1024], "age": [0, 0.5], "timing": ["typ", "max"]}
    axes = [{"field": field, "values": values} for field, values in fields.items()]
    swept = wordline.sweep({"experiment": small, "axis": axes})
    table = swept.to_arrow()
    table.validate(full=True)
    rows = [(point, row) for point in swept for row in point.result.rows]
    assert table.num_rows == len(rows)
    assert table["point"].to_pylist() == [point.index for point, _ in rows]
    for frame in (table, swept.to_polars(), swept.to_pandas()):
        names = list(getattr(frame, "column_names", frame.columns))
        # Rows have an age and a timing of their own.
        assert len(set(names)) == len(names) and {"age", "timing"} < set(names)
        for field in fields:
            column = frame[f"at.{field}"]
            values = column.to_pylist() if frame is table else column.to_list() if hasattr(column, "to_list") else list(column)
            assert values == [point.values[field] for point, _ in rows]


def test_a_stream_that_nobody_reads_is_given_back(result):
    for _ in range(100):
        capsule = result.__arrow_c_stream__()
        del capsule
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.RecordBatchReader.from_stream(result)
    assert reader.schema.names[0] == "target"
    del reader


def test_charts_are_those_of_the_report_and_valid(small):
    altair = pytest.importorskip("altair")
    small["workload"]["access_bytes"] = [512, 1024, 2048]
    result = wordline.run(small)
    charts = result.charts()
    assert charts
    for chart in charts.values():
        assert isinstance(chart, (altair.LayerChart, altair.Chart))
        chart.to_dict()
    assert result.chart().to_dict() == next(iter(charts.values())).to_dict()
    with pytest.raises(wordline.SettingError) as caught:
        result.chart("no such")
    assert caught.value.allowed


def test_notebooks_get_the_page_in_a_frame_of_its_own(small):
    result = wordline.run(small)
    bundle = result._repr_mimebundle_()
    assert bundle["text/html"].startswith("<iframe srcdoc=") and "sandbox=" in bundle["text/html"]
    assert "<script" not in bundle["text/html"]
    assert bundle["text/plain"] == result.answer == str(result)
    assert "| " in bundle["text/markdown"]


def test_verdicts_and_warnings_are_those_of_the_document():
    work = {"kind": "log", "rate": "50KB/s", "record": "4KiB"}
    study = {"kind": "compare", "work": work, "limits": {"ram": "64KiB"}}
    result = wordline.run({"targets": ["em064lx", "mt29f1g01"], "workload": study})
    assert {verdict["target"] for verdict in result.verdicts} == {row["target"] for row in result.rows}
    assert all(warning.code and warning.advice for warning in result.warnings)
    assert result.render("csv").count("\n") == len(result) + 1
    with pytest.raises(wordline.SettingError):
        result.render("pdf")


def test_histograms_hold_every_access(small):
    result = wordline.run(small)
    histograms = result.histograms
    named = {row["distribution"] for row in result.rows if "distribution" in row}
    assert named == set(histograms)
    for name, bins in histograms.items():
        ends = [one.upper_s for one in bins]
        assert ends == sorted(set(ends))
        own = [row for row in result.rows if row.get("distribution") == name]
        longest = max(row["value"] for row in own if row["metric"] == "latency_max")
        assert longest <= ends[-1]
    # 1 MiB in writes of 2 KiB.
    assert [sum(one.samples for one in bins) for bins in histograms.values()] == [512]


#: Experiments whose reports have every kind of plot, and which take moments.
CHARTED = {
    "raw": {"targets": ["em064lx", "mt29f1g01"], "workload": {"kind": "raw", "access_bytes": [512, 2048], "total_bytes": 1 << 18}},
    "buffer": {
        "targets": ["mt29f1g01"],
        "workload": {
            "kind": "buffer",
            "rates_bytes_per_s": [500e3],
            "source": {"kind": "stream", "record_bytes": 4096, "total_bytes": 1 << 22},
        },
    },
    "compare": {
        "targets": ["mt29f1g01", "mt25ql128"],
        "workload": {
            "kind": "compare",
            "work": {"kind": "log", "rate": "50KB/s", "record": "4KiB"},
            "limits": {"ram": "64KiB"},
        },
    },
    "dram": {
        "targets": ["rdimm-6400-2rx4-128g@xeon6-1s", "mrdimm-8800-2rx4-128g@xeon6-1s"],
        "workload": {
            "kind": "dram",
            "settings": {"channels": "1", "cores": "12"},
            "test": {"kind": "bandwidth", "mixes": ["1:0", "1:1"], "band": "none"},
            "warm_up_ps": 2_000_000,
            "measure_ps": 5_000_000,
        },
    },
}


def layers(spec: dict) -> list[tuple[dict, list[dict]]]:
    """What a chart draws, and from which data; marks that are drawn once are left out."""
    found = []
    for one in spec.get("layer", [spec]):
        data = one.get("data", spec.get("data"))
        values = spec["datasets"][data["name"]] if "name" in data else data["values"]
        if values != [{}]:
            found.append((one["encoding"], values))
    return found


def unit(encoding: dict) -> str:
    """The unit that stands at an axis."""
    title = encoding["title"]
    return title.rpartition(" (")[2].rstrip(")") if title.endswith(")") else "1"


#: Charts whose numbers follow from those of the rows: curves between the rates of the rows, margins, and shares of a peak.
DERIVED = ("plot-ram", "plot-margin", "plot-buses")


def words_of(row):
    """What a row says in words, by column."""
    left_out = ("metric", "unit", "basis", "distribution")
    words = {name: value for name, value in row.items() if isinstance(value, str) and name not in left_out}
    if size := row.get("access_bytes"):
        words["access_bytes"] = f"{size} B" if size < 1024 else f"{size / 1024:g} KiB"
    return words


class Said:
    """What rows say, looked up by a value with its unit: a chart of a thousand points asks a thousand rows for each."""

    def __init__(self, rows):
        self.of = collections.defaultdict(list)
        self.words = set()
        for row in rows:
            words = words_of(row)
            numbers = {value for name, value in row.items() if name != "value" and isinstance(value, (int, float))}
            self.of[row["value"], row["unit"]].append((words, numbers))
            self.words.update(words.items())
        self.named = functools.cache(self.named)

    def named(self, label):
        """The columns of which a label has a word."""
        return {name for name, word in self.words if has_word(label, word)}


@functools.cache
def pattern(word):
    return re.compile(rf"(?<![\w.@-]){re.escape(word)}(?![\w.@-])")


def has_word(label, word):
    return word in label and pattern(word).search(label) is not None


def is_said(point, encoding, said):
    """Whether a row says what a point shows, where it lies and by its name: a number counts with its unit."""
    label = ", ".join(value for name, value in point.items() if isinstance(value, str) and name != "text")
    # A row is a place and a value, in either order.
    numbers = {field: point[field] for field in ("x", "y", "value") if field in point}
    for field, number in numbers.items():
        places = [other for name, other in numbers.items() if name != field]
        axis = unit(encoding["x" if field == "value" else field])
        for own, others in said.of.get((number, axis), ()):
            if all(place in others for place in places):
                if all(name in own and has_word(label, own[name]) for name in said.named(label)):
                    return True
    return False


@pytest.mark.parametrize("kind", CHARTED)
def test_numbers_of_charts_are_those_of_their_rows(kind):
    pytest.importorskip("altair")
    result = wordline.run(CHARTED[kind])
    said = Said(result.rows)
    seen = swapped = found = 0
    for name, chart in result.charts().items():
        for encoding, points in layers(chart.to_dict()):
            if name.startswith(DERIVED):
                continue
            points = [point for point in points if not point.get("curve", "").endswith("mean")]
            for point in points:
                assert is_said(point, encoding, said), (name, point)
                seen += 1
            # With each other's numbers two points are found.
            field = "y" if points and "y" in points[0] else "value"
            for one, other in zip(points, points[1:]):
                if one[field] != other[field]:
                    changed = [{**one, field: other[field]}, {**other, field: one[field]}]
                    swapped += 1
                    found += not all(is_said(point, encoding, said) for point in changed)
    # A nothing of one cause is that of many.
    assert seen >= 4 and found >= max(1, 0.9 * swapped), (found, swapped)


def test_a_curve_is_the_rows_in_their_order(small):
    pytest.importorskip("altair")
    small["workload"].update(operations=["read", "write"], access_bytes=[512, 2048, 8192])
    result = wordline.run(small)
    [encoding, _], *_ = drawn = layers(result.chart("plot-throughput").to_dict())
    assert [unit(encoding[axis]) for axis in ("x", "y")] == ["B", "B/s"]
    for operation, (_, points) in zip(("read", "write"), drawn, strict=True):
        rows = [row for row in result.rows if row["operation"] == operation and row["metric"] == "throughput_mean"]
        assert [(point["x"], point["y"]) for point in points] == [(row["access_bytes"], row["value"]) for row in rows]


def test_the_curve_of_ram_holds_what_the_rows_say():
    pytest.importorskip("altair")
    result = wordline.run(CHARTED["buffer"])
    curves = {}
    for encoding, points in layers(result.chart("plot-ram-1").to_dict()):
        assert [unit(encoding[axis]) for axis in ("x", "y")] == ["B/s", "B"]
        curves[points[0]["curve"]] = points
    seen = 0
    for row in result.rows:
        if row["metric"] != "ram_peak_in_flight" or "estimate" in row or row["value"] is None:
            continue
        points = curves[f"{row['timing']} {row['arrival']}"]
        # A value holds for what lies below its point.
        above = [point["y"] for point in points if point["x"] >= row["rate_bytes_per_s"] * (1 - 1e-12)]
        if above:
            assert above[0] == pytest.approx(row["value"], rel=1e-9), row
            seen += 1
    assert seen > 20
