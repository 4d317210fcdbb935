// Sweeps: every instruction set gives the bits of the plain code, pairs act equally and oppositely, and sums over a
// lattice are what the integrals say.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/instructions.hpp"
#include "harness.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/delta/sweeps.hpp"
#include "physics/kernels/wendland_c2.hpp"
#include "physics/sph/viscosity.hpp"
#include "sweep_fixture.hpp"

using namespace eddyline;
using neighbors::k_chunk;
using physics::central_viscosity_constant;
using physics::WendlandC2;
namespace delta = physics::delta;

namespace {

/// Rows of random particles within a few R, lists with gaps, and all that a sweep needs besides.
template <class T, int D>
struct Scene {
  std::int32_t fluid, walls;
  neighbors::PairData<T> moving{delta::k_midpoint_width<D>}, pressed{delta::k_end_width<D>},
      wall{delta::k_wall_width<D>};
  std::vector<std::array<T, D>> w;                                   // of shifting, by fluid particle
  neighbors::PairData<T> moving_with_w{delta::k_midpoint_width<D>};  // as they are in confined flows
  fixture::Targets fluid_rows, wall_rows;
  fixture::Lists lists;
  std::vector<neighbors::Chunk> fluid_fluid, fluid_wall, wall_fluid;
  delta::SweepInput<T> in;

  Scene(std::int32_t fluid_particles, std::int32_t wall_particles)
      : fluid(fluid_particles), walls(wall_particles), fluid_rows(fluid), wall_rows(walls) {
    moving.resize(fluid), moving_with_w.resize(fluid), pressed.resize(fluid), wall.resize(walls);
    w.resize(static_cast<std::size_t>(fluid));
    in.scale = T(0x1p-26);
    in.kernel_constant = T(2), in.crowding = T(1.7), in.nu_fluid = T(0.3), in.nu_wall = T(0.11);
    in.min_pressure_at_walls = std::numeric_limits<T>::lowest();
    in.prefetch_distance = 3 * k_row_step;  // beyond the last row, too, which must do no harm
  }

  /// Points the input to all that has been filled in.
  delta::SweepInput<T> input(bool of_fluid, bool confined = true) {
    for (std::int32_t i = 0; i < fluid; ++i)
      for (int k = 0; k < moving.width(); ++k) {
        const int axis = k - (2 * D + 2);
        const T value = moving.row(i)[k];
        moving_with_w.row(i)[k] =
            axis < 0 ? value : pack_halves(value, w[static_cast<std::size_t>(i)][static_cast<std::size_t>(axis)]);
      }
    auto all = in;
    all.midpoint_fluid = confined ? moving_with_w.data() : moving.data(), all.end_fluid = pressed.data(),
    all.walls = wall.data();
    all.targets = of_fluid ? fluid_rows : wall_rows;
    all.fluid_neighbors = of_fluid ? fluid_fluid.data() : wall_fluid.data();
    all.wall_neighbors = of_fluid ? fluid_wall.data() : nullptr;
    return all;
  }
};

template <class T, int D>
Scene<T, D> random_scene(std::int32_t fluid, std::int32_t walls, unsigned seed) {
  Scene<T, D> s(fluid, walls);
  std::mt19937 random(seed);
  const auto uniform = [&](double low, double high) {
    return static_cast<T>(std::uniform_real_distribution<double>(low, high)(random));
  };
  // Positions in a box of 1.5 R across the jump of the sign; some particles at one place.
  const auto place = [&] {
    return static_cast<std::int32_t>(0x7f000000u + static_cast<std::uint32_t>(random() % 100663296u));
  };
  for (std::int32_t i = 0; i < fluid; ++i) {
    const auto m = s.moving.row(i), p = s.pressed.row(i);
    for (int k = 0; k < s.moving.width(); ++k) m[k] = uniform(-0.1, 0.1) * (k < 2 * D + 2 ? T(1) : s.in.scale);
    for (int k = 0; k < s.pressed.width(); ++k) p[k] = uniform(-0.01, 0.02);
    m[2 * D + 1] = uniform(0.9, 1.1);
    p[D + 1] = uniform(0.9, 1.1);
    for (int d = 0; d < D; ++d) {
      s.w[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)] = uniform(-0.1, 0.1) * s.in.scale;
      const std::int32_t x = i % 17 == 16 ? s.moving.get_fixed(s.moving.row(i - 1).first + d) : place();
      s.moving.put_fixed(m.first + d, x), s.pressed.put_fixed(p.first + d, x);
    }
  }
  for (std::int32_t i = 0; i < walls; ++i) {
    const auto w = s.wall.row(i);
    for (int k = 0; k < s.wall.width(); ++k) w[k] = uniform(-0.1, 0.1);
    w[D + 1] = uniform(0.9, 1.1);
    w[3 * D + 2] = i % 2 == 0 ? T(1) : T(0);
    for (int d = 0; d < D; ++d) s.wall.put_fixed(w.first + d, place());
  }
  // Lists of any length from none to 40, some beyond R.
  const auto some_of = [&](std::int32_t count, std::int32_t self) {
    std::vector<std::int32_t> list;
    const auto length = random() % 41;
    for (unsigned k = 0; k < length && count > 1; ++k) {
      const auto j = static_cast<std::int32_t>(random() % static_cast<unsigned>(count));
      if (j != self) list.push_back(j);
    }
    return list;
  };
  s.fluid_fluid = s.lists.chunks(fluid, fluid, [&](std::int32_t i) { return some_of(fluid, i); });
  s.fluid_wall = s.lists.chunks(
      fluid, walls, [&](std::int32_t) { return random() % 3 == 0 ? some_of(walls, -1) : std::vector<std::int32_t>{}; });
  s.wall_fluid = s.lists.chunks(walls, fluid, [&](std::int32_t) { return some_of(fluid, -1); });
  return s;
}

