// Domain: the contents of a checkpoint.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "comm/collectives.hpp"
#include "domain/migrate.hpp"
#include "neighbors/fields.hpp"
#include "solvers/sph/domain/domain.hpp"

namespace eddyline::sph {

template <class T, int D>
void Domain<T, D>::save(ArchiveWriter& archive) {
  archive.put_value("moment", std::array{state_.time, state_.time_step, state_.volume_fraction_offset});
  archive.put_value("counts", std::array{state_.steps, rebuilds, last_rebuild});
  archive.put_value("control", state_.control);
  archive.put_value("body_changes", body_changes_made_);
  archive.put_value("own_counts", std::array{state_.contacts, state_.left_particles, migrants});
  archive.put_value("left_mass", state_.left_mass);
  state_.fluid.for_each_named(
      [&](const char* name, auto& field) { archive.put_field(std::string("fluid.") + name, field); });
  VectorArray<double, D> places;
  places.resize(state_.fluid.id.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vec3 place = sorted_place(i);
    for (int d = 0; d < D; ++d) places[d][i] = place[d];
  }
  archive.put_field("fluid.place", places);
  places.resize(state_.wall.id.size());
  for (std::size_t i = 0; i < places.size(); ++i) {  // near the particles: some stand far outside all cells
    const auto row = static_cast<std::size_t>(wall_rows.row_of(i));
    for (int d = 0; d < D; ++d)
      places[d][i] = state_.constants.fixed.unwrapped(wall_positions_.x[d][row], state_.wall.x[d][i]);
  }
  archive.put_field("wall.place", places);
  state_.wall.for_each_named(
      [&](const char* name, auto& field) { archive.put_field(std::string("wall.") + name, field); });
  saved_wall_rows_.take(scratch_.walls, wall_rows);
  archive.put_field("wall.row_parts", saved_wall_rows_.values());
  if (!state_.walls_move) saved_wall_rows_.release();
  state_.openings.save(archive);
}

template <class T, int D>
void Domain<T, D>::restore(const std::vector<ArchiveReader>& parts) {
  std::array<double, 3> moment{};
  std::array<std::int64_t, 3> counts{};
  comm::agree(communicator_, "checkpoint", [&] {
    take_particles(parts);
    if (!communicator_.is_root()) return;
    parts.at(0).get_value("moment", moment);
    parts.at(0).get_value("counts", counts);
    parts.at(0).get_value("control", state_.control);
    parts.at(0).get_value("body_changes", body_changes_made_);
  });
  moment = comm::broadcast(communicator_, moment, 0, "checkpoint");
  counts = comm::broadcast(communicator_, counts, 0, "checkpoint");
  state_.control = comm::broadcast(communicator_, state_.control, 0, "checkpoint");
  body_changes_made_ = comm::broadcast(communicator_, body_changes_made_, 0, "checkpoint");
  if (body_changes_made_ > static_cast<std::int64_t>(body_changes_.size()))
    throw UserError(
        "checkpoint: more bodies were added or removed than the journal records. Has the journal been changed?");
  state_.time = moment[0], state_.time_step = moment[1], state_.volume_fraction_offset = moment[2];
  state_.steps = counts[0], rebuilds = counts[1], last_rebuild = counts[2];
  state_.openings.restore(parts, communicator_);

  scratch_.begin_sorting(state_.fluid.id.size(), rebuilds == 0);
  move_walls_by_places();
  wall_halo.gather(neighbors::RowField(scratch_.walls, D));
  auto& places = scratch_.places();
  places.resize(0);
  for (const auto& part : parts) part.append_field("fluid.place", places);
  const auto for_each_field = [&](auto&& visit) {
    state_.fluid.for_each_array(visit);
    visit(places);
  };
  domain::migrate(communicator_, subdomain_.ranks_of(places), subdomain_.neighbors(), for_each_field);
  send_copies(places, for_each_field);
  find_fluid_rows();
  copies_are_included_ = lazy.computes_copies();
  begin_count();
}

template <class T, int D>
void Domain<T, D>::end_restore() {
  end_count();
  include_copies(false);
  lazy.expire();
}

/// Reads the particles and counters of the parts. All fields of a part must have as many values.
template <class T, int D>
void Domain<T, D>::take_particles(const std::vector<ArchiveReader>& parts) {
  state_.fluid.for_each_array([](auto& field) { field.resize(0); });
  state_.wall.for_each_array([](auto& field) { field.resize(0); });
  saved_wall_rows_.resize(0);
  wall_places_.resize(0);
  state_.contacts = state_.left_particles = migrants = 0;
  state_.left_mass = {};
  for (const auto& part : parts) {
    state_.fluid.for_each_named([&](const char* name, auto& field) {
      const std::string full = std::string("fluid.") + name;
      part.append_field(full, field);
      ArchiveReader::check_count(full, field.size(), state_.fluid.id.size());
    });
    for (const char axis : std::string_view("xyz").substr(0, D)) {
      const std::string place = std::string("fluid.place") + axis;
      ArchiveReader::check_count(place, part.count<double>(place), part.count<std::int64_t>("fluid.id"));
    }
    append_walls(part);
    part.append_field("wall.row_parts", saved_wall_rows_.values());
    ArchiveReader::check_count("wall.row_parts", saved_wall_rows_.values().size(),
                               state_.wall.id.size() * saved_wall_rows_.room());
    part.append_field("wall.place", wall_places_);
    ArchiveReader::check_count("wall.place", wall_places_.size(), state_.wall.id.size());
    std::array<std::int64_t, 3> own{};
    part.get_value("own_counts", own);
    state_.contacts += own[0], state_.left_particles += own[1], migrants += own[2];
    ReproducibleSum mass;
    part.get_value("left_mass", mass);
    state_.left_mass.merge(mass);
  }
  check_particles();
}

/// Checks that values that become indices are within bounds. Checksums of files find damage; this finds parts that were
/// written for another world.
template <class T, int D>
void Domain<T, D>::check_particles() const {
  const auto refuse = [](const char* what) {
    throw UserError(std::string("checkpoint: ") + what + "; it was written for another world, or is damaged.");
  };
  const auto inside = [](const auto& x) {
    constexpr double k_farthest = 1e100;
    for (int d = 0; d < D; ++d)
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!(std::abs(x[d][i]) <= k_farthest)) return false;
    return true;
  };
  if (!inside(state_.fluid.x) || !inside(state_.wall.x) || !inside(wall_places_))
    refuse("a particle has an invalid position");
  for (const std::uint8_t buffer : state_.fluid.buffer)
    if (buffer > state_.world.openings.size()) refuse("a particle belongs to an opening that does not exist");
}

