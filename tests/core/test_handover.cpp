// What passes from rank to rank, and what must not: migrants with all that belongs to them, ghosts with all columns of
// their rows, particles that enter where ranks meet. Ranks are threads.
//
// The example of two processors and the three mistakes that each have tests here are those of Vertanen 1999, sections
// 5.1.1 and 5.3.3: attributes left out of messages, particles that enter twice, migrants that are updated twice.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "comm/alone.hpp"
#include "comm/collectives.hpp"
#include "flow_fixture.hpp"
#include "harness.hpp"
#include "integrate/classic_step.hpp"
#include "integrate/flow.hpp"
#include "integrate/step.hpp"
#include "neighbors/fields.hpp"
#include "particles/id.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;

namespace {

integrate::Execution execution_with(const char* decomposition, const char* exchange = "nonblocking") {
  integrate::Execution e = execution();
  e.instructions = "scalar";
  e.decomposition = decomposition;
  e.exchange = exchange;
  return e;
}

/// The values of all ranks, one rank after the other, on every rank. Collective.
template <class Value>
std::vector<Value> from_all(comm::Communicator& communicator, const std::vector<Value>& own) {
  std::vector<std::byte> bytes;
  for (const auto& part : comm::gather(communicator, std::as_bytes(std::span(own)), "test"))
    bytes.insert(bytes.end(), part.begin(), part.end());
  bytes = comm::broadcast(communicator, std::move(bytes), 0, "test");
  std::vector<Value> all(bytes.size() / sizeof(Value));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

/// The id of each row, ghosts included; -1 of a row that nobody has sent. Collective.
Array<std::int64_t> ids_of_rows(const particles::CellRows& rows, const Array<std::int64_t>& id, exchange::Halo& halo) {
  Array<std::int64_t> of_row;
  of_row.assign(static_cast<std::size_t>(rows.rows), -1);
  for (std::size_t i = 0; i < id.size(); ++i) of_row[static_cast<std::size_t>(rows.slot[i])] = id[i];
  halo.gather(exchange::ArrayField(of_row));
  return of_row;
}

// --- who owns whom --------------------------------------------------------------------------------------------------

using Flow2 = integrate::Flow<float, 2>;
using Ids = std::set<std::int64_t>;

/// A closed box of six rows of cells, three cells wide and periodic across.
world::World six_rows() {
  world::World w;
  w.size = {0.7, 1, 0};
  w.spacing = 0.05;
  w.fluid.density = 1;
  w.fluid.sound_speed = 10;
  w.sides[0].kind = w.sides[1].kind = world::SideKind::periodic;
  return w;
}

/// The place of particle a_k in a row: somewhere in the middle column.
Vec3 place_in(const particles::CellGrid& grid, std::int64_t k, int row) {
  Vec3 x = grid.origin;
  x.x += (1.1 + 0.1 * static_cast<double>(k)) * grid.edge.x;
  x.y += (row + 0.5) * grid.edge.y;
  return x;
}

int rank_of_row(const Flow2& flow, int row) { return flow.partition().rank_of({1, row, 0}); }

/// The fluid becomes particles a_0, a_1, ... in the rows that are named, each with the rank whose row it is.
void put_into_rows(Flow2& flow, const std::vector<int>& row_of) {
  std::vector<std::int64_t> own;
  for (std::size_t k = 0; k < row_of.size(); ++k)
    if (rank_of_row(flow, row_of[k]) == flow.communicator().rank()) own.push_back(static_cast<std::int64_t>(k));
  flow.fluid.for_each_array([&](auto& array) { array.assign(own.size(), 0); });
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto k = static_cast<std::size_t>(own[i]);
    flow.fluid.id[i] = own[i];
    for (int d = 0; d < 2; ++d) flow.fluid.x[d][i] = place_in(flow.layout().grid(), own[i], row_of[k])[d];
  }
  flow.rebuild();
}

/// Moves whoever is here to its new row, as a step does, and rebuilds.
void move_to_rows(Flow2& flow, const std::vector<int>& row_of) {
  for (std::size_t i = 0; i < flow.fluid.id.size(); ++i) {
    const std::int64_t k = flow.fluid.id[i];
    for (int d = 0; d < 2; ++d)
      flow.fluid.x[d][i] = place_in(flow.layout().grid(), k, row_of[static_cast<std::size_t>(k)])[d];
  }
  flow.rebuild();
}

Ids updated_by(const Flow2& flow) { return {flow.fluid.id.begin(), flow.fluid.id.end()}; }
Ids copies_on(Flow2& flow) {
  const auto ids = ids_of_rows(flow.fluid_rows, flow.fluid.id, flow.fluid_halo);
  return {ids.begin(), ids.end()};
}

}  // namespace

