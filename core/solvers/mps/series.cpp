#include "solvers/mps/series.hpp"

#include <array>

#include "comm/sums.hpp"

namespace eddyline::mps {

template <int D>
std::vector<solver::Column> Budget<D>::columns() const {
  const std::string per_length = D == 2 ? "/m" : "";
  std::vector<solver::Column> columns{{"step", "1"}, {"particles", "1"}, {"mass", "kg" + per_length}};
  for (std::size_t d = 0; d < D; ++d) columns.push_back({std::string("momentum_") + "xyz"[d], "kg m/s" + per_length});
  columns.push_back({"kinetic_energy", "J" + per_length});
  columns.push_back({"potential_energy", "J" + per_length});
  columns.push_back({"max_speed", "m/s"});
  columns.push_back({"left_mass", "kg" + per_length});
  return columns;
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

template <int D>
std::vector<solver::Column> OpeningSeries<D>::columns() const {
  const std::string per_length = D == 2 ? "/m" : "";
  std::vector<solver::Column> columns{{"mass_flow", D == 2 ? "kg/(m s)" : "kg/s"}, {"mass", "kg" + per_length}};
  for (std::size_t d = 0; d < D; ++d) columns.push_back({std::string("momentum_") + "xyz"[d], "kg m/s" + per_length});
  return columns;
}

template <int D>
void OpeningSeries<D>::add(comm::Sums& sums) {
  index_ = sums.add(opening_.mass_flow);
  sums.add(opening_.mass);
  for (const auto& momentum : opening_.momentum) sums.add(momentum);
}

template <int D>
void OpeningSeries<D>::read(const comm::Sums& sums, std::vector<double>& row) {
  const auto values = sums.template values<2 + D>(index_);
  row.insert(row.end(), values.begin(), values.end());
}

template class OpeningSeries<2>;
template class OpeningSeries<3>;
template class Budget<2>;
template class Budget<3>;

}  // namespace eddyline::mps
