#pragma once
// Forces of buffers on the fluid.

#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "neighbors/list.hpp"
#include "solvers/sph/flow.hpp"

namespace eddyline::sph {

/// What the fluid does to the buffers is summed once more, without what they do to each other, and goes with the
/// opposite sign to the forces of the openings.
template <class T, int D>
class OpeningReactions {
 public:
  explicit OpeningReactions(Flow<T, D>& flow) : flow_(flow) {}

  /// Viscous forces half way through the step. The first of the two: forces begin with them.
  void add_viscous();
  /// Pressure forces at its end.
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
