#pragma once
// Numbers that a step raises, and places where the host decides about particles.

#include <cstdint>

#include "device/atomics.hpp"
#include "device/drift.hpp"
#include "device/flow.hpp"

namespace eddyline::device {

/// Numbers that loops raise, in one block, so that one copy brings them to the host; see StepMaxima.
struct StepNumbers {
  unsigned long long speed2 = 0, moved2 = 0, signal = 0, acceleration2 = 0;  // bits
  unsigned int bad = 0, contacts = 0, suspects = 0, counted = 0;
  DriftMaxima drift;
};

/// Tells whether a box meets the bounding box of a body; corners: two of each.
template <int D>
EDDYLINE_INLINE bool meets_body(const Vec3* corners, std::int32_t bodies, const Vec3& lowest, const Vec3& highest) {
  for (std::int32_t b = 0; b < bodies; ++b) {
    bool apart = false;
    for (int d = 0; d < D; ++d) apart |= (highest[d] < corners[2 * b][d]) | (lowest[d] > corners[2 * b + 1][d]);
    if (!apart) return true;
  }
  return false;
}

/// Counts particles that the host may have to decide about before the next rebuild, at sides and inflows.
template <int D>
struct CountBesideSides {
  const double* x[D];
  HostSides sides;
  const InflowPlane* inflow;
  std::int32_t inflows;
  unsigned int* count;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t i) const {
    Vec3 place;
    for (int d = 0; d < D; ++d) place[d] = x[d][i];
    bool near = sides.sides.is_beside(place, sides.reach);
    for (std::int32_t k = 0; k < inflows; ++k)
      near = near || inflow[k].inward * (inflow[k].plane - place[inflow[k].axis]) > -sides.reach;
    if (near) take_number(count);
  }
};

}  // namespace eddyline::device
