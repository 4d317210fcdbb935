#pragma once
// All sets of equations. A new one is a model, its name, and a line in with_model().

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "physics/burgers/model.hpp"
#include "physics/equations/kernels.hpp"
#include "physics/euler/model.hpp"
#include "physics/euler_poisson/model.hpp"
#include "physics/gravity/model.hpp"
#include "physics/navier_stokes/model.hpp"
#include "physics/wave/model.hpp"

namespace eddyline::physics {

inline constexpr std::array<std::string_view, 6> k_equations{"wave",          "gravity",       "euler",
                                                             "navier-stokes", "euler-poisson", "burgers"};

/// Choice of a model, and of the loops around it.
struct Choice {
  std::string_view name;
  int dimensions = 2;
  std::int64_t order = 4;  // of the wave equation
  Reconstruction reconstruction = Reconstruction::muscl;
};

template <template <int> class Model, class Visit>
auto with_dimensions(int dimensions, Visit&& visit) {
  return dimensions == 2 ? visit.template operator()<Model<2>, 2>() : visit.template operator()<Model<3>, 3>();
}

template <int Order>
struct WaveOf {
  template <int D>
  using Model = wave::Wave<Order, D>;
};

/// Returns visit<model, dimensions>() of the chosen model.
template <class Visit>
auto with_model(const Choice& choice, Visit&& visit) {
  if (choice.name == "euler") return with_dimensions<euler::Euler>(choice.dimensions, visit);
  if (choice.name == "navier-stokes") return with_dimensions<navier_stokes::NavierStokes>(choice.dimensions, visit);
  if (choice.name == "euler-poisson") return with_dimensions<euler_poisson::EulerPoisson>(choice.dimensions, visit);
  if (choice.name == "burgers") return with_dimensions<burgers::Burgers>(choice.dimensions, visit);
  if (choice.name == "gravity") {
    if (choice.dimensions == 2) throw UserError("method.equations = \"gravity\": the world must be 3D.");
    return visit.template operator()<gravity::Gravity<3>, 3>();
  }
  if (choice.order == 2) return with_dimensions<WaveOf<2>::Model>(choice.dimensions, visit);
  if (choice.order == 6) return with_dimensions<WaveOf<6>::Model>(choice.dimensions, visit);
  return with_dimensions<WaveOf<4>::Model>(choice.dimensions, visit);
}

Kernels kernels_scalar(const Choice& choice);
Kernels kernels_avx2(const Choice& choice);
Kernels kernels_avx512(const Choice& choice);

}  // namespace eddyline::physics
