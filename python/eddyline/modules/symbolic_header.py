"""The header of a module, from equations in the notation of SymPy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .description import ModuleError
from .symbolic_code import Code, Given, difference, pointer, roughness, upwind

if TYPE_CHECKING:
    from .symbolic import Equations

AXES = "xyz"
PLAIN, UPWIND, ROUGH = "", "upwind", "rough"
"""Kinds of derivatives: central differences; one-sided ones; a sum over axes of high differences."""


_OPEN_SIDES = """\
  Beyond side(const world::World& world, std::size_t number) const {{
    using world::SideKind;
    const SideKind kind = world.sides[number].kind;
    if (kind == SideKind::periodic) return Beyond::periodic;
    return kind == SideKind::open ? Beyond::own : Beyond::mirror;
  }}
  void fill_beyond(const world::World&, const AcrossSide& row) const {{
    static constexpr std::array<double, {n}> k_falls{{{factors}}}, k_far{{{values}}};
    const int axis = static_cast<int>(row.side / 2);
    const double outwards = row.side % 2 == 1 ? row.spacing : -row.spacing;
    const auto radius = [&](double cells) {{
      Vec3 x = row.position;
      x[axis] += cells * outwards;
      return norm(x);
    }};
    for (std::int32_t k = 0; k < row.ghosts; ++k) {{
      const double less = radius(-0.5) / radius(k + 0.5) - 1;
      for (std::size_t f = 0; f < {n}; ++f) {{
        if (row.first_inside[f] == nullptr) continue;
        const double last = row.inside(f, 0);
        row.ghost(f, k) = last + less * k_falls[f] * (last - k_far[f]);
      }}
    }}
  }}"""


@dataclass(frozen=True)
class Derivative:
    """A symbol that follows from the cells around one. velocity: the field that decides for a side."""

    kind: str
    field: Any
    axes: tuple[int, ...]
    velocity: Any = None


def sympy() -> Any:
    try:
        import sympy
    except ImportError:
        raise ModuleError('needs SymPy; install it with `pip install "eddyline[symbolic]"`') from None
    return sympy


class Header:
    """Code of equations. Raises ModuleError for what is missing in them, and for undeclared names."""

    def __init__(self, of: Equations) -> None:
        self._of = of
        self._fields = list(of.fields)
        self._values = f"ValuesOf<Q, {len(self._fields)}>"
        self._code = Code(sympy(), [*of.parameters, of.spacing])
        self._check()

    def members(self) -> str:
        """The body of a specialisation of the model."""
        of, names = self._of, [str(each) for each in self._of.parameters]
        first = ",\n        ".join(f'{name}(settings.number("{name}", 0))' for name in names)
        moves = bool(self._needs(of.fastest) & set(self._fields))
        zero = "".join(f" + (at[{k}] - at[{k}])" for k in range(len(self._fields)))
        lines = [
            f"  static constexpr std::size_t k_fields = {len(self._fields)};",
            "  static constexpr Kind k_kind = Kind::rates;",
            f"  static constexpr std::int32_t k_reach = {self._reach()};",
            f"  static constexpr bool k_constant_speed = {'false' if moves else 'true'};",
            *(f"  double {name};" for name in names),
            f"  explicit Model(const Settings& {'settings' if names else ''})"
            + (f"\n      : {first}" if first else "")
            + " {}",
            *self._field_list(),
            "  template <class Q>",
            f"  EDDYLINE_INLINE Q margin(const {self._values}& at) const {{",
            *self._body([of.valid], self._local(), f"return {{}} - (Q(0.0){zero});"),
            "  template <class Q>",
            f"  EDDYLINE_INLINE Q speed(const {self._values}& at, double spacing) const {{",
            "    (void)at;",
            "    if (!(spacing > 0)) return Q(0.0);",
            *self._body([of.fastest], self._local(), "return {};"),
            "  template <class Q>",
            f"  EDDYLINE_INLINE {self._values} rates(const Stencil<Q>& s) const {{",
            "    const double spacing = s.spacing;",
            "    (void)spacing;",
            *self._body([of.rates[each] for each in self._fields], self._around(), "return {{{}}};"),
            *self._projection(),
            *self._open_sides(),
            *self._budget(),
        ]
        return "\n".join(lines)

    def _check(self) -> None:
        of = self._of
        if missing := [str(field) for field in self._fields if field not in of.rates]:
            raise ModuleError(f"{missing[0]} has no rate")
        if of.fastest is None:
            raise ModuleError("speed() is missing")
        local = [of.fastest, of.valid, *of.projections.values()]
        every = [*local, *of.rates.values(), *(each for *_, each in (*of.integrals, *of.extremes))]
        known = {*self._fields, *of.derivatives, *of.parameters, *of.definitions, of.spacing}
        if unknown := {symbol for each in every for symbol in self._needs(each)} - known:
            raise ModuleError(f"{min(map(str, unknown))} is neither a field nor a parameter")
        if around := {symbol for each in local for symbol in self._needs(each)} & set(of.derivatives):
            raise ModuleError(
                f"{min(map(str, around))} cannot be in speed, margin or project, which know one cell only"
            )

    def _needs(self, expression: Any) -> set[Any]:
        """The symbols of an expression and of all definitions that it needs."""
        found: set[Any] = set()
        waiting = [expression]
        while waiting:
            new = waiting.pop().free_symbols - found
            found |= new
            waiting += [self._of.definitions[symbol] for symbol in new & set(self._of.definitions)]
        return found

    def _reach(self) -> int:
        """Layers of cells around one that rates read."""
        return self._of.order // 2 + any(each.kind != PLAIN for each in self._of.derivatives.values())

    def _field_list(self) -> Iterable[str]:
        reach = dict.fromkeys(self._fields, "Reach::none")
        for each in self._of.derivatives.values():
            if each.kind == PLAIN and len(set(each.axes)) == 2:
                reach[each.field] = "Reach::box"
            elif reach[each.field] == "Reach::none":
                reach[each.field] = "Reach::star"
        listed = (
            f'            {{"{field}", "{unit}", Meaning::point, {", ".join((reach[field], *map(str, of)))}}}'
            for field, (unit, of) in self._of.fields.items()
        )
        yield "  std::vector<Field> fields() const {\n    return {\n" + ",\n".join(listed) + "};\n  }"

    def _body(self, results: Sequence[Any], given: dict[Any, Given], end: str) -> Iterable[str]:
        """Statements for some expressions, whose code is put into the last one, and the end of a function."""
        statements, codes = self._code.statements(results, self._of.definitions, given)
        yield from (f"    {line}" for line in statements)
        yield f"    {end.format((',' + chr(10) + ' ' * 12).join(codes))}\n  }}"

    def _local(self) -> dict[Any, Given]:
        """Fields, from the values of a cell."""
        return {field: (f"const Q {field} = at[{k}];", ()) for k, field in enumerate(self._fields)}

    def _around(self) -> dict[Any, Given]:
        """Fields and derivatives, from the cells around one."""
        given: dict[Any, Given] = {}
        dimensions, order = self._of.dimensions, self._of.order
        at = [sympy().Symbol(f"at__{k}") for k in range(len(self._fields))]
        for k, field in enumerate(self._fields):
            given[at[k]] = pointer(k, dimensions), ()
            given[field] = f"const Q {field} = s.value({k});", ()
        for symbol, each in self._of.derivatives.items():
            k = self._fields.index(each.field)
            needs: tuple[Any, ...] = (at[k],)
            if each.kind == UPWIND:
                code, needs = upwind(k, each.axes[0], order, str(each.velocity)), (at[k], each.velocity)
            elif each.kind == ROUGH:
                code = roughness(k, dimensions, order)
            else:
                code = difference(k, each.axes, order)
            given[symbol] = f"const Q {symbol} = {code};", needs
        return given

    def _projection(self) -> Iterable[str]:
        """project(), if fields have projections."""
        of = self._of.projections
        if not of:
            return
        yield "  template <class Q>"
        yield f"  EDDYLINE_INLINE {self._values} project(const {self._values}& at) const {{"
        yield from self._body([of.get(each, each) for each in self._fields], self._local(), "return {{{}}};")

    def _open_sides(self) -> Iterable[str]:
        """side() and fill_beyond(), if fields have values far away."""
        far = self._of.far_values
        if not far:
            return
        factors = ", ".join("1.0" if field in far else "0.0" for field in self._fields)
        values = ", ".join(repr(far.get(field, 0.0)) for field in self._fields)
        yield _OPEN_SIDES.format(n=len(self._fields), factors=factors, values=values)

    def _budget(self) -> Iterable[str]:
        """integrals(), largest() and account(), if the equations say what is recorded."""
        integrals, extremes = self._of.integrals, self._of.extremes
        if not integrals and not extremes:
            return
        for name, columns in (("integrals", integrals), ("largest", extremes)):
            listed = ", ".join(f'{{"{column}", "{unit}"}}' for column, unit, _ in columns)
            yield f"  std::vector<Named> {name}() const {{ return {{{listed}}}; }}"
        yield "  void account(const Place& place, std::span<const Input> cell, std::span<double> densities,"
        yield "               std::span<double> largest) const {"
        yield "    using Q = Pack<double, 1>;"
        yield "    const Stencil<Q> s{cell, 0, 0, 0, place.spacing};"
        yield "    const double spacing = place.spacing;"
        yield "    (void)spacing;"
        results = [each for *_, each in (*integrals, *extremes)]
        yield from self._body(
            results,
            self._around(),
            f"const ValuesOf<Q, {len(results)}> found{{{{{{}}}}}};\n"
            f"    for (std::size_t k = 0; k < {len(integrals)}; ++k) densities[k] = found[k].v;\n"
            f"    for (std::size_t k = 0; k < {len(extremes)}; ++k)\n"
            f"      largest[k] = found[{len(integrals)} + k].v;",
        )
