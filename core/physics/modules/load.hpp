#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "physics/equations/equations.hpp"

namespace eddyline::physics {

/// Names of equations outside the package begin with this.
inline constexpr std::string_view k_module_prefix = "module:";

/// The version of headers and memory layout that libraries of modules must have.
std::string abi_of_modules();
/// The JSON text that describes the module in a library. Throws UserError if it cannot be loaded or is of another
/// version. A library stays loaded.
std::string module_about(const std::string& library);
/// Equations from the library that the option "library" names, with all other options. Throws UserError.
std::unique_ptr<Equations> make_from_module(const std::string& instructions, const Settings& settings);

}  // namespace eddyline::physics
