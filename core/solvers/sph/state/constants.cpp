#include "solvers/sph/state/constants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "physics/kernels/cubic_spline.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/sph/viscosity.hpp"
#include "physics/sph/volume_fraction.hpp"

namespace eddyline::sph {

using physics::StateEquation;
using physics::delta::FluidViscosity;

namespace {

// A of particle shifting. It multiplies the particle's own speed and the shear, or the highest speed that the world
// expects.
constexpr double k_shifting_free_surface = 6, k_shifting_confined = 3;

// alpha of the damping of sound. Falling water is louder than a stream that enters.
constexpr double k_damping_free_surface = 0.2, k_damping_confined = 0.1;

/// sum W over a lattice, with the particle at the centre, W without its constant. With the constant and dx^D it is
/// 1.0012 for h = 2 dx in 2D. rows_above: number of rows above the centre that count; 0 for the first row below a flat
/// surface.
double lattice_sum(const Vec3& step, int dimensions, double R, int rows_above) {
  const auto most = [&](double side) { return static_cast<int>(R / side); };
  const int last_x = most(step.x), last_y = most(step.y), last_z = dimensions == 3 ? most(step.z) : 0;
  double sum = 0;
  for (int x = -last_x; x <= last_x; ++x)
    for (int y = -last_y; y <= std::min(last_y, rows_above); ++y)
      for (int z = -last_z; z <= last_z; ++z) {
        const Vec3 r{x * step.x, y * step.y, z * step.z};
        sum += physics::WendlandC2::value(std::min(1.0, std::sqrt(r.x * r.x + r.y * r.y + r.z * r.z) / R));
      }
  return sum;
}

}  // namespace

bool has_free_surface(const world::World& world) {
  if (world.fluid.matter == world::Matter::ideal_gas) return false;
  return !world.regions.empty() || std::any_of(world.sides.begin(), world.sides.end(),
                                               [](const auto& side) { return side.kind == world::SideKind::open; });
}

Constants::Constants(const world::World& world)
    : length(particles::lengths(world)),
      fixed(length.interaction_radius),
      rho0(world.fluid.density),
      c0(world.fluid.sound_speed) {
  const auto& method = world.method;
  const double R = length.interaction_radius;
  scale = fixed.quantum() / R;
  set_viscosity(world);
  const Vec3 step = particles::lattice_spacing(world);
  volume = step.x * step.y * (world.dimensions == 3 ? step.z : 1.0);
  inverse_c0 = 1 / c0;
  inverse_mass = 1 / (rho0 * volume);
  const double radius = world.dimensions == 3 ? R * R * R : R * R;
  const bool classic = method.scheme == world::Scheme::classic;
  const bool gas = world.fluid.matter == world::Matter::ideal_gas;
  kernel = classic ? (4 << world.dimensions) * physics::CubicSpline::sigma(world.dimensions) * volume / radius
                   : 20 * physics::WendlandC2::sigma(world.dimensions) * volume / radius;
  state.gamma = world.fluid.gamma;
  state.kind = !classic ? StateEquation::Kind::linear
               : gas    ? StateEquation::Kind::ideal_gas
                        : StateEquation::Kind::tait;
  rate = c0 / R;
  speed_limit = method.speed_limit > 0 ? method.speed_limit : gas ? 10 * c0 : c0;
  thinnest = gas ? -1 : -0.5;
  densest = gas ? INFINITY : 0.5;
  free_surface = has_free_surface(world);
  const double strength = free_surface ? k_shifting_free_surface : k_shifting_confined;
  shifting_strength = method.shifting_strength > 0 ? method.shifting_strength : strength;
  const double damping = free_surface ? k_damping_free_surface : k_damping_confined;
  acoustic_damping = method.acoustic_damping >= 0 ? method.acoustic_damping : damping;
  const double whole = lattice_sum(step, world.dimensions, R, std::numeric_limits<int>::max());
  to_volume_fraction = free_surface ? 1 / whole : kernel / 20;
  loose = physics::k_loose * lattice_sum(step, world.dimensions, R, 0) / whole;
  const int D = world.dimensions;
  shear_rate2 = rate * rate * (D + 2) * physics::central_viscosity_constant<double>(D) * kernel;
  viscosity = free_surface ? FluidViscosity::central : FluidViscosity::morris;
}

void Constants::set_viscosity(const world::World& world) {
  nu = world.fluid.kinematic_viscosity;
  const double artificial = world.method.artificial_viscosity * length.smoothing_length * c0;
  nu_fluid = std::max(nu, artificial / (2 * (world.dimensions + 2)));
}

}  // namespace eddyline::sph
