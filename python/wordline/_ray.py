"""Ray as an executor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class RayExecutor:
    """What :func:`wordline.sweep` needs of an executor, on a cluster of Ray."""

    def __init__(self, **options: Any) -> None:
        from wordline._result import needed

        self._ray = needed("ray", "ray")
        if not self._ray.is_initialized():
            self._ray.init()
        self._options = {"num_cpus": 1, "max_retries": 0, **options}

    @property
    def workers(self) -> int:
        """Processors of the cluster."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Starts a call and gives its future, one of ``concurrent.futures``."""
        remote = self._ray.remote(function).options(**self._options)
        return remote.remote(*arguments).future()


def ray_executor(**options: Any) -> RayExecutor:
    """An executor for :func:`wordline.sweep` on the cluster of Ray that this process belongs to, or a local one.

    ``options`` are those of a remote function of Ray, such as ``num_cpus``. The workers need this package, and nothing
    else of ours.
    """
    return RayExecutor(**options)
