// Inflow and outflow: fluid and buffer particles, the ids of particles that enter, those that leave, and the nodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "comm/single_process.hpp"
#include "harness.hpp"
#include "particles/id.hpp"
#include "physics/inflow/moving_least_squares.hpp"
#include "small_worlds.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/step/delta/delta_step.hpp"

using namespace eddyline;

namespace {

using Flow = sph::Parts<float, 2>;
using Step = sph::DeltaStep<float, 2>;

constexpr double k_dx = 0.05;
const auto k_alone = comm::single_process();

/// The lowest site of the inflow rests.
world::World half_resting_channel() {
  world::World w = fixture::channel(k_dx, "if(y < 0.05, 0, 1)");
  w.fluid.kinematic_viscosity = 1e-2;
  w.fluid.sound_speed = 10.0;
  return w;
}

solver::Execution plain() {
  solver::Execution execution;
  execution.threads = 1;
  execution.instructions = "scalar";
  return execution;
}

/// Index of the particle nearest to a place among those of a buffer (0: fluid).
std::size_t nearest(const Flow& flow, double x, double y, int buffer) {
  std::size_t best = 0;
  double least = INFINITY;
  for (std::size_t i = 0; i < flow.state.fluid.id.size(); ++i) {
    const double distance = std::hypot(flow.state.fluid.x[0][i] - x, flow.state.fluid.x[1][i] - y);
    if (flow.state.fluid.buffer[i] == buffer && distance < least) {
      least = distance;
      best = i;
    }
  }
  return best;
}

std::size_t find(const Flow& flow, std::int64_t id) {
  const auto* at = std::find(flow.state.fluid.id.begin(), flow.state.fluid.id.end(), id);
  return static_cast<std::size_t>(at - flow.state.fluid.id.begin());
}

}  // namespace

TEST(buffers_continue_the_lattice_and_are_deep_enough) {
  Flow flow(half_resting_channel(), plain(), *k_alone);
  const auto& c = flow.state.constants;
  for (const auto& opening : flow.state.openings.all()) {
    CHECK(opening.sites.sites() == 10);
    CHECK(opening.sites.length() - k_dx >=
          c.length.cell_edge + (1 - particles::k_node_reach) * c.length.interaction_radius - 1e-12);
  }
  std::set<std::int64_t> ids;
  std::array<std::int64_t, 3> count{};
  for (std::size_t i = 0; i < flow.state.fluid.id.size(); ++i) {
    ids.insert(flow.state.fluid.id[i]);
    ++count[flow.state.fluid.buffer[i]];
    const double place = flow.state.fluid.x[0][i] / k_dx - 0.5;
    CHECK_NEAR(place, std::round(place), 1e-9);
    CHECK((flow.state.fluid.buffer[i] == 1) == (flow.state.fluid.x[0][i] < 0));
    CHECK((flow.state.fluid.buffer[i] == 2) == (flow.state.fluid.x[0][i] > 1));
  }
  const auto columns = flow.state.openings.all()[0].sites.columns;
  CHECK(ids.size() == flow.state.fluid.id.size());
  CHECK((count == std::array<std::int64_t, 3>{200, 10 * columns, 10 * columns}));
}

TEST(a_particle_that_enters_is_followed_by_the_next_of_its_site) {
  Flow flow(half_resting_channel(), plain(), *k_alone);
  Step step(flow);
  step.start();
  const auto& sites = flow.state.openings.all()[0].sites;
  const std::size_t first = nearest(flow, -0.5 * k_dx, 0.225, 1);
  const std::int64_t id = flow.state.fluid.id[first];
  const double mass = flow.state.fluid.mass[first];
  const std::int64_t before = flow.state.fluid.size();
  flow.state.fluid.x[0][first] = 0.4 * k_dx;
  flow.rebuild(false);
  CHECK(flow.state.fluid.size() == before + 1);
  const std::size_t entered = find(flow, id), next = find(flow, id + sites.columns);
  CHECK(flow.state.fluid.buffer[entered] == 0);
  CHECK(flow.state.fluid.buffer[next] == 1);
  CHECK(particles::site_of_opening_id(flow.state.fluid.id[next]) == particles::site_of_opening_id(id));
  CHECK_NEAR(flow.state.fluid.x[0][next], 0.4 * k_dx - sites.length(), 1e-15);
  CHECK(flow.state.fluid.x[1][next] == flow.state.fluid.x[1][entered]);
  CHECK(flow.state.openings.all()[0].mass.value() == mass);
  flow.rebuild(false);
  CHECK(flow.state.fluid.size() == before + 1);  // no particle enters twice
}

