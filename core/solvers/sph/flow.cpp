#include "solvers/sph/flow.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

#include "base/errors.hpp"
#include "base/instructions.hpp"
#include "comm/collectives.hpp"
#include "domain/remove.hpp"
#include "neighbors/fields.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/sph/viscosity.hpp"
#include "solvers/sph/flow/placement.hpp"

namespace eddyline::sph {

using physics::delta::FluidViscosity;
using world::Scheme;

namespace {

constexpr double k_no_step = 1e-20;  // replaces a step of length 0, which has no inverse

/// Returns the world with periods rounded to whole quanta.
world::World with_whole_periods(world::World world) {
  const FixedPoint fixed(particles::lengths(world).interaction_radius);
  for (int d = 0; d < world.dimensions; ++d)
    if (world.sides[2 * static_cast<std::size_t>(d)].kind == world::SideKind::periodic)
      world.size[d] = fixed.round(world.size[d]);
  return world;
}

/// Sets the number of threads of this process and selects the instruction set.
solver::Execution prepare(solver::Execution execution) {
  if (execution.lazy.every < 1)
    throw UserError("lazy = " + std::to_string(execution.lazy.every) + "; must be at least 1.");
  if (execution.all_pairs && execution.lazy.every > 1)
    throw UserError("lazy = " + std::to_string(execution.lazy.every) +
                    ": lazy steps need cells, and this run searches all pairs; use neighbors = \"cells\" or lazy = 1.");
  if (execution.list_parts < 0 || execution.list_parts > k_most_parts)
    throw UserError("list_parts = " + std::to_string(execution.list_parts) + "; must be from 1 to " +
                    std::to_string(k_most_parts) + ", or 0 for automatic margins.");
  if (execution.device != "cpu") execution.list_parts = 1;  // lists hold as long as cells, so that steps need no host
  const int most = execution.cores > 0 ? execution.cores : all_threads();
  omp_set_num_threads(execution.threads > 0 ? execution.threads : most);
  execution.instructions = choose_instructions(execution.instructions);
  return execution;
}

bool is_classic(const world::World& world) { return world.method.scheme == Scheme::classic; }

/// Makes a halo. One that never has messages uses a strategy without requirements.
exchange::Halo halo_of(comm::Communicator& communicator, const solver::Execution& execution, comm::Tag tag,
                       bool has_messages) {
  if (!has_messages) return {communicator, "nonblocking", exchange::BetweenSites{}, tag};
  return {communicator, execution.exchange, execution.between, tag};
}

}  // namespace

template <class T, int D>
Flow<T, D>::Flow(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
    : openings(world),
      lazy(execution.lazy, world, communicator.is_alone()),
      end_rows(is_classic(world) ? physics::classic::k_fluid_width<D> : physics::delta::k_end_width<D>),
      walls(is_classic(world) ? physics::classic::k_wall_width<D> : physics::delta::k_wall_width<D>),
      fluid_halo(halo_of(communicator, execution, comm::Tag::fluid_halo, !lazy.computes_copies())),
      wall_halo(halo_of(communicator, execution, comm::Tag::wall_halo, !lazy.computes_copies())),
      fluid_copies(halo_of(communicator, execution, comm::Tag::fluid_copies, lazy.computes_copies())),
      wall_copies(halo_of(communicator, execution, comm::Tag::wall_copies, lazy.computes_copies())),
      world_(with_whole_periods(world)),
      execution_(prepare(execution)),
      communicator_(communicator),
      counting_(communicator),
      constants_(world),
      subdomain_(world_, constants_.length, constants_.fixed, execution_, lazy.depth(), communicator),
      drifting_(communicator),
      walls_move_(
          std::any_of(world.bodies.begin(), world.bodies.end(), [](const auto& b) { return b.motion.has_value(); })),
      saved_wall_rows_(walls),
      margin_(constants_.length.interaction_radius / constants_.fixed.quantum(),
              constants_.length.skin / constants_.fixed.quantum(), execution_.list_parts) {
  fluid.classic = is_classic(world);
  fluid.confined = !fluid.classic && !constants_.free_surface;
  wall.can_move = walls_move_ || std::ranges::any_of(world.sides, &world::Side::slides);
  sweeps = physics::delta::choose_sweeps<T, D>(execution_.instructions);
  place();
}

/// Tells whether place x is in a cell of this rank.
template <class T, int D>
bool Flow<T, D>::is_here(Vec3 x) const {
  for (int d = 0; d < D; ++d) x[d] = constants_.fixed.round(x[d]);
  return layout().owned_cell(x) >= 0;
}

/// Places the particles of this rank's cells.
template <class T, int D>
void Flow<T, D>::place() {
  const particles::Placement placement = particles::place(world_, [&](Vec3 x) { return is_here(x); });
  std::int64_t anywhere = static_cast<std::int64_t>(placement.fluid.size());
  comm::sum(communicator_, {&anywhere, 1}, "placing particles");
  if (anywhere == 0)
    throw UserError(
        "the world contains no fluid: no lattice point lies in a region and outside all bodies. Check regions and "
        "spacing.");
  place_fluid(placement, constants_, fluid);
  domain::place_walls(placement, wall);
  saved_wall_rows_.resize(placement.walls.size());
  std::fill(saved_wall_rows_.values().begin(), saved_wall_rows_.values().end(), T(0));
  move_walls();
  resize_walls(wall_rows.owned());
  place_nodes();
}

/// Places the nodes of openings. They stand still, like walls. No other row reads them, so that they have no ghosts.
template <class T, int D>
void Flow<T, D>::place_nodes() {
  std::vector<double> x[D];
  const double* position[D];
  std::vector<std::int64_t> id;
  for (std::int32_t number = 0; number < openings.nodes(); ++number) {
    const Vec3 node = openings.node(number);
    if (layout().owned_cell(node) < 0) continue;
    id.push_back(number);
    for (int d = 0; d < D; ++d) x[d].push_back(node[d]);
  }
  for (int d = 0; d < D; ++d) position[d] = x[d].data();
  Array<std::int32_t> room;
  subdomain_.sort({position, D}, id, node_rows, node_number, room);
  nodes.resize(node_rows.rows);
  for (int d = 0; d < D; ++d) {
    node_positions_.x[d].assign(static_cast<std::size_t>(node_rows.real_rows) + neighbors::k_chunk, 0);
    for (std::size_t i = 0; i < id.size(); ++i) {
      const std::int32_t slot = node_rows.row_of(i);
      const std::int32_t place = constants_.fixed.wrapped(x[d][static_cast<std::size_t>(node_number[i])]);
      node_positions_.x[d][static_cast<std::size_t>(slot)] = place;
      nodes.put_fixed(nodes.row(slot).first + d, place);
    }
  }
  for (std::int32_t& place : node_number) place = static_cast<std::int32_t>(id[static_cast<std::size_t>(place)]);
}

// --- a rebuild ------------------------------------------------------------------------------------------------------

template <class T, int D>
void Flow<T, D>::rebuild(bool by_expected_places) {
  control.sort_ahead_steps = by_expected_places && rebuilds > 0 ? next_sort_ahead_steps() : 0;
  include_copies(false);
  borrow_memory();
  subdomain_.wrap(fluid.x);
  if (bodies_change()) change_bodies();
  if (!openings.empty())
    openings.pass(fluid, by_expected_places ? half_rebuild_interval() : 0,
                  [this](std::size_t i) { return fluid.mass[i]; });
  remove_leavers();
  timers.lap(Phase::sort);
  if (rebalance_is_due()) rebalance();
  find_sort_places();
  timers.lap(Phase::sort);
  migrate_fluid();
  timers.lap(Phase::migrate);
  sort_fluid();
  if (walls_move_) sort_walls();
  refresh_wall_copies();
  include_copies(true);
  lazy.rebuilt();
  timers.lap(Phase::sort);

  begin_count();
  find_neighbors();
  ++rebuilds;
  last_rebuild = steps;
  timers.lap(Phase::lists);
}

/// Lends sorting the memory of arrays that are not in use: results of the scheme delta, or rows of classic. The memory
/// returns when these arrays are resized.
template <class T, int D>
void Flow<T, D>::borrow_memory() {
  if (fluid.classic) {
    reorder_.room().adopt_memory(end_rows.first_parts());
  } else {
    if (rebuilds == 0)
      delta.resize(fluid.id.size() + neighbors::k_chunk);  // otherwise it would grow to that size, with slack
    reorder_.room().adopt_memory(delta);
  }
}

/// Returns how many steps ahead to sort particles. Particles move away from the places that they are sorted by; if
/// these are the places half way to the next rebuild, cells hold twice as long. The number is the smallest of: the
/// steps that cells have held since their particles passed these places, and the steps that the drift and the speed of
/// the last step allow; reduced a little.
template <class T, int D>
double Flow<T, D>::next_sort_ahead_steps() const {
  constexpr double k_share = 0.9, k_to_middle = 0.4;  // the first step sums no pairs before its midpoint
  constexpr double k_least = 1e-6;                    // relative to lengths
  const double held = std::max(0.0, static_cast<double>(steps - last_rebuild) - control.sort_ahead_steps);
  const double skin = constants_.length.skin, farthest = reach_of_lists() + skin;
  const double pace = std::max(k_least * skin, control.relative_drift - control.relative_drift_before);
  const double way = std::max(k_least * skin, control.speed * time_step);
  return k_share * std::min({held, skin / pace, farthest / way}) + k_to_middle;
}

/// Returns the time to the middle of the steps until the next rebuild [s]; pairs are summed at the ends of steps, and
/// there are assumed to be as many steps as since the last rebuild. It is longer than the time for which particles are
/// sorted ahead, which is on the safe side, whereas this must be right on average.
template <class T, int D>
double Flow<T, D>::half_rebuild_interval() const {
  return 0.5 * static_cast<double>(steps - last_rebuild + 1) * time_step;
}

/// Finds the places by which particles are sorted, in whole quanta, so that rows reproduce them. Particles of buffers
/// stay on their lines.
template <class T, int D>
void Flow<T, D>::find_sort_places() {
  const double ahead = control.sort_ahead_steps * time_step;
  auto& places = reorder_.places();
  places.resize(fluid.id.size());
  for (int d = 0; d < D; ++d) {
    const double *x = fluid.x[d], *v = fluid.v[d];
    double* place = places[d];
    const auto n = static_cast<std::int64_t>(fluid.id.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) place[i] = constants_.fixed.round(x[i] + v[i] * ahead);
  }
  if (!openings.empty()) {
    const auto n = fluid.id.size();
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < n; ++i) {
      if (fluid.buffer[i] == 0) continue;
      const int axis = openings.all()[fluid.buffer[i] - 1u].sites.axis;
      for (int d = 0; d < D; ++d)
        if (d != axis) places[d][i] = constants_.fixed.round(fluid.x[d][i]);
    }
  }
  subdomain_.wrap(places, &fluid.x);
}

/// Removes particles that are too far beyond an open side, or at the end of a buffer.
template <class T, int D>
void Flow<T, D>::remove_leavers() {
  if (subdomain_.is_closed() && openings.empty()) return;
  const auto has_left = [&](std::size_t i) {
    return fluid.buffer[i] == 0 && subdomain_.has_left(vector_of(fluid.x, i));
  };
  sparse_.find(fluid.size(), 2e-9, [&](std::size_t i) { return openings.is_spent(fluid, i) || has_left(i); });
  if (!sparse_.any()) return;
  gone_.resize(0);
  sparse_.for_each([&](std::size_t i) {
    if (!openings.is_spent(fluid, i)) {
      if (!has_left(i)) return;
      left_mass.add(fluid.mass[i]);
      ++left_particles;
    }
    gone_.push_back(static_cast<std::int32_t>(i));
  });
  remove_particles(fluid.size(), gone_, [&](auto&& visit) { fluid.for_each_array(visit); });
}

template <class T, int D>
bool Flow<T, D>::rebalance_is_due() {
  if (execution_.rebalance_every > 0) return (rebuilds + 1) % execution_.rebalance_every == 0;
  return execution_.rebalance && balance.is_due(communicator_, timers.busy(), steps);
}

/// Partitions the domain again so that each rank gets the same amount of work: the weight of a particle is its cost on
/// its present rank. The fluid, which is still where the step left it, follows when it migrates.
template <class T, int D>
void Flow<T, D>::rebalance() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::vector<Int3> cells(fluid.id.size());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = subdomain_.grid().cell_of(vector_of(fluid.x, i));
  const double cost = balance.cost(timers.busy(), steps) / static_cast<double>(std::max<std::int64_t>(1, fluid.size()));
  subdomain_.repartition(cells, std::max<std::int64_t>(1, std::llround(1e9 * cost)));
  openings.share(communicator_);
  saved_wall_rows_.take(walls, wall_rows);
  move_walls();
  resize_walls(wall_rows.owned());
  wall_halo.gather(neighbors::RowField(walls, D));
  place_nodes();
  timers.lap(Phase::migrate);
  balance.done(communicator_, std::chrono::duration<double>(Clock::now() - start).count(), timers.busy(), steps);
}

