#include "patches/dense_output.hpp"

namespace eddyline::patches {

namespace {

StateWeights operator*(double a, const StateWeights& x) {
  StateWeights y;
  for (std::size_t k = 0; k < k_states; ++k) y[k] = a * x[k];
  return y;
}
StateWeights operator+(const StateWeights& x, const StateWeights& y) {
  StateWeights z;
  for (std::size_t k = 0; k < k_states; ++k) z[k] = x[k] + y[k];
  return z;
}

}  // namespace

/// The weights, with k_i = h F of the four stages and t the fraction of the coarse step:
///
///   y(t) = y_0 + (t - 3/2 t^2 + 2/3 t^3) k_1 + (t^2 - 2/3 t^3) (k_2 + k_3) + (-1/2 t^2 + 2/3 t^3) k_4
///
/// Derivatives are those of this polynomial; (dF/dy) y'' = 4 (k_3 - k_2)/h^3 separates the part of y''' that stage 1
/// makes from that of stage 2.
StateWeights weights_of_stage(int substep, int stage) {
  const StateWeights start{1, 0, 0, 0, 0};
  const StateWeights k1{-2, 2, 0, 0, 0}, k2{-2, 0, 2, 0, 0}, k3{-1, 0, 0, 1, 0}, k4{2, -2, -4, -2, 6};
  const StateWeights k23 = k2 + k3;
  const double t = 0.5 * substep, h = 0.5;
  if (substep == 0 && stage == 0) return start;
  const StateWeights value = start + (t - 1.5 * t * t + 2.0 / 3 * t * t * t) * k1 +
                             (t * t - 2.0 / 3 * t * t * t) * k23 + (-0.5 * t * t + 2.0 / 3 * t * t * t) * k4;
  const StateWeights first = (1 - 3 * t + 2 * t * t) * k1 + (2 * t - 2 * t * t) * k23 + (-t + 2 * t * t) * k4;
  const StateWeights second = (-3 + 4 * t) * k1 + (2 - 4 * t) * k23 + (-1 + 4 * t) * k4;
  const StateWeights third = 4 * k1 + -4 * k23 + 4 * k4, jacobian = 4 * k3 + -4 * k2;
  switch (stage) {
    case 0: return value;
    case 1: return value + 0.5 * h * first;
    case 2:
      return value + 0.5 * h * first + 0.25 * h * h * second + h * h * h / 16 * third + -h * h * h / 16 * jacobian;
    default: return value + h * first + 0.5 * h * h * second + h * h * h / 8 * third + h * h * h / 8 * jacobian;
  }
}

}  // namespace eddyline::patches
