// The solver on body-fitted blocks: exact and published flows, and the same bits for any cuts, ranks and threads.
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/errors.hpp"
#include "comm/single_process.hpp"
#include "driver/simulation.hpp"
#include "harness.hpp"
#include "meshes.hpp"
#include "physics/artificial_compressibility/terms.hpp"
#include "small_worlds.hpp"
#include "solver/execution.hpp"
#include "solvers/multiblock/division.hpp"
#include "solvers/multiblock/gas_state.hpp"
#include "solvers/multiblock/pieces.hpp"
#include "thread_ranks.hpp"

using namespace eddyline;
using namespace fixture;
using driver::Simulation;

namespace {

constexpr double k_pi = std::numbers::pi;
constexpr double k_for_ever = 1e30;

/// Sets one thread for tests without threads of their own.
const bool k_one_thread = (omp_set_num_threads(1), true);

solver::Execution execution(int boxes = 1, int threads = 1) {
  solver::Execution execution;
  execution.boxes = boxes;
  execution.threads = threads;
  return execution;
}

/// A world of the solver with the size of its mesh, no-slip sides and fluid at rest.
world::World on(std::shared_ptr<const world::Mesh> mesh, double viscosity) {
  world::World world;
  world.solver = "multiblock";
  world.size = {1, 1, 0};
  world.spacing = 0.05;
  world.mesh = std::move(mesh);
  world.fluid.density = 2;
  world.fluid.kinematic_viscosity = viscosity;
  return world;
}

void make_periodic(world::World& world) {
  for (std::size_t side = 0; side < 4; ++side) world.sides[side].kind = world::SideKind::periodic;
}

/// Eddies that a stream carries through a periodic box.
world::World eddies(std::shared_ptr<const world::Mesh> mesh, double time_step) {
  world::World world = on(std::move(mesh), 0.01);
  make_periodic(world);
  world.start.velocity = {formula("1 + sin(2*pi*x)*cos(2*pi*y)"), formula("-cos(2*pi*x)*sin(2*pi*y)"), formula("0")};
  world.options = {{"time_step", time_step}, {"inner_tolerance", 1e-4}, {"inner_cycles", std::int64_t{60}}};
  return world;
}

/// The channel with a cylinder at Reynolds number 20.
world::World channel_with_cylinder(int n) {
  world::World world = on(cylinder_in_channel(n), 1e-3);
  world.size = {2.2, 0.41, 0};
  world.fluid.density = 1;
  world::Opening left, right;
  left.name = "left", right.name = "right";
  left.velocity[0] = formula("1.2*y*(0.41 - y)/0.41^2");
  left.upper = {0, 0.41, 0};
  right.lower = {2.2, 0, 0}, right.upper = {2.2, 0.41, 0};
  right.inflow = false, right.inward = -1;
  world.openings = {left, right};
  world.sides[0].kind = world::SideKind::inflow;
  world.sides[1].kind = world::SideKind::outflow;
  world.bodies.push_back(
      {.name = "cylinder", .shape = world::make_circle({0.2, 0.2, 0}, 0.1), .slip = false, .motion = {}});
  world.start.velocity = left.velocity;
  world.options = {{"steady", true}, {"tolerance", 1e-7}};
  return world;
}

/// Last row of a series.
std::vector<double> last_row(std::vector<observe::Series> all, const std::string& name) {
  for (const observe::Series& series : all)
    if (series.name == name)
      return {series.values.end() - static_cast<std::ptrdiff_t>(series.columns.size()), series.values.end()};
  return {};
}

using Velocity = std::function<Vec3(Vec3)>;

/// Root mean square of the difference of the velocity from an exact one.
double error_of(const Simulation& simulation, const Velocity& exact) {
  const solver::FieldSets& fields = simulation.solver().fields();
  const auto position = std::get<solver::Doubles>(fields.field("cells", "position")),
             velocity = std::get<solver::Doubles>(fields.field("cells", "velocity"));
  double sum = 0;
  for (std::size_t i = 0; i < position.size; ++i) {
    const Vec3 u = exact({position.data[i], position.data[i + position.stride], 0});
    const double du = velocity.data[i] - u.x, dv = velocity.data[i + velocity.stride] - u.y;
    sum += du * du + dv * dv;
  }
  return std::sqrt(sum / static_cast<double>(position.size));
}

double error_of_eddies(std::shared_ptr<const world::Mesh> mesh, double time_step) {
  const auto alone = comm::single_process();
  Simulation simulation(eddies(std::move(mesh), time_step), execution(), 0, *alone);
  simulation.advance(0.2 - 1e-9, 1000, k_for_ever);
  const double t = simulation.solver().clock().time, decay = std::exp(-0.08 * k_pi * k_pi * t);
  return error_of(simulation, [&](Vec3 x) {
    return Vec3{1 + decay * std::sin(2 * k_pi * (x.x - t)) * std::cos(2 * k_pi * x.y),
                -decay * std::cos(2 * k_pi * (x.x - t)) * std::sin(2 * k_pi * x.y), 0};
  });
}

/// Makes the fluid of a world an ideal gas with density 1, whose sound travels at 1.18 m/s.
void make_gas(world::World& world) {
  world.fluid.matter = world::Matter::ideal_gas;
  world.fluid.density = 1;
  world.start.density = world.start.pressure = formula("1");
  world.start.pressure_start = world::PressureStart::formula;
}

/// A vortex of the same entropy everywhere that a stream carries through a periodic box.
double error_of_vortex(std::shared_ptr<const world::Mesh> mesh, double time_step, const std::string& dissipation) {
  const std::string near = "exp((1 - ((x - 0.4)^2 + (y - 0.5)^2)/0.01)/2)";
  const std::string theta = "(1 - 0.4/2.8*(0.3*" + near + ")^2)";
  world::World world = on(std::move(mesh), 0);
  make_periodic(world);
  make_gas(world);
  const auto field = [](const std::string& text) { return formula(text.c_str()); };
  world.start.velocity = {field("0.5 - 0.3*(y - 0.5)/0.1*" + near), field("0.3*(x - 0.4)/0.1*" + near), field("0")};
  world.start.density = field(theta + "^2.5");
  world.start.pressure = field(theta + "^3.5");
  world.options = {{"time_step", time_step},
                   {"inner_tolerance", 1e-3},
                   {"inner_cycles", std::int64_t{60}},
                   {"dissipation_kind", dissipation}};
  const auto alone = comm::single_process();
  Simulation simulation(world, execution(), 0, *alone);
  simulation.advance(0.2 - 1e-9, 1000, k_for_ever);
  const double t = simulation.solver().clock().time;
  return error_of(simulation, [&](Vec3 x) {
    const double dx = (x.x - 0.4 - 0.5 * t) / 0.1, dy = (x.y - 0.5) / 0.1;
    const double near_here = 0.3 * std::exp((1 - dx * dx - dy * dy) / 2);
    return Vec3{0.5 - near_here * dy, near_here * dx, 0};
  });
}

solver::Checksum checksum_of(const world::World& world, const solver::Execution& execution, std::int64_t steps) {
  const auto alone = comm::single_process();
  Simulation simulation(world, execution, 0, *alone);
  simulation.advance(k_for_ever, steps, k_for_ever);
  return simulation.checksum();
}

void refuse(const world::World& world, const std::string& part) {
  const auto alone = comm::single_process();
  CHECK_THROWS(Simulation(world, execution(), 0, *alone), part);
}

}  // namespace

