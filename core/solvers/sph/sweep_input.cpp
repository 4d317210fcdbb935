#include "solvers/sph/sweep_input.hpp"

#include <algorithm>
#include <limits>

#include "physics/kernels/wendland_c2.hpp"
#include "physics/sph/viscosity.hpp"

namespace eddyline::sph {

using physics::delta::FluidViscosity;

namespace {

constexpr double k_no_step = 1e-20;  // replaces a step of length 0, which has no inverse

}  // namespace

template <class T, int D>
physics::delta::SweepInput<T> sweep_input(const State<T, D>& state, const Domain<T, D>& domain,
                                          const Scratch<T, D>& scratch) {
  const Constants& c = state.constants;
  physics::delta::SweepInput<T> in;
  in.midpoint_fluid = scratch.midpoint_rows.data();
  in.end_fluid = scratch.end_rows.data();
  in.walls = scratch.walls.data();
  in.nodes = scratch.nodes.data();
  in.prefetch_distance = neighbors::prefetch_distance(domain.fluid_rows);
  const double R = c.length.interaction_radius;
  in.scale = static_cast<T>(c.scale);
  in.kernel_constant = static_cast<T>(c.kernel);
  const double w_dx = physics::WendlandC2::value(c.length.spacing / R);
  in.crowding = static_cast<T>(0.2 / (w_dx * w_dx * w_dx * w_dx));
  const double central = 2 * (D + 2) * physics::central_viscosity_constant<double>(D);
  const double weight = c.viscosity == FluidViscosity::morris ? 2 : central;
  in.nu_fluid = static_cast<T>(weight * c.nu_fluid / (c.c0 * R));
  in.diffusion = static_cast<T>(state.world.method.density_diffusion);
  in.per_step = static_cast<T>(1 / std::max(state.time_step * c.rate * c.kernel, k_no_step));
  in.min_pressure_at_walls = c.free_surface ? T(0) : std::numeric_limits<T>::lowest();
  in.nu_wall = static_cast<T>(weight * c.nu / (c.c0 * R));
  return in;
}

template physics::delta::SweepInput<float> sweep_input(const State<float, 2>&, const Domain<float, 2>&,
                                                       const Scratch<float, 2>&);
template physics::delta::SweepInput<float> sweep_input(const State<float, 3>&, const Domain<float, 3>&,
                                                       const Scratch<float, 3>&);
template physics::delta::SweepInput<double> sweep_input(const State<double, 2>&, const Domain<double, 2>&,
                                                        const Scratch<double, 2>&);
template physics::delta::SweepInput<double> sweep_input(const State<double, 3>&, const Domain<double, 3>&,
                                                        const Scratch<double, 3>&);

}  // namespace eddyline::sph
