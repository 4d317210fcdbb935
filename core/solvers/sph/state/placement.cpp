#include "solvers/sph/state/placement.hpp"

namespace eddyline::sph {

template <class T, int D>
void place_fluid(const particles::Placement& placement, const Constants& c, FluidState<T, D>& fluid) {
  const std::size_t n = placement.fluid.size();
  fluid.for_each_array([n](auto& array) { array.assign(n, 0); });
  for (std::size_t i = 0; i < n; ++i) {
    const auto& particle = placement.fluid[i];
    fluid.id[i] = particle.id;
    fluid.buffer[i] = particle.buffer;
    const double p = particle.pressure / (c.rho0 * c.c0 * c.c0);
    fluid.s[i] = c.state.is_gas() ? particle.density / c.rho0 - 1 : c.state.density_excess(p);
    if (c.state.is_gas())
      fluid.classic->u[i] =
          c.c0 * c.c0 * physics::StateEquationIdealGas{c.state.gamma}.thermal_energy(1 + fluid.s[i], p);
    fluid.mass[i] = c.rho0 * (1 + fluid.s[i]) * particle.volume;
    for (int d = 0; d < D; ++d) fluid.x[d][i] = particle.position[d];
  }
}

template void place_fluid(const particles::Placement&, const Constants&, FluidState<float, 2>&);
template void place_fluid(const particles::Placement&, const Constants&, FluidState<float, 3>&);
template void place_fluid(const particles::Placement&, const Constants&, FluidState<double, 2>&);
template void place_fluid(const particles::Placement&, const Constants&, FluidState<double, 3>&);

}  // namespace eddyline::sph