TEST(a_uniform_stream_stays_uniform_on_skewed_and_turned_blocks) {
  world::World world = on(four_blocks(16, 0.4, true), 0.01);
  make_periodic(world);
  world.start.velocity = {formula("1"), formula("0.3"), formula("0")};
  world.options = {{"time_step", 0.05}};
  const auto alone = comm::single_process();
  Simulation simulation(world, execution(), 0, *alone);
  simulation.advance(k_for_ever, 3, k_for_ever);
  CHECK(error_of(simulation, [](Vec3) { return Vec3{1, 0.3, 0}; }) < 1e-13);
}

TEST(eddies_in_a_stream_converge_with_second_order) {
  const double coarse = error_of_eddies(square(16, 0, true), 0.02), fine = error_of_eddies(square(32, 0, true), 0.01);
  CHECK(coarse < 0.03);
  CHECK_NEAR(std::log2(coarse / fine), 2, 0.25);
}

TEST(eddies_in_a_stream_converge_on_skewed_and_turned_blocks) {
  const double coarse = error_of_eddies(four_blocks(16, 0.3, true), 0.02),
               fine = error_of_eddies(four_blocks(32, 0.6, true), 0.01);  // the same waves of the nodes
  CHECK(coarse < 0.035);
  CHECK(std::log2(coarse / fine) > 1.7);
}

