// Levels of patches: sets, nesting, transfers, dense output, moves between ranks; and waves on them: orders,
// reflection, the same bits for any ranks, patches, threads and strategies, through a checkpoint too. Ranks are
// threads.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "comm/single_process.hpp"
#include "comm/sums.hpp"
#include "driver/simulation.hpp"
#include "exchange/strategy.hpp"
#include "harness.hpp"
#include "patches/dense_output.hpp"
#include "patches/flags.hpp"
#include "patches/levels.hpp"
#include "patches/transfers.hpp"
#include "patches/units.hpp"
#include "solvers/amr/budget.hpp"
#include "solvers/amr/cut_cells.hpp"
#include "solvers/amr/state.hpp"
#include "solvers/amr/step.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace eddyline::patches;
using grid::IndexBox;

namespace {

constexpr std::array k_periodic{true, true, true};

Marks marks_where(const Units& units, int level, auto&& inside) {
  Marks marks(units.present(level).size(), 0);
  for_each_cell(units.whole(level), [&](Int3 unit) { marks[units.index(level, unit)] = inside(unit) ? 1 : 0; });
  return marks;
}

}  // namespace

TEST(patches_are_disjoint_and_cover_the_marks) {
  const Units units({32, 48, 1}, 2, 4, 1, k_periodic);
  const Marks marks = marks_where(units, 0, [](Int3 u) { return (u[0] * 7 + u[1] * 3) % 5 != 0; });
  std::int64_t marked = 0;
  for (const auto mark : marks) marked += mark;
  for (const std::int32_t edge : {1, 4, 9, 32, 100}) {
    PatchSet set(Tiling({32, 48, 1}, 2, 4, 0), 2, k_periodic, marks, edge, 1);
    CHECK(set.cells() == 16 * marked);
    set.assign(3);
    std::int64_t found = 0, missing = 0;
    const IndexBox around = set.domain().grown(5, 2);
    std::vector<int> visits(static_cast<std::size_t>(around.cells()), 0);
    set.for_each_piece(around, [&](std::int32_t patch, const IndexBox& cells, const Int3& shift) {
      (patch < 0 ? missing : found) += cells.cells();
      for_each_cell(cells, [&](Int3 cell) {
        ++visits[static_cast<std::size_t>(around.index(cell))];
        Int3 at;
        for (std::size_t d = 0; d < 3; ++d) at[d] = cell[d] - shift[d];
        CHECK(set.patch_with(at) == patch);
        if (patch >= 0) CHECK(set.box(static_cast<std::size_t>(patch)).contains(at));
      });
    });
    CHECK(found + missing == around.cells());
    for (const int count : visits) CHECK(count == 1);
    for (std::size_t k = 0; k < set.size(); ++k)
      for (std::size_t d = 0; d < 2; ++d) CHECK(set.box(k).count(d) <= std::max(edge, 4));
  }
}

TEST(sides_that_are_not_periodic_have_no_neighbours) {
  const PatchSet set(Tiling({16, 16, 1}, 2, 8, 0), 2, {false, true, true});
  std::int64_t cells = 0;
  set.for_each_piece(set.domain().grown(2, 2), [&](std::int32_t, const IndexBox& piece, const Int3& shift) {
    cells += piece.cells();
    CHECK(shift[0] == 0);
  });
  CHECK(cells == 16 * 20);
}

