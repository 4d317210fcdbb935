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
  const typename Domain<T, D>::Copies copies(domain_);
  domain_.timers.start();
  domain_.begin_step();
  state_.time_step = choose_time_step();
  const MidpointPrediction prediction = predict_midpoint();
  const double middle = state_.time + 0.5 * prediction.dt;
  if (forcing_.walls_change_speed()) forcing_.set_wall_velocities(state_.wall, middle);
  extrapolate_to_walls(middle);
  gather(domain_.wall_halo, scratch_.walls, device::RowKind::walls);
  if (reactions || openings_.takes_forces()) react();
  extrapolate_to_openings(middle, prediction.dt);
  if (reactions) openings_.react(input(), terms_);
  sum_rates();

  correct(prediction);
  step_before_ = std::exchange(last_step_, prediction.dt);
  ++state_.steps;
  if (state_.control.bad) hand_back();
}

template <class T, int D>
ClassicStep<T, D>::ClassicStep(Parts<T, D>& parts)
    : parts_(parts),
      state_(parts.state),
      scratch_(parts.scratch),
      domain_(parts.domain),
      lists_(parts.lists),
      contact_(parts.state.world),
      openings_(parts),
      forcing_(parts.state.world),
      update_(parts, contact_, forcing_),
      sweeps_(physics::classic::choose_sweeps<T, D>(parts.domain.execution().instructions)),
      terms_{parts.state.constants.nu > 0, parts.state.constants.state.is_gas(), parts.state.world.method.xsph > 0},
      control_point_(parts) {
  if (parts.domain.execution().device != "cpu")
    device_ = std::make_unique<ClassicOnDevice<T, D>>(parts, update_, contact_, forcing_);
}

template <class T, int D>
void ClassicStep<T, D>::world_changed() {
  forcing_ = ExternalForcing<D>(state_.world);
  inactive_walls_.forget();
  if (device_) device_->forget();
  terms_.laminar_viscosity = state_.constants.nu > 0;
}

template <class T, int D>
physics::classic::SweepInput<T> ClassicStep<T, D>::input() const {
  const auto& c = state_.constants;
  const auto& method = state_.world.method;
  physics::classic::SweepInput<T> in;
  in.fluid = scratch_.end_rows.data();
  in.walls = scratch_.walls.data();
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
  const auto& c = state_.constants;
  const auto& method = state_.world.method;
  const double h = c.length.smoothing_length;
  double dt = method.cfl * h / std::max(state_.control.latest.signal, 1e-3 * c.c0);  // a gas may be cold everywhere
  const double acceleration = state_.control.latest.acceleration;
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
  if (device_ && device_->rebuild(by_expected_places)) return;
  hand_back();
  parts_.rebuild(by_expected_places, device_ == nullptr);
  put_sentinels();
  if (device_) device_->forget(false);
}

/// Sets the density of sentinels to one, because pair sums divide by it.
template <class T, int D>
void ClassicStep<T, D>::put_sentinels() {
  scratch_.end_rows.row(domain_.fluid_rows.rows)[2 * D + 1] = T(1);
  scratch_.walls.row(domain_.wall_rows.rows)[3 * D + 3] = T(1);
}

template <class T, int D>
void ClassicStep<T, D>::gather(exchange::Halo& halo, neighbors::PairData<T>& rows, device::RowKind kind) {
  if (device_is_in_use()) device_->fetch_sent(kind);
  domain_.send(halo, neighbors::RowField(rows, D));
  if (!device_is_in_use())
    halo.gather_within(neighbors::RowField(rows, D));
  else if (kind == device::RowKind::midpoint)
    device_->gather_midpoint_rows();  // those of walls follow the extrapolation
  domain_.receive(halo, neighbors::RowField(rows, D));
  if (device_is_in_use()) device_->put_received(kind);
  domain_.timers.lap(Phase::pack);
}

/// Writes rows of the midpoint, with cells and lists that hold there. The state is left alone until that is so.
template <class T, int D>
MidpointPrediction ClassicStep<T, D>::predict_midpoint() {
  const double skin = k_safety * state_.constants.length.skin;
  MidpointPrediction prediction = prediction_of(state_.time_step);
  if (!prepare_midpoint(prediction, skin)) {
    rebuild(true);
    bool hold = prepare_midpoint(prediction, skin);
    if (!hold) rebuild(false), hold = prepare_midpoint(prediction, skin);
    for (const double first = state_.time_step; !hold; hold = prepare_midpoint(prediction, skin)) {
      if (!control_point_.shorten_time_step(skin, first)) break;
      prediction = prediction_of(state_.time_step);
    }
  }
  state_.control.path_since_rebuild += state_.step_displacement();
  if (!state_.control.bad) lists_.renew(path());
  return prediction;
}

