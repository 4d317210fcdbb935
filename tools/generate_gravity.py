"""Writes an exact solution of the equations `gravity`, core/physics/gravity/wave_terms.hpp.

    python -m pip install sympy clang-format
    python tools/generate_gravity.py [FILE]

A tensor h_ij that is transverse and has no trace follows from a function psi(r, t) that solves the wave
equation and from constants Q_ij without trace:

    h_ij = laplace^2 Q_ij psi - d_i d_k laplace Q_kj psi - d_j d_k laplace Q_ik psi
           + 1/2 d_i d_j d_k d_l Q_kl psi + 1/2 delta_ij laplace d_k d_l Q_kl psi

With psi = [F(t - r) - F(t + r)]/r and Q = diag(-1, -1, 2)/2 it is the even wave with l = 2, m = 0 of
Teukolsky 1982, which is checked here by numbers. All derivatives of psi follow from
g_n = (1/r d/dr)^n psi, n = 0 ... 4.
"""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import sympy as sp
from sympy.codegen.rewriting import create_expand_pow_optimization

TARGET = Path(__file__).resolve().parent.parent / "core" / "physics" / "gravity" / "wave_terms.hpp"
MOST = 4  # derivatives of psi
SERIES = 14  # terms of the power series near the centre
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
X = sp.symbols("x y z")
G = sp.symbols(f"g:{MOST + 1}")
Q = sp.diag(-1, -1, 2) / 2


def tensor() -> list[sp.Expr]:
    """h_xx, h_xy, h_xz, h_yy, h_yz, h_zz as polynomials of x, y, z and g_n."""

    def derivative(expression: sp.Expr, *axes: int) -> sp.Expr:
        for axis in axes:
            inner = sum(sp.diff(expression, g) * G[n + 1] for n, g in enumerate(G[:-1]))
            expression = sp.diff(expression, X[axis]) + X[axis] * inner
        return sp.expand(expression)

    def laplace(expression: sp.Expr) -> sp.Expr:
        return sp.expand(sum(derivative(expression, axis, axis) for axis in range(3)))

    psi: sp.Expr = G[0]
    once, twice = laplace(psi), laplace(laplace(psi))
    scalar = sp.expand(sum(Q[k, k] * derivative(psi, k, k) for k in range(3)))
    found = []
    for i, j in PAIRS:
        h = Q[i, j] * twice - (Q[j, j] + Q[i, i]) * derivative(once, i, j) + derivative(scalar, i, j) / 2
        found.append(sp.factor_terms(sp.expand(h + (laplace(scalar) / 2 if i == j else 0))))
    return found


def radial() -> list[sp.Expr]:
    """g_n from f_k, the k-th derivatives (-1)^k F^(k)(t - r) - F^(k)(t + r), and 1/r."""
    r, inverse = sp.symbols("r inverse")
    f = sp.symbols(f"f:{MOST + 1}")
    g: sp.Expr = f[0] / r
    found = []
    for _ in range(MOST + 1):
        found.append(sp.horner(sp.expand(g).subs(r, 1 / inverse), inverse))
        ahead = sum(sp.diff(g, f[k]) * f[k + 1] for k in range(MOST))
        g = sp.expand((sp.diff(g, r) + ahead) / r)
    return found


def series() -> list[list[float]]:
    """Coefficients of F^(2 m + 1)(t) r^(2 (m - n)) in g_n, for m = n, n + 1, ..."""
    return [
        [
            -2.0 * math.prod(range(2 * m, 2 * (m - n), -2)) / math.factorial(2 * m + 1)
            for m in range(n, n + SERIES)
        ]
        for n in range(MOST + 1)
    ]


