#pragma once

#include <mpi.h>

#include <climits>
#include <stdexcept>
#include <string>

#include "comm/watchdog.hpp"

namespace eddyline::comm {

inline void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw std::runtime_error("MPI: " + std::string(text, static_cast<std::size_t>(length)));
}

/// Calls an MPI function that does not wait for other ranks; the watchdog reports it if it does not return.
template <class Function, class... Arguments>
void call_mpi(Function function, Arguments... arguments) {
  const WatchedCall watched;
  check(function(arguments...));
}
/// Calls an MPI function that returns once all ranks have called it; the watchdog reports it if some rank does not call
/// it.
template <class Function, class... Arguments>
void call_collective(Function function, Arguments... arguments) {
  call_mpi(function, arguments...);
}

inline int count_of(std::size_t size) {
  if (size > INT_MAX) throw std::length_error("a message of more than 2 GiB");
  return static_cast<int>(size);
}

}  // namespace eddyline::comm
