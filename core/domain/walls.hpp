#pragma once
// Dummy particles of walls and bodies. SI units.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/arrays.hpp"
#include "particles/place.hpp"

namespace eddyline::domain {

/// Dummy particles of walls and bodies.
template <int D>
struct WallState {
  Array<std::int64_t> id;
  Array<std::int32_t> owner;  // body, or -1 - side
  VectorArray<double, D> x;
  Array<double> volume;
  Array<std::uint8_t> no_slip;

  // Used if any wall moves or slides, otherwise empty: then all rest where the world file places them.
  bool can_move = false;
  VectorArray<double, D> v;
  VectorArray<double, D> x_file;  // place at t = 0, as the world file gives it

  std::int64_t size() const { return static_cast<std::int64_t>(id.size()); }
  double velocity(std::size_t k, int d) const { return can_move ? v[d][k] : 0.0; }
  /// All walls may move from now on and have rested until now; this includes the first `n` of the arrays.
  void let_move(std::size_t n) {
    if (std::exchange(can_move, true)) return;
    rest(0, n);
    v.resize(id.size()), x_file.resize(id.size());
  }
  /// The particles [first, last) were added and have rested until now.
  void rest(std::size_t first, std::size_t last) {
    v.resize(last), x_file.resize(last);
    for (int d = 0; d < D; ++d) {
      std::fill(v[d] + first, v[d] + last, 0.0);
      std::copy(x[d] + first, x[d] + last, x_file[d] + first);
    }
  }

  /// Calls visit(array) for every array.
  template <class Visit>
  void for_each_array(Visit&& visit) {
    for_each_named([&visit](const char*, auto& array) { visit(array); });
  }
  /// Calls visit(name, array) for every array.
  template <class Visit>
  void for_each_named(Visit&& visit) {
    visit("id", id), visit("owner", owner), visit("x", x), visit("volume", volume), visit("no_slip", no_slip);
    if (can_move) visit("v", v), visit("x_file", x_file);
  }
};

/// Places walls at rest.
template <int D>
void place_walls(const particles::Placement& placement, WallState<D>& wall);

}  // namespace eddyline::domain
