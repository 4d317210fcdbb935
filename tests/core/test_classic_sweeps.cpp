// Sweeps of the scheme classic: every instruction set gives the bits of the plain code, what two particles do to each
// other adds up to nothing, walls feel what they do, and sums over a lattice are what the integrals say.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "base/instructions.hpp"
#include "harness.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/classic/sweeps.hpp"
#include "physics/kernels/cubic_spline.hpp"
#include "physics/state_equations/choice.hpp"
#include "sweep_fixture.hpp"

using namespace eddyline;
using physics::CubicSpline;
namespace classic = physics::classic;

namespace {

/// Fluid and wall rows in which everybody is everybody's neighbour, and their lists.
template <class T, int D>
struct Scene {
  std::int32_t fluid, walls;
  neighbors::PairData<T> rows{classic::k_fluid_width<D>}, wall{classic::k_wall_width<D>};
  fixture::Targets fluid_targets, wall_targets;
  fixture::Lists lists;
  std::vector<neighbors::Chunk> fluid_fluid, fluid_wall, wall_fluid;
  classic::SweepInput<T> in;

  Scene(std::int32_t fluid_particles, std::int32_t wall_particles)
      : fluid(fluid_particles), walls(wall_particles), fluid_targets(fluid), wall_targets(walls) {
    rows.resize(fluid), wall.resize(walls);
    rows.row(fluid)[2 * D + 1] = 1, wall.row(walls)[3 * D + 3] = 1;  // density of the sentinels
    fluid_fluid = all_of(fluid, fluid, true), fluid_wall = all_of(fluid, walls, false);
    wall_fluid = all_of(walls, fluid, false);
    in.scale = T(0x1p-26);
    in.alpha = T(0.7), in.beta = T(1.3), in.nu = T(0.2), in.conductivity = T(2.5);
    in.min_pressure_at_walls = std::numeric_limits<T>::lowest();
  }

  classic::SweepInput<T> input(bool of_fluid) const {
    auto all = in;
    all.fluid = rows.data(), all.walls = wall.data();
    all.targets = of_fluid ? fluid_targets : wall_targets;
    all.fluid_neighbors = (of_fluid ? fluid_fluid : wall_fluid).data();
    all.wall_neighbors = of_fluid ? fluid_wall.data() : nullptr;
    return all;
  }

  /// Lists of `count` targets with all rows as neighbours; the sentinel stands in for the target itself.
  std::vector<neighbors::Chunk> all_of(std::int32_t count, std::int32_t sources, bool same) {
    return lists.chunks(count, sources, [=](std::int32_t i) {
      std::vector<std::int32_t> list;
      for (std::int32_t j = 0; j < sources; ++j) list.push_back(same && i == j ? sources : j);
      return list;
    });
  }
};

template <class T, int D>
Scene<T, D> random_scene(std::int32_t fluid, std::int32_t walls, unsigned seed) {
  Scene<T, D> s(fluid, walls);
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return static_cast<T>(std::uniform_real_distribution<double>(low, high)(random));
  };
  // Positions in a box of R across the jump of the sign; some particles at one place.
  const auto place = [&] {
    return static_cast<std::int32_t>(0x7e000000u + static_cast<std::uint32_t>(random() % 67108864u));
  };
  for (std::int32_t i = 0; i < fluid; ++i) {
    const auto row = s.rows.row(i);
    for (int d = 0; d < D; ++d) {
      s.rows.put_fixed(row.first + d, i % 17 == 16 ? s.rows.get_fixed(s.rows.row(i - 1).first + d) : place());
      row[D + d] = uniform(-0.5, 0.5);
    }
    row[2 * D] = uniform(0.2, 2), row[2 * D + 1] = uniform(0.1, 3);
    row[2 * D + 2] = uniform(-0.2, 1), row[2 * D + 3] = uniform(0.5, 1.5);
  }
  for (std::int32_t i = 0; i < walls; ++i) {
    const auto row = s.wall.row(i);
    for (int k = 0; k < s.wall.width(); ++k) row[k] = uniform(-0.3, 0.3);
    for (int d = 0; d < D; ++d) s.wall.put_fixed(row.first + d, place());
    row[D + 1] = uniform(0.5, 1.5), row[3 * D + 2] = T(i % 2), row[3 * D + 3] = uniform(0.5, 2);
    row[3 * D + 4] = uniform(0.5, 1.5);
  }
  return s;
}

