#include "solvers/multiblock/pieces.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "solvers/multiblock/ranges.hpp"

namespace eddyline::multiblock {

namespace {

/// The link on a coarse level: its patch and its map in halved indices.
world::MeshLink coarsened(const world::MeshLink& link, int level, int dimensions) {
  world::MeshLink coarse = link;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    const auto axis = static_cast<std::size_t>(link.axes[d]);
    const bool across = static_cast<int>(d) == link.patch.axis;
    coarse.patch.low[d] = link.patch.low[d] >> level;
    coarse.patch.high[d] = across ? coarse.patch.low[d] + 1 : link.patch.high[d] >> level;
    // g = c + o has an even offset; g = o - c an odd one, which begins at the upper child.
    coarse.offset[axis] = link.signs[d] > 0 ? link.offset[axis] >> level : ((link.offset[axis] + 1) >> level) - 1;
  }
  return coarse;
}

template <class Visit>
void for_each_cell(const Range& range, Visit&& visit) {
  for (std::int32_t k = range.first[2]; k < range.second[2]; ++k)
    for (std::int32_t j = range.first[1]; j < range.second[1]; ++j)
      for (std::int32_t i = range.first[0]; i < range.second[0]; ++i) visit(Int3{i, j, k});
}

Int3 minus(Int3 a, Int3 b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

/// The map of a block to itself.
world::MeshLink identity(std::int32_t block) {
  world::MeshLink link;
  link.giver = block;
  return link;
}

}  // namespace

int levels_of(const world::Mesh& mesh) {
  const auto dimensions = static_cast<std::size_t>(mesh.dimensions);
  for (int level = 1;; ++level) {
    const std::int32_t multiple = 1 << level;
    const auto fits = [&](std::int32_t n) { return n % multiple == 0; };
    bool good = true;
    for (const world::MeshBlock& block : mesh.blocks)
      for (std::size_t d = 0; d < dimensions; ++d) good = good && fits(block.cells[d]) && block.cells[d] >> level >= 2;
    const auto check = [&](const world::MeshPatch& patch) {
      for (std::size_t d = 0; d < dimensions; ++d)
        if (static_cast<int>(d) != patch.axis) good = good && fits(patch.low[d]) && fits(patch.high[d]);
    };
    for (const world::MeshLink& link : mesh.links) check(link.patch);
    for (const world::MeshBoundary& boundary : mesh.boundaries) check(boundary.patch);
    if (!good) return level;
  }
}

int most_levels(const world::Mesh& mesh, std::int64_t wanted, bool is_gas) {
  // Searches around airfoils break down with more levels, or fewer cells along an index of the coarsest.
  constexpr int k_most_gas_levels = 4;
  constexpr std::int32_t k_least_gas_cells = 4;
  if (!is_gas || wanted > 0) return static_cast<int>(wanted);
  std::int32_t least = std::numeric_limits<std::int32_t>::max();
  for (const world::MeshBlock& block : mesh.blocks)
    for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.dimensions); ++d) least = std::min(least, block.cells[d]);
  int levels = k_most_gas_levels;
  while (levels > 1 && least >> (levels - 1) < k_least_gas_cells) --levels;
  return levels;
}

Pieces::Pieces(const world::Mesh& mesh, int most_levels, int ranks, int parts, std::int64_t replicated_cells)
    : mesh_(&mesh) {
  levels_ = levels_of(mesh);
  if (most_levels > 0) levels_ = std::min(levels_, most_levels);
  std::int64_t cells = 0;
  for (const world::MeshBlock& block : mesh.blocks) {
    first_cell_.push_back(cells);
    cells += block.size();
  }
  pieces_ = divide(mesh, std::max(1 << (levels_ - 1), 2), ranks, parts);
  replicate(ranks, replicated_cells);
}

void Pieces::replicate(int ranks, std::int64_t most_cells) {
  const auto cells = [&](int level) { return mesh_->cells() >> (level * mesh_->dimensions); };
  while (first_replicated_ < levels_ && (ranks == 1 || cells(first_replicated_) > most_cells)) ++first_replicated_;
}

Pieces Pieces::uncut() const {
  Pieces whole(*mesh_, levels_, 1, 1);
  whole.first_replicated_ = 0;
  return whole;
}