def check(h: list[sp.Expr], g: list[sp.Expr]) -> None:
    """Compares h_zz with the formulas of Teukolsky 1982 for F(u) = u exp(-u^2)."""
    u = sp.Symbol("u")
    shape = u * sp.exp(-(u**2))
    derivatives = [sp.lambdify(u, sp.diff(shape, u, k)) for k in range(MOST + 1)]
    x, y, z, t = 0.7, -0.4, 1.1, 0.6
    r = math.sqrt(x * x + y * y + z * z)
    f = [(-1) ** k * each(t - r) - each(t + r) for k, each in enumerate(derivatives)]
    names = {sp.Symbol("inverse"): 1 / r} | {sp.Symbol(f"f{k}"): value for k, value in enumerate(f)}
    values = [float(each.subs(names)) for each in g]
    ours = float(h[5].subs(dict(zip((*X, *G), (x, y, z, *values), strict=True))))
    signed = [(-1) ** k * each for k, each in enumerate(f)]
    a = 3 * (signed[2] / r**3 + 3 * signed[1] / r**4 + 3 * signed[0] / r**5)
    b = -(signed[3] / r**2 + 3 * signed[2] / r**3 + 6 * signed[1] / r**4 + 6 * signed[0] / r**5)
    c = (
        signed[4] / r
        + 2 * signed[3] / r**2
        + 9 * signed[2] / r**3
        + 21 * (signed[1] / r**4 + signed[0] / r**5)
    )
    cos, sin = z / r, math.sqrt(x * x + y * y) / r
    hrr, hrt, htt = a * (2 - 3 * sin**2), -3 * b * sin * cos, 0.75 * c * sin**2 - a
    theirs = cos**2 * hrr - 2 * sin * cos * hrt + sin**2 * htt
    if abs(ours - theirs) > 1e-12 * abs(theirs):
        sys.exit(f"h_zz = {ours}; must be {theirs}.")


def code(expression: sp.Expr) -> str:
    """C++ with products for powers, which have the same bits on every machine."""
    return str(sp.cxxcode(create_expand_pow_optimization(2 * MOST)(expression)))


def text() -> str:
    h, g = tensor(), radial()
    check(h, g)
    shared, short = sp.cse(h, symbols=sp.numbered_symbols("a"), optimizations="basic")
    lines = [
        "#pragma once",
        "// Written by tools/generate_gravity.py.",
        "",
        "#include <array>",
        "",
        "namespace eddyline::physics::gravity {",
        "",
        f"inline constexpr int k_derivatives = {MOST};  // of psi that the tensor reads",
        f"inline constexpr int k_terms = {SERIES};      // of a power series near the centre",
        "",
        "/// h_xx, h_xy, h_xz, h_yy, h_yz, h_zz at a place, with g[n] = (1/r d/dr)^n psi.",
        "inline std::array<double, 6> tensor(double x, double y, double z, const std::array<double, 5>& g) {",
        *(f"const double {g} = g[{n}];" for n, g in enumerate(G) if any(each.has(g) for each in h)),
        *(f"const double {name} = {code(value)};" for name, value in shared),
        "return {" + ", ".join(code(each) for each in short) + "};",
        "}",
        "",
        "/// g[n] from f[k] = (-1)^k F^(k)(t - r) - F^(k)(t + r), away from the centre.",
        "inline std::array<double, 5> radial(double inverse, const std::array<double, 5>& f) {",
        *(f"const double f{n} = f[{n}];" for n in range(MOST + 1)),
        "return {" + ", ".join(code(each) for each in g) + "};",
        "}",
        "",
        "/// Factor of F^(2 m + 1)(t) r^(2 (m - n)) in g[n], by n and m - n.",
        "inline constexpr std::array<std::array<double, k_terms>, k_derivatives + 1> k_series{{",
        *("{{" + ", ".join(f"{value!r}" for value in row) + "}}," for row in series()),
        "}};",
        "",
        "}  // namespace eddyline::physics::gravity",
        "",
    ]
    style = ["clang-format", "--assume-filename", str(TARGET)]
    return subprocess.run(style, input="\n".join(lines), capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET).write_text(text(), encoding="utf-8")