/// Results of a sweep over the fluid and of the two over walls.
template <class T, int D>
struct Found {
  std::vector<T> density, heating, spread, closing, force[D], drift[D];
  std::vector<T> weight, wall_pressure, wall_density, lever[D], velocity[D], pressure[D], viscous[D];

  template <class Visit>
  void for_each(Visit&& visit) {
    visit("density", density), visit("heating", heating), visit("spread", spread), visit("closing", closing);
    visit("weight", weight), visit("wall pressure", wall_pressure), visit("wall density", wall_density);
    for (int d = 0; d < D; ++d) {
      visit("force", force[d]), visit("drift", drift[d]), visit("lever", lever[d]), visit("velocity", velocity[d]);
      visit("pressure reaction", pressure[d]), visit("viscous reaction", viscous[d]);
    }
  }
};

template <class T, int D>
Found<T, D> run(const classic::Sweeps<T, D>& sweeps, const Scene<T, D>& s, std::size_t choice) {
  Found<T, D> f;
  f.for_each([&](const char*, std::vector<T>& values) {
    values.assign(std::max(s.fluid_targets.lanes(), s.wall_targets.lanes()), T(-77));
  });
  classic::RateResults<T, D> rates{f.density.data(), f.heating.data(), {}, {}, f.spread.data(), f.closing.data()};
  classic::WallResults<T, D> walls{f.weight.data(), f.wall_pressure.data(), f.wall_density.data(), {}, {}};
  classic::ReactionResults<T, D> reactions{};
  for (int d = 0; d < D; ++d) {
    rates.force[d] = f.force[d].data(), rates.drift[d] = f.drift[d].data();
    walls.lever[d] = f.lever[d].data(), walls.velocity[d] = f.velocity[d].data();
    reactions.pressure[d] = f.pressure[d].data(), reactions.viscous[d] = f.viscous[d].data();
  }
  sweeps.rates[choice](s.input(true), rates, 0, static_cast<std::int64_t>(s.fluid_fluid.size()));
  const auto wall_chunks = static_cast<std::int64_t>(s.wall_fluid.size());
  sweeps.walls(s.input(false), walls, 0, wall_chunks);
  (classic::Terms::at(choice).gas ? sweeps.reaction_of_gas : sweeps.reaction_of_liquid)(s.input(false), reactions, 0,
                                                                                        wall_chunks);
  return f;
}

template <int D>
void check_flavours() {
  for (std::size_t choice = 0; choice < classic::Terms::k_choices; ++choice) {
    auto scene = random_scene<float, D>(50, 20, static_cast<unsigned>(choice + 1));
    if (choice == 1) scene.in.min_pressure_at_walls = 0;
    auto plain = run<float, D>(classic::sweeps_scalar<float, D>(), scene, choice);
    const auto compare = [&](const classic::Sweeps<float, D>& sweeps, const char* instructions) {
      auto found = run<float, D>(sweeps, scene, choice);
      std::vector<std::vector<float>*> expected;
      plain.for_each([&](const char*, std::vector<float>& values) { expected.push_back(&values); });
      std::size_t next = 0;
      found.for_each([&](const std::string& name, const std::vector<float>& values) {
        const auto& other = *expected[next++];
        const bool of_walls = name.find("wall") == 0 || name.find("reaction") != std::string::npos ||
                              name == "weight" || name == "lever" || name == "velocity";
        const std::int32_t count = of_walls ? scene.walls : scene.fluid;  // padding lanes hold anything
        const auto different = fixture::different_bits(values, other, static_cast<std::size_t>(count));
        if (different > 0)
          harness::fail(__FILE__, __LINE__,
                        std::string(instructions) + ": " + std::to_string(different) + " values of `" + name +
                            "` differ, choice " + std::to_string(choice));
      });
    };
    for (const auto& set : instruction_sets()) {
      (void)compare;
#ifdef EDDYLINE_HAS_AVX2
      if (set == "avx2") compare(classic::sweeps_avx2<float, D>(), "avx2");
#endif
#ifdef EDDYLINE_HAS_AVX512
      if (set == "avx512") compare(classic::sweeps_avx512<float, D>(), "avx512");
#endif
    }
  }
}

