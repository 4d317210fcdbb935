#include "solvers/amr/bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "solvers/amr/cut_cells.hpp"

namespace eddyline::amr {

using grid::IndexBox;
using physics::CellAtBody;
using physics::CellPart;
using physics::Solid;
using physics::Weighed;

namespace {

constexpr double k_small = 0.5;      // parts of cells below this are joined to a neighbour
constexpr double k_least = 1e-3;     // and parts below this belong to the body
constexpr double k_nearest = 0.25;   // least distance of the fluid from its wall, in cells
constexpr double k_no_area = 1e-9;   // walls below this are rounding
constexpr double k_farthest = 2;     // of the factors by which velocities before walls are moved to centres of cells
constexpr std::int32_t k_group = 3;  // layers of cells that those of a group and their sizes depend on

Int3 moved(Int3 cell, std::size_t side) {
  cell[side / 2] += side % 2 == 0 ? -1 : 1;
  return cell;
}

}  // namespace

/// Distances at the corners of cells, and what follows from them. Beyond sides of the domain the body is mirrored, or
/// repeated where they are periodic.
class Bodies::Geometry {
 public:
  Geometry(const Bodies& bodies, const patches::Levels& levels, int level, double spacing, const IndexBox& box)
      : dimensions_(levels.setup().dimensions),
        box_(box),
        corners_(box),
        domain_(levels[level].layout.domain()),
        periodic_(levels.setup().periodic),
        origin_(bodies.world_.origin),
        spacing_(spacing) {
    for (std::size_t d = 0; d < sides() / 2; ++d) ++corners_.upper[d];
    distance_.reserve(static_cast<std::size_t>(corners_.cells()));
    for_each_cell(corners_, [&](Int3 corner) {
      Vec3 x;
      for (std::size_t d = 0; d < sides() / 2; ++d) {
        std::int32_t k = corner[d];
        const std::int32_t n = domain_.upper[d];
        if (periodic_[d])
          k = ((k % n) + n) % n;
        else if (k < 0 || k > n)
          k = k < 0 ? -k : 2 * n - k;
        x[static_cast<int>(d)] = bodies.world_.origin[static_cast<int>(d)] + k * spacing;
      }
      distance_.push_back(bodies.distance(x));
    });
    volume_.reserve(static_cast<std::size_t>(box_.cells()));
    for_each_cell(box_, [&](Int3 cell) { volume_.push_back(find_volume(cell)); });
  }

  std::size_t sides() const { return 2 * static_cast<std::size_t>(dimensions_); }
  /// True if no part of the cell is solid.
  bool is_free(Int3 cell) const {
    for (std::size_t k = 0; k < std::size_t{1} << dimensions_; ++k)
      if (!(corner(cell, k) > 0)) return false;
    return true;
  }
  /// Part of a cell outside bodies, before small ones are joined.
  double volume(Int3 cell) const { return volume_[static_cast<std::size_t>(box_.index(cell))]; }
  /// Part of a face outside bodies.
  double open(Int3 cell, std::size_t side) const {
    std::array<double, 4> at{};
    std::size_t n = 0;
    for (std::size_t k = 0; k < std::size_t{1} << dimensions_; ++k)
      if ((k >> (side / 2) & 1) == side % 2) at[n++] = corner(cell, k);
    return dimensions_ == 2 ? open_edge(at[0], at[1]) : open_square(at);
  }
  /// The side across which a small cell is joined to a neighbour; of cells that stay as they are `sides()`, of those
  /// that belong to the body `sides() + 1`.
  std::size_t joined(Int3 cell) const {
    const double own = volume(cell);
    if (own >= k_small) return sides();
    if (own < k_least) return sides() + 1;
    std::size_t best = sides() + 1;
    double largest = k_small;
    for (std::size_t side = 0; side < sides(); ++side) {
      const double there = volume(moved(cell, side));
      if (there < largest || (best < sides() && there <= largest) || !(open(cell, side) > 0)) continue;
      best = side, largest = there;
    }
    return best;
  }
  bool is_covered(Int3 cell) const { return joined(cell) > sides(); }

