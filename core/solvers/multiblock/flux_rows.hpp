#pragma once
// Rows of face fluxes, and what they hold.

#include <array>
#include <cstdint>
#include <vector>

#include "base/lanes.hpp"
#include "solvers/multiblock/grid.hpp"

namespace eddyline::multiblock {

/// Fluxes through a row of faces: convective ones, and dissipation with friction.
template <class E>
struct FluxRow {
  using Row = std::array<std::vector<double>, E::k_unknowns>;
  Row convective, dissipative;

  void resize(std::int32_t cells) {
    const auto size = static_cast<std::size_t>(cells + 1 + 2 * Pack4d::width);
    for (auto* row : {&convective, &dissipative})
      for (auto& of : *row)
        if (of.size() < size) of.resize(size);
  }
};

/// Terms of dissipation and friction that are summed.
enum class Dissipative { none, third_thin, third_full, third_only, first_thin, first_only };

constexpr bool is_first(Dissipative kind) { return kind == Dissipative::first_thin || kind == Dissipative::first_only; }
constexpr bool is_thin(Dissipative kind) { return kind == Dissipative::first_thin || kind == Dissipative::third_thin; }

}  // namespace eddyline::multiblock
