#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/vec.hpp"
#include "solver/column.hpp"

namespace eddyline::comm {
class Sums;
}  // namespace eddyline::comm

namespace eddyline::solver {

/// Force of the fluid on a body or a side of the domain [N; in 2D N/m], and torque on a body about its pivot [N m;
/// in 2D N m/m].
struct Load {
  Vec3 pressure, viscous, torque;
  double power = 0;  // of a moving body, on the fluid: -(F . v + T . w) [W; in 2D W/m]
};

/// Forces on solids in the last step, for which they must have been requested.
class Loads {
 public:
  Loads() = default;
  Loads(const Loads&) = delete;
  Loads& operator=(const Loads&) = delete;
  virtual ~Loads() = default;

  /// The solids with known forces, see loaded_solids().
  virtual const std::vector<std::int32_t>& owners() const = 0;
  /// Tells whether the power of this solid is known: true for bodies that had a motion when the run began.
  virtual bool has_power(std::int32_t owner) const = 0;
  /// Tells whether any solid does work on the fluid: a body that moves, or a side that slides.
  virtual bool has_work() const = 0;

  /// Adds the sums of this rank, for all owners.
  virtual void add(comm::Sums& sums) = 0;
  /// Load of the k-th owner, from the sums of all ranks.
  virtual Load load(std::size_t k, const comm::Sums& sums) const = 0;
  /// Power of sliding sides on the fluid.
  virtual double power_of_sides(const comm::Sums& sums) const = 0;
};

}  // namespace eddyline::solver
