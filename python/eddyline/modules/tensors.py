"""Tensors in index notation, for equations of modules.

An index is a letter, and indices are a word: `A["ij"]` is a component A_ij. An index that occurs twice in a
product is summed over. Whether an index is up or down is for the reader: a metric raises it where the
equations say so.

    t = Tensors(e)
    g = t.symmetric("g", "")
    u = t.inverse("u", g)
    C = t.christoffel("C", g, u)
    t.rate(g, "ij", -2 * alpha * A["ij"] + t.lie(beta, g["ij"], down="ij"))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

from .description import ModuleError
from .symbolic_header import AXES, PLAIN, sympy

if TYPE_CHECKING:
    from .symbolic import Equations

_SPARE = "zyxwvutsrqponm"


class Expression:
    """Components of a sum or product, by its free indices."""

    def __init__(self, free: str, parts: Mapping[tuple[int, ...], Any], axes: range) -> None:
        self.free, self.parts, self.axes = free, parts, axes

    @staticmethod
    def of(free: str, axes: range, component: Callable[[dict[str, int]], Any]) -> Expression:
        """The components that a function of the axis of each index gives."""
        places = product(axes, repeat=len(free))
        return Expression(free, {at: component(dict(zip(free, at, strict=True))) for at in places}, axes)

    def at(self, axis: Mapping[str, int]) -> Any:
        return self.parts[tuple(axis[index] for index in self.free)]

    def scalar(self) -> Any:
        """Itself without indices."""
        return self if self.free else self.parts[()]

    def named(self, old: str, new: str) -> Expression:
        """The same with other letters for free indices."""
        return Expression(self.free.translate(str.maketrans(old, new)), self.parts, self.axes)

    def contracted(self, free: str, found: Callable[[dict[str, int]], Any]) -> Any:
        """The sum over each index of `free` that occurs twice."""
        twice = "".join(dict.fromkeys(index for index in free if free.count(index) == 2))
        if any(free.count(index) > 2 for index in free):
            raise ModuleError(f"{free}: an index occurs more than twice")
        left = "".join(index for index in free if index not in twice)
        sums = list(product(self.axes, repeat=len(twice)))

        def component(axis: dict[str, int]) -> Any:
            return sympy().Add(*(found(axis | dict(zip(twice, at, strict=True))) for at in sums))

        return Expression.of(left, self.axes, component).scalar()

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Expression):
            if other == 0:
                return self
            raise ModuleError(f"cannot add {other} to components with indices {self.free}")
        if sorted(self.free) != sorted(other.free):
            raise ModuleError(f"cannot add components with indices {other.free} to those with {self.free}")
        return Expression.of(self.free, self.axes, lambda axis: self.at(axis) + other.at(axis))

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Expression):
            return Expression(self.free, {at: part * other for at, part in self.parts.items()}, self.axes)
        return self.contracted(self.free + other.free, lambda axis: self.at(axis) * other.at(axis))

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / sympy().sympify(other))

    def __neg__(self) -> Any:
        return self * -1

    def __sub__(self, other: Any) -> Any:
        return self + -1 * other

    def __rsub__(self, other: Any) -> Any:
        return -1 * self + other

    __radd__ = __add__
    __rmul__ = __mul__


class Tensor:
    """Symbols or numbers of a tensor, by axes."""

    def __init__(self, name: str, parts: Mapping[tuple[int, ...], Any], axes: range) -> None:
        self.name, self.parts, self.axes = name, parts, axes

    def __getitem__(self, indices: str) -> Any:
        rank = len(next(iter(self.parts)))
        if len(indices) != rank:
            raise ModuleError(f"{self.name}[{indices}]: has {rank} indices")
        whole = Expression("", {(): 0}, self.axes)
        return whole.contracted(indices, lambda axis: self.parts[tuple(axis[index] for index in indices)])

    def independent(self) -> dict[tuple[int, ...], Any]:
        """Components without those that are the same as another one."""
        return {at: part for at, part in self.parts.items() if at == _first(self.parts, part)}


def _first(parts: Mapping[tuple[int, ...], Any], part: Any) -> tuple[int, ...]:
    return next(at for at, each in parts.items() if each is part)


class Tensors:
    """Tensors among the fields and definitions of equations."""

    def __init__(self, equations: Equations) -> None:
        self._equations, self._axes = equations, equations.axes
        self.delta = Tensor(
            "delta", {(a, b): int(a == b) for a, b in product(self._axes, repeat=2)}, self._axes
        )

    def vector(self, name: str, unit: str) -> Tensor:
        """The fields NAME_x, NAME_y, ..."""
        symbols = self._equations.vector(name, unit)
        return Tensor(name, {(axis,): symbols[axis] for axis in self._axes}, self._axes)

    def symmetric(self, name: str, unit: str) -> Tensor:
        """The fields NAME_xx, NAME_xy, ... of a symmetric tensor."""
        return self._symmetric(
            name, lambda at, full: self._equations.field(full, unit, *at), 2, symmetric=True
        )

    def _symmetric(
        self, name: str, make: Callable[[tuple[int, ...], str], Any], rank: int, *, symmetric: bool
    ) -> Tensor:
        parts: dict[tuple[int, ...], Any] = {}
        for at in product(self._axes, repeat=rank):
            same = (*at[:-2], *sorted(at[-2:])) if symmetric else at
            full = "_".join([name, "".join(AXES[axis] for axis in at)]) if at else name
            parts[at] = parts[same] if same in parts else make(at, full)
        return Tensor(name, parts, self._axes)

    def let(self, name: str, indices: str, expression: Expression, *, symmetric: bool = False) -> Tensor:
        """A name for the components of an expression, of which each is computed once. symmetric: its last two
        indices may be exchanged."""
        self._same(indices, expression)

        def make(at: tuple[int, ...], full: str) -> Any:
            return self._equations.let(full, expression.at(dict(zip(indices, at, strict=True))))

        return self._symmetric(name, make, len(indices), symmetric=symmetric)

    def rate(self, tensor: Tensor, indices: str, expression: Expression) -> None:
        """The rates of change of the fields of a tensor."""
        self._each(tensor, indices, expression, self._equations.rate)

    def project(self, tensor: Tensor, indices: str, expression: Expression) -> None:
        """The values that replace those of the fields of a tensor at the end of each step."""
        self._each(tensor, indices, expression, self._equations.project)

    def _each(
        self, tensor: Tensor, indices: str, expression: Expression, use: Callable[[Any, Any], None]
    ) -> None:
        self._same(indices, expression)
        for at, field in tensor.independent().items():
            use(field, expression.at(dict(zip(indices, at, strict=True))))

    def _same(self, indices: str, expression: Any) -> None:
        free = expression.free if isinstance(expression, Expression) else ""
        if sorted(free) != sorted(indices):
            raise ModuleError(f"an expression has the indices {free or 'none'} in place of {indices}")

    def _wrap(self, expression: Any) -> Expression:
        if isinstance(expression, Expression):
            return expression
        return Expression("", {(): sympy().sympify(expression)}, self._axes)

    def d(self, expression: Any, indices: str) -> Any:
        """Derivatives of an expression by x_i, or by x_i and x_j; of products of fields by the chain rule."""
        of = self._wrap(expression)

        def component(axis: dict[str, int]) -> Any:
            found = of.at(axis)
            along = [axis[index] for index in indices]
            if len(along) == 2 and found in self._equations.fields:
                return self._equations.d(found, *along)
            for each in along:
                found = self._slope(found, each)
            return found

        return of.contracted(of.free + indices, component)

    def _slope(self, expression: Any, axis: int) -> Any:
        """The derivative of an expression along an axis, from those of its symbols."""
        symbols = sorted(sympy().sympify(expression).free_symbols, key=str)
        return sympy().Add(
            *(sympy().diff(expression, each) * self._derivative(each, axis) for each in symbols)
        )

    def _derivative(self, symbol: Any, axis: int) -> Any:
        equations = self._equations
        if symbol in equations.definitions:
            return self._slope(equations.definitions[symbol], axis)
        if symbol in equations.fields:
            return equations.d(symbol, axis)
        if (first := equations.derivatives.get(symbol)) and first.kind == PLAIN and len(first.axes) == 1:
            return equations.d(first.field, *first.axes, axis)
        if symbol in equations.parameters:
            return 0
        raise ModuleError(f"{symbol} has no derivative: d takes two derivatives of a field at most")

    def inverse(self, name: str, metric: Tensor) -> Tensor:
        """The inverse of a symmetric tensor, named; its determinant is NAME_det."""
        n = len(self._axes)
        matrix = sympy().Matrix(n, n, lambda a, b: metric.parts[a, b])
        determinant = self._equations.let(f"{name}_det", matrix.det(method="berkowitz").expand())
        over = self._equations.let(f"{name}_over", 1 / determinant)
        adjugate = Expression("ij", {at: matrix.cofactor(*at).expand() for at in metric.parts}, self._axes)
        return self.let(name, "ij", adjugate * over, symmetric=True)

    def determinant(self, inverse: Tensor) -> Any:
        """The determinant of the metric that a named inverse belongs to."""
        return sympy().Symbol(f"{inverse.name}_det", real=True)

    def christoffel(self, name: str, metric: Tensor, inverse: Tensor) -> tuple[Tensor, Tensor]:
        """Christoffel symbols of a metric: C_kij, as NAME_low, and C^k_ij, as NAME; symmetric in ij."""
        slope = self.d(metric["ij"], "k")
        low = (slope.named("ijk", "kij") + slope.named("ijk", "kji") - slope) / 2
        lower = self.let(f"{name}_low", "kij", low, symmetric=True)
        return lower, self.let(name, "kij", inverse["kl"] * lower["lij"], symmetric=True)

    def second(self, scalar: Any, indices: str, symbols: Tensor) -> Any:
        """Second covariant derivatives of a scalar. symbols: C^k_ij."""
        return self.d(scalar, indices) - symbols["z" + indices] * self.d(scalar, "z")

    def along(self, vector: Tensor, expression: Any) -> Any:
        """v^k times the derivatives of fields by x_k, from the side that v points to."""
        of, up = self._wrap(expression), self._equations.upwind

        def component(axis: dict[str, int]) -> Any:
            field = of.at(axis)
            return sympy().Add(*(vector.parts[k,] * up(vector.parts[k,], field, k) for k in self._axes))

        return Expression.of(of.free, self._axes, component).scalar()

    def lie(self, vector: Tensor, expression: Any, *, up: str = "", down: str = "", weight: Any = 0) -> Any:
        """The Lie derivative of fields along a vector. up, down: which of their indices are which. weight:
        that of a density, which gains weight times the divergence of the vector."""
        total = self.along(vector, expression)
        for index in up:
            spare = self._spare(expression.free)
            total = total - expression.named(index, spare) * self.d(vector[index], spare)
        for index in down:
            spare = self._spare(expression.free)
            total = total + expression.named(index, spare) * self.d(vector[spare], index)
        return total if weight == 0 else total + weight * self.d(vector["z"], "z") * expression

    def _spare(self, used: str) -> str:
        return next(index for index in _SPARE if index not in used)

    def roughness(self, expression: Any) -> Any:
        """That of each field, see Equations.roughness."""
        of = self._wrap(expression)
        return Expression.of(
            of.free, self._axes, lambda axis: self._equations.roughness(of.at(axis))
        ).scalar()
