#pragma once
// Sweeps of a module's term for the instruction sets; each is defined in a file that is compiled for it.

#include "physics/terms/pair_input.hpp"

namespace eddyline::module {

template <class T>
using TermSweep = void (*)(const void* model, const physics::terms::PairInput<T>& in, T* const* out,
                           std::int64_t first_chunk, std::int64_t last_chunk);

template <int D>
TermSweep<double> term_sweep_double();
template <int D>
TermSweep<float> term_sweep_scalar();
template <int D>
TermSweep<float> term_sweep_avx2();
template <int D>
TermSweep<float> term_sweep_avx512();

}  // namespace eddyline::module
