#include "solvers/amr/cut_cells.hpp"

#include <algorithm>
#include <cstddef>

namespace eddyline::amr {

double open_edge(double a, double b) {
  if (a > 0 && b > 0) return 1;
  if (!(a > 0) && !(b > 0)) return 0;
  return a > 0 ? a / (a - b) : b / (b - a);
}

double open_square(const std::array<double, 4>& corners) {
  const std::array<double, 4> value{corners[0], corners[1], corners[3], corners[2]};  // around the square
  constexpr std::array<double, 4> k_x{0, 1, 1, 0}, k_y{0, 0, 1, 1};
  const auto open = static_cast<std::size_t>(std::ranges::count_if(value, [](double v) { return v > 0; }));
  if (open == 4) return 1;
  if (open == 0) return 0;
  std::array<double, 8> x{}, y{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t next = (k + 1) % 4;
    if (value[k] > 0) x[count] = k_x[k], y[count] = k_y[k], ++count;
    if ((value[k] > 0) == (value[next] > 0)) continue;
    const double t = value[k] / (value[k] - value[next]);
    x[count] = k_x[k] + t * (k_x[next] - k_x[k]), y[count] = k_y[k] + t * (k_y[next] - k_y[k]), ++count;
  }
  double twice = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t next = (k + 1) % count;
    twice += x[k] * y[next] - x[next] * y[k];
  }
  return std::clamp(0.5 * twice, 0.0, 1.0);
}

/// Simpson's rule over eight slices; exact where the surface is a plane that crosses all of them in the same way.
double open_cube(const std::array<double, 8>& corners) {
  constexpr int k_slices = 8;
  double sum = 0;
  for (int k = 0; k <= k_slices; ++k) {
    const double z = static_cast<double>(k) / k_slices;
    std::array<double, 4> at{};
    for (std::size_t c = 0; c < 4; ++c) at[c] = (1 - z) * corners[c] + z * corners[c + 4];
    sum += (k == 0 || k == k_slices ? 1 : (k % 2 == 1 ? 4 : 2)) * open_square(at);
  }
  return std::clamp(sum / (3 * k_slices), 0.0, 1.0);
}

}  // namespace eddyline::amr
