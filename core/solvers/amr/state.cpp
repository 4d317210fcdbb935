#include "solvers/amr/state.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <string>

#include "base/errors.hpp"
#include "comm/collectives.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using patches::Layout;

namespace {

constexpr std::int32_t k_fewest_ghosts = 2;  // points between cells are interpolated from four cells an axis

Int3 cells_of(const world::World& world) {
  Int3 cells{1, 1, 1};
  for (int d = 0; d < world.dimensions; ++d)
    cells[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(std::llround(world.size[d] / world.spacing));
  return cells;
}

Layout layout_of(const world::World& world, const Options& options, const solver::Execution& execution,
                 comm::Communicator& communicator) {
  for (std::size_t side = 0; side < 2 * static_cast<std::size_t>(world.dimensions); ++side)
    if (world.sides[side].kind != world::SideKind::periodic)
      throw UserError("boundaries: the wave equation has periodic sides only.");
  if (execution.lazy.every > 1) throw UserError("lazy: the solver amr exchanges ghosts at every stage of a step.");
  const auto edge = static_cast<std::int32_t>(std::min<std::int64_t>(options.patch, 1 << 20));
  const std::int64_t fewest = static_cast<std::int64_t>(communicator.size()) * execution.boxes;
  const auto ghosts = std::max(k_fewest_ghosts, static_cast<std::int32_t>(options.order / 2));
  return {patches::Tiling(cells_of(world), world.dimensions, edge, fewest), world.dimensions, ghosts, communicator};
}

double value(const world::World& world, const std::string& field, const Vec3& x) {
  const auto found = world.fields.find(field);
  return found == world.fields.end() ? 0.0 : found->second.evaluate(std::array{x.x, x.y, x.z, 0.0});
}

}  // namespace

State::State(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
    : world_(world),
      options_(options_of(world)),
      communicator_(communicator),
      layout_(layout_of(world, options_, execution, communicator)),
      halo_(communicator, execution.exchange, execution.between, comm::Tag::cell_halo),
      time_step_(options_.cfl * world.spacing / (options_.wave_speed * std::sqrt(world.dimensions))) {
  layout_.connect(halo_);
  const auto n = static_cast<std::size_t>(layout_.cells());
  for (Fields& each : fields_) each.u.resize(n), each.p.resize(n);
  foreign_.u.resize(static_cast<std::size_t>(layout_.foreign_cells()));
  foreign_.p.resize(static_cast<std::size_t>(layout_.foreign_cells()));
  const auto count = static_cast<std::int64_t>(layout_.patches().size());
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t k = 0; k < count; ++k) {
    const Layout::Patch& patch = layout_.patches()[static_cast<std::size_t>(k)];
    auto i = static_cast<std::size_t>(patch.first);
    for_each_cell(patch.cells, [&](Int3 cell) {
      const Vec3 x = centre(cell);
      fields_[begin].u[i] = value(world_, "u", x);
      fields_[begin].p[i] = value(world_, "p", x);
      ++i;
    });
  }
}

Vec3 State::centre(Int3 cell) const {
  Vec3 x;
  for (int d = 0; d < world_.dimensions; ++d)
    x[d] = world_.origin[d] + (cell[static_cast<std::size_t>(d)] + 0.5) * world_.spacing;
  return x;
}

void State::gather() {
  const Layout::Views u = layout_.views(fields_[begin].u.data(), foreign_.u.data()),
                      p = layout_.views(fields_[begin].p.data(), foreign_.p.data());
  halo_.gather_between(u.field(), p.field());
}

void State::end_step() {
  fields_[begin].u.swap(fields_[end].u);
  fields_[begin].p.swap(fields_[end].p);
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
  archive.put_field("u", fields_[begin].u);
  archive.put_field("p", fields_[begin].p);
}

namespace {

/// Cells of a checkpoint on their way to the rank that has them now: their box, then u, then p.
void append(std::vector<std::byte>& bytes, const IndexBox& cells, const IndexBox& box, const double* u,
            const double* p) {
  const std::span<const std::byte> head = std::as_bytes(std::span(&cells, 1));
  bytes.insert(bytes.end(), head.begin(), head.end());
  for (const double* field : {u, p})
    for_each_row(cells, [&](Int3 cell) {
      const auto row = std::as_bytes(std::span(field + box.index(cell), static_cast<std::size_t>(cells.count(0))));
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
      const auto u = part.get<double>("u"), p = part.get<double>("p");
      std::size_t first = 0;
      for (const auto& b : boxes) {
        const IndexBox box{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
        const bool fits = tiling.cells()[0] >= box.upper[0] && tiling.cells()[1] >= box.upper[1] &&
                          tiling.cells()[2] >= box.upper[2] && *std::ranges::min_element(box.lower) >= 0 &&
                          box.cells() > 0 &&
                          first + static_cast<std::size_t>(box.cells()) <= std::min(u.size(), p.size());
        if (!fits) throw UserError("checkpoint: its cells are not those of the world.");
        const auto x = tiling.segments(0, box.lower[0], box.upper[0]),
                   y = tiling.segments(1, box.lower[1], box.upper[1]),
                   z = tiling.segments(2, box.lower[2], box.upper[2]);
        for (const auto& c : z)
          for (const auto& b2 : y)
            for (const auto& a : x)
              append(to[layout_.owner(tiling.number({a.tile, b2.tile, c.tile}))],
                     {{a.lower, b2.lower, c.lower}, {a.upper, b2.upper, c.upper}}, box, u.data() + first,
                     p.data() + first);
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
      for (Array<double>* field : {&fields_[begin].u, &fields_[begin].p})
        for_each_row(cells, [&](Int3 cell) {
          const auto row = static_cast<std::size_t>(cells.count(0)) * sizeof(double);
          std::memcpy(field->data() + patch.first + patch.cells.index(cell), at, row);
          at += row;
        });
      filled += cells.cells();
    }
  comm::agree(communicator_, "checkpoint", [&] {
    if (filled != layout_.cells()) throw UserError("checkpoint: it holds other cells than the world has.");
  });
}

std::int64_t State::memory() const {
  const auto cells = static_cast<std::int64_t>(fields_[begin].u.size() * slots + foreign_.u.size());
  return 2 * cells * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace eddyline::amr
