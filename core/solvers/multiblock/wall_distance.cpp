#include "solvers/multiblock/wall_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace eddyline::multiblock {

namespace {

constexpr std::int32_t k_parts_a_box = 4;
constexpr double k_slack = 1e-6;  // relative: more than rounding changes of a square of a distance

double square_to_segment(Vec3 x, Vec3 a, Vec3 b) {
  const Vec3 along = b - a;
  const double length = dot(along, along);
  const double share = length > 0 ? std::clamp(dot(x - a, along) / length, 0.0, 1.0) : 0.0;
  const Vec3 apart = x - (a + share * along);
  return dot(apart, apart);
}

double square_to_triangle(Vec3 x, Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 normal = cross_product(b - a, c - a);
  const double square = dot(normal, normal);
  const auto inside = [&](Vec3 from, Vec3 to) { return dot(cross_product(to - from, x - from), normal) >= 0; };
  if (square > 0 && inside(a, b) && inside(b, c) && inside(c, a)) {
    const double height = dot(x - a, normal);
    return height * height / square;
  }
  return std::min({square_to_segment(x, a, b), square_to_segment(x, b, c), square_to_segment(x, c, a)});
}

/// Square of the distance from a box.
double square_to_box(Vec3 x, Vec3 low, Vec3 high) {
  double sum = 0;
  for (int d = 0; d < 3; ++d) {
    const double outside = std::max({low[d] - x[d], x[d] - high[d], 0.0});
    sum += outside * outside;
  }
  return sum;
}

}  // namespace

Walls::Walls(const world::Mesh& mesh, const Boundaries& boundaries) : dimensions_(mesh.dimensions) {
  for (const world::MeshBoundary& boundary : mesh.boundaries) add_patch(boundary, mesh, boundaries);
  repeat(mesh);
  if (!parts_.empty()) build(0, static_cast<std::int32_t>(parts_.size()));
}

void Walls::add_patch(const world::MeshBoundary& boundary, const world::Mesh& mesh, const Boundaries& boundaries) {
  const world::MeshPatch& patch = boundary.patch;
  const world::MeshBlock& block = mesh.blocks[static_cast<std::size_t>(patch.block)];
  const auto axis = static_cast<std::size_t>(patch.axis);
  const std::size_t e = dimensions_ == 2 ? 1 - axis : (axis + 1) % 3, f = (axis + 2) % 3;
  const auto node = [&](Int3 at) { return block.place(at[0], at[1], at[2]); };
  for (std::int32_t k = patch.low[2]; k < patch.high[2]; ++k)
    for (std::int32_t j = patch.low[1]; j < patch.high[1]; ++j)
      for (std::int32_t i = patch.low[0]; i < patch.high[0]; ++i) {
        Int3 at{i, j, k};
        at[axis] += patch.end;
        Int3 right = at, across = at, up = at;
        ++right[e], ++across[e];
        if (dimensions_ == 3) ++across[f], ++up[f];
        const Vec3 a = node(at), b = node(right), c = node(across), d = node(up);
        BoundaryFace face;
        face.center = dimensions_ == 2 ? 0.5 * (a + b) : 0.25 * ((a + c) + (b + d));
        boundaries.classify(boundary.name, face);
        if (face.condition != Condition::wall) continue;
        parts_.push_back({{a, b, c}});
        if (dimensions_ == 3) parts_.push_back({{a, c, d}});
      }
}

/// Adds what periodic sides show: walls moved by the shifts of links, and by sums of two of them.
void Walls::repeat(const world::Mesh& mesh) {
  std::vector<Vec3> shifts{{}};
  const auto add = [&](Vec3 shift) {
    const auto is_same = [&](Vec3 other) { return norm(other - shift) == 0; };
    if (std::ranges::none_of(shifts, is_same)) shifts.push_back(shift);
  };
  for (const world::MeshLink& link : mesh.links) add(link.shift);
  const std::size_t single = shifts.size();
  for (std::size_t a = 1; a < single; ++a)
    for (std::size_t b = 1; b < a; ++b) add(shifts[a] + shifts[b]);
  const std::size_t own = parts_.size();
  for (std::size_t s = 1; s < shifts.size(); ++s)
    for (std::size_t p = 0; p < own; ++p) {
      Part moved = parts_[p];
      for (Vec3& corner : moved.corners) corner = corner + shifts[s];
      parts_.push_back(moved);
    }
}

/// Boxes around halves of halves, each cut across its longest edge.
std::int32_t Walls::build(std::int32_t first, std::int32_t last) {
  const auto number = static_cast<std::int32_t>(boxes_.size());
  const double infinite = std::numeric_limits<double>::infinity();
  Box box{{infinite, infinite, infinite}, {-infinite, -infinite, -infinite}, first, last};
  const int corners = dimensions_ == 2 ? 2 : 3;
  for (std::int32_t p = first; p < last; ++p)
    for (int n = 0; n < corners; ++n)
      for (int d = 0; d < 3; ++d) {
        const double at = parts_[static_cast<std::size_t>(p)].corners[static_cast<std::size_t>(n)][d];
        box.low[d] = std::min(box.low[d], at), box.high[d] = std::max(box.high[d], at);
      }
  boxes_.push_back(box);
  if (last - first <= k_parts_a_box) return number;
  int longest = 0;
  for (int d = 1; d < 3; ++d)
    if (box.high[d] - box.low[d] > box.high[longest] - box.low[longest]) longest = d;
  const std::int32_t middle = first + (last - first) / 2;
  const auto place = [longest](const Part& part) { return part.corners[0][longest] + part.corners[1][longest]; };
  std::nth_element(parts_.begin() + first, parts_.begin() + middle, parts_.begin() + last,
                   [&](const Part& a, const Part& b) { return place(a) < place(b); });
  build(first, middle);
  const std::int32_t right = build(middle, last);
  boxes_[static_cast<std::size_t>(number)].right = right;
  return number;
}

double Walls::square_of(const Part& part, Vec3 x) const {
  const auto& [a, b, c] = part.corners;
  return dimensions_ == 2 ? square_to_segment(x, a, b) : square_to_triangle(x, a, b, c);
}

/// Lowers `least`, the smallest square so far. A box is left out only if it is farther by more than rounding.
void Walls::search(std::int32_t number, Vec3 x, double& least) const {
  const Box& box = boxes_[static_cast<std::size_t>(number)];
  if (box.right == 0) {
    for (std::int32_t p = box.first; p < box.last; ++p)
      least = std::min(least, square_of(parts_[static_cast<std::size_t>(p)], x));
    return;
  }
  std::array<std::pair<double, std::int32_t>, 2> halves;
  for (std::size_t n = 0; n < 2; ++n) {
    const std::int32_t half = n == 0 ? number + 1 : box.right;
    const Box& of = boxes_[static_cast<std::size_t>(half)];
    halves[n] = {square_to_box(x, of.low, of.high), half};
  }
  if (halves[1] < halves[0]) std::swap(halves[0], halves[1]);
  for (const auto& [square, half] : halves)
    if (square <= least * (1 + k_slack)) search(half, x, least);
}

double Walls::distance(Vec3 x) const {
  double least = std::numeric_limits<double>::infinity();
  if (!boxes_.empty()) search(0, x, least);
  return std::sqrt(least);
}

}  // namespace eddyline::multiblock
