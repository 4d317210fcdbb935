#pragma once

#include "physics/terms/model.hpp"

namespace eddyline::module {

using physics::Settings;
using namespace physics::terms;

/// Cohesion, which rounds drops: neighbours attract each other with the force
///   kappa/m0 m_i m_j (q (1 - q))^3,   m0: mass of a particle.
/// Source: Akinci et al. 2013. Symmetric in i and j, and along the line between them: conserves momentum and angular
/// momentum. Replace this by your term: docs/modules.md says what each part is for.
template <int D>
struct Model {
  double scale;  // kappa/m0 [m/(s^2 kg)]

  /// number() reads a parameter; its default stands in module.toml.
  explicit Model(const Settings& settings) : scale(settings.number("kappa", 0)) {
    double volume = 1;
    for (int d = 0; d < D; ++d) volume *= settings.world->spacing;
    scale /= settings.world->fluid.density * volume;
  }

  /// Force on particle i along r_i - r_j [N], 2D [N/m]; negative attracts. P is a number or a pack of them; there are
  /// no branches.
  template <class P>
  EDDYLINE_INLINE P central(const Pair<P, D>& pair) const {
    const P hump = pair.q * (P(1) - pair.q);
    return P(-scale) * (pair.i.m * pair.j.m) * (hump * hump * hump);
  }
};

}  // namespace eddyline::module
