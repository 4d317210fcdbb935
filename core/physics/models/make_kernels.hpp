#pragma once
// Included by the files of instruction sets only.

#include "physics/equations/loops.hpp"
#include "physics/models/list.hpp"

namespace eddyline::physics {

/// The loops of the chosen equations with the pack P.
template <class P>
Kernels make_kernels(const Choice& choice) {
  return with_model(choice,
                    [&]<class Model, int D>() -> Kernels { return loops_of<P, Model, D>(choice.reconstruction); });
}

}  // namespace eddyline::physics