TEST(a_resting_site_feeds_nothing_and_a_running_one_at_its_speed) {
  Flow flow(half_resting_channel(), plain(), *k_alone);
  Step step(flow);
  step.start();
  while (flow.state.time < 0.5) step.advance(false);
  CHECK(!flow.state.control.latest.bad);
  const auto& sites = flow.state.openings.all()[0].sites;
  for (std::int64_t site = 0; site < sites.sites(); ++site) {
    std::int64_t last = 0;
    for (const std::int64_t id : flow.state.fluid.id)
      if (id >> 52 == particles::k_source_opening && particles::site_of_opening_id(id) == site)
        last = std::max(last, id);
    const auto made = (last & 0xfffffff) + 1 - sites.columns;
    CHECK_NEAR(static_cast<double>(made), site == 0 ? 0.0 : 0.5 / k_dx, site == 0 ? 0.0 : 1.0);
  }
}

TEST(leavers_become_buffer_and_end_at_its_end) {
  Flow flow(half_resting_channel(), plain(), *k_alone);
  Step step(flow);
  step.start();
  const double length = flow.state.openings.all()[1].sites.length();
  const std::size_t slow = nearest(flow, 0.975, 0.225, 0), fast = nearest(flow, 0.975, 0.325, 0);
  const std::size_t lost = nearest(flow, 0.975, 0.475, 0);
  const std::array ids{flow.state.fluid.id[slow], flow.state.fluid.id[fast], flow.state.fluid.id[lost]};
  const double out = flow.state.fluid.mass[slow] + flow.state.fluid.mass[fast], gone = flow.state.fluid.mass[lost];
  const std::int64_t before = flow.state.fluid.size();
  flow.state.fluid.x[0][slow] = 1.3;               // in the buffer, beyond the outermost cell's middle
  flow.state.fluid.x[0][fast] = 1 + 1.5 * length;  // through the whole buffer in one step
  flow.state.fluid.x[0][lost] = 1 + 1.1 * length;  // past the corner, beyond what the opening faces
  flow.state.fluid.x[1][lost] = 0.52;
  flow.rebuild(false);
  CHECK(flow.state.fluid.buffer[find(flow, ids[0])] == 2);
  CHECK(find(flow, ids[1]) == static_cast<std::size_t>(flow.state.fluid.size()));
  CHECK(find(flow, ids[2]) == static_cast<std::size_t>(flow.state.fluid.size()));
  CHECK(flow.state.fluid.size() == before - 2);
  CHECK_NEAR(flow.state.openings.all()[1].mass.value(), -out, 1e-15);
  CHECK(flow.state.left_particles == 1);
  CHECK_NEAR(flow.state.left_mass.value(), gone, 1e-15);
}

/// Kinds change when particles are sorted only: as often before they pass the opening as after.
TEST(particles_change_kind_at_the_opening_in_the_mean) {
  world::World world = half_resting_channel();
  for (const double skin : {0.5, 1.5}) {
    world.method.skin = skin;
    Flow flow(world, plain(), *k_alone);
    Step step(flow);
    step.start();
    std::array<double, 2> early{}, late{};  // of the inflow and the outflow
    for (int k = 0; k < 400; ++k) {
      step.advance(false);
      for (std::size_t i = 0; k >= 100 && i < flow.state.fluid.id.size(); ++i) {
        const double x = flow.state.fluid.x[0][i];
        const int buffer = flow.state.fluid.buffer[i];
        early[0] += x < 0 && buffer == 0 ? -x : 0;
        late[0] += x > 0 && buffer == 1 ? x : 0;
        early[1] += x < 1 && buffer == 2 ? 1 - x : 0;
        late[1] += x > 1 && buffer == 0 ? x - 1 : 0;
      }
    }
    CHECK(flow.domain.rebuilds > 10 && flow.domain.rebuilds < 250);
    for (std::size_t o = 0; o < 2; ++o) CHECK(early[o] > 0 && early[o] < 1.5 * late[o] && late[o] < 1.5 * early[o]);
    CHECK(flow.state.contacts == 0);
  }
}

