#include "integrate/flow.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/errors.hpp"
#include "base/instructions.hpp"
#include "comm/collectives.hpp"
#include "integrate/migrate.hpp"
#include "neighbors/fields.hpp"
#include "physics/kernels/cubic_spline.hpp"
#include "physics/kernels/wendland_c2.hpp"

namespace eddyline::integrate {

using physics::delta::FluidViscosity;
using world::Scheme;
using world::SideKind;

namespace {

// A of particle shifting: times the particle's own speed, or the highest one that the world expects.
constexpr double k_shifting_free_surface = 6, k_shifting_confined = 3;

template <class T>
void take(const T* from, const Array<std::int32_t>& order, T* to) {
  const auto n = static_cast<std::int64_t>(order.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) to[i] = from[order[static_cast<std::size_t>(i)]];
}

/// array[i] becomes array[order[i]]; what it was is left in `scratch`.
template <class T>
void reorder(Array<T>& array, const Array<std::int32_t>& order, Array<T>& scratch) {
  scratch.resize(array.size());
  take(array.data(), order, scratch.data());
  array.swap(scratch);
}
template <class T, int D>
void reorder(VectorArray<T, D>& array, const Array<std::int32_t>& order, VectorArray<T, D>& scratch) {
  scratch.resize(array.size());
  for (int d = 0; d < D; ++d) take(array[d], order, scratch[d]);
  array.swap(scratch);
}

void set_viscosity(Constants& c, const world::World& world) {
  const double h = c.length.smoothing_length;
  c.nu = world.fluid.kinematic_viscosity;
  c.nu_fluid = std::max(c.nu, world.method.artificial_viscosity * h * c.c0 / (2 * (world.dimensions + 2)));
}

/// The element of that name. Throws UserError.
template <class Element>
Element& named(std::vector<Element>& all, const char* name, const char* what) {
  const auto found = std::find_if(all.begin(), all.end(), [name](const Element& each) { return each.name == name; });
  if (found == all.end()) throw UserError(std::string("there is no ") + what + " of the name " + name + ".");
  return *found;
}

Constants make_constants(const world::World& world) {
  Constants c{};
  c.length = particles::lengths(world);
  c.fixed = FixedPoint(c.length.interaction_radius);
  c.rho0 = world.fluid.density;
  c.c0 = world.fluid.sound_speed;
  set_viscosity(c, world);
  const double R = c.length.interaction_radius;
  const Vec3 step = particles::lattice_spacing(world);
  c.volume = step.x * step.y * (world.dimensions == 3 ? step.z : 1.0);
  c.inverse_c0 = 1 / c.c0;
  c.inverse_mass = 1 / (c.rho0 * c.volume);
  const double radius = world.dimensions == 3 ? R * R * R : R * R;
  const bool classic = world.method.scheme == Scheme::classic;
  const bool gas = world.fluid.matter == world::Matter::ideal_gas;
  c.kernel = classic ? (4 << world.dimensions) * physics::CubicSpline::sigma(world.dimensions) * c.volume / radius
                     : 20 * physics::WendlandC2::sigma(world.dimensions) * c.volume / radius;
  c.state.gamma = world.fluid.gamma;
  c.state.kind = !classic ? physics::StateEquation::Kind::linear
                 : gas    ? physics::StateEquation::Kind::ideal_gas
                          : physics::StateEquation::Kind::tait;
  c.rate = c.c0 / R;
  c.speed_limit = world.method.speed_limit > 0 ? world.method.speed_limit : gas ? 10 * c.c0 : c.c0;
  c.free_surface = !world.regions.empty();
  for (const auto& side : world.sides) c.free_surface = c.free_surface || side.kind == SideKind::open;
  c.free_surface = c.free_surface && !gas;
  const double strength = c.free_surface ? k_shifting_free_surface : k_shifting_confined;
  c.shifting_strength = world.method.shifting_strength > 0 ? world.method.shifting_strength : strength;
  c.acoustic_damping = c.free_surface ? 0.0 : world.method.acoustic_damping;
  c.viscosity = c.free_surface ? FluidViscosity::monaghan_cleary : FluidViscosity::morris;
  return c;
}

}  // namespace

template <class T, int D>
Flow<T, D>::Flow(const world::World& world, const Execution& execution, comm::Communicator& communicator)
    : openings(world),
      pressed(world.method.scheme == Scheme::classic ? physics::classic::k_fluid_stride<D>
                                                     : physics::delta::k_pressed_stride<D>),
      fluid_halo(communicator, execution.exchange, comm::Tag::fluid_halo),
      wall_halo(communicator, execution.exchange, comm::Tag::wall_halo),
      world_(world),
      execution_(execution),
      communicator_(communicator),
      constants_(make_constants(world)),
      cell_halo_(communicator, execution.exchange, comm::Tag::cell_halo) {
  fluid.classic = world.method.scheme == Scheme::classic;
  fluid.confined = !fluid.classic && !constants_.free_surface;
  for (int d = 0; d < D; ++d) {
    const auto a = static_cast<std::size_t>(d);
    if (world_.sides[2 * a].kind == SideKind::periodic) world_.size[d] = constants_.fixed.round(world_.size[d]);
  }
  if (execution.threads > 0) omp_set_num_threads(execution.threads);
  execution_.instructions = choose_instructions(execution.instructions);
  sweeps = physics::delta::choose_sweeps<T, D>(execution_.instructions);
  place();
}

template <class T, int D>
void Flow<T, D>::change(const world::Change& change) {
  using Kind = world::Change::Kind;
  switch (change.kind) {
    case Kind::viscosity:
      world_.fluid.kinematic_viscosity = change.value.x;
      set_viscosity(constants_, world_);
      break;
    case Kind::gravity: world_.gravity = change.value; break;
    case Kind::inflow: {
      std::array<world::Formula, 3> velocity;
      for (std::size_t d = 0; d < D; ++d)
        velocity[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
      auto& opening = named(world_.openings, change.name.data(), "opening");
      if (!opening.inflow) throw UserError(std::string(change.name.data()) + " is an outflow.");
      opening.velocity = velocity;
      for (auto& each : openings.all())
        if (each.world.name == opening.name) each.world.velocity = velocity;
      break;
    }
    case Kind::motion: change_motion(change); break;
    case Kind::add_probe: world_.probes.push_back({change.name.data(), change.value}); break;
    case Kind::remove_probe: {
      const auto& probe = named(world_.probes, change.name.data(), "probe");
      world_.probes.erase(world_.probes.begin() + (&probe - world_.probes.data()));
      break;
    }
  }
}

/// A body that stood still until now moves from the next step on: its particles have been walls like any other.
template <class T, int D>
void Flow<T, D>::change_motion(const world::Change& change) {
  world::Motion motion;
  for (std::size_t d = 0; d < 3; ++d)
    motion.displacement[d] = world::Formula(change.formulas[d].data(), world::k_field_variables);
  motion.rotation = world::Formula(change.formulas[3].data(), world::k_field_variables);
  motion.pivot = change.value;
  auto& body = named(world_.bodies, change.name.data(), "body");
  if (body.motion) motion.axis = body.motion->axis;
  body.motion = motion;
  walls_move_ = true;
  for (int d = 0; d < D; ++d) wall_displacement.x[d].resize(static_cast<std::size_t>(wall_rows.rows));
}

/// Every rank places what stands in its cells.
template <class T, int D>
void Flow<T, D>::place() {
  decompose(make_grid());
  const particles::Placement placement = particles::place(world_, [&](Vec3 x) { return layout_.owned_cell(x) >= 0; });
  std::int64_t anywhere = static_cast<std::int64_t>(placement.fluid.size());
  comm::sum(communicator_, {&anywhere, 1}, "placing particles");
  if (anywhere == 0)
    throw UserError(
        "the world holds no fluid: no lattice point lies in a region and outside all bodies. Check regions and "
        "spacing.");
  const std::size_t n = placement.fluid.size();
  fluid.for_each_array([n](auto& array) { array.assign(n, 0); });
  const double pressure_unit = constants_.rho0 * constants_.c0 * constants_.c0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& particle = placement.fluid[i];
    fluid.id[i] = particle.id;
    fluid.buffer[i] = particle.buffer;
    const double p = particle.pressure / pressure_unit;
    fluid.s[i] =
        constants_.state.is_gas() ? particle.density / constants_.rho0 - 1 : constants_.state.density_excess(p);
    if (constants_.state.is_gas())
      fluid.u[i] = constants_.c0 * constants_.c0 *
                   physics::StateEquationIdealGas{constants_.state.gamma}.thermal_energy(1 + fluid.s[i], p);
    fluid.mass[i] = constants_.rho0 * (1 + fluid.s[i]) * particle.volume;
    for (int d = 0; d < D; ++d) fluid.x[d][i] = particle.position[d];
  }
  place_walls(placement);
  place_nodes();
}

template <class T, int D>
void Flow<T, D>::place_walls(const particles::Placement& placement) {
  walls_move_ =
      std::any_of(world_.bodies.begin(), world_.bodies.end(), [](const auto& b) { return b.motion.has_value(); });
  const std::size_t n = placement.walls.size();
  wall.for_each_array([n](auto& array) { array.assign(n, 0); });
  for (std::size_t i = 0; i < n; ++i) {
    const auto& particle = placement.walls[i];
    wall.id[i] = particle.id;
    wall.owner[i] = particle.owner;
    wall.volume[i] = particle.volume;
    wall.no_slip[i] = particle.no_slip;
    for (int d = 0; d < D; ++d) wall.x[d][i] = wall.x_file[d][i] = particle.position[d];
  }
  wall_rows.slot.assign(n, 0);
  walls.resize(0);
  sort_walls();
}

/// Puts walls in canonical order, with their rows, and finds their ghosts. Where no body moves, this is done once:
/// their order, rows and ghosts then last until cells change hands.
template <class T, int D>
void Flow<T, D>::sort_walls() {
  for (int d = 0; d < D; ++d) std::copy_n(wall.x[d], wall.size(), wall.x_ref[d]);
  keep_wall_rows();
  migrate(communicator_, ranks_of(wall.x_ref), [&](auto&& visit) { for_each_wall_field(visit); });
  find_wall_rows();
}

/// Takes the walls' rows out, by particle.
template <class T, int D>
void Flow<T, D>::keep_wall_rows() {
  const auto stride = static_cast<std::size_t>(walls.stride());
  wall_row_scratch_.resize(wall.id.size() * stride);
  const std::int64_t n = wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::copy_n(walls.row(wall_rows.slot[k]), stride, wall_row_scratch_.data() + k * stride);
  }
}