TEST(particles_pass_between_two_ranks_as_in_vertanens_example) {
  on_ranks(2, [](comm::Communicator& c) {
    Flow2 flow(six_rows(), execution_with("strips"), c);
    CHECK(flow.layout().grid().count == (Int3{3, 6, 1}));
    for (int row = 0; row < 6; ++row) CHECK(rank_of_row(flow, row) == row / 3);
    const bool is_p1 = c.rank() == 0;

    put_into_rows(flow, {0, 1, 2, 3, 3, 4, 5});
    CHECK(updated_by(flow) == (is_p1 ? Ids{0, 1, 2} : Ids{3, 4, 5, 6}));
    CHECK(copies_on(flow) == (is_p1 ? Ids{0, 1, 2, 3, 4} : Ids{2, 3, 4, 5, 6}));
    CHECK(flow.migrants == 0);

    // a_2 crosses the border, a_4 leaves the fringe inwards, a_5 jumps over two rows into P1's inner ones.
    move_to_rows(flow, {0, 1, 3, 3, 4, 1, 5});
    CHECK(updated_by(flow) == (is_p1 ? Ids{0, 1, 5} : Ids{2, 3, 4, 6}));
    CHECK(copies_on(flow) == (is_p1 ? Ids{0, 1, 2, 3, 5} : Ids{2, 3, 4, 6}));
    CHECK(flow.migrants == 1);
  });
}

TEST(particles_that_jump_over_entire_ranks_arrive) {
  for (const int ranks : {3, 4, 5})
    on_ranks(ranks, [&](comm::Communicator& c) {
      Flow2 flow(six_rows(), execution_with("strips"), c);
      CHECK(rank_of_row(flow, 0) == 0 && rank_of_row(flow, 5) == ranks - 1);
      const std::vector<std::vector<int>> moments{{0, 1, 2, 3, 4, 5, 5}, {5, 1, 2, 3, 4, 0, 5}, {0, 5, 4, 3, 0, 5, 0}};
      put_into_rows(flow, moments[0]);
      for (const auto& row_of : moments) {
        move_to_rows(flow, row_of);
        Ids own, near;
        for (std::size_t k = 0; k < row_of.size(); ++k)
          for (int row = std::max(0, row_of[k] - 1); row <= std::min(5, row_of[k] + 1); ++row) {
            if (rank_of_row(flow, row) != c.rank()) continue;
            near.insert(static_cast<std::int64_t>(k));
            if (row == row_of[k]) own.insert(static_cast<std::int64_t>(k));
          }
        CHECK(updated_by(flow) == own);
        CHECK(copies_on(flow) == near);
      }
    });
}