TEST(blocks_and_their_orientation_change_rounding_only) {
  const auto alone = comm::single_process();
  Simulation one(eddies(square(16, 0.3, true), 0.02), execution(), 0, *alone),
      four(eddies(four_blocks(16, 0.3, true), 0.02), execution(), 0, *alone);
  for (Simulation* each : {&one, &four}) each->advance(k_for_ever, 5, k_for_ever);
  const std::vector<double> a = last_row(one.take_series(), "budget"), b = last_row(four.take_series(), "budget");
  CHECK(a.size() == 7);
  for (std::size_t k = 0; k < a.size(); ++k) CHECK_NEAR(b[k], a[k], 1e-6 * (1 + std::abs(a[k])));
}

TEST(eddies_in_space_converge_and_do_not_depend_on_cuts) {
  const auto run = [](int n, int boxes, double& error) {
    world::World world = on(cube(n), 0.01);
    world.dimensions = 3;
    world.size = {1, 1, 1};
    for (world::Side& side : world.sides) side.kind = world::SideKind::periodic;
    world.start.velocity = {formula("0.5"), formula("1 + sin(2*pi*y)*cos(2*pi*z)"),
                            formula("-cos(2*pi*y)*sin(2*pi*z)")};
    world.options = {{"time_step", 0.32 / n}};
    const auto alone = comm::single_process();
    Simulation simulation(world, execution(boxes), 0, *alone);
    simulation.advance(0.16 - 1e-9, 1000, k_for_ever);
    const double t = simulation.solver().clock().time, decay = std::exp(-0.08 * k_pi * k_pi * t);
    const auto& fields = simulation.solver().fields();
    const auto x = std::get<solver::Doubles>(fields.field("cells", "position")),
               u = std::get<solver::Doubles>(fields.field("cells", "velocity"));
    double sum = 0;
    for (std::size_t i = 0; i < x.size; ++i) {
      const double y = 2 * k_pi * (x.data[i + x.stride] - t), z = 2 * k_pi * x.data[i + 2 * x.stride];
      const double dv = u.data[i + u.stride] - 1 - decay * std::sin(y) * std::cos(z);
      const double dw = u.data[i + 2 * u.stride] + decay * std::cos(y) * std::sin(z);
      sum += dv * dv + dw * dw + (u.data[i] - 0.5) * (u.data[i] - 0.5);
    }
    error = std::sqrt(sum / static_cast<double>(x.size));
    return simulation.checksum();
  };
  double coarse = 0, fine = 0, cut = 0;
  const solver::Checksum whole = run(8, 1, coarse);
  run(16, 1, fine);
  CHECK_NEAR(std::log2(coarse / fine), 2, 0.3);
  CHECK(run(8, 4, cut) == whole);
}

TEST(a_stream_of_gas_stays_uniform_on_skewed_and_turned_blocks) {
  for (const std::string kind : {"scalar", "matrix"}) {
    world::World world = on(four_blocks(16, 0.4, true), 0.01);
    make_periodic(world);
    make_gas(world);
    world.fluid.sutherland = 1e-3;
    world.start.velocity = {formula("1"), formula("0.3"), formula("0")};
    world.options = {{"time_step", 0.05}, {"inner_cycles", std::int64_t{3}}, {"dissipation_kind", kind}};
    const auto alone = comm::single_process();
    Simulation simulation(world, execution(), 0, *alone);
    simulation.advance(k_for_ever, 3, k_for_ever);
    CHECK(error_of(simulation, [](Vec3) { return Vec3{1, 0.3, 0}; }) < 1e-13);
  }
}

