#include "observe/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "physics/kernels/wendland_c2.hpp"

namespace eddyline::observe {

template <class T, int D>
Sample Sampler<T, D>::at(Vec3 x) const {
  const auto& c = flow_.constants();
  const auto& layout = flow_.layout();
  const auto& rows = flow_.fluid_rows;
  const std::int32_t cell = layout.owned_cell(x);
  const auto& box = layout.boxes()[static_cast<std::size_t>(layout.box_of(cell))];
  std::int32_t x_fixed[3] = {0, 0, 0};
  for (int d = 0; d < D; ++d) x_fixed[d] = c.fixed.wrapped(x[d]);
  const double scale = c.fixed.quantum() / c.length.interaction_radius;
  const double kernel = c.kernel / 20;  // sigma dx^D / R^D

  Sample sample;
  const std::int32_t nx = box.shape[0], nxy = nx * box.shape[1], depth = D == 3 ? 1 : 0;
  for (std::int32_t dz = -depth; dz <= depth; ++dz)
    for (std::int32_t dy = -1; dy <= 1; ++dy) {
      const auto first = static_cast<std::size_t>(cell + dz * nxy + dy * nx - 1);
      for (std::int32_t j = rows.begin[first]; j < rows.begin[first + 3]; ++j) {
        const T* row = flow_.pressed.row(j);
        double r2 = 0;
        for (int d = 0; d < D; ++d) {
          const auto difference = static_cast<std::uint32_t>(x_fixed[d]) -
                                  static_cast<std::uint32_t>(flow_.pressed.get_fixed(row + d));
          const double r = scale * static_cast<std::int32_t>(difference);
          r2 += r * r;
        }
        if (r2 >= 1) continue;
        const double VW = kernel * static_cast<double>(row[D + 1]) * physics::WendlandC2::value(std::sqrt(r2));
        sample.fraction += VW;
        sample.pressure += VW * static_cast<double>(row[D]);
        for (int d = 0; d < D; ++d) sample.velocity[d] += VW * static_cast<double>(row[D + 2 + d]);
      }
    }
  if (sample.fraction > 0) {
    sample.pressure *= c.rho0 * c.c0 * c.c0 / sample.fraction;
    sample.velocity = (c.c0 / sample.fraction) * sample.velocity;
  }
  return sample;
}

template <class T, int D>
double Sampler<T, D>::height(Vec3 x, int axis) const {
  const auto& world = flow_.world();
  const double base = x[axis], step = 0.5 * world.spacing;
  const double top = world.origin[axis] + world.size[axis];
  double above = 0;
  for (auto k = static_cast<std::int64_t>(std::ceil((top - base) / step)); k >= 0; --k) {
    Vec3 point = x;
    point[axis] = base + static_cast<double>(k) * step;
    const double fraction = at(point).fraction;
    if (fraction >= 0.5) {
      const double share = above < fraction ? (fraction - 0.5) / (fraction - above) : 0;
      return point[axis] - base + step * std::clamp(share, 0.0, 1.0);
    }
    above = fraction;
  }
  return 0;
}

template class Sampler<float, 2>;
template class Sampler<float, 3>;
template class Sampler<double, 2>;
template class Sampler<double, 3>;

}  // namespace eddyline::observe
