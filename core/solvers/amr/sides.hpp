#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "physics/equations/equations.hpp"

namespace eddyline::amr {

/// Cells beyond the sides of the domain. They exist in scratch memory only. `equations` must outlive it.
class Sides {
 public:
  /// Throws UserError if the equations do not have one of the sides.
  Sides(const physics::Equations& equations, int dimensions);

  std::array<bool, 3> periodic() const;

  /// Fills the ghosts of a patch beyond sides that are not periodic, axis after axis, so that corners are defined.
  /// `grown`: the patch with ghosts, of which those inside the domain are filled. `fields`: memory with ghosts,
  /// row-major; null for a field that needs none.
  void fill(const physics::Place& place, const grid::IndexBox& grown, std::span<double* const> fields,
            double time) const;

 private:
  void fill_side(std::size_t side, const physics::Place& place, const grid::IndexBox& grown,
                 std::span<double* const> fields, double time) const;

  const physics::Equations& equations_;
  int dimensions_;
  std::array<physics::Beyond, 6> beyond_{};
};

}  // namespace eddyline::amr
