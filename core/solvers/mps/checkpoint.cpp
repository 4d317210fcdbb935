// Checkpoints of a liquid, written and read by any number of ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "solvers/mps/liquid.hpp"

namespace eddyline::mps {

template <int D>
void Liquid<D>::save(ArchiveWriter& archive) {
  archive.put_value("counts", std::array{steps, rebuilds, last_rebuild});
  archive.put_value("own_counts", std::array{migrants, left_particles});
  archive.put_value("left_mass", left_mass);
  archive.put_value("margin", margin_);
  fluid.for_each_named([&](const char* name, auto& field) { archive.put_field(std::string("fluid.") + name, field); });
  wall.for_each_named([&](const char* name, auto& field) { archive.put_field(std::string("wall.") + name, field); });
  archive.put_field("wall.place", wall_places_);
  archive.put_value("body_changes", body_changes_made_);
  openings.save(archive);
}

template <int D>
void Liquid<D>::restore(const std::vector<ArchiveReader>& parts) {
  std::array<std::int64_t, 3> counts{};
  comm::agree(communicator_, "checkpoint", [&] {
    fluid.for_each_array([](auto& field) { field.resize(0); });
    wall.for_each_array([](auto& field) { field.resize(0); });
    wall_places_.resize(0);
    migrants = left_particles = 0;
    left_mass = {};
    for (const auto& part : parts) {
      fluid.for_each_named([&](const char* name, auto& field) {
        const std::string full = std::string("fluid.") + name;
        part.append_field(full, field);
        ArchiveReader::check_count(full, field.size(), fluid.id.size());
      });
      append_walls(part);
      part.append_field("wall.place", wall_places_);
      ArchiveReader::check_count("wall.place", wall_places_.size(), wall.id.size());
      std::array<std::int64_t, 2> own{};
      part.get_value("own_counts", own);
      migrants += own[0], left_particles += own[1];
      ReproducibleSum mass;
      part.get_value("left_mass", mass);
      left_mass.merge(mass);
    }
    for (int d = 0; d < D; ++d)
      for (std::size_t i = 0; i < fluid.id.size(); ++i)
        if (!(std::abs(fluid.place[d][i]) <= 1e100))
          throw UserError(
              "checkpoint: a particle has an invalid position; it was written for another world, or is damaged.");
    for (const std::uint8_t buffer : fluid.buffer)
      if (buffer > world_.openings.size())
        throw UserError(
            "checkpoint: a particle belongs to an opening that does not exist; it was written for another "
            "world, or is damaged.");
    if (!communicator_.is_root()) return;
    parts.at(0).get_value("counts", counts);
    parts.at(0).get_value("body_changes", body_changes_made_);
    parts.at(0).get_value("margin", margin_);
  });
  margin_ = comm::broadcast(communicator_, margin_, 0, "checkpoint");
  counts = comm::broadcast(communicator_, counts, 0, "checkpoint");
  body_changes_made_ = comm::broadcast(communicator_, body_changes_made_, 0, "checkpoint");
  if (body_changes_made_ > static_cast<std::int64_t>(body_changes_.size()))
    throw UserError(
        "checkpoint: more bodies were added or removed than the journal records. Has the journal been changed?");
  contact = domain::Contact(world_);
  wall_friction = domain::WallFriction(world_);
  steps = counts[0], rebuilds = counts[1], last_rebuild = counts[2];
  openings.restore(parts, communicator_);
  middle.resize(fluid.id.size());
  rest_walls();
  sort_walls();
  sort_fluid();
  build_lists();
  count();
}

/// Walls that were set in motion after the checkpoint had rested until then.
template <int D>
void Liquid<D>::append_walls(const ArchiveReader& part) {
  const std::size_t before = wall.id.size();
  const bool can_move = std::exchange(wall.can_move, wall.can_move && part.has_vectors("wall.v"));
  wall.for_each_named([&](const char* name, auto& field) {
    const std::string full = std::string("wall.") + name;
    part.append_field(full, field);
    ArchiveReader::check_count(full, field.size(), wall.id.size());
  });
  if (can_move && !wall.can_move) wall.rest(before, wall.id.size());
  wall.can_move = can_move;
}

#define EDDYLINE_LIQUID_CHECKPOINT(D)            \
  template void Liquid<D>::save(ArchiveWriter&); \
  template void Liquid<D>::restore(const std::vector<ArchiveReader>&);
EDDYLINE_LIQUID_CHECKPOINT(2)
EDDYLINE_LIQUID_CHECKPOINT(3)
#undef EDDYLINE_LIQUID_CHECKPOINT

}  // namespace eddyline::mps
