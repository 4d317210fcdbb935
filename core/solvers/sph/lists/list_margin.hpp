#pragma once
// The margins of neighbour lists beyond R, and how much of them is used up.

#include <cstdint>
#include <functional>
#include <span>

#include "base/arrays.hpp"
#include "base/parallel_for.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"

namespace eddyline::sph {

/// The share of a skin or margin that may be used up; the rest covers rounding.
inline constexpr double k_safety = 0.999;

/// The largest number of parts into which a skin is divided: rounding is small beside a part.
inline constexpr int k_most_parts = 8;

/// Cells, the order of particles and ghosts hold until particles somewhere have come nearer by the skin. Lists contain
/// all pairs that will be within R during some time if all particles keep their reference velocities, those at the
/// rebuild, plus a margin; its width is chosen for each cell. The lists of a cell's particles are renewed, in the same
/// cells, when that time is over, or when particles around the cell have come nearer than predicted by the margin.
/// Pairs outside the lists contribute exact zeros, so that neither margins nor renewals change a bit.
/// Lengths are in quanta; times are given as acoustic distances, in quanta, too; cells have the numbers of
/// DriftBound::cells(). Source: the dual pair list of molecular dynamics, Páll et al. 2020, here with a margin for each
/// cell, and with predicted motion.
template <class T, int D>
class ListMargin {
 public:
  /// Returns the number of steps for which lists should hold if each of `steps` steps adds `pace` to their width [R a
  /// step]: wider lists hold more pairs, narrower lists are renewed more often.
  static double best_lifetime(double pace, double steps);

  /// Margins of a flow with this interaction radius and skin. parts: 0 for margins of the best width, otherwise margins
  /// are the skin over `parts`.
  ListMargin(double radius, double skin, int parts) : radius_(radius), skin_(skin), parts_(parts) {}

  /// A function that writes one value, or two, for each cell of a run.
  using OfRun = std::function<void(const neighbors::CellRun& run, float* values)>;
  using TwoOfRun = std::function<void(const neighbors::CellRun& run, float* values, float* others)>;

  /// Begins when all lists are built, at the places from which they are renewed. `runs` of `cells` are active until the
  /// next call. Lists will last `steps`; `step` is the acoustic distance of one. `relative_speed`: largest difference
  /// of reference velocities in touching cells, in units of the speed of sound.
  void begin(const particles::CellSet& cells, std::span<const neighbors::CellRun> runs, const OfRun& relative_speed,
             double steps, double step);
  /// Disables margins: lists look as far as the skin and hold as long as cells.
  void disable() { is_used_ = false; }
  bool is_used() const { return is_used_; }
  /// (R + margin)^2 by cell; null without margins.
  const float* cut_squared() const { return is_used_ ? cut_squared_.data() : nullptr; }
  /// The cells that these values belong to.
  const particles::CellSet* cells() const { return is_used_ ? &cells_ : nullptr; }
  /// The time for which lists must hold from now, by cell; behind() is the time since they were predicted, see
  /// neighbors::MotionPrediction. Null without margins. The time of a cell that is not due is reduced such that its cut
  /// also serves lists that are built now.
  const float* ahead() const { return is_used_ ? to_go_.data() : nullptr; }
  float behind() const { return behind_; }

  /// Finds how far walls move in this step beyond their reference velocities times `time`; `moved` is their
  /// displacement since they stood `at_rebuild`, and `places` becomes where they stand. Returns false if a value is not
  /// finite or too large.
  bool follow_walls(const neighbors::WallDisplacement& moved, const neighbors::FixedPositions& at_rebuild,
                    const neighbors::ReferenceVelocities& reference_velocities, float time,
                    neighbors::FixedPositions& places);
  const neighbors::WallDisplacement& walls_step() const { return walls_step_; }

  /// The requirements of a step on lists.
  struct Need {
    double step = 0;         // acoustic distance of the step
    double besides = 0;      // allowance for what relative_drift may miss
    bool in_middle = false;  // pairs are summed at the midpoint only, and counted at the end; otherwise at both
    bool next_step = false;  // lists must hold for another such step
  };
  /// Uses up margins: in this step particles come nearer than predicted by the first value of `relative_drift`; at the
  /// midpoint by at most half of that plus the second value. Returns whether some lists do not hold there. The lists of
  /// cells in due() must be renewed at the end of the step.
  bool use_up(const TwoOfRun& relative_drift, const Need& need);
  bool any_due() const { return any_due_; }
  const std::uint8_t* due() const { return due_.data(); }
  /// Sets new margins for the cells that are due, of the best width and duration if cells last `steps` more.
  void renew(double steps);
  std::size_t bytes() const;

 private:
  void recall(const particles::CellSet& cells, float unknown);
  double whole() const;
  void use_up(const neighbors::CellRun& run, const float* relative_drift, const float* beside, float whole,
              int& some_lacking, int& some_due);
  /// Calls visit(some) for groups of cell runs, in parallel.
  template <class Visit>
  void for_each_run_group(Visit&& visit) const {
    constexpr std::int64_t k_portion = 4;  // cell runs that a thread takes at a time
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
  Need need_;              // from use_up()
  float behind_ = 0;
  particles::CellSet cells_;
  std::span<const neighbors::CellRun> runs_;
  // Indexed by cell number.
  Array<float> cut_squared_, left_;  // left_: the rest of the margin
  Array<float> pace_, beside_;       // of the last step
  Array<float> to_go_;               // the time for which lists hold
  Array<float> relative_speed_;
  Array<std::uint8_t> due_;
  Array<float> room_;  // used while cells get other numbers
  neighbors::WallDisplacement walls_step_;
};

}  // namespace eddyline::sph