template <class T, int D>
void Flow<T, D>::migrate_fluid() {
  if (communicator_.is_alone()) return;
  const auto for_each_field = [&](auto&& visit) {
    fluid.for_each_array(visit);
    visit(reorder_.places());
  };
  migrants += migrate(communicator_, subdomain_.ranks_of(reorder_.places()), subdomain_.neighbors(), for_each_field);
  send_copies(reorder_.places(), for_each_field);
}

/// Puts the fluid in canonical order: by cell, then id.
template <class T, int D>
void Flow<T, D>::sort_fluid() {
  find_fluid_rows();
  control.relative_drift = control.relative_drift_before = control.max_displacement = control.path_since_rebuild =
      control.latest.corrected = 0;
}

/// Calls use() while the order of particles and the scratch memory for sorting them occupy the arrays of the places
/// from which lists were renewed. These places are found again afterwards.
template <class T, int D>
template <class Use>
void Flow<T, D>::with_order(std::size_t particles, neighbors::FixedPositions& renewed_from, Use&& use) {
  auto& [order, room, none] = renewed_from.x;
  order.resize(particles + neighbors::k_chunk), room.resize(particles + neighbors::k_chunk);
  reorder_.order.swap(order);
  use(room);
  reorder_.order.swap(order);
}

/// Sorts the fluid by the places in `reorder_`.
template <class T, int D>
void Flow<T, D>::find_fluid_rows() {
  const double* position[D];
  for (int d = 0; d < D; ++d) position[d] = reorder_.places()[d];
  with_order(fluid.id.size(), margin_.fluid(), [&](Array<std::int32_t>& room) {
    subdomain_.sort({position, D}, {fluid.id.data(), fluid.id.size()}, fluid_rows, reorder_.order, room);
    put_positions(fluid_rows, reorder_.places(), fluid_positions_);
    fluid.for_each_array([&](auto& array) { reorder_(array); });
  });
  openings.find_members(fluid);
  subdomain_.find_ghosts(fluid_rows, fluid_halo);
  find_fluid_copies();
  fluid_halo.gather_between(neighbors::PositionField(fluid_positions_, D));
  if (fluid.classic)
    rebuilds > 0 ? reorder_.room().move_memory_to(end_rows.first_parts()) : reorder_.room().release();
  else
    midpoint_rows.resize(fluid_rows.rows);
  rows_share_memory() ? end_rows.alias(midpoint_rows) : end_rows.resize(fluid_rows.rows);
}

