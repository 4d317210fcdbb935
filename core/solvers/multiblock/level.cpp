#include "solvers/multiblock/level.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/errors.hpp"
#include "solvers/multiblock/gas_state.hpp"

namespace eddyline::multiblock {

namespace {

constexpr std::int64_t k_slab = 1024;  // cells that keep a thread busy for longer than it takes to wake it

/// The nodes of a piece on a level, by indices that count from its first cell.
class Nodes {
 public:
  Nodes(const world::Mesh& mesh, const PieceRange& range, int level)
      : block_(mesh.blocks[static_cast<std::size_t>(range.block)]),
        lower_(range.lower),
        level_(level),
        dimensions_(mesh.dimensions) {}
  Vec3 at(Int3 node) const {
    Int3 fine{0, 0, 0};
    for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions_); ++d) fine[d] = (lower_[d] + node[d]) << level_;
    return block_.place(fine[0], fine[1], fine[2]);
  }
  const std::string& block() const { return block_.name; }
  Int3 lower() const { return lower_; }

 private:
  const world::MeshBlock& block_;
  Int3 lower_;
  int level_, dimensions_;
};

Int3 moved(Int3 cell, std::size_t axis, std::int32_t by = 1) {
  cell[axis] += by;
  return cell;
}

/// Vector of the face of a cell across an index, towards the next cell: normal to it, as long as it is large.
template <int D>
Vec3 face_vector(const Nodes& nodes, std::size_t axis, Int3 c) {
  if constexpr (D == 2) {
    const Vec3 along = nodes.at(moved(c, 1 - axis)) - nodes.at(c);
    return axis == 0 ? Vec3{along.y, -along.x, 0} : Vec3{-along.y, along.x, 0};
  } else {
    const std::size_t e = (axis + 1) % 3, f = (axis + 2) % 3;
    const Vec3 u = nodes.at(moved(moved(c, e), f)) - nodes.at(c), w = nodes.at(moved(c, f)) - nodes.at(moved(c, e));
    return 0.5 * cross_product(u, w);
  }
}

template <int D>
Vec3 face_center(const Nodes& nodes, std::size_t axis, Int3 c) {
  const std::size_t e = (axis + 1) % static_cast<std::size_t>(D);
  if constexpr (D == 2) return 0.5 * (nodes.at(c) + nodes.at(moved(c, e)));
  const std::size_t f = (axis + 2) % 3;
  return 0.25 * ((nodes.at(c) + nodes.at(moved(moved(c, e), f))) + (nodes.at(moved(c, e)) + nodes.at(moved(c, f))));
}

/// Sets volume and centre of one cell. Throws UserError for a cell that is folded.
template <class E>
void measure_cell(PieceFields<E>& piece, const Nodes& nodes, Int3 cell) {
  constexpr int D = E::k_dimensions;
  double volume = 0;
  Vec3 center;
  for (std::size_t axis = 0; axis < D; ++axis)
    for (std::int32_t end = 0; end < 2; ++end) {
      const Int3 at = moved(cell, axis, end);
      const Vec3 middle = face_center<D>(nodes, axis, at);
      volume += (end == 1 ? 1.0 : -1.0) * dot(face_vector<D>(nodes, axis, at), middle) / D;
      center = center + middle / (2 * D);
    }
  const auto place = static_cast<std::size_t>(piece.extents.at(cell));
  if (!(volume > 0)) {
    std::array<char, 400> line{};
    const Int3 low = nodes.lower();
    std::snprintf(
        line.data(), line.size(),
        "mesh: block \"%.60s\", cell (%d, %d, %d) near (%.4g, %.4g, %.4g) m has the volume %.3g; it must be positive. "
        "Unfold it, or number the block's nodes the other way round.",
        nodes.block().c_str(), low[0] + cell[0], low[1] + cell[1], low[2] + cell[2], center.x, center.y, center.z,
        volume);
    throw UserError(line.data());
  }
  piece.volume[place] = volume;
  for (int d = 0; d < D; ++d) piece.center[static_cast<std::size_t>(d)][place] = center[d];
}