/// Writes rows of the midpoint, exchanges them and passes the control point. Returns whether particles have come nearer
/// there by less than the skin. Pairs are summed at the midpoint only.
template <class T, int D>
bool ClassicStep<T, D>::prepare_midpoint(const MidpointPrediction& prediction, double skin) {
  if (device_) device_->upload_state();
  device_ ? device_->write_midpoint_rows(prediction) : update_.write_midpoint_rows(prediction);
  openings_.write_midpoint_rows(prediction.dt, damping > 0);
  domain_.timers.lap(Phase::integrate);
  gather(domain_.fluid_halo, scratch_.end_rows, device::RowKind::midpoint);
  const double farthest = state_.reach_of_lists() + skin;
  const bool is_first = domain_.last_rebuild == state_.steps;
  const double before = state_.control.relative_drift;
  device_ ? control_point_.begin(device_->measure_drift()) : control_point_.begin(path(), false);
  control_point_.end();
  state_.control.relative_drift_before = is_first ? state_.control.relative_drift : before;
  domain_.timers.lap(Phase::integrate);
  return state_.control.relative_drift <= skin && state_.control.max_displacement <= farthest &&
         state_.openings_hold(farthest);
}

/// The way of rows to the midpoint of the step.
template <class T, int D>
StepPath<T> ClassicStep<T, D>::path() const {
  return {.rows = {&scratch_.end_rows, D, 0.0F}, .end = state_.time + 0.5 * state_.time_step, .in_middle = true};
}

/// Computes pressure, density and mirrored velocity of dummy particles at time t, and their rows.
template <class T, int D>
void ClassicStep<T, D>::extrapolate_to_walls(double t) {
  auto in = input();
  if (device_is_in_use()) {
    device_->extrapolate_to_walls(in, t);
    domain_.timers.lap(Phase::walls);
    return;
  }
  in.targets = lists_.wall_fluid.targets();
  in.fluid_neighbors = lists_.wall_fluid.chunks().data();
  const std::int64_t n = domain_.walls_after(k_walls);
  const auto& c = state_.constants;
  const auto& wall = state_.wall;
  const double to_dimensionless = c.length.interaction_radius / (c.c0 * c.c0);
  const bool walls_rest = !state_.walls_move && !forcing_.walls_change_speed();
  const auto blocks = inactive_walls_.active_blocks(lists_.wall_fluid, lists_.schedule.walls, n, walls_rest);
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
    double excess[WallBlock<T, D>::k_size] = {};
    if (!c.state.is_gas()) find_density_excess(c.state, sums.pressure, count, excess);
    for (std::size_t l = 0; l < count; ++l) {
      const std::size_t k = begin + l;
      const auto row = scratch_.walls.row(domain_.wall_rows.row_of(k));
      physics::classic::WallDensity density{};
      if (sums.is_wet(l)) {
        const double mean =
            c.state.is_gas() ? static_cast<double>(sums.density[l]) / static_cast<double>(sums.weight[l]) : 1;
        density = physics::classic::density_at_wall(c.state, static_cast<double>(sums.pressure[l]), mean, excess[l]);
      }
      const double rho = 1 + density.s;
      row[D] = sums.pressure[l];
      row[D + 1] = static_cast<T>(rho * state_.wall_share(k, vector_of(wall.x, k)) * wall.volume[k] / c.volume);
      row[3 * D + 3] = static_cast<T>(rho);
      row[3 * D + 4] = static_cast<T>(density.sound_speed);
      sums.write_velocities(row, wall, k, l, c.inverse_c0);
    }
  });
  domain_.timers.lap(Phase::walls);
}

template <class T, int D>
void ClassicStep<T, D>::sum_rates() {
  auto in = input();
  if (device_is_in_use()) {
    device_->sum_rates(in, terms_);
    domain_.timers.lap(Phase::rates);
    return;
  }
  in.targets = lists_.fluid_fluid.targets();
  in.fluid_neighbors = lists_.fluid_fluid.chunks().data();
  in.wall_neighbors = lists_.fluid_wall.chunks().data();
  auto& fluid = state_.fluid;
  auto& results = scratch_.classic;
  physics::classic::RateResults<T, D> out{};
  out.density = fluid.classic->s_rate_old.data();
  out.heating = fluid.classic->u_rate_old.data();
  out.spread = results.spread();
  out.closing = results.closing();
  for (int d = 0; d < D; ++d) {
    out.force[d] = fluid.classic->v_rate_old[d];
    out.drift[d] = results.drift(d);
  }
  const auto rates = sweeps_.rates[terms_.index()];
  const std::int64_t n = domain_.fluid_after(domain_.lazy.passes());
  const Schedule& schedule = lists_.schedule;
  for (const auto* blocks : {&schedule.interior_rates, &schedule.fringe_rates})
    for_blocks(*blocks, n, [&](std::int64_t first, std::int64_t last) { rates(in, out, first, last); });
  domain_.timers.lap(Phase::rates);
}

