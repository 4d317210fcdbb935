#pragma once
// How far beyond R the lists of a flow look, and how much of that is used up.

#include <cstdint>

#include "base/arrays.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "neighbors/rows.hpp"

namespace eddyline::integrate {

/// The share of a skin or margin that is used up: what rounding may take stays.
inline constexpr double k_trust = 0.999;

/// The most parts into which a skin is divided: rounding is small beside a part.
inline constexpr int k_most_parts = 8;

/// Cells, their order and ghosts hold until particles somewhere have come nearer by the skin. Lists look only as far
/// beyond R as pays where they are, and those of a cell's particles are renewed, in the same cells, when particles
/// around it have come nearer by that. All that they leave out are exact zeros, so that neither margins nor renewals
/// change a bit. Lengths in quanta; cells are numbered as in CellLayout. Source: the dual pair list of molecular
/// dynamics, Páll et al. 2020, here with a margin for each cell.
template <class T, int D>
class ListMargin {
 public:
  /// Of particles that come nearer by `pace` in each of `steps` steps [R, R a step]: a wider margin makes more pairs, a
  /// narrower one more renewals.
  static double best_width(double pace, double steps);

  /// Of a flow with this interaction radius and skin. parts: 0 for margins as wide as pays, else the skin over it.
  ListMargin(double radius, double skin, int parts) : radius_(radius), skin_(skin), parts_(parts) {}

  /// All lists are built where rows of the fluid stood at a rebuild; particles have come nearer since by `approach`,
  /// and cells will last `steps`.
  void begin(std::int32_t cells, const neighbors::FixedPositions& fluid, double approach, double steps);
  /// Lists look as far as the skin and hold as long as cells.
  void do_without() { is_used_ = false; }
  bool is_used() const { return is_used_; }
  /// (R + margin)^2 by cell; null without margins.
  const float* cut_squared() const { return is_used_ ? cut_squared_.data() : nullptr; }

  /// Where rows will be at the end of the step, as of the last time they were followed: what lists are renewed from.
  neighbors::FixedPositions& fluid() { return fluid_; }
  const neighbors::FixedPositions& walls() const { return walls_; }
  /// Walls that move, or will from now on, stand there.
  void place_walls(const neighbors::FixedPositions& walls) { copy_places(walls, walls_); }
  /// How far walls go in this step, that will have moved so far since they stood `at_rebuild`. False if that is no
  /// number, or too large for one.
  bool follow_walls(const neighbors::WallDisplacement& moved, const neighbors::FixedPositions& at_rebuild);
  const neighbors::WallDisplacement& walls_step() const { return walls_step_; }

  /// What a step asks of lists.
  struct Need {
    double corrected = 0;    // by how much shifting and contact have moved particles since the last end
    double besides = 0;      // what `approach` may lack
    bool in_middle = false;  // pairs are summed in the middle of steps only, and counted at the end; else at both
    bool next_step = false;  // lists are to hold for another such step
  };
  /// In this step particles come nearer by `approach`, by cell. Whether lists do not hold in its middle; those of the
  /// cells in due() are to be renewed at its end.
  bool use_up(const Array<float>& approach, const Need& need);
  bool any_due() const { return any_due_; }
  const std::uint8_t* due() const { return due_.data(); }
  /// New margins for the cells that are due, as wide as pays for `steps` steps.
  void renew(double steps);
  std::size_t bytes() const;

 private:
  static void copy_places(const neighbors::FixedPositions& from, neighbors::FixedPositions& to);
  double to_middle(double step) const;

  double radius_, skin_;
  int parts_;
  bool is_used_ = false, any_due_ = false;
  bool is_first_ = false;                   // no step since begin()
  double before_ = 0;                       // what `approach` in use_up() includes of steps before this one
  Need need_;                               // as of use_up()
  Array<float> cut_squared_, left_, pace_;  // by cell; left of the margin; approach in the last step
  Array<std::uint8_t> due_;                 // by cell
  neighbors::FixedPositions fluid_, walls_;
  neighbors::WallDisplacement walls_step_;
};

}  // namespace eddyline::integrate