/// Order and rows of walls from where they stood at the last sort.
template <class T, int D>
void Flow<T, D>::find_wall_rows() {
  const auto stride = static_cast<std::size_t>(walls.stride());
  const double* position[D];
  for (int d = 0; d < D; ++d) position[d] = wall.x_ref[d];
  sort({position, D}, {wall.id.data(), wall.id.size()}, wall_rows, order_);
  wall.for_each_array([&](auto& array) { reorder(array, order_, scratch_for(array)); });
  walls.resize(wall_rows.rows);
  const std::int64_t n = wall.size();
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i), old = static_cast<std::size_t>(order_[k]);
    std::copy_n(wall_row_scratch_.data() + old * stride, stride, walls.row(wall_rows.slot[k]));
  }
  find_halo(wall_rows, wall_halo);
  find_positions(wall_rows, wall.x_ref, wall_halo, wall_positions_);
  if (walls_move_)
    for (int d = 0; d < D; ++d) wall_displacement.x[d].resize(static_cast<std::size_t>(wall_rows.rows));
}

/// Nodes of openings stand still, like walls. Nobody gathers from them, so that they have no ghosts to send.
template <class T, int D>
void Flow<T, D>::place_nodes() {
  std::vector<double> x[D];
  const double* position[D];
  std::vector<std::int64_t> id;
  for (std::int32_t number = 0; number < openings.nodes(); ++number) {
    const Vec3 node = openings.node(number);
    if (layout_.owned_cell(node) < 0) continue;
    id.push_back(number);
    for (int d = 0; d < D; ++d) x[d].push_back(node[d]);
  }
  for (int d = 0; d < D; ++d) position[d] = x[d].data();
  sort({position, D}, id, node_rows, node_number);
  nodes.resize(node_rows.rows);
  for (int d = 0; d < D; ++d) {
    node_positions_.x[d].assign(static_cast<std::size_t>(node_rows.rows) + neighbors::k_chunk, 0);
    for (std::size_t i = 0; i < id.size(); ++i) {
      const std::int32_t slot = node_rows.slot[i];
      const std::int32_t place = constants_.fixed.wrapped(x[d][static_cast<std::size_t>(node_number[i])]);
      node_positions_.x[d][static_cast<std::size_t>(slot)] = place;
      nodes.put_fixed(nodes.row(slot) + d, place);
    }
  }
  for (std::int32_t& place : node_number) place = static_cast<std::int32_t>(id[static_cast<std::size_t>(place)]);
}