std::vector<std::int32_t> Pieces::local(int rank, int level) const {
  std::vector<std::int32_t> local;
  std::int32_t own = 0;
  for (const PieceRange& piece : pieces_) local.push_back(is_replicated(level) || piece.rank == rank ? own++ : -1);
  return local;
}

PieceRange Pieces::on_level(std::size_t piece, int level) const {
  PieceRange range = pieces_[piece];
  for (std::size_t d = 0; d < 3; ++d) {
    if (static_cast<int>(d) >= mesh_->dimensions) continue;
    range.lower[d] >>= level;
    range.upper[d] >>= level;
  }
  return range;
}

/// Ghosts beyond one face of a piece: cells of the same block, of blocks behind links, and boundaries.
void Pieces::add_ghosts(std::size_t piece, int axis, int end, int level, Connections& connections) const {
  const PieceRange own = on_level(piece, level);
  const Range cells{own.lower, own.upper};
  const auto a = static_cast<std::size_t>(axis);
  const std::int32_t layers = level == 0 ? 2 : 1;
  const auto gather = [&](const Range& ghosts, const world::MeshLink& link) {
    const Range source = given(link, ghosts);
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (pieces_[p].block != link.giver) continue;
      const PieceRange other = on_level(p, level);
      if (!intersection(source, {other.lower, other.upper})) continue;
      GhostPatch patch{.to = static_cast<std::int32_t>(piece),
                       .from = static_cast<std::int32_t>(p),
                       .to_axis = axis,
                       .from_axis = link.axes[a],
                       .shift = link.shift,
                       .near = {},
                       .far = {}};
      for_each_cell(ghosts, [&](Int3 cell) {
        const Int3 g = link.giver_cell(cell);
        for (std::size_t d = 0; d < 3; ++d)
          if (g[d] < other.lower[d] || g[d] >= other.upper[d]) return;
        const bool is_near = cell[a] == (end == 0 ? own.lower[a] - 1 : own.upper[a]);
        (is_near ? patch.near : patch.far).emplace_back(minus(cell, own.lower), minus(g, other.lower));
      });
      connections.ghosts.push_back(std::move(patch));
    }
  };
  const Range block{{0, 0, 0}, on_level_cells(own.block, level)};
  if (const auto inside = intersection(beyond(cells, axis, end, layers), block)) gather(*inside, identity(own.block));
  const bool at_face = end == 0 ? own.lower[a] == 0 : own.upper[a] == block.second[a];
  if (!at_face) return;
  const auto clipped = [&](const world::MeshPatch& patch) -> std::optional<Range> {
    if (patch.block != own.block || patch.axis != axis || patch.end != end) return std::nullopt;
    Range layer{patch.low, patch.high};
    for (std::size_t d = 0; d < 3; ++d)
      if (d != a)
        layer.first[d] = std::max(layer.first[d], own.lower[d]),
        layer.second[d] = std::min(layer.second[d], own.upper[d]);
    for (std::size_t d = 0; d < 3; ++d)
      if (layer.first[d] >= layer.second[d]) return std::nullopt;
    return layer;
  };
  for (const world::MeshLink& link : mesh_->links) {
    const world::MeshLink coarse = coarsened(link, level, mesh_->dimensions);
    if (const auto layer = clipped(coarse.patch)) gather(beyond(*layer, axis, end, layers), coarse);
  }
  for (std::size_t b = 0; b < mesh_->boundaries.size(); ++b) {
    world::MeshLink as_link;
    as_link.patch = mesh_->boundaries[b].patch;
    if (const auto layer = clipped(coarsened(as_link, level, mesh_->dimensions).patch))
      connections.boundaries.push_back({static_cast<std::int32_t>(piece), static_cast<std::int32_t>(b), axis, end,
                                        minus(layer->first, own.lower), minus(layer->second, own.lower)});
  }
}

Connections Pieces::connections(int level) const {
  Connections found;
  for (std::size_t piece = 0; piece < pieces_.size(); ++piece)
    for (int axis = 0; axis < mesh_->dimensions; ++axis)
      for (int end = 0; end < 2; ++end) add_ghosts(piece, axis, end, level, found);
  return found;
}

Int3 Pieces::on_level_cells(std::int32_t block, int level) const {
  Int3 cells = mesh_->blocks[static_cast<std::size_t>(block)].cells;
  for (std::size_t d = 0; d < static_cast<std::size_t>(mesh_->dimensions); ++d) cells[d] >>= level;
  return cells;
}

}  // namespace eddyline::multiblock
