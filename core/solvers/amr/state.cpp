#include "solvers/amr/state.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <span>
#include <string>

#include "base/errors.hpp"
#include "base/instructions.hpp"
#include "comm/collectives.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using patches::Layout;

namespace {

Int3 cells_of(const world::World& world) {
  Int3 cells{1, 1, 1};
  for (int d = 0; d < world.dimensions; ++d)
    cells[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(std::llround(world.size[d] / world.spacing));
  return cells;
}

Layout layout_of(const world::World& world, const Options& options, const physics::Equations& equations,
                 const Sides& sides, const solver::Execution& execution, comm::Communicator& communicator) {
  if (execution.lazy.every > 1) throw UserError("lazy: the solver amr exchanges ghosts at every stage of a step.");
  const auto edge = static_cast<std::int32_t>(std::min<std::int64_t>(options.patch, 1 << 20));
  const std::int64_t fewest = static_cast<std::int64_t>(communicator.size()) * execution.boxes;
  return {patches::Tiling(cells_of(world), world.dimensions, edge, fewest), world.dimensions, equations.ghosts(),
          sides.periodic(), communicator};
}

/// Adds the start of a cell: of points at the centre, of means over 2 Gauss points along each axis, which integrate
/// polynomials of degree 3 exactly.
class StartOfCell {
 public:
  StartOfCell(const State& state, int dimensions) : equations_(state.equations()), spacing_(state.spacing()) {
    const double offset = 0.5 * std::numbers::inv_sqrt3 * spacing_;
    for (int k = 0; k < 1 << dimensions; ++k)
      points_.push_back({(k & 1) != 0 ? offset : -offset, (k & 2) != 0 ? offset : -offset,
                         dimensions < 3 ? 0.0 : ((k & 4) != 0 ? offset : -offset)});
    for (const physics::Field& field : equations_.fields())
      has_means_ = has_means_ || field.meaning == physics::Meaning::average;
    at_point_.resize(equations_.fields().size());
  }

  void compute(const Vec3& centre, std::span<double> values) {
    equations_.start(centre, values);
    if (!has_means_) return;
    const auto& fields = equations_.fields();
    for (std::size_t f = 0; f < fields.size(); ++f)
      if (fields[f].meaning == physics::Meaning::average) values[f] = 0;
    for (const Vec3& point : points_) {
      equations_.start(centre + point, at_point_);
      for (std::size_t f = 0; f < fields.size(); ++f)
        if (fields[f].meaning == physics::Meaning::average)
          values[f] += at_point_[f] / static_cast<double>(points_.size());
    }
  }

 private:
  const physics::Equations& equations_;
  double spacing_;
  bool has_means_ = false;
  std::vector<Vec3> points_;
  std::vector<double> at_point_;
};

}  // namespace

State::State(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
    : world_(world),
      options_(options_of(world)),
      communicator_(communicator),
      instructions_(choose_instructions(execution.instructions)),
      equations_(physics::make_equations(instructions_, settings_of(options_, world_))),
      sides_(*equations_, world.dimensions),
      layout_(layout_of(world, options_, *equations_, sides_, execution, communicator)),
      halo_(communicator, execution.exchange, execution.between, comm::Tag::cell_halo) {
  layout_.connect(halo_);
  const std::size_t count = equations_->fields().size();
  for (Fields& each : fields_) {
    each.resize(count);
    for (Array<double>& field : each) field.resize(static_cast<std::size_t>(layout_.cells()));
  }
  foreign_.resize(count);
  for (Array<double>& field : foreign_) field.resize(static_cast<std::size_t>(layout_.foreign_cells()));
  start();
  find_time_step();
}

void State::start() {
  const auto count = static_cast<std::int64_t>(layout_.patches().size());
#pragma omp parallel
  {
    StartOfCell cell_start(*this, world_.dimensions);
    std::vector<double> values(equations_->fields().size());
#pragma omp for schedule(dynamic)
    for (std::int64_t k = 0; k < count; ++k) {
      const Layout::Patch& patch = layout_.patches()[static_cast<std::size_t>(k)];
      auto i = static_cast<std::size_t>(patch.first);
      for_each_cell(patch.cells, [&](Int3 cell) {
        cell_start.compute(centre(cell), values);
        for (std::size_t f = 0; f < values.size(); ++f) fields_[begin][f][i] = values[f];
        ++i;
      });
    }
  }
}

std::vector<const double*> State::values_of(const Layout::Patch& patch, Slot slot) const {
  std::vector<const double*> values;
  for (const Array<double>& field : fields_[slot]) values.push_back(field.data() + patch.first);
  return values;
}

State::Travel::Travel(State& state, Slot slot, bool all_fields) {
  const std::vector<physics::Field>& fields = state.equations().fields();
  for (std::size_t f = 0; f < fields.size(); ++f)
    if (all_fields || fields[f].reach != physics::Reach::none)
      views_.push_back(state.layout().views(state.fields(slot)[f].data(), state.foreign()[f].data()));
}

exchange::BoxFields<double> State::Travel::fields() const {
  std::vector<exchange::BoxField<double>> fields;
  for (const Layout::Views& each : views_) fields.push_back(each.field());
  return exchange::BoxFields<double>(std::move(fields));
}

void State::gather() {
  const Travel travel(*this, begin, true);
  halo_.gather_between(travel.fields());
}

std::span<const physics::Input> State::Scratch::fill(const Layout::Patch& patch, Slot slot, double at_time,
                                                     bool all_fields) {
  const std::vector<physics::Field>& fields = state_.equations().fields();
  const Layout& layout = state_.layout();
  const IndexBox grown = patch.cells.grown(layout.ghosts(), layout.dimensions());
  const auto strides = [](const IndexBox& box) -> std::array<std::ptrdiff_t, 3> {
    return {1, box.count(0), static_cast<std::ptrdiff_t>(box.count(0)) * box.count(1)};
  };
  memory_.resize(fields.size());
  with_ghosts_.assign(fields.size(), nullptr);
  inputs_.resize(fields.size());
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const double* own = state_.fields(slot)[f].data();
    if (!all_fields && fields[f].reach == physics::Reach::none) {
      inputs_[f] = {own + patch.first, strides(patch.cells)};
      continue;
    }
    memory_[f].resize(layout.scratch_size());
    with_ghosts_[f] = memory_[f].data();
    layout.fill(patch, {own, state_.foreign()[f].data()}, with_ghosts_[f]);
    inputs_[f] = {with_ghosts_[f] + grown.index(patch.cells.lower), strides(grown)};
  }
  state_.sides().fill(state_.place(patch.cells), grown, with_ghosts_, at_time);
  return inputs_;
}

void State::end_step() { fields_[begin].swap(fields_[end]); }

physics::Inspection State::inspect() const {
  const auto count = static_cast<std::int64_t>(layout_.patches().size());
  double speed = 0;
  bool good = true;
#pragma omp parallel for schedule(dynamic) reduction(max : speed) reduction(&& : good)
  for (std::int64_t k = 0; k < count; ++k) {
    const Layout::Patch& patch = layout_.patches()[static_cast<std::size_t>(k)];
    const physics::Inspection found = equations_->inspect(values_of(patch, begin), patch.cells.cells(), world_.spacing);
    speed = std::max(speed, found.speed);
    good = good && found.good;
  }
  return {speed, good};
}

/// If nothing moves the step is that of 1 m/s.
void State::set_speed(double speed) { time_step_ = options_.cfl * world_.spacing / (speed > 0 ? speed : 1.0); }

void State::find_time_step() {
  double speed = inspect().speed;
  comm::maximum(communicator_, std::span(&speed, 1), "step");
  set_speed(speed);
}

void State::change_probes(const world::Change& change) {
  const std::string name = change.name.data();
  if (change.kind == world::Change::Kind::add_probe) {
    world_.probes.push_back({name, change.value});
    return;
  }
  if (std::erase_if(world_.probes, [&](const world::Probe& probe) { return probe.name == name; }) == 0)
    throw UserError("there is no probe \"" + name + "\".");
}

void State::save(ArchiveWriter& archive) const {
  archive.put_value("clock", std::array{time, static_cast<double>(steps)});
  std::vector<std::array<std::int32_t, 6>> boxes;
  for (const Layout::Patch& patch : layout_.patches()) {
    const IndexBox& box = patch.cells;
    boxes.push_back({box.lower[0], box.lower[1], box.lower[2], box.upper[0], box.upper[1], box.upper[2]});
  }
  archive.put("patches", std::span<const std::array<std::int32_t, 6>>(boxes));
  for (std::size_t f = 0; f < fields_[begin].size(); ++f)
    archive.put_field(equations_->fields()[f].name, fields_[begin][f]);
}

namespace {

/// Cells of a checkpoint on their way to the rank that has them now: their box, then field after field. `first`: of the
/// values of `box`.
void append(std::vector<std::byte>& bytes, const IndexBox& cells, const IndexBox& box,
            const std::vector<std::vector<double>>& fields, std::size_t first) {
  const std::span<const std::byte> head = std::as_bytes(std::span(&cells, 1));
  bytes.insert(bytes.end(), head.begin(), head.end());
  for (const std::vector<double>& field : fields)
    for_each_row(cells, [&](Int3 cell) {
      const auto row = std::as_bytes(std::span(field).subspan(first + static_cast<std::size_t>(box.index(cell)),
                                                              static_cast<std::size_t>(cells.count(0))));
      bytes.insert(bytes.end(), row.begin(), row.end());
    });
}

}  // namespace

/// Each rank cuts the patches of its parts along the tiles of now and sends the pieces to their owners.
void State::restore(const std::vector<ArchiveReader>& parts) {
  const patches::Tiling& tiling = layout_.tiling();
  std::map<int, std::vector<std::byte>> to;
  std::array<double, 2> clock{};
  comm::agree(communicator_, "checkpoint", [&] {
    if (communicator_.is_root()) parts.at(0).get_value("clock", clock);
    for (const ArchiveReader& part : parts) {
      const auto boxes = part.get<std::array<std::int32_t, 6>>("patches");
      std::vector<std::vector<double>> fields;
      std::size_t size = std::numeric_limits<std::size_t>::max();
      for (const physics::Field& field : equations_->fields()) {
        fields.push_back(part.get<double>(field.name));
        size = std::min(size, fields.back().size());
      }
      std::size_t first = 0;
      for (const auto& b : boxes) {
        const IndexBox box{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
        const bool fits = tiling.cells()[0] >= box.upper[0] && tiling.cells()[1] >= box.upper[1] &&
                          tiling.cells()[2] >= box.upper[2] && *std::ranges::min_element(box.lower) >= 0 &&
                          box.cells() > 0 && first + static_cast<std::size_t>(box.cells()) <= size;
        if (!fits) throw UserError("checkpoint: its cells are not those of the world.");
        const auto x = tiling.segments(0, box.lower[0], box.upper[0]),
                   y = tiling.segments(1, box.lower[1], box.upper[1]),
                   z = tiling.segments(2, box.lower[2], box.upper[2]);
        for (const auto& c : z)
          for (const auto& b2 : y)
            for (const auto& a : x)
              append(to[layout_.owner(tiling.number({a.tile, b2.tile, c.tile}))],
                     {{a.lower, b2.lower, c.lower}, {a.upper, b2.upper, c.upper}}, box, fields, first);
        first += static_cast<std::size_t>(box.cells());
      }
    }
  });
  clock = comm::broadcast(communicator_, clock, 0, "checkpoint");
  time = clock[0], steps = static_cast<std::int64_t>(clock[1]);

  std::vector<comm::Parcel> parcels;
  std::vector<std::byte> own;
  for (auto& [rank, bytes] : to) {
    if (rank == communicator_.rank())
      own = std::move(bytes);
    else
      parcels.push_back({rank, std::move(bytes)});
  }
  std::vector<comm::Parcel> received = comm::deliver(communicator_, parcels, "checkpoint");
  received.push_back({communicator_.rank(), std::move(own)});
  std::int64_t filled = 0;
  for (const comm::Parcel& parcel : received)
    for (const std::byte *at = parcel.bytes.data(), *last = at + parcel.bytes.size(); at < last;) {
      IndexBox cells;
      std::memcpy(&cells, at, sizeof cells);
      at += sizeof cells;
      const Layout::Patch& patch = layout_.patches()[static_cast<std::size_t>(layout_.patch_with(cells.lower))];
      for (Array<double>& field : fields_[begin])
        for_each_row(cells, [&](Int3 cell) {
          const auto row = static_cast<std::size_t>(cells.count(0)) * sizeof(double);
          std::memcpy(field.data() + patch.first + patch.cells.index(cell), at, row);
          at += row;
        });
      filled += cells.cells();
    }
  comm::agree(communicator_, "checkpoint", [&] {
    if (filled != layout_.cells()) throw UserError("checkpoint: it holds other cells than the world has.");
  });
  find_time_step();
}

std::int64_t State::memory() const {
  const std::int64_t values = layout_.cells() * static_cast<std::int64_t>(slots) + layout_.foreign_cells();
  return static_cast<std::int64_t>(fields_[begin].size() * sizeof(double)) * values;
}

}  // namespace eddyline::amr