/// Puts walls in canonical order, with their rows, and finds their ghosts. If no body moves, this is done once: order,
/// rows and ghosts then last until cells change ranks.
template <class T, int D>
void Flow<T, D>::sort_walls() {
  saved_wall_rows_.take(walls, wall_rows);
  move_walls();
}

/// Sends walls to the ranks of their cells, by their places, with their rows.
template <class T, int D>
void Flow<T, D>::move_walls() {
  wall_places_.resize(wall.id.size());
  for (int d = 0; d < D; ++d)
    std::transform(wall.x[d], wall.x[d] + wall.size(), wall_places_[d],
                   [this](double x) { return constants_.fixed.round(x); });
  move_walls_by_places();
}

/// Sends walls to the ranks of `wall_places_`, which are in whole quanta like those of the fluid.
template <class T, int D>
void Flow<T, D>::move_walls_by_places() {
  const auto for_each_field = [&](auto&& visit) {
    wall.for_each_array(visit);
    visit(saved_wall_rows_.field());
    visit(wall_places_);
  };
  migrate(communicator_, subdomain_.ranks_of(wall_places_), subdomain_.neighbors(), for_each_field);
  send_copies(wall_places_, for_each_field);
  const double* position[D];
  for (int d = 0; d < D; ++d) position[d] = wall_places_[d];
  with_order(wall.id.size(), margin_.walls(), [&](Array<std::int32_t>& room) {
    subdomain_.sort({position, D}, {wall.id.data(), wall.id.size()}, wall_rows, reorder_.order, room);
    put_positions(wall_rows, wall_places_, wall_positions_);
    wall.for_each_array([&](auto& array) { reorder_(array); });
    walls.resize(wall_rows.rows);
    saved_wall_rows_.put(reorder_.order, walls, wall_rows);
  });
  if (!walls_move_) saved_wall_rows_.release(), wall_places_ = {}, margin_.walls() = {};
  subdomain_.find_ghosts(wall_rows, wall_halo);
  subdomain_.find_copies(wall_rows, wall_copies);
  wall_halo.gather_between(neighbors::PositionField(wall_positions_, D));
  if (walls_move_)
    for (int d = 0; d < D; ++d) wall_displacement.x[d].resize(static_cast<std::size_t>(wall_rows.real_rows));
}