/// Momentum, energy and the centre of mass of any number of particles without walls.
template <int D>
void check_conservation() {
  for (std::size_t choice = 0; choice < classic::Terms::k_choices; ++choice) {
    const auto s = random_scene<double, D>(37, 0, static_cast<unsigned>(choice + 20));
    const auto f = run<double, D>(classic::sweeps_scalar<double, D>(), s, choice);
    double momentum[D] = {}, drift[D] = {}, energy = 0, force_scale = 0, energy_scale = 0;
    for (std::int32_t i = 0; i < s.fluid; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const auto row = s.rows.row(i);
      const double m = row[2 * D];
      energy -= m * f.heating[k];  // the rate of u is minus this sum, that of v the force
      energy_scale += std::abs(m * f.heating[k]);
      for (int d = 0; d < D; ++d) {
        momentum[d] += m * f.force[d][k];
        force_scale += std::abs(m * f.force[d][k]);
        if (classic::Terms::at(choice).xsph) drift[d] += m * f.drift[d][k];
        energy += m * row[D + d] * f.force[d][k];
      }
    }
    CHECK(force_scale > 1 && energy_scale > 1);
    for (int d = 0; d < D; ++d) {
      CHECK_NEAR(momentum[d], 0, 1e-14 * force_scale);
      CHECK_NEAR(drift[d], 0, 1e-12);
    }
    CHECK_NEAR(energy, 0, 1e-13 * energy_scale);
  }
}

/// What the fluid does to a wall is what the wall does to the fluid; and all work done there is heat of the fluid.
template <int D>
void check_walls() {
  for (const std::size_t choice : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
    auto s = random_scene<double, D>(40, 23, static_cast<unsigned>(choice + 5));
    for (auto& chunk : s.fluid_fluid) chunk.length = 0;
    for (std::int32_t w = 0; w < s.walls; ++w)
      for (int d = 0; d < D; ++d) s.wall.row(w)[2 * D + 2 + d] = 0;  // at rest
    const auto f = run<double, D>(classic::sweeps_scalar<double, D>(), s, choice);
    double energy = 0, scale = 0;
    for (int d = 0; d < D; ++d) {
      double sum = 0;
      for (std::int32_t i = 0; i < s.fluid; ++i) {
        const double part = s.rows.row(i)[2 * D] * f.force[d][static_cast<std::size_t>(i)];
        sum += part;
        energy += part * s.rows.row(i)[D + d];
      }
      for (std::int32_t w = 0; w < s.walls; ++w) {
        const auto k = static_cast<std::size_t>(w);
        sum += f.pressure[d][k] + f.viscous[d][k];
        scale += std::abs(f.pressure[d][k]) + std::abs(f.viscous[d][k]);
      }
      CHECK(scale > 0);
      CHECK_NEAR(sum, 0, 1e-13 * scale);
    }
    for (std::int32_t i = 0; i < s.fluid; ++i) energy -= s.rows.row(i)[2 * D] * f.heating[static_cast<std::size_t>(i)];
    CHECK_NEAR(energy, 0, 1e-13 * scale);
  }
}

