#include "driver/arithmetic.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/instructions.hpp"
#include "base/random.hpp"
#include "neighbors/rows.hpp"
#include "physics/delta/sweeps.hpp"

namespace eddyline::driver {

namespace {

constexpr std::int32_t k_neighbors = 64, k_chunks = 64;
constexpr double k_seconds = 0.005;  // of a repetition
constexpr int k_repetitions = 3;

template <int D>
double limit(bool free_surface, const std::string& instructions) {
  constexpr float k_quanta = 1 << 26;  // to an interaction radius
  neighbors::Rows<float> moving(physics::delta::k_moving_width<D>), pressed(physics::delta::k_pressed_width<D>);
  moving.resize(k_neighbors), pressed.resize(k_neighbors);
  for (std::int32_t j = 0; j < k_neighbors; ++j) {
    const auto random = [&](int k) {
      return static_cast<float>(uniform_random(1, static_cast<std::uint64_t>(j), static_cast<std::uint64_t>(k))) - 0.5F;
    };
    for (int k = 0; k < moving.width(); ++k) {
      const float value = 0.1F * random(k);
      const bool is_halved = k >= 2 * D + 2 && !free_surface;
      moving.row(j)[k] = is_halved ? in_halves(value / k_quanta, value / k_quanta) : value;
    }
    for (int k = 0; k < pressed.width(); ++k) pressed.row(j)[k] = 0.1F * random(k);
    for (int d = 0; d < D; ++d) {
      const auto x = static_cast<std::int32_t>(random(d) * k_quanta);
      moving.put_fixed(moving.row(j).first + d, x);
      pressed.put_fixed(pressed.row(j).first + d, x);
    }
  }
  std::vector<std::int32_t> entries, slots;
  for (std::int32_t j = 0; j < k_neighbors; ++j) entries.insert(entries.end(), neighbors::k_chunk, j * k_row_step);
  for (std::int32_t i = 0; i < k_chunks * neighbors::k_chunk; ++i) slots.push_back(i % k_neighbors);
  const std::vector<neighbors::Chunk> chunks(k_chunks, {entries.data(), k_neighbors}), no_walls(k_chunks);

  physics::delta::SweepInput<float> in;
  in.moving = moving.data();
  in.pressed = pressed.data();
  in.targets.slot = slots.data();
  in.targets.count = static_cast<std::int64_t>(slots.size());
  in.fluid_neighbors = chunks.data();
  in.wall_neighbors = no_walls.data();
  in.scale = 1 / k_quanta;
  in.nu_fluid = in.crowding = in.kernel_constant = 0.1F;
  std::vector<float> result[3 + 3 * D];
  for (auto& values : result) values.resize(slots.size());
  physics::delta::RateResults<float, D> rates{result[0].data(), result[1].data(), {}};
  physics::delta::ForceResults<float, D> forces{};
  std::vector<std::uint8_t> surface(slots.size());
  forces.surface = surface.data();
  forces.filling = result[2].data();
  for (int d = 0; d < D; ++d) {
    rates.viscous[d] = result[3 + d].data();
    forces.pressure[d] = result[3 + D + d].data();
    forces.shift[d] = result[3 + 2 * D + d].data();
  }

  const auto sweeps = physics::delta::choose_sweeps<float, D>(choose_instructions(instructions));
  const auto& arithmetic = free_surface ? sweeps.arithmetic_free_surface : sweeps.arithmetic_confined;
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  double best = 0;
  for (int repetition = 0; repetition < k_repetitions; ++repetition) {
    const auto start = Clock::now();
    double pairs = 0;
    do {
      arithmetic.rates(in, rates, 0, k_chunks);
      arithmetic.forces(in, forces, 0, k_chunks);
      pairs += static_cast<double>(k_chunks) * neighbors::k_chunk * k_neighbors;
    } while (seconds_since(start) < k_seconds);
    best = std::max(best, pairs / seconds_since(start));
  }
  return best;
}

}  // namespace

double arithmetic_limit(int dimensions, bool free_surface, const std::string& instructions) {
  return dimensions == 3 ? limit<3>(free_surface, instructions) : limit<2>(free_surface, instructions);
}

}  // namespace eddyline::driver
