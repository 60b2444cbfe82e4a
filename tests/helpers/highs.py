"""What HiGHS makes of LP and MPS files, in one process apart for all of a session's tests.

Some versions of highspy cannot live with OR-Tools in one process.
"""

from functools import cache, partial
from importlib.util import find_spec

import pytest

from qubopuzzle.base.processes import Worker
from qubopuzzle.errors import InputError
from qubopuzzle.files.models import lp_mps


@cache
def _process():
    return Worker()


def _apart(function, paths):
    if not find_spec("highspy"):
        pytest.skip("highspy is not installed")
    return _process().call(function, [*map(str, paths)], deadline=120)


def _solver(path):
    import highspy

    solver = highspy.Highs()
    solver.silent()
    assert solver.readModel(path) == highspy.HighsStatus.kOk, path
    return solver


def _program(path):
    import highspy

    solver = _solver(path)
    model = solver.getModel()
    lp, hessian = model.lp_, model.hessian_
    assert lp.a_matrix_.format_ == highspy.MatrixFormat.kColwise
    assert not hessian.dim_ or hessian.format_ == highspy.HessianFormat.kTriangular
    return {
        "variables": [solver.getColName(i)[1] for i in range(lp.num_col_)],
        "rows": [solver.getRowName(i)[1] for i in range(lp.num_row_)],
        "terms": _entries(lp.a_matrix_, lp.num_col_),
        "hessian": _entries(hessian, hessian.dim_),
        "lower": list(lp.col_lower_),
        "upper": list(lp.col_upper_),
        "cost": list(lp.col_cost_),
        "row_lower": list(lp.row_lower_),
        "row_upper": list(lp.row_upper_),
        "offset": lp.offset_,
        "maximize": lp.sense_ == highspy.ObjSense.kMaximize,
        "whole": all(kind == highspy.HighsVarType.kInteger for kind in lp.integrality_),
    }


def _entries(matrix, columns):
    """(row, column, value)"""
    start, index, value = (list(a) for a in (matrix.start_, matrix.index_, matrix.value_))
    return [
        (int(index[k]), i, float(value[k]))
        for i in range(columns)
        for k in range(start[i], start[i + 1])
    ]


def _programs(paths):
    return [_program(path) for path in paths]


def _solutions(paths):
    import highspy

    found = []
    for path in paths:
        solver = _solver(path)
        solver.run()
        optimal = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        values = map(float, solver.getSolution().col_value)
        names = (solver.getColName(i)[1] for i in range(solver.getNumCol()))
        found.append(dict(zip(names, values, strict=True)) if optimal else None)
    return found


def _readings(paths):
    return [_reading(path) for path in paths]


def _reading(path):
    try:
        return lp_mps.read_lp(path)
    except InputError as error:
        return str(error)


programs = partial(_apart, _programs)
"""Names, rows, costs, bounds and the triangle of the Hessian, for each of some paths."""
solutions = partial(_apart, _solutions)
"""An optimal value by variable, None where there is none, for each of some paths."""
readings = partial(_apart, _readings)
"""What our reader takes from each of some paths, or the line that refuses it."""