TEST(a_vortex_in_a_gas_converges_with_second_order) {
  const double coarse = error_of_vortex(square(32, 0, true), 0.02, "scalar"),
               fine = error_of_vortex(square(64, 0, true), 0.01, "scalar");
  CHECK(fine < 0.005);
  CHECK(std::log2(coarse / fine) > 1.7);
  CHECK(error_of_vortex(square(32, 0, true), 0.02, "matrix") < coarse);
}

/// A of A x, by differences of a flux.
template <std::size_t N, class Flux>
std::array<double, N> twice(const std::array<double, N>& w, std::array<double, N> x, Flux&& flux) {
  for (int time = 0; time < 2; ++time) {
    std::array<double, N> up = w, down = w;
    for (std::size_t v = 0; v < N; ++v) up[v] += 1e-6 * x[v], down[v] -= 1e-6 * x[v];
    const std::array<double, N> high = flux(up), low = flux(down);
    for (std::size_t v = 0; v < N; ++v) x[v] = (high[v] - low[v]) / 2e-6;
  }
  return x;
}

TEST(the_matrices_of_dissipation_are_the_absolute_jacobians) {  // |A| |A| x = A A x
  using S = Pack4d;
  const auto packs = [](const auto& values) {
    std::array<S, std::tuple_size_v<std::remove_cvref_t<decltype(values)>>> all;
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = S(values[v]);
    return all;
  };
  const std::array<double, 2> face{0.3, -0.7};
  {
    namespace terms = physics::artificial_compressibility;
    const std::array<double, 3> w{0.4, 1.1, 0.2}, x{0.5, -0.3, 0.8};
    const auto expected = twice(
        w, x, [&](const std::array<double, 3>& at) { return terms::convective_flux<double, 2>(at, at, face, 2.0); });
    const auto product = [&](const std::array<S, 3>& of) {
      return terms::times_matrix<S, 2>(of, packs(w), packs(w), packs(face), S(2), S(0));
    };
    const auto found = product(product(packs(x)));
    for (std::size_t v = 0; v < 3; ++v) CHECK_NEAR(found[v].v[0], expected[v], 1e-6);
  }
  {
    namespace terms = physics::compressible;
    const std::array<double, 4> w{1.2, 0.9, 0.3, 3.1}, x{0.5, -0.3, 0.8, 0.4};
    const terms::Constants<double> gas(1.4);
    const auto expected = twice(w, x, [&](const std::array<double, 4>& at) {
      const auto cell = multiblock::cell_of<double, 2>(at, 0.4);
      return terms::convective_flux<double, 2>(cell, cell, face, gas);
    });
    const auto cell = multiblock::cell_of<S, 2>(packs(w), S(0.4));
    const auto product = [&](const std::array<S, 4>& of) {
      return terms::times_matrix<S, 2>(of, cell, cell, packs(face), terms::Constants<S>(1.4), S(0));
    };
    const auto found = product(product(packs(x)));
    for (std::size_t v = 0; v < 4; ++v) CHECK_NEAR(found[v].v[0], expected[v], 1e-6);
  }
}

TEST(cuts_threads_and_ranks_change_no_bit_of_a_gas) {
  world::World world = on(four_blocks(16, 0.3, false), 0.01);
  make_gas(world);
  world.sides[3].velocity[0] = formula("0.5");
  world.fluid.sutherland = 1e-3;
  world.start.velocity[0] = formula("0.3 + 0.1*sin(2*pi*y)");
  world.options = {{"time_step", 0.05}, {"inner_cycles", std::int64_t{3}}, {"dissipation_kind", std::string("matrix")}};
  const solver::Checksum whole = checksum_of(world, execution(), 3);
  CHECK(checksum_of(world, execution(7, 2), 3) == whole);
  const auto alone = comm::single_process();
  Simulation first(world, execution(), 0, *alone);
  first.advance(k_for_ever, 2, k_for_ever);
  const std::vector<std::byte> checkpoint = first.save(0);
  std::array<solver::Checksum, 2> found, continued;
  on_ranks(2, [&](comm::Communicator& communicator) {
    omp_set_num_threads(1);
    const auto rank = static_cast<std::size_t>(communicator.rank());
    Simulation whole_run(world, execution(2), 0, communicator);
    whole_run.advance(k_for_ever, 3, k_for_ever);
    found[rank] = whole_run.checksum();
    Simulation rest(world, execution(), 0, communicator);
    bool given = false;
    rest.restore([&] { return std::exchange(given, true) ? std::vector<std::byte>{} : checkpoint; });
    rest.advance(k_for_ever, 3, k_for_ever);
    continued[rank] = rest.checksum();
  });
  for (std::size_t rank = 0; rank < 2; ++rank) CHECK(found[rank] == whole && continued[rank] == whole);
}