/// Sets the places of this rank's rows, from places that are still in the old order.
template <class T, int D>
void Flow<T, D>::put_positions(const particles::CellIndex& rows, const VectorArray<double, D>& x,
                               neighbors::FixedPositions& positions) const {
  const std::int64_t n = rows.computed();
  for (int d = 0; d < D; ++d) {
    Array<std::int32_t>& p = positions.x[d];
    p.resize(static_cast<std::size_t>(rows.real_rows) + neighbors::k_chunk);
    std::fill(p.end() - neighbors::k_chunk, p.end(), 0);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      p[static_cast<std::size_t>(rows.row_of(k))] = constants_.fixed.wrapped(x[d][reorder_.order[k]]);
    }
  }
}

template <class T, int D>
void Flow<T, D>::begin_count() {
  end_count();
  counts_ = {fluid_rows.owned(), wall_rows.owned()};
  counting_.begin_sum(counts_);
}

template <class T, int D>
void Flow<T, D>::end_count() {
  counting_.wait("rebuild");
  everywhere = {counts_[0], counts_[1]};
}

// --- memory for results ---------------------------------------------------------------------------------------------

/// Resizes the arrays that sweeps write.
template <class T, int D>
void Flow<T, D>::resize_results() {
  const std::size_t whole = fluid_fluid.chunks().size() * neighbors::k_chunk;
  fluid.surface.reserve(whole);
  wall_is_wet.resize(wall.id.size());
  if (fluid.classic) {
    classic.resize(whole);
    if (world_.method.xsph > 0) classic.drifts.resize(whole);
    for (auto* each : {&fluid.s_rate_old, &fluid.u_rate_old}) each->reserve(whole);
  } else {
    delta.adopt_memory(reorder_.room());
    delta.resize(whole);
    if (!fluid.confined) delta.dissipation.resize(whole);
  }
}