TEST(finer_levels_lie_within_coarser_ones) {
  for (const int dimensions : {2, 3}) {
    Units units({32, 32, dimensions == 3 ? 32 : 1}, dimensions, 4, 4, k_periodic);
    std::vector<Marks> wanted(4);
    wanted[2] = marks_where(units, 2, [](Int3 u) { return u[0] == 0 && u[1] == 31; });
    constexpr std::int32_t k_margin = 4;
    CHECK(units.refine(wanted, k_margin));
    CHECK(!units.refine(wanted, k_margin));
    for (int level = 1; level < 3; ++level)
      for_each_cell(units.whole(level), [&](Int3 unit) {
        if (!units.is_refined(level, unit)) return;
        for_each_cell(units.cells_of(unit).grown(k_margin, dimensions), [&](Int3 cell) {
          for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d)
            cell[d] = (cell[d] + units.cells(level)[d]) % units.cells(level)[d];
          CHECK(units.present(level)[units.index(level, units.unit_of(cell))] != 0);
        });
      });
    // The units that no finer level covers make up the domain.
    const Composite composite(units);
    double volume = 0;
    for (const Composite::Unit& unit : composite.units()) volume += std::pow(0.5, unit.level * dimensions);
    CHECK_NEAR(volume, std::pow(8, dimensions), 1e-12);
    for (std::size_t k = 0; k < composite.units().size(); ++k)
      CHECK(composite.number(units, composite.units()[k].level, composite.units()[k].place) ==
            static_cast<std::int64_t>(k));
  }
}

TEST(polynomials_pass_between_levels_exactly) {
  Transfer::Scratch scratch;
  for (const int dimensions : {2, 3})
    for (const std::int32_t reach : {2, 3}) {
      const Transfer transfer(Meaning::point, reach, dimensions);
      const std::int32_t deep = dimensions == 3 ? 5 : 1;
      const IndexBox fine{{-3, 2, 0}, {4, 9, deep}};
      std::vector<double> found(static_cast<std::size_t>(fine.cells()));
      const auto z = [&](IndexBox box) {  // two dimensions: all at the same z
        if (dimensions == 2) box.lower[2] = 0, box.upper[2] = 1;
        return box;
      };
      const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
        double most = 0;
        for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
        return most;
      };
      const auto flat = [&](const IndexBox& box, double dx) {
        std::vector<double> values;
        for_each_cell(box, [&](Int3 cell) {
          const double x = (cell[0] + 0.5) * dx, y = (cell[1] + 0.5) * dx,
                       depth = dimensions == 3 ? (cell[2] + 0.5) * dx : 0.0;
          values.push_back(1 + x * x * x - 2 * x * y * y + 0.5 * y * y * depth - depth * depth);
        });
        return values;
      };
      const IndexBox below = z(transfer.needed(fine)), wider = below.grown(1, dimensions);
      transfer.prolong(flat(below, 0.2).data(), below, fine, found.data(), scratch);
      CHECK(same(found, flat(fine, 0.1)) < 1e-13);
      std::vector<double> again(found.size());
      transfer.prolong(flat(wider, 0.2).data(), wider, fine, again.data(), scratch);
      CHECK(again == found);
      const IndexBox coarse{{-1, 0, 0}, {3, 4, dimensions == 3 ? 2 : 1}};
      const IndexBox around = refined(coarse, dimensions).grown(3, dimensions);
      std::vector<double> back(static_cast<std::size_t>(coarse.cells()));
      transfer.restrict(flat(around, 0.1).data(), around, coarse, back.data(), scratch);
      CHECK(same(back, flat(coarse, 0.2)) < 1e-13);
    }
}

TEST(averages_are_conserved_between_levels) {
  Transfer::Scratch scratch;
  for (const int dimensions : {2, 3}) {
    const Transfer transfer(Meaning::average, 1, dimensions);
    const IndexBox coarse{{0, 0, 0}, {4, 4, dimensions == 3 ? 4 : 1}}, fine = refined(coarse, dimensions),
                                                                       needed = transfer.needed(fine);
    std::vector<double> values;
    for_each_cell(needed, [&](Int3 cell) { values.push_back(std::sin(3.0 * cell[0] + 2.0 * cell[1]) + cell[2]); });
    std::vector<double> found(static_cast<std::size_t>(fine.cells())), back(static_cast<std::size_t>(coarse.cells()));
    transfer.prolong(values.data(), needed, fine, found.data(), scratch);
    transfer.restrict(found.data(), fine, coarse, back.data(), scratch);
    std::size_t k = 0;
    for_each_cell(
        coarse, [&](Int3 cell) { CHECK_NEAR(back[k++], values[static_cast<std::size_t>(needed.index(cell))], 1e-14); });
  }
}

