#pragma once
// Sweeps of rates with terms that a world states as formulas, see terms.hpp. Compiled for every instruction set.

#include <cstdint>
#include <string>
#include <vector>

#include "physics/delta/sweeps.hpp"
#include "physics/terms/pair_input.hpp"
#include "physics/terms/terms.hpp"

namespace eddyline::physics::terms {

template <class T>
struct SweepInput : PairInput<T> {
  const PairProgram* program = nullptr;
  std::vector<Program::Filled> filled;
};

/// The sweeps of rates of the scheme delta, see delta::Sweeps, that also subtract the accelerations by terms of pairs
/// from RateResults::viscous [unit], see PairInput.
template <class T, int D>
struct Sweeps {
  using Rates = void (*)(const delta::SweepInput<T>&, const SweepInput<T>&, const delta::RateResults<T, D>&,
                         std::int64_t first_chunk, std::int64_t last_chunk);
  Rates rates_morris, rates_central;
};

template <class T, int D>
Sweeps<T, D> sweeps_scalar();
template <class T, int D>
Sweeps<T, D> sweeps_avx2();
template <class T, int D>
Sweeps<T, D> sweeps_avx512();

/// Returns the sweeps for an instruction set, named as in instruction_sets(); double precision uses the scalar ones.
template <class T, int D>
Sweeps<T, D> choose_sweeps(const std::string& instructions);

}  // namespace eddyline::physics::terms
