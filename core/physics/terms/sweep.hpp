#pragma once
// The sweep over pairs for terms that a world states as formulas, see terms.hpp. Compiled for every instruction set.

#include <cstdint>
#include <string>
#include <vector>

#include "physics/terms/pair_input.hpp"
#include "physics/terms/terms.hpp"

namespace eddyline::physics::terms {

template <class T>
struct SweepInput : PairInput<T> {
  const PairProgram* program = nullptr;
  std::vector<Program::Filled> filled;
};

/// Subtracts the accelerations by terms of pairs from out[d] [unit], see PairInput.
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
