#pragma once
// Messages of devices that fail. Backends throw std::runtime_error, because a library that is loaded has types of its
// own.

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace eddyline::device {

inline std::string gigabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GB", static_cast<double>(bytes) * 1e-9);
  return text;
}

[[noreturn]] inline void throw_out_of_memory(const std::string& device, std::size_t free, std::size_t all,
                                             std::size_t needed) {
  throw std::runtime_error(device + " has " + gigabytes(free) + " of memory left of " + gigabytes(all) + ", and " +
                           gigabytes(needed) +
                           " more are needed. Use a larger domain.spacing, a GPU with more memory, or --device cpu.");
}

[[noreturn]] inline void throw_failed(const std::string& device, const std::string& where, const std::string& why) {
  throw std::runtime_error(device + " failed (" + where + ": " + why +
                           "). Resume the run from its last checkpoint, on a GPU or with --device cpu.");
}

}  // namespace eddyline::device
