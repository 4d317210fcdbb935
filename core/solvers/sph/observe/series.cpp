#include "solvers/sph/observe/series.hpp"

#include <array>
#include <atomic>
#include <string>

#include "comm/sums.hpp"
#include "physics/sph/tension.hpp"
#include "physics/state_equations/linear.hpp"
#include "solvers/sph/solver.hpp"

namespace eddyline::sph {

template <class T, int D>
std::vector<solver::Column> Budget<T, D>::columns() const {
  return describe(state_.world).columns(name());
}

template <class T, int D>
void Budget<T, D>::add(comm::Sums& sums) {
  const auto& fluid = state_.fluid;
  const auto& c = state_.constants;
  const Vec3 gravity = state_.world.gravity;
  const bool has_heat = fluid.classic != nullptr;
  std::atomic<std::int64_t> particles{0};
  // Mass, momentum, kinetic, potential and inner energy.
  index_ = sums.template add_blocks<D + 4>(fluid.size(), [&](std::size_t first, std::size_t count, auto& of) {
    auto &mass = of[0], &kinetic = of[D + 1], &potential = of[D + 2], &inner = of[D + 3];
    BlockSum::Numbers v2{}, height{};
    std::int64_t flowing = 0;
    for (std::size_t l = 0; l < count; ++l) {
      const bool flows = fluid.buffer[first + l] == 0;
      mass[l] = flows ? fluid.mass[first + l] : 0.0;
      flowing += flows ? 1 : 0;
    }
    for (int d = 0; d < D; ++d) {
      const double *x = fluid.x[d] + first, *v = fluid.v[d] + first;
      for (std::size_t l = 0; l < count; ++l) {
        of[static_cast<std::size_t>(1 + d)][l] = mass[l] * v[l];
        v2[l] += v[l] * v[l];
        height[l] -= gravity[d] * x[l];
      }
    }
    for (std::size_t l = 0; l < count; ++l) {
      kinetic[l] = 0.5 * mass[l] * v2[l];
      potential[l] = mass[l] * height[l];
      inner[l] = has_heat ? mass[l] * fluid.classic->u[first + l]
                          : mass[l] * c.c0 * c.c0 * physics::StateEquationLinear::elastic_energy(fluid.s[first + l]);
    }
    particles.fetch_add(flowing, std::memory_order_relaxed);
  });
  if (has_heat) sums.add_total_of_last(3);  // of the energies
  ReproducibleSum counted;
  counted.add(static_cast<double>(particles));
  sums.add(counted);
  sums.add(state_.left_mass);
  if (has_tension_) index_of_tension_ = add_tension(sums);
}

/// Mass of the fluid with a pressure below physics::k_tension.
template <class T, int D>
std::size_t Budget<T, D>::add_tension(comm::Sums& sums) const {
  const auto& fluid = state_.fluid;
  const auto& state = state_.constants.state;
  return sums.template add_over<1>(fluid.size(), [&](std::size_t i) {
    const bool counts = fluid.buffer[i] == 0 && state.pressure(fluid.s[i], 0) < physics::k_tension;
    return std::array{counts ? fluid.mass[i] : 0.0};
  });
}

template <class T, int D>
void Budget<T, D>::read(const comm::Sums& sums, std::vector<double>& row) {
  const std::size_t amounts = D + 4 + (state_.fluid.classic ? 1 : 0);  // mass, momentum, energies
  row.insert(row.end(), {static_cast<double>(state_.steps), sums.value(index_ + amounts)});
  for (std::size_t k = 0; k < amounts; ++k) row.push_back(sums.value(index_ + k));
  row.insert(row.end(), {state_.control.latest.speed, sums.value(index_ + amounts + 1)});
  if (!has_tension_) return;
  const double mass = sums.value(index_);
  row.push_back(mass > 0 ? sums.value(index_of_tension_) / mass : 0.0);
}

template <class T, int D>
std::vector<solver::Column> OpeningSeries<T, D>::columns() const {
  return describe(state_.world).columns(name());
}

/// Dummy particles at the buffer belong to the opening.
template <class T, int D>
void OpeningSeries<T, D>::add(comm::Sums& sums) {
  index_ = sums.add(opening().mass_flow);
  sums.add(opening().mass);
  for (const auto& momentum : opening().momentum) sums.add(momentum);
  for (const auto& force : opening().force) sums.add(force);
  const double unit = loads_.force_unit();
  sums.template add_over<D>(state_.wall.size(), [&](std::size_t i) {
    std::array<double, D> v{};
    if (loads_.opening_beyond(i) == static_cast<std::int32_t>(number_))
      for (std::size_t d = 0; d < D; ++d)
        v[d] = unit * (static_cast<double>(scratch_.pressure_reaction[d][i]) +
                       static_cast<double>(scratch_.viscous_reaction[d][i]));
    return v;
  });
}

template <class T, int D>
void OpeningSeries<T, D>::read(const comm::Sums& sums, std::vector<double>& row) {
  const auto flow = sums.template values<2 + D>(index_);  // mass flow, mass, momentum
  row.insert(row.end(), flow.begin(), flow.end());
  const auto force = sums.template values<D>(index_ + 2 + D), beside = sums.template values<D>(index_ + 2 + 2 * D);
  for (std::size_t d = 0; d < D; ++d) row.push_back(force[d] - beside[d]);
}

template class Budget<float, 2>;
template class Budget<float, 3>;
template class Budget<double, 2>;
template class Budget<double, 3>;
template class OpeningSeries<float, 2>;
template class OpeningSeries<float, 3>;
template class OpeningSeries<double, 2>;
template class OpeningSeries<double, 3>;

}  // namespace eddyline::sph
