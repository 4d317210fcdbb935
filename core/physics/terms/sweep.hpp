#pragma once
// The sweep over pairs for terms that a world states as formulas, see terms.hpp. Compiled for every instruction set.

#include <cstdint>
#include <string>
#include <vector>

#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "physics/terms/terms.hpp"

namespace eddyline::physics::terms {

template <class T>
struct SweepInput {
  neighbors::RowParts<const T> rows;  // of the midpoint of a step, see delta::k_midpoint_width
  neighbors::Targets targets;
  const neighbors::Chunk* neighbors = nullptr;
  const double* x[3] = {};  // places of the targets at the start of the step [m]
  double path = 0;          // dt c0: from a velocity in a row to the way in a step [m]
  T quantum = 0, half_path = 0;
  T inverse_radius = 0;                                            // 1/R [1/m]
  T kernel = 0, slope = 0;                                         // of W and dW/dr: sigma / R^D, -20 sigma / R^(D + 1)
  T sound_speed = 0, density = 0, sound_pressure = 0, volume = 0;  // c0, rho0, rho0 c0^2, dx^D
  T per_unit = 0;                                                  // 1 / unit of the sums that are added to [s^2/m]
  const PairProgram* program = nullptr;
  std::vector<Program::Filled> filled;
};

/// Subtracts the accelerations by terms of pairs from out[d] [unit]. A pair interacts while it is nearer than R at the
/// end of the step; places are those at the end, velocities those of the midpoint.
template <class T>
using Sweep = void (*)(const SweepInput<T>&, T* const* out, std::int64_t first_chunk, std::int64_t last_chunk);

template <class T, int D>
Sweep<T> sweep_scalar();
template <class T, int D>
Sweep<T> sweep_avx2();
template <class T, int D>
Sweep<T> sweep_avx512();

/// Returns the sweep for an instruction set, named as in instruction_sets(); double precision uses the scalar one.
template <class T, int D>
Sweep<T> choose_sweep(const std::string& instructions);

}  // namespace eddyline::physics::terms
