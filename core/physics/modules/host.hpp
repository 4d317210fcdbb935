#pragma once
// Parts that every module's library has once: its version, and the functions of the core that it calls.

#include "physics/modules/entry.hpp"

namespace eddyline::module {

extern const char* const k_about;
inline physics::ModuleHost host_functions;

}  // namespace eddyline::module

// The library has this function of the core only: it calls the core's own.
double eddyline::world::Formula::evaluate(std::span<const double> values) const {
  return module::host_functions.evaluate(*this, values);
}

const char* eddyline_module_abi() {
  static const std::string abi = eddyline::physics::module_abi(EDDYLINE_MODULE_HEADERS);
  return abi.c_str();
}
