#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "physics/equations/kernels.hpp"

namespace eddyline::physics::euler_poisson {

/// An isothermal gas, p = c^2 rho, that attracts or repels itself (Euler-Poisson equations):
///
///   d(rho)/dt + div(rho v) = 0,  d(rho v)/dt + div(rho v v) + grad p = -rho grad(phi)
///   laplace(phi) = coupling (rho - mean of rho)
///
/// With the coupling 4 pi G it is a cloud under its own gravity, with -omega^2/rho_0 a gas of electrons among ions at
/// rest, which swings with the plasma frequency omega. The potential is a constraint, which the solver satisfies after
/// each step; within a step it changes at the rate of the step before.
template <int D>
struct EulerPoisson {
  static constexpr std::size_t k_potential = D + 1, k_rate = D + 2, k_fields = D + 3;
  static constexpr Kind k_kind = Kind::fluxes;
  static constexpr bool k_constant_speed = false, k_has_sources = true;

  double sound_speed;  // c [m/s]
  double coupling;     // [m^3/(kg s^2)]

  static std::vector<std::string> options() { return {"sound_speed", "coupling"}; }
  explicit EulerPoisson(const Settings& settings)
      : sound_speed(settings.number("sound_speed", 1)), coupling(settings.number("coupling", 1)) {
    if (!(sound_speed > 0)) throw UserError("method.sound_speed must be positive.");
    for (std::size_t side = 0; side < 2 * static_cast<std::size_t>(D); ++side) {
      const world::SideKind kind = settings.world->sides[side].kind;
      if (kind != world::SideKind::periodic && kind != world::SideKind::wall)
        throw UserError("boundaries: the sides of a gas with a potential are periodic or walls.");
    }
  }

  std::vector<Field> fields() const {
    constexpr std::array names{"momentum_x", "momentum_y", "momentum_z"};
    std::vector<Field> fields{{"density", "kg/m^3", Meaning::average, Reach::star}};
    for (int d = 0; d < D; ++d)
      fields.push_back({names[static_cast<std::size_t>(d)], "kg/(m^2 s)", Meaning::average, Reach::star, d});
    fields.push_back({"potential", "m^2/s^2", Meaning::point, Reach::star});
    fields.push_back({"potential_rate", "m^2/s^3", Meaning::point, Reach::star});
    return fields;
  }

  /// Density and velocity.
  template <class Q>
  EDDYLINE_INLINE ValuesOf<Q, k_fields> primitive(const ValuesOf<Q, k_fields>& u) const {
    ValuesOf<Q, k_fields> q = u;
    const Q per_density = Q(1.0) / u[0];
    for (std::size_t d = 0; d < D; ++d) q[1 + d] = u[1 + d] * per_density;
    return q;
  }
  template <class Q>
  EDDYLINE_INLINE Q margin_of_primitive(const ValuesOf<Q, k_fields>& q) const {
    return q[0];
  }
  template <class Q>
  EDDYLINE_INLINE Q margin(const ValuesOf<Q, k_fields>& u) const {
    const Q zero = (u[k_potential] - u[k_potential]) + (u[k_rate] - u[k_rate]);
    return u[0] - zero;
  }
  /// A swing of the gas takes many steps, even if it is so cold that sound would allow long ones.
  template <class Q>
  EDDYLINE_INLINE Q speed(const ValuesOf<Q, k_fields>& u, double spacing) const {
    constexpr double k_steps = 2;
    Q speed = Q(D * sound_speed) + Q(k_steps * spacing) * sqrt(Q(std::abs(coupling)) * abs(u[0]));
    const Q per_density = Q(1.0) / u[0];
    for (std::size_t d = 0; d < D; ++d) speed = speed + abs(u[1 + d] * per_density);
    return speed;
  }