TEST(a_driven_channel_gets_its_parabola_and_its_friction) {
  const auto error = [](int n, double& friction) {
    world::World world = on(square(n, 0, true), 0.1);
    world.mesh = connected({block("all", 8, n, [](double s, double t) { return Vec3{s, t, 0}; })},
                           [](Vec3 x) { return x.y < 0.5 ? "bottom" : "top"; }, {{1, 0, 0}});
    world.sides[0].kind = world.sides[1].kind = world::SideKind::periodic;
    world.body_force[0] = formula("0.8");  // u = 4 y (1 - y)
    world.options = {{"steady", true}, {"tolerance", 1e-9}, {"reference_speed", 1.0}};
    const auto alone = comm::single_process();
    Simulation simulation(world, execution(), 0, *alone);
    simulation.advance(k_for_ever, 400, k_for_ever);
    friction = last_row(simulation.take_series(), "force.bottom")[1];
    return error_of(simulation, [](Vec3 x) { return Vec3{4 * x.y * (1 - x.y), 0, 0}; });
  };
  double friction = 0;
  const double coarse = error(8, friction), fine = error(16, friction);
  CHECK_NEAR(std::log2(coarse / fine), 2, 0.1);
  CHECK_NEAR(friction, 0.5 * 2 * 0.8, 1e-6);  // half of what drives the fluid: density 2, force 0.8
}

TEST(the_cylinder_in_a_channel_has_the_published_drag) {
  const auto alone = comm::single_process();
  Simulation simulation(channel_with_cylinder(16), execution(), 0, *alone);
  simulation.advance(k_for_ever, 200, k_for_ever);
  auto series = simulation.take_series();
  const double unit = 0.5 * 0.2 * 0.2 * 0.1;
  CHECK_NEAR(last_row(series, "force.cylinder")[1] / unit, 5.5795, 0.01);  // Schaefer & Turek 1996; 1536 cells
  const double in = last_row(series, "opening.left")[1], out = last_row(series, "opening.right")[1];
  CHECK_NEAR(in + out, 0, 1e-4 * in);
  CHECK(last_row(series, "residual")[2] < 1e-7);
}

TEST(fluid_at_rest_stays_at_rest_and_its_weight_is_on_the_bottom) {
  world::World world = on(square(16, 0, false), 0.01);
  world.gravity = {0, -10, 0};
  world.start.pressure_start = world::PressureStart::formula;
  world.start.pressure = formula("2*10*(1 - y)");
  world.options = {{"steady", true}, {"reference_speed", 1.0}};
  const auto alone = comm::single_process();
  Simulation simulation(world, execution(), 0, *alone);
  simulation.advance(k_for_ever, 5, k_for_ever);
  CHECK(error_of(simulation, [](Vec3) { return Vec3{}; }) < 1e-13);
  auto series = simulation.take_series();
  CHECK_NEAR(last_row(series, "force.bottom")[2], -20, 1e-10);
  CHECK_NEAR(last_row(series, "force.top")[2], 0, 1e-10);
  CHECK_NEAR(last_row(series, "force.left")[1], -10, 1e-10);
}

