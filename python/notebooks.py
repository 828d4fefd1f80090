#!/usr/bin/env python3
"""Runs the notebooks of docs/notebooks/ and makes the pages of the site from them.

    scripts/notebooks [NAME...]          run them, and write their pages and pictures again
    scripts/notebooks check [NAME...]    run them, and say what differs from the pages that are there

A notebook holds no outputs: what it prints stands in its page, `docs/notebooks/NAME.md`. Each chart is a picture (`.svg`)
and a specification with its data (`.vl.json`) in `docs/notebooks/charts`. Texts and specifications must come out again byte
for byte. Pictures are not compared, because letters are as wide as the machine's fonts.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs/notebooks"

#: Cells that take longer are stuck.
MOST_SECONDS = 1800

#: How a chart stands among the outputs.
CHART = "application/json"


class NotebookPage(NamedTuple):
    """What a notebook gives."""

    #: The page as Markdown.
    text: str
    #: Specifications of Vega-Lite by their names, in the order of the page.
    charts: dict[str, dict[str, Any]]


def names(folder: Path = FOLDER) -> list[str]:
    """Every notebook."""
    return sorted(path.stem for path in folder.glob("*.ipynb"))


def read(name: str, folder: Path = FOLDER) -> Any:
    """A notebook as it lies there."""
    import nbformat

    return nbformat.read(folder / f"{name}.ipynb", as_version=4)


def run(name: str, folder: Path = FOLDER) -> NotebookPage:
    """Runs a notebook in a fresh interpreter, in its own folder as Jupyter does, and makes its page."""
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell

    notebook = read(name, folder)
    # Charts come as specifications instead of as HTML that fetches its programs.
    notebook.cells.insert(0, new_code_cell('import altair\n\n_ = altair.renderers.enable("json")'))
    # The kernel warns of its connection, which stays on this machine.
    quiet = ["--log-level=ERROR"]
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=MOST_SECONDS, resources=resources, extra_arguments=quiet).execute()
    del notebook.cells[0]
    return page(name, notebook)


def page(name: str, notebook: Any) -> NotebookPage:
    """The page of a notebook that was run."""
    parts: list[str] = []
    charts: dict[str, dict[str, Any]] = {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source.strip())
            continue
        parts.append(f"```python\n{cell.source.strip()}\n```")
        for output in cell.outputs:
            parts.append(_shown(name, output, charts))
    title, *rest = [part for part in parts if part]
    made = f"*This page is the notebook [{name}.ipynb]({name}.ipynb) with what it printed.*"
    heading, _, answer = title.partition("\n\n")
    return NotebookPage("\n\n".join([heading, answer, made, *rest]) + "\n", charts)


def _shown(name: str, output: Any, charts: dict[str, dict[str, Any]]) -> str:
    """An output of a cell as Markdown."""
    if output.output_type == "stream":
        return _block(output.text) if output.name == "stdout" else ""
    data = output.get("data", {})
    if "$schema" in data.get(CHART, {}):
        chart = f"{name}-{len(charts) + 1}"
        charts[chart] = data[CHART]
        title = _title(data[CHART])
        return f"![{title}](charts/{chart}.svg)\n\n[The numbers of this chart](charts/{chart}.vl.json)"
    text = data.get("text/plain", "").strip("\n")
    # Frames that print as Markdown are tables of the page.
    return text if text.startswith("|") else _block(text)


def _title(spec: dict[str, Any]) -> str:
    title = spec.get("title", "A chart")
    return str(title.get("text", "A chart") if isinstance(title, dict) else title)


def _block(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "```text\n" + "\n".join(lines) + "\n```" if lines else ""


def numbers(spec: dict[str, Any]) -> str:
    """A specification as the text that is compared."""
    return json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


#: Room for letters that are wider where the picture is shown than where it was drawn.
LOOK = {
    "font": "Arial",
    "padding": {"left": 40, "right": 50, "top": 5, "bottom": 5},
    "legend": {"columnPadding": 60},
}


def picture(spec: dict[str, Any]) -> str:
    """A specification as SVG."""
    import vl_convert

    version = re.search(r"/v(\d+)", spec["$schema"])
    known = [one for one in vl_convert.get_vegalite_versions() if version and one.startswith(f"{version[1]}.")]
    drawn: str = vl_convert.vegalite_to_svg(spec, vl_version=known[-1] if known else None, config=LOOK)
    return drawn.replace('font-family="Arial"', "font-family=\"Arial, 'Liberation Sans', Helvetica, sans-serif\"")


def write(name: str, made: NotebookPage, folder: Path = FOLDER) -> None:
    """Puts the page and its pictures where the site has them, and takes away older pictures."""
    charts = folder / "charts"
    charts.mkdir(exist_ok=True)
    for old in [*charts.glob(f"{name}-*.svg"), *charts.glob(f"{name}-*.vl.json")]:
        old.unlink()
    for chart, spec in made.charts.items():
        (charts / f"{chart}.vl.json").write_text(numbers(spec), encoding="utf-8")
        (charts / f"{chart}.svg").write_text(picture(spec) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(made.text, encoding="utf-8")


def differences(name: str, made: NotebookPage, folder: Path = FOLDER) -> list[str]:
    """What differs from the page that is there, with the first line of each file that does."""
    wanted = {f"{name}.md": made.text}
    wanted.update({f"charts/{chart}.vl.json": numbers(spec) for chart, spec in made.charts.items()})
    found = [f"charts/{path.name}" for path in (folder / "charts").glob(f"{name}-*.vl.json")]
    faults = [f"{file}: the notebook does not draw it" for file in sorted(set(found) - set(wanted))]
    for file, text in wanted.items():
        path = folder / file
        old = path.read_text(encoding="utf-8") if path.is_file() else ""
        if old == text:
            continue
        lines = zip([*old.splitlines(), None], [*text.splitlines(), None])
        different = ((number, pair) for number, pair in enumerate(lines, 1) if pair[0] != pair[1])
        number, (before, now) = next(different, (0, (None, None)))
        faults.append(f"{file}, line {number}: {before!r} is now {now!r}")
    return faults


def main(words: list[str]) -> int:
    """Runs what was named."""
    is_check = words[:1] == ["check"]
    asked = words[1:] if is_check else words
    unknown = sorted(set(asked) - set(names()))
    if unknown:
        print(f"there is no notebook {', '.join(unknown)}; allowed: {', '.join(names())}", file=sys.stderr)
        return 2
    faults = []
    for name in asked or names():
        made = run(name)
        if is_check:
            faults += differences(name, made)
        else:
            write(name, made)
        print(f"docs/notebooks/{name}.md: {len(made.charts)} charts", file=sys.stderr)
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