template <class T, int D>
particles::CellGrid Flow<T, D>::make_grid() const {
  particles::CellGrid grid;
  grid.dimensions = D;
  const double R = constants_.length.interaction_radius;
  for (int d = 0; d < D; ++d) {
    const auto a = static_cast<std::size_t>(d);
    double lower = world_.origin[d], upper = world_.origin[d] + world_.size[d];
    const double length = world_.size[d];
    grid.periodic[a] = world_.sides[2 * a].kind == SideKind::periodic;
    if (grid.periodic[a]) {
      grid.period[d] = length;
      grid.period_quanta[a] = constants_.fixed.wrapped(length);
    } else {
      // Room for the dummy particles of walls, and for what splashes out of an open side.
      const auto margin = [&](SideKind kind) {
        if (kind == SideKind::open) return R + particles::k_open_margin * length;
        if (kind == SideKind::inflow || kind == SideKind::outflow) return R + buffer_length(d);
        return R;
      };
      lower -= margin(world_.sides[2 * a].kind);
      upper += margin(world_.sides[2 * a + 1].kind);
    }
    grid.origin[d] = lower;
    grid.count[a] = std::max(1, static_cast<std::int32_t>(std::floor((upper - lower) / constants_.length.cell_edge)));
    grid.edge[d] = (upper - lower) / grid.count[a];
    grid.per_edge[d] = grid.count[a] / (upper - lower);
    if (grid.periodic[a] && grid.count[a] < 3)
      throw UserError("domain.size: a periodic side must be at least three cells (" +
                      std::to_string(3 * constants_.length.cell_edge) +
                      " m) long. Use a longer domain or a finer spacing.");
  }
  return grid;
}

/// Cuts the grid so that every box gets as many particles of the start.
template <class T, int D>
void Flow<T, D>::decompose(const particles::CellGrid& grid) {
  const int ranks = communicator_.size();
  std::vector<Int3> cells;  // of the fluid in this rank's share of a first, even cut
  if (ranks * execution_.boxes > 1) {
    const decompose::Partition even(grid, {decompose::Method::bisection}, ranks, 1, [](const auto& box, int axis) {
      const auto a = static_cast<std::size_t>(axis);
      return std::vector<std::int64_t>(static_cast<std::size_t>(box.upper[a] - box.lower[a]), 1);
    });
    const particles::CellLayout share(grid, even.boxes_of(communicator_.rank()));
    const auto placement = particles::place(world_, [&](Vec3 x) { return share.owned_cell(x) >= 0; });
    for (const auto& particle : placement.fluid) cells.push_back(grid.cell_of(particle.position));
  }
  share_out(grid, cells, 1);
}