/// Sets the ghost of a wall so that the mean with its cell, the pressure at the face, continues the line through the
/// two nearest cells. Heights of cells: as their volumes.
template <class E>
void extrapolate_pressure(PieceFields<E>& piece, const BoundaryFace& face) {
  const auto cell = static_cast<std::size_t>(face.cell), second = static_cast<std::size_t>(face.second);
  const double share = 2 * piece.volume[cell] / (piece.volume[cell] + piece.volume[second]);
  auto& pressure = piece.state[0];
  pressure[static_cast<std::size_t>(face.ghost)] += share * (pressure[cell] - pressure[second]);
}

template <class Visit>
void for_each_cell(Int3 low, Int3 high, Visit&& visit) {
  for (std::int32_t k = low[2]; k < high[2]; ++k)
    for (std::int32_t j = low[1]; j < high[1]; ++j)
      for (std::int32_t i = low[0]; i < high[0]; ++i) visit(Int3{i, j, k});
}

/// Calls visit(first, last) for parts of the planes of a box of cells.
template <int D, class Visit>
void for_each_slab(Int3 cells, Visit&& visit) {
  const std::int32_t planes = cells[D - 1];
  const std::int64_t plane = std::int64_t{cells[0]} * cells[1] * cells[2] / planes;
  const auto thick = static_cast<std::int32_t>(std::clamp<std::int64_t>(k_slab / plane, 1, planes));
  for (std::int32_t first = 0; first < planes; first += thick) visit(first, std::min(first + thick, planes));
}

}  // namespace

template <class E>
Level<E>::Level(const HaloSetup& setup, const Pieces& all, int level, bool smooths)
    : number(level),
      is_replicated(all.is_replicated(level)),
      local(all.local(setup.communicator.rank(), level)),
      ghosts(setup, all, all.connections(level), local, level) {
  for (std::size_t p = 0; p < all.all().size(); ++p) {
    if (local[p] < 0) continue;
    const PieceRange range = all.on_level(p, level);
    const Int3 cells = range.count();
    pieces.emplace_back(static_cast<std::int32_t>(p), cells, level == 0, smooths);
    ranges.push_back(range);
    for_each_slab<D>(cells,
                     [&](std::int32_t first, std::int32_t last) { slabs.push_back({pieces.size() - 1, first, last}); });
  }
}

template <class E>
void Level<E>::find_parents(const Level& fine) {
  for (std::size_t finer = 0; finer < fine.ranges.size(); ++finer) {
    const PieceRange& children = fine.ranges[finer];
    for (std::size_t piece = 0; piece < ranges.size(); ++piece) {
      const PieceRange& own = ranges[piece];
      bool holds = own.block == children.block;
      Int3 lower{}, count{1, 1, 1};
      for (std::size_t d = 0; d < D; ++d) {
        lower[d] = children.lower[d] / 2 - own.lower[d];
        count[d] = (children.upper[d] - children.lower[d]) / 2;
        holds = holds && lower[d] >= 0 && lower[d] + count[d] <= own.upper[d] - own.lower[d];
      }
      if (!holds) continue;
      for_each_slab<D>(count, [&](std::int32_t first, std::int32_t last) {
        parents.push_back({piece, finer, lower, count, first, last});
      });
    }
  }
}

/// Face vectors of all faces; volumes and centres of cells; on the finest level.
template <class E>
void Level<E>::measure(const Pieces& all, const Boundaries& boundaries) {
  for (PieceFields<E>& piece : pieces) {
    if (!is_finest()) break;  // see coarsen_metrics()
    const Nodes nodes(all.mesh(), all.on_level(static_cast<std::size_t>(piece.piece), number), number);
    const Int3 cells = piece.extents.cells;
    for (std::size_t axis = 0; axis < D; ++axis)
      for_each_cell({0, 0, 0}, moved(cells, axis), [&](Int3 cell) {
        const Vec3 vector = face_vector<D>(nodes, axis, cell);
        for (int d = 0; d < D; ++d)
          piece.face[axis][static_cast<std::size_t>(d)][static_cast<std::size_t>(piece.extents.at(cell))] = vector[d];
      });
    for_each_cell({0, 0, 0}, cells, [&](Int3 cell) { measure_cell(piece, nodes, cell); });
  }
  gamma = boundaries.gamma();
  add_boundaries(all, boundaries);
}

