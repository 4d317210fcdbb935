#pragma once

#include <cstdint>

namespace eddyline::solver {

/// Time of a run, the same on all ranks. Before t = 0 a start settles; nothing is observed then.
struct Clock {
  double time = 0;  // [s]
  std::int64_t steps = 0;
};

/// What the driver wants of a step.
struct StepRequest {
  bool loads = false;  // forces are read after this step
  bool stop = false;   // this rank wants the run to stop after it
};

/// What ranks have agreed on. A solver may agree on a step only in the course of the next one.
struct Outcome {
  bool good = true;   // no rank has found a value that cannot be
  bool stop = false;  // some rank wants the run to stop
};

}  // namespace eddyline::solver
