#include "solvers/amr/loads.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/reproducible_sum.hpp"
#include "comm/sums.hpp"

namespace eddyline::amr {

namespace {

constexpr std::size_t k_sums = 9;  // of a body: pressure, friction, torque

}  // namespace

Loads::Loads(State& state) : state_(state) { owners_ = solver::loaded_solids(state.world(), solver::Loaded::bodies); }

/// Each group counts once, where its first cell is.
void Loads::add(comm::Sums& sums) {
  const world::World& world = state_.world();
  std::vector<ReproducibleSum> own(owners_.size() * k_sums);
  if (!owners_.empty()) state_.gather();
  State::Scratch scratch(state_);
  std::vector<double> values(state_.equations().fields().size()), next(values.size()), at_part(values.size());
  for (const State::Patch& patch : state_.patches()) {
    const physics::Solid* solid = state_.solid(patch);
    if (solid == nullptr) continue;
    const std::span<const physics::Input> in = scratch.read(patch);
    const auto read = [&](Int3 cell, std::span<double> to) {
      for (std::size_t f = 0; f < to.size(); ++f) {
        const double* value = in[f].at;
        for (std::size_t d = 0; d < 3; ++d) value += (cell[d] - patch.cells().lower[d]) * in[f].stride[d];
        to[f] = *value;
      }
    };
    const double face = std::pow(state_.spacing(patch.level), world.dimensions - 1);
    for (const physics::CellAtBody& cell : solid->cells) {
      if (cell.body < 0 || solid->parts[cell.first].cell != cell.cell) continue;
      read(cell.cell, values);
      std::ranges::fill(next, 0.0);
      for (std::size_t k = cell.next; k < cell.next + cell.nexts; ++k) {
        read(solid->next[k].cell, at_part);
        for (std::size_t f = 0; f < next.size(); ++f) next[f] += solid->next[k].weight * at_part[f];
      }
      if (cell.nexts == 0) next = values;
      const physics::WallForce force = state_.equations().wall(values, next, cell.wall);
      const Vec3 pressure = face * force.pressure, friction = face * force.friction;
      const world::Shape& shape = *world.bodies[static_cast<std::size_t>(cell.body)].shape;
      const auto [lowest, highest] = shape.bounds();
      const Vec3 centre = state_.centre(patch.level, cell.cell),
                 normal = cell.wall.area / norm(cell.wall.area),  // into the body
          place = centre + shape.signed_distance(centre) * normal;
      const Vec3 torque = cross_product(place - 0.5 * (lowest + highest), pressure + friction);
      for (int d = 0; d < 3; ++d) {
        const std::size_t k = static_cast<std::size_t>(cell.body) * k_sums + static_cast<std::size_t>(d);
        own[k].add(pressure[d]);
        own[k + 3].add(friction[d]);
        own[k + 6].add(torque[d]);
      }
    }
  }
  for (std::size_t k = 0; k < own.size(); ++k) {
    const std::size_t index = sums.add(own[k]);
    if (k == 0) index_ = index;
  }
}

solver::Load Loads::load(std::size_t k, const comm::Sums& sums) const {
  const auto v = sums.values<k_sums>(index_ + k * k_sums);
  return {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, 0};
}

}  // namespace eddyline::amr
