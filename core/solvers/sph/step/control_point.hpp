#pragma once
// The decisions that all ranks take together in each step.

#include <array>

#include "comm/collectives.hpp"
#include "neighbors/drift.hpp"
#include "solvers/sph/domain/domain.hpp"
#include "solvers/sph/lists/lists.hpp"
#include "solvers/sph/parts.hpp"
#include "solvers/sph/state/state.hpp"
#include "solvers/sph/step/agreement.hpp"

namespace eddyline::sph {

/// The control point of a step. Ranks agree on the results of the last step, and on the largest drift of particles of
/// all ranks from the last rebuild to the end of this step. It has two halves: work in between gives other ranks time
/// to arrive. Collective.
template <class T, int D>
class ControlPoint {
 public:
  explicit ControlPoint(Parts<T, D>& parts)
      : state_(parts.state),
        domain_(parts.domain),
        lists_(parts.lists),
        end_rows_(parts.scratch.end_rows),
        drifting_(parts.domain.communicator()) {}

  /// Combines the results of the last step over all ranks, at once.
  void agree();
  /// Begins with the drift along the path of the step. `and_middle`: the largest at the midpoint or the end.
  void begin(const StepPath<T>& step, bool and_middle);
  /// Begins with the drift of this rank's particles [quanta], where a device has measured it.
  void begin(const neighbors::Drift& own);
  /// Begins while ghosts of other ranks are still on their way. Ghosts are assumed to continue from the end rows of the
  /// last step, and the largest prediction error of any rank is added. The results are upper bounds, and no rank has to
  /// wait for begin_drift(), which computes the exact drift once ghosts have arrived, unless the bounds are too high to
  /// decide. end_drift() waits for the exact values if they are under way.
  void predict(const StepPath<T>& step);
  void end();
  /// Tells whether end() would return without waiting.
  bool arrived() { return agreement_.arrived(); }
  void begin_drift(const StepPath<T>& step);
  void end_drift();
  /// Shortens a step in which particles come too near for their cells. If it becomes so short that no step can hold,
  /// the step is marked as bad on all ranks, and the function returns false. `skin`: limit for the drift [m]; `first`:
  /// the step that was tried first [s].
  bool shorten_time_step(double skin, double first);

 private:
  double prediction_error(const StepPath<T>& step, const neighbors::PredictedPath<T>& expected) const;
  void set_drift(double relative_drift, double max_displacement);

  State<T, D>& state_;
  Domain<T, D>& domain_;
  Lists<T, D>& lists_;
  const neighbors::PairData<T>& end_rows_;
  Agreement agreement_;
  comm::Reduction drifting_;  // of drift_, while is_drifting_
  std::array<double, 2> drift_{};
  bool is_drifting_ = false;
};

}  // namespace eddyline::sph
