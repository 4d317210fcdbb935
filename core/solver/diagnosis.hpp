#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/vec.hpp"

namespace eddyline::solver {

/// The first bad particle (smallest id) of the first bad step.
struct Diagnosis {
  std::int64_t id = 0, step = 0;
  double time = 0, density = 0;
  Vec3 position, velocity, acceleration;
  std::string reason;
  struct Neighbor {
    std::int64_t id;
    double distance;  // [m]
    Vec3 position, velocity;
    double density;
  };
  std::vector<Neighbor> neighbors;  // nearest fluid particles, at most eight
  std::string text;                 // the diagnosis as one line of text
};

/// A step failed; the state is as it was when the failure was found.
struct StepError : std::runtime_error {
  explicit StepError(Diagnosis found) : std::runtime_error(found.text), diagnosis(std::move(found)) {}
  Diagnosis diagnosis;
};

}  // namespace eddyline::solver
