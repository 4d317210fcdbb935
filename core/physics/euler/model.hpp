#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "physics/equations/kernels.hpp"
#include "physics/equations/reconstruction.hpp"

namespace eddyline::physics::euler {

/// The Euler equations of an ideal gas: conserved means of density, momentum and energy per volume.
template <int D>
struct Euler {
  static constexpr std::size_t k_fields = D + 2, k_energy = D + 1;
  static constexpr Kind k_kind = Kind::fluxes;
  static constexpr bool k_constant_speed = false;
  static constexpr std::size_t k_momentum = 1;
  template <class Q>
  using State = ValuesOf<Q, k_fields>;  // density, then momentum and energy, or velocity and pressure

  double gamma;

  static std::vector<std::string> options() { return {}; }
  explicit Euler(const Settings& settings) : gamma(settings.world->fluid.gamma) {}

  std::vector<Field> fields() const {
    std::vector<Field> all{{"density", "kg/m^3", Meaning::average, Reach::star}};
    for (int d = 0; d < D; ++d)
      all.push_back({std::string("momentum_") + "xyz"[d], "kg/(m^2 s)", Meaning::average, Reach::star, d});
    all.push_back({"energy", "J/m^3", Meaning::average, Reach::star});
    return all;
  }

  template <class Q>
  EDDYLINE_INLINE State<Q> primitive(const State<Q>& u) const {
    State<Q> q;
    q[0] = u[0];
    const Q volume = Q(1.0) / u[0];
    Q twice = Q(0.0);
    for (std::size_t d = 1; d <= D; ++d) {
      q[d] = u[d] * volume;
      twice = twice + u[d] * q[d];
    }
    q[k_energy] = Q(gamma - 1) * (u[k_energy] - Q(0.5) * twice);
    return q;
  }
  template <class Q>
  EDDYLINE_INLINE Q margin_of_primitive(const State<Q>& q) const {
    return select(q[0] > q[k_energy], q[k_energy], q[0]);
  }
  template <class Q>
  EDDYLINE_INLINE Q margin(const State<Q>& u) const {
    return margin_of_primitive(primitive(u));
  }
  template <class Q>
  EDDYLINE_INLINE Q speed(const State<Q>& u) const {
    const State<Q> q = primitive(u);
    Q sum = Q(static_cast<double>(D)) * sqrt(Q(gamma) * q[k_energy] / q[0]);
    for (std::size_t d = 1; d <= D; ++d) sum = sum + abs(q[d]);
    return sum;
  }

  /// HLLC: the two outer waves and the contact between them.
  /// Source: Toro, Spruce, Speares 1994; speeds of the outer waves as Davis 1988.
  template <int Axis, class Q>
  EDDYLINE_INLINE State<Q> flux(const State<Q>& l, const State<Q>& r) const {
    constexpr std::size_t n = Axis + 1;  // normal component
    const Q zero(0.0), ratio(gamma);
    const Q cl = sqrt(ratio * l[k_energy] / l[0]), cr = sqrt(ratio * r[k_energy] / r[0]);
    const Q slowest = lesser(l[n] - cl, r[n] - cr), fastest = greater(l[n] + cl, r[n] + cr);
    const Q ml = l[0] * (slowest - l[n]), mr = r[0] * (fastest - r[n]);
    const Q contact = ((r[k_energy] - l[k_energy]) + ml * l[n] - mr * r[n]) / (ml - mr);
    const auto left = contact > zero;
    State<Q> q;  // of the side that the face sees
    for (std::size_t f = 0; f < k_fields; ++f) q[f] = select(left, l[f], r[f]);
    const Q wave = select(left, lesser(slowest, zero), greater(fastest, zero));
    Q twice = zero;
    for (std::size_t d = 1; d <= D; ++d) twice = twice + q[d] * q[d];
    const Q un = q[n], p = q[k_energy], energy = p * Q(1 / (gamma - 1)) + Q(0.5) * q[0] * twice;
    const Q squeeze = (wave - un) / (wave - contact), density = q[0] * squeeze;  // beyond the wave
    const Q more = (contact - un) * (q[0] * contact + p / (wave - un));
    State<Q> flux;
    flux[0] = q[0] * un + wave * (density - q[0]);
    for (std::size_t d = 1; d <= D; ++d) {
      const Q velocity = d == n ? contact : q[d];
      flux[d] = q[0] * un * q[d] + wave * (density * velocity - q[0] * q[d]);
    }
    flux[n] = flux[n] + p;
    flux[k_energy] = (energy + p) * un + wave * (squeeze * (energy + more) - energy);
    return flux;
  }

