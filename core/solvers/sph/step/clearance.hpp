#pragma once

#include <algorithm>

#include "base/lanes.hpp"
#include "domain/contact.hpp"
#include "solvers/sph/lists/lists.hpp"
#include "solvers/sph/step/particle_span.hpp"

namespace eddyline::sph {

using domain::Contact;

/// Tells whether no particle of a span can be in a wall at the places x.
template <class T, int D>
bool is_clear(const Lists<T, D>& lists, const Contact& contact, const ParticleSpan& span, const SpanValues* x) {
  constexpr std::size_t k_lanes = Pack4d::width;
  Vec3 lowest, highest;
  for (int d = 0; d < D; ++d) {
    const double* along = x[d].value;
    Pack4d low(along[0]), high(along[0]);  // packs, because the compiler does not vectorise such a loop by itself
    std::size_t l = 0;
    for (; l + k_lanes <= span.count; l += k_lanes) {
      const Pack4d some = Pack4d::load(along + l);
      low = min(some, low), high = max(some, high);
    }
    lowest[d] = std::min({low.v[0], low.v[1], low.v[2], low.v[3]});
    highest[d] = std::max({high.v[0], high.v[1], high.v[2], high.v[3]});
    for (; l < span.count; ++l) lowest[d] = std::min(lowest[d], along[l]), highest[d] = std::max(highest[d], along[l]);
  }
  if (!contact.sides_are_clear(lowest, highest)) return false;
  if (contact.bodies_are_clear(lowest, highest)) return true;
  // The bounding box of a bent body contains much space that is not near it.
  for (std::size_t i = span.first; i < span.first + span.count; ++i)
    if (lists.is_near_walls(i)) return false;
  return true;
}

}  // namespace eddyline::sph
