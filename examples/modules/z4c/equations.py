# ruff: noqa: N806 - tensors have the names of the field
"""Einstein's equations in empty space: the form Z4c with moving punctures, in units where G = c = 1.

Fields: the conformal metric g_ij = chi gamma_ij, whose determinant is 1; A_ij, chi times the extrinsic
curvature without its trace; K, this trace less 2 Theta; G^i, contracted Christoffel symbols of g; Theta; the
lapse alpha and the shift beta^i. Theta, and the difference between G^i and the symbols of g, are zero where
the constraints hold. Sources: Bernuzzi & Hilditch 2010 and Hilditch et al. 2013 (equations), Campanelli et
al. 2006 and Baker et al. 2006 (gauge).
"""

from sympy import Integer, Max, Rational, sqrt

from eddyline.modules.symbolic import Equations
from eddyline.modules.tensors import Tensors

SMALLEST = Rational(1, 10000)  # of chi and alpha, which are zero at a puncture
third, half = Rational(1, 3), Rational(1, 2)


def equations(dimensions: int) -> Equations:
    e = Equations(dimensions, order=4)
    t = Tensors(e)
    d, lie, along = t.d, t.lie, t.along

    alpha, chi = e.field("alpha", ""), e.field("chi", "")
    K, theta = e.field("K", "1/m"), e.field("theta", "1/m")
    g, A = t.symmetric("g", ""), t.symmetric("A", "1/m")
    G, beta = t.vector("G", "1/m"), t.vector("beta", "")
    kappa1, kappa2, eta, driver = (e.parameter(name) for name in ("kappa1", "kappa2", "eta", "driver"))
    log, harmonic, damping = (e.parameter(name) for name in ("log", "harmonic", "damping"))

    # The inverse u^ij of g_ij and its Christoffel symbols; the extrinsic curvature
    u = t.inverse("u", g)
    low, C = t.christoffel("C", g, u)
    Cu = t.let("Cu", "ijk", u["jl"] * low["ilk"])  # C_i^j_k
    C1 = t.let("C1", "i", u["jk"] * C["ijk"])
    Am = t.let("Am", "ij", u["ik"] * A["kj"])  # A^i_j
    Au = t.let("Au", "ij", Am["ik"] * u["kj"], symmetric=True)  # A^ij
    A2 = e.let("A2", Am["ij"] * Am["ji"])
    trace = e.let("trace", K + 2 * theta)
    divergence = e.let("divergence", d(beta["k"], "k"))

    # The Ricci tensor of the metric g_ij / chi
    chi_low = e.let("over_chi", 1 / Max(chi, SMALLEST))
    chi_i = t.let("dchi", "i", d(chi, "i"))
    chi_ij = t.let("ddchi", "ij", t.second(chi, "ij", C), symmetric=True)
    chi2 = e.let("chi2", u["ij"] * chi_i["i"] * chi_i["j"])
    R_g = t.let("Rg", "ij", (
        -half * u["kl"] * d(g["ij"], "kl")
        + half * (g["ki"] * d(G["k"], "j") + g["kj"] * d(G["k"], "i") + C1["k"] * (low["ijk"] + low["jik"]))
        + C["kli"] * Cu["jlk"] + C["klj"] * Cu["ilk"] + C["kil"] * Cu["klj"]
    ), symmetric=True)  # fmt: skip
    R = t.let("R", "ij", (
        R_g["ij"]
        + half * chi_low * (chi_ij["ij"] + g["ij"] * (u["kl"] * chi_ij["kl"]))
        - half**2 * chi_low**2 * (chi_i["i"] * chi_i["j"] + 3 * g["ij"] * chi2)
    ), symmetric=True)  # fmt: skip
    R_trace = e.let("Rs", chi * (u["ij"] * R["ij"]))

    # Second derivatives of the lapse in that metric
    a_i = t.let("da", "i", d(alpha, "i"))
    a_chi = e.let("achi", u["ij"] * a_i["i"] * chi_i["j"])
    a_ij = t.let("dda", "ij", (
        t.second(alpha, "ij", C)
        + half * chi_low * (a_i["i"] * chi_i["j"] + a_i["j"] * chi_i["i"] - g["ij"] * a_chi)
    ), symmetric=True)  # fmt: skip
    force = t.let("F", "ij", alpha * R["ij"] - a_ij["ij"], symmetric=True)

    rate = {
        chi: along(beta, chi) + 2 * third * chi * (alpha * trace - divergence),
        K: along(beta, K) - chi * (u["ij"] * a_ij["ij"])
        + alpha * (A2 + third * trace**2 + kappa1 * (1 - kappa2) * theta),
        theta: along(beta, theta) + half * alpha * (R_trace - A2 + 2 * third * trace**2)
        - alpha * kappa1 * (2 + kappa2) * theta,
        alpha: along(beta, alpha) - alpha * (log + harmonic * alpha) * K,
    }  # fmt: skip
    for field, expression in rate.items():
        e.rate(field, expression + damping * e.roughness(field))
    rates = {
        (g, "ij"): lie(beta, g["ij"], down="ij", weight=-2 * third) - 2 * alpha * A["ij"],
        (A, "ij"): lie(beta, A["ij"], down="ij", weight=-2 * third)
        + chi * (force["ij"] - third * g["ij"] * (u["kl"] * force["kl"]))
        + alpha * (trace * A["ij"] - 2 * A["ik"] * Am["kj"]),
        (G, "i"): along(beta, G["i"]) - C1["k"] * d(beta["i"], "k") + 2 * third * C1["i"] * divergence
        + u["jk"] * d(beta["i"], "jk") + third * u["ij"] * d(beta["k"], "jk") - 2 * Au["ij"] * a_i["j"]
        + 2 * alpha * (
            C["ijk"] * Au["jk"] - 3 * half * chi_low * Au["ij"] * chi_i["j"]
            - third * u["ij"] * d(2 * K + theta, "j") - kappa1 * (G["i"] - C1["i"])
        ),
        (beta, "i"): along(beta, beta["i"]) + driver * G["i"] - eta * beta["i"],
    }  # fmt: skip
    for (tensor, indices), expression in rates.items():
        t.rate(tensor, indices, expression + damping * t.roughness(tensor[indices]))

    # At the end of each step det(g) = 1 and A has no trace
    determinant, root = t.determinant(u), Integer(1)
    for n in range(3):  # Newton's method for 1/cbrt(determinant)
        root = e.let(f"root{n}", third * root * (4 - determinant * root**3))
    t.project(g, "ij", root * g["ij"])
    t.project(A, "ij", A["ij"] - third * g["ij"] * (u["kl"] * A["kl"]))
    e.project(chi, Max(chi, SMALLEST))
    e.project(alpha, Max(alpha, SMALLEST))

    # Far away space is flat
    for field in e.fields:
        e.far(field, field in (alpha, chi, g.parts[0, 0], g.parts[1, 1], g.parts[2, 2]))

    # Light, the lapse and the shift; a start that is not valid has no speed
    fastest = Max(chi * alpha**2, chi * alpha * (log + harmonic * alpha), 4 * third * driver)
    e.speed(sqrt(fastest * (u["ij"] * t.delta["ij"])) + sum(abs(beta.parts[i,]) for i in e.axes))

    # The constraints outside of black holes, in which chi is small: a weight from 0 at 1/16 to 1 at 1/8
    H = e.let("H", R_trace - A2 + 2 * third * trace**2)
    M = t.let("M", "k", (
        u["jl"] * d(A["kl"], "j") - C["mjk"] * Am["jm"] - C1["m"] * A["km"]
        - 3 * half * chi_low * Am["jk"] * chi_i["j"] - 2 * third * d(trace, "k")
    ))  # fmt: skip
    M2 = e.let("M2", chi * (u["kl"] * M["k"] * M["l"]))
    outside = e.let("outside", 1 - Max(0, 1 - Max(0, 16 * chi - 1)))
    e.integral("hamiltonian_2", "1/m", outside * H**2)
    e.integral("momentum_2", "1/m", outside * M2)
    e.integral("theta_2", "m", outside * theta**2)
    e.largest("max_hamiltonian", "1/m^2", outside * abs(H))
    e.largest("max_momentum", "1/m^2", outside * sqrt(abs(M2)))
    e.largest("max_K", "1/m", outside * abs(trace))
    return e
