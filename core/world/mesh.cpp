#include "world/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/errors.hpp"

namespace eddyline::world {

namespace {

/// A millionth of the shortest edge beside them is the largest distance of nodes that coincide.
constexpr double k_coincide = 1e-6;

std::string text(Int3 cell, int dimensions) {
  std::string result = "(" + std::to_string(cell[0]);
  for (std::size_t d = 1; d < static_cast<std::size_t>(dimensions); ++d) result += ", " + std::to_string(cell[d]);
  return result + ")";
}

std::string face_text(const Mesh& mesh, const MeshPatch& patch) {
  const auto block = static_cast<std::size_t>(patch.block);
  return "block \"" + mesh.blocks[block].name + "\", face " + "ijk"[patch.axis] + (patch.end == 0 ? " low" : " high");
}

template <class Visit>
void for_each_cell(Int3 low, Int3 high, Visit&& visit) {
  for (std::int32_t k = low[2]; k < high[2]; ++k)
    for (std::int32_t j = low[1]; j < high[1]; ++j)
      for (std::int32_t i = low[0]; i < high[0]; ++i) visit(Int3{i, j, k});
}

void check_block(const MeshBlock& block, int dimensions) {
  std::size_t nodes = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    if (block.cells[d] < 2)
      throw UserError("mesh: block \"" + block.name + "\" has " + std::to_string(block.cells[d]) + " cells along " +
                      "ijk"[d] + "; it must have at least 2.");
    nodes *= static_cast<std::size_t>(block.cells[d]) + 1;
  }
  for (int d = 0; d < dimensions; ++d) {
    const auto& along = block.nodes[static_cast<std::size_t>(d)];
    if (along.size() != nodes)
      throw UserError("mesh: block \"" + block.name + "\" has " + std::to_string(along.size()) +
                      " nodes; its cells need " + std::to_string(nodes) + ".");
    if (!std::ranges::all_of(along, [](double x) { return std::isfinite(x); }))
      throw UserError("mesh: block \"" + block.name + "\" has a node that is not finite. Correct its nodes.");
  }
}

/// Throws UserError unless the patch lies on a face of its block.
void check_patch(const Mesh& mesh, const MeshPatch& patch) {
  const bool known = patch.block >= 0 && static_cast<std::size_t>(patch.block) < mesh.blocks.size() &&
                     patch.axis >= 0 && patch.axis < mesh.dimensions && (patch.end == 0 || patch.end == 1);
  if (!known) throw UserError("mesh: a patch names a block or a face that does not exist.");
  const Int3 cells = mesh.blocks[static_cast<std::size_t>(patch.block)].cells;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool across = static_cast<int>(d) == patch.axis;
    const std::int32_t layer = patch.end == 0 ? 0 : cells[d] - 1;
    const bool fits = across ? patch.low[d] == layer && patch.high[d] == layer + 1
                             : patch.low[d] >= 0 && patch.low[d] < patch.high[d] && patch.high[d] <= cells[d];
    if (!fits)
      throw UserError("mesh: " + face_text(mesh, patch) + ": the patch from cell " + text(patch.low, mesh.dimensions) +
                      " to " + text(patch.high, mesh.dimensions) + " does not lie on this face.");
  }
}

/// Counts how many links and boundaries hold each face of a cell on the faces of a block; all must be 1.
class FaceCounts {
 public:
  explicit FaceCounts(const Mesh& mesh) : mesh_(mesh) {
    for (const MeshBlock& block : mesh.blocks)
      for (int axis = 0; axis < mesh.dimensions; ++axis)
        for (int end = 0; end < 2; ++end)
          counts_.emplace_back(static_cast<std::size_t>(block.size() / block.cells[static_cast<std::size_t>(axis)]));
  }
  void add(const MeshPatch& patch) {
    auto& counts = counts_[number(patch.block, patch.axis, patch.end)];
    for_each_cell(patch.low, patch.high, [&](Int3 cell) { ++counts[place(patch, cell)]; });
  }
  void check() const {
    for (std::size_t b = 0; b < mesh_.blocks.size(); ++b)
      for (int axis = 0; axis < mesh_.dimensions; ++axis)
        for (int end = 0; end < 2; ++end) check(static_cast<std::int32_t>(b), axis, end);
  }

 private:
  std::size_t number(std::int32_t block, int axis, int end) const {
    return static_cast<std::size_t>((block * mesh_.dimensions + axis) * 2 + end);
  }
  std::size_t place(const MeshPatch& patch, Int3 cell) const {
    const Int3 cells = mesh_.blocks[static_cast<std::size_t>(patch.block)].cells;
    std::size_t n = 0;
    for (std::size_t d = 3; d-- > 0;)
      if (static_cast<int>(d) != patch.axis)
        n = n * static_cast<std::size_t>(cells[d]) + static_cast<std::size_t>(cell[d]);
    return n;
  }
  void check(std::int32_t block, int axis, int end) const {
    MeshPatch face{.block = block,
                   .axis = axis,
                   .end = end,
                   .low = {0, 0, 0},
                   .high = mesh_.blocks[static_cast<std::size_t>(block)].cells};
    const auto across = static_cast<std::size_t>(axis);
    face.low[across] = end == 0 ? 0 : face.high[across] - 1;
    face.high[across] = face.low[across] + 1;
    const auto& counts = counts_[number(block, axis, end)];
    for_each_cell(face.low, face.high, [&](Int3 cell) {
      const int count = counts[place(face, cell)];
      if (count == 1) return;
      throw UserError("mesh: " + face_text(mesh_, face) + ", cell " + text(cell, mesh_.dimensions) +
                      (count == 0 ? " belongs to no link and no boundary. Name this boundary, or link it."
                                  : " belongs to more than one link or boundary. Name it once."));
    });
  }

