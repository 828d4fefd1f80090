"""Notebooks run, and the pages of the site say what they print."""

from __future__ import annotations

import re

import pytest

nbformat = pytest.importorskip("nbformat")
pytest.importorskip("nbclient")
pytest.importorskip("vl_convert")

import notebooks  # noqa: E402

#: Half a minute of processor time without optimisation: `scripts/notebooks check` runs all of them.
SLOW = {"server"}
ALL = ["data-logger", "database", "server"]


@pytest.fixture
def folder(sources):
    """Where the notebooks lie."""
    return sources / "docs/notebooks"


def test_each_user_has_one(folder):
    assert notebooks.names(folder) == ALL


@pytest.mark.parametrize("name", ALL)
def test_a_notebook_is_sound_and_holds_no_outputs(name, folder):
    notebook = notebooks.read(name, folder)
    nbformat.validate(notebook)
    assert 15 <= len(notebook.cells) <= 40
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None


@pytest.mark.parametrize("name", ALL)
def test_a_page_has_all_cells_and_pictures(name, folder):
    page = (folder / f"{name}.md").read_text(encoding="utf-8")
    at = 0
    for cell in notebooks.read(name, folder).cells[1:]:
        found = page.find(cell.source.strip(), at)
        assert found >= 0, f"scripts/notebooks has not made the page again since this changed: {cell.source}"
        at = found
    charts = re.findall(r"\]\(charts/([a-z0-9-]+)\.svg\)", page)
    assert len(charts) >= 3
    for chart in charts:
        assert (folder / f"charts/{chart}.svg").read_text(encoding="utf-8").startswith("<svg")
        assert f"(charts/{chart}.vl.json)" in page
    assert sorted(path.stem for path in (folder / "charts").glob(f"{name}-*.svg")) == sorted(charts)


def figures(page):
    """The figures in bold of the answer, and what the last cell printed of them by name."""
    answer, _, rest = page.partition("*This page is the notebook")
    bold = [" ".join(words.split()) for words in re.findall(r"\*\*([^*]+)\*\*", answer)]
    bold = [words for words in bold if re.search(r"\d", words)]
    source, printed = re.findall(r"```python\n([^`]*)```\n\n```text\n([^`]*)```", rest)[-1]
    names = [tuple(line.split(": ", 1)) for line in printed.splitlines()]
    return bold, source, names


@pytest.mark.parametrize("name", ALL)
def test_each_figure_of_the_answer_is_computed(name, folder):
    bold, source, printed = figures((folder / f"{name}.md").read_text(encoding="utf-8"))
    assert source.strip() == [cell.source.strip() for cell in notebooks.read(name, folder).cells if cell.cell_type == "code"][-1]
    assert len(bold) >= 4 and len(dict(printed)) == len(printed)
    # In their order, so that two figures of one unit cannot stand in each other's place.
    assert bold == [figure for _, figure in printed]
    for what, figure in printed:
        assert figure not in source, f"{what} is written down and not computed"
        is_plain = "times as fast" in what or "for each" in what
        assert re.fullmatch(r"\d+(\.\d+)?" if is_plain else r"\d+(\.\d+)? \S+", figure), what


@pytest.mark.parametrize("name", [name for name in ALL if name not in SLOW])
def test_a_notebook_prints_what_its_page_says(name, folder):
    assert notebooks.differences(name, notebooks.run(name, folder), folder) == []


def test_another_number_is_found(tmp_path):
    made = notebooks.NotebookPage("a\n12 KiB\n", {"x-1": {"$schema": "/v5.json", "data": {"values": [{"x": 1.5}]}}})
    (tmp_path / "charts").mkdir()
    (tmp_path / "x.md").write_text(made.text)
    (tmp_path / "charts/x-1.vl.json").write_text(notebooks.numbers(made.charts["x-1"]))
    assert notebooks.differences("x", made, tmp_path) == []
    [fault] = notebooks.differences("x", made._replace(text="a\n16 KiB\n"), tmp_path)
    assert fault == "x.md, line 2: '12 KiB' is now '16 KiB'"
    spec = {"$schema": "/v5.json", "data": {"values": [{"x": 1.6}]}}
    [fault] = notebooks.differences("x", made._replace(charts={"x-1": spec}), tmp_path)
    assert fault.startswith("charts/x-1.vl.json, line ") and "1.5" in fault and "1.6" in fault
    [fault] = notebooks.differences("x", made._replace(charts={}), tmp_path)
    assert fault == "charts/x-1.vl.json: the notebook does not draw it"
