"""SymPy expressions as C++ over packs. Every operation rounds once, in an order that the expressions fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from .description import ModuleError

FIRST = {2: (0.5,), 4: (2 / 3, -1 / 12), 6: (3 / 4, -3 / 20, 1 / 60)}
"""Weights of f(x + k dx) - f(x - k dx) for k = 1, 2, ... in df/dx, by the order of the differences."""
SECOND = {2: (-2.0, 1.0), 4: (-5 / 2, 4 / 3, -1 / 12), 6: (-49 / 18, 3 / 2, -3 / 20, 1 / 90)}
"""Weights of f(x), and of f(x + k dx) + f(x - k dx), in d2f/dx2."""
UPWIND = {
    2: (-3 / 2, 2.0, -1 / 2),
    4: (-1 / 4, -5 / 6, 3 / 2, -1 / 2, 1 / 12),
    6: (1 / 30, -2 / 5, -7 / 12, 4 / 3, -1 / 2, 2 / 15, -1 / 60),
}
"""Weights of f(x + k dx) in df/dx, most of them on one side; the first k is FIRST_UPWIND."""
FIRST_UPWIND = {2: 0, 4: -1, 6: -2}
ROUGHNESS = {2: (-6.0, 4.0, -1.0), 4: (-20.0, 15.0, -6.0, 1.0), 6: (-70.0, 56.0, -28.0, 8.0, -1.0)}
"""Weights as in SECOND of the difference of order n + 2, with the sign that damps short waves, negative
in the middle. Source: Kreiss & Oliger 1973."""
LARGEST_POWER = 16

POWER = """\
template <int N, class Q>
EDDYLINE_INLINE Q power(Q x) {
  if constexpr (N == 1) return x;
  else if constexpr (N % 2 == 1) return power<N - 1>(x) * x;
  else return power<N / 2>(x * x);
}"""

_WEIGHTED = "Q({!r})".format


def _at(k: int, *steps: tuple[int, int]) -> str:
    """Field k some cells further: (axis, cells). See pointer()."""
    moves = (
        f" {'+' if n > 0 else '-'} {abs(n)}{('', f' * y__{k}', f' * z__{k}')[axis]}" for axis, n in steps if n
    )
    return f"Q::load(at__{k}{''.join(moves)})"


def pointer(k: int, dimensions: int) -> str:
    """A statement: the place of a cell in field k, and the distance to the next cell along y and z. Calls of
    stride() wherever it is needed would keep GCC's inliner busy for a minute in systems of 20 fields."""
    strides = (f"{'yz'[axis - 1]}__{k} = s.stride({k})[{axis}]" for axis in range(1, dimensions))
    return f"const double* const at__{k} = s.at({k}); const std::ptrdiff_t {', '.join(strides)};"


def _total(weights: Sequence[float], term: Callable[[int], str]) -> str:
    """The sum of weighted terms 1, 2, ..., the last first."""
    text = ""
    for step in range(len(weights), 0, -1):
        weight = _WEIGHTED(float(weights[step - 1]))
        text = f"fma({weight}, {term(step)}, {text})" if text else f"{weight} * {term(step)}"
    return text


def _symmetric(k: int, axis: int, weights: Sequence[float]) -> str:
    middle, *others = weights
    outer = _total(others, lambda n: f"({_at(k, (axis, -n))} + {_at(k, (axis, n))})")
    return f"fma({_WEIGHTED(middle)}, {_at(k)}, {outer})"


def difference(k: int, axes: tuple[int, ...], order: int) -> str:
    """A derivative of field k along one axis or two, as a sum over its neighbours, the farthest first."""
    if len(axes) == 2 and axes[0] == axes[1]:
        return f"Q(1 / (spacing * spacing)) * {_symmetric(k, axes[0], SECOND[order])}"
    first = FIRST[order]
    if len(axes) == 1:
        a = axes[0]
        return f"Q(1 / spacing) * ({_total(first, lambda n: f'({_at(k, (a, n))} - {_at(k, (a, -n))})')})"
    a, b = axes

    def across(n: int) -> str:
        upper = _total(first, lambda m: f"({_at(k, (a, n), (b, m))} - {_at(k, (a, n), (b, -m))})")
        lower = _total(first, lambda m: f"({_at(k, (a, -n), (b, m))} - {_at(k, (a, -n), (b, -m))})")
        return f"(({upper}) - ({lower}))"

    return f"Q(1 / (spacing * spacing)) * ({_total(first, across)})"


def upwind(k: int, axis: int, order: int, velocity: str) -> str:
    """The derivative of field k with most cells on the side that a velocity points to: where df/dt is
    velocity times df/dx, values come from there."""

    def one_sided(side: int) -> str:
        weights = [side * weight for weight in UPWIND[order]]
        return _total(weights, lambda n: _at(k, (axis, side * (FIRST_UPWIND[order] + n - 1))))

    forwards, backwards = one_sided(1), one_sided(-1)
    return f"Q(1 / spacing) * select({velocity} > Q(0.0), {forwards}, {backwards})"


