#include "observe/observers.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/reproducible_sum.hpp"
#include "observe/sampler.hpp"
#include "physics/state_equations/linear.hpp"

namespace eddyline::observe {

namespace {

constexpr std::array<std::string_view, 3> k_axis_names{"x", "y", "z"};
constexpr std::array<std::string_view, 6> k_side_names{"left", "right", "bottom", "top", "front", "back"};

template <int D>
Vec3 vector_of(const VectorArray<double, D>& field, std::size_t i) {
  Vec3 v;
  for (int d = 0; d < D; ++d) v[d] = field[d][i];
  return v;
}

template <int D>
void add_vector(Series& series, const std::string& name, const std::string& unit) {
  for (std::size_t d = 0; d < D; ++d) {
    series.columns.push_back(name + "_" + std::string(k_axis_names[d]));
    series.units.push_back(unit);
  }
}

/// Sums value(i) over particles exactly, in parallel; value returns an array of N doubles.
template <std::size_t N, class Value>
std::array<double, N> sum_over(std::int64_t n, Value&& value) {
  std::array<ReproducibleSum, N> total;
#pragma omp parallel
  {
    std::array<ReproducibleSum, N> own;
#pragma omp for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const std::array<double, N> v = value(static_cast<std::size_t>(i));
      for (std::size_t k = 0; k < N; ++k) own[k].add(v[k]);
    }
#pragma omp critical
    for (std::size_t k = 0; k < N; ++k) total[k].merge(own[k]);
  }
  std::array<double, N> result;
  for (std::size_t k = 0; k < N; ++k) result[k] = total[k].value();
  return result;
}

}  // namespace

template <class T, int D>
Observers<T, D>::Observers(const integrate::Flow<T, D>& flow) : flow_(flow) {
  const auto& world = flow.world();
  const std::string per_length = D == 2 ? "/m" : "";
  Series budget{"budget", {"time", "step", "particles", "mass"}, {"s", "1", "1", "kg" + per_length}, {}};
  add_vector<D>(budget, "momentum", "kg m/s" + per_length);
  // The thermal energy of classic holds the work of compression as well.
  std::vector<const char*> energies{"kinetic_energy", "potential_energy"};
  if (flow.fluid.classic)
    energies.insert(energies.end(), {"thermal_energy", "total_energy"});
  else
    energies.push_back("elastic_energy");
  for (const char* name : energies) {
    budget.columns.emplace_back(name);
    budget.units.push_back("J" + per_length);
  }
  budget.columns.insert(budget.columns.end(), {"max_speed", "left_mass"});  // left through open sides
  budget.units.insert(budget.units.end(), {"m/s", "kg" + per_length});
  series_.push_back(budget);

  const auto add_force = [&](std::string_view name, std::int32_t owner) {
    Series force{"force." + std::string(name), {"time"}, {"s"}, {}};
    for (const char* part : {"total", "pressure", "viscous"}) add_vector<D>(force, part, "N" + per_length);
    series_.push_back(force);
    force_owners_.push_back(owner);
  };
  for (std::size_t b = 0; b < world.bodies.size(); ++b) add_force(world.bodies[b].name, static_cast<std::int32_t>(b));
  for (std::size_t s = 0; s < 2 * D; ++s)
    if (world.sides[s].kind == world::SideKind::wall) add_force(k_side_names[s], -1 - static_cast<std::int32_t>(s));

  for (std::size_t i = 0; i < flow.wall.id.size(); ++i) {
    std::int32_t beyond = -1;
    for (std::size_t o = 0; o < flow.openings.all().size(); ++o) {
      const auto& sites = flow.openings.all()[o].sites;
      if (sites.is_beyond(vector_of(flow.wall.x, i), flow.constants().length.interaction_radius))
        beyond = static_cast<std::int32_t>(o);
    }
    beyond_.push_back(beyond);
  }
  for (const auto& opening : flow.openings.all()) {
    Series series{"opening." + opening.world.name,
                  {"time", "mass_flow", "mass"},
                  {"s", D == 2 ? "kg/(m s)" : "kg/s", "kg" + per_length},
                  {}};
    add_vector<D>(series, "momentum", "kg m/s" + per_length);
    add_vector<D>(series, "force", "N" + per_length);
    series_.push_back(series);
  }

  for (const auto& probe : world.probes) {
    Series series{probe.name, {"time", "pressure"}, {"s", "Pa"}, {}};
    add_vector<D>(series, "velocity", "m/s");
    series.columns.emplace_back("fluid_fraction");
    series.units.emplace_back("1");
    series_.push_back(series);
  }
  for (const auto& gauge : world.gauges) series_.push_back({gauge.name, {"time", "height"}, {"s", "m"}, {}});
  for (const auto& f : world.fronts) series_.push_back({f.name, {"time", "position"}, {"s", "m"}, {}});
}

