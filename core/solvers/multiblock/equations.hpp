#pragma once
// The equations that the engine solves.

#include <cstddef>

namespace eddyline::multiblock {

/// Incompressible flow by artificial compressibility. Unknowns: p / rho [m^2/s^2], u [m/s].
template <int Dimensions>
struct Incompressible {
  static constexpr int k_dimensions = Dimensions;
  static constexpr std::size_t k_unknowns = Dimensions + 1;
  static constexpr std::size_t k_first_in_time = 1;  // the first unknown with a derivative in time
  static constexpr bool k_is_gas = false;
};

/// Compressible flow of an ideal gas. Unknowns: rho, rho u, rho E.
template <int Dimensions>
struct Gas {
  static constexpr int k_dimensions = Dimensions;
  static constexpr std::size_t k_unknowns = Dimensions + 2;
  static constexpr std::size_t k_first_in_time = 0;
  static constexpr bool k_is_gas = true;
};

}  // namespace eddyline::multiblock
