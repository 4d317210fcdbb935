// Messages between ranks are complete: migrants have all their attributes, ghosts have all columns of their rows.
// Ranks are threads. Vertanen 1999 describes attributes missing from messages as a mistake in section 5.3.3.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "comm/collectives.hpp"
#include "comm/single_process.hpp"
#include "domain/remove.hpp"
#include "handover_fixture.hpp"
#include "harness.hpp"
#include "neighbors/fields.hpp"
#include "solvers/sph/step/classic/classic_step.hpp"
#include "solvers/sph/step/delta/delta_step.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;

namespace {

/// A value that differs from all others, by particle, array and component.
template <class T>
T distinct(std::int64_t id, int array, int component) {
  const double random = uniform_random(static_cast<std::uint64_t>(array), static_cast<std::uint64_t>(id),
                                       static_cast<std::uint64_t>(component));
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(2 * random - 1);
  return static_cast<T>(random * static_cast<double>(std::numeric_limits<T>::max()));
}

template <class T>
int components(const Array<T>&) {
  return 1;
}
template <class T, int D>
int components(const VectorArray<T, D>&) {
  return D;
}
template <class T>
T& at(Array<T>& array, std::size_t i, int) {
  return array[i];
}
template <class T, int D>
T& at(VectorArray<T, D>& array, std::size_t i, int d) {
  return array[d][i];
}

/// visit(array, whether particles of this scheme have it) for every array but id and positions, in the order of their
/// declaration. A member that is not named here does not compile.
template <class T, int D, class Visit>
void for_each_attribute(sph::FluidState<T, D>& fluid, Visit&& visit) {
  auto& [id, mass, s, buffer, surface, x, v, a, half_g, confined, classic] = fluid;
  visit(mass, true), visit(s, true), visit(buffer, true), visit(surface, true), visit(v, true);
  visit(a, !classic), visit(half_g, !classic);
  if (!classic) return;
  auto& [u, s_rate, u_rate, v_rate, s_rate_old, u_rate_old, v_rate_old] = *classic;
  visit(u, true), visit(s_rate, true), visit(u_rate, true);
  visit(s_rate_old, true), visit(u_rate_old, true), visit(v_rate, true), visit(v_rate_old, true);
}
template <int D, class Visit>
void for_each_attribute(domain::WallState<D>& wall, Visit&& visit) {
  auto& [id, owner, x, volume, no_slip, can_move, v, x_file] = wall;
  visit(owner, true), visit(volume, true), visit(no_slip, true), visit(v, can_move), visit(x_file, can_move);
}

template <class State>
void fill(State& state) {
  int number = 0;
  for_each_attribute(state, [&](auto& array, bool used) {
    ++number;
    if (!used) return;
    for (std::size_t i = 0; i < state.id.size(); ++i)
      for (int d = 0; d < components(array); ++d)
        at(array, i, d) = distinct<std::remove_reference_t<decltype(at(array, i, d))>>(state.id[i], number, d);
  });
}

/// True if all attributes are those that fill() gave to these particles.
template <class State>
bool is_filled(State& state) {
  int number = 0;
  bool filled = true;
  for_each_attribute(state, [&](auto& array, bool used) {
    ++number;
    filled = filled && array.size() == (used ? state.id.size() : 0);
    for (std::size_t i = 0; filled && used && i < state.id.size(); ++i)
      for (int d = 0; d < components(array); ++d) {
        const auto expected = distinct<std::remove_reference_t<decltype(at(array, i, d))>>(state.id[i], number, d);
        filled = filled && std::memcmp(&expected, &at(array, i, d), sizeof expected) == 0;
      }
  });
  return filled;
}

/// A closed box around a body that moves, so that walls are sorted with the fluid.
world::World box(int dimensions, bool free_surface, world::Scheme scheme) {
  const bool space = dimensions == 3;
  world::World w;
  w.dimensions = dimensions;
  w.size = {1, 0.6, space ? 0.5 : 0};
  w.spacing = space ? 0.1 : 0.05;
  w.fluid.density = 1;
  w.fluid.sound_speed = 10;
  w.method.scheme = scheme;
  world::Body body;
  body.name = "body";
  body.shape =
      space ? world::make_box({0.2, 0.2, 0.1}, {0.5, 0.5, 0.4}) : world::make_rectangle({0.2, 0.2, 0}, {0.5, 0.4, 0});
  body.motion = world::Motion{};
  w.bodies = {body};
  if (free_surface) {
    world::Region all;
    all.name = "all";
    all.shape = space ? world::make_box({0, 0, 0}, {1, 0.6, 0.5}) : world::make_rectangle({0, 0, 0}, {1, 0.6, 0});
    w.regions = {all};
  }
  return w;
}

template <int D>
std::map<std::int64_t, Vec3> places(const Array<std::int64_t>& id, const VectorArray<double, D>& x) {
  std::map<std::int64_t, Vec3> by_id;
  for (std::size_t i = 0; i < id.size(); ++i) by_id[id[i]] = vector_of(x, i);
  return by_id;
}

/// All particles, fluid and walls, go to their mirror images; what they have must come with them.
template <class T, int D>
void expect_migrants_to_bring_all(const world::World& world, int ranks) {
  const auto alone = comm::single_process();
  sph::Parts<T, D> whole(world, execution_with("strips"), *alone);
  const auto fluid_places = places(whole.state.fluid.id, whole.state.fluid.x);
  const auto wall_places = places(whole.state.wall.id, whole.state.wall.x);
  const auto mirrored = [&](const std::map<std::int64_t, Vec3>& at, std::int64_t id) {
    return 2 * world.origin + world.size - at.at(id);
  };
  on_ranks(ranks, [&](comm::Communicator& c) {
    sph::Parts<T, D> flow(world, execution_with("strips"), c);
    flow.rebuild(false);
    auto& fluid = flow.state.fluid;
    auto& wall = flow.state.wall;
    const int columns = flow.scratch.walls.room();
    const auto column = [](std::int64_t id, int k) { return distinct<T>(id, -1, k); };
    fill(fluid), fill(wall);
    for (std::size_t i = 0; i < fluid.id.size(); ++i)
      for (int d = 0; d < D; ++d) fluid.x[d][i] = mirrored(fluid_places, fluid.id[i])[d];
    for (std::size_t i = 0; i < wall.id.size(); ++i) {
      for (int d = 0; d < D; ++d) wall.x[d][i] = mirrored(wall_places, wall.id[i])[d];
      for (int k = 0; k < columns; ++k)
        flow.scratch.walls.row(flow.domain.wall_rows.row_of(i))[k] = column(wall.id[i], k);
    }
    const std::set<std::int64_t> walls_before(wall.id.begin(), wall.id.end());
    flow.rebuild(false);

    CHECK(is_filled(fluid));
    CHECK(is_filled(wall));
    bool in_place = true;
    for (std::size_t i = 0; in_place && i < fluid.id.size(); ++i)
      for (int d = 0; d < D; ++d) {
        const double x = mirrored(fluid_places, fluid.id[i])[d];
        in_place =
            in_place && fluid.x[d][i] == x && flow.domain.sorted_place(i)[d] == flow.state.constants.fixed.round(x);
      }
    bool same_rows = true;
    for (std::size_t i = 0; in_place && i < wall.id.size(); ++i) {
      for (int d = 0; d < D; ++d) {
        const double x = mirrored(wall_places, wall.id[i])[d];
        const std::int32_t place =
            flow.domain.wall_positions().x[d][static_cast<std::size_t>(flow.domain.wall_rows.row_of(i))];
        in_place = in_place && wall.x[d][i] == x && place == flow.state.constants.fixed.wrapped(x);
      }
      for (int k = 0; k < columns; ++k)
        same_rows = same_rows && flow.scratch.walls.row(flow.domain.wall_rows.row_of(i))[k] == column(wall.id[i], k);
    }
    CHECK(in_place);
    CHECK(same_rows);
    std::int64_t counts[] = {fluid.size(), wall.size(), flow.domain.migrants, 0};
    for (const std::int64_t id : wall.id) counts[3] += walls_before.contains(id) ? 0 : 1;
    comm::sum(c, counts, "test");
    CHECK(counts[0] == whole.state.fluid.size() && counts[1] == whole.state.wall.size());
    CHECK(counts[2] > counts[0] / 2 && counts[3] > counts[1] / 2);
  });
}

template <int D>
void expect_migrants_to_bring_all() {
  for (const int ranks : {2, 3}) {
    expect_migrants_to_bring_all<float, D>(box(D, true, world::Scheme::delta), ranks);
    expect_migrants_to_bring_all<float, D>(box(D, false, world::Scheme::delta), ranks);
    expect_migrants_to_bring_all<double, D>(box(D, false, world::Scheme::classic), ranks);
  }
}

/// Each ghost's row is its owner's in the first `used` columns, its place but for whole periods; none of these columns
/// is zero in all ghosts, so that one which is left out shows. Collective.
template <class T>
void expect_rows_of_owners(comm::Communicator& c, const particles::CellGrid& grid, const particles::CellIndex& where,
                           const Array<std::int64_t>& id, exchange::Halo& halo, neighbors::PairData<T>& rows,
                           int used) {
  struct Row {
    std::int64_t id;
    T value[16];
  };
  const auto row_of = [&](std::int64_t number, std::int32_t slot) {
    Row row{number, {}};
    for (int k = 0; k < rows.width(); ++k) row.value[k] = rows.row(slot)[k];
    return row;
  };
  std::vector<Row> own;
  std::set<std::int32_t> slots;
  for (std::size_t i = 0; i < id.size(); ++i)
    own.push_back(row_of(id[i], where.row_of(i))), slots.insert(where.row_of(i));
  std::map<std::int64_t, Row> by_id;
  for (const Row& row : from_all(c, own)) CHECK(by_id.emplace(row.id, row).second);
  const auto ids = ids_of_rows(where, id, halo);
  bool same_columns = true, same_places = true;
  std::array<double, 16> seen{};  // ranks may have no ghosts with some value; together they must
  for (std::int32_t slot = 0; slot < where.rows; ++slot) {
    const auto owner = by_id.find(ids[static_cast<std::size_t>(slot)]);
    if (slots.contains(slot)) continue;
    CHECK(owner != by_id.end());
    if (owner == by_id.end()) return;
    const Row ghost = row_of(owner->first, slot);
    for (int d = 0; d < grid.dimensions; ++d) {
      const auto apart = static_cast<std::uint32_t>(rows.get_fixed(ghost.value + d)) -
                         static_cast<std::uint32_t>(rows.get_fixed(owner->second.value + d));
      const auto period = static_cast<std::uint32_t>(grid.period_quanta[static_cast<std::size_t>(d)]);
      same_places = same_places && (apart == 0 || apart == period || apart == 0 - period);
    }
    for (int k = grid.dimensions; k < used; ++k) {
      same_columns = same_columns && std::memcmp(ghost.value + k, owner->second.value + k, sizeof(T)) == 0;
      if (ghost.value[k] != 0) seen[static_cast<std::size_t>(k)] = 1;
    }
  }
  CHECK(same_places);
  CHECK(same_columns);
  comm::maximum(c, seen, "test");
  for (int k = grid.dimensions; k < used; ++k) CHECK(seen[static_cast<std::size_t>(k)] == 1);
}

template <class T, int D>
void expect_displacements_of_owners(comm::Communicator& c, sph::Parts<T, D>& flow) {
  struct Moved {
    std::int64_t id;
    std::array<float, D> by;
  };
  const auto moved = [&](std::int64_t id, std::int32_t slot) {
    Moved m{id, {}};
    for (int d = 0; d < D; ++d)
      m.by[static_cast<std::size_t>(d)] = flow.domain.wall_displacement.x[d][static_cast<std::size_t>(slot)];
    return m;
  };
  std::vector<Moved> own;
  std::set<std::int32_t> slots;
  for (std::size_t i = 0; i < flow.state.wall.id.size(); ++i)
    own.push_back(moved(flow.state.wall.id[i], flow.domain.wall_rows.row_of(i))),
        slots.insert(flow.domain.wall_rows.row_of(i));
  std::map<std::int64_t, Moved> by_id;
  for (const Moved& each : from_all(c, own)) by_id.emplace(each.id, each);
  const auto ids = ids_of_rows(flow.domain.wall_rows, flow.state.wall.id, flow.domain.wall_halo);
  std::int64_t moving[] = {0};
  for (std::int32_t slot = 0; slot < flow.domain.wall_rows.real_rows; ++slot) {
    if (slots.contains(slot)) continue;
    const Moved ghost = moved(ids[static_cast<std::size_t>(slot)], slot);
    CHECK(by_id.contains(ghost.id) && by_id.at(ghost.id).by == ghost.by);
    moving[0] += ghost.by == std::array<float, D>{} ? 0 : 1;
  }
  comm::sum(c, moving, "test");
  CHECK(moving[0] > 0);
}

/// After some steps, rows of ghosts against those of their owners.
template <class T, int D>
void expect_ghosts_like_owners(const world::World& world, int ranks, const solver::Execution& execution, int steps) {
  on_ranks(ranks, [&](comm::Communicator& c) {
    sph::Parts<T, D> flow(world, execution, c);
    const auto advance = [&](auto& step) {
      for (int k = 0; k < steps; ++k) step.advance(false);
    };
    const auto& grid = flow.domain.layout().grid();
    if (flow.state.fluid.classic) {
      advance(*start<sph::ClassicStep<T, D>>(flow));
      expect_rows_of_owners(c, grid, flow.domain.fluid_rows, flow.state.fluid.id, flow.domain.fluid_halo,
                            flow.scratch.end_rows, 2 * D + 4);
      expect_rows_of_owners(c, grid, flow.domain.wall_rows, flow.state.wall.id, flow.domain.wall_halo,
                            flow.scratch.walls, 3 * D + 5);
      return;
    }
    advance(*start<sph::DeltaStep<T, D>>(flow));
    flow.domain.fluid_halo.gather(
        neighbors::RowField(flow.scratch.midpoint_rows, D));  // the next step's, which no ghost has yet
    expect_rows_of_owners(c, grid, flow.domain.fluid_rows, flow.state.fluid.id, flow.domain.fluid_halo,
                          flow.scratch.midpoint_rows, flow.scratch.midpoint_rows.width());
    expect_rows_of_owners(c, grid, flow.domain.fluid_rows, flow.state.fluid.id, flow.domain.fluid_halo,
                          flow.scratch.end_rows, 2 * D + 2);
    if (flow.domain.everywhere.walls == 0) return;
    expect_rows_of_owners(c, grid, flow.domain.wall_rows, flow.state.wall.id, flow.domain.wall_halo, flow.scratch.walls,
                          3 * D + 3);
    if (flow.state.walls_move) expect_displacements_of_owners(c, flow);
  });
}

}  // namespace