TEST(rows_hold_the_gradient_and_the_velocity_of_shifting) {
  Flow flow(half_resting_channel(), plain(), *k_alone);
  Step step(flow);
  step.start();
  for (int k = 0; k < 40; ++k) step.advance(false);
  const auto rounded = [](double value) {
    return upper_half(Pack<float, 1>(pack_halves(static_cast<float>(value), 0.0F))).v;
  };
  const auto& c = flow.state.constants;
  int told = 0;
  for (std::size_t i = 0; i < flow.state.fluid.id.size(); ++i)
    for (int d = 0; d < 2; ++d) {
      if (flow.state.fluid.buffer[i] != 0) continue;
      const Pack<float, 1> both(flow.scratch.midpoint_rows.row(flow.domain.fluid_rows.row_of(i))[6 + d]);
      CHECK(both.v == flow.state.fluid.half_g[d][i]);
      const double pressure = static_cast<double>(flow.scratch.delta.pressure_force(d)[i]);
      CHECK(upper_half(both).v == rounded(-0.5 * c.kernel * c.scale * pressure));
      CHECK(lower_half(both).v * flow.scratch.delta.shift(d)[i] >= 0);  // w has the direction of the shift
      told += upper_half(both).v != 0 && lower_half(both).v != 0 ? 1 : 0;
    }
  CHECK(told > 100);
}

TEST(fluid_and_buffer_made_bad_are_caught_in_their_first_step) {
  for (const int buffer : {0, 1, 2}) {
    Flow flow(half_resting_channel(), plain(), *k_alone);
    Step step(flow);
    step.start();
    const std::size_t i = nearest(flow, buffer == 1 ? -0.1 : buffer == 2 ? 1.1 : 0.5, 0.25, buffer);
    flow.state.fluid.x[0][i] = std::numeric_limits<double>::quiet_NaN();
    step.advance(false);
    CHECK(flow.state.control.latest.bad);
  }
}

TEST(a_formula_that_fails_during_the_run_is_caught) {
  auto w = half_resting_channel();
  w.openings[0].velocity[0] = fixture::formula("1 + 0*sqrt(0.02 - t)");
  Flow flow(w, plain(), *k_alone);
  Step step(flow);
  step.start();
  while (!flow.state.control.latest.bad && flow.state.time < 0.2) step.advance(false);
  CHECK(flow.state.control.latest.bad);
  CHECK(flow.state.time >= 0.02 && flow.state.time < 0.06);
}

TEST(a_linear_field_is_fitted_exactly_beside_it_and_a_line_of_particles_gives_its_mean) {
  using S = Pack<double, 1>;
  const auto fit = [](const std::vector<std::array<double, 2>>& places) {
    physics::LinearFitSums<S, 2> sum{};
    for (const auto& place : places) {
      physics::SampledFluid<S, 2> f;
      physics::Pair<S, 2> nf;
      double r2 = 0;
      for (int d = 0; d < 2; ++d) {
        nf.r[d] = S(-place[static_cast<std::size_t>(d)]);
        r2 += place[static_cast<std::size_t>(d)] * place[static_cast<std::size_t>(d)];
      }
      nf.q = S(std::sqrt(r2));
      nf.rest = S(1 - nf.q.v);
      nf.F = physics::WendlandC2::gradient(nf.rest);
      f.V = S(0.5 + place[1] * place[1]);
      f.p = S(2 + 3 * place[0] - place[1]);
      f.v[0] = S(place[1]);
      f.v[1] = S(1 - place[0]);
      physics::add_to_fit(sum, f, nf);
    }
    std::array<double, physics::LinearFitSums<double, 2>::k_values> sums;
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = sum.value[k].v;
    return physics::solve_fit<2>(sums);
  };
  const auto exact = fit({{0.1, 0.2}, {0.4, -0.3}, {0.5, 0.1}, {0.2, -0.1}, {0.7, 0.3}});
  CHECK_NEAR(exact.p, 2, 1e-12);
  CHECK_NEAR(exact.v[0], 0, 1e-12);
  CHECK_NEAR(exact.v[1], 1, 1e-12);
  CHECK_NEAR(exact.gradient_p[0], 3, 1e-12);
  CHECK_NEAR(exact.gradient_p[1], -1, 1e-12);
  const auto line = fit({{0.2, 0.0}, {0.2, 0.3}, {0.2, -0.3}});
  CHECK(line.gradient_p[0] == 0);
  CHECK_NEAR(line.p, 2.6, 1e-12);
}