TEST(stages_are_a_dense_output) {
  // y' = i y: the states of a coarse step give the stages of both halves of it.
  using Complex = std::complex<double>;
  const auto stages = [](Complex y, double h) {
    const Complex f{0, 1};
    const Complex y2 = y + h / 2 * f * y, y3 = y + h / 2 * f * y2, y4 = y + h * f * y3;
    return std::array<Complex, 5>{y, y2, y3, y4, ((y2 - y) + 2.0 * y3 + y4) / 3.0 + h / 6 * f * y4};
  };
  double last = 0;
  for (const double h : {0.2, 0.1}) {
    const auto coarse = stages(1, h), first = stages(1, h / 2), other = stages(first[4], h / 2);
    double most = 0;
    for (int substep = 0; substep < 2; ++substep)
      for (int stage = 0; stage < 4; ++stage) {
        const StateWeights weights = weights_of_stage(substep, stage);
        Complex sum = 0;
        double all = 0;
        for (std::size_t k = 0; k < k_states; ++k) sum += weights[k] * coarse[k], all += weights[k];
        CHECK_NEAR(all, 1, 1e-15);
        most = std::max(most, std::abs(sum - (substep == 0 ? first : other)[static_cast<std::size_t>(stage)]));
      }
    if (last > 0) CHECK(std::log2(last / most) > 3.9);
    last = most;
  }
  CHECK((weights_of_stage(0, 0) == StateWeights{1, 0, 0, 0, 0}));
}

TEST(fields_move_with_their_patches) {
  // A field that prolongation reproduces, apart from the jump at the period; refinement wanders around.
  const auto run = [](comm::Communicator& c, std::int32_t patch) {
    Levels::Setup setup;
    setup.cells = {32, 32, 1}, setup.levels = 3, setup.unit = 4, setup.patch = patch;
    setup.fields = {{Meaning::point, true}, {Meaning::point, false}};
    Levels levels(setup, c);
    const auto value = [&](int level, Int3 cell, std::size_t field) {
      const double dx = std::pow(0.5, level), x = (cell[0] + 0.5) * dx - 16, y = (cell[1] + 0.5) * dx - 16;
      return field == 0 ? x * x * y : 2 - y * y;
    };
    const auto for_each = [&](auto&& visit) {
      for (int l = 0; l < levels.size(); ++l)
        for (const Layout::Patch& each : levels[l].layout.patches())
          for_each_cell(each.cells, [&](Int3 cell) {
            for (std::size_t f = 0; f < 2; ++f)
              visit(l, cell, f, levels[l].fields(begin)[f].data()[each.first + each.cells.index(cell)]);
          });
    };
    for_each([&](int l, Int3 cell, std::size_t f, double& number) { number = value(l, cell, f); });
    for (const std::int32_t at : {2, 3, 5, 2}) {
      std::vector<Marks> wanted(3);
      for (int l = 0; l < 2; ++l)
        wanted[static_cast<std::size_t>(l)] = marks_where(levels.units(), l, [&](Int3 u) {
          const std::int32_t centre = (at << l) + l;
          return std::abs(u[0] - centre) <= 1 && std::abs(u[1] - centre) <= 1;
        });
      CHECK(levels.refine(levels.planned(wanted), 0));
      CHECK(levels.size() == 3);
      for_each([&](int l, Int3 cell, std::size_t f, double& number) {
        CHECK_NEAR(number, value(l, cell, f), 1e-10);
        if (l > 0) number = value(l, cell, f);
      });
      // Ghosts, from the same level and from the coarser one
      levels.gather(0, true);
      for (int l = 1; l < 3; ++l) {
        std::vector<double> u(levels[l].layout.scratch_size()), p(u.size());
        const std::array<double*, 2> scratch{u.data(), p.data()};
        for (const Layout::Patch& each : levels[l].layout.patches()) {
          levels.read(l, each, 0, scratch);
          const IndexBox grown = levels[l].layout.grown(each);
          for_each_cell(grown, [&](Int3 cell) {
            for (std::size_t f = 0; f < 2; ++f) CHECK_NEAR(scratch[f][grown.index(cell)], value(l, cell, f), 1e-10);
          });
        }
      }
    }
  };
  for (int ranks = 1; ranks <= 3; ++ranks)
    for (const std::int32_t patch : {4, 32}) fixture::on_ranks(ranks, [&](comm::Communicator& c) { run(c, patch); });
}

