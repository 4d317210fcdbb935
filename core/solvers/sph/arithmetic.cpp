#include "solvers/sph/arithmetic.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "base/instructions.hpp"
#include "base/random.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/classic/sweeps.hpp"
#include "physics/delta/sweeps.hpp"

namespace eddyline::sph {

namespace {

constexpr std::int32_t k_neighbors = 64, k_chunks = 64;
constexpr std::int64_t k_targets = k_chunks * neighbors::k_chunk;
constexpr float k_quanta = 1 << 26;  // to an interaction radius
constexpr double k_seconds = 0.005;  // of a repetition
constexpr int k_repetitions = 3;

/// Between -0.05 and 0.05, by row and value.
float small_value(std::int32_t row, int value) {
  return 0.1F *
         (static_cast<float>(uniform_random(1, static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(value))) -
          0.5F);
}

/// Rows of particles at random places within half an interaction radius, with values(row, value) besides.
template <int D, class Values>
neighbors::PairData<float> make_rows(int width, Values&& values) {
  neighbors::PairData<float> rows(width);
  rows.resize(k_neighbors);
  for (std::int32_t j = 0; j < k_neighbors; ++j) {
    const auto row = rows.row(j);
    for (int k = D; k < width; ++k) row[k] = values(j, k);
    for (int d = 0; d < D; ++d)
      rows.put_fixed(row.first + d, static_cast<std::int32_t>(10 * small_value(j, d) * k_quanta));
  }
  return rows;
}

/// Chunks whose particles all have all rows as neighbours, and no walls.
struct Lists {
  std::vector<std::int32_t> entries, slots;
  std::vector<neighbors::Chunk> chunks, none;

  Lists() : none(k_chunks) {
    for (std::int32_t j = 0; j < k_neighbors; ++j) entries.insert(entries.end(), neighbors::k_chunk, j * k_row_step);
    for (std::int32_t i = 0; i < k_targets; ++i) slots.push_back(i % k_neighbors);
    chunks.assign(k_chunks, {entries.data(), k_neighbors});
  }

  template <class SweepInput>
  void put_into(SweepInput& in) const {
    in.targets.slot = slots.data();
    in.targets.count = k_targets;
    in.fluid_neighbors = chunks.data();
    in.wall_neighbors = none.data();
    in.scale = 1 / k_quanta;
  }
};

/// Room for what sweeps find, a value after the other.
class Results {
 public:
  float* take() { return arrays_.emplace_back(k_targets).data(); }

 private:
  std::vector<std::vector<float>> arrays_;
};

/// The best of some repetitions of sum(), once over all pairs.
template <class Sum>
double best_rate(Sum&& sum) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  double best = 0;
  for (int repetition = 0; repetition < k_repetitions; ++repetition) {
    const auto start = Clock::now();
    double pairs = 0;
    do {
      sum();
      pairs += static_cast<double>(k_targets) * k_neighbors;
    } while (seconds_since(start) < k_seconds);
    best = std::max(best, pairs / seconds_since(start));
  }
  return best;
}

template <int D>
double limit_of_delta(bool free_surface, const std::string& instructions) {
  using namespace physics::delta;
  const auto moving = make_rows<D>(k_midpoint_width<D>, [&](std::int32_t j, int k) {
    const float value = small_value(j, k);
    const bool is_halved = k >= 2 * D + 2 && !free_surface;
    return is_halved ? pack_halves(value / k_quanta, value / k_quanta) : value;
  });
  const auto pressed = make_rows<D>(k_end_width<D>, small_value);
  const Lists lists;
  SweepInput<float> in;
  lists.put_into(in);
  in.midpoint_fluid = moving.data();
  in.end_fluid = pressed.data();
  in.nu_fluid = in.crowding = in.kernel_constant = 0.1F;
  Results results;
  RateResults<float, D> rates{results.take(), results.take(), {}, results.take()};
  ForceResults<float, D> forces{};
  std::vector<std::uint8_t> surface(k_targets);
  forces.surface = surface.data();
  forces.volume_fraction = results.take();
  for (int d = 0; d < D; ++d)
    rates.viscous[d] = results.take(), forces.pressure[d] = results.take(), forces.shift[d] = results.take();

  const auto sweeps = choose_sweeps<float, D>(instructions);
  const auto& arithmetic = free_surface ? sweeps.arithmetic_free_surface : sweeps.arithmetic_confined;
  return best_rate([&] {
    arithmetic.rates(in, rates, 0, k_chunks);
    arithmetic.forces(in, forces, 0, k_chunks);
  });
}

template <int D>
double limit_of_classic(bool gas, const std::string& instructions) {
  using namespace physics::classic;
  const auto fluid = make_rows<D>(k_fluid_width<D>, [](std::int32_t j, int k) {
    const bool is_positive = k == 2 * D || k == 2 * D + 1 || k == 2 * D + 3;  // m, rho, c
    return is_positive ? 1 + small_value(j, k) : small_value(j, k);
  });
  const Lists lists;
  SweepInput<float> in;
  lists.put_into(in);
  in.fluid = fluid.data();
  in.alpha = in.beta = in.nu = in.conductivity = 0.1F;
  Results results;
  RateResults<float, D> out{};
  for (float** value : {&out.density, &out.heating, &out.spread, &out.closing}) *value = results.take();
  for (int d = 0; d < D; ++d) out.force[d] = results.take();

  const auto sweeps = choose_sweeps<float, D>(instructions);
  const auto rates = gas ? sweeps.arithmetic_gas : sweeps.arithmetic_liquid;
  return best_rate([&] { rates(in, out, 0, k_chunks); });
}

template <int D>
double limit(const std::string& sums, const std::string& instructions) {
  if (sums == "confined" || sums == "free surface") return limit_of_delta<D>(sums == "free surface", instructions);
  if (sums == "liquid" || sums == "gas") return limit_of_classic<D>(sums == "gas", instructions);
  throw std::invalid_argument("sums \"" + sums + "\": must be confined, free surface, liquid or gas");
}

}  // namespace

double arithmetic_limit(int dimensions, const std::string& sums, const std::string& instructions) {
  const std::string chosen = choose_instructions(instructions);
  return dimensions == 3 ? limit<3>(sums, chosen) : limit<2>(sums, chosen);
}

}  // namespace eddyline::sph
