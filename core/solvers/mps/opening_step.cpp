#include "solvers/mps/opening_step.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "comm/collectives.hpp"
#include "particles/id.hpp"
#include "physics/inflow/moving_least_squares.hpp"
#include "physics/kernels/wendland_c2.hpp"

namespace eddyline::mps {

using particles::k_node_reach;
using physics::LinearFitSums;
using physics::mps::FluidColumns;

namespace {

/// Running means of slopes follow the fluid while it moves by so many spacings.
constexpr double k_passage = 20;

/// Sums over the sites of an opening.
enum { k_wet, k_speed, k_wet_slopes, k_slope, k_sums };

}  // namespace

template <int D>
OpeningStep<D>::OpeningStep(Liquid<D>& liquid)
    : liquid_(liquid), fits_(liquid.communicator(), liquid.tags.take("fits"), liquid.openings.nodes()) {}

template <int D>
void OpeningStep<D>::rebuilt() {
  if (shared_ != liquid_.balance.times()) {
    shared_ = liquid_.balance.times();
    fits_.share_out(liquid_.openings, liquid_.layout().grid(), liquid_.partition(), 0);
  }
  const auto& rows = liquid_.fluid_rows;
  opening_.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
  for (const std::int32_t i : liquid_.openings.members())
    opening_[static_cast<std::size_t>(rows.row_of(static_cast<std::size_t>(i)))] =
        liquid_.fluid.buffer[static_cast<std::size_t>(i)];
  liquid_.fluid_halo.gather(exchange::ArrayField(opening_));
  kind_.assign(opening_.size(), k_free);
  for (std::size_t r = 0; r < kind_.size(); ++r) {
    if (opening_[r] == 0) continue;
    const auto& world = liquid_.openings.all()[opening_[r] - 1u].world;
    kind_[r] = !world.inflow || world.pressure_imposed ? k_given : k_continued;
  }
  targets_.clear(), pairs_.clear();
  const auto chunks = liquid_.fluid_fluid.chunks();
  for (std::size_t c = 0; c < chunks.size(); ++c)
    for (std::size_t l = 0; l < neighbors::k_chunk; ++l) {
      const auto i = static_cast<std::int64_t>(c * neighbors::k_chunk + l);
      if (i >= rows.owned()) break;
      const std::int32_t row = liquid_.fluid_fluid.targets().row_of(i);
      const bool is_fluid = kind_[static_cast<std::size_t>(row)] == k_free;
      const auto before = static_cast<std::int32_t>(pairs_.size());
      for (std::int32_t e = 0; e < chunks[c].length; ++e) {
        const auto at = static_cast<std::size_t>(e) * neighbors::k_chunk + l;
        const std::int32_t from = chunks[c].entries[at] / k_row_step;
        if (is_fluid && kind_[static_cast<std::size_t>(from)] != k_free) pairs_.push_back({from, {}, 0, 0});
      }
      if (!is_fluid || static_cast<std::int32_t>(pairs_.size()) > before) targets_.push_back({i, row, before});
    }
  targets_.push_back({-1, -1, static_cast<std::int32_t>(pairs_.size())});
}

// --- the fluid in front ---------------------------------------------------------------------------------------------

/// Fits the fluid around the nodes of this rank's cells: over the rows around in canonical order, without buffers.
template <int D>
void OpeningStep<D>::find_fits() {
  const auto& layout = liquid_.layout();
  const auto& rows = liquid_.fluid_rows;
  const auto& c = liquid_.constants();
  const double reach = k_node_reach * c.R, scale = c.fixed.quantum() / reach;
  const double fraction = physics::WendlandC2::sigma(D) * c.volume / (D == 3 ? reach * reach * reach : reach * reach);
#pragma omp parallel for schedule(dynamic)
  for (std::int32_t number = 0; number < liquid_.openings.nodes(); ++number) {
    if (!fits_.is_own(number)) continue;
    const Vec3 node = liquid_.openings.node(number);
    const std::int32_t cell = layout.owned_cell(node);
    std::int32_t place[D];
    for (int d = 0; d < D; ++d) place[d] = c.fixed.wrapped(node[d]);
    LinearFitSums<double, D> sums{};
    const auto add = [&](std::int32_t row) {
      if (kind_[static_cast<std::size_t>(row)] != k_free) return;
      const auto values = liquid_.rows.row(row);
      double r[D], r2 = 0;  // from the particle to the node
      for (int d = 0; d < D; ++d) {
        r[d] = scale * static_cast<std::int32_t>(static_cast<std::uint32_t>(place[d]) -
                                                 std::bit_cast<std::uint32_t>(values[d]));
        r2 += r[d] * r[d];
      }
      if (!(r2 < 1)) return;
      physics::SampledFluid<double, D> f{};
      f.p = static_cast<double>(values[FluidColumns<D>::k_pressure]), f.V = 1;
      for (int d = 0; d < D; ++d) f.v[d] = static_cast<double>(values[FluidColumns<D>::k_velocity + d]);
      const double W = physics::WendlandC2::value(std::sqrt(r2));
      physics::for_each_fit_term<D>(f, r, W, [&](int k, double a, double b) { sums.value[k] += a * b; });
    };
    layout.boxes()[static_cast<std::size_t>(layout.box_of(cell))].for_each_run_around(cell, [&](std::int32_t first) {
      for (std::int32_t near = first; near < first + 3; ++near) {
        const particles::RowRange range = rows.of(near);
        for (std::int32_t row = range.begin; row < range.end; ++row) add(row);
      }
    });
    std::array<double, LinearFitSums<double, D>::k_values> values;
    std::ranges::copy(sums.value, values.begin());
    auto& fit = fits_[number];
    fit = physics::solve_fit<D>(values);
    fit.weight *= fraction;
    for (double& component : fit.gradient_p) component /= reach;
  }
  fits_.gather();
}

template <int D>
void OpeningStep<D>::measure(double dt, double speed) {
  auto& openings = liquid_.openings.all();
  sums_.assign(k_sums * openings.size(), {});
  for (std::size_t o = 0; o < openings.size(); ++o) {
    const auto& opening = openings[o];
    const auto& sites = opening.sites;
    const auto axis = static_cast<std::size_t>(sites.axis);
    const auto sums = std::span(sums_).subspan(k_sums * o, k_sums);
    const std::int32_t slope_layer = std::min(domain::k_slope_layer, opening.layers - 1);
    for (std::int64_t site = 0; site < sites.sites(); ++site) {
      const std::int64_t node = opening.first_node + site, inner = node + slope_layer * sites.sites();
      if (fits_.is_own(inner) && fits_.is_wet(inner))
        sums[k_wet_slopes].add(1), sums[k_slope].add(-sites.inward * fits_[inner].gradient_p[axis]);
      if (fits_.is_own(node) && fits_.is_wet(node))
        sums[k_wet].add(1), sums[k_speed].add(-sites.inward * fits_[node].v[axis]);
    }
  }
  comm::sum(liquid_.communicator(), sums_, "means over openings");
  const double share = std::min(1.0, dt * speed / (k_passage * liquid_.constants().length.spacing));
  mean_speed_.assign(openings.size(), 0);
  for (std::size_t o = 0; o < openings.size(); ++o) {
    const auto mean = [&](int k, int count) {
      const double n = sums_[k_sums * o + static_cast<std::size_t>(count)].value();
      return n > 0 ? sums_[k_sums * o + static_cast<std::size_t>(k)].value() / n : 0.0;
    };
    mean_speed_[o] = mean(k_speed, k_wet);
    openings[o].slope += share * (mean(k_slope, k_wet_slopes) - openings[o].slope);
  }
}

template <int D>
void OpeningStep<D>::set_velocities(double t, bool at_rest) {
  auto& openings = liquid_.openings.all();
  const double rho = liquid_.constants().rho;
  for (std::size_t o = 0; o < openings.size(); ++o) {
    auto& opening = openings[o];
    const auto& sites = opening.sites;
    const auto axis = static_cast<std::size_t>(sites.axis);
    opening.mass_flow = {};
    for (std::int64_t k = 0; k < sites.sites(); ++k) {
      const std::int64_t node = opening.first_node + k;
      auto& v = opening.velocity[static_cast<std::size_t>(k)];
      if (at_rest) {
        v = {};
        continue;
      }
      if (opening.world.inflow) {
        const Vec3 x = sites.site(k);
        for (std::size_t d = 0; d < D; ++d) v[d] = opening.world.velocity[d].evaluate(std::array{x.x, x.y, x.z, t});
        v[axis] = sites.inward * v[axis] < 0 ? 0.0 : v[axis];  // a value that is not a number stays one
      } else {
        const bool dry = !fits_.is_wet(node);
        for (std::size_t d = 0; d < D; ++d) v[d] = dry ? 0 : fits_[node].v[d];
        v[axis] = -sites.inward * std::max(0.0, dry ? mean_speed_[o] : -sites.inward * v[axis]);
        if (dry) continue;
      }
      if (fits_.is_own(node)) opening.mass_flow.add(rho * sites.inward * v[axis] * sites.area);
    }
  }
}

template <int D>
void OpeningStep<D>::set(double t, double dt, double speed, bool at_rest) {
  find_fits();
  measure(dt, speed);
  set_velocities(t, at_rest);
  const auto& members = liquid_.openings.members();
  const auto& c = liquid_.constants();
  given_.assign(members.size(), 0);
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto i = static_cast<std::size_t>(members[m]);
    const auto& opening = liquid_.openings.all()[liquid_.fluid.buffer[i] - 1u];
    const Vec3 x = vector_of(liquid_.middle, i);
    const double depth = opening.sites.depth(x);
    if (!opening.world.inflow || opening.world.pressure_imposed) {
      given_[m] = opening.world.pressure.evaluate(std::array{x.x, x.y, x.z, t}) / c.rho;
      if (!opening.world.inflow) given_[m] += depth * opening.slope;
    } else {
      const auto& fit = fits_[opening.first_node + particles::site_of_opening_id(liquid_.fluid.id[i])];
      given_[m] = fit.p + (depth + 0.5 * opening.sites.pitch) * opening.slope;
    }
    if (c.free_surface) given_[m] = std::max(given_[m], 0.0);
  }
}