/// On a lattice of spacing R/3, in the middle: the divergence of a linear velocity field, of the position, and no force
/// of an even pressure.
template <int D>
void check_lattice() {
  const auto points = fixture::lattice_points<D>(3);
  Scene<double, D> s(static_cast<std::int32_t>(points.size()), 0);
  s.in.nu = 0;
  const double gradient[3] = {0.7, -0.2, 0.9};
  double trace = 0;
  for (int d = 0; d < D; ++d) trace += gradient[d];
  for (std::int32_t i = 0; i < s.fluid; ++i) {
    const auto row = s.rows.row(i);
    for (int d = 0; d < D; ++d) {
      const double x = points[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)] / 3.0;
      s.rows.put_fixed(row.first + d, static_cast<std::int32_t>(std::lround(x * 0x1p26)));
      row[D + d] = gradient[d] * x + 0.25;
    }
    row[2 * D] = 1, row[2 * D + 1] = 1, row[2 * D + 2] = 0.5, row[2 * D + 3] = 1;
  }
  s.in.alpha = s.in.beta = 0;
  const double K = (4 << D) * CubicSpline::sigma(D) * std::pow(1.0 / 3, D);
  for (const std::size_t choice : {std::size_t{0}, std::size_t{2}}) {
    const auto f = run<double, D>(classic::sweeps_scalar<double, D>(), s, choice);
    CHECK_NEAR(K * f.density[0], trace, 0.02 * trace);
    CHECK_NEAR(K * f.spread[0], D, 0.02 * D);
    CHECK_NEAR(f.heating[0], 0.5 * f.density[0], 1e-9);  // p_i + p_j = 1
    for (int d = 0; d < D; ++d) CHECK_NEAR(f.force[d][0], 0, 1e-6);
  }
}

}  // namespace

TEST(every_instruction_set_gives_the_bits_of_the_plain_code) {
  check_flavours<2>();
  check_flavours<3>();
}
TEST(pairs_conserve_momentum_energy_and_the_centre_of_mass) {
  check_conservation<2>();
  check_conservation<3>();
}
TEST(walls_feel_what_they_do_and_keep_no_heat) {
  check_walls<2>();
  check_walls<3>();
}
TEST(sums_over_a_lattice_are_integrals) {
  check_lattice<2>();
  check_lattice<3>();
}
TEST(the_spline_is_normalised_and_its_gradient_is_its_slope) {
  for (const int dimensions : {2, 3}) {
    double integral = 0;
    const int n = 20000;
    for (int k = 0; k < n; ++k) {
      const double q = (k + 0.5) / n,
                   shell = dimensions == 2 ? 2 * CubicSpline::k_pi * q : 4 * CubicSpline::k_pi * q * q;
      integral += std::pow(2.0, dimensions) * CubicSpline::sigma(dimensions) * CubicSpline::value(q) * shell / n;
    }
    CHECK_NEAR(integral, 1, 1e-7);
  }
  for (const double q : {0.1, 0.4, 0.5, 0.6, 0.9}) {
    using P = Pack<double, 1>;
    const double slope = (CubicSpline::value(q + 1e-6) - CubicSpline::value(q - 1e-6)) / 2e-6;
    CHECK_NEAR(-4 * CubicSpline::gradient(P(1 - q), P(q)).v * q, slope, 1e-6);
    CHECK_NEAR(CubicSpline::value(P(1 - q), P(q)).v, CubicSpline::value(q), 1e-15);
  }
}
TEST(state_equations_agree_with_their_inverses_and_slopes) {
  using physics::StateEquation;
  const StateEquation tait{StateEquation::Kind::tait, 1.4}, gas{StateEquation::Kind::ideal_gas, 1.4};
  for (const double s : {-0.05, 0.0, 0.01, 0.2}) {
    CHECK_NEAR(tait.density_excess(tait.pressure(s, 0)), s, 1e-15);
    const double slope = (tait.pressure(s + 1e-6, 0) - tait.pressure(s - 1e-6, 0)) / 2e-6;
    CHECK_NEAR(tait.sound_speed(s, 0) * tait.sound_speed(s, 0), slope, 1e-8);
  }
  CHECK_NEAR(gas.pressure(-0.875, 2.0), 0.1, 1e-15);
  CHECK_NEAR(gas.sound_speed(-0.875, 2.0), std::sqrt(1.4 * 0.1 / 0.125), 1e-15);
  CHECK(gas.pressure(0, -1e-9) == 0);  // colder than cold: no pressure, and nothing that is not a number
}
