"""The guide says what to type: its blocks run one after the other, in the root of the sources."""

from __future__ import annotations

import re

import pytest


def test_the_guide_runs_as_it_is_printed(sources, monkeypatch, capsys):
    for needed in ("polars", "pyarrow"):
        pytest.importorskip(needed)
    guide = sources / "docs/guides/python.md"
    blocks = re.findall(r"```python\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 7
    monkeypatch.chdir(sources)
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(guide), "exec"), names)
    assert "workload.acces_bytes ('access_bytes',)" in capsys.readouterr().out