template <int D>
Vec3 OpeningStep<D>::velocity_of(std::size_t i) const {
  const auto& opening = liquid_.openings.all()[liquid_.fluid.buffer[i] - 1u];
  const auto v = opening.velocity_of(liquid_.fluid.id[i], vector_of(liquid_.fluid.x, i));
  Vec3 to;
  for (int d = 0; d < D; ++d) to[d] = v[static_cast<std::size_t>(d)];
  return to;
}

// --- the equation ---------------------------------------------------------------------------------------------------

/// R times the force that drives the fluid at a buffer's particle, plus the slope of the pressure beyond it.
template <int D>
Vec3 OpeningStep<D>::drive_of(std::int32_t row) const {
  const auto& opening = liquid_.openings.all()[opening_[static_cast<std::size_t>(row)] - 1u];
  Vec3 force = liquid_.world().gravity;
  force[opening.sites.axis] = -opening.sites.inward * opening.slope;
  return liquid_.constants().R * force;
}

/// Finds r_ji in units of R, B and A of a pair.
template <int D>
void OpeningStep<D>::find_pair(std::int32_t row, BufferPair& pair) const {
  using S = Pack<double, 1>;
  const auto& c = liquid_.constants();
  const auto i = liquid_.rows.row(row), j = liquid_.rows.row(pair.from);
  double r2 = 0;
  for (int d = 0; d < D; ++d) {
    const double r =
        c.scale * static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(j[d]) - std::bit_cast<std::uint32_t>(i[d]));
    pair.r[static_cast<std::size_t>(d)] = r;
    r2 += r * r;
  }
  const auto w = physics::mps::with_weights(
      c.options.weights, [&](auto policy) { return decltype(policy)::template at<S>(S(r2), S(c.factors.cut)); });
  pair.B = w.B.v, pair.A = w.A.v;
}