  /// The cells that hold the same values as a cell that is not covered, that to which others are joined first.
  std::vector<Int3> group(Int3 cell) const {
    const std::size_t own = joined(cell);
    const Int3 leader = own < sides() ? moved(cell, own) : cell;
    std::vector<Int3> all{leader};
    for (std::size_t side = 0; side < sides(); ++side)
      if (const Int3 there = moved(leader, side); joined(there) == (side ^ 1)) all.push_back(there);
    return all;
  }
  /// Centre of a cell [m]; of one beyond a side, that of the cell in the domain that it shows.
  Vec3 centre(Int3 cell) const {
    Vec3 x;
    for (std::size_t d = 0; d < sides() / 2; ++d) {
      std::int32_t k = cell[d];
      const std::int32_t n = domain_.upper[d];
      if (periodic_[d])
        k = ((k % n) + n) % n;
      else if (k < 0 || k >= n)
        k = k < 0 ? -1 - k : 2 * n - 1 - k;
      x[static_cast<int>(d)] = origin_[static_cast<int>(d)] + (k + 0.5) * spacing_;
    }
    return x;
  }
  /// Distance of the centre of a cell from the body [m], negative inside.
  double at_centre(Int3 cell) const { return at(cell, {0.5, 0.5, dimensions_ == 3 ? 0.5 : 0}); }
  /// Mean distance of the fluid of a cell, 0 if it is so little that none is found [m].
  double depth(Int3 cell) const {
    if (is_free(cell)) return at_centre(cell);
    constexpr int k_points = 8;
    double sum = 0;
    int count = 0;
    const int layers = dimensions_ == 3 ? k_points : 1;
    for (int k = 0; k < layers * k_points * k_points; ++k) {
      const auto middle = [](int n) { return (n % k_points + 0.5) / k_points; };
      const double here =
          at(cell, {middle(k), middle(k / k_points), dimensions_ == 3 ? middle(k / (k_points * k_points)) : 0});
      if (here > 0) sum += here, ++count;
    }
    return count > 0 ? sum / count : 0;
  }
  /// Distance at a place in a cell, given in edges of it.
  double at(Int3 cell, const Vec3& place) const {
    double sum = 0;
    for (std::size_t k = 0; k < std::size_t{1} << dimensions_; ++k) {
      double weight = 1;
      for (std::size_t d = 0; d < sides() / 2; ++d)
        weight *= (k >> d & 1) != 0 ? place[static_cast<int>(d)] : 1 - place[static_cast<int>(d)];
      sum += weight * corner(cell, k);
    }
    return sum;
  }

 private:
  double corner(Int3 cell, std::size_t k) const {
    for (std::size_t d = 0; d < 3; ++d) cell[d] += static_cast<std::int32_t>(k >> d & 1);
    return distance_[static_cast<std::size_t>(corners_.index(cell))];
  }
  double find_volume(Int3 cell) const {
    std::array<double, 8> at{};
    for (std::size_t k = 0; k < std::size_t{1} << dimensions_; ++k) at[k] = corner(cell, k);
    return dimensions_ == 2 ? open_square({at[0], at[1], at[2], at[3]}) : open_cube(at);
  }

