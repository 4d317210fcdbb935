#pragma once
// The part of a module's library that is compiled once. Compiled after the module's header, which defines
//
//   namespace eddyline::module { template <int D> struct Model { ... }; }
//
// EDDYLINE_MODULE_HEADERS is the hash of the headers, EDDYLINE_MODULE_2D and _3D tell the dimensions, and
// EDDYLINE_MODULE_SCALAR, _AVX2 and _AVX512 which loops the library has.

#include "physics/equations/make_set.hpp"
#include "physics/modules/host.hpp"
#include "physics/modules/loops.hpp"

namespace eddyline::module {

/// The best loops of the library that the processor's instruction set, as the core chose it, can run.
template <int D>
physics::Kernels loops(const std::string& instructions, physics::Reconstruction reconstruction) {
#ifdef EDDYLINE_MODULE_AVX512
  if (instructions == "avx512") return loops_avx512<D>(reconstruction);
#endif
#ifdef EDDYLINE_MODULE_AVX2
  if (instructions != "scalar") return loops_avx2<D>(reconstruction);
#endif
  (void)instructions;
  return loops_scalar<D>(reconstruction);
}

inline physics::Equations* make(const physics::ModuleHost& host, const std::string& instructions,
                                const physics::Settings& settings) {
  host_functions = host;
  const physics::Reconstruction reconstruction = physics::reconstruction_of(settings);
#ifdef EDDYLINE_MODULE_2D
  if (settings.dimensions() == 2)
    return physics::make_set<Model<2>, 2>(settings, loops<2>(instructions, reconstruction), reconstruction).release();
#endif
#ifdef EDDYLINE_MODULE_3D
  if (settings.dimensions() == 3)
    return physics::make_set<Model<3>, 3>(settings, loops<3>(instructions, reconstruction), reconstruction).release();
#endif
  throw UserError("the module has no equations in " + std::to_string(settings.dimensions()) + "D.");
}

}  // namespace eddyline::module

const eddyline::physics::ModuleEntry* eddyline_module() {
  static const eddyline::physics::ModuleEntry entry{.about = eddyline::module::k_about,
                                                    .make = &eddyline::module::make,
                                                    .make_terms = nullptr,
                                                    .make_scalars = nullptr};
  return &entry;
}
