"""A damped membrane whose speed of waves depends on the direction, in the notation of SymPy."""

from sympy import sqrt

from eddyline.modules.symbolic import Equations


def equations(dimensions: int) -> Equations:
    e = Equations(dimensions, order=4)
    u, p = e.field("u", "m"), e.field("p", "m/s")  # displacement and its rate
    c, shear, damping = e.parameter("c"), e.parameter("shear"), e.parameter("damping")
    e.rate(u, p)
    e.rate(p, c**2 * (e.laplace(u) + 2 * shear * e.d(u, 0, 1)) - 2 * damping * p)
    e.speed(c * sqrt(dimensions * (1 + abs(shear))))
    return e
