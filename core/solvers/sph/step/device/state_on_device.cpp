#include "solvers/sph/step/device/state_on_device.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/errors.hpp"
#include "device/classic.hpp"
#include "device/delta.hpp"
#include "physics/terms/terms.hpp"
#include "solvers/sph/estimate.hpp"
#include "solvers/sph/solver.hpp"
#include "world/formula/parser.hpp"

namespace eddyline::sph {

std::string device_refusal(const world::World& world) {
  const auto refused = [](const std::string& what) { return what + " cannot be computed on a device yet"; };
  using physics::terms::Kind;
  const auto is_formula = [](const physics::terms::Term& each) {
    return each.kind == Kind::central || each.kind == Kind::vector || each.kind == Kind::particle;
  };
  if (!std::ranges::all_of(physics::terms::terms_of(world), is_formula)) return refused("a term by a module");
  if (world.method.scheme == world::Scheme::classic && !world.openings.empty())
    return refused("inflow and outflow with method.scheme = \"classic\"");
  return {};
}

void rethrow_failure(const std::string& device) {
  try {
    throw;
  } catch (const UserError&) {
    throw;
  } catch (const std::runtime_error& error) {
    if (device == "cpu") throw;
    throw UserError("device = \"" + device + "\": " + error.what());
  }
}

bool force_varies(const world::World& world) {
  return std::ranges::any_of(world.body_force, [](const auto& component) {
    const auto used = component.used_variables();
    return std::ranges::any_of(used, [](const std::string& name) { return name != "t"; });
  });
}

template <template <class, int> class Scheme, class T, int D>
std::unique_ptr<Scheme<T, D>> make_device(Parts<T, D>& parts) {
  const auto& execution = parts.domain.execution();
  const std::string given = "device = \"" + execution.device + "\"";
  if (execution.lazy.every > 1) throw UserError(given + ": lazy steps cannot be computed on a device; remove lazy.");
  if (execution.device == "emulated") return device::make_emulated<Scheme, T, D>();
  if (execution.device != "gpu") throw UserError(given + "; must be \"cpu\", \"gpu\" or \"emulated\".");
  auto& communicator = parts.domain.communicator();
  return device::load_cuda<Scheme, T, D>(execution.device_library, communicator.rank() - communicator.machine());
}

template <class T, int D>
StateOnDevice<T, D>::StateOnDevice(Parts<T, D>& parts, const Contact& contact, const ExternalForcing<D>& forcing,
                                   std::unique_ptr<device::Flow<T, D>> flow)
    : state_(parts.state),
      scratch_(parts.scratch),
      domain_(parts.domain),
      lists_(parts.lists),
      contact_(contact),
      forcing_(forcing),
      flow_(std::move(flow)) {
  check_memory();
}

/// Throws UserError, with what would fit, if the device has too little memory.
template <class T, int D>
void StateOnDevice<T, D>::check_memory() const {
  const auto free = static_cast<double>(flow_->free_bytes());
  if (free == 0) return;
  const std::string why = device_memory_refusal(state_.world, static_cast<double>(state_.fluid.size()),
                                                static_cast<double>(state_.wall.size()), flow_->name(), free);
  if (!why.empty())
    throw UserError("device = \"" + domain_.execution().device + "\": " + why + ", another GPU, or device = \"cpu\".");
}

template <class T, int D>
void StateOnDevice<T, D>::count(solver::Counters& counters) const {
  counters.sum("device_rebuilds", rebuilds_);  // those that the host has not made
  counters.sum("device_launches", flow_->launches());
  counters.sum("device_bytes", static_cast<std::int64_t>(flow_->bytes()));
  counters.sum("device_list_bytes", static_cast<std::int64_t>(flow_->list_bytes()));
}

template <class T, int D>
device::HostFluid<T, D> StateOnDevice<T, D>::host_fluid() {
  auto& fluid = state_.fluid;
  device::HostFluid<T, D> host;
  host.count = fluid.size();
  host.id = fluid.id.data(), host.mass = fluid.mass.data();
  host.s = fluid.s.data(), host.surface = fluid.surface.data();
  for (int d = 0; d < D; ++d) host.x[d] = fluid.x[d], host.v[d] = fluid.v[d];
  return host;
}

template <class T, int D>
device::HostWalls<T> StateOnDevice<T, D>::host_walls() {
  return {state_.wall.size(), state_.wall.no_slip.data(), scratch_.wall_is_wet.data(), scratch_.walls.row(0)};
}

template <class T, int D>
void StateOnDevice<T, D>::upload_walls() {
  moving_.clear();
  for (std::int64_t k = 0; k < state_.wall.size() && state_.walls_move; ++k) {
    const std::int32_t owner = state_.wall.owner[static_cast<std::size_t>(k)];
    if (owner >= 0 && state_.world.bodies[static_cast<std::size_t>(owner)].motion)
      moving_.push_back(static_cast<std::int32_t>(k));
  }
  walls_travel_ = find_travellers(domain_.wall_halo);
  flow_->upload_walls(host_walls(), {rows_of<D>(domain_.wall_rows, domain_.wall_positions()), moving_, walls_travel_});
  walls_are_driven_ = bodies_are_set_ = false;
}

template <class T, int D>
void StateOnDevice<T, D>::build_lists() {
  const auto& c = state_.constants;
  const double cut = (c.length.interaction_radius + c.length.skin) / c.fixed.quantum();
  flow_->build_lists(static_cast<float>(cut * cut), !state_.world.bodies.empty(), sides());
}

template <class T, int D>
bool StateOnDevice<T, D>::upload_state() {
  const bool is_due = !has_state_;
  if (is_due) {
    fluid_travels_ = find_travellers(domain_.fluid_halo);
    flow_->upload(host_fluid(),
                  {&domain_.layout(), rows_of<D>(domain_.fluid_rows, domain_.fluid_positions()), fluid_travels_});
    domain_.timers.lap(Phase::pack);
    upload_walls();
    upload_further();
    build_lists();
    has_state_ = true;
    domain_.timers.lap(Phase::lists);
  }
  host_has_state_ = false;
  return is_due;
}

template <class T, int D>
bool StateOnDevice<T, D>::rebuild(bool by_expected_places) {
  if (!has_state_ || !domain_.may_sort_elsewhere()) return false;
  collect_maxima();
  const double steps = by_expected_places ? domain_.next_sort_ahead_steps() : 0;
  const domain::Subdomain& cells = domain_.subdomain();
  if (!flow_->sort({.fixed = state_.constants.fixed,
                    .ahead = steps * state_.time_step,
                    .may_leave = !cells.is_closed(),
                    .lowest = cells.lowest(),
                    .highest = cells.highest()}))
    return false;
  host_has_state_ = false, host_has_order_ = false;
  if (state_.walls_move) flow_->download_walls(host_walls());
  domain_.end_sorting_elsewhere(steps);
  if (state_.walls_move) upload_walls();
  build_lists();
  domain_.end_rebuild();
  ++rebuilds_;
  return true;
}

template <class T, int D>
void StateOnDevice<T, D>::hand_back() {
  try {
    copy_state();
  } catch (const std::runtime_error&) {
    rethrow_failure(domain_.execution().device);
  }
}

template <class T, int D>
void StateOnDevice<T, D>::copy_state() {
  collect_maxima();
  if (std::exchange(host_has_state_, true)) return;
  const bool is_sorted = !std::exchange(host_has_order_, true);
  flow_->download(host_fluid(), is_sorted);
  flow_->download_walls(host_walls());
  if (is_sorted) {
    domain_.adopt_order([this](VectorArray<double, D>& places) {
      std::array<double*, D> place;
      for (int d = 0; d < D; ++d) place[static_cast<std::size_t>(d)] = places[d];
      flow_->download_places(state_.constants.fixed, place.data());
    });
    lists_.find_without_lists();
    host_has_lists_ = false;
  }
  domain_.timers.lap(Phase::pack);
}

template <class T, int D>
void StateOnDevice<T, D>::find_host_lists() {
  hand_back();
  if (!std::exchange(host_has_lists_, true)) lists_.find();
}

template <class T, int D>
void StateOnDevice<T, D>::collect_maxima() {
  if (std::exchange(maxima_are_due_, false)) adopt(flow_->maxima());
}

template <class T, int D>
device::WallDrive<T, D> StateOnDevice<T, D>::drive_walls(const Vec3* even,
                                                         const std::function<Vec3(std::size_t, const Vec3&)>& of) {
  const auto& c = state_.constants;
  const auto& wall = state_.wall;
  const double to_dimensionless = c.length.interaction_radius / (c.c0 * c.c0);
  const auto n = static_cast<std::size_t>(wall.size());
  device::WallDrive<T, D> drive;
  const bool changes = state_.walls_move || forcing_.walls_change_speed();
  if (wall.can_move && (changes || !std::exchange(walls_are_driven_, true)))
    for (int d = 0; d < D; ++d) {
      drive.v[d].resize(n);
      for (std::size_t k = 0; k < n; ++k) drive.v[d][k] = static_cast<T>(wall.v[d][k] * c.inverse_c0);
    }
  if (even != nullptr) {
    const Vec3 g = to_dimensionless * *even;
    for (int d = 0; d < D; ++d) drive.uniform_g[d] = static_cast<T>(g[d]);
    return drive;
  }
  for (auto& g : drive.g) g.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3 g = to_dimensionless * of(k, vector_of(wall.x, k));
    for (int d = 0; d < D; ++d) drive.g[d][k] = static_cast<T>(g[d]);
  }
  return drive;
}

