# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of runs: tables of columns, the summary and the remarks, of a run that
has just ended or from a result directory."""
from __future__ import annotations

import array
import csv
import ctypes
import html
import json
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Union

from . import _library
from .errors import Error, MissingFile, check
from .options import COLUMNS, WORDS

if TYPE_CHECKING:
    import pandas

Path = Union[str, "os.PathLike[str]"]
# outcomes of jobs that did not run to their recorded end
LOST = {"given-up", "rejected", "unfinished"}


class Column(Sequence[Any]):
    """A column: a sequence of floats (NaN: empty) or of texts. numpy and
    pandas take the numbers without a copy, through the array interface. A
    column keeps the results of its run in memory."""

    def __init__(self, name: str, unit: str, help: str, is_number: bool,
                 cells: Any, owner: object = None) -> None:
        """`cells`: an array of ctypes, or a list of str; `owner`: what keeps
        its memory."""
        self.name, self.unit, self.help = name, unit, help
        self.is_number = is_number
        self._cells, self._owner = cells, owner
        if is_number:
            # Read only: the library owns the numbers.
            self.__array_interface__ = {
                "shape": (len(cells),), "typestr": "<f8", "version": 3,
                "data": (ctypes.addressof(cells), True)}

    def __len__(self) -> int:
        return len(self._cells)

    def __getitem__(self, index: Any) -> Any:
        cell = self._cells[index]
        if isinstance(index, slice):
            return [text_of(one) for one in cell]
        return text_of(cell)

    def __repr__(self) -> str:
        head = ", ".join(str(cell) for cell in self[:5])
        return "Column(%s%s: %s%s)" % (
            self.name, " [%s]" % self.unit if self.unit else "", head,
            ", ..." if len(self) > 5 else "")


def text_of(cell: Any) -> Any:
    return cell.decode() if isinstance(cell, bytes) else cell


def ended_column(handle: _library.Handle, column: _library.Column) -> Column:
    """Returns a column of a run that has ended, from the library's memory."""
    is_number = bool(column.numbers)
    kind: Any = ctypes.c_double if is_number else ctypes.c_char_p
    cells = (kind * column.length).from_address(
        column.numbers or column.texts) if column.length else (kind * 0)()
    return Column(column.name.decode(), column.unit.decode(),
                  column.help.decode(), is_number, cells, handle)


def ended_table(handle: _library.Handle, name: str) -> Table:
    """Returns a table of a run that has ended."""
    lib = _library.functions()
    columns = []
    for place in range(lib.columns(handle, name.encode())):
        column = _library.Column()
        check(handle, lib.column_at(handle, name.encode(), place,
                                    ctypes.byref(column)))
        columns.append(ended_column(handle, column))
    return Table(columns)


def read_table(path: Path) -> Table:
    """Reads a table that the program wrote as CSV."""
    with open(path, encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    known = COLUMNS.get(os.path.basename(path).removesuffix(".csv"), {})
    columns = []
    for place, name in enumerate(head):
        texts = [row[place] for row in rows]
        unit, help_ = known.get(name, ("", ""))
        cells: Any = texts
        numbers = None if name in WORDS else numbers_of(texts)
        if numbers is not None:
            cells = (ctypes.c_double * len(rows)).from_buffer(numbers)
        columns.append(Column(name, unit, help_, numbers is not None, cells))
    return Table(columns)


def numbers_of(texts: list[str]) -> array.array[float] | None:
    """Returns the cells as numbers; None if one of them is a word."""
    try:
        return array.array("d", [float(text) if text else math.nan
                                 for text in texts])
    except ValueError:
        return None


class Table:
    """A table: its columns by name, as in a pandas.DataFrame. len() is the
    number of rows, iteration gives the names of the columns; dict(table) is a
    dict of columns."""

    def __init__(self, columns: Iterable[Column]) -> None:
        self._columns = {column.name: column for column in columns}

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            raise KeyError("no column %r; there are %s" % (
                name, ", ".join(self._columns)))
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __contains__(self, name: object) -> bool:
        return name in self._columns

    def keys(self) -> Iterable[str]:
        return self._columns.keys()

    def values(self) -> Iterable[Column]:
        return self._columns.values()

    def items(self) -> Iterable[tuple[str, Column]]:
        return self._columns.items()

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the table as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame({
            name: as_array(column) if column.is_number
            else pandas.Series(list(column), dtype=object)
            for name, column in self._columns.items()}, copy=False)

    def __repr__(self) -> str:
        return "Table(%d rows, %d columns: %s)" % (
            len(self), len(self._columns), ", ".join(self))

    def _repr_html_(self) -> str:
        shown = min(len(self), 10)
        return html_table(
            list(self), [[str(self[name][row]) for name in self]
                         for row in range(shown)],
            "%d of %d rows" % (shown, len(self)))


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]],
               below: str = "") -> str:
    """Returns a table for a notebook."""
    def line(tag: str, cells: Sequence[str]) -> str:
        return "<tr>%s</tr>" % "".join("<%s>%s</%s>" % (
            tag, html.escape(cell), tag) for cell in cells)
    return "<table><thead>%s</thead><tbody>%s</tbody></table>%s" % (
        line("th", head), "".join(line("td", row) for row in rows),
        "<p>%s</p>" % html.escape(below) if below else "")