TEST(flags_reach_around_and_are_kept) {
  const auto alone = comm::single_process();
  Units units({16, 16, 1}, 2, 4, 2, k_periodic);
  const auto marks_for = [&](Int3 cell, double value) {
    Flags flags(units);
    const IndexBox all{{0, 0, 0}, {16, 16, 1}};
    std::vector<double> values(256, 0);
    values[static_cast<std::size_t>(all.index(cell))] = value;
    flags.add(0, all, values.data(), 2);
    return flags.marks(*alone);
  };
  const auto marked = [&](const std::vector<Marks>& marks) {
    std::vector<Int3> found;
    for_each_cell(units.whole(0), [&](Int3 unit) {
      if (marks[0][units.index(0, unit)] != 0) found.push_back(unit);
    });
    return found;
  };
  CHECK((marked(marks_for({5, 6, 0}, 2)) == std::vector<Int3>{{0, 1, 0}, {1, 1, 0}, {0, 2, 0}, {1, 2, 0}}));
  CHECK((marked(marks_for({0, 2, 0}, 2)) == std::vector<Int3>{{0, 0, 0}, {3, 0, 0}, {0, 1, 0}, {3, 1, 0}}));
  CHECK(marked(marks_for({5, 6, 0}, 0.5)).empty());
  units.refine(marks_for({5, 6, 0}, 2), 4);
  CHECK((marked(marks_for({5, 6, 0}, 0.5)) == std::vector<Int3>{{1, 1, 0}}));
  CHECK(marked(marks_for({5, 6, 0}, 0.1)).empty());
}

