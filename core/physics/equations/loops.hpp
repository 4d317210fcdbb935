#pragma once
// Included by the files of instruction sets only.

#include "physics/equations/fluxes.hpp"
#include "physics/equations/rates.hpp"

namespace eddyline::physics {

/// The loops of a model with the pack P.
template <class P, class Model, int D>
Kernels loops_of(Reconstruction reconstruction) {
  if constexpr (Model::k_kind == Kind::rates) {
    return {&RatesOnPatch<P, Model>::advance, &Inspect<P, Model>::run, account_of<P, Model>()};
  } else {
    if (reconstruction == Reconstruction::weno)
      return {&FluxesOnPatch<P, Model, D, Reconstruction::weno>::advance, &Inspect<P, Model>::run,
              account_of<P, Model>()};
    return {&FluxesOnPatch<P, Model, D, Reconstruction::muscl>::advance, &Inspect<P, Model>::run,
            account_of<P, Model>()};
  }
}

}  // namespace eddyline::physics
