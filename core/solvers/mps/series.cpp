#include "solvers/mps/series.hpp"

#include <array>

#include "comm/sums.hpp"
#include "solvers/mps/solver.hpp"

namespace eddyline::mps {

template <int D>
std::vector<solver::Column> Budget<D>::columns() const {
  return describe(liquid_.world()).columns(name());
}
template <int D>
std::vector<solver::Column> SolverSeries<D>::columns() const {
  return describe(liquid_.world()).columns(name());
}
template <int D>
std::vector<solver::Column> OpeningSeries<D>::columns() const {
  return describe(liquid_.world()).columns(name());
}

template <int D>
void Budget<D>::add(comm::Sums& sums) {
  const auto& fluid = liquid_.fluid;
  const Vec3 gravity = liquid_.world().gravity;
  index_ = sums.template add_over<D + 3>(fluid.size(), [&](std::size_t i) {
    const Vec3 x = vector_of(fluid.x, i), v = vector_of(fluid.v, i);
    std::array<double, D + 3> terms{};
    if (fluid.buffer[i] != 0) return terms;
    const double mass = liquid_.mass_of(i);
    terms[0] = mass;
    for (int d = 0; d < D; ++d) terms[static_cast<std::size_t>(1 + d)] = mass * v[d];
    terms[D + 1] = 0.5 * mass * dot(v, v);
    terms[D + 2] = -mass * dot(gravity, x);
    return terms;
  });
  ReproducibleSum counted;
  counted.add(static_cast<double>(fluid.size()) - static_cast<double>(liquid_.openings.members().size()));
  sums.add(counted);
  sums.add(liquid_.left_mass);
}

template <int D>
void Budget<D>::read(const comm::Sums& sums, std::vector<double>& row) {
  row.insert(row.end(), {static_cast<double>(liquid_.steps), sums.value(index_ + D + 3)});
  for (std::size_t k = 0; k < D + 3; ++k) row.push_back(sums.value(index_ + k));
  row.insert(row.end(), {step_.control.speed, sums.value(index_ + D + 4)});
}

/// Walls within R beyond the opening belong to it.
template <int D>
void OpeningSeries<D>::add(comm::Sums& sums) {
  index_ = sums.add(opening_.mass_flow);
  sums.add(opening_.mass);
  for (const auto& momentum : opening_.momentum) sums.add(momentum);
  for (const auto& force : opening_.force) sums.add(force);
  sums.template add_over<D>(liquid_.wall.size(), [&](std::size_t i) {
    std::array<double, D> all{};
    if (!loads_.is_beyond(opening_, i)) return all;
    const Vec3 reaction = loads_.reaction_on(i);
    for (int d = 0; d < D; ++d) all[static_cast<std::size_t>(d)] = reaction[d];
    return all;
  });
}

template <int D>
void OpeningSeries<D>::read(const comm::Sums& sums, std::vector<double>& row) {
  const auto values = sums.template values<2 + D>(index_);  // mass flow, mass, momentum
  row.insert(row.end(), values.begin(), values.end());
  const auto force = sums.template values<D>(index_ + 2 + D), beside = sums.template values<D>(index_ + 2 + 2 * D);
  for (std::size_t d = 0; d < D; ++d) row.push_back(force[d] - beside[d]);
}

template class SolverSeries<2>;
template class SolverSeries<3>;
template class OpeningSeries<2>;
template class OpeningSeries<3>;
template class Budget<2>;
template class Budget<3>;

}  // namespace eddyline::mps
