#include "observe/isosurface/cell_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/errors.hpp"
#include "comm/collectives.hpp"

namespace eddyline::observe {

namespace {

constexpr double k_close = 1e-6;  // distance from a point at which a centre is that point, in spacings

struct Value {
  std::uint32_t point;  // of the layers of the receiver
  float value;
};

std::optional<solver::Doubles> doubles(const solver::FieldSets& fields, std::string_view name) {
  if (std::ranges::none_of(fields.sets(), [](const auto& set) { return set.name == "cells"; })) return {};
  try {
    const solver::Field field = fields.field("cells", name);
    if (const auto* found = std::get_if<solver::Doubles>(&field)) return *found;
  } catch (const UserError&) {  // cells have no such field
  }
  return {};
}

/// The number of a lattice coordinate, or -1 if it is not close to one.
std::int32_t number_at(double at, std::int32_t count) {
  if (!(at > -0.5 && at < count - 0.5)) return -1;
  const auto nearest = static_cast<std::int32_t>(at + 0.5);
  return std::abs(at - nearest) < k_close ? nearest : -1;
}

/// Centres of cells as points of a lattice.
class Centres {
 public:
  Centres(const solver::Doubles& places, const solver::Lattice& lattice)
      : size_(places.size),
        count_(lattice.count),
        origin_(lattice.origin),
        per_spacing_{1 / lattice.spacing.x, 1 / lattice.spacing.y, 1 / lattice.spacing.z} {
    for (std::size_t d = 0; d < 3; ++d) x_[d] = places.data + d * places.stride;
  }

  /// The point at the centre of a cell, if there is one.
  std::optional<Int3> point(std::size_t i) const {
    Int3 point;
    for (std::size_t d = 0; d < 3; ++d) {
      point[d] = number_at(coordinate(i, d), count_[d]);
      if (point[d] < 0) return {};
    }
    return point;
  }

  /// Number of cells, from cell i at a point on, at successive points along x: solvers keep their cells in rows.
  std::size_t row_from(std::size_t i, Int3 point) const {
    const std::size_t most = std::min(size_ - i, static_cast<std::size_t>(count_[0] - point[0]));
    const auto follows = [&](std::size_t k) {
      const double off = coordinate(i + k, 0) - (point[0] + static_cast<double>(k));
      return (std::abs(off) < k_close) & (x_[1][i + k] == x_[1][i]) & (x_[2][i + k] == x_[2][i]);
    };
    std::size_t cells = 0;
    for (bool all = true; all && cells + k_block <= most; cells += all ? k_block : 0)
      for (std::size_t k = cells; k < cells + k_block; ++k) all = all & follows(k);
    while (cells < most && follows(cells)) ++cells;
    return std::max<std::size_t>(cells, 1);
  }

 private:
  static constexpr std::size_t k_block = 8;

  double coordinate(std::size_t i, std::size_t d) const {
    return (x_[d][i] - origin_[static_cast<int>(d)]) * per_spacing_[static_cast<int>(d)];
  }

  std::size_t size_;
  Int3 count_;
  Vec3 origin_, per_spacing_;
  std::array<const double*, 3> x_;
};

}  // namespace

std::optional<std::vector<float>> cell_values(const CellSource& source, std::string_view field,
                                              const solver::Lattice& lattice, solver::Layers layers) {
  const auto values = doubles(source.fields, field);
  const auto places = values ? doubles(source.fields, "position") : std::nullopt;
  if (!places || places->components != 3 || values->components != 1) return {};  // alike on all ranks
  auto& communicator = source.communicator;
  const auto ranks = static_cast<std::size_t>(communicator.size()),
             self = static_cast<std::size_t>(communicator.rank());
  std::vector<std::int64_t> ends(2 * ranks);
  ends[2 * self] = layers.first, ends[2 * self + 1] = layers.last;
  if (ranks > 1) comm::sum(communicator, ends, "surfaces");

  std::vector<std::vector<Value>> of_rank(ranks);
  const std::size_t layer = lattice.points_of_layer();
  std::vector<float> found(static_cast<std::size_t>(std::max(0, layers.count())) * layer,
                           std::numeric_limits<float>::quiet_NaN());
  std::int64_t centres = 0;  // that are points of the lattice
  const Centres at(*places, lattice);
  for (std::size_t i = 0, cells = 1; i < values->size; i += cells) {
    const auto point = at.point(i);
    cells = point ? at.row_from(i, *point) : 1;
    if (!point) continue;
    centres += static_cast<std::int64_t>(cells);
    const auto [x, y, z] = *point;
    const std::size_t in_layer =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(lattice.count[0]) + static_cast<std::size_t>(x);
    if (layers.contains(z)) {
      float* to = found.data() + static_cast<std::size_t>(z - layers.first) * layer + in_layer;
      for (std::size_t k = 0; k < cells; ++k) to[k] = static_cast<float>(values->data[i + k]);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (rank == self || z < ends[2 * rank] || z >= ends[2 * rank + 1]) continue;
      const std::size_t first = static_cast<std::size_t>(z - ends[2 * rank]) * layer + in_layer;
      for (std::size_t k = 0; k < cells; ++k)
        of_rank[rank].push_back({static_cast<std::uint32_t>(first + k), static_cast<float>(values->data[i + k])});
    }
  }
  comm::sum(communicator, std::span(&centres, 1), "surfaces");
  if (centres != static_cast<std::int64_t>(layer) * lattice.count[2]) return {};

  std::vector<comm::Parcel> parcels;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (of_rank[rank].empty()) continue;
    const auto bytes = std::as_bytes(std::span(of_rank[rank]));
    parcels.push_back({static_cast<int>(rank), {bytes.begin(), bytes.end()}});
  }
  if (ranks > 1)
    for (const comm::Parcel& parcel : comm::deliver(communicator, parcels, "surfaces"))
      for (std::size_t k = 0; k + sizeof(Value) <= parcel.bytes.size(); k += sizeof(Value)) {
        Value value;
        std::memcpy(&value, parcel.bytes.data() + k, sizeof value);
        found[value.point] = value.value;
      }
  return found;
}

}  // namespace eddyline::observe