def as_array(column: Column) -> Any:
    """Returns a column of numbers as a numpy array that shares its memory."""
    import numpy
    return numpy.asarray(column)


class Result:
    """The results of a run. `jobs`, `attempts` and `series` are tables with
    the columns of jobs.csv, attempts.csv and series.csv (docs/results.md).
    `summary` is summary.json, `remarks` what must be known to read the result.
    `complete`: False if some job did not finish."""

    def __init__(self, summary: str, table: Callable[[str], Table],
                 write: Callable[[Path], object]) -> None:
        self.summary: dict[str, Any] = json.loads(summary)
        self.remarks: list[str] = self.summary["remarks"]
        self.complete: bool = self.summary["complete"]
        self._table, self._write = table, write
        self._tables: dict[str, Table] = {}

    def table(self, name: str) -> Table:
        """Returns a table by its name without .csv."""
        if name not in self._tables:
            self._tables[name] = self._table(name)
        return self._tables[name]

    @property
    def jobs(self) -> Table:
        return self.table("jobs")

    @property
    def attempts(self) -> Table:
        return self.table("attempts")

    @property
    def series(self) -> Table:
        return self.table("series")

    @property
    def metrics(self) -> dict[str, float]:
        """Returns each number of summary["metrics"] by its path in it, such
        as "jct_s.mean"."""
        return dict(numbers_in(self.summary["metrics"]))

    def metric(self, path: str) -> Any:
        """Returns a number of the summary. `path`: its keys, joined with dots,
        such as "metrics.jct_s.mean"."""
        at: Any = self.summary
        for key in path.split("."):
            if not isinstance(at, dict) or key not in at:
                known = ", ".join(at) if isinstance(at, dict) else "nothing"
                raise KeyError("no %r in %s; there is %s" % (key, path, known))
            at = at[key]
        return at

    def write(self, directory: Path) -> None:
        """Writes a result directory, as `schedsim run --out` does."""
        self._write(directory)

    def __repr__(self) -> str:
        metrics = self.summary["metrics"]
        return "Result(policy=%s, jobs=%d, jct_s.mean=%.6g, makespan_s=%.6g%s)" % (
            self.summary["policy"], metrics["jobs"],
            metrics["jct_s"].get("mean", math.nan), metrics["makespan_s"],
            "" if self.complete else ", incomplete")

    def _repr_html_(self) -> str:
        return Comparison({self.summary["policy"]: self})._repr_html_()