  /// HLL with the speeds of Davis 1988; velocities along the face come from the side that mass leaves.
  template <int Axis, class Q>
  EDDYLINE_INLINE ValuesOf<Q, k_fields> flux(const ValuesOf<Q, k_fields>& l, const ValuesOf<Q, k_fields>& r) const {
    constexpr std::size_t n = 1 + static_cast<std::size_t>(Axis);
    const Q zero(0.0), c(sound_speed), c2(sound_speed * sound_speed);
    const Q lowest = select(l[n] > r[n], r[n], l[n]) - c, highest = max(l[n], r[n]) + c;
    const Q back = select(lowest > zero, zero, lowest), ahead = max(highest, zero);
    const Q share = Q(1.0) / (ahead - back), product = back * ahead;
    const Q mass_l = l[0] * l[n], mass_r = r[0] * r[n];
    const Q push_l = mass_l * l[n] + c2 * l[0], push_r = mass_r * r[n] + c2 * r[0];
    ValuesOf<Q, k_fields> flux;
    for (std::size_t f = 0; f < k_fields; ++f) flux[f] = zero;
    flux[0] = share * (((ahead * mass_l) - (back * mass_r)) + product * (r[0] - l[0]));
    for (std::size_t d = 1; d <= static_cast<std::size_t>(D); ++d)
      flux[d] = d == n ? share * (((ahead * push_l) - (back * push_r)) + product * (mass_r - mass_l))
                       : flux[0] * select(flux[0] > zero, l[d], r[d]);
    return flux;
  }
  template <class Q>
  EDDYLINE_INLINE ValuesOf<Q, k_fields> sources(const Stencil<Q>& s) const {
    ValuesOf<Q, k_fields> rates;
    rates[0] = Q(0.0);
    const Q density = Q(0.5 / s.spacing) * s.value(0);
    const double* phi = s.at(k_potential);
    for (std::size_t d = 0; d < static_cast<std::size_t>(D); ++d) {
      const std::ptrdiff_t step = s.stride(k_potential)[d];
      rates[1 + d] = density * (Q::load(phi - step) - Q::load(phi + step));
    }
    rates[k_potential] = s.value(k_rate);
    rates[k_rate] = Q(0.0);
    return rates;
  }

  static Constraint constraint() { return {.unknown = k_potential, .rate = k_rate}; }
  /// laplace(phi), but for its mean.
  double right_side(std::span<const double> fields) const { return coupling * fields[0]; }

  static std::vector<std::string> start_names() {
    std::vector<std::string> names{"density", "velocity_x", "velocity_y", "velocity_z"};
    names.resize(1 + D);
    return names;
  }
  void start(const world::World& world, const Vec3& x, std::span<double> values) const {
    const std::vector<std::string> names = start_names();
    for (std::size_t f = 0; f < names.size(); ++f) {
      const auto found = world.fields.find(names[f]);
      values[f] =
          found == world.fields.end() ? (f == 0 ? 1.0 : 0.0) : found->second.evaluate(std::array{x.x, x.y, x.z, 0.0});
    }
    for (std::size_t d = 1; d <= static_cast<std::size_t>(D); ++d) values[d] *= values[0];
    values[k_potential] = values[k_rate] = 0;
  }

  static std::vector<Named> quantities() {
    std::vector<Named> all{{"density", "kg/m^3"}};
    for (int d = 0; d < D; ++d) all.push_back({std::string("velocity_") + "xyz"[d], "m/s"});
    all.push_back({"potential", "m^2/s^2"});
    return all;
  }
  void derive(std::span<const double> fields, std::span<double> quantities) const {
    quantities[0] = fields[0];
    for (std::size_t d = 1; d <= static_cast<std::size_t>(D); ++d) quantities[d] = fields[d] / fields[0];
    quantities[D + 1] = fields[k_potential];
  }

  static std::vector<Named> integrals() {
    const std::string thick = D == 2 ? "/m" : "";
    std::vector<Named> all{{"mass", "kg" + thick}};
    for (int d = 0; d < D; ++d) all.push_back({std::string("momentum_") + "xyz"[d], "N s" + thick});
    all.push_back({"kinetic_energy", "J" + thick});
    all.push_back({"potential_energy", "J" + thick});
    return all;
  }
  static std::vector<Named> largest() { return {{"max_density", "kg/m^3"}}; }
  void account(const Place&, std::span<const Input> cell, std::span<double> densities,
               std::span<double> largest) const {
    double twice = 0;
    largest[0] = densities[0] = *cell[0].at;
    for (std::size_t d = 1; d <= static_cast<std::size_t>(D); ++d) {
      densities[d] = *cell[d].at;
      twice += densities[d] * densities[d] / densities[0];
    }
    densities[D + 1] = 0.5 * twice;
    densities[D + 2] = 0.5 * densities[0] * *cell[k_potential].at;
  }

  std::string complaint(std::span<const double> fields) const {
    return "has the density " + text_of(fields[0]) + " kg/m^3, potential " + text_of(fields[k_potential]) +
           " m^2/s^2; the density must be positive and all values finite. Reduce method.cfl or domain.spacing";
  }
};

}  // namespace eddyline::physics::euler_poisson