/// Cuts the grid by the weight of particles: this rank's stand in `cells`, each of them weighs `weight`.
template <class T, int D>
void Flow<T, D>::share_out(const particles::CellGrid& grid, const std::vector<Int3>& cells, std::int64_t weight) {
  const auto weights = [&](const particles::CellBox& box, int axis) {
    const auto a = static_cast<std::size_t>(axis);
    std::vector<std::int64_t> slabs(static_cast<std::size_t>(box.upper[a] - box.lower[a]), 0);
    for (const Int3& cell : cells)
      if (box.contains(cell)) slabs[static_cast<std::size_t>(cell[a] - box.lower[a])] += weight;
    comm::sum(communicator_, slabs, "decomposition");
    return slabs;
  };
  const decompose::Cuts cuts = decompose::cuts_of(execution_.decomposition);
  partition_ = decompose::Partition(grid, cuts, communicator_.size(), execution_.boxes, weights);
  const int rank = communicator_.rank();
  layout_ = particles::CellLayout(grid, partition_.boxes_of(rank), partition_.around(rank));
  cell_halo_.clear();
  for (const auto& other : layout_.rank_cells()) {
    for (const std::int32_t cell : other.sent) cell_halo_.add_sent(other.rank, cell, 1);
    for (const auto& ghost : other.received) cell_halo_.add_received(other.rank, ghost.cell, 1, {});
  }
}

template <class T, int D>
bool Flow<T, D>::rebalance_is_due() {
  if (execution_.rebalance_every > 0) return (rebuilds + 1) % execution_.rebalance_every == 0;
  return execution_.rebalance && balance.is_due(communicator_, timers.busy(), steps);
}

/// Shares the domain out anew, so that each rank gets as much to compute: a particle weighs as much as it has cost
/// where it is now. The fluid, which stands where the step left it, follows when it migrates.
template <class T, int D>
void Flow<T, D>::rebalance() {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const particles::CellGrid grid = layout_.grid();
  std::vector<Int3> cells(fluid.id.size());
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = grid.cell_of(vector_of(fluid.x, i));
  const auto turns = static_cast<double>(std::max<std::int64_t>(1, balance.steps_since(steps) * fluid.size()));
  const double cost = balance.busy_since(timers.busy()) / turns;
  share_out(grid, cells, std::max<std::int64_t>(1, std::llround(1e9 * cost)));
  openings.share(communicator_);
  keep_wall_rows();
  migrate(communicator_, ranks_of(wall.x_ref), [&](auto&& visit) { for_each_wall_field(visit); });
  find_wall_rows();
  wall_halo.gather(neighbors::RowField(walls, D));
  place_nodes();
  timers.lap(Phase::migrate);
  balance.done(communicator_, std::chrono::duration<double>(Clock::now() - start).count(), timers.busy(), steps);
}

template <class T, int D>
void Flow<T, D>::wrap_into_periods() {
  const auto& grid = layout_.grid();
  for (int d = 0; d < D; ++d) {
    if (!grid.periodic[static_cast<std::size_t>(d)]) continue;
    const double lower = grid.origin[d], upper = lower + grid.period[d], period = grid.period[d];
    double* x = fluid.x[d];
    const std::int64_t n = fluid.size();
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) x[i] = x[i] < lower ? x[i] + period : x[i] >= upper ? x[i] - period : x[i];
  }
}

template <class T, int D>
void Flow<T, D>::sort(std::span<const double* const> position, std::span<const std::int64_t> id,
                      particles::CellRows& rows, Array<std::int32_t>& order) {
  sort_.sort(layout_, position, id, execution_.shuffle, rows, order,
             [this](Array<std::int32_t>& counts) { cell_halo_.gather(exchange::ArrayField(counts)); });
}

/// Who repeats whose rows, within the process and of other ranks.
template <class T, int D>
void Flow<T, D>::find_halo(const particles::CellRows& rows, exchange::Halo& halo) const {
  halo.clear();
  const auto first = [&](std::int32_t cell) { return rows.begin[static_cast<std::size_t>(cell)]; };
  const auto count = [&](std::int32_t cell) { return first(cell + 1) - first(cell); };
  for (const auto& ghost : layout_.ghost_cells())
    halo.routes().add(ghost.from_box, ghost.to_box,
                      {first(ghost.from_cell), first(ghost.to_cell), count(ghost.from_cell), ghost.shift});
  for (const auto& other : layout_.rank_cells()) {
    for (const std::int32_t cell : other.sent) halo.add_sent(other.rank, first(cell), count(cell));
    for (const auto& ghost : other.received)
      halo.add_received(other.rank, first(ghost.cell), count(ghost.cell), ghost.shift);
  }
}