  /// Velocity into a wall at it: with a limited slope, of which the mirrored gas is one side.
  EDDYLINE_INLINE double against(const State<Pack<double, 1>>& q, const State<Pack<double, 1>>& next,
                                 const Wall& wall) const {
    const double area = norm(wall.area);
    double here = 0, beyond = 0;
    for (std::size_t d = 1; d <= D; ++d) {
      here += q[d].v * wall.area[static_cast<int>(d) - 1] / area;
      beyond += next[d].v * wall.area[static_cast<int>(d) - 1] / area;
    }
    if (!(wall.further > wall.distance)) return here;
    const Pack<double, 1> inner((here - beyond) / (wall.further - wall.distance)), outer(-here / wall.distance);
    return here + wall.distance * limited_slope(inner, outer).v;
  }
  /// Pressure on a wall that the gas flows against: that behind the shock it makes. On one that the gas leaves: that
  /// behind the expansion, where a power between two whole ones is interpolated between these.
  EDDYLINE_INLINE WallForce wall(const State<Pack<double, 1>>& q, const State<Pack<double, 1>>& next,
                                 const Wall& wall) const {
    return norm(wall.area) > 0 ? stop(q, against(q, next, wall), wall) : WallForce{};
  }
  EDDYLINE_INLINE WallForce stop(const State<Pack<double, 1>>& q, double speed, const Wall& wall) const {
    const double pressure = q[k_energy].v;
    const double sound = std::sqrt(gamma * pressure / q[0].v);
    if (speed > 0) {
      const double half = 0.25 * (gamma + 1) * speed;
      return {(pressure + q[0].v * speed * (half + std::sqrt(half * half + sound * sound))) * wall.area, {}};
    }
    const double base = std::max(0.0, 1 + 0.5 * (gamma - 1) * speed / sound);
    double power = 2 * gamma / (gamma - 1), behind = pressure;
    for (; power >= 1 && behind > 0; power -= 1) behind *= base;
    return {behind * (1 - power + power * base) * wall.area, {}};
  }

  std::vector<std::string> start_names() const { return {}; }
  void start(const world::World& world, const Vec3& x, std::span<double> u) const {
    const std::array at{x.x, x.y, x.z, 0.0};
    const world::Region* inside = nullptr;
    for (const world::Region& region : world.regions)
      if (region.shape->signed_distance(x) <= 0) {
        inside = &region;
        break;
      }
    const world::Start& start = world.start;
    const Vec3 velocity{start.velocity[0].evaluate(at), start.velocity[1].evaluate(at),
                        D == 3 ? start.velocity[2].evaluate(at) : 0.0};
    conserve(inside != nullptr ? inside->density.evaluate(at) : start.density.evaluate(at), velocity,
             inside != nullptr ? inside->pressure.evaluate(at) : start.pressure.evaluate(at), u);
  }
  void conserve(double density, const Vec3& velocity, double pressure, std::span<double> u) const {
    u[0] = density;
    double twice = 0;
    for (std::size_t d = 0; d < D; ++d) {
      const double v = velocity[static_cast<int>(d)];
      u[d + 1] = density * v;
      twice += v * v;
    }
    u[k_energy] = pressure / (gamma - 1) + 0.5 * density * twice;
  }