def roughness(k: int, dimensions: int, order: int) -> str:
    """Differences of order n + 2 of field k, over 2^(n + 2) and the edge of a cell, summed over axes."""
    terms = [_symmetric(k, axis, ROUGHNESS[order]) for axis in range(dimensions)]
    return f"Q({1 / 2 ** (order + 2)!r} / spacing) * ({' + '.join(terms)})"


Given = tuple[str, tuple[Any, ...]]
"""The statement that defines a symbol, and the symbols that it needs."""


class Code:
    """Code of expressions. doubles: symbols that are numbers, not packs."""

    def __init__(self, sympy: Any, doubles: Iterable[Any]) -> None:
        self._sympy, self._doubles = sympy, frozenset(doubles)

    def statements(
        self, results: Sequence[Any], definitions: Mapping[Any, Any], given: Mapping[Any, Given]
    ) -> tuple[list[str], list[str]]:
        """Statements that define what some expressions need, and the code of these. Common parts are computed
        once, each before its first use. definitions: symbols and their expressions. given: other symbols."""
        needed = closure(results, definitions)
        known = [definitions[symbol] for symbol in needed]
        common, reduced = self._sympy.cse(
            [*known, *results], self._sympy.numbered_symbols("t"), order="canonical"
        )
        of = dict(zip(needed, reduced, strict=False)) | dict(common)
        lines: list[str] = []
        done: set[Any] = set()

        def define(symbol: Any) -> None:
            if symbol in done or not (symbol in of or symbol in given):
                return
            done.add(symbol)
            if symbol in of:
                demand(of[symbol])
                lines.append(f"const Q {symbol} = {self.of(of[symbol])};")
                return
            statement, needs = given[symbol]
            for each in needs:
                define(each)
            lines.append(statement)

        def demand(expression: Any) -> None:
            for symbol in sorted(expression.free_symbols, key=str):
                define(symbol)

        ends = reduced[len(needed) :]
        for end in ends:
            demand(end)
        return lines, [self.of(end) for end in ends]

    def of(self, expression: Any) -> str:
        """An expression in C++. Sums are added in SymPy's canonical order, products last and by fma."""
        sympy = self._sympy
        if expression.is_Number or expression.is_NumberSymbol:
            return f"Q({float(expression)!r})"
        if expression.is_Symbol:
            return f"Q({expression})" if expression in self._doubles else str(expression)
        if expression.is_Add:
            return self._sum(expression)
        if expression.is_Mul:
            above = [each for each in expression.args if not (each.is_Pow and each.exp.is_negative)]
            below = [1 / each for each in expression.args if each.is_Pow and each.exp.is_negative]
            text = self._product(above) if above else "Q(1.0)"
            return f"({text} / ({self._product(below)}))" if below else text
        if expression.is_Pow:
            return self._power(expression.base, expression.exp)
        calls = {sympy.Abs: "abs({})", sympy.Max: "max({}, {})"}
        for kind, form in calls.items():
            if isinstance(expression, kind):
                args = [self.of(each) for each in sorted(expression.args, key=sympy.default_sort_key)]
                while len(args) > form.count("{}"):
                    args[:2] = [form.format(*args[:2])]
                return form.format(*args)
        raise ModuleError(
            f"uses {expression.func.__name__}, which modules cannot call: there are + - * /, whole powers, "
            "sqrt, Abs and Max"
        )

    def _sum(self, expression: Any) -> str:
        sympy, text = self._sympy, ""
        for term in sorted(expression.args, key=lambda each: (each.is_Mul, sympy.default_sort_key(each))):
            factors = sorted(term.args, key=sympy.default_sort_key) if term.is_Mul else []
            if not text:
                text = self.of(term)
            elif factors:
                one, rest = factors[0], sympy.Mul(*factors[1:], evaluate=False)
                text = f"fma({self.of(one)}, {self.of(rest)}, {text})"
            else:
                text = f"({text} + {self.of(term)})"
        return text

    def _product(self, factors: Sequence[Any]) -> str:
        codes = [self.of(each) for each in sorted(factors, key=self._sympy.default_sort_key)]
        return "(" + " * ".join(codes) + ")" if len(codes) > 1 else codes[0]

    def _power(self, base: Any, exponent: Any) -> str:
        if exponent.is_negative:
            return f"(Q(1.0) / {self._power(base, -exponent)})"
        code = self.of(base)
        if exponent == self._sympy.Rational(1, 2):
            return f"sqrt({code})"
        if not exponent.is_Integer or exponent > LARGEST_POWER:
            raise ModuleError(
                f"uses {base}**{exponent}: powers are whole numbers up to {LARGEST_POWER}, or 1/2"
            )
        return f"power<{exponent}>({code})" if exponent > 1 else code


def closure(results: Sequence[Any], definitions: Mapping[Any, Any]) -> list[Any]:
    """The definitions that some expressions need, each after those that it needs."""
    found: dict[Any, None] = {}

    def add(expression: Any) -> None:
        for symbol in sorted(expression.free_symbols & set(definitions), key=str):
            if symbol not in found:
                add(definitions[symbol])
                found[symbol] = None

    for each in results:
        add(each)
    return list(found)