template <class T, int D>
void Flow<T, D>::find_positions(const particles::CellRows& rows, const VectorArray<double, D>& x, exchange::Halo& halo,
                                neighbors::FixedPositions& positions) {
  const auto n = static_cast<std::int64_t>(rows.slot.size());
  for (int d = 0; d < D; ++d) {
    Array<std::int32_t>& p = positions.x[d];
    p.resize(static_cast<std::size_t>(rows.rows) + neighbors::k_chunk);
    std::fill(p.end() - neighbors::k_chunk, p.end(), 0);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i)
      p[static_cast<std::size_t>(rows.slot[static_cast<std::size_t>(i)])] =
          constants_.fixed.wrapped(x[d][static_cast<std::size_t>(i)]);
  }
  halo.gather(neighbors::PositionField(positions, D));
}

/// The rank whose cells hold each place.
template <class T, int D>
std::vector<int> Flow<T, D>::ranks_of(const VectorArray<double, D>& x) const {
  std::vector<int> ranks(x.size());
  const auto n = static_cast<std::int64_t>(x.size());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ranks[k] = partition_.rank_of(layout_.grid().cell_of(vector_of(x, k)));
  }
  return ranks;
}

template <class T, int D>
void Flow<T, D>::migrate_fluid() {
  if (communicator_.is_alone()) return;
  migrants += migrate(communicator_, ranks_of(fluid.x), [&](auto&& visit) { fluid.for_each_array(visit); });
}

template <class T, int D>
double Flow<T, D>::buffer_length(int axis) const {
  return particles::buffer_columns(world_) * particles::lattice_spacing(world_)[axis];
}

/// Fluid that is farther beyond an open side than the grid reaches has left for good, and so has what stands beyond the
/// end of a buffer.
template <class T, int D>
void Flow<T, D>::remove_leavers() {
  Vec3 lowest, highest;
  bool closed = true;
  for (int d = 0; d < D; ++d) {
    const auto side = world_.sides.begin() + 2 * d;
    const auto margin = [&](SideKind kind) {
      if (kind == SideKind::open) return particles::k_open_margin * world_.size[d];
      return kind == SideKind::inflow || kind == SideKind::outflow ? buffer_length(d) : INFINITY;
    };
    lowest[d] = world_.origin[d] - margin(side[0].kind);
    highest[d] = world_.origin[d] + world_.size[d] + margin(side[1].kind);
    closed = closed && std::isinf(lowest[d]) && std::isinf(highest[d]);
  }
  if (closed && openings.empty()) return;
  const std::int64_t n = fluid.size();
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(kept);
    if (openings.is_spent(fluid, from)) continue;
    bool outside = false;  // what is not a number is not, so that the doctor finds it
    for (int d = 0; d < D; ++d) outside = outside || fluid.x[d][i] < lowest[d] || fluid.x[d][i] > highest[d];
    if (outside && fluid.buffer[from] == 0) {
      left_mass.add(fluid.mass[from]);
      ++left_particles;
      continue;
    }
    if (from != to) copy_particle([&](auto&& visit) { fluid.for_each_array(visit); }, from, to);
    ++kept;
  }
  if (kept == n) return;
  fluid.for_each_array([&](auto& array) { array.resize(static_cast<std::size_t>(kept)); });
}

/// Puts the fluid in canonical order: by cell, then id.
template <class T, int D>
void Flow<T, D>::sort_fluid() {
  fluid.x_ref.resize(fluid.id.size());
  for (int d = 0; d < D; ++d) std::copy_n(fluid.x[d], fluid.size(), fluid.x_ref[d]);
  find_fluid_rows();
  control.approach = control.moved = latest.corrected = 0;
}

/// Order of the fluid from where it stood at the last sort.
template <class T, int D>
void Flow<T, D>::find_fluid_rows() {
  const double* position[D];
  for (int d = 0; d < D; ++d) position[d] = fluid.x_ref[d];
  sort({position, D}, {fluid.id.data(), fluid.id.size()}, fluid_rows, order_);
  fluid.for_each_array([&](auto& array) { reorder(array, order_, scratch_for(array)); });
  reorder(fluid.x_ref, order_, vector_scratch_);
  openings.find_members(fluid);
  find_halo(fluid_rows, fluid_halo);
  find_positions(fluid_rows, fluid.x_ref, fluid_halo, fluid_positions_);
  if (!fluid.classic) moving.resize(fluid_rows.rows);
  pressed.resize(fluid_rows.rows);
}