namespace {

/// A standing wave or a pulse in a periodic box of edge 4 with refined levels; `edge`: of the finest cells.
world::World wave(int dimensions, double edge, std::int64_t order, std::int64_t levels, const std::string& u) {
  world::World w;
  w.solver = "amr";
  w.dimensions = dimensions;
  w.origin = {-2, -2, dimensions == 3 ? -2.0 : 0.0};
  w.size = {4, 4, dimensions == 3 ? 4.0 : 0.0};
  w.spacing = edge;
  for (auto& side : w.sides) side.kind = world::SideKind::periodic;
  w.options["order"] = order, w.options["levels"] = levels, w.options["unit"] = std::int64_t{4};
  w.fields.emplace("u", world::Formula(u, world::k_field_variables));
  return w;
}

/// Advances to a time with a whole number of steps of at most `cfl`. Error: root of the mean square of u - exact over
/// uncovered cells.
double error_at(world::World w, double cfl, double end, auto&& exact) {
  const double coarse = w.spacing * std::pow(2, std::get<std::int64_t>(w.options["levels"]) - 1);
  const double steps = std::ceil(end / (cfl * coarse / std::sqrt(w.dimensions)));
  w.options["cfl"] = end / steps * std::sqrt(w.dimensions) / coarse;
  const auto alone = comm::single_process();
  amr::State state(w, {}, *alone);
  amr::Step step(state);
  for (int k = 0; k < static_cast<int>(steps); ++k) step.advance(false);
  CHECK_NEAR(state.time, end, 1e-12);
  CHECK(state.levels().size() == static_cast<int>(std::get<std::int64_t>(w.options["levels"])));
  double sum = 0, volume = 0;
  for (const amr::State::Patch& patch : state.patches()) {
    const double* u = state.values_of(patch, begin)[0];
    const double share = std::pow(state.spacing(patch.level), w.dimensions);
    for_each_cell(patch.cells(), [&](Int3 cell) {
      const double found = *u++;
      if (state.levels().is_covered(patch.level, cell)) return;
      sum += share * std::pow(found - exact(state.centre(patch.level, cell), end), 2), volume += share;
    });
  }
  CHECK_NEAR(volume, std::pow(4, w.dimensions), 1e-9);
  return std::sqrt(sum / volume);
}

double standing(const Vec3& x, double t) {
  constexpr double k = std::numbers::pi;
  return std::cos(k * x.x) * std::cos(k * x.y) * std::cos(k * std::numbers::sqrt2 * t);
}

solver::Execution execution_of(const std::string& strategy, int threads) {
  solver::Execution execution;
  execution.exchange = strategy;
  execution.threads = threads;
  return execution;
}

/// A pulse that refined patches follow.
world::World moving(int dimensions) {
  world::World w = wave(dimensions, 4.0 / (dimensions == 2 ? 128 : 64), 4, dimensions == 2 ? 3 : 2,
                        dimensions == 2 ? "exp(-20*((x+0.3)^2+y^2))" : "exp(-12*((x+0.3)^2+y^2+z^2))");
  w.options["tolerance"] = dimensions == 2 ? 0.01 : 0.05;
  return w;
}

constexpr int k_steps = 8;

solver::Checksum checksum_after(const world::World& w, const solver::Execution& execution, comm::Communicator& c) {
  driver::Simulation simulation(w, execution, 0.05, c);
  simulation.advance(1e9, k_steps, 1e9);
  const solver::Checksum sum = simulation.checksum();
  simulation.end();
  return sum;
}

solver::Checksum reference(const world::World& w) {
  const auto alone = comm::single_process();
  return checksum_after(w, execution_of("nonblocking", 1), *alone);
}

}  // namespace

TEST(orders_hold_across_levels) {
  for (const std::int64_t levels : {2, 3})
    for (const auto& [order, least] : {std::pair{2, 1.95}, {4, 3.85}, {6, 4.7}}) {
      double last = 0;
      for (const int cells : {32, 64}) {  // of level 0
        world::World w = wave(2, 4.0 / cells / std::pow(2, levels - 1), order, levels, "cos(pi*x)*cos(pi*y)");
        w.options["refine"] = std::string("abs(x) < if(level == 0, 1, 0.4) and abs(y) < if(level == 0, 1, 0.4)");
        const double error = error_at(w, order == 6 ? 0.2 : 0.4, 0.6, standing);  // the method in time has order 4
        if (last > 0) CHECK(std::log2(last / error) > least);
        last = error;
      }
    }
}

TEST(little_is_reflected_at_the_edge_of_a_level) {
  // A packet of waves, 16 coarse cells long each, enters and leaves a refined half of a channel.
  for (const auto& [order, most] : {std::pair{2, 1.2e-2}, {4, 6e-4}, {6, 6e-5}})
    for (const int direction : {1, -1}) {
      world::World w = wave(2, 1.0 / 64, order, 2, "0");
      w.origin = {-2, 0, 0}, w.size = {4, 0.25, 0};
      w.options["refine"] = std::string("x > 0");
      w.options["cfl"] = 0.4 * std::numbers::sqrt2;
      const std::string x = direction > 0 ? "(x+1)" : "(x-1)", k = "4*pi", wave = "exp(-(" + x + "/0.3)^2)";
      w.fields.clear();
      w.fields.emplace("u", world::Formula(wave + "*cos(" + k + "*" + x + ")", world::k_field_variables));
      const std::string rate = "(2*" + x + "/0.09*cos(" + k + "*" + x + ")+" + k + "*sin(" + k + "*" + x + "))";
      w.fields.emplace("p", world::Formula((direction > 0 ? "" : "-") + wave + "*" + rate, world::k_field_variables));
      const auto alone = comm::single_process();
      amr::State state(w, {}, *alone);
      amr::Step step(state);
      while (state.time < 2) step.advance(false);
      double reflected = 0;
      for (const amr::State::Patch& patch : state.patches()) {
        const double* u = state.values_of(patch, begin)[0];
        for_each_cell(patch.cells(), [&](Int3 cell) {
          const double at = -direction * state.centre(patch.level, cell).x, found = std::abs(*u++);
          if (at > 0.5 && at < 1.5 && !state.levels().is_covered(patch.level, cell))
            reflected = std::max(reflected, found);
        });
      }
      CHECK(reflected < most);
    }
}