// --- nothing is left out of a message -------------------------------------------------------------------------------

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
template <int D, class Visit>
void for_each_attribute(integrate::FluidState<D>& fluid, Visit&& visit) {
  auto& [id, mass, s, buffer, x, v, a, G, x_ref, confined, w, classic, u, s_rate, u_rate, s_rate_old, u_rate_old,
         a_old] = fluid;
  visit(mass, true), visit(s, true), visit(buffer, true), visit(v, true), visit(a, true);
  visit(G, !classic), visit(w, !classic && confined);
  visit(u, classic), visit(s_rate, classic), visit(u_rate, classic);
  visit(s_rate_old, classic), visit(u_rate_old, classic), visit(a_old, classic);
}
template <int D, class Visit>
void for_each_attribute(integrate::WallState<D>& wall, Visit&& visit) {
  auto& [id, owner, x, v, x_file, x_ref, volume, no_slip] = wall;
  visit(owner, true), visit(v, true), visit(x_file, true), visit(volume, true), visit(no_slip, true);
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

/// Whether all attributes are those that fill() gave to these particles.
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
  const auto alone = comm::alone();
  integrate::Flow<T, D> whole(world, execution_with("strips"), *alone);
  const auto fluid_places = places(whole.fluid.id, whole.fluid.x), wall_places = places(whole.wall.id, whole.wall.x);
  const auto mirrored = [&](const std::map<std::int64_t, Vec3>& at, std::int64_t id) {
    return 2 * world.origin + world.size - at.at(id);
  };
  on_ranks(ranks, [&](comm::Communicator& c) {
    integrate::Flow<T, D> flow(world, execution_with("strips"), c);
    flow.rebuild();
    auto& fluid = flow.fluid;
    auto& wall = flow.wall;
    const int columns = flow.walls.stride();
    const auto column = [](std::int64_t id, int k) { return distinct<T>(id, -1, k); };
    fill(fluid), fill(wall);
    for (std::size_t i = 0; i < fluid.id.size(); ++i)
      for (int d = 0; d < D; ++d) fluid.x[d][i] = mirrored(fluid_places, fluid.id[i])[d];
    for (std::size_t i = 0; i < wall.id.size(); ++i) {
      for (int d = 0; d < D; ++d) wall.x[d][i] = mirrored(wall_places, wall.id[i])[d];
      for (int k = 0; k < columns; ++k) flow.walls.row(flow.wall_rows.slot[i])[k] = column(wall.id[i], k);
    }
    const Ids walls_before(wall.id.begin(), wall.id.end());
    flow.rebuild();

    CHECK(is_filled(fluid));
    CHECK(is_filled(wall));
    bool in_place = fluid.x_ref.size() == fluid.id.size() && wall.x_ref.size() == wall.id.size();
    for (std::size_t i = 0; in_place && i < fluid.id.size(); ++i)
      for (int d = 0; d < D; ++d) {
        const double x = mirrored(fluid_places, fluid.id[i])[d];
        in_place = in_place && fluid.x[d][i] == x && fluid.x_ref[d][i] == x;
      }
    bool same_rows = true;
    for (std::size_t i = 0; in_place && i < wall.id.size(); ++i) {
      for (int d = 0; d < D; ++d) {
        const double x = mirrored(wall_places, wall.id[i])[d];
        in_place = in_place && wall.x[d][i] == x && wall.x_ref[d][i] == x;
      }
      for (int k = 0; k < columns; ++k)
        same_rows = same_rows && flow.walls.row(flow.wall_rows.slot[i])[k] == column(wall.id[i], k);
    }
    CHECK(in_place);
    CHECK(same_rows);
    std::int64_t counts[] = {fluid.size(), wall.size(), flow.migrants, 0};
    for (const std::int64_t id : wall.id) counts[3] += walls_before.contains(id) ? 0 : 1;
    comm::sum(c, counts, "test");
    CHECK(counts[0] == whole.fluid.size() && counts[1] == whole.wall.size());
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

/// Starts a world and does some steps.
template <class Step, class Flow>
std::unique_ptr<Step> start(Flow& flow) {
  auto& fluid = flow.fluid;
  for (std::size_t i = 0; i < fluid.id.size(); ++i) {
    const Vec3 x = vector_of(fluid.x, i);
    for (int d = 0; d < flow.world().dimensions; ++d)
      fluid.v[d][i] = flow.world().start.velocity[static_cast<std::size_t>(d)].evaluate(std::array{x.x, x.y, x.z, 0.0});
  }
  auto step = std::make_unique<Step>(flow);
  step->start();
  return step;
}

/// Each ghost's row is its owner's in the first `used` columns, its place but for whole periods; none of these columns
/// is zero in all ghosts, so that one which is left out shows. Collective.
template <class T>
void expect_rows_of_owners(comm::Communicator& c, const particles::CellGrid& grid, const particles::CellRows& where,
                           const Array<std::int64_t>& id, exchange::Halo& halo, neighbors::Rows<T>& rows, int used) {
  struct Row {
    std::int64_t id;
    T value[16];
  };
  const auto row_of = [&](std::int64_t number, std::int32_t slot) {
    Row row{number, {}};
    std::copy_n(rows.row(slot), rows.stride(), row.value);
    return row;
  };
  std::vector<Row> own;
  std::set<std::int32_t> slots;
  for (std::size_t i = 0; i < id.size(); ++i) own.push_back(row_of(id[i], where.slot[i])), slots.insert(where.slot[i]);
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
void expect_displacements_of_owners(comm::Communicator& c, integrate::Flow<T, D>& flow) {
  struct Moved {
    std::int64_t id;
    std::array<float, D> by;
  };
  const auto moved = [&](std::int64_t id, std::int32_t slot) {
    Moved m{id, {}};
    for (int d = 0; d < D; ++d)
      m.by[static_cast<std::size_t>(d)] = flow.wall_displacement.x[d][static_cast<std::size_t>(slot)];
    return m;
  };
  std::vector<Moved> own;
  std::set<std::int32_t> slots;
  for (std::size_t i = 0; i < flow.wall.id.size(); ++i)
    own.push_back(moved(flow.wall.id[i], flow.wall_rows.slot[i])), slots.insert(flow.wall_rows.slot[i]);
  std::map<std::int64_t, Moved> by_id;
  for (const Moved& each : from_all(c, own)) by_id.emplace(each.id, each);
  const auto ids = ids_of_rows(flow.wall_rows, flow.wall.id, flow.wall_halo);
  std::int64_t moving[] = {0};
  for (std::int32_t slot = 0; slot < flow.wall_rows.rows; ++slot) {
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
void expect_ghosts_like_owners(const world::World& world, int ranks, const integrate::Execution& execution, int steps) {
  on_ranks(ranks, [&](comm::Communicator& c) {
    integrate::Flow<T, D> flow(world, execution, c);
    const auto advance = [&](auto& step) {
      for (int k = 0; k < steps; ++k) step.advance(false);
    };
    const auto& grid = flow.layout().grid();
    if (flow.fluid.classic) {
      advance(*start<integrate::ClassicStep<T, D>>(flow));
      expect_rows_of_owners(c, grid, flow.fluid_rows, flow.fluid.id, flow.fluid_halo, flow.pressed, 2 * D + 4);
      expect_rows_of_owners(c, grid, flow.wall_rows, flow.wall.id, flow.wall_halo, flow.walls, 3 * D + 5);
      return;
    }
    advance(*start<integrate::Step<T, D>>(flow));
    expect_rows_of_owners(c, grid, flow.fluid_rows, flow.fluid.id, flow.fluid_halo, flow.moving, 4 * D + 2);
    expect_rows_of_owners(c, grid, flow.fluid_rows, flow.fluid.id, flow.fluid_halo, flow.pressed, 2 * D + 2);
    if (flow.everywhere.walls == 0) return;
    expect_rows_of_owners(c, grid, flow.wall_rows, flow.wall.id, flow.wall_halo, flow.walls, 3 * D + 3);
    if (flow.walls_move()) expect_displacements_of_owners(c, flow);
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

// --- nobody enters twice, nobody is moved twice ---------------------------------------------------------------------

namespace {

/// A particle as its rank has it at the end of a step.
struct Seen {
  std::int64_t id, rank, buffer;
  bool in_own_cell;  // since the last rebuild
  std::array<double, 5> state;

  /// The same particle in the same state, whoever has it.
  bool operator==(const Seen& other) const {
    return id == other.id && buffer == other.buffer && std::memcmp(state.data(), other.state.data(), sizeof state) == 0;
  }
};

/// The particles of all ranks, by id. Collective.
std::vector<Seen> see(const Flow2& flow) {
  std::vector<Seen> own;
  const auto& fluid = flow.fluid;
  const int rank = flow.communicator().rank();
  for (std::size_t i = 0; i < fluid.id.size(); ++i) {
    const Vec3 then = vector_of(fluid.x_ref, i);
    const bool in_own_cell =
        flow.layout().owned_cell(then) >= 0 && flow.partition().rank_of(flow.layout().grid().cell_of(then)) == rank;
    own.push_back({fluid.id[i],
                   rank,
                   fluid.buffer[i],
                   in_own_cell,
                   {fluid.x[0][i], fluid.x[1][i], fluid.v[0][i], fluid.v[1][i], fluid.s[i]}});
  }
  auto all = from_all(flow.communicator(), own);
  std::sort(all.begin(), all.end(), [](const Seen& a, const Seen& b) { return a.id < b.id; });
  return all;
}

bool are_unique(const std::vector<Seen>& all) {
  return std::adjacent_find(all.begin(), all.end(), [](const Seen& a, const Seen& b) { return a.id == b.id; }) ==
         all.end();
}

/// Everybody after each of so many steps on one process.
std::vector<std::vector<Seen>> history(const world::World& world, int steps) {
  const auto alone = comm::alone();
  Flow2 flow(world, execution_with("strips"), *alone);
  const auto step = start<integrate::Step<float, 2>>(flow);
  std::vector<std::vector<Seen>> moments{see(flow)};
  for (int k = 0; k < steps; ++k) {
    step->advance(false);
    moments.push_back(see(flow));
  }
  return moments;
}

/// A stream whose speed varies across the inflow and in time.
world::World uneven_stream(Vec3 size) {
  world::World w = stream();
  w.size = size;
  w.spacing = 0.05;
  w.bodies.clear();
  w.probes.clear();
  w.fluid.sound_speed = 5;
  w.openings[0].upper = {0, size.y, 0};
  w.openings[0].velocity[0] = formula("1 + 0.5*sin(7*y) + 0.3*sin(40*t)");
  w.openings[1].lower = {size.x, 0, 0};
  w.openings[1].upper = {size.x, size.y, 0};
  return w;
}

/// The sites of the inflow from which new particles have come, and how many these are.
std::pair<std::set<std::int64_t>, std::int64_t> entered(const std::vector<Seen>& all, const Flow2& flow) {
  std::pair<std::set<std::int64_t>, std::int64_t> found{{}, 0};
  const auto& sites = flow.openings.all()[0].sites;
  for (const Seen& each : all) {
    const std::int64_t site = particles::site_of_opening_id(each.id);
    if (each.id < particles::make_opening_id(0, site, sites.columns) || each.id >= particles::make_opening_id(1, 0, 0))
      continue;
    found.first.insert(site);
    ++found.second;
  }
  return found;
}

/// Everybody enters once. `cut_across`: some border between ranks shall go through the inflow's buffer.
void expect_each_to_enter_once(Vec3 size, const char* decomposition, int ranks, bool cut_across) {
  const auto world = uneven_stream(size);
  const int steps = 24, every = 4;
  const auto whole = history(world, steps);
  on_ranks(ranks, [&](comm::Communicator& c) {
    Flow2 flow(world, execution_with(decomposition), c);
    const auto step = start<integrate::Step<float, 2>>(flow);
    std::set<std::int64_t> ranks_at_inflow;
    for (int k = 1; k <= steps; ++k) {
      step->advance(false);
      if (k % every != 0) continue;
      const auto all = see(flow);
      const auto& expected = whole[static_cast<std::size_t>(k)];
      CHECK(are_unique(all));
      CHECK(entered(all, flow) == entered(expected, flow));
      const bool as_expected = all == expected;
      CHECK(as_expected);
      if (!as_expected) return;  // on all ranks
      for (const Seen& each : all)
        if (each.buffer == 1) ranks_at_inflow.insert(each.rank);
    }
    const auto [sites, count] = entered(whole.back(), flow);
    CHECK(std::ssize(sites) == flow.openings.all()[0].sites.sites());
    CHECK(count > 2 * std::ssize(sites));
    CHECK(!cut_across || ranks_at_inflow.size() > 1);
  });
}

/// Eddies that a force shakes, so that particles cross borders back and forth.
world::World to_and_fro() {
  auto w = eddies(2);
  w.spacing = 0.04;
  w.body_force[0] = formula("60*cos(30*t)");
  w.body_force[1] = formula("40*sin(25*t)");
  return w;
}

/// Who has had whom, as an observer outside of all ranks sees it.
class Owners {
 public:
  explicit Owners(std::int64_t columns) : columns_(columns) {}

  void see(const std::vector<Seen>& all) {
    std::map<std::int64_t, std::int64_t> now;
    for (const Seen& each : all) {
      now[each.id] = each.rank;
      // Who has just entered does so beyond the one before it, with the rank that has that one, and goes on from there.
      const auto before = now_.contains(each.id) ? now_.find(each.id) : now_.find(each.id - columns_);
      if (before != now_.end() && before->second != each.rank) {
        ++changes_;
        if (had_[each.id].contains(each.rank)) ++returns_;
      }
      had_[each.id].insert(each.rank);
    }
    now_ = std::move(now);
  }
  std::int64_t changes() const { return changes_; }
  std::int64_t returns() const { return returns_; }

 private:
  std::int64_t columns_;
  std::map<std::int64_t, std::int64_t> now_;
  std::map<std::int64_t, std::set<std::int64_t>> had_;
  std::int64_t changes_ = 0, returns_ = 0;
};

struct Way {
  int ranks;
  const char *decomposition, *exchange;
  int rebalance_every;
};

/// Everybody has one owner, the one of its cell, and is where it is on one process, at each step.
void expect_one_owner_each(const world::World& world, int steps, bool returns) {
  const auto whole = history(world, steps);
  for (const Way& way : {Way{2, "strips", "blocking", 0}, Way{3, "bisection", "nonblocking", 2},
                         Way{4, "blocks", "nonblocking", 0}, Way{5, "strips", "nonblocking", 3}})
    on_ranks(way.ranks, [&](comm::Communicator& c) {
      auto execution = execution_with(way.decomposition, way.exchange);
      execution.rebalance_every = way.rebalance_every;
      Flow2 flow(world, execution, c);
      const auto step = start<integrate::Step<float, 2>>(flow);
      Owners owners(flow.openings.empty() ? 0 : flow.openings.all()[0].sites.columns);
      owners.see(see(flow));
      CHECK(flow.migrants == 0);
      for (int k = 1; k <= steps; ++k) {
        step->advance(false);
        const auto all = see(flow);
        CHECK(are_unique(all));
        CHECK(std::all_of(all.begin(), all.end(), [](const Seen& each) { return each.in_own_cell; }));
        const bool as_expected = all == whole[static_cast<std::size_t>(k)];
        CHECK(as_expected);
        if (!as_expected) return;  // on all ranks
        owners.see(all);
        std::int64_t migrants[] = {flow.migrants};
        comm::sum(c, migrants, "test");
        CHECK(migrants[0] == owners.changes());
      }
      CHECK(flow.rebuilds > 3 && owners.changes() > 0);
      CHECK(!returns || owners.returns() > 0);
    });
}

}  // namespace

TEST(each_particle_enters_once_where_ranks_meet_along_the_inflow) {
  for (const int ranks : {2, 5}) expect_each_to_enter_once({1, 0.5, 0}, "strips", ranks, false);
}
TEST(each_particle_enters_once_where_ranks_meet_across_the_inflow) {
  for (const int ranks : {2, 3, 5}) expect_each_to_enter_once({0.3, 1.2, 0}, "strips", ranks, true);
  expect_each_to_enter_once({0.6, 0.7, 0}, "blocks", 4, true);
  expect_each_to_enter_once({0.6, 0.7, 0}, "bisection", 5, true);
}
TEST(nobody_is_moved_twice_in_eddies) { expect_one_owner_each(to_and_fro(), 36, true); }
TEST(nobody_is_moved_twice_in_a_stream) { expect_one_owner_each(uneven_stream({1, 0.6, 0}), 24, false); }