template <class E>
void Level<E>::add_boundaries(const Pieces& all, const Boundaries& boundaries) {
  const Connections connections = all.connections(number);
  for (const BoundaryPatch& patch : connections.boundaries) {
    const std::int32_t own = local[static_cast<std::size_t>(patch.piece)];
    if (own < 0) continue;
    const Extents& extents = pieces[static_cast<std::size_t>(own)].extents;
    const Nodes nodes(all.mesh(), all.on_level(static_cast<std::size_t>(patch.piece), number), number);
    const auto axis = static_cast<std::size_t>(patch.axis);
    const auto inwards = static_cast<std::int32_t>((patch.end == 0 ? 1 : -1) * extents.stride[axis]);
    for_each_cell(patch.lower, patch.upper, [&](Int3 cell) {
      BoundaryFace face;
      face.piece = own, face.axis = patch.axis, face.end = patch.end;
      face.cell = static_cast<std::int32_t>(extents.at(cell));
      face.second = face.cell + inwards;
      face.ghost = face.cell - inwards;
      face.second_ghost = face.cell - 2 * inwards;
      const Int3 at = moved(cell, axis, patch.end);
      const Vec3 vector = face_vector<D>(nodes, axis, at);
      face.area = norm(vector);
      face.normal = (patch.end == 1 ? 1.0 : -1.0) * vector / face.area;
      face.center = face_center<D>(nodes, axis, at);
      boundaries.classify(all.mesh().boundaries[static_cast<std::size_t>(patch.boundary)].name, face);
      faces.push_back(face);
    });
  }
}

template <class E>
void Level<E>::fill_ghosts(bool with_radii) {
  constexpr std::size_t N = E::k_unknowns;
  ghosts.fetch(with_radii ? N + 1 : N, is_finest() ? Ghosts::Layers::all : Ghosts::Layers::near,
               [&](std::int32_t number_of_piece, int field, int axis) {
                 PieceFields<E>& piece = pieces[static_cast<std::size_t>(number_of_piece)];
                 const auto v = static_cast<std::size_t>(field);
                 return (v < N ? piece.state[v] : piece.radius[static_cast<std::size_t>(axis)]).data();
               });
  if constexpr (E::k_is_gas) {
    fill_gas_boundaries(*this, with_radii);
    return;
  }
  for (const BoundaryFace& face : faces) {
    auto& state = pieces[static_cast<std::size_t>(face.piece)].state;
    const auto set = [&](std::int32_t inner, std::int32_t ghost) {
      std::array<double, N> w;
      for (std::size_t v = 0; v < N; ++v) w[v] = state[v][static_cast<std::size_t>(inner)];
      w = beyond(face, w, false);
      for (std::size_t v = 0; v < N; ++v) state[v][static_cast<std::size_t>(ghost)] = w[v];
    };
    set(face.cell, face.ghost);
    if (!is_finest()) continue;
    set(face.second, face.second_ghost);
    if (face.is_solid()) extrapolate_pressure(pieces[static_cast<std::size_t>(face.piece)], face);
  }
}

