#pragma once

#include <cstdint>

namespace eddyline::sph {

/// Contents of the rows of the fluid, so that none are written twice and nothing is predicted from old ones.
struct RowContents {
  static constexpr double k_none = -1;
  double midpoint_of = k_none;    // the time step of the midpoint in Scratch::midpoint_rows
  bool state = false;             // whether Scratch::end_rows hold the state, of this rank's particles
  std::int64_t end_of_step = -1;  // steps after which Scratch::end_rows hold the end, also of ghosts

  /// Makes the next step write its rows itself, and predict nothing from the end rows of the last step.
  void invalidate() { *this = {}; }
};

}  // namespace eddyline::sph