  int dimensions_;
  IndexBox box_, corners_, domain_;
  std::array<bool, 3> periodic_;
  Vec3 origin_;
  double spacing_;
  std::vector<double> distance_, volume_;
};

Bodies::Bodies(const world::World& world, std::int32_t reach, bool holds)
    : world_(world), reach_(reach), holds_(holds) {
  for (std::size_t k = 0; k < world.bodies.size(); ++k)
    if (world.bodies[k].shape != nullptr) {
      shapes_.push_back(world.bodies[k].shape);
      numbers_.push_back(static_cast<std::int32_t>(k));
    }
}

double Bodies::distance(const Vec3& x) const {
  double least = std::numeric_limits<double>::infinity();
  for (const world::ShapePtr& shape : shapes_) least = std::min(least, shape->signed_distance(x));
  return least;
}

std::int32_t Bodies::nearest(const Vec3& x) const {
  std::int32_t found = -1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < shapes_.size(); ++k)
    if (const double distance = shapes_[k]->signed_distance(x); distance < least) least = distance, found = numbers_[k];
  return found;
}

void Bodies::update(const patches::Levels& levels, const std::vector<double>& spacings) {
  if (empty()) return;
  const auto old = std::exchange(boxes_, {});
  auto known = std::exchange(patches_, {});
  std::map<std::array<std::int32_t, 7>, std::unique_ptr<Solid>*> where;
  const auto key = [](int level, const IndexBox& box) {
    return std::array{level, box.lower[0], box.lower[1], box.lower[2], box.upper[0], box.upper[1], box.upper[2]};
  };
  for (std::size_t level = 0; level < old.size(); ++level)
    for (std::size_t k = 0; k < old[level].size(); ++k)
      where[key(static_cast<int>(level), old[level][k])] = &known[level][k];

  boxes_.resize(static_cast<std::size_t>(levels.size()));
  patches_.resize(boxes_.size());
  for (int level = 0; level < levels.size(); ++level) {
    const auto& patches = levels[level].layout.patches();
    auto& found = patches_[static_cast<std::size_t>(level)];
    found.resize(patches.size());
    std::vector<std::size_t> missing;
    for (std::size_t k = 0; k < patches.size(); ++k) {
      boxes_[static_cast<std::size_t>(level)].push_back(patches[k].cells);
      if (const auto before = where.find(key(level, patches[k].cells)); before != where.end())
        found[k] = std::move(*before->second);
      else
        missing.push_back(k);
    }
    const auto count = static_cast<std::int64_t>(missing.size());
#pragma omp parallel for schedule(dynamic)
    for (std::int64_t n = 0; n < count; ++n) {
      const std::size_t k = missing[static_cast<std::size_t>(n)];
      found[k] = find(levels, level, patches[k], spacings[static_cast<std::size_t>(level)]);
    }
  }
}

std::unique_ptr<Solid> Bodies::find(const patches::Levels& levels, int level, const patches::Layout::Patch& patch,
                                    double spacing) const {
  const IndexBox box = levels[level].layout.grown(patch);
  const IndexBox around = box.grown(k_group, levels.setup().dimensions);
  Vec3 centre, half;
  for (int d = 0; d < levels.setup().dimensions; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    centre[d] = world_.origin[d] + 0.5 * spacing * (around.lower[axis] + around.upper[axis]);
    half[d] = 0.5 * spacing * around.count(axis);
  }
  bool repeats = false;  // beyond a periodic side is another part of the domain
  for (std::size_t d = 0; d < 3; ++d)
    repeats = repeats || (levels.setup().periodic[d] &&
                          (around.lower[d] < 0 || around.upper[d] > levels[level].layout.domain().upper[d]));
  if (!repeats && distance(centre) > 2 * norm(half)) return nullptr;

  const Geometry geometry(*this, levels, level, spacing, around);
  auto solid = std::make_unique<Solid>();
  solid->box = box;
  solid->covered.resize(static_cast<std::size_t>(box.cells()));
  solid->fraction.resize(static_cast<std::size_t>(patch.cells.cells()));
  if (level + 1 < levels.most())
    freeze(geometry, patch.cells, *solid);
  else
    cut(geometry, patch.cells, spacing, *solid);
  const bool is_touched = std::ranges::any_of(solid->covered, [](std::uint8_t c) { return c != 0; }) ||
                          !solid->frozen.empty() || !solid->cells.empty();
  return is_touched ? std::move(solid) : nullptr;
}

