#pragma once

#include <stdexcept>
#include <string>

namespace eddyline {

/// An error that a user can cause and fix. The message states what was found, what is allowed, and what to change.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace eddyline