template <class T, int D>
void Flow<T, D>::resize_reactions() {
  const std::size_t whole_walls = wall_fluid.chunks().size() * neighbors::k_chunk;
  for (int d = 0; d < D; ++d) viscous_reaction[d].resize(whole_walls), pressure_reaction[d].resize(whole_walls);
}

// --- functions for steps and observers ------------------------------------------------------------------------------

template <class T, int D>
double Flow<T, D>::pressure(std::size_t i) const {
  const auto& c = constants_;
  const double u = c.state.is_gas() ? fluid.u[i] / (c.c0 * c.c0) : 0;
  return c.rho0 * c.c0 * c.c0 * c.state.pressure(fluid.s[i], u);
}

template <class T, int D>
Vec3 Flow<T, D>::sorted_place(std::size_t i) const {
  Vec3 x = layout().centre(particles::CellFinder(fluid_rows)(i).cell);
  const auto row = static_cast<std::size_t>(fluid_rows.row_of(i));
  for (int d = 0; d < D; ++d) x[d] = constants_.fixed.unwrapped(fluid_positions_.x[d][row], x[d]);
  return x;
}

template <class T, int D>
void Flow<T, D>::write_wall_rows() {
  for (std::int64_t i = 0; i < wall.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    write_wall_row(walls.row(wall_rows.row_of(k)), k);
  }
}