template <class T, int D>
void Flow<T, D>::find_neighbors() {
  const double cut = constants_.length.cell_edge / constants_.fixed.quantum();
  neighbors::Search search{
      D,    static_cast<float>(cut * cut), &layout_, &fluid_rows, &fluid_rows, &fluid_positions_, &fluid_positions_,
      true, execution_.all_pairs};
  fluid_fluid.build(search, execution_.instructions.c_str());
  search.same = false;
  search.sources = &wall_rows;
  search.source_positions = &wall_positions_;
  fluid_wall.build(search, execution_.instructions.c_str());
  std::swap(search.targets, search.sources);
  std::swap(search.target_positions, search.source_positions);
  wall_fluid.build(search, execution_.instructions.c_str());
  if (!openings.empty()) find_node_neighbors();

  make_schedule();
  const std::size_t whole = fluid_fluid.chunks().size() * neighbors::k_chunk;
  surface.resize(whole);
  const std::size_t whole_walls = wall_fluid.chunks().size() * neighbors::k_chunk;
  for (int d = 0; d < D; ++d) viscous_reaction[d].resize(whole_walls), pressure_reaction[d].resize(whole_walls);
  if (fluid.classic) {
    classic.resize(whole, whole_walls);
    return;
  }
  divergence.resize(whole), diffusion.resize(whole);
  if (!constants_.free_surface) filling.resize(whole);
  wall_weight.resize(whole_walls), wall_pressure.resize(whole_walls);
  for (int d = 0; d < D; ++d) {
    viscous[d].resize(whole), pressure_force[d].resize(whole), shift[d].resize(whole);
    wall_lever[d].resize(whole_walls), wall_velocity[d].resize(whole_walls);
  }
}

/// Positions of all rows, those of buffers out of reach: for lists over the fluid alone.
template <class T, int D>
void Flow<T, D>::hide_buffers() {
  constexpr std::uint32_t k_out_of_reach = 1u << 30;  // at least 8 R
  for (int d = 0; d < D; ++d) {
    auto& free = free_positions_.x[d];
    free.resize(fluid_positions_.x[d].size());
    std::copy(fluid_positions_.x[d].begin(), fluid_positions_.x[d].end(), free.begin());
  }
  hidden_.assign(static_cast<std::size_t>(fluid_rows.rows), 0);
  for (const std::int32_t i : openings.members())
    hidden_[static_cast<std::size_t>(fluid_rows.slot[static_cast<std::size_t>(i)])] = 1;
  fluid_halo.gather(exchange::ArrayField(hidden_));
  auto& x = free_positions_.x[0];
  for (std::size_t row = 0; row < hidden_.size(); ++row)
    if (hidden_[row] != 0) x[row] = static_cast<std::int32_t>(static_cast<std::uint32_t>(x[row]) + k_out_of_reach);
}

/// Nodes see the fluid without the buffers, which would only hear their own echo.
template <class T, int D>
void Flow<T, D>::find_node_neighbors() {
  hide_buffers();
  const double cut = constants_.length.cell_edge / constants_.fixed.quantum();
  const neighbors::Search search{
      D,     static_cast<float>(cut * cut), &layout_, &node_rows, &fluid_rows, &node_positions_, &free_positions_,
      false, execution_.all_pairs};
  node_fluid.build(search, execution_.instructions.c_str());
  for (auto& sums : node_sums) sums.resize(node_fluid.chunks().size() * neighbors::k_chunk);
  free_neighbors_found_ = false;
}

template <class T, int D>
void Flow<T, D>::find_free_neighbors() {
  if (openings.empty() || free_neighbors_found_) return;
  free_neighbors_found_ = true;
  const auto& members = openings.members();
  buffer_rows_.slot.resize(members.size());
  buffer_rows_.cell.resize(members.size());
  buffer_rows_.rows = fluid_rows.rows;
  for (std::size_t m = 0; m < members.size(); ++m) {
    buffer_rows_.slot[m] = fluid_rows.slot[static_cast<std::size_t>(members[m])];
    buffer_rows_.cell[m] = fluid_rows.cell[static_cast<std::size_t>(members[m])];
  }
  const double cut = constants_.length.cell_edge / constants_.fixed.quantum();
  neighbors::Search search{
      D,     static_cast<float>(cut * cut), &layout_, &buffer_rows_, &fluid_rows, &fluid_positions_, &free_positions_,
      false, execution_.all_pairs};
  buffer_free.build(search, execution_.instructions.c_str());
  search.targets = &wall_rows;
  search.target_positions = &wall_positions_;
  wall_free.build(search, execution_.instructions.c_str());
  choose_blocks(wall_free.chunks().size(), [](std::size_t) { return true; }, schedule.free_walls);
}

