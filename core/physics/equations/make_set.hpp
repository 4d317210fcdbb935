#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "physics/equations/set.hpp"

namespace eddyline::physics {

inline constexpr std::int32_t k_fewest_ghosts = 2;  // points between cells are interpolated from four cells an axis

/// Reconstruction that the settings name. Throws UserError.
inline Reconstruction reconstruction_of(const Settings& settings) {
  const std::string name = settings.text("reconstruction", "muscl");
  if (name != "muscl" && name != "weno")
    throw UserError("method.reconstruction = \"" + name + "\"; must be \"muscl\" or \"weno\".");
  return name == "weno" ? Reconstruction::weno : Reconstruction::muscl;
}

/// A model with its loops as a set of equations. Throws UserError for options that the model does not know, if it has
/// options() to say so.
template <class Model, int D>
std::unique_ptr<Equations> make_set(const Settings& settings, Kernels kernels, Reconstruction reconstruction) {
  std::int32_t ghosts = k_fewest_ghosts;
  if constexpr (Model::k_kind == Kind::rates)
    ghosts = std::max(ghosts, Model::k_reach);
  else if (reconstruction == Reconstruction::weno)
    ghosts = Reconstruct<Reconstruction::weno>::k_ghosts;
  if constexpr (requires { Model::options(); }) {
    std::vector<std::string> known = Model::options();
    if (Model::k_kind == Kind::fluxes) known.emplace_back("reconstruction");
    for (const auto& [name, value] : settings.options)
      if (std::ranges::find(known, name) == known.end())
        throw UserError("method." + name + ": the equations \"" + settings.name + "\" have no such option.");
  }
  return std::make_unique<Set<Model, D>>(settings, kernels, ghosts);
}

}  // namespace eddyline::physics