/// Results of all sweeps over a scene, named, as they stand in memory.
template <class T>
struct Results {
  std::vector<std::string> names;
  std::vector<std::vector<T>> values;

  T* add(const std::string& name, std::size_t size) {
    names.push_back(name);
    values.emplace_back(size, T(-77));
    return values.back().data();
  }
  const std::vector<T>& operator[](const std::string& name) const {
    return values[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())];
  }
};

template <class T, int D>
Results<T> run(const delta::Sweeps<T, D>& sweeps, Scene<T, D>& s) {
  Results<T> results;
  results.values.reserve(64);
  const std::size_t fluid = s.fluid_rows.lanes(), walls = s.wall_rows.lanes();
  const auto fluid_chunks = static_cast<std::int64_t>(fluid / k_chunk),
             wall_chunks = static_cast<std::int64_t>(walls / k_chunk);
  const auto vector = [&](const std::string& name, std::size_t size, T** out) {
    for (int d = 0; d < D; ++d) out[d] = results.add(name + "xyz"[d], size);
  };
  for (const bool morris : {true, false}) {
    const std::string form = morris ? "morris " : "central ";
    delta::RateResults<T, D> out{
        results.add(form + "divergence", fluid), results.add(form + "diffusion", fluid), {}, nullptr};
    if (!morris) out.dissipation = results.add(form + "dissipation", fluid);
    vector(form + "viscous ", fluid, out.viscous);
    (morris ? sweeps.rates_morris : sweeps.rates_central)(s.input(true, morris), out, 0, fluid_chunks);
  }
  for (const bool confined : {true, false}) {
    const std::string kind = confined ? "confined " : "";
    delta::ForceResults<T, D> force{};
    vector(kind + "pressure ", fluid, force.pressure);
    vector(kind + "shift ", fluid, force.shift);
    std::vector<std::uint8_t> surface(fluid);
    force.surface = surface.data();
    force.volume_fraction = results.add(kind + "volume fraction", fluid);
    (confined ? sweeps.forces_confined : sweeps.forces_free_surface)(s.input(true), force, 0, fluid_chunks);
    std::ranges::copy(surface, results.add(kind + "surface", fluid));
    delta::ReactionResults<T, D> viscous{};
    vector(kind + "viscous reaction ", walls, viscous.force);
    const auto reaction = confined ? sweeps.viscous_reaction_confined : sweeps.viscous_reaction_free_surface;
    reaction(s.input(false, confined), viscous, 0, wall_chunks);
  }
  delta::WallResults<T, D> wall{results.add("weight", walls), results.add("wall pressure", walls), {}, {}};
  vector("lever ", walls, wall.lever);
  vector("velocity ", walls, wall.velocity);
  sweeps.walls(s.input(false), wall, 0, wall_chunks);
  delta::ReactionResults<T, D> pressure{};
  vector("pressure reaction ", walls, pressure.force);
  sweeps.pressure_reaction(s.input(false), pressure, 0, wall_chunks);
  return results;
}

