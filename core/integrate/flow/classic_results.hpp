#pragma once

#include "base/arrays.hpp"

namespace eddyline::integrate {

/// What the sweeps of the scheme classic write, for the fluid in whole chunks; see physics/classic/sweeps.hpp.
template <class T, int D>
struct ClassicResults {
  Array<T> density, heating, force[D], drift[D], spread, closing;

  void resize(std::size_t fluid) {
    for_each([fluid](Array<T>& array) { array.resize(fluid); });
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    const_cast<ClassicResults*>(this)->for_each([&sum](const Array<T>& array) { sum += array.bytes(); });
    return sum;
  }

 private:
  template <class Visit>
  void for_each(Visit&& visit) {
    visit(density), visit(heating), visit(spread), visit(closing);
    for (int d = 0; d < D; ++d) visit(force[d]), visit(drift[d]);
  }
};

}  // namespace eddyline::integrate
