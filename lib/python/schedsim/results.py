# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of a run: tables of columns, the summary and the remarks."""
import ctypes
import json
import math
from collections.abc import Mapping, Sequence

from . import _library
from .errors import check


class Column(Sequence):
    """A column: a sequence of floats (NaN: empty) or of texts. numpy and
    pandas take the numbers without a copy, through the array interface. A
    column keeps the results of its run in memory."""

    def __init__(self, handle, column):
        self._handle = handle
        self.name = column.name.decode()
        self.unit = column.unit.decode()
        self.help = column.help.decode()
        self.is_number = bool(column.numbers)
        kind = ctypes.c_double if self.is_number else ctypes.c_char_p
        self._cells = (kind * column.length).from_address(
            column.numbers or column.texts) if column.length else (kind * 0)()
        if self.is_number:
            # Read only: the library owns the numbers.
            self.__array_interface__ = {
                "shape": (column.length,), "typestr": "<f8", "version": 3,
                "data": (ctypes.addressof(self._cells), True)}

    def __len__(self):
        return len(self._cells)

    def __getitem__(self, index):
        cell = self._cells[index]
        if isinstance(index, slice):
            return cell if self.is_number else [text.decode() for text in cell]
        return cell if self.is_number else cell.decode()

    def __repr__(self):
        head = ", ".join(str(cell) for cell in self[:5])
        return "Column(%s%s: %s%s)" % (
            self.name, " [%s]" % self.unit if self.unit else "", head,
            ", ..." if len(self) > 5 else "")


class Table(Mapping):
    """A table: its columns by name. len() is the number of columns; `rows` is
    the number of rows."""

    def __init__(self, handle, name):
        lib = _library.functions()
        self._columns = {}
        for place in range(lib.columns(handle, name.encode())):
            column = _library.Column()
            check(handle, lib.column_at(handle, name.encode(), place,
                                        ctypes.byref(column)))
            found = Column(handle, column)
            self._columns[found.name] = found

    @property
    def rows(self):
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, name):
        return self._columns[name]

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def to_pandas(self):
        """Returns the table as a pandas.DataFrame."""
        import pandas
        return pandas.DataFrame({
            name: pandas.Series(column, copy=False) if not column.is_number
            else as_array(column) for name, column in self._columns.items()},
            copy=False)


def as_array(column):
    """Returns a column of numbers as a numpy array that shares its memory."""
    import numpy
    return numpy.asarray(column)


class Result:
    """The results of a run. `jobs`, `attempts` and `series` are tables with
    the columns of jobs.csv, attempts.csv and series.csv (docs/results.md)."""

    def __init__(self, handle, complete):
        self._handle = handle
        self.complete = complete  # False: some job did not finish
        lib = _library.functions()
        self.summary = json.loads(lib.summary(handle))
        self.remarks = []
        while True:
            text = lib.remark(handle, len(self.remarks))
            if text is None:
                break
            self.remarks.append(text.decode())
        self._tables = {}

    def _table(self, name):
        if name not in self._tables:
            self._tables[name] = Table(self._handle, name)
        return self._tables[name]

    @property
    def jobs(self):
        return self._table("jobs")

    @property
    def attempts(self):
        return self._table("attempts")

    @property
    def series(self):
        return self._table("series")

    def metric(self, path):
        """Returns a number of the summary. `path`: its keys, joined with dots,
        such as "metrics.jct_s.mean"."""
        at = self.summary
        for key in path.split("."):
            if not isinstance(at, dict) or key not in at:
                known = ", ".join(at) if isinstance(at, dict) else "nothing"
                raise KeyError("no %r in %s; there is %s" % (key, path, known))
            at = at[key]
        return at

    def write(self, directory):
        """Writes a result directory, as `schedsim run --out` does."""
        check(self._handle, _library.functions().write(
            self._handle, str(directory).encode()))

    def __repr__(self):
        metrics = self.summary["metrics"]
        return "Result(policy=%s, jobs=%d, jct_s.mean=%.6g, makespan_s=%.6g%s)" % (
            self.summary["policy"], self.jobs.rows, metrics["jct_s"].get("mean", math.nan),
            metrics["makespan_s"], "" if self.complete else ", incomplete")
