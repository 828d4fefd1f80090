"""A memory laboratory: which memory should I use for this work, and what will it cost me?

One experiment in, one result out, with the same bytes as the command ``wordline run`` gives:

>>> import wordline
>>> result = wordline.run({
...     "targets": ["em064lx@stm32h755-qspi"],
...     "workload": {"kind": "raw", "operations": ["write"], "access_bytes": [2048], "total_bytes": 1 << 20},
... })
>>> result.complete
True
>>> [row["value"] for row in result.rows if row["metric"] == "latency_max"]
[5.2e-05]

Everything is imported when it is first used, so that ``import wordline`` costs next to nothing.
"""

from __future__ import annotations

# As `typing.TYPE_CHECKING`, without importing `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from wordline import catalog as catalog
    from wordline import experiment as experiment
    from wordline._buffer import BufferCurve as BufferCurve
    from wordline._buffer import Peaks as Peaks
    from wordline._buffer import buffer_curve as buffer_curve
    from wordline._errors import CatalogError as CatalogError
    from wordline._errors import ExperimentError as ExperimentError
    from wordline._errors import InputError as InputError
    from wordline._errors import InternalError as InternalError
    from wordline._errors import Interrupted as Interrupted
    from wordline._errors import SettingError as SettingError
    from wordline._errors import SweepError as SweepError
    from wordline._errors import WordlineError as WordlineError
    from wordline._errors import WorkerError as WorkerError
    from wordline._project import project as project
    from wordline._ray import ray_executor as ray_executor
    from wordline._result import HistogramBin as HistogramBin
    from wordline._result import ResultSet as ResultSet
    from wordline._result import Warning as Warning
    from wordline._run import complete as complete
    from wordline._run import run as run
    from wordline._sweep import SweepPoint as SweepPoint
    from wordline._sweep import SweepResult as SweepResult
    from wordline._sweep import sweep as sweep
    from wordline.experiment import Experiment as Experiment

    __version__: str

_HOMES = {
    "BufferCurve": "_buffer",
    "CatalogError": "_errors",
    "Experiment": "experiment",
    "ExperimentError": "_errors",
    "HistogramBin": "_result",
    "InputError": "_errors",
    "InternalError": "_errors",
    "Interrupted": "_errors",
    "Peaks": "_buffer",
    "ResultSet": "_result",
    "SettingError": "_errors",
    "SweepError": "_errors",
    "SweepPoint": "_sweep",
    "SweepResult": "_sweep",
    "Warning": "_result",
    "WordlineError": "_errors",
    "WorkerError": "_errors",
    "buffer_curve": "_buffer",
    "catalog": "",
    "complete": "_run",
    "experiment": "",
    "project": "_project",
    "ray_executor": "_ray",
    "run": "_run",
    "sweep": "_sweep",
}

__all__ = sorted(_HOMES)

if not TYPE_CHECKING:

    def __getattr__(name):
        from importlib import import_module

        home = _HOMES.get(name)
        if home is not None:
            module = import_module(f"wordline.{home or name}")
            found = getattr(module, name) if home else module
        elif name == "__version__":
            found = import_module("wordline._wordline").version()
        else:
            raise AttributeError(f"module 'wordline' has no attribute {name!r}")
        globals()[name] = found
        return found

    def __dir__():
        return [*globals(), *_HOMES, "__version__"]