TEST(a_lid_drives_a_cavity) {
  world::World world = on(square(32, 0, false), 0.01);
  world.sides[3].velocity[0] = formula("1");
  world.options = {{"steady", true}, {"tolerance", 1e-6}};
  world.probes.push_back({"low", {0.5, 0.4531, 0}});
  const auto alone = comm::single_process();
  Simulation simulation(world, execution(), 0, *alone);
  simulation.advance(k_for_ever, 400, k_for_ever);
  CHECK_NEAR(last_row(simulation.take_series(), "low")[2], -0.2109, 0.004);  // Ghia, Ghia & Shin 1982, Re 100
}

TEST(cuts_and_threads_change_no_bit) {
  const world::World steady = channel_with_cylinder(16);
  const solver::Checksum whole = checksum_of(steady, execution(), 4);
  for (const int boxes : {2, 7, 24}) CHECK(checksum_of(steady, execution(boxes), 4) == whole);
  CHECK(checksum_of(steady, execution(3, 2), 4) == whole);
  const world::World turning = eddies(four_blocks(16, 0.3, true), 0.02);
  CHECK(checksum_of(turning, execution(9), 2) == checksum_of(turning, execution(), 2));
}

TEST(ranks_change_no_bit_and_continue_each_others_checkpoints) {
  world::World world = channel_with_cylinder(16);
  world.options = {{"time_step", 0.05}, {"inner_cycles", std::int64_t{3}}};
  world.probes.push_back({"behind", {0.3, 0.2, 0}});
  const auto alone = comm::single_process();
  Simulation first(world, execution(), 0, *alone);
  first.advance(k_for_ever, 2, k_for_ever);
  const std::vector<std::byte> checkpoint = first.save(0);
  first.advance(k_for_ever, 4, k_for_ever);
  const std::vector<double> probe = last_row(first.take_series(), "behind");
  const solver::Checksum expected = first.checksum();
  for (const int ranks : {2, 3}) {
    std::vector<solver::Checksum> found(static_cast<std::size_t>(ranks)), continued = found;
    std::vector<std::vector<double>> probes(static_cast<std::size_t>(ranks));
    on_ranks(ranks, [&](comm::Communicator& communicator) {
      omp_set_num_threads(1);
      const auto rank = static_cast<std::size_t>(communicator.rank());
      solver::Execution two_boxes = execution(2);
      if (ranks == 3) two_boxes.exchange = "persistent", two_boxes.replicated_cells = 0;
      Simulation whole(world, two_boxes, 0, communicator);
      whole.advance(k_for_ever, 4, k_for_ever);
      found[rank] = whole.checksum();
      probes[rank] = last_row(whole.take_series(), "behind");
      Simulation rest(world, execution(), 0, communicator);
      bool given = false;
      rest.restore([&] { return std::exchange(given, true) ? std::vector<std::byte>{} : checkpoint; });
      rest.advance(k_for_ever, 4, k_for_ever);
      continued[rank] = rest.checksum();
    });
    for (std::size_t rank = 0; rank < found.size(); ++rank) {
      CHECK(found[rank] == expected);
      CHECK(continued[rank] == expected);
      CHECK(probes[rank] == probe);
    }
  }
}

TEST(a_row_of_series_sets_ghosts_once) {
  world::World world = channel_with_cylinder(16);
  for (const double x : {0.1, 0.3}) world.probes.push_back({"at " + std::to_string(x), {x, 0.2, 0}});
  const auto alone = comm::single_process();
  const auto rows_and_copies = [&](double interval) {
    Simulation simulation(world, execution(4), interval, *alone);
    simulation.advance(k_for_ever, 3, k_for_ever);
    const observe::Series series = simulation.take_series().front();
    const auto rows = static_cast<std::int64_t>(series.values.size() / series.columns.size());
    return std::pair(rows, simulation.statistics().count("messages"));
  };
  const auto [many, with_many] = rows_and_copies(0);
  const auto [few, with_few] = rows_and_copies(k_for_ever);
  const multiblock::Pieces pieces(*world.mesh, 0, 1, 4);
  const auto neighbors = static_cast<std::int64_t>(pieces.connections(0).ghosts.size());
  CHECK(many > few);
  CHECK(with_many - with_few == (many - few) * 2 * neighbors);  // the state and its gradients
}

