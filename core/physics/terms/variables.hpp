#pragma once
// Numbers of the variables that terms read, in SI units.

#include <cstddef>
#include <cstdint>

namespace eddyline::physics::terms {

/// Variables of pairs, numbers in Program::register_of().
enum class Of : std::uint8_t {
  // clang-format off
  t,
  rho_i, p_i, m_i, V_i, vx_i, vy_i, vz_i,
  r, q, W, dW, rx, ry, rz, vx, vy, vz, vr, x, y, z,
  rho_j, p_j, m_j, V_j, vx_j, vy_j, vz_j
  // clang-format on
};
inline constexpr std::size_t k_pair_variables = static_cast<std::size_t>(Of::vz_j) + 1;

/// Variables of single particles.
enum class OfParticle : std::uint8_t { x, y, z, t, vx, vy, vz, rho, p };
inline constexpr std::size_t k_particle_variables = 9, k_particle_time = 3;

}  // namespace eddyline::physics::terms