/// The pressure of the buffer's particle of a pair, for a particle of the fluid with the pressure p.
template <int D>
double OpeningStep<D>::pressure_of(const BufferPair& pair, double p) const {
  if (kind_[static_cast<std::size_t>(pair.from)] != k_continued)
    return static_cast<double>(liquid_.rows.row(pair.from)[FluidColumns<D>::k_pressure]);
  const Vec3 drive = drive_of(pair.from);
  for (int d = 0; d < D; ++d) p += drive[d] * pair.r[static_cast<std::size_t>(d)];
  return liquid_.constants().free_surface ? std::max(p, 0.0) : p;
}

template <int D>
void OpeningStep<D>::complete(PressureEquation<D>& equation, Array<double>& p) {
  const double factor = liquid_.constants().factors.A;
  const physics::mps::Matrix matrix = equation.matrix();
  const auto& members = liquid_.openings.members();
  Array<double> given;
  given.assign(kind_.size(), 0);
  for (std::size_t m = 0; m < members.size(); ++m)
    given[static_cast<std::size_t>(liquid_.fluid_rows.row_of(static_cast<std::size_t>(members[m])))] = given_[m];
  liquid_.fluid_halo.gather(SpanField(std::span(given.data(), given.size())));
  const auto n = static_cast<std::int64_t>(targets_.size()) - 1;
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < n; ++k) {
    const Target& target = targets_[static_cast<std::size_t>(k)];
    const auto row = static_cast<std::size_t>(target.row);
    const bool is_fluid = kind_[row] == k_free;
    const std::int64_t chunk = target.particle / neighbors::k_chunk;
    float* values = matrix.values + matrix.first[chunk];
    const std::int32_t* places = matrix.places_of(chunk);
    std::int64_t entry = target.particle % neighbors::k_chunk;
    const std::int64_t end = entry + std::int64_t{matrix.lengths[chunk]} * neighbors::k_chunk;
    if (!is_fluid) {
      equation.own[row] = liquid_.constants().factors.laplacian, equation.right_side[row] = p[row] = 0;
      for (; entry < end; entry += neighbors::k_chunk) values[entry] = 0;
    }
    for (std::int32_t q = target.first; q < targets_[static_cast<std::size_t>(k) + 1].first; ++q) {
      BufferPair& pair = pairs_[static_cast<std::size_t>(q)];
      std::int64_t found = entry;  // entries are in the order of pairs, maybe without those that are too far apart
      while (found < end && places[found] / k_row_step != pair.from) found += neighbors::k_chunk;
      if (found == end) {
        pair.B = 0;
        continue;
      }
      entry = found;
      const double a = factor * static_cast<double>(std::exchange(values[found], 0.0F));
      if (kind_[static_cast<std::size_t>(pair.from)] == k_given) {
        equation.own[row] += a;
        equation.right_side[row] += a * given[static_cast<std::size_t>(pair.from)];
      } else {
        find_pair(target.row, pair);
        const Vec3 drive = drive_of(pair.from);
        double rise = 0;
        for (int d = 0; d < D; ++d) rise += drive[d] * pair.r[static_cast<std::size_t>(d)];
        equation.right_side[row] += a * rise;
      }
    }
  }
}

