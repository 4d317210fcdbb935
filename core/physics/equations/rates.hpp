#pragma once

#include "physics/equations/patch_loops.hpp"

namespace eddyline::physics {

/// Models that give rates of change. P: the pack of the instruction set.
template <class P, class Model>
struct RatesOnPatch {
  static void advance(const void* opaque, const Stage& s, double*) {
    const Model& model = *static_cast<const Model*>(opaque);
    const std::int32_t nx = s.place.cells.count(0), ny = s.place.cells.count(1), nz = s.place.cells.count(2);
    std::ptrdiff_t i = 0;
    for (std::int32_t z = 0; z < nz; ++z)
      for (std::int32_t y = 0; y < ny; ++y, i += nx)
        for_row<P>(0, nx, [&]<class Q>(Q, std::int32_t x) {
          const Stencil<Q> stencil{s.in, x, y, z, s.place.spacing, s.coefficients, i + x, s.signal};
          store_stage<Q>(model, s, i + x, model.rates(stencil));
        });
  }
};

}  // namespace eddyline::physics
