// OnDevice: body forces and terms by formulas.

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "solvers/sph/step/delta/on_device.hpp"

namespace eddyline::sph {

namespace {

device::HostProgram host_program(const physics::terms::Program& program, std::size_t variables) {
  device::HostProgram host;
  const auto target = program.of_target(), pair = program.of_pair();
  host.of_target.assign(target.begin(), target.end());
  host.of_pair.assign(pair.begin(), pair.end());
  host.outputs = program.outputs();
  for (std::size_t v = 0; v < variables; ++v) host.registers.push_back(program.register_of(v));
  return host;
}

}  // namespace

template <class T, int D>
void OnDevice<T, D>::set_terms(const physics::terms::PairProgram& pairs) {
  const auto& particles = update_.terms();
  const auto pair_variables = pairs.acts() ? physics::terms::pair_variables().size() : 0;
  const auto particle_variables = particles.acts ? physics::terms::particle_variables().size() : 0;
  device_.set_terms(host_program(pairs.program, pair_variables), host_program(particles.program, particle_variables));
}

template <class T, int D>
void OnDevice<T, D>::sum_rates(const DeltaSums<T, D>& sums) {
  device_.sum_rates(sweep_input(state_, domain_, scratch_), state_.constants.viscosity);
  const auto& pairs = sums.pair_terms();
  if (!std::exchange(terms_are_set_, true)) set_terms(pairs);
  if (!pairs.acts()) return;
  const auto in = sums.input_of_terms();
  device_.sum_terms({.path = in.path,
                     .quantum = in.quantum,
                     .half_path = in.half_path,
                     .inverse_radius = in.inverse_radius,
                     .kernel = in.kernel,
                     .slope = in.slope,
                     .sound_speed = in.sound_speed,
                     .density = in.density,
                     .sound_pressure = in.sound_pressure,
                     .volume = in.volume,
                     .per_unit = in.per_unit,
                     .central = pairs.central,
                     .vector = pairs.vector},
                    in.filled);
}

template <class T, int D>
void OnDevice<T, D>::compute_forces() {
  const auto& c = state_.constants;
  const auto& terms = update_.terms();
  device::ForceNumbers numbers;
  numbers.uniform = force_varies(state_.world) ? state_.world.gravity : forcing_.force({}, state_.time);
  numbers.time = state_.time;
  numbers.density = c.rho0, numbers.sound_pressure = c.rho0 * c.c0 * c.c0;
  numbers.by_terms = terms.acts;
  std::array<double, device::k_most_variables> at_time{};
  for (std::size_t v = 0; terms.acts && v < physics::terms::particle_variables().size(); ++v)
    if (physics::terms::particle_variables()[v].name == "t") at_time[v] = state_.time;
  std::vector<device::TermValue> filled;
  if (terms.acts) filled = terms.program.filled(at_time);
  device_.compute_forces(numbers, filled);
}

#define EDDYLINE_SPH_TERMS_ON_DEVICE(T, D)                                     \
  template void OnDevice<T, D>::set_terms(const physics::terms::PairProgram&); \
  template void OnDevice<T, D>::sum_rates(const DeltaSums<T, D>&);             \
  template void OnDevice<T, D>::compute_forces();

EDDYLINE_SPH_TERMS_ON_DEVICE(float, 2)
EDDYLINE_SPH_TERMS_ON_DEVICE(float, 3)
EDDYLINE_SPH_TERMS_ON_DEVICE(double, 2)
EDDYLINE_SPH_TERMS_ON_DEVICE(double, 3)

#undef EDDYLINE_SPH_TERMS_ON_DEVICE

}  // namespace eddyline::sph
