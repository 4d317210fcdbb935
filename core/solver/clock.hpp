#pragma once

#include <cstdint>

namespace eddyline::solver {

/// Time of a run, the same on all ranks. Before t = 0 a start settles; nothing is observed then.
struct Clock {
  double time = 0;  // [s]
  std::int64_t steps = 0;
};

/// Requests of the driver for one step.
struct StepRequest {
  bool loads = false;  // forces will be read after this step
  bool stop = false;   // this rank requests the end of the run after it
};

/// Decisions of all ranks together. A solver may agree on a step only in the course of the next one.
struct Outcome {
  bool good = true;   // no rank has found an invalid value
  bool stop = false;  // a rank requests the end of the run
};

}  // namespace eddyline::solver
