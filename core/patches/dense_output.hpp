#pragma once

#include <array>
#include <cstddef>

namespace eddyline::patches {

/// The five states that the classical Runge-Kutta method leaves of a step of length h from y_0:
///
///   y_2 = y_0 + h/2 F(y_0),  y_3 = y_0 + h/2 F(y_2),  y_4 = y_0 + h F(y_3),  and the end of the step.
///
/// Weights of a sum of them.
inline constexpr std::size_t k_states = 5;
using StateWeights = std::array<double, k_states>;

/// Weights that give the state before stage 0, 1, 2 or 3 of a step of half that length, the first (0) or second (1) one
/// within the coarse step. They differ from a fine solver's own stages by O(h^4): not only the solution, but its first
/// three derivatives in time are taken from the coarse step, and combined as the stages of the fine step combine them.
/// Sources: the continuous extension of order 3 of the classical method; Taylor series of its stages as McCorquodale &
/// Colella 2011, section 3.2.
StateWeights weights_of_stage(int substep, int stage);

}  // namespace eddyline::patches
