#pragma once
// Forces of buffers on the fluid.

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "neighbors/list.hpp"
#include "solvers/sph/flow.hpp"

namespace eddyline::sph {

/// Sums the forces of the fluid on the buffers, without the forces between buffer particles, and adds them with the
/// opposite sign to the forces of the openings.
template <class T, int D>
class OpeningReactions {
 public:
  explicit OpeningReactions(Flow<T, D>& flow) : flow_(flow) {}

  /// Adds viscous forces at the midpoint of the step. Called before add_pressure(): it resets the forces.
  void add_viscous();
  /// Adds pressure forces at the end of the step.
  void add_pressure();

 private:
  void prepare();
  physics::delta::SweepInput<T> input() const;
  void add(bool viscous);

  Flow<T, D>& flow_;
  std::vector<neighbors::Chunk> no_walls_;  // empty lists
  Array<T> divergence_, diffusion_, dissipation_, force_[D], shift_[D];
  Array<std::uint8_t> surface_;
};

}  // namespace eddyline::sph