  /// Walls reflect. An open side, and an outflow without a pressure, repeat the last cell.
  Beyond side(const world::World& world, std::size_t number) const {
    const world::SideKind kind = world.sides[number].kind;
    if (kind == world::SideKind::periodic) return Beyond::periodic;
    if (kind == world::SideKind::wall) return Beyond::mirror;
    if (kind == world::SideKind::open) return Beyond::copy;
    if (kind == world::SideKind::inflow) return Beyond::own;
    if (kind == world::SideKind::outflow) {
      const world::Opening* opening = opening_of(world, number);
      return opening != nullptr && opening->pressure_imposed ? Beyond::own : Beyond::copy;
    }
    throw UserError("boundaries: the sides of a gas are periodic, wall, open, inflow or outflow.");
  }
  /// An inflow gives density and velocity, and the pressure if it has one; an outflow gives the pressure to gas that
  /// leaves slower than sound. All else is that of the last cell.
  void fill_beyond(const world::World& world, const AcrossSide& row) const {
    const world::Opening* opening = opening_of(world, row.side);
    if (opening == nullptr) return;
    const std::array at{row.position.x, row.position.y, row.position.z, row.time};
    std::array<double, k_fields> u;
    for (std::size_t f = 0; f < k_fields; ++f) u[f] = row.inside(f, 0);
    const State<Pack<double, 1>> last = primitive_of(u);
    double density = last[0].v, pressure = last[k_energy].v;
    Vec3 velocity;
    for (int d = 0; d < D; ++d)
      velocity[d] = opening->inflow ? opening->velocity[static_cast<std::size_t>(d)].evaluate(at)
                                    : last[static_cast<std::size_t>(d) + 1].v;
    const double outwards = -opening->inward * velocity[opening->axis];
    const bool leaves_fast = !opening->inflow && outwards * outwards * density > gamma * pressure && outwards > 0;
    if (opening->inflow) density = opening->density;
    if (opening->pressure_imposed && !leaves_fast) pressure = opening->pressure.evaluate(at);
    conserve(density, velocity, pressure, u);
    for (std::size_t f = 0; f < k_fields; ++f)
      for (std::int32_t k = 0; k < row.ghosts; ++k) row.ghost(f, k) = u[f];
  }

  static std::vector<Named> quantities() {
    std::vector<Named> all{{"density", "kg/m^3"}, {"pressure", "Pa"}, {"speed", "m/s"}, {"mach", ""}};
    for (int d = 0; d < D; ++d) all.push_back({std::string("velocity_") + "xyz"[d], "m/s"});
    return all;
  }
  void derive(std::span<const double> fields, std::span<double> out) const {
    const State<Pack<double, 1>> q = primitive_of(fields);
    double squares = 0;
    for (std::size_t d = 1; d <= D; ++d) squares += q[d].v * q[d].v;
    out[0] = q[0].v, out[1] = q[k_energy].v, out[2] = std::sqrt(squares);
    out[3] = out[2] / std::sqrt(gamma * q[k_energy].v / q[0].v);
    for (std::size_t d = 1; d <= D; ++d) out[3 + d] = q[d].v;
  }

  static std::vector<Named> integrals() {
    const std::string mass = D == 2 ? "kg/m" : "kg", momentum = D == 2 ? "kg/s" : "kg m/s",
                      energy = D == 2 ? "J/m" : "J";
    std::vector<Named> all{{"mass", mass}};
    for (int d = 0; d < D; ++d) all.push_back({std::string("momentum_") + "xyz"[d], momentum});
    all.push_back({"total_energy", energy});
    all.push_back({"kinetic_energy", energy});
    return all;
  }
  static std::vector<Named> largest() {
    return {{"max_speed", "m/s"}, {"max_density", "kg/m^3"}, {"max_pressure", "Pa"}, {"max_mach", ""}};
  }
  void account(const Place&, std::span<const Input> cell, std::span<double> densities,
               std::span<double> largest) const {
    std::array<double, k_fields> u;
    for (std::size_t f = 0; f < k_fields; ++f) densities[f] = u[f] = *cell[f].at;
    std::array<double, 4 + D> found;
    derive(u, found);
    densities[k_fields] = 0.5 * u[0] * found[2] * found[2];
    largest[0] = found[2], largest[1] = found[0], largest[2] = found[1], largest[3] = found[3];
  }

  std::string complaint(std::span<const double> fields) const {
    const State<Pack<double, 1>> q = primitive_of(fields);
    return "has density " + text_of(q[0].v) + " kg/m^3 and pressure " + text_of(q[k_energy].v) +
           " Pa, which must be positive. Reduce method.cfl or domain.spacing, or write method.reconstruction = "
           "\"muscl\"";
  }

 private:
  static EDDYLINE_INLINE auto lesser(auto a, auto b) { return select(b > a, a, b); }
  static EDDYLINE_INLINE auto greater(auto a, auto b) { return select(a > b, a, b); }

  /// The opening that covers a side; null if there is none.
  static const world::Opening* opening_of(const world::World& world, std::size_t side) {
    for (const world::Opening& opening : world.openings)
      if (opening.axis == static_cast<int>(side / 2) && opening.inward == (side % 2 == 0 ? 1 : -1)) return &opening;
    return nullptr;
  }

  State<Pack<double, 1>> primitive_of(std::span<const double> fields) const {
    State<Pack<double, 1>> u;
    for (std::size_t f = 0; f < k_fields; ++f) u[f] = fields[f];
    return primitive(u);
  }
};

}  // namespace eddyline::physics::euler
