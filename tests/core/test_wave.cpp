// The wave equation on patches: exactness, energy, and the same bits for any ranks, patches, threads, strategies and
// instruction sets, through a checkpoint too. Ranks are threads.
#include <omp.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "base/instructions.hpp"
#include "comm/single_process.hpp"
#include "comm/sums.hpp"
#include "driver/simulation.hpp"
#include "exchange/strategy.hpp"
#include "harness.hpp"
#include "solvers/amr/budget.hpp"
#include "solvers/amr/sampler.hpp"
#include "solvers/amr/state.hpp"
#include "solvers/amr/step.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;

namespace {

/// A Gaussian pulse of width 1/2 at rest in a periodic box of edge 4.
world::World pulse(int dimensions, int cells, std::int64_t order) {
  world::World w;
  w.solver = "amr";
  w.dimensions = dimensions;
  w.origin = {-2, -2, dimensions == 3 ? -2.0 : 0.0};
  w.size = {4, 4, dimensions == 3 ? 4.0 : 0.0};
  w.spacing = 4.0 / cells;
  for (auto& side : w.sides) side.kind = world::SideKind::periodic;
  w.options["order"] = order;
  const std::string r2 = dimensions == 3 ? "x^2+y^2+z^2" : "x^2+y^2";
  w.fields.emplace("u", world::Formula("exp(-4*(" + r2 + "))", world::k_field_variables));
  w.fields.emplace("p", world::Formula("0.3*sin(pi*x/2)*cos(pi*y)", world::k_field_variables));
  return w;
}

/// The exact solution of the pulse alone in 3D, with its periodic images.
/// Source: d'Alembert's solution for r u.
double exact(const Vec3& x, double t) {
  double sum = 0;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j)
      for (int k = -1; k <= 1; ++k) {
        const double r = std::max(1e-9, norm(x + Vec3{4.0 * i, 4.0 * j, 4.0 * k}));
        const auto half = [&](double s) { return s * std::exp(-4 * s * s); };
        sum += (half(r - t) + half(r + t)) / (2 * r);
      }
  return sum;
}

/// Root of the mean square error at t = 1.25 with steps of 0.4 dx/sqrt(3), rounded to whole steps.
double error_of_pulse(int cells, std::int64_t order) {
  world::World w = pulse(3, cells, order);
  w.fields.erase("p");
  const double steps = std::ceil(1.25 / (0.4 * w.spacing / std::numbers::sqrt3));
  w.options["cfl"] = 1.25 / steps * std::numbers::sqrt3 / w.spacing;
  const auto alone = comm::single_process();
  amr::State state(w, {}, *alone);
  amr::Step step(state);
  for (int k = 0; k < static_cast<int>(steps); ++k) step.advance(false);
  CHECK_NEAR(state.time, 1.25, 1e-12);
  double sum = 0;
  for (const auto& patch : state.levels()[0].layout.patches())
    for_each_cell(patch.cells, [&](Int3 cell) {
      const double u =
          state.levels()[0].fields(patches::begin)[0][static_cast<std::size_t>(patch.first + patch.cells.index(cell))];
      sum += std::pow(u - exact(state.centre(0, cell), state.time), 2);
    });
  return std::sqrt(sum / std::pow(cells, 3));
}

solver::Execution execution_of(const std::string& strategy = "nonblocking", int boxes = 1,
                               const std::string& instructions = "auto") {
  solver::Execution execution;
  execution.exchange = strategy;
  execution.boxes = boxes;
  execution.instructions = instructions;
  execution.threads = 1;
  return execution;
}

constexpr int k_steps = 12;

solver::Checksum checksum_after(const world::World& w, const solver::Execution& execution, comm::Communicator& c) {
  driver::Simulation simulation(w, execution, 0.05, c);
  simulation.advance(1e9, k_steps, 1e9);
  const solver::Checksum sum = simulation.checksum();
  simulation.end();
  return sum;
}

solver::Checksum reference(const world::World& w) {
  const auto alone = comm::single_process();
  return checksum_after(w, execution_of(), *alone);
}

}  // namespace

TEST(errors_of_a_pulse_are_those_of_the_scheme) {
  // What the symbols of the differences and of Runge-Kutta give for each Fourier mode.
  CHECK_NEAR(error_of_pulse(32, 2), 1.7779e-3, 1e-6);
  CHECK_NEAR(error_of_pulse(32, 4), 1.1542e-4, 1e-7);
  CHECK_NEAR(error_of_pulse(32, 6), 1.3443e-5, 1e-8);
  CHECK_NEAR(error_of_pulse(64, 4), 7.5523e-6, 1e-8);
}

TEST(energy_of_a_pulse_stays) {
  for (const std::int64_t order : {2, 4, 6}) {
    const auto alone = comm::single_process();
    amr::State state(pulse(2, 32, order), {}, *alone);
    amr::Step step(state);
    amr::Budget budget(state);
    const auto energy = [&] {
      comm::Sums sums;
      std::vector<double> row;
      budget.add(sums);
      budget.read(sums, row);
      return row.at(1);
    };
    const double first = energy();
    for (int k = 0; k < 200; ++k) step.advance(false);
    CHECK_NEAR(energy() / first, 1, 2e-4);
  }
}