template <int D>
void OpeningStep<D>::set_pressures() {
  const auto& members = liquid_.openings.members();
  for (std::size_t m = 0; m < members.size(); ++m) {
    const auto i = static_cast<std::size_t>(members[m]);
    liquid_.fluid.p[i] = given_[m];
    liquid_.rows.row(liquid_.fluid_rows.row_of(i))[FluidColumns<D>::k_pressure] = static_cast<float>(given_[m]);
  }
}

/// The sweep has used the pressure in the buffers' rows.
template <int D>
void OpeningStep<D>::complete_gradient(Array<float> (&sum)[D]) const {
  const auto n = static_cast<std::int64_t>(targets_.size()) - 1;
#pragma omp parallel for schedule(static)
  for (std::int64_t k = 0; k < n; ++k) {
    const Target& target = targets_[static_cast<std::size_t>(k)];
    if (kind_[static_cast<std::size_t>(target.row)] != k_free) continue;
    const auto i = static_cast<std::size_t>(target.particle);
    const auto V = static_cast<double>(liquid_.fluid.volume_of(i));
    std::array<double, D> add{};
    for (std::int32_t q = target.first; q < targets_[static_cast<std::size_t>(k) + 1].first; ++q) {
      const BufferPair& pair = pairs_[static_cast<std::size_t>(q)];
      if (pair.B == 0 || kind_[static_cast<std::size_t>(pair.from)] != k_continued) continue;
      const double p = pressure_of(pair, liquid_.fluid.p[i]);
      const double used = static_cast<double>(liquid_.rows.row(pair.from)[FluidColumns<D>::k_pressure]);
      for (std::size_t d = 0; d < D; ++d) add[d] += V * pair.B * (p - used) * pair.r[d];
    }
    for (std::size_t d = 0; d < D; ++d) sum[d][i] += static_cast<float>(add[d]);
  }
}

