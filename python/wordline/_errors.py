"""The exceptions of the package."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from wordline._result import ResultSet
    from wordline._sweep import SweepResult


class WordlineError(Exception):
    """Something is wrong with what was asked. The message says what, where, and what is allowed.

    >>> import wordline
    >>> try:
    ...     wordline.run({"targets": ["em064lx"], "workload": {"kind": "raw", "operation": ["write"]}})
    ... except wordline.WordlineError as error:
    ...     print(error.place)
    workload.operation
    """

    def __init__(self, message: str, place: str | None = None, allowed: Sequence[str] = ()) -> None:
        super().__init__(message, place, tuple(allowed))
        #: What is wrong.
        self.message = message
        #: Where: a dotted path of the experiment, a line, a file, a target.
        self.place = place
        #: What would be right there, where that can be listed.
        self.allowed = tuple(allowed)

    def __str__(self) -> str:
        if self.place is None or str(self.place) in self.message:
            return self.message
        return f"{self.place}: {self.message}"


class ExperimentError(WordlineError, ValueError):
    """An experiment or a document that is not of the expected shape: an unknown field, a value of another type."""


class CatalogError(WordlineError, ValueError):
    """A part, a board or a target that does not exist, or a sheet that contradicts itself."""


class SettingError(WordlineError, ValueError):
    """An experiment of the right shape that cannot be run as it stands."""


class InputError(WordlineError):
    """A file that an experiment reads and that is not there, or one that it does not read."""


class SweepError(WordlineError, ValueError):
    """A text that is no sweep, one without points or with too many, or axes that contradict each other."""


class WorkerError(WordlineError):
    """A worker of a sweep was lost again and again with this point, killed or out of memory; or the executor failed."""


class InternalError(WordlineError, RuntimeError):
    """A fault of Wordline itself. Please report it with the experiment."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run or a sweep. What had finished by then is in ``result``."""

    def __init__(self, result: ResultSet | SweepResult) -> None:
        super().__init__("interrupted; what is finished is in .result")
        #: The finished rows, in a document that is not complete; of a sweep, its finished points.
        self.result = result

    def __reduce__(self) -> tuple[type[Interrupted], tuple[ResultSet | SweepResult]]:
        return (type(self), (self.result,))
