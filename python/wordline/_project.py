"""A program on other memories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

from wordline._errors import ExperimentError, InputError
from wordline._result import ResultSet
from wordline._run import Progress, Stop, run

#: A profile: as a mapping, or where its file lies.
Profile = Union[Mapping[str, Any], str, "os.PathLike[str]"]


def project(
    profile: Profile,
    to: Iterable[str] | str,
    *,
    progress: Progress | None = None,
    stop: Stop | None = None,
    catalog: Iterable[str | os.PathLike[str]] | str | os.PathLike[str] = (),
    **settings: Any,
) -> ResultSet:
    """What a program, as its profile describes it, would do on other memories: ``wordline app project``.

    ``profile`` is a mapping or the path of its JSON file. ``to`` names memory modules in systems. ``settings`` are the
    other fields of :class:`~wordline.experiment.AppWorkload`, such as ``draws``.

    >>> import wordline
    >>> phase = {"name": "solve", "seconds": {"value": 50, "basis": "assumed"},
    ...     "lines_read": {"value": 2.5e11, "basis": "assumed"}, "lines_written": {"value": 6e10, "basis": "assumed"},
    ...     "stall_share": {"value": 0.6, "basis": "assumed"}}
    >>> profile = {"schema": 1, "name": "solver", "baseline": "rdimm-6400-2rx4-128g@xeon6-1s", "cores": 128,
    ...     "made_by": "an example", "phases": [phase]}
    >>> result = wordline.project(profile, to="mrdimm-8800-2rx4-128g@xeon6-1s", draws=20)
    >>> result.workload, result.complete
    ('app', True)
    """
    if not isinstance(profile, Mapping):
        profile = _read(profile)
    targets = [to] if isinstance(to, str) else list(to)
    work = {"kind": "app", "profile": profile, **settings}
    return run({"targets": targets, "workload": work}, progress=progress, stop=stop, catalog=catalog)


def _read(path: str | os.PathLike[str]) -> Mapping[str, Any]:
    import json

    name = os.fspath(path)
    try:
        with open(name, encoding="utf-8") as file:
            read = json.load(file)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}", name) from None
    except ValueError as error:
        raise ExperimentError(f"{name} is no profile in JSON: {error}", name) from None
    if not isinstance(read, dict):
        raise ExperimentError(f"{name} is no profile in JSON: expected an object", name)
    return read