template <class T, int D>
void StateOnDevice<T, D>::set_forces_and_bodies() {
  if (std::exchange(bodies_are_set_, true) && !state_.walls_move) return;
  std::vector<std::vector<world::formula::Instruction>> formulas;
  if (force_varies(state_.world))
    for (std::size_t d = 0; d < D; ++d) {
      const world::Formula& along = state_.world.body_force[d];
      formulas.push_back(world::formula::parse(along.text(), along.variables()));
    }
  flow_->set_force(formulas);
  const auto boxes = contact_.body_bounds();
  flow_->set_bodies(boxes);
  bodies_ = static_cast<std::int32_t>(boxes.size());
}

template <class T, int D>
device::Travellers StateOnDevice<T, D>::find_travellers(const exchange::Halo& halo) const {
  device::Travellers rows;
  const auto add_to = [](std::vector<std::int32_t>& to) {
    return [&to](std::int32_t first, std::int32_t count) {
      for (std::int32_t r = first; r < first + count; ++r) to.push_back(r);
    };
  };
  halo.for_each_sent(add_to(rows.sent));
  halo.for_each_received(add_to(rows.received));
  return rows;
}

template <class T, int D>
void StateOnDevice<T, D>::fetch_sent(device::RowKind kind) {
  const auto& which = (kind == device::RowKind::walls ? walls_travel_ : fluid_travels_).sent;
  if (which.empty()) return;
  neighbors::PairData<T>& rows = rows_of_kind(kind);
  const auto width = static_cast<std::size_t>(rows.width());
  cargo_.resize(which.size() * width);
  flow_->fetch_sent(kind, cargo_.data());
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto row = rows.row(which[k]);
    for (std::size_t c = 0; c < width; ++c) row[static_cast<int>(c)] = cargo_[k * width + c];
  }
  domain_.timers.lap(Phase::pack);
}