template <int D>
void check_flavours() {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    auto scene = random_scene<float, D>(seed == 4 ? 5 : 150, seed == 4 ? 3 : 70, seed);
    if (seed == 2) scene.in.min_pressure_at_walls = 0;
    const auto plain = run<float, D>(delta::sweeps_scalar<float, D>(), scene);
    const auto compare = [&](const delta::Sweeps<float, D>& sweeps, const char* instructions) {
      const auto found = run<float, D>(sweeps, scene);
      for (std::size_t k = 0; k < plain.values.size(); ++k) {
        const auto different = fixture::different_bits(plain.values[k], found.values[k], plain.values[k].size());
        if (different > 0)
          harness::fail(__FILE__, __LINE__,
                        std::string(instructions) + ": " + std::to_string(different) + " values of `" + plain.names[k] +
                            "` differ");
      }
    };
    for (const auto& set : instruction_sets()) {
      (void)compare;
#ifdef EDDYLINE_HAS_AVX2
      if (set == "avx2") compare(delta::sweeps_avx2<float, D>(), "avx2");
#endif
#ifdef EDDYLINE_HAS_AVX512
      if (set == "avx512") {
        compare(delta::sweeps_avx512<float, D>(false), "avx512, transposing");
        compare(delta::sweeps_avx512<float, D>(true), "avx512, gathering");
      }
#endif
    }
  }
}

/// Gives gradients and velocities of shifting values that half the bits of a float hold, so that all rows say the same.
template <int D>
void coarsen(Scene<float, D>& s) {
  const auto round = [](float& value) { value = upper_half(Pack<float, 1>(pack_halves(value, 0.0F))).v; };
  for (std::int32_t i = 0; i < s.fluid; ++i)
    for (int d = 0; d < D; ++d) {
      round(s.moving.row(i)[2 * D + 2 + d]);
      round(s.w[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)]);
    }
}

/// The sums of single and double precision agree: the plain code is right in both. Those of confined flows do if half
/// the bits hold what they have to.
template <int D>
void check_precisions(bool coarse) {
  auto narrow = random_scene<float, D>(120, 60, 9);
  if (coarse) coarsen(narrow);
  auto wide = random_scene<double, D>(120, 60, 9);
  const auto widen = [](const auto& from, auto& to, std::int32_t rows) {
    for (std::int32_t i = 0; i < rows; ++i)
      for (int k = 0; k < from.width(); ++k) {
        to.row(i)[k] = from.row(i)[k];
        if (k < D) to.put_fixed(to.row(i).first + k, from.get_fixed(from.row(i).first + k));
      }
  };
  for (std::size_t i = 0; i < narrow.w.size(); ++i) std::ranges::copy(narrow.w[i], wide.w[i].begin());
  widen(narrow.moving, wide.moving, 120), widen(narrow.pressed, wide.pressed, 120), widen(narrow.wall, wide.wall, 60);
  const auto a = run<float, D>(delta::sweeps_scalar<float, D>(), narrow);
  const auto b = run<double, D>(delta::sweeps_scalar<double, D>(), wide);
  for (std::size_t k = 0; k < a.values.size(); ++k) {
    if (a.names[k] == "surface" || a.names[k].starts_with("shift")) continue;  // they jump where the surface begins
    if (!coarse && (a.names[k].starts_with("morris") || a.names[k].starts_with("confined viscous"))) continue;
    double largest = 0;
    for (const double value : b.values[k]) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < a.values[k].size(); ++i)
      CHECK_NEAR(static_cast<double>(a.values[k][i]), b.values[k][i], 2e-5 * largest);
  }
}