/// Walls that were set in motion at the step of the checkpoint, but after it, had rested until then.
template <class T, int D>
void Domain<T, D>::append_walls(const ArchiveReader& part) {
  const std::size_t before = state_.wall.id.size();
  const bool can_move = std::exchange(state_.wall.can_move, state_.wall.can_move && part.has_vectors("wall.v"));
  state_.wall.for_each_named([&](const char* name, auto& field) {
    const std::string full = std::string("wall.") + name;
    part.append_field(full, field);
    ArchiveReader::check_count(full, field.size(), state_.wall.id.size());
  });
  if (can_move && !state_.wall.can_move) state_.wall.rest(before, state_.wall.id.size());
  state_.wall.can_move = can_move;
}

#define EDDYLINE_SPH_CHECKPOINT(T, D)                                     \
  template void Domain<T, D>::save(ArchiveWriter&);                       \
  template void Domain<T, D>::restore(const std::vector<ArchiveReader>&); \
  template void Domain<T, D>::end_restore();

EDDYLINE_SPH_CHECKPOINT(float, 2)
EDDYLINE_SPH_CHECKPOINT(float, 3)
EDDYLINE_SPH_CHECKPOINT(double, 2)
EDDYLINE_SPH_CHECKPOINT(double, 3)

#undef EDDYLINE_SPH_CHECKPOINT

}  // namespace eddyline::sph
