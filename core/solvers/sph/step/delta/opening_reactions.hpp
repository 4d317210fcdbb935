#pragma once
// Forces of buffers on the fluid.

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/arrays.hpp"
#include "neighbors/list.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

/// Sums the forces of the fluid on the buffers, without the forces between buffer particles, and adds them with the
/// opposite sign to the forces of the openings.
template <class T, int D>
class OpeningReactions {
 public:
  explicit OpeningReactions(Parts<T, D>& parts)
      : state_(parts.state),
        scratch_(parts.scratch),
        domain_(parts.domain),
        lists_(parts.lists),
        sweeps_(physics::delta::choose_sweeps<T, D>(parts.domain.execution().instructions)) {}

  /// Sums the forces on the buffers, viscous or of pressure, where a device has the rows; returns whether it has.
  using SumElsewhere = std::function<bool(bool viscous, T* const* force)>;
  void sum_elsewhere(SumElsewhere sum) { sum_elsewhere_ = std::move(sum); }

  /// Adds viscous forces at the midpoint of the step. Called before add_pressure(): it resets the forces.
  void add_viscous();
  /// Adds pressure forces at the end of the step.
  void add_pressure();

 private:
  void begin();
  bool is_summed_elsewhere(bool viscous);
  void prepare();
  physics::delta::SweepInput<T> input() const;
  void add(bool viscous);

  State<T, D>& state_;
  const Scratch<T, D>& scratch_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  physics::delta::Sweeps<T, D> sweeps_;  // compiled for the instruction set of the run
  SumElsewhere sum_elsewhere_;
  std::vector<neighbors::Chunk> no_walls_;  // empty lists
  Array<T> divergence_, diffusion_, dissipation_, force_[D], shift_[D];
  Array<std::uint8_t> surface_;
};

}  // namespace eddyline::sph