/// Tells the two halves apart: twice the shifting velocity transports twice as much and diffuses nothing; another
/// gradient diffuses and transports nothing. Coarse gradients diffuse the same with and without a free surface.
template <int D>
void check_halves() {
  auto s = random_scene<float, D>(120, 60, 9);
  coarsen(s);
  s.in.nu_fluid = s.in.nu_wall = 0;  // what shifting carries alone
  const auto sum = [&] { return run<float, D>(delta::sweeps_scalar<float, D>(), s); };
  const auto before = sum();
  CHECK(before["morris diffusion"] == before["central diffusion"]);
  for (auto& w : s.w)
    for (float& component : w) component *= 2;
  const auto shifted = sum();
  for (std::int32_t i = 0; i < s.fluid; ++i)
    for (int d = 0; d < D; ++d) s.moving.row(i)[2 * D + 2 + d] *= 2;
  const auto diffused = sum();
  CHECK(shifted["morris diffusion"] == before["morris diffusion"]);
  CHECK(diffused["morris diffusion"] != before["morris diffusion"]);
  for (int d = 0; d < D; ++d) {
    const std::string name = std::string("morris viscous ") + "xyz"[d];
    auto twice = before[name];
    for (float& value : twice) value *= 2;
    CHECK(shifted[name] == twice && twice != before[name]);
    CHECK(diffused[name] == shifted[name]);
  }
}

template <class T>
void clear(neighbors::PairData<T>& rows, std::int32_t r) {
  for (int k = 0; k < rows.width(); ++k) rows.row(r)[k] = T(0);
}

/// Fluid on a lattice of spacing dx = R / ratio around one particle, row 0, that has all others as neighbours.
template <int D>
Scene<double, D> lattice(double ratio, bool wall_in_the_middle) {
  const auto points = fixture::lattice_points<D>(static_cast<std::int32_t>(ratio) + 1);
  const auto count = static_cast<std::int32_t>(points.size());
  Scene<double, D> s(count, wall_in_the_middle ? 1 : 0);
  const double volume = std::pow(1 / ratio, D);
  s.in.kernel_constant = 20 * WendlandC2::sigma(D) * volume;
  const double w_dx = WendlandC2::value(1 / ratio);
  s.in.crowding = 0.2 / (w_dx * w_dx * w_dx * w_dx);
  for (std::int32_t i = 0; i < count; ++i) {
    const auto m = s.moving.row(i), p = s.pressed.row(i);
    clear(s.moving, i), clear(s.pressed, i);
    m[2 * D + 1] = p[D + 1] = 1;
    for (int d = 0; d < D; ++d) {
      const auto x = static_cast<std::int32_t>(
          std::lround(points[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)] / ratio * 0x1p26));
      s.moving.put_fixed(m.first + d, x), s.pressed.put_fixed(p.first + d, x);
    }
  }
  if (wall_in_the_middle) clear(s.wall, 0), s.wall.row(0)[D + 1] = 1;
  const auto others = [&](std::int32_t i) {
    std::vector<std::int32_t> list;
    for (std::int32_t j = wall_in_the_middle ? 0 : 1; j < count && i == 0; ++j) list.push_back(j);
    return list;
  };
  s.fluid_fluid = s.lists.chunks(count, count, others);
  s.fluid_wall = s.lists.chunks(count, 0, [](std::int32_t) { return std::vector<std::int32_t>{}; });
  s.wall_fluid = s.lists.chunks(s.walls, count, others);
  return s;
}

constexpr double ratio_of(int dimensions) { return dimensions == 2 ? 4.0 : 3.0; }  // R/dx: h = 2 dx, 1.5 dx

/// A linear velocity field v = A x: its divergence is the trace of A; rotation and shear have none.
template <int D>
void check_divergence() {
  const double ratio = ratio_of(D);
  const double gradient[3][3] = {{0.7, 0.3, -0.2}, {-0.5, -0.2, 0.4}, {0.1, 0.6, 0.9}};
  auto s = lattice<D>(ratio, false);
  for (std::int32_t i = 0; i < s.fluid; ++i)
    for (int a = 0; a < D; ++a) {
      s.moving.row(i)[D + a] = 0.25;  // the same everywhere: must not matter
      for (int b = 0; b < D; ++b)
        s.moving.row(i)[D + a] += gradient[a][b] * 0x1p-26 * s.moving.get_fixed(s.moving.row(i).first + b);
    }
  double trace = 0;
  for (int d = 0; d < D; ++d) trace += gradient[d][d];
  const auto found = run<double, D>(delta::sweeps_scalar<double, D>(), s);
  CHECK_NEAR(s.in.kernel_constant * found["morris divergence"][0], trace, 0.01 * trace);
  // A linear field has no viscous force, and an even pressure no pressure force; inside there is no surface.
  for (int d = 0; d < D; ++d) {
    CHECK_NEAR(found[std::string("morris viscous ") + "xyz"[d]][0], 0, 1e-6);
    CHECK_NEAR(found[std::string("central viscous ") + "xyz"[d]][0], 0, 1e-6);
    CHECK_NEAR(found[std::string("pressure ") + "xyz"[d]][0], 0, 1e-6);
    CHECK_NEAR(found[std::string("shift ") + "xyz"[d]][0], 0, 1e-6);
  }
  CHECK(found["surface"][0] == 0);
  CHECK(found["surface"][1] == 2);  // has no neighbours
}

