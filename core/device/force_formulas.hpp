#pragma once
// A body force by formulas of place and time.

#include <cstdint>

#include "base/vec.hpp"
#include "world/formula/run.hpp"

namespace eddyline::device {

/// The programs of a force on the device, one after the other: [begin[d], begin[d + 1]) along axis d.
struct ForceFormulas {
  const world::formula::Instruction* code = nullptr;  // null: the force is the same everywhere
  std::int32_t begin[4] = {};

  /// Adds the accelerations at x and time t to a uniform one.
  template <int D>
  EDDYLINE_INLINE Vec3 at(const Vec3& uniform, const Vec3& x, double t) const {
    Vec3 f = uniform;
    if (code == nullptr) return f;
    const double values[4] = {x.x, x.y, x.z, t};
    for (int d = 0; d < D; ++d)
      f[d] += world::formula::run<double>(code + begin[d], static_cast<std::size_t>(begin[d + 1] - begin[d]),
                                          world::formula::Doubles{}, [&](std::size_t v) { return values[v]; });
    return f;
  }
};

}  // namespace eddyline::device
