#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "comm/communicator.hpp"
#include "solvers/sph/state/control.hpp"

namespace eddyline::sph {

/// Combines the results of the last step over all ranks, in two halves: work in between gives other ranks time to
/// arrive. Collective.
class Agreement {
 public:
  /// `own`: three more values, for their maxima.
  void begin(comm::Communicator& communicator, const Control& control, const std::array<double, 3>& own);
  /// Tells whether end() would return without waiting.
  bool arrived() const { return !under_way_ || under_way_->test(); }
  /// Returns the maxima of `own` over all ranks. `what`: name of the operation, for messages.
  std::array<double, 3> end(comm::Communicator& communicator, Control& control, std::string_view what);

 private:
  std::array<double, 10> values_{};
  std::unique_ptr<comm::Requests> under_way_;
};

}  // namespace eddyline::sph