TEST(a_polynomial_is_sampled_exactly) {
  world::World w = pulse(3, 16, 4);
  w.fields.clear();
  w.fields.emplace("u", world::Formula("x^3 - 2*x*y*z + y^2 - z^3", world::k_field_variables));
  w.fields.emplace("p", world::Formula("1 + x*y", world::k_field_variables));
  const auto alone = comm::single_process();
  amr::State state(w, {}, *alone);
  amr::Sampler sampler(state);
  const std::vector<Vec3> points{{0, 0, 0}, {0.31, -0.77, 1.02}, {-1.1, 0.5, 0.123}, {9, 0, 0}};
  const std::vector<double> values = sampler.at(points);
  for (std::size_t n = 0; n < 3; ++n) {
    const Vec3 x = points[n];
    CHECK_NEAR(values[2 * n], x.x * x.x * x.x - 2 * x.x * x.y * x.z + x.y * x.y - x.z * x.z * x.z, 1e-13);
    CHECK_NEAR(values[2 * n + 1], 1 + x.x * x.y, 1e-13);
  }
  CHECK(std::isnan(values[6]));
}

TEST(patches_ranks_and_strategies_change_no_bit) {
  for (const int dimensions : {2, 3})
    for (const std::int64_t order : {2, 4, 6}) {
      world::World w = pulse(dimensions, 18, order);
      const solver::Checksum expected = reference(w);
      const std::vector<std::string> names = exchange::strategy_names();
      for (int ranks = 1; ranks <= 4; ++ranks)
        for (const std::int64_t patch : {5, 8, 64}) {
          const auto way = static_cast<std::size_t>(ranks + patch + order);
          w.options["patch"] = patch;
          fixture::on_ranks(ranks, [&](comm::Communicator& c) {
            CHECK(checksum_after(w, execution_of(names[way % names.size()], 1 + static_cast<int>(patch % 3)), c) ==
                  expected);
          });
        }
    }
}

TEST(instruction_sets_and_threads_change_no_bit) {
  for (const std::int64_t order : {2, 4, 6}) {
    const world::World w = pulse(3, 13, order);
    const solver::Checksum expected = reference(w);
    for (const std::string& instructions : instruction_sets()) {
      const auto alone = comm::single_process();
      solver::Execution execution = execution_of("nonblocking", 4, instructions);
      execution.threads = 2;
      CHECK(checksum_after(w, execution, *alone) == expected);
    }
  }
}

TEST(a_run_continues_on_any_number_of_ranks) {
  world::World w = pulse(3, 12, 4);
  const solver::Checksum expected = reference(w);
  for (const auto& [before, after] : {std::pair{1, 3}, {3, 2}, {4, 1}}) {
    std::vector<std::vector<std::byte>> parts(static_cast<std::size_t>(before));
    w.options["patch"] = std::int64_t{5};
    fixture::on_ranks(before, [&](comm::Communicator& c) {
      driver::Simulation simulation(w, execution_of(), 0.05, c);
      simulation.advance(1e9, k_steps / 2, 1e9);
      parts[static_cast<std::size_t>(c.rank())] = simulation.part();
      simulation.end();
    });
    w.options["patch"] = std::int64_t{7};
    fixture::on_ranks(after, [&](comm::Communicator& c) {
      driver::Simulation simulation(w, execution_of(), 0.05, c);
      std::size_t next = 0;
      simulation.restore([&] { return next < parts.size() ? parts[next++] : std::vector<std::byte>{}; });
      simulation.advance(1e9, k_steps, 1e9);
      CHECK(simulation.checksum() == expected);
      simulation.end();
    });
  }
}

TEST(a_step_that_goes_bad_names_the_cell) {
  world::World w = pulse(2, 16, 4);
  w.options["cfl"] = 1.7;  // beyond the limit of 1.22
  const auto run = [&](int ranks) {
    fixture::on_ranks(ranks, [&](comm::Communicator& c) {
      driver::Simulation simulation(w, execution_of(), 1e9, c);
      simulation.advance(1e9, 100000, 1e9);
    });
  };
  CHECK_THROWS(run(1), "which is not finite");
  CHECK_THROWS(run(3), "which is not finite");
}

TEST(options_are_read_by_one_table) {
  const auto alone = comm::single_process();
  const auto made = [&](const std::string& name, const world::OptionValue& value) {
    world::World w = pulse(2, 8, 4);
    w.options[name] = value;
    return driver::Simulation(w, execution_of(), 1, *alone).communicator().rank();
  };
  CHECK(made("wave_speed", std::int64_t{2}) == 0);
  CHECK_THROWS(made("ordr", std::int64_t{4}), "method.ordr");
  CHECK_THROWS(made("order", 4.5), "method.order");
  CHECK_THROWS(made("order", std::int64_t{5}), "must be 2, 4 or 6");
  CHECK_THROWS(made("equations", std::string("maxwell")), "must be one of \"wave\"");
}