template <class T, int D>
void ClassicStep<T, D>::react() {
  lists_.resize_reactions();
  lists_.find_free_neighbors();
  auto in = input();
  if (device_is_in_use()) {
    device_->react(in);
    domain_.timers.lap(Phase::observe);
    return;
  }
  in.targets = lists_.wall_fluid.targets();
  in.fluid_neighbors = lists_.wall_reaction();
  physics::classic::ReactionResults<T, D> out{};
  for (int d = 0; d < D; ++d) {
    out.pressure[d] = scratch_.pressure_reaction[d].data();
    out.viscous[d] = scratch_.viscous_reaction[d].data();
  }
  const auto reaction = terms_.gas ? sweeps_.reaction_of_gas : sweeps_.reaction_of_liquid;
  for_blocks(lists_.schedule.walls, domain_.wall_rows.owned(),
             [&](std::int64_t first, std::int64_t last) { reaction(in, out, first, last); });
  domain_.timers.lap(Phase::observe);
}

/// Sets the buffers of openings from the fluid in front of them at time t, and their rows on all ranks.
template <class T, int D>
void ClassicStep<T, D>::extrapolate_to_openings(double t, double dt) {
  if (state_.openings.empty()) return;
  openings_.extrapolate(input(), t, dt, damping > 0);
  domain_.timers.lap(Phase::walls);
  gather(domain_.fluid_halo, scratch_.end_rows, device::RowKind::midpoint);
}

/// Computes the state and the extremes at the end of the step.
template <class T, int D>
void ClassicStep<T, D>::correct(const MidpointPrediction& prediction) {
  openings_.set_allowed_depths(contact_);
  openings_.discard_rates();
  openings_.find_ends(prediction.dt);
  device_is_in_use() ? device_->correct(prediction, damping) : update_.correct(prediction, damping);
  openings_.hold();
  state_.time += prediction.dt;
  control_point_.agree();  // at once: in a blast the next time step may have to be far shorter
  state_.control.max_displacement += state_.control.latest.from_midpoint;
  domain_.timers.lap(Phase::integrate);
  rows_hold_state_ = false;
}

template <class T, int D>
void ClassicStep<T, D>::write_state_rows() {
  if (device_) device_->find_host_lists();
  if (std::exchange(rows_hold_state_, true)) return;
  domain_.timers.start();
  const typename Domain<T, D>::Copies copies(domain_);
  update_.write_state();
  domain_.timers.lap(Phase::observe);
  domain_.fluid_halo.gather_within(neighbors::RowField(scratch_.end_rows, D));
  domain_.timers.lap(Phase::pack);
}

template <class T, int D>
void ClassicStep<T, D>::save(ArchiveWriter& archive) const {
  archive.put_value("classic_steps", std::array{last_step_, step_before_});
}

template <class T, int D>
void ClassicStep<T, D>::restore(const ArchiveReader* part) {
  std::array<double, 2> lengths{};
  comm::agree(domain_.communicator(), "checkpoint", [&] {
    if (part != nullptr) part->get_value("classic_steps", lengths);
  });
  lengths = comm::broadcast(domain_.communicator(), lengths, 0, "checkpoint");
  last_step_ = lengths[0], step_before_ = lengths[1];
  put_sentinels();
  rows_hold_state_ = false;
  if (device_) device_->forget();
}

template <class T, int D>
void ClassicStep<T, D>::start() {
  if (device_) device_->forget();
  domain_.write_wall_rows();
  forcing_.set_wall_velocities(state_.wall, state_.time);
  domain_.timers.start();
  parts_.rebuild(false);
  put_sentinels();
  state_.time_step = last_step_ = step_before_ = 0;
  {
    const typename Domain<T, D>::Copies copies(domain_);
    update_.write_midpoint_rows({});
    openings_.write_midpoint_rows(0, damping > 0);
    domain_.timers.lap(Phase::integrate);
    gather(domain_.fluid_halo, scratch_.end_rows, device::RowKind::midpoint);
    extrapolate_to_walls(state_.time);
    gather(domain_.wall_halo, scratch_.walls, device::RowKind::walls);
    extrapolate_to_openings(state_.time, 0);
    sum_rates();
    correct({});
  }
  if (device_) device_->upload_state();  // too little memory is found before the first step
}

template class ClassicStep<float, 2>;
template class ClassicStep<float, 3>;
template class ClassicStep<double, 2>;
template class ClassicStep<double, 3>;

}  // namespace eddyline::sph
