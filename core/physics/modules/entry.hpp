#pragma once
// The interface between a library of equations or terms outside the package and the core. eddyline_module_abi() may be
// called in a library of any version, eddyline_module() only where its answer is that of the core.

#include <cstddef>
#include <span>
#include <string>

#include "physics/equations/equations.hpp"
#include "physics/scalars/module_scalars.hpp"
#include "physics/terms/module_terms.hpp"

namespace eddyline::physics {

/// Functions of the core that headers of the library call.
struct ModuleHost {
  double (*evaluate)(const world::Formula& formula, std::span<const double> values) = nullptr;
};

struct ModuleEntry {
  /// JSON text that describes the module.
  const char* about = nullptr;
  /// Returns equations on the heap; null in other modules than those for patches. Throws UserError.
  Equations* (*make)(const ModuleHost& host, const std::string& instructions, const Settings& settings) = nullptr;
  /// Returns a term on the heap; null in other modules than those for particles. Throws UserError.
  terms::ModuleTerms* (*make_terms)(const ModuleHost& host, const std::string& instructions,
                                    const Settings& settings) = nullptr;
  /// Returns scalars on the heap; null in other modules than those for blocks. Throws UserError.
  scalars::ModuleScalars* (*make_scalars)(const ModuleHost& host, const Settings& settings) = nullptr;
};

/// Hash of the headers, and what decides whether two compilers lay out the same memory.
inline std::string module_abi(const std::string& headers) {
#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
  const std::string library = "libstdc++11";
#elif defined(_LIBCPP_VERSION)
  const std::string library = "libc++";
#else
  const std::string library = "libstdc++";
#endif
  std::string sizes;
  for (const std::size_t size : {sizeof(void*), sizeof(world::World), sizeof(Settings), sizeof(Field), sizeof(Stage),
                                 sizeof(terms::PairInput<float>), sizeof(scalars::Row)})
    sizes.append("-").append(std::to_string(size));
  return std::string(headers).append("-").append(library).append(sizes);
}

}  // namespace eddyline::physics

extern "C" {
__attribute__((visibility("default"))) const char* eddyline_module_abi();
__attribute__((visibility("default"))) const eddyline::physics::ModuleEntry* eddyline_module();
}
