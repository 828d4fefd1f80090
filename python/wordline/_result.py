"""What a run produced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wordline import _wordline

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped,unused-ignore]
    import polars
    import pyarrow  # type: ignore[import-untyped,unused-ignore]

    from wordline.experiment import Experiment


class Warning(NamedTuple):
    """What the reader should know before trusting the rows."""

    #: Stable name of the kind.
    code: str
    #: What happened, where, and what to do about it.
    advice: str


class HistogramBin(NamedTuple):
    """Samples of a histogram that are no longer than its end, and longer than the end of the bin before."""

    #: Its end in seconds.
    upper_s: float
    #: How many there are.
    samples: int


class ResultSet:
    """A result document. It stays in Rust; rows, columns and charts are made when they are asked for.

    >>> import wordline
    >>> result = wordline.run({"targets": ["em064lx"], "workload": {"kind": "raw", "operations": ["write"], "access_bytes": [2048]}})
    >>> result
    <ResultSet of raw: 25 rows>
    >>> wordline.ResultSet.from_json(result.to_json()) == result
    True
    >>> result.rows[0]["metric"]
    'throughput_mean'
    """

    __slots__ = ("_document",)

    def __init__(self, document: _wordline.ResultDocument) -> None:
        self._document = document

    @staticmethod
    def from_json(text: str | bytes) -> ResultSet:
        """Reads a document that the command or :meth:`to_json` wrote, and checks it."""
        if isinstance(text, (bytes, bytearray)):
            text = bytes(text).decode("utf-8")
        return ResultSet(_wordline.ResultDocument.from_json(text))

    def to_json(self) -> str:
        """The document as ``wordline run --format json`` prints it, byte for byte."""
        return self._document.to_json()

    @property
    def complete(self) -> bool:
        """False when the run was ended early; the rows that are present are finished ones."""
        return self._document.complete

    @property
    def failed(self) -> bool:
        """Whether any row has no value because its run failed."""
        return self._document.failed

    @property
    def workload(self) -> str:
        """The kind of workload."""
        return self._document.workload

    @property
    def experiment(self) -> Experiment:
        """What was run."""
        import json

        from wordline.experiment import Experiment

        read: Experiment = Experiment.from_dict(json.loads(self._document.experiment()))
        return read

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows, one value each, as dictionaries. For many rows take columns: :meth:`to_polars` and its like."""
        return self._document.rows()

    @property
    def warnings(self) -> list[Warning]:
        """What the reader should know before trusting the rows."""
        return [Warning(*one) for one in self._document.warnings()]

    @property
    def verdicts(self) -> list[dict[str, Any]]:
        """Which targets met the limits of the experiment."""
        import json

        read: list[dict[str, Any]] = json.loads(self._document.verdicts())
        return read

    @property
    def histograms(self) -> dict[str, list[HistogramBin]]:
        """Durations by the names that rows have in the column ``distribution``: bins that hold any, ascending.

        >>> import wordline
        >>> work = {"kind": "raw", "operations": ["write"], "access_bytes": [2048], "total_bytes": 65536}
        >>> result = wordline.run({"targets": ["em064lx"], "workload": work})
        >>> [(round(one.upper_s * 1e6), one.samples) for bins in result.histograms.values() for one in bins]
        [(52, 32)]
        """
        import json

        read: dict[str, list[dict[str, Any]]] = json.loads(self.to_json()).get("histograms", {})
        return {name: [HistogramBin(one["upper_s"], one["count"]) for one in bins] for name, bins in read.items()}

    @property
    def answer(self) -> str:
        """What the rows say, in the words of the command."""
        return self._document.answer(100)

    def render(self, format: str = "table", width: int | None = None) -> str:
        """The report: ``table``, ``csv``, ``markdown``, ``html`` or ``json``."""
        return self._document.render(format, width)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _wordline.arrow_stream([self._document], [])

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a table of Arrow. Names are dictionaries: a place in a list of names for each row."""
        return arrow_table(self)

    def to_polars(self) -> polars.DataFrame:
        """The rows as a frame of Polars; names are categories.

        >>> import wordline
        >>> work = {"kind": "raw", "operations": ["write"], "access_bytes": [512, 2048]}
        >>> frame = wordline.run({"targets": ["em064lx"], "workload": work}).to_polars()
        >>> frame.filter(frame["metric"] == "latency_max")["access_bytes"].to_list()
        [512, 2048]
        """
        return polars_frame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a frame of pandas, by way of Arrow; names are categories."""
        return pandas_frame(self)

    def charts(self) -> dict[str, Any]:
        """The plots of the report by their names, as charts of Altair with their data."""
        import json

        return {name: _chart(json.loads(spec)) for name, _, spec in self._document.charts()}

    def chart(self, name: str | None = None) -> Any:
        """A plot of the report as a chart of Altair: the first one, or the one of a name."""
        import json

        from wordline._errors import SettingError

        charts = self._document.charts()
        names = [one for one, _, _ in charts]
        if not charts:
            raise SettingError(f"the report of {self.workload} has no plot for these rows", "chart")
        if name is None:
            name = names[0]
        if name not in names:
            near = _wordline.nearest(name, names) or names
            raise SettingError(f"there is no chart {name!r}; allowed: {', '.join(near)}", "name", near)
        return _chart(json.loads(charts[names.index(name)][2]))

    def __len__(self) -> int:
        return self._document.row_count

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        state = "" if self.complete else ", not complete"
        return f"<ResultSet of {self.workload}: {len(self)} rows{state}>"

    def __str__(self) -> str:
        return self.answer

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResultSet) and self._document.packed() == other._document.packed()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, tuple[bytes]]:
        return (ResultSet.from_json, (self._document.packed(),))

    def _repr_html_(self) -> str:
        """The page of the report, in a frame of its own: its style and its script touch nothing else."""
        from html import escape

        page = escape(self.render("html"), quote=True)
        frame = 'style="width:100%;height:640px;border:1px solid #ccc" sandbox="allow-scripts allow-downloads"'
        return f'<iframe srcdoc="{page}" {frame} title="{escape(repr(self))}"></iframe>'

    def _repr_markdown_(self) -> str:
        return self.render("markdown")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What notebooks show: the page where they can, else Markdown or text."""
        return {
            "text/html": self._repr_html_(),
            "text/markdown": self._repr_markdown_(),
            "text/plain": self.answer,
        }


def _chart(spec: dict[str, Any]) -> Any:
    altair = needed("altair", "chart")
    kind = altair.LayerChart if "layer" in spec else altair.Chart
    return kind.from_dict(spec)


def needed(module: str, extra: str) -> Any:
    """A module that is not needed otherwise."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {module}: pip install 'wordline[{extra}]'", name=module) from error


def arrow_table(stream: Any) -> pyarrow.Table:
    """What has columns, as a table of Arrow."""
    made: pyarrow.Table = needed("pyarrow", "arrow").table(stream)
    return made


def polars_frame(stream: Any) -> polars.DataFrame:
    """The same as a frame of Polars."""
    made: polars.DataFrame = needed("polars", "polars").DataFrame(stream)
    return made


def pandas_frame(stream: Any) -> pandas.DataFrame:
    """The same as a frame of pandas."""
    needed("pandas", "pandas")
    made: pandas.DataFrame = arrow_table(stream).to_pandas()
    return made
