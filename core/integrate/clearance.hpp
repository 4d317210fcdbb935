#pragma once

#include "integrate/contact.hpp"
#include "integrate/flow.hpp"
#include "integrate/particle_span.hpp"

namespace eddyline::integrate {

/// Whether nobody of a span can have got into a wall at the places x.
template <class T, int D>
bool is_clear(const Flow<T, D>& flow, const Contact& contact, const ParticleSpan& span, const SpanValues* x) {
  Vec3 lowest, highest;
  for (int d = 0; d < D; ++d) {
    const double* along = x[d].value;
    double low = along[0], high = along[0];
#pragma omp simd reduction(min : low) reduction(max : high)
    for (std::size_t l = 0; l < span.count; ++l) low = std::min(low, along[l]), high = std::max(high, along[l]);
    lowest[d] = low, highest[d] = high;
  }
  if (!contact.sides_are_clear(lowest, highest)) return false;
  if (contact.bodies_are_clear(lowest, highest)) return true;
  // Between the corners of a bent body there is much that is not near it.
  for (std::size_t i = span.first; i < span.first + span.count; ++i)
    if (flow.is_near_walls(i)) return false;
  return true;
}

}  // namespace eddyline::integrate
