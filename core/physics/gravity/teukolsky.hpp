#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "base/portable_math.hpp"
#include "base/vec.hpp"
#include "physics/gravity/wave_terms.hpp"

namespace eddyline::physics::gravity {

/// The even wave with l = 2, m = 0 of Teukolsky 1982: an exact solution of the linearised field equations in empty
/// space, transverse and without trace, which arrives at the centre and leaves again. It follows from
///
///   F(u) = amplitude w^5 (u/w) exp(-(u/w)^2),  psi(r, t) = [F(t - r) - F(t + r)]/r
///
/// with lengths in widths w and times in w/c; tools/generate_gravity.py has the tensor.
class Teukolsky {
 public:
  using Tensor = std::array<double, 6>;  // h_xx, h_xy, h_xz, h_yy, h_yz, h_zz
  struct State {
    Tensor h, rate;  // rate: dh/dt [1/s]
  };

  /// Width [m], speed of waves [m/s].
  Teukolsky(double amplitude, double width, double speed) : amplitude_(amplitude), width_(width), speed_(speed) {}

  bool is_there() const { return amplitude_ != 0; }

  State at(const Vec3& x, double time) const {
    const double per_width = 1 / width_, t = time * speed_ * per_width;
    const Vec3 place = x * per_width;
    return {tensor_of(place, derivatives_of_psi(place, t, 0), 1),
            tensor_of(place, derivatives_of_psi(place, t, 1), speed_ * per_width)};
  }

 private:
  static constexpr int k_fewest = k_derivatives + 2;
  static constexpr int k_all = 2 * (k_derivatives + k_terms) + 3;
  using Psi = std::array<double, k_derivatives + 1>;

  /// F and its derivatives, without the amplitude: F = -G'/2 with G = exp(-u^2) and G^(k+1) = -2 u G^(k) - 2 k G^(k-1).
  template <int N>
  static std::array<double, N> derivatives(double u) {
    std::array<double, N> f{};
    double before = portable::exp(-u * u), here = -2 * u * before;
    for (int k = 0; k < N; ++k) {
      f[static_cast<std::size_t>(k)] = -0.5 * here;
      const double next = -2 * u * here - 2 * (k + 1) * before;
      before = here, here = next;
    }
    return f;
  }

  /// (1/r d/dr)^n of psi, or of its first derivative in time. Near the centre the formula cancels, and a series in r
  /// takes its place.
  static Psi derivatives_of_psi(const Vec3& x, double t, int in_time) {
    constexpr double k_near = 0.6;
    const double r2 = x.x * x.x + x.y * x.y + x.z * x.z;
    const auto first = static_cast<std::size_t>(in_time);
    Psi psi{};
    if (r2 < k_near * k_near) {
      const auto f = derivatives<k_all>(t);
      for (std::size_t n = 0; n < psi.size(); ++n)
        for (std::size_t k = k_terms; k-- > 0;) psi[n] = psi[n] * r2 + k_series[n][k] * f[2 * (n + k) + 1 + first];
      return psi;
    }
    const double r = std::sqrt(r2);
    const auto leaving = derivatives<k_fewest>(t - r), arriving = derivatives<k_fewest>(t + r);
    for (std::size_t k = 0; k < psi.size(); ++k)
      psi[k] = (k % 2 == 0 ? leaving[k + first] : -leaving[k + first]) - arriving[k + first];
    return radial(1 / r, psi);
  }

  Tensor tensor_of(const Vec3& x, const Psi& psi, double factor) const {
    Tensor h = tensor(x.x, x.y, x.z, psi);
    for (double& each : h) each *= amplitude_ * factor;
    return h;
  }

  double amplitude_, width_, speed_;
};

}  // namespace eddyline::physics::gravity
