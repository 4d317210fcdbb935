#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "physics/equations/kernels.hpp"
#include "physics/wave/laplacian.hpp"

namespace eddyline::physics::wave {

/// The wave equation du/dt = p, dp/dt = c^2 laplace(u) - V u + S f(t) with differences of order 2, 4 or 6. The
/// potential V and the source S are formulas of places, the signal f one of time.
template <int Order, int D>
struct Wave {
  static constexpr std::size_t k_fields = 2, k_integrals = 1, k_largest = 1;
  static constexpr Kind k_kind = Kind::rates;
  static constexpr std::int32_t k_reach = Order / 2;
  static constexpr bool k_constant_speed = true;

  double wave_speed;         // c [m/s]
  world::Formula potential;  // V [1/s^2]
  world::Formula source;     // S [m/s^2]
  world::Formula in_time;    // f

  static std::vector<std::string> options() { return {"wave_speed", "order", "potential", "source", "signal"}; }
  explicit Wave(const Settings& settings)
      : wave_speed(settings.number("wave_speed", 1)),
        potential(formula(settings, "potential", {"x", "y", "z"}, 0)),
        source(formula(settings, "source", {"x", "y", "z"}, 0)),
        in_time(formula(settings, "signal", {"t"}, 1)) {
    if (!(wave_speed > 0)) throw UserError("method.wave_speed must be positive.");
    for (int side = 0; side < 2 * D; ++side)
      radiates = radiates || settings.world->sides[static_cast<std::size_t>(side)].kind == world::SideKind::open;
  }

  std::vector<Field> fields() const {
    return {{"u", "m", Meaning::point, Reach::star},
            {"p", "m/s", Meaning::point, radiates ? Reach::star : Reach::none}};
  }

  template <class Q>
  EDDYLINE_INLINE Q margin(const ValuesOf<Q, 2>& at) const {
    const Q zero = (at[0] - at[0]) + (at[1] - at[1]);
    return Q(1.0) - zero;
  }
  template <class Q>
  EDDYLINE_INLINE Q speed(const ValuesOf<Q, 2>&) const {
    return Q(wave_speed * std::sqrt(static_cast<double>(D)));
  }
  template <class Q>
  EDDYLINE_INLINE ValuesOf<Q, 2> rates(const Stencil<Q>& s) const {
    const double per_cell = wave_speed / s.spacing;
    const Q spread = Q(per_cell * per_cell) * laplacian<Order, D, Q>(s.at(0), s.stride(0));
    if (!s.has_coefficients()) return {s.value(1), spread};
    return {s.value(1), (spread - s.coefficient(0) * s.value(0)) + Q(s.signal) * s.coefficient(1)};
  }

  /// The potential and the source.
  std::size_t coefficients() const { return potential.text() == "0" && source.text() == "0" ? 0 : 2; }
  void find_coefficients(const Vec3& x, std::span<double> values) const {
    const std::array at{x.x, x.y, x.z};
    values[0] = potential.evaluate(at), values[1] = source.evaluate(at);
  }
  double signal(double t) const { return in_time.evaluate(std::array{t}); }

  /// A wall holds u at 0; a wall that slips lets u move freely, with du/dn = 0. Waves pass open sides.
  Beyond side(const world::World& world, std::size_t number) const {
    const world::Side& given = world.sides[number];
    if (given.kind == world::SideKind::periodic) return Beyond::periodic;
    if (given.kind == world::SideKind::wall && !given.slides()) return given.slip ? Beyond::mirror : Beyond::odd;
    if (given.kind == world::SideKind::open) return Beyond::own;
    throw UserError("boundaries: the sides of the wave equation are periodic, open, or walls at rest.");
  }
  /// Waves that leave keep du/dn = -p/c at the side.
  void fill_beyond(const world::World&, const AcrossSide& row) const {
    const double p = 1.5 * row.inside(1, 0) - 0.5 * row.inside(1, 1);  // at the side
    for (std::int32_t k = 0; k < row.ghosts; ++k) {
      row.ghost(0, k) = row.inside(0, k) - (2 * k + 1) * row.spacing * p / wave_speed;
      row.ghost(1, k) = p;
    }
  }

  static std::vector<Named> integrals() { return {{"energy", D == 2 ? "m^4/s^2" : "m^5/s^2"}}; }
  static std::vector<Named> largest() { return {{"max_u", "m"}}; }
  /// The energy is the integral of (p^2 + c^2 |grad u|^2 + V u^2)/2, with -u laplace(u) for |grad u|^2, which the
  /// differences in space conserve exactly.
  template <class Q>
  EDDYLINE_INLINE AccountOf<Q, k_integrals, k_largest> account(const Stencil<Q>& s) const {
    const double per_cell = wave_speed / s.spacing;
    const Q u = s.value(0), p = s.value(1), zero = Q(0.0);
    const Q spread = Q(per_cell * per_cell) * u * laplacian<Order, D, Q>(s.at(0), s.stride(0));
    Q energy = Q(0.5) * (p * p - spread);
    if (s.has_coefficients()) energy = energy + Q(0.5) * s.coefficient(0) * u * u;
    return {{energy}, {max(u, zero - u)}};
  }

  /// p varies by u times a frequency, which is up to c/dx.
  double indicator_scale(std::size_t field, double spacing) const { return field == 0 ? 1 : spacing / wave_speed; }

  bool radiates = false;  // through an open side

 private:
  static world::Formula formula(const Settings& settings, const std::string& option, std::vector<std::string> names,
                                double otherwise) {
    if (const auto found = settings.options.find(option); found == settings.options.end())
      return otherwise;
    else if (!std::holds_alternative<std::string>(found->second))
      return settings.number(option, otherwise);
    try {
      return {settings.text(option, ""), std::move(names)};
    } catch (const UserError& error) {
      throw UserError("method." + option + ": " + error.what());
    }
  }
};

}  // namespace eddyline::physics::wave