template <class E>
void fill_metric_ghosts(Level<E>& level) {
  constexpr int D = E::k_dimensions;
  const auto layers = level.is_finest() ? Ghosts::Layers::all : Ghosts::Layers::near;
  auto& pieces = level.pieces;
  level.ghosts.fetch(level.is_finest() ? 1 + D : 1, layers, [&](std::int32_t piece, int field, int) {
    auto& fields = pieces[static_cast<std::size_t>(piece)];
    return field == 0 ? fields.volume.data() : fields.center[static_cast<std::size_t>(field - 1)].data();
  });
  if (level.is_finest())
    for (const Neighborhood& patch : level.ghosts.neighborhoods())
      for (int d = 0; d < D; ++d)
        for (const std::int32_t ghost : patch.ghosts)
          pieces[static_cast<std::size_t>(patch.to)]
              .center[static_cast<std::size_t>(d)][static_cast<std::size_t>(ghost)] += patch.shift[d];
  for (const BoundaryFace& face : level.faces) {
    auto& piece = pieces[static_cast<std::size_t>(face.piece)];
    const auto cell = static_cast<std::size_t>(face.cell), ghost = static_cast<std::size_t>(face.ghost);
    piece.volume[ghost] = piece.volume[cell];
    if (!level.is_finest()) continue;
    for (int d = 0; d < D; ++d) {
      auto& center = piece.center[static_cast<std::size_t>(d)];
      center[ghost] = 2 * face.center[d] - center[cell];
    }
  }
  for (PieceFields<E>& piece : pieces)
    for (std::size_t c = 0; c < piece.extents.size; ++c) {
      if (!(piece.volume[c] > 0)) piece.volume[c] = 1;  // corners, padding
      piece.per_volume[c] = 1 / piece.volume[c];
    }
}

template <class E>
void coarsen_metrics(const Level<E>& fine, Level<E>& coarse) {
  constexpr int D = E::k_dimensions;
  for (const ParentSlab& slab : coarse.parents) {
    if (slab.first > 0) continue;  // whole boxes
    const PieceFields<E>& from = fine.pieces[slab.finer];
    PieceFields<E>& to = coarse.pieces[slab.piece];
    const auto place = [&](Int3 cell) {
      return static_cast<std::size_t>(
          to.extents.at(slab.lower[0] + cell[0], slab.lower[1] + cell[1], slab.lower[2] + cell[2]));
    };
    const auto sum = [&](const Array<double>& field, Int3 cell, std::size_t without) {
      double total = 0;
      for (int child = 0; child < 1 << D; ++child) {
        std::ptrdiff_t at = from.extents.at(2 * cell[0], 2 * cell[1], D == 3 ? 2 * cell[2] : 0);
        bool counts = true;
        for (std::size_t d = 0; d < D; ++d) {
          if ((child >> d & 1) == 0) continue;
          counts = counts && d != without;
          at += from.extents.stride[d];
        }
        if (counts) total += field[static_cast<std::size_t>(at)];
      }
      return total;
    };
    for_each_cell({0, 0, 0}, slab.count, [&](Int3 cell) { to.volume[place(cell)] = sum(from.volume, cell, D); });
    for (std::size_t axis = 0; axis < D; ++axis)
      for (std::size_t d = 0; d < D; ++d)
        for_each_cell({0, 0, 0}, moved(slab.count, axis),
                      [&](Int3 cell) { to.face[axis][d][place(cell)] = sum(from.face[axis][d], cell, axis); });
  }
}

template struct Level<Incompressible<2>>;
template struct Level<Incompressible<3>>;
template struct Level<Gas<2>>;
template struct Level<Gas<3>>;
template void fill_metric_ghosts(Level<Incompressible<2>>&);
template void fill_metric_ghosts(Level<Incompressible<3>>&);
template void fill_metric_ghosts(Level<Gas<2>>&);
template void fill_metric_ghosts(Level<Gas<3>>&);
template void coarsen_metrics(const Level<Incompressible<2>>&, Level<Incompressible<2>>&);
template void coarsen_metrics(const Level<Incompressible<3>>&, Level<Incompressible<3>>&);
template void coarsen_metrics(const Level<Gas<2>>&, Level<Gas<2>>&);
template void coarsen_metrics(const Level<Gas<3>>&, Level<Gas<3>>&);

}  // namespace eddyline::multiblock
