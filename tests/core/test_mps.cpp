// The solver mps: radial functions on the lattice, the law, restarts, refusals, and still water.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/instructions.hpp"
#include "base/pack.hpp"
#include "comm/single_process.hpp"
#include "driver/simulation.hpp"
#include "flow_fixture.hpp"
#include "harness.hpp"
#include "physics/mps/weights.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;

namespace {

world::World mps(world::World world) {
  world.solver = "mps";
  return world;
}

/// A column of water collapses onto a block, which moves.
world::World column() {
  world::World w = mps(dam());
  w.fluid.kinematic_viscosity = 1e-3;
  world::Motion swing;
  swing.displacement[0] = formula("0.04*sin(8*t)");
  swing.rotation = formula("t");
  swing.pivot = {0.6, 0.04, 0};
  w.bodies[0].motion = swing;
  return w;
}

/// A cube of water in an open box.
world::World cube() {
  world::World w;
  w.dimensions = 3;
  w.size = {1, 0.8, 0.6};
  w.spacing = 0.08;
  w.gravity = {0, -9.81, 0};
  w.sides[3].kind = world::SideKind::open;
  w.fluid.density = 1000;
  world::Region region;
  region.name = "water";
  region.shape = world::make_box({0, 0, 0}, {0.5, 0.5, 0.6});
  region.pressure_start = world::PressureStart::hydrostatic;
  w.regions = {region};
  return mps(w);
}

/// Compares all but what depends on the way of a run.
bool same_results(const Result& a, const Result& b) {
  return a.particles == b.particles && a.series == b.series && same(a.picture, b.picture) && a.fluid == b.fluid &&
         a.rebuilds == b.rebuilds;
}

void expect_the_same_bits(const world::World& world, std::int64_t all_steps) {
  const std::int64_t steps = all_steps / k_slow;
  const Result whole = run(world, execution(), *comm::single_process(), steps);
  CHECK(k_slow > 1 || whole.rebuilds > 1);
  struct Way {
    int ranks, boxes;
    const char *decomposition, *exchange;
    int rebalance_every;
    std::int64_t shuffle = 0;
  };
  for (const Way& way :
       {Way{1, 3, "strips", "nonblocking", 0, 7}, Way{2, 1, "bisection", "nonblocking", 2},
        Way{3, 1, "strips", "blocking", 1}, Way{4, 2, "blocks", "threaded", 0}, Way{5, 1, "bisection", "shared", 2}})
    on_ranks(way.ranks, [&](comm::Communicator& communicator) {
      solver::Execution e = execution();
      e.boxes = way.boxes;
      e.decomposition = way.decomposition;
      e.exchange = way.exchange;
      e.rebalance_every = way.rebalance_every;
      e.shuffle = way.shuffle;
      CHECK(same_results(run(world, e, communicator, steps), whole));
    });
  for (const std::string instructions : {"scalar", "avx2"}) {
    const auto sets = instruction_sets();
    if (std::find(sets.begin(), sets.end(), instructions) == sets.end()) continue;
    solver::Execution e = execution();
    e.instructions = instructions;
    e.threads = 2;
    CHECK(same_results(run(world, e, *comm::single_process(), steps), whole));
  }
}

/// Runs `before` steps on some ranks, saves, and continues on other ranks up to `steps`.
solver::Checksum in_two(const world::World& world, int ranks_before, int ranks_after, std::int64_t before,
                        std::int64_t steps) {
  std::vector<std::vector<std::byte>> parts(static_cast<std::size_t>(ranks_before));
  on_ranks(ranks_before, [&](comm::Communicator& communicator) {
    const auto simulation = std::make_unique<driver::Simulation>(world, execution(), 0.01, communicator);
    simulation->advance(1e9, before, 1e9);
    parts[static_cast<std::size_t>(communicator.rank())] = simulation->part();
  });
  solver::Checksum result;
  on_ranks(ranks_after, [&](comm::Communicator& communicator) {
    const auto simulation = std::make_unique<driver::Simulation>(world, execution(), 0.01, communicator);
    std::size_t next = 0;
    simulation->restore([&] { return next < parts.size() ? parts[next++] : std::vector<std::byte>{}; });
    simulation->advance(1e9, steps, 1e9);
    const solver::Checksum found = simulation->checksum();
    if (communicator.is_root()) result = found;
  });
  return result;
}

}  // namespace

