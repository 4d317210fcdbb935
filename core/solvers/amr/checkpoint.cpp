#include "solvers/amr/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "comm/collectives.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using patches::Layout;
using patches::Levels;
using patches::Marks;

namespace {

/// Cells on their way to the rank that has them now: what they are, then their values, field after field.
struct Head {
  std::int32_t level = 0;
  IndexBox cells;
};

/// `first`: of the values of `box`, which holds the cells.
void append(std::vector<std::byte>& bytes, const Head& head, const IndexBox& box,
            const std::vector<std::vector<double>>& fields, std::size_t first) {
  const std::span<const std::byte> as_bytes = std::as_bytes(std::span(&head, 1));
  bytes.insert(bytes.end(), as_bytes.begin(), as_bytes.end());
  for (const std::vector<double>& field : fields)
    for_each_row(head.cells, [&](Int3 cell) {
      const auto row = std::as_bytes(std::span(field).subspan(first + static_cast<std::size_t>(box.index(cell)),
                                                              static_cast<std::size_t>(head.cells.count(0))));
      bytes.insert(bytes.end(), row.begin(), row.end());
    });
}

std::string units_name(int level) { return "units_" + std::to_string(level); }

/// Refines the units that the checkpoint names.
void restore_units(Levels& levels, const std::vector<ArchiveReader>& parts, comm::Communicator& communicator) {
  if (levels.most() == 1) return;
  std::vector<Marks> wanted(static_cast<std::size_t>(levels.most()));
  comm::agree(communicator, "checkpoint", [&] {
    if (!communicator.is_root()) return;
    for (int level = 0; level + 1 < levels.most(); ++level) {
      auto& marks = wanted[static_cast<std::size_t>(level)];
      marks = parts.at(0).get<std::uint8_t>(units_name(level));
      ArchiveReader::check_count(units_name(level), marks.size(), levels.units().refined(level).size());
    }
  });
  for (int level = 0; level + 1 < levels.most(); ++level) {
    auto& marks = wanted[static_cast<std::size_t>(level)];
    marks.resize(levels.units().refined(level).size());
    comm::broadcast(communicator, std::as_writable_bytes(std::span(marks)), 0, "checkpoint");
  }
  levels.arrange(levels.planned(std::move(wanted)));
}

}  // namespace

void save_levels(const Levels& levels, const physics::Equations& equations, ArchiveWriter& archive) {
  std::vector<std::array<std::int32_t, 6>> boxes;
  std::vector<std::int32_t> of_level;
  for (int level = 0; level < levels.size(); ++level)
    for (const Layout::Patch& patch : levels[level].layout.patches()) {
      const IndexBox& box = patch.cells;
      boxes.push_back({box.lower[0], box.lower[1], box.lower[2], box.upper[0], box.upper[1], box.upper[2]});
      of_level.push_back(level);
    }
  archive.put("patches", std::span<const std::array<std::int32_t, 6>>(boxes));
  if (levels.most() > 1) archive.put("levels", std::span<const std::int32_t>(of_level));
  for (int level = 0; level + 1 < levels.most(); ++level)
    archive.put(units_name(level), std::span<const std::uint8_t>(levels.units().refined(level)));
  for (std::size_t f = 0; f < equations.fields().size(); ++f) {
    std::vector<double> all;
    for (int level = 0; level < levels.size(); ++level) {
      const Array<double>& field = levels[level].fields(patches::begin)[f];
      all.insert(all.end(), field.data(), field.data() + field.size());
    }
    archive.put(equations.fields()[f].name, std::span<const double>(all));
  }
}

/// Each rank cuts the patches of its parts along the patches of now and sends the pieces to their owners.
void restore_levels(Levels& levels, const physics::Equations& equations, const std::vector<ArchiveReader>& parts,
                    comm::Communicator& communicator) {
  restore_units(levels, parts, communicator);
  std::map<int, std::vector<std::byte>> to;
  comm::agree(communicator, "checkpoint", [&] {
    for (const ArchiveReader& part : parts) {
      const auto boxes = part.get<std::array<std::int32_t, 6>>("patches");
      std::vector<std::int32_t> of_level(boxes.size(), 0);
      if (levels.most() > 1) of_level = part.get<std::int32_t>("levels");
      ArchiveReader::check_count("levels", of_level.size(), boxes.size());
      std::vector<std::vector<double>> fields;
      std::size_t size = std::numeric_limits<std::size_t>::max();
      for (const physics::Field& field : equations.fields()) {
        fields.push_back(part.get<double>(field.name));
        size = std::min(size, fields.back().size());
      }
      std::size_t first = 0;
      for (std::size_t k = 0; k < boxes.size(); ++k) {
        const auto& b = boxes[k];
        const IndexBox box{{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
        const auto fits = [&] {
          if (of_level[k] < 0 || of_level[k] >= levels.size()) return false;
          const Int3 all = levels[of_level[k]].layout.domain().upper;
          return all[0] >= box.upper[0] && all[1] >= box.upper[1] && all[2] >= box.upper[2] &&
                 *std::ranges::min_element(box.lower) >= 0 && box.cells() > 0 &&
                 first + static_cast<std::size_t>(box.cells()) <= size;
        };
        if (!fits()) throw UserError("checkpoint: its cells are not those of the world.");
        const patches::PatchSet& set = levels[of_level[k]].layout.set();
        set.for_each_piece(box, [&](std::int32_t patch, const IndexBox& cells, const Int3&) {
          if (patch < 0) throw UserError("checkpoint: its cells are not those of the world.");
          append(to[set.owner(static_cast<std::size_t>(patch))], {of_level[k], cells}, box, fields, first);
        });
        first += static_cast<std::size_t>(box.cells());
      }
    }
  });

  std::vector<comm::Parcel> parcels;
  std::vector<std::byte> own;
  for (auto& [rank, bytes] : to) {
    if (rank == communicator.rank())
      own = std::move(bytes);
    else
      parcels.push_back({rank, std::move(bytes)});
  }
  std::vector<comm::Parcel> received = comm::deliver(communicator, parcels, "checkpoint");
  received.push_back({communicator.rank(), std::move(own)});
  std::int64_t filled = 0;
  for (const comm::Parcel& parcel : received)
    for (const std::byte *at = parcel.bytes.data(), *last = at + parcel.bytes.size(); at < last;) {
      Head head;
      std::memcpy(&head, at, sizeof head);
      at += sizeof head;
      patches::Level& level = levels[head.level];
      const Layout::Patch& patch =
          level.layout.patches()[static_cast<std::size_t>(level.layout.patch_with(head.cells.lower))];
      for (Array<double>& field : level.fields(patches::begin))
        for_each_row(head.cells, [&](Int3 cell) {
          const auto row = static_cast<std::size_t>(head.cells.count(0)) * sizeof(double);
          std::memcpy(field.data() + patch.first + patch.cells.index(cell), at, row);
          at += row;
        });
      filled += head.cells.cells();
    }
  comm::agree(communicator, "checkpoint", [&] {
    if (filled != levels.cells()) throw UserError("checkpoint: it holds other cells than the world has.");
  });
}

}  // namespace eddyline::amr
