#include "solvers/multiblock/observe/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "comm/collectives.hpp"
#include "observe/codes.hpp"

namespace eddyline::multiblock {

namespace {

constexpr double k_none = -INFINITY;        // of a rank that does not hold a point
constexpr std::int32_t k_first_scalar = 5;  // of a liquid, among the quantities

}  // namespace

/// Leaves each point to the rank with the smallest id.
template <class E>
void Sampler<E>::share(std::vector<Location>& found) const {
  if (flow_.communicator().is_alone()) return;
  std::vector<std::int64_t> ids;
  for (const Location& location : found) ids.push_back(location.id);
  comm::minimum(flow_.communicator(), ids, "observers");
  for (std::size_t n = 0; n < found.size(); ++n) {
    if (found[n].id != ids[n]) found[n].piece = -1;
    found[n].id = ids[n];
  }
}

template <class E>
typename Sampler<E>::Sample Sampler<E>::sample(const Location& found, Vec3 x) const {
  const PieceFields<E>& piece = flow_.finest().pieces[static_cast<std::size_t>(found.piece)];
  const auto c = static_cast<std::size_t>(found.place);
  Sample sample;
  for (std::size_t v = 0; v < k_values; ++v) {
    double value = piece.values()[v][c];
    for (std::size_t d = 0; d < D; ++d) {
      sample.gradient[v][d] = piece.gradient[v][d][c];
      value += sample.gradient[v][d] * (x[static_cast<int>(d)] - piece.center[d][c]);
    }
    sample.values[v] = v == 0 ? value * flow_.pressure_unit() : value;
  }
  sample.eddy_ratio = flow_.eddy_ratio(piece, c);
  if constexpr (!E::k_is_gas)
    if (flow_.scalars() != nullptr)
      for (std::size_t k = 0; const auto& scalar : flow_.scalars()->of(piece).scalars) {
        double& value = sample.scalars[k++];
        value = scalar.now[c];
        for (std::size_t d = 0; d < D; ++d)
          value += scalar.gradient[d][c] * (x[static_cast<int>(d)] - piece.center[d][c]);
      }
  return sample;
}

template <class E>
double Sampler<E>::value(std::int32_t quantity, const Sample& sample) const {
  const auto& v = sample.values;
  const double square = D == 3 ? v[1] * v[1] + v[2] * v[2] + v[D] * v[D] : v[1] * v[1] + v[2] * v[2];
  const world::Fluid& fluid = flow_.world().fluid;
  const auto theta = [&] { return v[k_values - 1]; };  // of a gas
  if (!E::k_is_gas && quantity >= k_first_scalar)
    return sample.scalars[static_cast<std::size_t>(quantity - k_first_scalar)];
  switch (quantity) {
    case 0: return std::sqrt(square);
    case 1: return v[1];
    case 2: return v[2];
    case 3: return D == 3 ? v[D] : sample.gradient[2][0] - sample.gradient[1][1];
    case 5: return v[0] / theta();
    case 6: return theta() / fluid.gas_constant;
    case 7: return std::sqrt(square / (fluid.gamma * theta()));
    case 8:
      return (v[0] - flow_.start_amid().pressure) / (0.5 * fluid.density * flow_.start_speed() * flow_.start_speed());
    case 9: return sample.eddy_ratio;
    default: return v[0];
  }
}

template <class E>
std::vector<double> Sampler<E>::at(std::span<const Vec3> points) {
  flow_.prepare(Prepared::scalars);
  const std::size_t width = probe_columns().size();
  std::vector<Location> found;
  for (const Vec3 x : points) found.push_back(locator_.find(x));
  share(found);
  std::vector<double> values(points.size() * width, k_none);
  for (std::size_t n = 0; n < points.size(); ++n) {
    double* row = values.data() + n * width;
    if (found[n].id == Location::k_nowhere) {
      std::fill_n(row, width, 0.0);
    } else if (found[n].piece >= 0) {
      const Sample here = sample(found[n], points[n]);
      std::copy_n(here.values.begin(), D + 1, row);
      if (flow_.turbulence() != nullptr) row[width - 2] = here.eddy_ratio;
      if (flow_.scalars() != nullptr) std::copy_n(here.scalars.begin(), flow_.scalars()->all().size(), row + D + 1);
      row[width - 1] = 1;
    }
  }
  if (!flow_.communicator().is_alone()) comm::maximum(flow_.communicator(), values, "observers");
  return values;
}

template <class E>
const std::vector<Location>& Sampler<E>::pixels(const solver::Plane& plane) {
  const bool same = has_pixels_ && plane.columns == plane_.columns && plane.rows == plane_.rows &&
                    plane.lower == plane_.lower && plane.upper == plane_.upper && plane.axes == plane_.axes;
  if (same) return pixels_;
  pixels_.assign(plane.pixels(), {});
  parallel_for(plane.rows, [&](std::int64_t row) {
    for (std::int32_t column = 0; column < plane.columns; ++column)
      pixels_[static_cast<std::size_t>(row * plane.columns + column)] =
          locator_.find(plane.centre(column, static_cast<std::int32_t>(row)));
  });
  share(pixels_);
  plane_ = plane;
  has_pixels_ = true;
  return pixels_;
}

template <class E>
std::vector<solver::Raster> Sampler<E>::rasters(std::span<const std::int32_t> quantities, const solver::Plane& plane) {
  flow_.prepare(Prepared::scalars);
  const std::vector<Location>& found = pixels(plane);
  const std::size_t size = plane.pixels();
  std::vector<double> values(quantities.size() * size, k_none);
  parallel_for(plane.rows, [&](std::int64_t row) {
    for (std::int32_t column = 0; column < plane.columns; ++column) {
      const auto n = static_cast<std::size_t>(row * plane.columns + column);
      if (found[n].piece < 0) continue;
      const Sample here = sample(found[n], plane.centre(column, static_cast<std::int32_t>(row)));
      for (std::size_t q = 0; q < quantities.size(); ++q) values[q * size + n] = value(quantities[q], here);
    }
  });
  if (!flow_.communicator().is_alone()) comm::maximum(flow_.communicator(), values, "pictures");
  std::vector<solver::Raster> drawn(quantities.size());
  std::vector<float> pixels(size);
  for (std::size_t q = 0; q < quantities.size(); ++q) {
    for (std::size_t n = 0; n < size; ++n) pixels[n] = static_cast<float>(values[q * size + n]);
    drawn[q].known.assign((size + 7) / 8, 0);
    observe::keep_known(pixels, nullptr, drawn[q].known.data(), drawn[q].values);
  }
  return drawn;
}

template class Sampler<Incompressible<2>>;
template class Sampler<Incompressible<3>>;
template class Sampler<Gas<2>>;
template class Sampler<Gas<3>>;

}  // namespace eddyline::multiblock
