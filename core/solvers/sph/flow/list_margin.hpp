#pragma once
// How far beyond R the lists of a flow look, and how much of that is used up.

#include <cstdint>
#include <functional>
#include <span>

#include "base/arrays.hpp"
#include "base/parallel_for.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"

namespace eddyline::sph {

/// The share of a skin or margin that is used up: what rounding may take stays.
inline constexpr double k_safety = 0.999;

/// The most parts into which a skin is divided: rounding is small beside a part.
inline constexpr int k_most_parts = 8;

/// Cells, their order and ghosts hold until particles somewhere have come nearer by the skin. Lists hold what will be
/// within R for some time to come if all go on with the velocities that they had at the rebuild, their reference_velocities, and
/// as far beyond as pays where they are. Those of a cell's particles are renewed, in the same cells, when that time is
/// over or particles around it have come nearer by the margin, beside what was expected. All that they leave out are
/// exact zeros, so that neither margins nor renewals change a bit. Lengths in quanta; times are told by how far sound
/// goes in them, in quanta, too; cells have the numbers of DriftBound::cells(). Source: the dual pair list of molecular
/// dynamics, Páll et al. 2020, here with a margin for each cell, and with foresight.
template <class T, int D>
class ListMargin {
 public:
  /// For how many steps lists should hold if each of `steps` steps adds `pace` to their width [R a step]: wider ones
  /// hold more pairs, narrower ones are renewed more often.
  static double best_lifetime(double pace, double steps);

  /// Of a flow with this interaction radius and skin. parts: 0 for margins as wide as pays, else the skin over it.
  ListMargin(double radius, double skin, int parts) : radius_(radius), skin_(skin), parts_(parts) {}

  /// Puts a number for each cell of a run, or two.
  using OfRun = std::function<void(const neighbors::CellRun& run, float* values)>;
  using TwoOfRun = std::function<void(const neighbors::CellRun& run, float* values, float* others)>;

  /// All lists are built, where fluid() and walls() are, and `runs` of `cells` matter until the next one. They will
  /// last `steps`, and sound goes as far as `step` in one. `relative_speed`: of reference_velocities in touching cells at most, in
  /// units of the speed of sound.
  void begin(const particles::CellSet& cells, std::span<const neighbors::CellRun> runs, const OfRun& relative_speed,
             double steps, double step);
  /// Lists look as far as the skin and hold as long as cells.
  void disable() { is_used_ = false; }
  bool is_used() const { return is_used_; }
  /// (R + margin)^2 by cell; null without margins.
  const float* cut_squared() const { return is_used_ ? cut_squared_.data() : nullptr; }
  /// The cells that these are of.
  const particles::CellSet* cells() const { return is_used_ ? &cells_ : nullptr; }
  /// For how long lists are to hold from now, by cell, and since when, see neighbors::MotionPrediction; null without
  /// margins. Of a cell that is not due, that is so much less than it was that its cut serves a list that is built
  /// anew, too.
  const float* ahead() const { return is_used_ ? to_go_.data() : nullptr; }
  float behind() const { return behind_; }

  /// Where rows will be at the end of the step, as of the last time they were followed: what lists are renewed from.
  /// While particles are sorted, others may use the memory.
  neighbors::FixedPositions& fluid() { return fluid_; }
  /// The same of walls, where some move.
  neighbors::FixedPositions& walls() { return walls_; }
  /// How far walls go in this step beside what is expected of their reference_velocities in `time`, that will have moved so far
  /// since they stood `at_rebuild`. False if that is no number, or too large for one.
  bool follow_walls(const neighbors::WallDisplacement& moved, const neighbors::FixedPositions& at_rebuild,
                    const neighbors::ReferenceVelocities& reference_velocities, float time);
  const neighbors::WallDisplacement& walls_step() const { return walls_step_; }

  /// What a step asks of lists.
  struct Need {
    double step = 0;         // how far sound goes in it
    double besides = 0;      // what the relative_drift may lack
    bool in_middle = false;  // pairs are summed in the middle of steps only, and counted at the end; else at both
    bool next_step = false;  // lists are to hold for another such step
  };
  /// In this step particles come nearer by the first of `relative_drift`, beside what was expected; half way by half of that
  /// and the second at most. Whether lists do not hold there; those of the cells in due() are to be renewed at its end.
  bool use_up(const TwoOfRun& relative_drift, const Need& need);
  bool any_due() const { return any_due_; }
  const std::uint8_t* due() const { return due_.data(); }
  /// New margins for the cells that are due, as wide and for as long as pays while cells last `steps` more.
  void renew(double steps);
  std::size_t bytes() const;

 private:
  void recall(const particles::CellSet& cells, float unknown);
  double whole() const;
  void use_up(const neighbors::CellRun& run, const float* relative_drift, const float* beside, float whole, int& some_lacking,
              int& some_due);
  /// Calls visit(some) for the runs of cells, some at a time, in parallel.
  template <class Visit>
  void for_each_run_group(Visit&& visit) const {
    constexpr std::int64_t k_portion = 4;  // that a thread takes at a time
    parallel_for(static_cast<std::int64_t>(runs_.size()), k_portion, [&](std::int64_t first, std::int64_t last) {
      visit(runs_.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    });
  }
  template <class Visit>
  void for_each_cell(Visit&& visit) const {
    for_each_run_group([&](std::span<const neighbors::CellRun> runs) {
      for (const auto& run : runs)
        for (std::int32_t c = run.begin; c < run.end; ++c) visit(static_cast<std::size_t>(c));
    });
  }

  double radius_, skin_;
  int parts_;
  bool is_used_ = false, any_due_ = false;
  bool is_first_ = false;  // no step since begin()
  Need need_;              // as of use_up()
  float behind_ = 0;
  particles::CellSet cells_;
  std::span<const neighbors::CellRun> runs_;
  // By number of a cell.
  Array<float> cut_squared_, left_;  // left of the margin
  Array<float> pace_, beside_;       // of the last step
  Array<float> to_go_;               // for how long lists hold
  Array<float> relative_speed_;
  Array<std::uint8_t> due_;
  Array<float> room_;  // while cells get other numbers
  neighbors::FixedPositions fluid_, walls_;
  neighbors::WallDisplacement walls_step_;
};

}  // namespace eddyline::sph