  const Mesh& mesh_;
  std::vector<std::vector<int>> counts_;
};

/// Nodes of the face of a cell towards `end` along `axis`: the lower corner, and the steps along the face.
template <class Visit>
void for_each_corner(const Mesh& mesh, Int3 cell, int axis, int end, Visit&& visit) {
  Int3 low = cell, high = cell;
  for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.dimensions); ++d) {
    if (static_cast<int>(d) == axis)
      low[d] = high[d] = cell[d] + end;
    else
      high[d] = cell[d] + 1;
  }
  for_each_cell(low, {high[0] + 1, high[1] + 1, high[2] + 1}, visit);
}

/// The node of the giver that should coincide with a node of the receiver: nodes map as cells do, and a reversed index
/// is one larger.
Int3 giver_node(const MeshLink& link, Int3 node, int dimensions) {
  Int3 g = link.giver_cell(node);
  for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); ++k)
    if (link.signs[k] < 0) ++g[static_cast<std::size_t>(link.axes[k])];
  return g;
}

bool is_permutation(const MeshLink& link, int dimensions) {
  std::array<bool, 3> seen{};
  for (std::size_t k = 0; k < 3; ++k) {
    const int axis = link.axes[k];
    const bool known = axis >= 0 && axis < 3 && (link.signs[k] == 1 || link.signs[k] == -1);
    if (!known || seen[static_cast<std::size_t>(axis)]) return false;
    if (k >= static_cast<std::size_t>(dimensions) && axis != static_cast<int>(k)) return false;
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return true;
}

/// Throws UserError unless the cells beyond the patch are cells of the giver at a face that a partner holds, whose map
/// leads back, and the nodes coincide.
void check_link(const Mesh& mesh, const MeshLink& link) {
  const std::string face = "mesh: " + face_text(mesh, link.patch);
  const bool known = link.giver >= 0 && static_cast<std::size_t>(link.giver) < mesh.blocks.size();
  if (!known || !is_permutation(link, mesh.dimensions))
    throw UserError(face + ": the link has no valid giver, axes and signs.");
  const MeshBlock& own = mesh.blocks[static_cast<std::size_t>(link.patch.block)];
  const MeshBlock& giver = mesh.blocks[static_cast<std::size_t>(link.giver)];
  const std::string to = " is linked to block \"" + giver.name + "\"";
  const auto refuse = [&](Int3 cell, Int3 given, const std::string& problem) {
    throw UserError(face + ", cell " + text(cell, mesh.dimensions) + to + ", cell " + text(given, mesh.dimensions) +
                    ", " + problem);
  };
  const auto across = static_cast<std::size_t>(link.patch.axis);
  for_each_cell(link.patch.low, link.patch.high, [&](Int3 cell) {
    Int3 beyond = cell;
    beyond[across] += link.patch.end == 0 ? -1 : 1;
    const Int3 given = link.giver_cell(beyond);
    for (std::size_t d = 0; d < 3; ++d)
      if (given[d] < 0 || given[d] >= giver.cells[d]) refuse(cell, given, "which does not exist. Correct the link.");
    const bool answered = std::ranges::any_of(mesh.links, [&](const MeshLink& partner) {
      if (partner.patch.block != link.giver || partner.giver != link.patch.block) return false;
      if (partner.patch.axis != link.axes[across]) return false;
      for (std::size_t d = 0; d < 3; ++d)
        if (given[d] < partner.patch.low[d] || given[d] >= partner.patch.high[d]) return false;
      Int3 back = given;
      back[static_cast<std::size_t>(partner.patch.axis)] += partner.patch.end == 0 ? -1 : 1;
      return partner.giver_cell(back) == cell;
    });
    if (!answered) refuse(cell, given, "but no link there leads back. Correct the two maps.");
    double edge = std::numeric_limits<double>::infinity(), gap = 0, size = 0;
    Vec3 first;
    bool has_first = false;
    for_each_corner(mesh, cell, link.patch.axis, link.patch.end, [&](Int3 node) {
      const Int3 g = giver_node(link, node, mesh.dimensions);
      const Vec3 here = own.place(node[0], node[1], node[2]);
      gap = std::max(gap, norm(giver.place(g[0], g[1], g[2]) + link.shift - here));
      size = std::max(size, norm(here));
      if (has_first && norm(here - first) > 0) edge = std::min(edge, norm(here - first));
      if (!has_first) first = here, has_first = true;
    });
    if (gap > k_coincide * edge + 16 * std::numeric_limits<double>::epsilon() * size)
      throw UserError(face + ", cell " + text(cell, mesh.dimensions) + to + ", cell " + text(given, mesh.dimensions) +
                      ", but their nodes are " + std::to_string(gap / edge) + " edges apart. Move the nodes together.");
  });
}

}  // namespace

void Mesh::check() const {
  if (dimensions != 2 && dimensions != 3)
    throw UserError("mesh: dimensions = " + std::to_string(dimensions) + "; must be 2 or 3.");
  if (blocks.empty()) throw UserError("mesh: it has no blocks.");
  for (const MeshBlock& block : blocks) check_block(block, dimensions);
  FaceCounts counts(*this);
  for (const MeshLink& link : links) check_patch(*this, link.patch), counts.add(link.patch);
  for (const MeshBoundary& boundary : boundaries) check_patch(*this, boundary.patch), counts.add(boundary.patch);
  counts.check();
  for (const MeshLink& link : links) check_link(*this, link);
}

}  // namespace eddyline::world