/// Cells of a level below finer ones that hold less fluid than body count as covered where nothing finer shows them.
void Bodies::freeze(const Geometry& geometry, const IndexBox& cells, Solid& solid) const {
  for_each_cell(solid.box, [&](Int3 cell) {
    solid.covered[static_cast<std::size_t>(solid.box.index(cell))] = geometry.volume(cell) < k_small ? 1 : 0;
  });
  for_each_cell(cells, [&](Int3 cell) {
    const bool is_free = geometry.is_free(cell);
    if (!is_free) solid.frozen.push_back(cell);
    solid.fraction[static_cast<std::size_t>(cells.index(cell))] = is_free ? 1 : geometry.volume(cell);
  });
}

/// True if the loops over all cells compute the cell as it is.
bool Bodies::is_regular(const Geometry& geometry, const Solid& solid, Int3 cell) const {
  if (geometry.volume(cell) < 1) return false;
  for (std::size_t side = 0; side < geometry.sides(); ++side) {
    if (geometry.open(cell, side) < 1) return false;
    const Int3 there = moved(cell, side);
    if (geometry.joined(there) == (side ^ 1)) return false;
    Int3 further = there;
    for (std::int32_t k = 0; k < reach_; ++k, further = moved(further, side))
      if (solid.is_covered(further)) return false;
  }
  IndexBox around{cell, {cell[0] + 1, cell[1] + 1, cell[2] + 1}};
  around = around.grown(1, static_cast<int>(geometry.sides() / 2));
  bool is_free = true;
  for_each_cell(around, [&](Int3 there) { is_free = is_free && !solid.is_covered(there); });
  return is_free;
}

/// The fluid of a group lies like a plate before a wall that lets it slip.
void Bodies::set_wall(const Geometry& geometry, Int3 leader, double spacing, Solid& solid, CellAtBody& cell) const {
  const double area = norm(cell.wall.area);
  if (!(area > k_no_area)) {
    cell.wall.area = {};
    return;
  }
  Vec3 x;
  for (int d = 0; d < world_.dimensions; ++d)
    x[d] = world_.origin[d] + (leader[static_cast<std::size_t>(d)] + 0.5) * spacing;
  cell.body = nearest(geometry.centre(leader));
  cell.wall.slip = !holds_ || world_.bodies[static_cast<std::size_t>(cell.body)].slip;
  if (!cell.wall.slip) {
    double sum = 0;
    for (std::size_t k = cell.first; k < cell.first + cell.parts; ++k)
      sum += solid.parts[k].volume * geometry.depth(solid.parts[k].cell);
    cell.wall.distance = std::max(sum / cell.volume, k_nearest * spacing);
    find_next(geometry, leader, spacing, solid, cell);
    return;
  }
  cell.wall.distance = std::clamp(0.5 * cell.volume / area, k_nearest, 1.0) * spacing;
  int axis = 0;  // across which the wall is largest
  for (int d = 1; d < world_.dimensions; ++d)
    if (std::abs(cell.wall.area[d]) > std::abs(cell.wall.area[axis])) axis = d;
  const std::int32_t step = cell.wall.area[axis] > 0 ? -1 : 1;
  Int3 next = leader;
  next[static_cast<std::size_t>(axis)] += step;
  x[axis] += step * spacing;
  if (solid.is_covered(next)) return;
  cell.next = solid.next.size(), cell.nexts = 1;
  solid.next.push_back({next, 1});
  cell.wall.further = std::max(distance(x), cell.wall.distance + k_nearest * spacing);
}

