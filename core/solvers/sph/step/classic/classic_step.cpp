#include "solvers/sph/step/classic/classic_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "comm/collectives.hpp"
#include "neighbors/fields.hpp"
#include "solvers/sph/step/wall_row.hpp"

namespace eddyline::sph {

namespace {

constexpr int k_walls = 1;  // passes over pairs in a step, see DeferredExchange; rates are the last

/// Computes density excesses of a liquid at n pressures. Most pressures are slight; the loop over these has no
/// branches.
template <class T>
void find_density_excess(const physics::StateEquation& state, const T* pressure, std::size_t n, double* excess) {
  using Tait = physics::StateEquationTait;
  const bool is_tait = state.kind == physics::StateEquation::Kind::tait;
  if (is_tait) {
#pragma omp simd
    for (std::size_t l = 0; l < n; ++l) excess[l] = Tait::density_excess_of_slight(static_cast<double>(pressure[l]));
  }
  for (std::size_t l = 0; l < n; ++l) {
    const auto p = static_cast<double>(pressure[l]);
    if (!is_tait || !Tait::is_slight(p)) excess[l] = state.density_excess(p);
  }
}

}  // namespace

template <class T, int D>
void ClassicStep<T, D>::advance(bool reactions) {
  const typename Flow<T, D>::Copies copies(flow_);
  flow_.timers.start();
  flow_.begin_step();
  flow_.time_step = choose_time_step();
  const MidpointPrediction prediction = predict_midpoint();
  const double middle = flow_.time + 0.5 * prediction.dt;
  if (forcing_.walls_change_speed()) forcing_.set_wall_velocities(flow_.wall, middle);
  extrapolate_to_walls(middle);
  gather(flow_.wall_halo, flow_.walls);
  sum_rates();
  if (reactions) react();

  correct(prediction);
  step_before_ = std::exchange(last_step_, prediction.dt);
  ++flow_.steps;
}

template <class T, int D>
ClassicStep<T, D>::ClassicStep(Flow<T, D>& flow)
    : flow_(flow),
      contact_(flow.world()),
      forcing_(flow.world()),
      update_(flow, contact_, forcing_),
      sweeps_(physics::classic::choose_sweeps<T, D>(flow.instructions())),
      terms_{flow.constants().nu > 0, flow.constants().state.is_gas(), flow.world().method.xsph > 0} {}

template <class T, int D>
void ClassicStep<T, D>::world_changed() {
  forcing_ = ExternalForcing<D>(flow_.world());
  inactive_walls_.forget();
  terms_.laminar_viscosity = flow_.constants().nu > 0;
}

template <class T, int D>
physics::classic::SweepInput<T> ClassicStep<T, D>::input() const {
  const auto& c = flow_.constants();
  const auto& method = flow_.world().method;
  physics::classic::SweepInput<T> in;
  in.fluid = flow_.end_rows.data();
  in.walls = flow_.walls.data();
  in.scale = static_cast<T>(c.scale);
  in.alpha = static_cast<T>(method.artificial_viscosity);
  in.beta = static_cast<T>(method.artificial_viscosity_beta);
  in.nu = static_cast<T>(2 * (D + 2) * c.nu / (c.c0 * c.length.interaction_radius));
  in.conductivity = static_cast<T>(method.artificial_conductivity / (c.state.gamma - 1));
  in.min_pressure_at_walls = c.free_surface ? T(0) : std::numeric_limits<T>::lowest();
  return in;
}

/// dt <= cfl h / (c + 0.6 (alpha c + beta |mu|)), cfl sqrt(h/|a|), viscous_cfl h^2/nu.
/// Source: Monaghan 1992.
template <class T, int D>
double ClassicStep<T, D>::choose_time_step() const {
  const auto& c = flow_.constants();
  const auto& method = flow_.world().method;
  const double h = c.length.smoothing_length;
  double dt = method.cfl * h / std::max(flow_.control.latest.signal, 1e-3 * c.c0);  // a gas may be cold everywhere
  const double acceleration = flow_.control.latest.acceleration;
  if (acceleration > 0) dt = std::min(dt, method.cfl * std::sqrt(h / acceleration));
  if (c.nu > 0) dt = std::min(dt, method.viscous_cfl * h * h / c.nu);
  return dt;
}

/// The last two evaluations were at the midpoints of the last two steps; the first one was at the start.
template <class T, int D>
MidpointPrediction ClassicStep<T, D>::prediction_of(double dt) const {
  const double between = 0.5 * (last_step_ + step_before_);
  return {dt, between > 0 ? dt * (dt + 2 * last_step_) / (8 * between) : 0.0};
}

template <class T, int D>
void ClassicStep<T, D>::rebuild(bool by_expected_places) {
  flow_.rebuild(by_expected_places);
  put_sentinels();
}

/// Sets the density of sentinels to one, because pair sums divide by it.
template <class T, int D>
void ClassicStep<T, D>::put_sentinels() {
  flow_.end_rows.row(flow_.fluid_rows.rows)[2 * D + 1] = T(1);
  flow_.walls.row(flow_.wall_rows.rows)[3 * D + 3] = T(1);
}

template <class T, int D>
void ClassicStep<T, D>::gather(exchange::Halo& halo, neighbors::PairData<T>& rows) {
  flow_.start_gather(halo, neighbors::RowField(rows, D));
  flow_.finish_gather(halo, neighbors::RowField(rows, D));
  flow_.timers.lap(Phase::pack);
}

/// Writes rows of the midpoint, with cells and lists that hold there. The state is left alone until that is so.
template <class T, int D>
MidpointPrediction ClassicStep<T, D>::predict_midpoint() {
  const double skin = k_safety * flow_.constants().length.skin;
  MidpointPrediction prediction = prediction_of(flow_.time_step);
  if (!prepare_midpoint(prediction, skin)) {
    rebuild(true);
    bool hold = prepare_midpoint(prediction, skin);
    if (!hold) rebuild(false), hold = prepare_midpoint(prediction, skin);
    for (const double first = flow_.time_step; !hold; hold = prepare_midpoint(prediction, skin)) {
      if (!flow_.shorten_time_step(skin, first)) break;
      prediction = prediction_of(flow_.time_step);
    }
  }
  if (!flow_.control.bad) flow_.renew_lists();
  return prediction;
}

/// Writes rows of the midpoint, exchanges them and passes the control point. Returns whether particles have come nearer
/// there by less than the skin. Pairs are summed at the midpoint only.
template <class T, int D>
bool ClassicStep<T, D>::prepare_midpoint(const MidpointPrediction& prediction, double skin) {
  update_.write_midpoint_rows(prediction);
  flow_.timers.lap(Phase::integrate);
  gather(flow_.fluid_halo, flow_.end_rows);
  const auto& c = flow_.constants();
  const bool is_first = flow_.last_rebuild == flow_.steps;
  const double before = flow_.control.relative_drift;
  flow_.begin_control_point(false);
  flow_.end_control_point();
  flow_.control.relative_drift_before = is_first ? flow_.control.relative_drift : before;
  flow_.timers.lap(Phase::integrate);
  return flow_.control.relative_drift <= skin &&
         flow_.control.max_displacement <= 0.5 * c.length.interaction_radius + skin;
}

/// Computes pressure, density and mirrored velocity of dummy particles at time t, and their rows.
template <class T, int D>
void ClassicStep<T, D>::extrapolate_to_walls(double t) {
  auto in = input();
  in.targets = flow_.wall_fluid.targets();
  in.fluid_neighbors = flow_.wall_fluid.chunks().data();
  const std::int64_t n = flow_.walls_after(k_walls);
  const auto& c = flow_.constants();
  const auto& wall = flow_.wall;
  const double to_dimensionless = c.length.interaction_radius / (c.c0 * c.c0);
  const bool walls_rest = !flow_.walls_move() && !forcing_.walls_change_speed();
  const auto blocks = inactive_walls_.active_blocks(flow_.wall_fluid, flow_.schedule.walls, n, walls_rest);
  for_blocks(blocks, n, [&](std::int64_t first, std::int64_t last) {
    WallBlock<T, D> sums;
    physics::classic::WallResults<T, D> out{sums.weight, sums.pressure, sums.density, {}, {}};
    for (int d = 0; d < D; ++d) out.lever[d] = sums.lever[d], out.velocity[d] = sums.velocity[d];
    sweeps_.walls(in, out, first, last);
    const auto begin = static_cast<std::size_t>(first * neighbors::k_chunk);
    const auto count = static_cast<std::size_t>(std::min(last * neighbors::k_chunk, n)) - begin;
    sums.set_g(count,
               [&](std::size_t l) { return to_dimensionless * forcing_.force(vector_of(wall.x, begin + l), t); });
    sums.find_pressures(count, c.free_surface);
    sums.mirror_velocities(wall, begin, count, c.inverse_c0);
    double excess[WallBlock<T, D>::k_size];
    if (!c.state.is_gas()) find_density_excess(c.state, sums.pressure, count, excess);
    for (std::size_t l = 0; l < count; ++l) {
      const std::size_t k = begin + l;
      const auto row = flow_.walls.row(flow_.wall_rows.row_of(k));
      double s = 0, sound_speed = 0;
      if (sums.is_wet(l)) {
        if (c.state.is_gas()) {
          const double p = static_cast<double>(sums.pressure[l]);
          s = static_cast<double>(sums.density[l]) / static_cast<double>(sums.weight[l]) - 1;
          sound_speed = std::sqrt(c.state.gamma * std::max(p, 0.0) / (1 + s));
        } else {
          s = excess[l];
          sound_speed = c.state.sound_speed(s, 0);
        }
      }
      const double rho = 1 + s;
      row[D] = sums.pressure[l];
      row[D + 1] = static_cast<T>(rho * flow_.wall_share(k, vector_of(wall.x, k)) * wall.volume[k] / c.volume);
      row[3 * D + 3] = static_cast<T>(rho);
      row[3 * D + 4] = static_cast<T>(sound_speed);
      sums.write_velocities(row, wall, k, l, c.inverse_c0);
    }
  });
  flow_.timers.lap(Phase::walls);
}

template <class T, int D>
void ClassicStep<T, D>::sum_rates() {
  auto in = input();
  in.targets = flow_.fluid_fluid.targets();
  in.fluid_neighbors = flow_.fluid_fluid.chunks().data();
  in.wall_neighbors = flow_.fluid_wall.chunks().data();
  auto& fluid = flow_.fluid;
  auto& results = flow_.classic;
  physics::classic::RateResults<T, D> out{};
  out.density = fluid.s_rate_old.data();
  out.heating = fluid.u_rate_old.data();
  out.spread = results.spread();
  out.closing = results.closing();
  for (int d = 0; d < D; ++d) {
    out.force[d] = fluid.v_rate_old[d];
    out.drift[d] = results.drift(d);
  }
  const auto rates = sweeps_.rates[terms_.index()];
  const std::int64_t n = flow_.fluid_after(flow_.lazy.passes());
  const Schedule& schedule = flow_.schedule;
  for (const auto* blocks : {&schedule.interior_rates, &schedule.fringe_rates})
    for_blocks(*blocks, n, [&](std::int64_t first, std::int64_t last) { rates(in, out, first, last); });
  flow_.timers.lap(Phase::rates);
}

template <class T, int D>
void ClassicStep<T, D>::react() {
  flow_.resize_reactions();
  auto in = input();
  in.targets = flow_.wall_fluid.targets();
  in.fluid_neighbors = flow_.wall_fluid.chunks().data();
  physics::classic::ReactionResults<T, D> out{};
  for (int d = 0; d < D; ++d) {
    out.pressure[d] = flow_.pressure_reaction[d].data();
    out.viscous[d] = flow_.viscous_reaction[d].data();
  }
  const auto reaction = terms_.gas ? sweeps_.reaction_of_gas : sweeps_.reaction_of_liquid;
  for_blocks(flow_.schedule.walls, flow_.wall_rows.owned(),
             [&](std::int64_t first, std::int64_t last) { reaction(in, out, first, last); });
  flow_.timers.lap(Phase::observe);
}

/// Computes the state and the extremes at the end of the step.
template <class T, int D>
void ClassicStep<T, D>::correct(const MidpointPrediction& prediction) {
  update_.correct(prediction, damping);
  flow_.time += prediction.dt;
  flow_.agree();  // at once: in a blast the next time step may have to be far shorter
  flow_.control.max_displacement += flow_.control.latest.from_midpoint;
  flow_.timers.lap(Phase::integrate);
  rows_hold_state_ = false;
}

template <class T, int D>
void ClassicStep<T, D>::write_state_rows() {
  if (std::exchange(rows_hold_state_, true)) return;
  flow_.timers.start();
  const typename Flow<T, D>::Copies copies(flow_);
  update_.write_state();
  flow_.timers.lap(Phase::observe);
  flow_.fluid_halo.gather_within(neighbors::RowField(flow_.end_rows, D));
  flow_.timers.lap(Phase::pack);
}

template <class T, int D>
void ClassicStep<T, D>::save(ArchiveWriter& archive) const {
  archive.put_value("classic_steps", std::array{last_step_, step_before_});
}

template <class T, int D>
void ClassicStep<T, D>::restore(const ArchiveReader* part) {
  std::array<double, 2> lengths{};
  comm::agree(flow_.communicator(), "checkpoint", [&] {
    if (part != nullptr) part->get_value("classic_steps", lengths);
  });
  lengths = comm::broadcast(flow_.communicator(), lengths, 0, "checkpoint");
  last_step_ = lengths[0], step_before_ = lengths[1];
  put_sentinels();
  rows_hold_state_ = false;
}

template <class T, int D>
void ClassicStep<T, D>::start() {
  flow_.write_wall_rows();
  forcing_.set_wall_velocities(flow_.wall, flow_.time);
  flow_.timers.start();
  rebuild(false);
  flow_.time_step = last_step_ = step_before_ = 0;
  {
    const typename Flow<T, D>::Copies copies(flow_);
    update_.write_midpoint_rows({});
    flow_.timers.lap(Phase::integrate);
    gather(flow_.fluid_halo, flow_.end_rows);
    extrapolate_to_walls(flow_.time);
    gather(flow_.wall_halo, flow_.walls);
    sum_rates();
    correct({});
  }
}

template class ClassicStep<float, 2>;
template class ClassicStep<float, 3>;
template class ClassicStep<double, 2>;
template class ClassicStep<double, 3>;

}  // namespace eddyline::sph
