#pragma once

#include "physics/scalars/model.hpp"

namespace eddyline::module {

using physics::Settings;
using namespace physics::scalars;

/// A species that decays while the flow carries it:
///   dc/dt + div(c u) = kappa laplace(c) - k c
/// Replace this by your scalars: docs/modules.md says what each part is for.
template <int D>
struct Model {
  static constexpr std::size_t k_scalars = 1;
  double kappa, k;

  /// number() reads a parameter; its default stands in module.toml.
  explicit Model(const Settings& settings) : kappa(settings.number("kappa", 0)), k(settings.number("k", 0)) {}

  /// Name, unit, what it is, and diffusivity [m^2/s].
  std::vector<Scalar> scalars() const { return {{"c", "mol/m^3", "concentration", kappa}}; }

  /// The rates at which each scalar is made [unit/s]. Q is a number or a pack of them; there are no
  /// branches.
  template <class Q>
  EDDYLINE_INLINE Values<Q, k_scalars> source(const Place<Q, D, k_scalars>& at) const {
    return {Q(-k) * at.value[0]};
  }

  /// The rates at which each scalar loses itself [1/s]: makes fast reactions stable, and does not change the result.
  template <class Q>
  EDDYLINE_INLINE Values<Q, k_scalars> loss(const Place<Q, D, k_scalars>&) const {
    return {Q(k)};
  }
};

}  // namespace eddyline::module