/// The next place is the edge of a cell further from the wall than the centre of the group's first cell. Its values are
/// interpolated between the cells around it, if they all hold fluid.
void Bodies::find_next(const Geometry& geometry, Int3 leader, double spacing, Solid& solid, CellAtBody& cell) const {
  Vec3 place, in_cell;  // in cells: from the centre of cell 0, from the lowest corner of the cell around it
  Int3 lowest = leader, around = leader;
  for (int d = 0; d < world_.dimensions; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    place[d] = leader[axis] - cell.wall.area[d] / norm(cell.wall.area);
    around[axis] = static_cast<std::int32_t>(std::floor(place[d] + 0.5));
    in_cell[d] = place[d] + 0.5 - around[axis];
    lowest[axis] = static_cast<std::int32_t>(std::floor(place[d]));
  }
  const std::size_t first = solid.next.size();
  for (std::size_t k = 0; k < std::size_t{1} << world_.dimensions; ++k) {
    Weighed part{lowest, 1};
    for (int d = 0; d < world_.dimensions; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      const double share = place[d] - lowest[axis];
      const bool is_upper = (k >> axis & 1) != 0;
      part.cell[axis] += is_upper ? 1 : 0;
      part.weight *= is_upper ? share : 1 - share;
    }
    if (part.weight == 0) continue;
    if (solid.is_covered(part.cell)) {
      solid.next.resize(first);
      return;
    }
    solid.next.push_back(part);
  }
  cell.next = first, cell.nexts = solid.next.size() - first;
  cell.wall.further = std::max(geometry.at(around, in_cell), cell.wall.distance + k_nearest * spacing);
}

/// Velocities before a wall that holds the fluid grow with the distance from it.
void Bodies::find_moved(const Geometry& geometry, double spacing, Solid& solid) const {
  for_each_cell(solid.box, [&](Int3 cell) {
    if (solid.is_covered(cell)) return;
    const std::vector<Int3> group = geometry.group(cell);
    double volume = 0, sum = 0;
    for (const Int3 member : group) {
      volume += geometry.volume(member);
      sum += geometry.volume(member) * geometry.depth(member);
    }
    if (group.size() == 1 && volume == 1) return;
    if (world_.bodies[static_cast<std::size_t>(nearest(geometry.centre(cell)))].slip) return;
    const double distance = std::max(sum / volume, k_nearest * spacing);
    solid.moved.push_back({cell, std::clamp(geometry.at_centre(cell) / distance, -k_farthest, k_farthest)});
  });
}

void Bodies::cut(const Geometry& geometry, const IndexBox& cells, double spacing, Solid& solid) const {
  const std::size_t sides = geometry.sides();
  for_each_cell(solid.box, [&](Int3 cell) {
    solid.covered[static_cast<std::size_t>(solid.box.index(cell))] = geometry.is_covered(cell) ? 1 : 0;
  });
  for_each_cell(cells, [&](Int3 cell) {
    double& fraction = solid.fraction[static_cast<std::size_t>(cells.index(cell))];
    if (solid.is_covered(cell)) {
      solid.frozen.push_back(cell);
      return;
    }
    fraction = geometry.volume(cell);
    if (is_regular(geometry, solid, cell)) return;
    CellAtBody found;
    found.cell = cell, found.first = solid.parts.size();
    const std::vector<Int3> group = geometry.group(cell);
    found.volume = 0;
    for (const Int3 member : group) {
      CellPart part;
      part.cell = member, part.volume = geometry.volume(member);
      found.volume += part.volume;
      for (std::size_t side = 0; side < sides; ++side) {
        const Int3 there = moved(member, side);
        if (solid.is_covered(there) || std::ranges::find(group, there) != group.end()) continue;
        part.open[side] = geometry.open(member, side);
        found.wall.area[static_cast<int>(side / 2)] += side % 2 == 0 ? part.open[side] : -part.open[side];
      }
      solid.parts.push_back(part);
    }
    found.parts = group.size();
    set_wall(geometry, group[0], spacing, solid, found);
    solid.cells.push_back(found);
  });
  if (holds_) find_moved(geometry, spacing, solid);
}

}  // namespace eddyline::amr