TEST(a_moving_refinement_has_the_same_bits_everywhere) {
  const std::vector<std::string> names = exchange::strategy_names();
  for (const int dimensions : {2, 3}) {
    world::World w = moving(dimensions);
    const solver::Checksum expected = reference(w);
    std::size_t way = 0;
    std::vector<std::pair<int, int>> ways{{1, 8}, {2, 16}, {3, 8}, {4, 32}, {2, 64}, {3, 4}};  // ranks, patches
    if (dimensions == 3) ways.resize(3);
    for (const auto& [ranks, patch] : ways) {
      w.options["patch"] = std::int64_t{patch};
      const std::string& name = names[way++ % names.size()];
      fixture::on_ranks(ranks, [&, ranks = ranks](comm::Communicator& c) {
        CHECK(checksum_after(w, execution_of(name, ranks == 1 ? 2 : 1), c) == expected);
      });
    }
    // Ghosts that travel in parcels: more and fewer patches than parcels, one thread and two.
    for (const auto& [ranks, patch] : {std::pair{2, 4}, {3, 32}}) {
      w.options["patch"] = std::int64_t{patch};
      fixture::on_ranks(ranks, [&, ranks = ranks](comm::Communicator& c) {
        CHECK(checksum_after(w, execution_of("threaded", ranks - 1), c) == expected);
      });
    }
  }
}

TEST(refinement_follows_the_wave) {
  const auto alone = comm::single_process();
  amr::State state(moving(2), {}, *alone);
  amr::Step step(state);
  const std::int64_t first = state.levels().changes();
  CHECK(state.levels().size() == 3);
  const auto has_level = [&](double x, double y, int level) {
    const double dx = state.spacing(level);
    return state.levels()[level].layout.set().patch_with(
               {static_cast<std::int32_t>((x + 2) / dx), static_cast<std::int32_t>((y + 2) / dx), 0}) >= 0;
  };
  CHECK(has_level(-0.3, 0, 2));
  CHECK(!has_level(1.5, 1.5, 1));
  while (state.time < 1) step.advance(false);
  CHECK(state.levels().changes() > first);
  CHECK(!has_level(-0.3, 0, 2));
  CHECK(has_level(-0.3, 1, 2));
}

TEST(a_run_with_levels_continues_on_any_number_of_ranks) {
  world::World w = moving(2);
  const solver::Checksum expected = reference(w);
  for (const auto& [before, after] : {std::pair{1, 3}, {3, 2}}) {
    std::vector<std::vector<std::byte>> parts(static_cast<std::size_t>(before));
    w.options["patch"] = std::int64_t{8};
    fixture::on_ranks(before, [&](comm::Communicator& c) {
      driver::Simulation simulation(w, execution_of("nonblocking", 1), 0.05, c);
      simulation.advance(1e9, k_steps / 2 + 1, 1e9);
      parts[static_cast<std::size_t>(c.rank())] = simulation.part();
      simulation.end();
    });
    w.options["patch"] = std::int64_t{32};
    fixture::on_ranks(after, [&](comm::Communicator& c) {
      driver::Simulation simulation(w, execution_of("nonblocking", 1), 0.05, c);
      std::size_t next = 0;
      simulation.restore([&] { return next < parts.size() ? parts[next++] : std::vector<std::byte>{}; });
      simulation.advance(1e9, k_steps, 1e9);
      CHECK(simulation.checksum() == expected);
      simulation.end();
    });
  }
}

