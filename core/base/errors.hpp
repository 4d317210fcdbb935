#pragma once

#include <stdexcept>
#include <string>

namespace eddyline {

/// Something a user can cause and can mend. The message states what was found, what is allowed, and what to change.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace eddyline
