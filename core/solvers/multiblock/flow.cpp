#include "solvers/multiblock/flow.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "base/errors.hpp"
#include "comm/collectives.hpp"

namespace eddyline::multiblock {

namespace {

/// The mesh of a world that has one. Throws UserError.
const world::Mesh& mesh_of(const world::World& world) {
  if (world.mesh == nullptr) throw UserError("The solver multiblock needs a mesh. Write a table [mesh].");
  world.mesh->check();
  if (world.mesh->dimensions != world.dimensions)
    throw UserError("mesh: it has " + std::to_string(world.mesh->dimensions) + " dimensions, the world has " +
                    std::to_string(world.dimensions) + ".");
  return *world.mesh;
}

bool acts(const world::World& world) {
  return norm(world.gravity) > 0 || std::ranges::any_of(world.body_force, [](const world::Formula& part) {
           return !part.is_constant() || part.evaluate(std::array{0.0, 0.0, 0.0, 0.0}) != 0;
         });
}

constexpr std::array<const char*, 4> k_unknown_names{"p", "u", "v", "w"};

}  // namespace

template <int D>
Flow<D>::Flow(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
    : world_(world),
      communicator_(communicator),
      options_(Options::of(world)),
      boundaries_(world_),
      pieces_(mesh_of(world_), static_cast<int>(options_.levels), communicator.size(),
              communicator.size() * execution.boxes),
      multigrid_(communicator, pieces_, local_pieces(), boundaries_, scheme(), options_.cycle == "W") {
  for (const auto& piece : finest().pieces)
    own_cells_ += std::int64_t{piece.extents.cells[0]} * piece.extents.cells[1] * piece.extents.cells[2];
  multigrid_.impose(boundaries_, 0);
  set_start();
  speed_ = options_.reference_speed > 0 ? options_.reference_speed : find_speed();
  if (!(speed_ > 0))
    throw UserError(
        "multiblock: nothing moves in this world. Give method.reference_speed, the speed that you expect [m/s].");
  time_step_ = options_.time_step > 0 ? options_.time_step : options_.courant * world_.spacing / speed_;
  multigrid_.residual() = Residual<D>(scheme());
  set_forces();
}

template <int D>
std::vector<std::int32_t> Flow<D>::local_pieces() const {
  std::vector<std::int32_t> local;
  std::int32_t own = 0;
  for (const PieceRange& piece : pieces_.all()) local.push_back(piece.rank == communicator_.rank() ? own++ : -1);
  return local;
}

template <int D>
Scheme Flow<D>::scheme() const {
  Scheme scheme;
  scheme.beta = options_.compressibility * speed_ * speed_;
  scheme.viscosity = world_.fluid.kinematic_viscosity;
  scheme.third_differences = options_.dissipation;
  scheme.cfl = options_.cfl;
  scheme.full_friction = options_.viscous == "full";
  return scheme;
}

template <int D>
void Flow<D>::set_start() {
  for (PieceFields<D>& piece : finest().pieces) {
    const Int3 cells = piece.extents.cells;
    for (std::int32_t k = 0; k < cells[2]; ++k)
      for (std::int32_t j = 0; j < cells[1]; ++j)
        for (std::int32_t i = 0; i < cells[0]; ++i) {
          const auto c = static_cast<std::size_t>(piece.extents.at(i, j, k));
          const std::array x{piece.center[0][c], piece.center[1][c], D == 3 ? piece.center[D - 1][c] : 0.0, 0.0};
          for (std::size_t d = 0; d < D; ++d) piece.state[1 + d][c] = world_.start.velocity[d].evaluate(x);
          if (world_.start.pressure_start == world::PressureStart::formula)
            piece.state[0][c] = world_.start.pressure.evaluate(x) / world_.fluid.density;
        }
  }
}

/// The largest speed that the world imposes at the start: on its boundaries, in the fluid, or by falling.
template <int D>
double Flow<D>::find_speed() {
  double largest = 0;
  for (const BoundaryFace& face : finest().faces) largest = std::max(largest, norm(face.velocity));
  for_each_cell([&](const PieceFields<D>& piece, Int3, std::size_t c, std::size_t) {
    double square = 0;
    for (std::size_t d = 0; d < D; ++d) square += piece.state[1 + d][c] * piece.state[1 + d][c];
    largest = std::max(largest, std::sqrt(square));
  });
  comm::maximum(communicator_, std::span(&largest, 1), "start");
  return largest;
}

/// Gravity and body force in all cells at the present time.
template <int D>
void Flow<D>::set_forces() {
  if (!acts(world_)) return;
  for (PieceFields<D>& piece : finest().pieces) {
    for (auto& field : piece.force)
      if (field.size() == 0) field.assign(piece.extents.size, 0.0);
    const Int3 cells = piece.extents.cells;
    for (std::int32_t k = 0; k < cells[2]; ++k)
      for (std::int32_t j = 0; j < cells[1]; ++j)
        for (std::int32_t i = 0; i < cells[0]; ++i) {
          const auto c = static_cast<std::size_t>(piece.extents.at(i, j, k));
          const std::array x{piece.center[0][c], piece.center[1][c], D == 3 ? piece.center[D - 1][c] : 0.0, time};
          for (std::size_t d = 0; d < D; ++d)
            piece.force[d][c] = world_.gravity[static_cast<int>(d)] + world_.body_force[d].evaluate(x);
        }
  }
}

template <int D>
void Flow<D>::seek_steady() {
  last_cycles = 0;
  if (!converged) {
    residual = multigrid_.cycle({}, speed_);
    largest_residual = std::max(largest_residual, residual);
    last_cycles = 1;
    const double unit = speed_ / std::max({world_.size.x, world_.size.y, world_.size.z});
    converged = residual <= options_.tolerance * std::max(largest_residual, unit);
  }
  good_ = std::isfinite(residual);
}

template <int D>
void Flow<D>::advance_time() {
  TimeDerivative derivative{1 / time_step_, -1 / time_step_, 0};  // Euler
  if (steps > 0) derivative = {1.5 / time_step_, -2 / time_step_, 0.5 / time_step_};
  for (PieceFields<D>& piece : finest().pieces)
    for (std::size_t v = 0; v <= D; ++v) {
      piece.before_that[v].swap(piece.before[v]);
      std::copy(piece.state[v].begin(), piece.state[v].end(), piece.before[v].begin());
    }
  double first = 0;
  for (last_cycles = 0; last_cycles < options_.inner_cycles;) {
    residual = multigrid_.cycle(derivative, speed_);
    if (last_cycles++ == 0) first = residual;
    if (!(residual > options_.inner_tolerance * first)) break;
  }
  largest_residual = std::max(largest_residual, residual);
  good_ = std::isfinite(residual);
}

template <int D>
void Flow<D>::step() {
  timers.start();
  time += time_step_;
  if (!options_.steady || steps == 0) {
    if (boundaries_.vary()) multigrid_.impose(boundaries_, time);
    set_forces();
  }
  options_.steady ? seek_steady() : advance_time();
  cycles += last_cycles;
  ++steps;
  timers.lap(Phase::rates);
}

template <int D>
std::int64_t Flow<D>::id_of(const PieceFields<D>& piece, Int3 cell) const {
  const PieceRange& range = pieces_.all()[static_cast<std::size_t>(piece.piece)];
  const Int3 count = world_.mesh->blocks[static_cast<std::size_t>(range.block)].cells;
  const std::int64_t i = range.lower[0] + cell[0], j = range.lower[1] + cell[1], k = range.lower[2] + cell[2];
  return pieces_.first_cell(range.block) + i + count[0] * (j + count[1] * k);
}

template <int D>
std::int64_t Flow<D>::memory() const {
  std::int64_t bytes = 0;
  const auto add = [&](const auto& fields) {
    for (const auto& field : fields) bytes += static_cast<std::int64_t>(field.bytes());
  };
  for (const auto& level : multigrid_.levels())
    for (const PieceFields<D>& piece : level->pieces) {
      for (const auto* fields : {&piece.state, &piece.stage, &piece.residual, &piece.dissipation, &piece.forcing,
                                 &piece.restricted, &piece.before, &piece.before_that})
        add(*fields);
      for (const auto* fields : {&piece.radius, &piece.center, &piece.force}) add(*fields);
      for (const auto& fields : piece.face) add(fields);
      for (const auto& fields : piece.gradient) add(fields);
      for (const auto* field : {&piece.volume, &piece.per_volume, &piece.local_step})
        bytes += static_cast<std::int64_t>(field->bytes());
    }
  return bytes;
}

template <int D>
void Flow<D>::set_viscosity(double viscosity) {
  world_.fluid.kinematic_viscosity = viscosity;
  multigrid_.residual().set_viscosity(viscosity);
  converged = false;
}

template <int D>
void Flow<D>::save(ArchiveWriter& archive) const {
  archive.put_value("clock", std::array{time, residual, largest_residual});
  archive.put_value("counts",
                    std::array<std::int64_t, 5>{steps, cycles, last_cycles, converged ? 1 : 0, world_.mesh->cells()});
  const auto size = static_cast<std::size_t>(own_cells_);
  std::vector<std::int64_t> ids(size);
  for_each_cell(
      [&](const PieceFields<D>& piece, Int3 cell, std::size_t, std::size_t n) { ids[n] = id_of(piece, cell); });
  archive.put("id", std::span<const std::int64_t>(ids));
  std::vector<double> values(size);
  const auto put = [&](const std::string& prefix, auto member) {
    for (std::size_t v = 0; v <= D; ++v) {
      for_each_cell(
          [&](const PieceFields<D>& piece, Int3, std::size_t c, std::size_t n) { values[n] = (piece.*member)[v][c]; });
      archive.put(prefix + k_unknown_names[v], std::span<const double>(values));
    }
  };
  put("now.", &PieceFields<D>::state);
  put("before.", &PieceFields<D>::before);
}

/// Every rank hands its parts to all: a checkpoint may have been written with other cuts.
template <int D>
void Flow<D>::restore(const std::vector<ArchiveReader>& parts) {
  constexpr std::size_t N = D + 1;
  struct Cell {
    std::int64_t id;
    std::array<double, 2 * N> values;
  };
  std::vector<Cell> read;
  std::array<double, 3> clock{};
  std::array<std::int64_t, 5> counts{};
  comm::agree(communicator_, "checkpoint", [&] {
    for (const ArchiveReader& part : parts) {
      part.get_value("clock", clock);
      part.get_value("counts", counts);
      if (counts[4] != world_.mesh->cells()) throw UserError("checkpoint: it belongs to another mesh.");
      const auto ids = part.get<std::int64_t>("id");
      const std::size_t before = read.size();
      for (const std::int64_t id : ids) read.push_back({.id = id, .values = {}});
      std::size_t column = 0;
      for (const std::string prefix : {"now.", "before."})
        for (std::size_t v = 0; v < N; ++v, ++column) {
          const auto values = part.get<double>(prefix + k_unknown_names[v]);
          ArchiveReader::check_count(prefix, values.size(), ids.size());
          for (std::size_t n = 0; n < values.size(); ++n) read[before + n].values[column] = values[n];
        }
    }
  });
  clock = comm::broadcast(communicator_, clock, 0, "checkpoint");
  counts = comm::broadcast(communicator_, counts, 0, "checkpoint");
  std::vector<Cell> all = read;
  if (!communicator_.is_alone()) {
    all = comm::gather_values(communicator_, std::span(std::as_const(read)), "checkpoint").second;
    std::vector<std::byte> bytes(all.size() * sizeof(Cell));
    if (!bytes.empty()) std::memcpy(bytes.data(), all.data(), bytes.size());
    bytes = comm::broadcast(communicator_, std::move(bytes), 0, "checkpoint");
    all.resize(bytes.size() / sizeof(Cell));
    if (!bytes.empty()) std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
  }
  std::ranges::sort(all, {}, &Cell::id);
  comm::agree(communicator_, "checkpoint", [&] {
    if (static_cast<std::int64_t>(all.size()) != world_.mesh->cells() ||
        std::ranges::adjacent_find(all, {}, &Cell::id) != all.end())
      throw UserError("checkpoint: cells are missing; it is damaged.");
  });
  time = clock[0], residual = clock[1], largest_residual = clock[2];
  steps = counts[0], cycles = counts[1], last_cycles = counts[2], converged = counts[3] != 0;
  for (PieceFields<D>& piece : finest().pieces) {
    const Int3 cells = piece.extents.cells;
    for (std::int32_t k = 0; k < cells[2]; ++k)
      for (std::int32_t j = 0; j < cells[1]; ++j)
        for (std::int32_t i = 0; i < cells[0]; ++i) {
          const Cell& cell = all[static_cast<std::size_t>(id_of(piece, {i, j, k}))];
          const auto c = static_cast<std::size_t>(piece.extents.at(i, j, k));
          for (std::size_t v = 0; v < N; ++v)
            piece.state[v][c] = cell.values[v], piece.before[v][c] = cell.values[N + v];
        }
  }
  multigrid_.impose(boundaries_, time);
  set_forces();
}

template class Flow<2>;
template class Flow<3>;

}  // namespace eddyline::multiblock