def numbers_in(values: Mapping[str, Any],
               before: str = "") -> Iterator[tuple[str, float]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from numbers_in(value, before + key + ".")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield before + key, value


def ended_result(handle: _library.Handle) -> Result:
    """Returns the results of a run that has ended."""
    lib = _library.functions()
    return Result(lib.summary(handle).decode(),
                  lambda name: ended_table(handle, name),
                  lambda directory: check(handle, lib.write(
                      handle, os.fsencode(directory))))


class Picture(str):
    """An SVG picture, which a notebook shows."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return "Picture(%d bytes of SVG)" % len(self)


class Comparison(dict[str, Result]):
    """Results by name. As text or in a notebook, a table in which * marks the
    best value of each column. No value is marked unless the same jobs
    finished in all results."""
    COLUMNS = [("mean JCT, s", "metrics.jct_s.mean"),
               ("p99 JCT, s", "metrics.jct_s.p99"),
               ("mean wait, s", "metrics.queue_delay_s.mean"),
               ("makespan, s", "metrics.makespan_s")]

    def rows(self) -> list[tuple[str, dict[str, float]]]:
        """Returns a list of (name, {column: value}); NaN: no job finished."""
        def value(result: Result, path: str) -> float:
            try:
                found = result.metric(path)
            except KeyError:
                found = None
            return math.nan if found is None else float(found)
        return [(name, {column: value(result, path)
                        for column, path in self.COLUMNS})
                for name, result in self.items()]

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas.DataFrame with a row for each result and all
        numbers of the metrics as columns, named as in Result.metrics."""
        import pandas
        return pandas.DataFrame.from_dict(
            {name: result.metrics for name, result in self.items()},
            orient="index")

    def plot(self, kind: str = "cdf", **options: Any) -> Picture:
        """Draws the results as `schedsim plot --kind KIND` does, with the
        options of that command, such as relative_to="fifo". Needs gnuplot."""
        with tempfile.TemporaryDirectory() as work:
            for name, result in self.items():
                result.write(os.path.join(work, name))
            command = [_library.program(), "plot", *self, "--kind", kind,
                       "--out", "picture.svg"]
            for option, value in options.items():
                command += ["--" + option.replace("_", "-"), str(value)]
            done = subprocess.run(command, cwd=work, capture_output=True,
                                  text=True, check=False)
            if done.returncode:
                raise Error(done.stderr.strip(), done.returncode)
            with open(os.path.join(work, "picture.svg"),
                      encoding="utf-8") as file:
                return Picture(file.read())

    def _cells(self) -> list[list[str]]:
        """Returns the rows as texts, with the numbers of finished jobs."""
        rows = self.rows()
        finished = [tuple(outcome not in LOST for outcome in
                          result.jobs["outcome"]) for result in self.values()]
        alike = len(set(finished)) == 1 and len(finished) > 1
        best = {column: min(values[column] for _, values in rows)
                for column, _ in self.COLUMNS if alike}
        return [[name] + ["%.1f%s" % (
            value, "*" if value == best.get(column) else " ")
            for column, value in values.items()] + [
                "%d/%d" % (sum(done), len(done))]
            for (name, values), done in zip(rows, finished)]

    def _head(self) -> list[str]:
        return ["policy"] + [column + " " for column, _ in self.COLUMNS] + [
            "finished"]

    def _notes(self) -> list[str]:
        return ["%s: %s" % (name, text) for name, result in self.items()
                for text in result.remarks]

    def __repr__(self) -> str:
        lines = [self._head()] + self._cells()
        wide = [max(map(len, cells)) for cells in zip(*lines)]
        return "\n".join(["  ".join(
            "%*s" % pair for pair in zip(wide, cells)).rstrip()
            for cells in lines] + self._notes())

    def _repr_html_(self) -> str:
        return html_table(self._head(), self._cells(),
                          "; ".join(self._notes()))


def load(directory: Path) -> Result | Comparison | Table:
    """Loads what the program wrote with --out: a Result (run), a Comparison
    (compare, or a folder of results) or, from a sweep, the Table of its runs
    (runs.csv). The names of a Comparison are those of its folders. A table is
    read when it is first asked for."""
    def inside(*names: str) -> str:
        return os.path.join(directory, *names)

    def read(name: str) -> str:
        with open(inside(name), encoding="utf-8") as file:
            return file.read()

    if os.path.exists(inside("summary.json")):
        return Result(read("summary.json"),
                      lambda name: read_table(inside(name + ".csv")),
                      lambda to: shutil.copytree(directory, to))
    if os.path.exists(inside("runs.csv")):
        return read_table(inside("runs.csv"))
    names: list[str] = []
    if os.path.exists(inside("compare.json")):
        names = json.loads(read("compare.json"))["results"]
    elif os.path.isdir(directory):
        names = sorted(name for name in os.listdir(directory)
                       if os.path.exists(inside(name, "summary.json")))
    if not names:
        raise MissingFile("%s has no summary.json, runs.csv or results: run, "
                          "compare or sweep with --out makes them" % directory,
                          _library.BAD_INPUT)
    found = {name: load(inside(name)) for name in names}
    return Comparison({name: result for name, result in found.items()
                       if isinstance(result, Result)})