/// Quadratic velocity fields v = e (n . x)^2, n across e: the Laplacian is 2 e. On a lattice both forms are about as
/// good along its rows as across them.
template <int D>
void check_laplacian(double along_rows, double across) {
  const auto laplacian = [](const std::string& form, double weight, const std::array<double, 2>& e) {
    auto s = lattice<D>(ratio_of(D), false);
    for (std::int32_t i = 0; i < s.fluid; ++i) {
      const auto row = s.moving.row(i);
      const double x = 0x1p-26 * s.moving.get_fixed(row.first), y = 0x1p-26 * s.moving.get_fixed(row.first + 1);
      const double n_x = e[0] * y - e[1] * x;
      for (int d = 0; d < 2; ++d) row[D + d] = e[static_cast<std::size_t>(d)] * n_x * n_x;
    }
    s.in.nu_fluid = weight;
    // Units are R and c0: dv/dt = -K viscous = nu_lap v, with nu/(c0 R) = 1.
    const auto found = run<double, D>(delta::sweeps_scalar<double, D>(), s);
    return -s.in.kernel_constant * (e[0] * found[form + " viscous x"][0] + e[1] * found[form + " viscous y"][0]);
  };
  const double central = 2 * (D + 2) * central_viscosity_constant<double>(D);
  for (const auto& [e, tolerance] :
       {std::pair{std::array{1.0, 0.0}, along_rows}, {std::array{std::sqrt(0.5), std::sqrt(0.5)}, across}}) {
    CHECK_NEAR(laplacian("morris", 2, e), 2, 0.02);
    CHECK_NEAR(laplacian("central", central, e), 2, 2 * tolerance);
  }
}

/// sum V W = 1, sum V W (r_w - r_f) = 0: seen by a wall's particle in the middle of fluid.
template <int D>
void check_normalisation() {
  const double ratio = ratio_of(D);
  auto s = lattice<D>(ratio, true);
  for (std::int32_t i = 0; i < s.fluid; ++i) s.pressed.row(i)[D] = 0.125;
  const auto found = run<double, D>(delta::sweeps_scalar<double, D>(), s);
  const double constant = WendlandC2::sigma(D) * std::pow(1 / ratio, D);
  CHECK_NEAR(constant * found["weight"][0], 1, 0.005);
  CHECK_NEAR(found["wall pressure"][0] / found["weight"][0], 0.125, 1e-14);
  for (int d = 0; d < D; ++d) CHECK_NEAR(found[std::string("lever ") + "xyz"[d]][0], 0, 1e-6);
}