TEST(radial_functions_are_exact_on_the_lattice) {
  using physics::mps::Weights;
  for (const Weights weights : {Weights::wendland, Weights::standard, Weights::hs, Weights::hl, Weights::ecs})
    for (const int D : {2, 3}) {
      const double dx = 0.1, R = D == 2 ? 0.4 : 0.3;
      const auto f = physics::mps::factors(weights, {dx, dx, dx}, D, R);
      physics::mps::with_weights(weights, [&](auto policy) {
        using P = Pack<double, 1>;
        double n = f.itself, B = 0, S = 0, A = 0, laplacian = 0;
        for (int z = D == 3 ? -3 : 0; z <= (D == 3 ? 3 : 0); ++z)
          for (int y = -4; y <= 4; ++y)
            for (int x = -4; x <= 4; ++x) {
              const double q2 = (x * x + y * y + z * z) * dx * dx / (R * R);
              if (q2 == 0 || q2 >= 1) continue;
              const auto w = decltype(policy)::template at<P>(q2, f.cut);
              n += f.N * w.N.v, B += f.B * w.B.v * q2, S += f.S * w.divergence.v * q2, A += f.A * w.A.v * q2;
              laplacian += f.A * w.A.v;
            }
        CHECK_NEAR(n, 1, 1e-12);
        CHECK_NEAR(B, D, 1e-12);
        CHECK_NEAR(S, D, 1e-12);
        CHECK_NEAR(A, 2 * D, 1e-12);
        CHECK_NEAR(laplacian, f.laplacian, 1e-9);
      });
    }
}

TEST(a_column_over_a_moving_block_does_not_depend_on_ranks) { expect_the_same_bits(column(), 24); }
TEST(eddies_of_mps_do_not_depend_on_ranks) { expect_the_same_bits(mps(eddies(2)), 12); }
TEST(a_cube_of_water_does_not_depend_on_ranks) { expect_the_same_bits(cube(), 10); }
TEST(the_diagonal_solver_does_not_depend_on_ranks) {
  auto world = mps(dam());
  world.options["pressure_solver"] = std::string("diagonal");
  expect_the_same_bits(world, 8);
}

TEST(a_column_continues_after_a_stop) {
  const auto world = column();
  const std::int64_t steps = 24 / k_slow;
  const Result whole = run(world, execution(), *comm::single_process(), steps);
  for (const auto& [before, after, stop] :
       {std::array<std::int64_t, 3>{1, 1, 5}, {1, 3, steps / 2}, {3, 2, steps / 2 + 1}, {2, 4, 1}})
    CHECK(in_two(world, static_cast<int>(before), static_cast<int>(after), stop, steps) == whole.particles);
}

TEST(both_pressure_solvers_agree) {
  auto world = mps(dam());
  world.options["tolerance"] = 1e-9;
  const Result multigrid = run(world, execution(), *comm::single_process(), 5);
  world.options["pressure_solver"] = std::string("diagonal");
  const Result diagonal = run(world, execution(), *comm::single_process(), 5);
  const auto& a = multigrid.series[0];
  const auto& b = diagonal.series[0];
  CHECK(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) CHECK_NEAR(a[k], b[k], 1e-5 * (1 + std::abs(b[k])));
}

TEST(mps_refuses_what_it_lacks) {
  const auto alone = comm::single_process();
  const auto start = [&](const world::World& world) { driver::Simulation(world, execution(), 0.01, *alone); };
  auto world = mps(dam());
  world.options["weights"] = std::string("cubic");
  CHECK_THROWS(start(world), "wendland, standard, hs, hl, ecs");
  world.options = {{"colour", 1.0}};
  CHECK_THROWS(start(world), "no such option");
  world.options = {{"cfl", -1.0}};
  CHECK_THROWS(start(world), "method.cfl: must be a number from");
}

TEST(a_pressure_equation_that_does_not_converge_ends_the_run) {
  auto world = mps(dam());
  world.options["max_iterations"] = std::int64_t{1};
  world.options["tolerance"] = 1e-10;
  for (const int ranks : {1, 2})
    on_ranks(ranks, [&](comm::Communicator& communicator) {
      CHECK_THROWS(run(world, execution(), communicator, 5), "method.max_iterations");
    });
}
