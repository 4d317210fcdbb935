#pragma once

#include "base/arrays.hpp"

namespace eddyline::integrate {

/// What the sweeps of the scheme classic write, in whole chunks; see physics/classic/sweeps.hpp.
template <class T, int D>
struct ClassicResults {
  Array<T> density, heating, force[D], drift[D], spread, closing;
  Array<T> wall_weight, wall_pressure, wall_density, wall_lever[D], wall_velocity[D];

  void resize(std::size_t fluid, std::size_t walls) {
    for_each([fluid](Array<T>& array) { array.resize(fluid); }, [walls](Array<T>& array) { array.resize(walls); });
  }
  std::size_t bytes() const {
    std::size_t sum = 0;
    const auto add = [&sum](const Array<T>& array) { sum += array.bytes(); };
    const_cast<ClassicResults*>(this)->for_each(add, add);
    return sum;
  }

 private:
  template <class OfFluid, class OfWalls>
  void for_each(OfFluid&& of_fluid, OfWalls&& of_walls) {
    of_fluid(density), of_fluid(heating), of_fluid(spread), of_fluid(closing);
    of_walls(wall_weight), of_walls(wall_pressure), of_walls(wall_density);
    for (int d = 0; d < D; ++d) {
      of_fluid(force[d]), of_fluid(drift[d]);
      of_walls(wall_lever[d]), of_walls(wall_velocity[d]);
    }
  }
};

}  // namespace eddyline::integrate
