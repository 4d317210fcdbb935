#include "integrate/flow/constants.hpp"

#include <algorithm>

#include "physics/kernels/cubic_spline.hpp"
#include "physics/kernels/wendland_c2.hpp"

namespace eddyline::integrate {

using physics::StateEquation;
using physics::delta::FluidViscosity;

namespace {

// A of particle shifting: times the particle's own speed, or the highest one that the world expects.
constexpr double k_shifting_free_surface = 6, k_shifting_confined = 3;

bool has_free_surface(const world::World& world) {
  if (world.fluid.matter == world::Matter::ideal_gas) return false;
  return !world.regions.empty() || std::any_of(world.sides.begin(), world.sides.end(),
                                               [](const auto& side) { return side.kind == world::SideKind::open; });
}

}  // namespace

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
  free_surface = has_free_surface(world);
  const double strength = free_surface ? k_shifting_free_surface : k_shifting_confined;
  shifting_strength = method.shifting_strength > 0 ? method.shifting_strength : strength;
  acoustic_damping = free_surface ? 0.0 : method.acoustic_damping;
  viscosity = free_surface ? FluidViscosity::monaghan_cleary : FluidViscosity::morris;
}

void Constants::set_viscosity(const world::World& world) {
  nu = world.fluid.kinematic_viscosity;
  const double artificial = world.method.artificial_viscosity * length.smoothing_length * c0;
  nu_fluid = std::max(nu, artificial / (2 * (world.dimensions + 2)));
}

}  // namespace eddyline::integrate
