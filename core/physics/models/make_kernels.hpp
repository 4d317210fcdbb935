#pragma once
// Included by the files of instruction sets only.

#include "physics/equations/fluxes.hpp"
#include "physics/equations/rates.hpp"
#include "physics/models/list.hpp"

namespace eddyline::physics {

/// The loops of the chosen equations with the pack P.
template <class P>
Kernels make_kernels(const Choice& choice) {
  return with_model(choice, [&]<class Model, int D>() -> Kernels {
    if constexpr (Model::k_kind == Kind::rates) {
      return {&RatesOnPatch<P, Model>::advance, &Inspect<P, Model>::run};
    } else {
      if (choice.reconstruction == Reconstruction::weno)
        return {&FluxesOnPatch<P, Model, D, Reconstruction::weno>::advance, &Inspect<P, Model>::run};
      return {&FluxesOnPatch<P, Model, D, Reconstruction::muscl>::advance, &Inspect<P, Model>::run};
    }
  });
}

}  // namespace eddyline::physics
