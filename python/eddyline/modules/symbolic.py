"""Equations in the notation of SymPy, from which the header of a module is generated at build time.

A module whose folder has `equations.py` needs no header of its own. The file defines
`equations(dimensions)`, which returns `Equations`. Needs SymPy: `pip install "eddyline[symbolic]"`.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .description import SYMBOLIC, Description, ModuleError
from .symbolic_code import FIRST, POWER
from .symbolic_header import AXES, PLAIN, ROUGH, UPWIND, Derivative, Header, sympy

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
_TAKEN = re.compile(
    r"t[0-9]+|[sDQ]|at|spacing|settings|abs|max|sqrt|fma|select|power|double|int|float|const|if|for|return"
)
"""Names that the generated header uses."""


class Equations:
    """Fields, their rates of change and the fastest signal, as SymPy expressions.

    dimensions: 2 or 3. order: of the central differences in space, 2, 4 or 6."""

    def __init__(self, dimensions: int, order: int = 4) -> None:
        if order not in FIRST:
            raise ModuleError(f"order = {order}: must be 2, 4 or 6")
        self.dimensions, self.order = dimensions, order
        self.axes = range(dimensions)
        self.spacing = sympy().Symbol("spacing", positive=True)
        """Edge of a cell [m], for speeds of diffusion."""
        self.fields: dict[Any, tuple[str, tuple[int, ...]]] = {}
        self.rates: dict[Any, Any] = {}
        self.derivatives: dict[Any, Derivative] = {}
        self.parameters: list[Any] = []
        self.definitions: dict[Any, Any] = {}
        self.projections: dict[Any, Any] = {}
        self.far_values: dict[Any, float] = {}
        self.integrals: list[tuple[str, str, Any]] = []
        self.extremes: list[tuple[str, str, Any]] = []
        self.fastest: Any = None
        self.valid: Any = sympy().Integer(1)

    def field(self, name: str, unit: str, *axes: int) -> Any:
        """A new field. axes: those of a component of a vector or tensor, across which walls reflect it."""
        symbol = self._new(name)
        self.fields[symbol] = (unit, axes)
        return symbol

    def vector(self, name: str, unit: str) -> tuple[Any, ...]:
        """The components NAME_x, NAME_y, ... of a new vector."""
        return tuple(self.field(f"{name}_{AXES[axis]}", unit, axis) for axis in self.axes)

    def parameter(self, name: str) -> Any:
        """A parameter of module.toml."""
        symbol = self._new(name)
        self.parameters.append(symbol)
        return symbol

    def let(self, name: str, expression: Any) -> Any:
        """A name for an expression. What has a name is computed once, and is a unit in common expressions."""
        symbol = self._new(name)
        self.definitions[symbol] = sympy().sympify(expression)
        return symbol

    def _new(self, name: str) -> Any:
        symbol = sympy().Symbol(name, real=True)
        if symbol in self.fields or symbol in self.parameters or symbol in self.definitions:
            raise ModuleError(f"{name} is declared twice; choose another name")
        if not _NAME.fullmatch(name) or _TAKEN.fullmatch(name):
            raise ModuleError(f"{name} cannot be a name of a field or parameter; choose another one")
        return symbol

    def d(self, field: Any, *axes: int) -> Any:
        """The derivative of a field along one axis or two."""
        if field not in self.fields or len(axes) not in (1, 2) or not all(axis in self.axes for axis in axes):
            raise ModuleError(
                f"d({field}, {', '.join(map(str, axes))}): takes a field and one or two axes of "
                f"{', '.join(map(str, self.axes))}; write derivatives of products term by term"
            )
        return self._derivative(PLAIN, field, tuple(sorted(axes)))

    def upwind(self, velocity: Any, field: Any, axis: int) -> Any:
        """The derivative along an axis from cells on the side that a field `velocity` points to."""
        if field not in self.fields or velocity not in self.fields or axis not in self.axes:
            raise ModuleError(f"upwind({velocity}, {field}, {axis}): takes two fields and an axis")
        return self._derivative(UPWIND, field, (axis,), velocity)

    def roughness(self, field: Any) -> Any:
        """A number that waves of a few cells have and smooth fields do not [1/m]. Times a positive number in
        the rate of the field it damps them, and keeps the order of accuracy. Source: Kreiss & Oliger 1973."""
        if field not in self.fields:
            raise ModuleError(f"roughness({field}): takes a field")
        return self._derivative(ROUGH, field, tuple(self.axes))

    def _derivative(self, kind: str, field: Any, axes: tuple[int, ...], velocity: Any = None) -> Any:
        along = "".join(AXES[axis] for axis in axes)
        by = "" if velocity is None else f"_{velocity}_"
        symbol = sympy().Symbol(f"{field}__{kind}{by}{along}", real=True)
        self.derivatives[symbol] = Derivative(kind, field, axes, velocity)
        return symbol

    def grad(self, field: Any) -> tuple[Any, ...]:
        return tuple(self.d(field, axis) for axis in self.axes)

    def div(self, vector: Sequence[Any]) -> Any:
        return sum(self.d(vector[axis], axis) for axis in self.axes)

    def laplace(self, field: Any) -> Any:
        return sum(self.d(field, axis, axis) for axis in self.axes)

    def rate(self, field: Any, expression: Any) -> None:
        """d(field)/dt."""
        self.rates[field] = sympy().sympify(expression)

    def project(self, field: Any, expression: Any) -> None:
        """The value that replaces that of a field at the end of each step, from the fields of its cell."""
        self.projections[field] = sympy().sympify(expression)

    def speed(self, expression: Any) -> None:
        """The fastest signals, summed over axes [m/s]: the time step is cfl spacing / speed."""
        self.fastest = sympy().sympify(expression)

    def margin(self, expression: Any) -> None:
        """Positive where the fields are valid; without it they are if they are finite."""
        self.valid = sympy().sympify(expression)

    def far(self, field: Any, value: float) -> None:
        """The value that a field has far from x = 0: beyond open sides its difference falls as 1/r. Fields
        without one are repeated there."""
        self.far_values[field] = float(value)

    def integral(self, name: str, unit: str, expression: Any) -> None:
        """A column of the budget: the integral of an expression over the domain."""
        self.integrals.append((name, unit, sympy().sympify(expression)))

    def largest(self, name: str, unit: str, expression: Any) -> None:
        """A column of the budget: the largest value of an expression."""
        self.extremes.append((name, unit, sympy().sympify(expression)))

    def members(self) -> str:
        """The body of a specialisation of the model for these dimensions."""
        return Header(self).members()


def generate(folder: Path, module: Description) -> str:
    """The header of the module in a folder, from its equations.py. Raises ModuleError."""
    path = folder / SYMBOLIC
    try:
        sympy()  # says how it is installed
        make = runpy.run_path(str(path))["equations"]
        texts = {dimensions: make(dimensions).members() for dimensions in module.dimensions}
        names = {str(each) for d in module.dimensions for each in make(d).parameters}
    except KeyError:
        raise ModuleError(f"{path}: defines no function equations(dimensions).") from None
    except ModuleError as error:
        raise ModuleError(f"{path}: {error}.") from None
    except Exception as error:  # of the user's own code
        raise ModuleError(f"{path}: {type(error).__name__}: {_place(error, path)}{error}.") from None
    if unknown := sorted(names - set(module.parameters)):
        raise ModuleError(
            f"{path}: parameter {unknown[0]} is not in module.toml. Add [parameters.{unknown[0]}]."
        )
    return "\n".join(
        [
            f"// Made from {SYMBOLIC} of the module {module.name} by `eddyline module build`.",
            "#pragma once",
            '#include "physics/equations/kernels.hpp"',
            "namespace eddyline::module {",
            "using namespace eddyline::physics;",
            POWER,
            "template <int D>\nstruct Model;",
            *(f"template <>\nstruct Model<{each}> {{\n{text}\n}};" for each, text in texts.items()),
            "}  // namespace eddyline::module\n",
        ]
    )


def _place(error: BaseException, path: Path) -> str:
    """The line of the file that an error came from."""
    found, trace = "", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            found = f"line {trace.tb_lineno}: "
        trace = trace.tb_next
    return found