TEST(a_bad_step_on_levels_names_cell_and_level) {
  world::World w = moving(2);
  w.options["cfl"] = 1.7;
  fixture::on_ranks(2, [&](comm::Communicator& c) {
    driver::Simulation simulation(w, execution_of("nonblocking", 1), 1e9, c);
    CHECK_THROWS(simulation.advance(1e9, 100000, 1e9), "of level");
  });
}

TEST(options_of_levels_are_checked) {
  const auto alone = comm::single_process();
  const auto made = [&](const std::string& name, const world::OptionValue& value) {
    world::World w = moving(2);
    w.options[name] = value;
    amr::State state(w, {}, *alone);
  };
  CHECK_THROWS(made("unit", std::int64_t{5}), "must be 4 or 8");
  CHECK_THROWS(made("levels", std::int64_t{0}), "method.levels");
  CHECK_THROWS(made("levels", std::int64_t{7}), "method.unit");
  CHECK_THROWS(made("tolerance", 0.0), "needs method.tolerance");
  CHECK_THROWS(made("refine", std::string("x <")), "method.refine");
  CHECK_THROWS(made("refine", std::string("vorticity > 3")), "unknown name");
  CHECK_THROWS(made("regrid_every", std::int64_t{0}), "regrid_every");
}

TEST(means_are_conserved_across_levels) {
  for (const int dimensions : {2, 3}) {
    world::World w = wave(dimensions, 4.0 / (dimensions == 2 ? 128 : 64), 4, dimensions == 2 ? 3 : 2,
                          "1 + 0.5*exp(-4*(x^2 + y^2 + z^2))");
    w.options.erase("order");
    w.options["equations"] = std::string("burgers");
    w.options["tolerance"] = 0.002;
    std::vector<double> totals;
    const auto run = [&](comm::Communicator& c) {
      amr::State state(w, {}, c);
      amr::Step step(state);
      amr::Budget budget(state);
      std::vector<double> found;
      for (int k = 0; k < 6; ++k) {
        comm::Sums sums;
        std::vector<double> row;
        budget.add(sums);
        sums.add_up(c);
        budget.read(sums, row);
        found.push_back(row.at(1));
        for (int n = 0; n < 2; ++n) step.advance(false);
      }
      CHECK(state.levels().size() == (dimensions == 2 ? 3 : 2));
      CHECK(state.levels().changes() > 1);
      if (c.is_root()) totals = found;
    };
    for (const int ranks : {1, 2}) {
      const std::vector<double> before = totals;
      w.options["patch"] = std::int64_t{ranks == 1 ? 32 : 8};
      fixture::on_ranks(ranks, run);
      for (const double total : totals) CHECK_NEAR(total / totals.front(), 1, 1e-14);
      if (ranks > 1) CHECK(totals == before);
    }
  }
}

TEST(parts_of_cells_beside_planes_are_their_volumes) {
  CHECK_NEAR(amr::open_edge(1, -3), 0.25, 1e-15);
  CHECK_NEAR(amr::open_edge(-1, -3), 0, 0);
  // x > 1/4, and the corner x + y < 1/2
  CHECK_NEAR(amr::open_square({-0.25, 0.75, -0.25, 0.75}), 0.75, 1e-15);
  CHECK_NEAR(amr::open_square({0.5, -0.5, -0.5, -1.5}), 0.125, 1e-15);
  std::array<double, 8> tilted{}, corner{};
  for (std::size_t k = 0; k < 8; ++k) {
    const auto x = static_cast<double>(k & 1), y = static_cast<double>(k >> 1 & 1), z = static_cast<double>(k >> 2);
    tilted[k] = 0.2 * x + 0.3 * y + z - 0.6;  // mean height of the plane: 0.35
    corner[k] = 1 - x - y - z;
  }
  CHECK_NEAR(amr::open_cube(tilted), 0.65, 2e-3);
  CHECK_NEAR(amr::open_cube(corner), 1.0 / 6, 1e-12);
}