/// Two particles: what they do to each other, times their volumes (and densities, where a sweep gives accelerations),
/// adds up to nothing.
template <int D>
void check_antisymmetry() {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    auto s = random_scene<double, D>(2, 1, seed);
    for (int d = 0; d < D; ++d) {  // within R of each other
      const auto x =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(s.moving.get_fixed(s.moving.row(0).first + d)) +
                                    (12345679u * (seed + static_cast<unsigned>(d))) % (1u << 25));
      s.moving.put_fixed(s.moving.row(1).first + d, x), s.pressed.put_fixed(s.pressed.row(1).first + d, x);
    }
    // Both pressures get one sign because they are summed separately.
    for (std::int32_t i = 0; i < 2; ++i) s.pressed.row(i)[D] = std::abs(s.pressed.row(i)[D]);
    s.fluid_fluid = s.lists.chunks(2, 2, [](std::int32_t i) { return std::vector<std::int32_t>{1 - i}; });
    s.fluid_wall = s.lists.chunks(2, 1, [](std::int32_t) { return std::vector<std::int32_t>{}; });
    const auto found = run<double, D>(delta::sweeps_scalar<double, D>(), s);
    const auto check = [&](const std::string& name, const auto& rows, int volume_at, bool acceleration) {
      const auto weight = [&](std::int32_t k) {
        return rows.row(k)[volume_at] * (acceleration ? 1 + rows.row(k)[2 * D] : 1.0);
      };
      for (int d = 0; d < D; ++d) {
        const auto& f = found[name + "xyz"[d]];
        const double i = weight(0) * f[0], j = weight(1) * f[1];
        if (i == 0)
          harness::fail(__FILE__, __LINE__, "no force: " + name + "xyz"[d] + " of seed " + std::to_string(seed));
        CHECK_NEAR(i + j, 0, 1e-15 * std::abs(i));
      }
    };
    check("pressure ", s.pressed, D + 1, false);
    check("morris viscous ", s.moving, 2 * D + 1, true);
    check("central viscous ", s.moving, 2 * D + 1, true);
  }
}

/// Forces on a wall and on the fluid are equal and opposite.
template <int D>
void check_reactions() {
  auto s = random_scene<double, D>(40, 23, 5);
  s.fluid_fluid = s.lists.chunks(40, 40, [](std::int32_t) { return std::vector<std::int32_t>{}; });
  const auto all = [](std::int32_t count) {
    std::vector<std::int32_t> list;
    for (std::int32_t j = 0; j < count; ++j) list.push_back(j);
    return list;
  };
  s.fluid_wall = s.lists.chunks(40, 23, [&](std::int32_t) { return all(23); });
  s.wall_fluid = s.lists.chunks(23, 40, [&](std::int32_t) { return all(40); });
  for (const double suction : {std::numeric_limits<double>::lowest(), 0.0}) {
    s.in.min_pressure_at_walls = suction;
    const auto found = run<double, D>(delta::sweeps_scalar<double, D>(), s);
    for (int d = 0; d < D; ++d) {
      const std::string axis(1, "xyz"[d]);
      double pressure = 0, viscous = 0, scale = 0;  // of the sums on both sides
      for (std::int32_t i = 0; i < s.fluid; ++i) {
        const auto k = static_cast<std::size_t>(i);
        pressure += s.pressed.row(i)[D + 1] * found["pressure " + axis][k];
        viscous += s.moving.row(i)[2 * D + 1] * (1 + s.moving.row(i)[2 * D]) * found["morris viscous " + axis][k];
      }
      for (std::int32_t w = 0; w < s.walls; ++w) {
        const auto k = static_cast<std::size_t>(w);
        pressure += found["pressure reaction " + axis][k];
        viscous -= found["confined viscous reaction " + axis][k];
        scale +=
            std::abs(found["pressure reaction " + axis][k]) + std::abs(found["confined viscous reaction " + axis][k]);
      }
      CHECK(scale > 0);
      CHECK_NEAR(pressure, 0, 1e-14 * scale);
      CHECK_NEAR(viscous, 0, 1e-14 * scale);
    }
  }
}

}  // namespace

TEST(every_instruction_set_gives_the_bits_of_the_plain_code) {
  check_flavours<2>();
  check_flavours<3>();
}
TEST(single_and_double_precision_agree) {
  for (const bool coarse : {false, true}) {
    check_precisions<2>(coarse);
    check_precisions<3>(coarse);
  }
}
TEST(rows_of_confined_flows_tell_the_gradient_from_the_velocity_of_shifting) {
  check_halves<2>();
  check_halves<3>();
}
TEST(pairs_act_equally_and_oppositely) {
  check_antisymmetry<2>();
  check_antisymmetry<3>();
}
TEST(walls_feel_what_they_do) {
  check_reactions<2>();
  check_reactions<3>();
}
TEST(a_linear_velocity_field_has_its_exact_divergence) {
  check_divergence<2>();
  check_divergence<3>();
}
TEST(a_quadratic_velocity_field_has_its_laplacian) {
  check_laplacian<2>(0.003, 0.012);
  check_laplacian<3>(0.003, 0.042);
}
TEST(the_kernel_sums_to_one) {
  check_normalisation<2>();
  check_normalisation<3>();
}
