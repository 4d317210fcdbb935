#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "physics/equations/kernels.hpp"
#include "physics/gravity/teukolsky.hpp"
#include "physics/wave/laplacian.hpp"

namespace eddyline::physics::gravity {

/// Gravitational waves in empty space: the field equations, linear in the difference h_ij from flat space, with
/// coordinates in which h_ij is transverse and has no trace (d_j h_ij = 0, h_ii = 0):
///
///   dh_ij/dt = k_ij,  dk_ij/dt = c^2 laplace(h_ij)
///
/// with differences of order 4. Both constraints hold at all times if they hold at the start.
template <int D>
struct Gravity {
  static_assert(D == 3);
  static constexpr std::size_t k_components = 6, k_fields = 2 * k_components;
  static constexpr Kind k_kind = Kind::rates;
  static constexpr int k_order = 4;
  static constexpr std::int32_t k_reach = k_order / 2;
  static constexpr bool k_constant_speed = true;
  /// Axes of the components: xx, xy, xz, yy, yz, zz.
  static constexpr std::array<std::array<std::size_t, 2>, k_components> k_axes{
      {{{0, 0}}, {{0, 1}}, {{0, 2}}, {{1, 1}}, {{1, 2}}, {{2, 2}}}};
  static constexpr std::array<const char*, k_fields> k_names{"h_xx", "h_xy", "h_xz", "h_yy", "h_yz", "h_zz",
                                                             "k_xx", "k_xy", "k_xz", "k_yy", "k_yz", "k_zz"};

  double wave_speed;  // c [m/s]
  Teukolsky wave;     // the exact solution, if the world starts with it

  static std::vector<std::string> options() { return {"wave_speed", "amplitude", "width"}; }
  explicit Gravity(const Settings& settings)
      : wave_speed(settings.number("wave_speed", 1)),
        wave(settings.number("amplitude", 0), settings.number("width", 1), wave_speed) {
    if (!(wave_speed > 0)) throw UserError("method.wave_speed must be positive.");
    if (!(settings.number("width", 1) > 0)) throw UserError("method.width must be positive.");
    if (wave.is_there() && !settings.world->fields.empty())
      throw UserError("start.fields: method.amplitude gives the start. Remove one of them.");
    for (std::size_t side = 0; side < 2 * static_cast<std::size_t>(D); ++side)
      radiates = radiates || settings.world->sides[side].kind == world::SideKind::open;
  }

  std::vector<Field> fields() const {
    std::vector<Field> fields;
    for (std::size_t f = 0; f < k_components; ++f) fields.push_back({k_names[f], "", Meaning::point, Reach::star});
    for (std::size_t f = k_components; f < k_fields; ++f)
      fields.push_back({k_names[f], "1/s", Meaning::point, radiates ? Reach::star : Reach::none});
    return fields;
  }

  template <class Q>
  EDDYLINE_INLINE Q margin(const ValuesOf<Q, k_fields>& at) const {
    Q zero = at[0] - at[0];
    for (std::size_t f = 1; f < k_fields; ++f) zero = zero + (at[f] - at[f]);
    return Q(1.0) - zero;
  }
  template <class Q>
  EDDYLINE_INLINE Q speed(const ValuesOf<Q, k_fields>&) const {
    return Q(wave_speed * std::sqrt(static_cast<double>(D)));
  }
  template <class Q>
  EDDYLINE_INLINE ValuesOf<Q, k_fields> rates(const Stencil<Q>& s) const {
    const double per_cell = wave_speed / s.spacing;
    ValuesOf<Q, k_fields> rates;
    for (std::size_t c = 0; c < k_components; ++c) {
      rates[c] = s.value(k_components + c);
      rates[k_components + c] = Q(per_cell * per_cell) * wave::laplacian<k_order, D, Q>(s.at(c), s.stride(c));
    }
    return rates;
  }

  void start(const world::World& world, const Vec3& x, std::span<double> values) const {
    if (wave.is_there()) {
      const Teukolsky::State exact = wave.at(x, 0);
      std::ranges::copy(exact.h, values.begin());
      std::ranges::copy(exact.rate, values.begin() + k_components);
      return;
    }
    for (std::size_t f = 0; f < k_fields; ++f) {
      const auto found = world.fields.find(k_names[f]);
      values[f] = found == world.fields.end() ? 0.0 : found->second.evaluate(std::array{x.x, x.y, x.z, 0.0});
    }
  }

