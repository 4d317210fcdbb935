#pragma once
// Particle states that the terms of the scheme `classic` read. Dimensionless: lengths by R, speeds by c0, densities by
// rho0, pressures by rho0 c0^2, masses by rho0 dx^D. S is a float, a double or a SIMD pack of floats.

#include "base/pack.hpp"

namespace eddyline::physics::classic {

/// A fluid particle at the midpoint of a step.
template <class S, int D>
struct Fluid {
  S x[D];  // fixed point
  S v[D];
  S m;
  S rho;
  S p;
  S c;
};

/// A dummy particle of a wall or a body.
template <class S, int D>
struct Wall {
  S x[D];
  S p;
  S m;
  S rho;
  S c;
  S v_mirror[D];  // the mirrored velocity that viscous terms use (Adami)
  S v[D];         // the wall's own velocity
  S no_slip;      // 1 or 0
};

}  // namespace eddyline::physics::classic
