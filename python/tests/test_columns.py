"""Columns are the rows, whoever reads them; charts are those of the report."""

from __future__ import annotations

import math

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
