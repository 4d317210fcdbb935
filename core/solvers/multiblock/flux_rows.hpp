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

/// Smallest eigenvalues of matrix dissipation over the largest.
inline constexpr double k_least_eigenvalue = 0.25;

/// 0 at walls, where the spectral radius is 0; else 1.
EDDYLINE_INLINE Pack4d passes(Pack4d radius) {
  constexpr double k_huge = 1e300;
  return min(radius * Pack4d(k_huge), Pack4d(1));
}

}  // namespace eddyline::multiblock