template <class T, int D>
void Flow<T, D>::write_wall_row(const neighbors::RowParts<T>& row, std::size_t k) const {
  for (int column = 0; column < walls.room(); ++column) row[column] = T(0);
  for (int d = 0; d < D; ++d) walls.put_fixed(row.first + d, constants_.fixed.wrapped(wall.x[d][k]));
  row[D + 1] = static_cast<T>(wall_volume(k, vector_of(wall.x, k)));
  row[3 * D + 2] = static_cast<T>(wall.no_slip[k] != 0 ? 1 : 0);
}

template <class T, int D>
double Flow<T, D>::wall_share(std::size_t k, const Vec3& x) const {
  return wall.owner[k] >= 0 ? particles::fraction_inside_walls(world_, x) : 1.0;
}

template <class T, int D>
double Flow<T, D>::wall_volume(std::size_t k, const Vec3& x) const {
  return wall_share(k, x) * wall.volume[k] / constants_.volume;
}

template <class T, int D>
physics::delta::SweepInput<T> Flow<T, D>::input() const {
  physics::delta::SweepInput<T> in;
  in.midpoint_fluid = midpoint_rows.data();
  in.end_fluid = end_rows.data();
  in.walls = walls.data();
  in.nodes = nodes.data();
  in.prefetch_distance = neighbors::prefetch_distance(fluid_rows);
  const double R = constants_.length.interaction_radius;
  in.scale = static_cast<T>(constants_.scale);
  in.kernel_constant = static_cast<T>(constants_.kernel);
  const double w_dx = physics::WendlandC2::value(constants_.length.spacing / R);
  in.crowding = static_cast<T>(0.2 / (w_dx * w_dx * w_dx * w_dx));
  const double central = 2 * (D + 2) * physics::central_viscosity_constant<double>(D);
  const double weight = constants_.viscosity == FluidViscosity::morris ? 2 : central;
  in.nu_fluid = static_cast<T>(weight * constants_.nu_fluid / (constants_.c0 * R));
  in.diffusion = static_cast<T>(world_.method.density_diffusion);
  in.per_step = static_cast<T>(1 / std::max(time_step * constants_.rate * constants_.kernel, k_no_step));
  in.min_pressure_at_walls = constants_.free_surface ? T(0) : std::numeric_limits<T>::lowest();
  in.nu_wall = static_cast<T>(weight * constants_.nu / (constants_.c0 * R));
  return in;
}

template <class T, int D>
std::int64_t Flow<T, D>::memory() const {
  const auto sum = [](const auto&... each) { return (std::size_t{0} + ... + each.bytes()); };
  std::size_t bytes =
      sum(midpoint_rows, end_rows, walls, fluid_rows, wall_rows, subdomain_, reorder_, saved_wall_rows_) +
      sum(fluid_fluid, fluid_wall, wall_fluid, buffer_free, wall_free, node_fluid, margin_, drift_bound_, near_walls_,
          fluid_of_row_, cells_around_, free_fluid_, layout()) +
      sum(delta, delta.dissipation, classic, classic.drifts, wall_is_wet, wall_places_);
  for (int d = 0; d < D; ++d)
    bytes += sum(viscous_reaction[d], pressure_reaction[d], fluid_positions_.x[d], wall_positions_.x[d],
                 wall_displacement.x[d], reference_velocities_.x[d], wall_reference_velocities_.x[d]);
  const auto add = [&](const auto& array) { bytes += array.bytes(); };
  const_cast<FluidState<T, D>&>(fluid).for_each_array(add);
  const_cast<WallState<D>&>(wall).for_each_array(add);
  return static_cast<std::int64_t>(bytes);
}

template class Flow<float, 2>;
template class Flow<float, 3>;
template class Flow<double, 2>;
template class Flow<double, 3>;

}  // namespace eddyline::sph
