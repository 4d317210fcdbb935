#include "solvers/amr/sides.hpp"

#include <algorithm>
#include <vector>

namespace eddyline::amr {

using grid::IndexBox;
using physics::AcrossSide;
using physics::Beyond;

Sides::Sides(const physics::Equations& equations, int dimensions) : equations_(equations), dimensions_(dimensions) {
  for (std::size_t side = 0; side < 2 * static_cast<std::size_t>(dimensions); ++side)
    beyond_[side] = equations.side(side);
}

std::array<bool, 3> Sides::periodic() const {
  std::array<bool, 3> periodic{};
  for (std::size_t d = 0; d < 3; ++d) periodic[d] = beyond_[2 * d] == Beyond::periodic;
  return periodic;
}

void Sides::fill(const physics::Place& place, const IndexBox& grown, std::span<double* const> fields,
                 double time) const {
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) {
    if (grown.lower[d] < place.domain.lower[d]) fill_side(2 * d, place, grown, fields, time);
    if (grown.upper[d] > place.domain.upper[d]) fill_side(2 * d + 1, place, grown, fields, time);
  }
}

void Sides::fill_side(std::size_t side, const physics::Place& place, const IndexBox& grown,
                      std::span<double* const> fields, double time) const {
  const Beyond beyond = beyond_[side];
  if (beyond == Beyond::periodic) return;
  const std::size_t axis = side / 2;
  const bool is_upper = side % 2 == 1;
  const IndexBox& domain = place.domain;
  IndexBox first = grown;  // the cells at the side
  for (std::size_t d = axis + 1; d < 3; ++d)
    if (beyond_[2 * d] != Beyond::periodic) {
      first.lower[d] = std::max(first.lower[d], domain.lower[d]);
      first.upper[d] = std::min(first.upper[d], domain.upper[d]);
    }
  first.lower[axis] = is_upper ? domain.upper[axis] - 1 : domain.lower[axis];
  first.upper[axis] = first.lower[axis] + 1;

  const std::array<std::ptrdiff_t, 3> stride{1, grown.count(0),
                                             static_cast<std::ptrdiff_t>(grown.count(0)) * grown.count(1)};
  std::array<double*, physics::k_most_fields> at{};
  AcrossSide row{.side = side,
                 .first_inside = std::span(at).first(fields.size()),
                 .outwards = is_upper ? stride[axis] : -stride[axis],
                 .ghosts = is_upper ? grown.upper[axis] - domain.upper[axis] : domain.lower[axis] - grown.lower[axis],
                 .spacing = place.spacing,
                 .position = {},
                 .time = time};
  const std::vector<physics::Field>& of = equations_.fields();
  for_each_cell(first, [&](Int3 cell) {
    for (std::size_t f = 0; f < fields.size(); ++f)
      at[f] = fields[f] == nullptr ? nullptr : fields[f] + grown.index(cell);
    if (beyond == Beyond::own) {
      row.position = place.centre(cell, dimensions_);
      row.position[static_cast<int>(axis)] += (is_upper ? 0.5 : -0.5) * place.spacing;
      equations_.fill_beyond(row);
      return;
    }
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (at[f] == nullptr) continue;
      const bool is_odd =
          beyond == Beyond::odd || (beyond == Beyond::mirror && of[f].is_odd_across(static_cast<int>(axis)));
      for (std::int32_t k = 0; k < row.ghosts; ++k) {
        const double value = row.inside(f, beyond == Beyond::copy ? 0 : k);
        row.ghost(f, k) = is_odd ? -value : value;
      }
    }
  });
}

}  // namespace eddyline::amr