template <class T, int D>
void StateOnDevice<T, D>::put_received(device::RowKind kind) {
  const auto& which = (kind == device::RowKind::walls ? walls_travel_ : fluid_travels_).received;
  if (which.empty()) return;
  neighbors::PairData<T>& rows = rows_of_kind(kind);
  const auto width = static_cast<std::size_t>(rows.width());
  cargo_.resize(which.size() * width);
  for (std::size_t k = 0; k < which.size(); ++k) {
    const auto row = rows.row(which[k]);
    for (std::size_t c = 0; c < width; ++c) cargo_[k * width + c] = row[static_cast<int>(c)];
  }
  flow_->put_received(kind, cargo_.data());
  domain_.timers.lap(Phase::pack);
}

#define EDDYLINE_SPH_STATE_ON_DEVICE(T, D)                                                \
  template class StateOnDevice<T, D>;                                                     \
  template std::unique_ptr<device::Delta<T, D>> make_device<device::Delta>(Parts<T, D>&); \
  template std::unique_ptr<device::Classic<T, D>> make_device<device::Classic>(Parts<T, D>&);

EDDYLINE_SPH_STATE_ON_DEVICE(float, 2)
EDDYLINE_SPH_STATE_ON_DEVICE(float, 3)
EDDYLINE_SPH_STATE_ON_DEVICE(double, 2)
EDDYLINE_SPH_STATE_ON_DEVICE(double, 3)

#undef EDDYLINE_SPH_STATE_ON_DEVICE

}  // namespace eddyline::sph