/// A chunk is early if the cells of all its particles see nothing that comes late.
template <class T, int D>
void Flow<T, D>::make_schedule() {
  const auto chunks = fluid_fluid.chunks().size();
  const auto all = [](std::size_t) { return true; };
  choose_blocks(wall_fluid.chunks().size(), all, schedule.walls);
  if (communicator_.is_alone() || execution_.all_pairs) {
    schedule.early_rates.clear(), schedule.early_forces.clear();
    choose_blocks(chunks, all, schedule.late_rates);
    schedule.late_forces = schedule.late_rates;
    return;
  }
  std::vector<std::uint8_t> foreign(static_cast<std::size_t>(layout_.cells()), 0);
  for (const auto& other : layout_.rank_cells())
    for (const auto& ghost : other.received) foreign[static_cast<std::size_t>(ghost.cell)] = 1;
  const std::vector<std::uint8_t> near_foreign = layout_.owned_around(foreign);
  std::vector<std::uint8_t> set = std::move(foreign);  // cells with rows that are set late: of others, and of buffers
  if (!openings.empty())
    for (std::int32_t cell = 0; cell < layout_.cells(); ++cell) {
      const auto k = static_cast<std::size_t>(cell);
      for (std::int32_t row = fluid_rows.begin[k]; row < fluid_rows.begin[k + 1]; ++row)
        if (hidden_[static_cast<std::size_t>(row)] != 0) set[k] = 1;
    }
  const std::vector<std::uint8_t> near_set = openings.empty() ? near_foreign : layout_.owned_around(set);
  const auto is_early = [&](std::size_t chunk, const std::vector<std::uint8_t>& near) {
    const std::size_t last = std::min((chunk + 1) * neighbors::k_chunk, fluid_rows.cell.size());
    bool early = true;
    for (std::size_t i = chunk * neighbors::k_chunk; i < last; ++i)
      early = early && near[static_cast<std::size_t>(fluid_rows.cell[i])] == 0;
    return early;
  };
  const auto wall_chunks = fluid_wall.chunks();
  const auto rates = [&](std::size_t c) { return is_early(c, near_foreign); };
  const auto forces = [&](std::size_t c) { return wall_chunks[c].length == 0 && is_early(c, near_set); };
  choose_blocks(chunks, rates, schedule.early_rates);
  choose_blocks(chunks, [&](std::size_t c) { return !rates(c); }, schedule.late_rates);
  choose_blocks(chunks, forces, schedule.early_forces);
  choose_blocks(chunks, [&](std::size_t c) { return !forces(c); }, schedule.late_forces);
}

template <class T, int D>
void Flow<T, D>::rebuild() {
  wrap_into_periods();
  if (!openings.empty()) openings.pass(fluid);
  remove_leavers();
  timers.lap(Phase::sort);
  if (rebalance_is_due()) rebalance();
  migrate_fluid();
  timers.lap(Phase::migrate);
  sort_fluid();
  if (walls_move_) sort_walls();
  timers.lap(Phase::sort);

  count_everywhere();
  find_neighbors();
  ++rebuilds;
  last_rebuild = steps;
  timers.lap(Phase::lists);
}

template <class T, int D>
void Flow<T, D>::save(ArchiveWriter& archive) {
  archive.put_value("moment", std::array{time, time_step});
  archive.put_value("counts", std::array{steps, rebuilds, last_rebuild});
  archive.put_value("control", control);
  archive.put_value("latest", latest);
  archive.put_value("own_counts", std::array{contacts, left_particles, migrants});
  archive.put_value("left_mass", left_mass);
  fluid.for_each_named([&](const char* name, auto& field) { archive.put_field(std::string("fluid.") + name, field); });
  archive.put_field("fluid.x_ref", fluid.x_ref);
  wall.for_each_named([&](const char* name, auto& field) { archive.put_field(std::string("wall.") + name, field); });
  keep_wall_rows();
  archive.put_field("wall.rows", wall_row_scratch_);
  openings.save(archive);
}

template <class T, int D>
void Flow<T, D>::restore(const std::vector<ArchiveReader>& parts) {
  fluid.for_each_array([](auto& field) { field.resize(0); });
  fluid.x_ref.resize(0);
  wall.for_each_array([](auto& field) { field.resize(0); });
  wall_row_scratch_.resize(0);
  contacts = left_particles = migrants = 0;
  left_mass = {};
  for (const auto& part : parts) {
    fluid.for_each_named(
        [&](const char* name, auto& field) { part.append_field(std::string("fluid.") + name, field); });
    part.append_field("fluid.x_ref", fluid.x_ref);
    wall.for_each_named([&](const char* name, auto& field) { part.append_field(std::string("wall.") + name, field); });
    part.append_field("wall.rows", wall_row_scratch_);
    std::array<std::int64_t, 3> own{};
    part.get_value("own_counts", own);
    contacts += own[0], left_particles += own[1], migrants += own[2];
    ReproducibleSum mass;
    part.get_value("left_mass", mass);
    left_mass.merge(mass);
  }
  std::array<double, 2> moment{};
  std::array<std::int64_t, 3> counts{};
  if (communicator_.is_root()) {
    parts.at(0).get_value("moment", moment);
    parts.at(0).get_value("counts", counts);
    parts.at(0).get_value("control", control);
    parts.at(0).get_value("latest", latest);
  }
  moment = comm::broadcast(communicator_, moment, 0, "checkpoint");
  counts = comm::broadcast(communicator_, counts, 0, "checkpoint");
  control = comm::broadcast(communicator_, control, 0, "checkpoint");
  latest = comm::broadcast(communicator_, latest, 0, "checkpoint");
  time = moment[0], time_step = moment[1];
  steps = counts[0], rebuilds = counts[1], last_rebuild = counts[2];
  openings.restore(parts, communicator_);

  migrate(communicator_, ranks_of(wall.x_ref), [&](auto&& visit) { for_each_wall_field(visit); });
  find_wall_rows();
  wall_halo.gather(neighbors::RowField(walls, D));
  migrate(communicator_, ranks_of(fluid.x_ref), [&](auto&& visit) {
    fluid.for_each_array(visit);
    visit(fluid.x_ref);
  });
  find_fluid_rows();
  count_everywhere();
  find_neighbors();
}