/// Sums of pairs: m V_j [-B (p_i + p_j) r_ji + friction], of each opening. They are exact, so their order is free.
/// After that buffers take no part until the next step: the forces on walls are those of the fluid.
template <int D>
void OpeningStep<D>::find_forces(double nu) {
  const auto& c = liquid_.constants();
  auto& openings = liquid_.openings.all();
  for (auto& opening : openings) opening.force = {};
  const double pressure = -c.factors.B / c.R;
  const double friction = nu / (c.R * c.R) * (c.free_surface ? 2 * (D + 2) * c.factors.B : c.factors.A);
  for (std::size_t k = 0; k + 1 < targets_.size(); ++k) {
    const Target& target = targets_[k];
    if (kind_[static_cast<std::size_t>(target.row)] != k_free) continue;
    const auto i = static_cast<std::size_t>(target.particle);
    const auto own = liquid_.rows.row(target.row);
    for (std::int32_t q = target.first; q < targets_[k + 1].first; ++q) {
      BufferPair pair = pairs_[static_cast<std::size_t>(q)];
      find_pair(target.row, pair);
      if (pair.B == 0) continue;
      const auto other = liquid_.rows.row(pair.from);
      const double mass = c.mass * static_cast<double>(own[FluidColumns<D>::k_share]) *
                          static_cast<double>(other[FluidColumns<D>::k_share]);
      const double sum_p = liquid_.fluid.p[i] + pressure_of(pair, liquid_.fluid.p[i]);
      std::array<double, D> u;
      double along = 0, r2 = 0;
      for (std::size_t d = 0; d < D; ++d) {
        const int column = FluidColumns<D>::k_velocity + static_cast<int>(d);
        u[d] = static_cast<double>(other[column]) - static_cast<double>(own[column]);
        along += u[d] * pair.r[d], r2 += pair.r[d] * pair.r[d];
      }
      auto& force = openings[opening_[static_cast<std::size_t>(pair.from)] - 1u].force;
      for (std::size_t d = 0; d < D; ++d) {
        const double rubs = c.free_surface ? pair.B * along / std::max(r2, 1e-12) * pair.r[d] : pair.A * u[d];
        force[d].add(mass * (pressure * pair.B * sum_p * pair.r[d] + friction * rubs));
      }
    }
  }
  for (const std::int32_t i : liquid_.openings.members())
    liquid_.rows.row(liquid_.fluid_rows.row_of(static_cast<std::size_t>(i)))[FluidColumns<D>::k_share] = 0;
  liquid_.fluid_halo.gather(neighbors::RowField<float>(liquid_.rows, D, {FluidColumns<D>::k_share, 1}));
}

template class OpeningStep<2>;
template class OpeningStep<3>;

}  // namespace eddyline::mps
