"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# A part, a board and a test that take milliseconds.
SMALL = {
    "targets": ["em064lx@stm32h755-qspi"],
    "workload": {"kind": "raw", "operations": ["write"], "access_bytes": [2048], "total_bytes": 1 << 20},
}


@pytest.fixture
def small() -> dict:
    """An experiment that takes milliseconds."""
    return {**SMALL, "workload": dict(SMALL["workload"])}


@pytest.fixture(scope="session")
def sources() -> Path:
    """The root of the sources, for tests of what is generated from them."""
    root = Path(os.environ.get("WORDLINE_SOURCES", Path(__file__).parents[2]))
    if not (root / "docs/reference/result.schema.json").is_file():
        pytest.skip("the sources are not here")
    return root


@pytest.fixture(scope="session")
def command() -> str:
    """The command that was built beside the library."""
    found = os.environ.get("WORDLINE_COMMAND")
    if not found:
        pytest.skip("WORDLINE_COMMAND names no command")
    return found