template <class T, int D>
void Flow<T, D>::count_everywhere() {
  std::int64_t all[] = {fluid.size(), wall.size()};
  comm::sum(communicator_, all, "rebuild");
  everywhere = {all[0], all[1]};
}

template <class T, int D>
double Flow<T, D>::pressure(std::size_t i) const {
  const auto& c = constants_;
  const double u = c.state.is_gas() ? fluid.u[i] / (c.c0 * c.c0) : 0;
  return c.rho0 * c.c0 * c.c0 * c.state.pressure(fluid.s[i], u);
}

template <class T, int D>
void Flow<T, D>::write_wall_rows() {
  for (std::int64_t i = 0; i < wall.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    T* row = walls.row(wall_rows.slot[k]);
    std::fill(row, row + walls.stride(), T(0));
    for (int d = 0; d < D; ++d) walls.put_fixed(row + d, constants_.fixed.wrapped(wall.x[d][k]));
    row[D + 1] = static_cast<T>(wall.volume[k] / constants_.volume);
    row[3 * D + 2] = static_cast<T>(wall.no_slip[k] != 0 ? 1 : 0);
  }
}

template <class T, int D>
void Flow<T, D>::agree() {
  agree({}, "control point at the end of steps");
}

template <class T, int D>
neighbors::Drift Flow<T, D>::drift() {
  // Classic sums pairs in the middle of the step only.
  const double half_step = fluid.classic ? 0.0 : 0.5 * time_step * constants_.c0 / constants_.fixed.quantum();
  const neighbors::Drift own =
      drift_bound_(layout_, fluid_rows, fluid.classic ? pressed : moving, fluid_positions_,
                   static_cast<float>(half_step), wall_rows, walls_move_ ? &wall_displacement : nullptr);
  double all[] = {own.approach, own.moved};
  agree(all, "control point before pair sums");
  control.speed = latest.speed;
  return {static_cast<float>(all[0]), static_cast<float>(all[1])};
}

/// Maxima over all ranks of the last step's extremes and of `more`.
template <class T, int D>
void Flow<T, D>::agree(std::span<double> more, std::string_view what) {
  constexpr std::size_t k_more = 2;
  std::array<double, 6 + k_more> all{latest.speed,        latest.corrected,       latest.signal,
                                     latest.acceleration, latest.bad ? 1.0 : 0.0, control.stop ? 1.0 : 0.0};
  assert(more.size() <= k_more);
  std::copy(more.begin(), more.end(), all.end() - k_more);
  timers.lap(Phase::integrate);
  comm::maximum(communicator_, all, what);
  timers.lap(Phase::wait);
  latest = {all[0], all[1], all[4] > 0, all[2], all[3]};
  control.bad = latest.bad;
  control.stop = all[5] > 0;
  std::copy_n(all.end() - k_more, more.size(), more.begin());
}

template <class T, int D>
physics::delta::SweepInput<T> Flow<T, D>::input() const {
  physics::delta::SweepInput<T> in;
  in.moving = moving.data();
  in.pressed = pressed.data();
  in.walls = walls.data();
  in.nodes = nodes.data();
  const double R = constants_.length.interaction_radius;
  in.scale = static_cast<T>(constants_.fixed.quantum() / R);
  in.kernel_constant = static_cast<T>(constants_.kernel);
  const double w_dx = physics::WendlandC2::value(constants_.length.spacing / R);
  in.crowding = static_cast<T>(0.2 / (w_dx * w_dx * w_dx * w_dx));
  const double weight = constants_.viscosity == FluidViscosity::morris ? 2 : 2 * (D + 2);
  in.nu_fluid = static_cast<T>(weight * constants_.nu_fluid / (constants_.c0 * R));
  in.wall_suction = constants_.free_surface ? T(0) : std::numeric_limits<T>::lowest();
  in.nu_wall = static_cast<T>(2 * constants_.nu / (constants_.c0 * R));
  return in;
}

template <class T, int D>
std::int64_t Flow<T, D>::memory() const {
  std::size_t bytes = moving.bytes() + pressed.bytes() + walls.bytes() + fluid_fluid.bytes() + fluid_wall.bytes() +
                      filling.bytes() + wall_fluid.bytes() + divergence.bytes() + diffusion.bytes() + surface.bytes() +
                      scratch_.bytes() + id_scratch_.bytes() + order_.bytes() + classic.bytes();
  const_cast<FluidState<D>&>(fluid).for_each_array([&](auto& array) { bytes += array.bytes(); });
  for (int d = 0; d < D; ++d)
    bytes += viscous[d].bytes() + pressure_force[d].bytes() + shift[d].bytes() + fluid_positions_.x[d].bytes() +
             wall_positions_.x[d].bytes();
  bytes += fluid.x_ref.bytes() + wall.x.bytes() + wall.v.bytes() + wall.x_file.bytes() + vector_scratch_.bytes();
  return static_cast<std::int64_t>(bytes);
}

template class Flow<float, 2>;
template class Flow<float, 3>;
template class Flow<double, 2>;
template class Flow<double, 3>;

}  // namespace eddyline::integrate
