#include "integrate/flow/list_margin.hpp"

#include <algorithm>
#include <cmath>

namespace eddyline::integrate {

namespace {

/// In units of what it costs to sum the pairs within R once: building lists, and asking in each step whether they hold.
/// Measured.
constexpr double k_building = 1.3, k_asking_2d = 0.1, k_asking_3d = 0.04;

/// Where these rows stand, and places for whoever loads past the last.
template <class T>
void copy_places(const neighbors::Rows<T>& rows, std::int32_t count, int dimensions, neighbors::FixedPositions& to) {
  for (int d = 0; d < dimensions; ++d) {
    Array<std::int32_t>& x = to.x[d];
    x.resize(static_cast<std::size_t>(count) + neighbors::k_chunk);
    std::fill(x.end() - neighbors::k_chunk, x.end(), 0);
#pragma omp parallel for schedule(static)
    for (std::int32_t r = 0; r < count; ++r) x[static_cast<std::size_t>(r)] = rows.get_fixed(rows.row(r) + d);
  }
}

}  // namespace

int best_parts(int dimensions, double skin, double steps) {
  const auto cost = [&](int parts) {
    const double pairs = std::pow(1 + skin / parts, dimensions);
    const double asking = parts == 1 ? 0.0 : dimensions == 2 ? k_asking_2d : k_asking_3d;
    return pairs + k_building * parts / std::max(1.0, steps) + asking;
  };
  int best = 1;
  for (int parts = 2; parts <= k_most_parts; ++parts)
    if (cost(parts) < cost(best)) best = parts;
  return best;
}

template <class T, int D>
void ListMargin<T, D>::renew(const neighbors::Rows<T>& fluid, std::int32_t rows) {
  copy_places(fluid, rows, D, fluid_);
  renewed_ = true;
}

template <class T, int D>
void ListMargin<T, D>::renew_walls(const neighbors::Rows<T>& walls, std::int32_t rows) {
  copy_places(walls, rows, D, walls_);
}

template <class T, int D>
const neighbors::WallDisplacement* ListMargin<T, D>::since(const neighbors::WallDisplacement& moved,
                                                           const neighbors::FixedPositions& at_rebuild) {
  for (int d = 0; d < D; ++d) {
    const std::size_t rows = moved.x[d].size();
    walls_since_.x[d].resize(rows);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto before = static_cast<std::uint32_t>(walls_.x[d][r]) - static_cast<std::uint32_t>(at_rebuild.x[d][r]);
      walls_since_.x[d][r] = moved.x[d][r] - static_cast<float>(static_cast<std::int32_t>(before));
    }
  }
  return &walls_since_;
}

template <class T, int D>
std::size_t ListMargin<T, D>::bytes() const {
  std::size_t bytes = 0;
  for (int d = 0; d < D; ++d) bytes += fluid_.x[d].bytes() + walls_.x[d].bytes() + walls_since_.x[d].bytes();
  return bytes;
}

template class ListMargin<float, 2>;
template class ListMargin<float, 3>;
template class ListMargin<double, 2>;
template class ListMargin<double, 3>;

}  // namespace eddyline::integrate