TEST(ranks_get_neighbouring_pieces) {
  const auto channel = cylinder_in_channel(32);
  for (const int ranks : {1, 2, 3, 5, 6}) {
    const auto pieces = multiblock::divide(*channel, 4, ranks, ranks);
    std::vector<std::int64_t> loads(static_cast<std::size_t>(ranks));
    std::vector<int> seen(static_cast<std::size_t>(channel->cells()));
    for (const multiblock::PieceRange& piece : pieces) {
      loads[static_cast<std::size_t>(piece.rank)] += piece.cells();
      std::int64_t first = 0;
      for (std::int32_t b = 0; b < piece.block; ++b) first += channel->blocks[static_cast<std::size_t>(b)].size();
      const Int3 cells = channel->blocks[static_cast<std::size_t>(piece.block)].cells;
      for (std::int32_t j = piece.lower[1]; j < piece.upper[1]; ++j)
        for (std::int32_t i = piece.lower[0]; i < piece.upper[0]; ++i)
          ++seen[static_cast<std::size_t>(first + i + std::int64_t{cells[0]} * j)];
    }
    CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
    CHECK(static_cast<double>(std::ranges::max(loads) * ranks) < 1.1 * static_cast<double>(channel->cells()));
    CHECK(pieces.size() <= channel->blocks.size() + static_cast<std::size_t>(ranks) - 1);  // a cut for each split
  }
}

TEST(meshes_that_do_not_fit_are_refused_in_a_line) {
  const auto broken = [](const std::function<void(world::Mesh&)>& change) {
    auto mesh = std::make_shared<world::Mesh>(*four_blocks(8, 0, false));
    change(*mesh);
    return on(mesh, 0.01);
  };
  refuse(broken([](world::Mesh& mesh) { mesh.boundaries.pop_back(); }), "belongs to no link and no boundary");
  refuse(broken([](world::Mesh& mesh) { mesh.boundaries.push_back(mesh.boundaries.front()); }), "more than one link");
  refuse(broken([](world::Mesh& mesh) { mesh.links.front().offset[0] += 1; }), "Correct");
  refuse(broken([](world::Mesh& mesh) { mesh.blocks[1].nodes[0].pop_back(); }), "nodes; its cells need");
  refuse(broken([](world::Mesh& mesh) {
           const auto& link = mesh.links.front();
           auto& block = mesh.blocks[static_cast<std::size_t>(link.patch.block)];
           const Int3 high = link.patch.high;
           block.nodes[0][block.node(link.patch.axis == 0 ? high[0] * link.patch.end : 2,
                                     link.patch.axis == 1 ? high[1] * link.patch.end : 2, 0)] += 1e-3;
         }),
         "edges apart");
  world::World folded = on(square(8, 0, false), 0.01);
  auto mesh = std::make_shared<world::Mesh>(*folded.mesh);
  mesh->blocks[0].nodes[0][mesh->blocks[0].node(3, 3, 0)] += 0.3;
  folded.mesh = mesh;
  refuse(folded, "it must be positive");
}

TEST(worlds_that_cannot_run_are_refused_in_a_line) {
  world::World world = on(square(8, 0, false), 0.01);
  refuse(world, "nothing moves");
  world.options = {{"speed", 1.0}};
  refuse(world, "no such option");
  world.options = {{"cycle", std::string("X")}};
  refuse(world, "one of: V W");
  world.options = {{"cfl", -1.0}};
  refuse(world, "method.cfl");
  world.options = {};
  world.mesh = nullptr;
  refuse(world, "needs a mesh");
  world.mesh =
      connected({block("all", 8, 8, [](double s, double t) { return Vec3{s, t, 0}; })}, [](Vec3) { return "nose"; });
  refuse(world, "no side of the domain and no body");
}

TEST(a_flow_that_breaks_down_names_its_first_cell) {
  world::World world = on(square(16, 0, false), 1e-6);
  world.sides[3].velocity[0] = formula("1");
  world.options = {{"steady", true}, {"cfl", 10.0}, {"dissipation", 0.0}};
  const auto alone = comm::single_process();
  Simulation simulation(world, execution(), 0, *alone);
  CHECK_THROWS(simulation.advance(k_for_ever, 2000, k_for_ever), "not finite, first in cell");
}