TEST(migrants_bring_all_that_belongs_to_them) {
  expect_migrants_to_bring_all<2>();
  expect_migrants_to_bring_all<3>();
}

TEST(ghosts_have_every_column_of_their_owners_rows) {
  expect_ghosts_like_owners<float, 2>(stream(), 4, execution_with("blocks"), 8);
  expect_ghosts_like_owners<double, 2>(stream(), 4, execution_with("blocks", "blocking"), 8);
  expect_ghosts_like_owners<float, 3>(eddies(3), 3, execution_with("bisection"), 3);
  auto gas = burst();
  for (const std::size_t side : {2u, 3u})  // walls without any zero in their rows
    gas.sides[side].velocity[0] = gas.sides[side].velocity[1] = formula("0.01");
  gas.start.velocity[1] = formula("0.5*sin(2*pi*x)");
  expect_ghosts_like_owners<float, 2>(gas, 3, execution_with("strips", "blocking"), 6);
  expect_ghosts_like_owners<double, 2>(gas, 4, execution_with("blocks"), 6);
}

TEST(migrating_particles_keep_all_attributes) {
  constexpr std::int32_t k_count = 12;
  for (std::uint32_t gone_bits = 0; gone_bits < 1U << k_count; gone_bits += gone_bits < 64 ? 1 : 7) {
    Array<std::int64_t> id;
    VectorArray<double, 2> x;
    Array<std::int32_t> gone;
    id.resize(k_count), x.resize(k_count);
    for (std::int32_t i = 0; i < k_count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      id[k] = i, x[0][k] = 10.0 + i, x[1][k] = 20.0 + i;
      if ((gone_bits >> k & 1U) != 0) gone.push_back(i);
    }
    domain::remove_particles(k_count, gone, [&](auto&& visit) { visit(id), visit(x); });
    std::uint32_t left = 0;
    for (std::size_t k = 0; k < id.size(); ++k) {
      left |= 1U << static_cast<std::uint32_t>(id[k]);
      CHECK(x[0][k] == 10.0 + static_cast<double>(id[k]) && x[1][k] == 20.0 + static_cast<double>(id[k]));
    }
    CHECK(id.size() == x.size() && id.size() == k_count - gone.size());
    CHECK((left | gone_bits) == (1U << k_count) - 1 && (left & gone_bits) == 0);
  }
}
