#pragma once
// Implementation of the sweeps as templates over the pack type P and the dimension D, included by flavours/.

#include "physics/delta/sweeps_impl.hpp"
#include "physics/terms/pair_terms.hpp"

namespace eddyline::physics::terms {

template <class P, int D, delta::FluidViscosity viscosity, class T = typename P::value_type>
void rates(const delta::SweepInput<T>& in, const SweepInput<T>& by, const delta::RateResults<T, D>& out,
           std::int64_t first_chunk, std::int64_t last_chunk) {
  PairTerms<P, D> terms(by);
  neighbors::for_each_part<P>(first_chunk, last_chunk, [&](std::int64_t c, int part) {
    delta::rates_of<P, D, viscosity, neighbors::OwnNeighbors>(in, out, c, part, terms);
  });
}

template <class P, int D>
Sweeps<typename P::value_type, D> make_sweeps() {
  return {rates<P, D, delta::FluidViscosity::morris>, rates<P, D, delta::FluidViscosity::central>};
}

}  // namespace eddyline::physics::terms
