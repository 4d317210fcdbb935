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
  const Vec3 per_spacing{1 / lattice.spacing.x, 1 / lattice.spacing.y, 1 / lattice.spacing.z};
  std::int64_t centres = 0;  // that are points of the lattice
  for (std::size_t i = 0; i < values->size; ++i) {
    Int3 point;
    bool is_point = true;
    for (int d = 0; d < 3 && is_point; ++d) {
      const double x = places->data[i + static_cast<std::size_t>(d) * places->stride];
      const auto axis = static_cast<std::size_t>(d);
      point[axis] = number_at((x - lattice.origin[d]) * per_spacing[d], lattice.count[axis]);
      is_point = point[axis] >= 0;
    }
    if (!is_point) continue;
    ++centres;
    const std::size_t in_layer = static_cast<std::size_t>(point[1]) * static_cast<std::size_t>(lattice.count[0]) +
                                 static_cast<std::size_t>(point[0]);
    const auto value = static_cast<float>(values->data[i]);
    if (layers.contains(point[2])) found[static_cast<std::size_t>(point[2] - layers.first) * layer + in_layer] = value;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      if (rank != self && point[2] >= ends[2 * rank] && point[2] < ends[2 * rank + 1])
        of_rank[rank].push_back(
            {static_cast<std::uint32_t>(static_cast<std::size_t>(point[2] - ends[2 * rank]) * layer + in_layer),
             value});
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