template <class T, int D>
void Observers<T, D>::observe_budget(Series& series) const {
  const auto& fluid = flow_.fluid;
  const auto& c = flow_.constants();
  const Vec3 gravity = flow_.world().gravity;
  const bool has_heat = fluid.classic;
  const auto sums = sum_over<D + 5>(fluid.size(), [&](std::size_t i) {
    std::array<double, D + 5> v{};
    if (fluid.buffer[i] != 0) return v;
    double v2 = 0, height = 0;
    for (int d = 0; d < D; ++d) {
      v[static_cast<std::size_t>(1 + d)] = fluid.mass[i] * fluid.v[d][i];
      v2 += fluid.v[d][i] * fluid.v[d][i];
      height -= gravity[d] * fluid.x[d][i];
    }
    v[0] = fluid.mass[i];
    v[D + 1] = 0.5 * fluid.mass[i] * v2;
    v[D + 2] = fluid.mass[i] * height;
    v[D + 3] = has_heat ? fluid.mass[i] * fluid.u[i]
                        : fluid.mass[i] * c.c0 * c.c0 * physics::StateEquationLinear::elastic_energy(fluid.s[i]);
    v[D + 4] = v[D + 1] + v[D + 2] + v[D + 3];
    return v;
  });
  series.values.insert(series.values.end(),
                       {flow_.time, static_cast<double>(flow_.steps),
                        static_cast<double>(fluid.size()) - static_cast<double>(flow_.openings.members().size())});
  series.values.insert(series.values.end(), sums.begin(), sums.end() - (has_heat ? 0 : 1));
  series.values.insert(series.values.end(), {flow_.control.speed, flow_.left_mass});
}

/// Unit of the reaction sums [N, or N/m in 2D].
template <class T, int D>
double Observers<T, D>::force_unit() const {
  const auto& c = flow_.constants();
  return c.rho0 * c.volume * c.rate * c.c0 * c.kernel;
}

template <class T, int D>
void Observers<T, D>::observe_forces() {
  const double unit = force_unit();
  for (std::size_t f = 0; f < force_owners_.size(); ++f) {
    const std::int32_t owner = force_owners_[f];
    const auto sums = sum_over<2 * D>(flow_.wall.size(), [&](std::size_t i) {
      std::array<double, 2 * D> v{};
      if (flow_.wall.owner[i] == owner && beyond_[i] < 0)
        for (std::size_t d = 0; d < D; ++d) {
          v[d] = unit * static_cast<double>(flow_.pressure_reaction[d][i]);
          v[D + d] = unit * static_cast<double>(flow_.viscous_reaction[d][i]);
        }
      return v;
    });
    auto& values = series_[1 + f].values;
    values.push_back(flow_.time);
    for (std::size_t d = 0; d < D; ++d) values.push_back(sums[d] + sums[D + d]);
    values.insert(values.end(), sums.begin(), sums.end());
  }
}

template <class T, int D>
void Observers<T, D>::observe_openings(std::size_t first) {
  const auto& openings = flow_.openings.all();
  for (std::size_t o = 0; o < openings.size(); ++o) {
    const auto& opening = openings[o];
    // Walls beside the buffer belong to what the fluid meets at the opening.
    const auto beside = sum_over<D>(flow_.wall.size(), [&](std::size_t i) {
      std::array<double, D> v{};
      if (beyond_[i] == static_cast<std::int32_t>(o))
        for (std::size_t d = 0; d < D; ++d)
          v[d] = force_unit() * (static_cast<double>(flow_.pressure_reaction[d][i]) +
                                 static_cast<double>(flow_.viscous_reaction[d][i]));
      return v;
    });
    auto& values = series_[first++].values;
    values.insert(values.end(), {flow_.time, opening.mass_flow, opening.mass.value()});
    for (const auto& momentum : opening.momentum) values.push_back(momentum.value());
    for (int d = 0; d < D; ++d) values.push_back(opening.force[d] - beside[static_cast<std::size_t>(d)]);
  }
}

template <class T, int D>
double Observers<T, D>::front(int axis) const {
  const double* x = flow_.fluid.x[axis];
  const std::int64_t n = flow_.fluid.size();
  double foremost = -INFINITY;
#pragma omp parallel for reduction(max : foremost)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (flow_.surface[k] < 2 && flow_.fluid.buffer[k] == 0)
      foremost = std::max(foremost, x[k]);  // spray does not count
  }
  return foremost + 0.5 * flow_.world().spacing;
}

template <class T, int D>
void Observers<T, D>::observe() {
  const auto& world = flow_.world();
  const Sampler<T, D> sampler(flow_);
  observe_budget(series_[0]);
  observe_forces();
  std::size_t next = 1 + force_owners_.size();
  observe_openings(next);
  next += flow_.openings.all().size();
  for (const auto& probe : world.probes) {
    const Sample sample = sampler.at(probe.position);
    auto& values = series_[next++].values;
    values.insert(values.end(), {flow_.time, sample.pressure});
    for (int d = 0; d < D; ++d) values.push_back(sample.velocity[d]);
    values.push_back(sample.fraction);
  }
  for (const auto& gauge : world.gauges) {
    auto& values = series_[next++].values;
    values.insert(values.end(), {flow_.time, sampler.height(gauge.position, gauge.axis)});
  }
  for (const auto& f : world.fronts) {
    auto& values = series_[next++].values;
    values.insert(values.end(), {flow_.time, front(f.axis)});
  }
}

template <class T, int D>
std::vector<Series> Observers<T, D>::take() {
  std::vector<Series> taken = series_;
  for (auto& series : series_) series.values.clear();
  return taken;
}

template class Observers<float, 2>;
template class Observers<float, 3>;
template class Observers<double, 2>;
template class Observers<double, 3>;

}  // namespace eddyline::observe