  /// A wall that slips is a plane of symmetry. Waves pass open sides.
  Beyond side(const world::World& world, std::size_t number) const {
    const world::Side& given = world.sides[number];
    if (given.kind == world::SideKind::periodic) return Beyond::periodic;
    if (given.kind == world::SideKind::open) return Beyond::own;
    if (given.kind == world::SideKind::wall && !given.slides() && given.slip) return Beyond::own;
    throw UserError("boundaries: the sides of gravitational waves are periodic, open, or walls with slip = true.");
  }
  /// A plane of symmetry mirrors components, with a change of sign for each index that is the axis of the side. Waves
  /// that leave keep dh/dn = -k/c; the exact solution falls like 1/r besides and comes from the origin, r = 0:
  /// dh/dn = -(k/c + h/r) x_n/r.
  void fill_beyond(const world::World& world, const AcrossSide& row) const {
    const bool is_open = world.sides[row.side].kind == world::SideKind::open;
    const std::size_t axis = row.side / 2;
    double slope = 1, decay = 0;
    if (wave.is_there()) {
      const Vec3& x = row.position;
      const double r = std::sqrt(x.x * x.x + x.y * x.y + x.z * x.z);
      if (r > 0) slope = std::abs(x[static_cast<int>(axis)]) / r, decay = 1 / r;
    }
    for (std::size_t c = 0; c < k_components; ++c) {
      const std::size_t rate = k_components + c;
      if (is_open) {
        const double k_side = 1.5 * row.inside(rate, 0) - 0.5 * row.inside(rate, 1);
        const double h_side = 1.5 * row.inside(c, 0) - 0.5 * row.inside(c, 1);
        const double outwards = -slope * (k_side / wave_speed + decay * h_side);
        for (std::int32_t k = 0; k < row.ghosts; ++k) {
          row.ghost(c, k) = row.inside(c, k) + (2 * k + 1) * row.spacing * outwards;
          row.ghost(rate, k) = k_side;
        }
        continue;
      }
      const double sign = (k_axes[c][0] == axis) != (k_axes[c][1] == axis) ? -1 : 1;
      for (const std::size_t f : {c, rate}) {
        if (row.first_inside[f] == nullptr) continue;
        for (std::int32_t k = 0; k < row.ghosts; ++k) row.ghost(f, k) = sign * row.inside(f, k);
      }
    }
  }

  static std::vector<Named> quantities() {
    return {{"h_xx", ""}, {"h_xy", ""}, {"h_xz", ""}, {"h_yy", ""}, {"h_yz", ""}, {"h_zz", ""}};
  }
  void derive(std::span<const double> fields, std::span<double> quantities) const {
    std::ranges::copy(fields.first(k_components), quantities.begin());
  }

  std::vector<Named> integrals() const {
    std::vector<Named> names{{"energy", "m^3/s^2"}, {"divergence_2", "m"}, {"trace_2", "m^3"}};
    if (wave.is_there()) names.push_back({"error_2", "m^3"});
    return names;
  }
  std::vector<Named> largest() const {
    std::vector<Named> names{{"max_h", ""}};
    if (wave.is_there()) names.push_back({"max_error", ""});
    return names;
  }
  /// The energy is the integral of [k_ij k_ij - c^2 h_ij laplace(h_ij)]/2, as differences in space conserve it; the
  /// other two are those of the squares of d_j h_ij and h_ii, which are zero. The error of all components, and the
  /// square of that of h_zz, are those against the exact solution.
  void account(const Place& place, std::span<const Input> cell, std::span<double> densities,
               std::span<double> largest) const {
    using One = Pack<double, 1>;
    const auto component = [](std::size_t i, std::size_t j) {
      const std::size_t low = std::min(i, j), high = std::max(i, j);
      return low == 0 ? high : low + high + 1;
    };
    const double stiffness = (wave_speed / place.spacing) * (wave_speed / place.spacing);
    double energy = 0, most = 0;
    for (std::size_t c = 0; c < k_components; ++c) {
      const double h = *cell[c].at, k = *cell[k_components + c].at, count = k_axes[c][0] == k_axes[c][1] ? 1 : 2;
      energy += count * (k * k - stiffness * h * wave::laplacian<k_order, D, One>(cell[c].at, cell[c].stride).v);
      most = std::max(most, std::abs(h));
    }
    densities[0] = 0.5 * energy;
    densities[1] = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      double divergence = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        const Input& h = cell[component(i, j)];
        const std::ptrdiff_t step = h.stride[j];
        divergence += (8 * (h.at[step] - h.at[-step]) - (h.at[2 * step] - h.at[-2 * step])) / (12 * place.spacing);
      }
      densities[1] += divergence * divergence;
    }
    const double trace = (*cell[0].at + *cell[3].at) + *cell[5].at;
    densities[2] = trace * trace;
    largest[0] = most;
    if (!wave.is_there()) return;
    const Teukolsky::State exact = wave.at(place.centre(place.cells.lower, D), place.time);
    largest[1] = 0;
    densities[3] = (*cell[5].at - exact.h[5]) * (*cell[5].at - exact.h[5]);
    for (std::size_t c = 0; c < k_components; ++c)
      largest[1] = std::max(largest[1], std::abs(*cell[c].at - exact.h[c]));
  }

  /// Only h refines: k varies by h times a frequency, which is up to c/dx.
  double indicator_scale(std::size_t field, double spacing) const {
    return field < k_components ? 1 : spacing / wave_speed;
  }

  bool radiates = false;  // through an open side
};

}  // namespace eddyline::physics::gravity
