"""Equations in the notation of SymPy, from which the header of a module is generated at build time.

A module whose folder has `equations.py` needs no header of its own. The file defines
`equations(dimensions)`, which returns `Equations`. Needs SymPy: `pip install "eddyline[symbolic]"`.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .description import SYMBOLIC, Description, ModuleError

_AXES = "xyz"
_FIRST = {2: (0.5,), 4: (2 / 3, -1 / 12), 6: (3 / 4, -3 / 20, 1 / 60)}
"""Weights of f(x + k dx) - f(x - k dx) for k = 1, 2, ... in df/dx, by the order of the differences."""
_SECOND = {2: (-2.0, 1.0), 4: (-5 / 2, 4 / 3, -1 / 12), 6: (-49 / 18, 3 / 2, -3 / 20, 1 / 90)}
"""Weights of f(x), and of f(x + k dx) + f(x - k dx), in d2f/dx2."""
_LARGEST_POWER = 16
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*")
_TAKEN = re.compile(
    r"t[0-9]+|[sDQ]|at|spacing|settings|abs|max|sqrt|fma|select|power|double|int|float|const|if|for|return"
)
"""Names that the generated header uses."""

_POWER = """\
template <int N, class Q>
EDDYLINE_INLINE Q power(Q x) {
  if constexpr (N == 1) return x;
  else if constexpr (N % 2 == 1) return power<N - 1>(x) * x;
  else return power<N / 2>(x * x);
}"""


class Equations:
    """Fields, their rates of change and the fastest signal, as SymPy expressions.

    dimensions: 2 or 3. order: of the central differences in space, 2, 4 or 6."""

    def __init__(self, dimensions: int, order: int = 4) -> None:
        if order not in _FIRST:
            raise ModuleError(f"order = {order}: must be 2, 4 or 6")
        self.dimensions, self.order = dimensions, order
        self.axes = range(dimensions)
        self.spacing = _sympy().Symbol("spacing", positive=True)
        """Edge of a cell [m], for speeds of diffusion."""
        self._fields: dict[Any, tuple[str, int]] = {}
        self._rates: dict[Any, Any] = {}
        self._derivatives: dict[Any, tuple[Any, tuple[int, ...]]] = {}
        self._parameters: list[Any] = []
        self._speed: Any = None

    def field(self, name: str, unit: str, axis: int = -1) -> Any:
        """A new field. axis: that of a component of a vector, which walls reflect."""
        symbol = self._new(name)
        self._fields[symbol] = (unit, axis)
        return symbol

    def vector(self, name: str, unit: str) -> tuple[Any, ...]:
        """The components NAME_x, NAME_y, ... of a new vector."""
        return tuple(self.field(f"{name}_{_AXES[axis]}", unit, axis) for axis in self.axes)

    def parameter(self, name: str) -> Any:
        """A parameter of module.toml."""
        symbol = self._new(name)
        self._parameters.append(symbol)
        return symbol

    def _new(self, name: str) -> Any:
        symbol = _sympy().Symbol(name, real=True)
        if symbol in self._fields or symbol in self._parameters:
            raise ModuleError(f"{name} is declared twice; choose another name")
        if not _NAME.fullmatch(name) or _TAKEN.fullmatch(name):
            raise ModuleError(f"{name} cannot be a name of a field or parameter; choose another one")
        return symbol

    def d(self, field: Any, *axes: int) -> Any:
        """The derivative of a field along one axis or two."""
        if (
            field not in self._fields
            or len(axes) not in (1, 2)
            or not all(axis in self.axes for axis in axes)
        ):
            raise ModuleError(
                f"d({field}, {', '.join(map(str, axes))}): takes a field and one or two axes of "
                f"{', '.join(map(str, self.axes))}; write derivatives of products term by term"
            )
        along = tuple(sorted(axes))
        symbol = _sympy().Symbol(f"{field}__{''.join(_AXES[axis] for axis in along)}", real=True)
        self._derivatives[symbol] = (field, along)
        return symbol

    def grad(self, field: Any) -> tuple[Any, ...]:
        return tuple(self.d(field, axis) for axis in self.axes)

    def div(self, vector: Sequence[Any]) -> Any:
        return sum(self.d(vector[axis], axis) for axis in self.axes)

    def laplace(self, field: Any) -> Any:
        return sum(self.d(field, axis, axis) for axis in self.axes)

    def rate(self, field: Any, expression: Any) -> None:
        """d(field)/dt."""
        self._rates[field] = _sympy().sympify(expression)

    def speed(self, expression: Any) -> None:
        """The fastest signals, summed over axes [m/s]: the time step is cfl spacing / speed."""
        self._speed = _sympy().sympify(expression)

    # --- the header ---------------------------------------------------------------------------------------

    def members(self) -> str:
        """The body of a specialisation of the model for these dimensions."""
        missing = [str(field) for field in self._fields if field not in self._rates]
        if missing or self._speed is None:
            raise ModuleError(f"{missing[0]} has no rate" if missing else "speed() is missing")
        fields, parameters = list(self._fields), [str(each) for each in self._parameters]
        n = len(fields)
        used = {s for rate in self._rates.values() for s in rate.free_symbols} | self._speed.free_symbols
        unknown = used - {*fields, *self._derivatives, *self._parameters, self.spacing}
        if unknown:
            raise ModuleError(f"{min(map(str, unknown))} is neither a field nor a parameter")
        reach = {1: "Reach::star", 2: "Reach::box"}
        of_field = {
            field: max((len(set(axes)) for of, axes in self._derivatives.values() if of == field), default=0)
            for field in fields
        }
        listed = ",\n".join(
            f'            {{"{field}", "{unit}", Meaning::point, {reach.get(of_field[field], "Reach::none")}'
            f"{f', {axis}' if axis >= 0 else ''}}}"
            for field, (unit, axis) in self._fields.items()
        )
        takes = "" if not parameters else "settings"
        first = ",\n        ".join(f'{name}(settings.number("{name}", 0))' for name in parameters)
        moves = bool(self._speed.free_symbols & set(fields))
        zero = "".join(f" + (at[{k}] - at[{k}])" for k in range(n))
        lines = [
            f"  static constexpr std::size_t k_fields = {n};",
            "  static constexpr Kind k_kind = Kind::rates;",
            f"  static constexpr std::int32_t k_reach = {self.order // 2};",
            f"  static constexpr bool k_constant_speed = {'false' if moves else 'true'};",
            *(f"  double {name};" for name in parameters),
            f"  explicit Model(const Settings& {takes})" + (f"\n      : {first}" if first else "") + " {}",
            f"  std::vector<Field> fields() const {{\n    return {{\n{listed}}};\n  }}",
            "  template <class Q>",
            f"  EDDYLINE_INLINE Q margin(const ValuesOf<Q, {n}>& at) const {{",
            f"    return Q(1.0) - (Q(0.0){zero});\n  }}",
            "  template <class Q>",
            f"  EDDYLINE_INLINE Q speed(const ValuesOf<Q, {n}>& at, double spacing) const {{",
            "    (void)at;",
            "    if (!(spacing > 0)) return Q(0.0);",
            *(
                f"    const Q {field} = at[{k}];"
                for k, field in enumerate(fields)
                if field in self._speed.free_symbols
            ),
            f"    return {self._code(self._speed)};\n  }}",
            "  template <class Q>",
            f"  EDDYLINE_INLINE ValuesOf<Q, {n}> rates(const Stencil<Q>& s) const {{",
            *(f"    {line}" for line in self._rates_code(fields)),
            "  }",
        ]
        return "\n".join(lines)

    def _rates_code(self, fields: list[Any]) -> Iterable[str]:
        sympy = _sympy()
        common, rates = sympy.cse(
            [self._rates[field] for field in fields], sympy.numbered_symbols("t"), order="canonical"
        )
        used = {s for _, e in common for s in e.free_symbols} | {s for e in rates for s in e.free_symbols}
        yield "const double spacing = s.spacing;"
        yield "(void)spacing;"
        for k, field in enumerate(fields):
            if field in used:
                yield f"const Q {field} = s.value({k});"
        for symbol, (field, axes) in self._derivatives.items():
            if symbol in used:
                yield f"const Q {symbol} = {self._difference(fields.index(field), axes)};"
        for symbol, expression in common:
            yield f"const Q {symbol} = {self._code(expression)};"
        yield "return {" + ",\n            ".join(self._code(rate) for rate in rates) + "};"

    def _difference(self, k: int, axes: tuple[int, ...]) -> str:
        """A derivative of field k as a sum over its neighbours, the farthest first."""

        def at(*steps: tuple[int, int]) -> str:
            offset = "".join(
                f" {'+' if n > 0 else '-'} {abs(n)} * s.stride({k})[{axis}]" for axis, n in steps
            )
            return f"Q::load(s.at({k}){offset})"

        def total(weights: Sequence[float], term: Any) -> str:
            text = ""
            for step in range(len(weights), 0, -1):
                weight = f"Q({float(weights[step - 1])!r})"
                text = f"fma({weight}, {term(step)}, {text})" if text else f"{weight} * {term(step)}"
            return text

        if len(axes) == 2 and axes[0] == axes[1]:
            a = axes[0]
            middle, *others = _SECOND[self.order]
            outer = total(others, lambda n: f"({at((a, -n))} + {at((a, n))})")
            return f"Q(1 / (spacing * spacing)) * fma(Q({middle!r}), {at()}, {outer})"
        first = _FIRST[self.order]
        if len(axes) == 1:
            a = axes[0]
            return f"Q(1 / spacing) * ({total(first, lambda n: f'({at((a, n))} - {at((a, -n))})')})"
        a, b = axes

        def across(n: int) -> str:
            upper = total(first, lambda m: f"({at((a, n), (b, m))} - {at((a, n), (b, -m))})")
            lower = total(first, lambda m: f"({at((a, -n), (b, m))} - {at((a, -n), (b, -m))})")
            return f"(({upper}) - ({lower}))"

        return f"Q(1 / (spacing * spacing)) * ({total(first, across)})"

    def _code(self, expression: Any) -> str:
        """An expression in C++. Sums are added in SymPy's canonical order, products last and by fma."""
        sympy = _sympy()
        if expression.is_Number or expression.is_NumberSymbol:
            return f"Q({float(expression)!r})"
        if expression.is_Symbol:
            is_double = expression in self._parameters or expression == self.spacing
            return f"Q({expression})" if is_double else str(expression)
        if expression.is_Add:
            text = ""
            terms = sorted(expression.args, key=lambda each: (each.is_Mul, sympy.default_sort_key(each)))
            for term in terms:
                factors = sorted(term.args, key=sympy.default_sort_key) if term.is_Mul else []
                if not text:
                    text = self._code(term)
                elif factors:
                    one, rest = factors[0], sympy.Mul(*factors[1:], evaluate=False)
                    text = f"fma({self._code(one)}, {self._code(rest)}, {text})"
                else:
                    text = f"({text} + {self._code(term)})"
            return text
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
                args = [self._code(each) for each in sorted(expression.args, key=sympy.default_sort_key)]
                while len(args) > form.count("{}"):
                    args[:2] = [form.format(*args[:2])]
                return form.format(*args)
        raise ModuleError(
            f"uses {expression.func.__name__}, which modules cannot call: there are + - * /, whole powers, "
            "sqrt, Abs and Max"
        )

    def _product(self, factors: Sequence[Any]) -> str:
        codes = [self._code(each) for each in sorted(factors, key=_sympy().default_sort_key)]
        return "(" + " * ".join(codes) + ")" if len(codes) > 1 else codes[0]

    def _power(self, base: Any, exponent: Any) -> str:
        if exponent.is_negative:
            return f"(Q(1.0) / {self._power(base, -exponent)})"
        code = self._code(base)
        if exponent == _sympy().Rational(1, 2):
            return f"sqrt({code})"
        if not exponent.is_Integer or exponent > _LARGEST_POWER:
            raise ModuleError(
                f"uses {base}**{exponent}: powers are whole numbers up to {_LARGEST_POWER}, or 1/2"
            )
        return f"power<{exponent}>({code})" if exponent > 1 else code


def generate(folder: Path, module: Description) -> str:
    """The header of the module in a folder, from its equations.py. Raises ModuleError."""
    path = folder / SYMBOLIC
    try:
        _sympy()  # says how it is installed
        make = runpy.run_path(str(path))["equations"]
        texts = {dimensions: make(dimensions).members() for dimensions in module.dimensions}
        names = {str(each) for d in module.dimensions for each in make(d)._parameters}
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
            _POWER,
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


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise ModuleError('needs SymPy; install it with `pip install "eddyline[symbolic]"`') from None
    return sympy
