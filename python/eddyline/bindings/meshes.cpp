// Body-fitted meshes, block by block.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "solvers/multiblock/pieces.hpp"
#include "world/mesh.hpp"

namespace eddyline::bindings {

using namespace nb::literals;

namespace {

using Nodes = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Indices = std::vector<std::int32_t>;

/// A block from its nodes, (ni + 1, nj + 1, D) or (ni + 1, nj + 1, nk + 1, D).
world::MeshBlock mesh_block(const std::string& name, const Nodes& nodes, int dimensions) {
  const auto count = static_cast<std::size_t>(dimensions);
  bool fits = nodes.ndim() == count + 1 && nodes.shape(count) == count;
  for (std::size_t d = 0; fits && d < count; ++d) fits = nodes.shape(d) >= 2;
  if (!fits)
    throw UserError("mesh: block \"" + name + "\": its nodes must have the shape (ni + 1, nj + 1" +
                    (dimensions == 3 ? ", nk + 1, 3)." : ", 2)."));
  world::MeshBlock block{.name = name, .cells = {1, 1, 1}, .nodes = {}};
  for (std::size_t d = 0; d < count; ++d) block.cells[d] = static_cast<std::int32_t>(nodes.shape(d)) - 1;
  const std::size_t ni = nodes.shape(0), nj = nodes.shape(1), nk = dimensions == 3 ? nodes.shape(2) : 1;
  for (std::size_t d = 0; d < count; ++d) {
    auto& along = block.nodes[d];
    along.resize(ni * nj * nk);
    for (std::size_t i = 0; i < ni; ++i)
      for (std::size_t j = 0; j < nj; ++j)
        for (std::size_t k = 0; k < nk; ++k)
          along[i + ni * (j + nj * k)] = nodes.data()[((i * nj + j) * nk + k) * count + d];
  }
  return block;
}

/// Three numbers from one for each dimension; `rest` for the others.
template <class Three>
Three for_axes(const Indices& values, Three rest, int dimensions) {
  if (values.size() != static_cast<std::size_t>(dimensions))
    throw UserError("mesh: " + std::to_string(dimensions) + " indices are needed, found " +
                    std::to_string(values.size()) + ".");
  for (std::size_t d = 0; d < values.size(); ++d) rest[d] = values[d];
  return rest;
}

world::MeshPatch mesh_patch(std::int32_t block, int axis, int end, const Indices& low, const Indices& high,
                            int dimensions) {
  return {block, axis, end, for_axes<Int3>(low, {0, 0, 0}, dimensions), for_axes<Int3>(high, {1, 1, 1}, dimensions)};
}

}  // namespace

void bind_meshes(nb::module_& module) {
  using world::Mesh;
  nb::class_<Mesh>(module, "Mesh")
      .def(
          "__init__",
          [](Mesh* self, int dimensions) {
            new (self) Mesh{.dimensions = dimensions, .blocks = {}, .links = {}, .boundaries = {}};
          },
          "dimensions"_a)
      .def(
          "add_block",
          [](Mesh& mesh, const std::string& name, const Nodes& nodes) {
            mesh.blocks.push_back(mesh_block(name, nodes, mesh.dimensions));
          },
          "name"_a, "nodes"_a)
      .def(
          "add_link",
          [](Mesh& mesh, std::int32_t block, int axis, int end, const Indices& low, const Indices& high,
             std::int32_t giver, const Indices& axes, const Indices& signs, const Indices& offset,
             const std::vector<double>& shift) {
            using Ints = std::array<int, 3>;
            world::MeshLink link{.patch = mesh_patch(block, axis, end, low, high, mesh.dimensions),
                                 .giver = giver,
                                 .axes = for_axes<Ints>(axes, {0, 1, 2}, mesh.dimensions),
                                 .signs = for_axes<Ints>(signs, {1, 1, 1}, mesh.dimensions),
                                 .offset = for_axes<Int3>(offset, {0, 0, 0}, mesh.dimensions),
                                 .shift = {}};
            for (std::size_t d = 0; d < std::min<std::size_t>(shift.size(), 3); ++d)
              link.shift[static_cast<int>(d)] = shift[d];
            mesh.links.push_back(link);
          },
          "block"_a, "axis"_a, "end"_a, "low"_a, "high"_a, "giver"_a, "axes"_a, "signs"_a, "offset"_a, "shift"_a)
      .def(
          "add_boundary",
          [](Mesh& mesh, std::int32_t block, int axis, int end, const Indices& low, const Indices& high,
             const std::string& name) {
            mesh.boundaries.push_back({mesh_patch(block, axis, end, low, high, mesh.dimensions), name});
          },
          "block"_a, "axis"_a, "end"_a, "low"_a, "high"_a, "name"_a)
      .def(
          "divide",
          [](const Mesh& mesh, int ranks, int levels, bool is_gas) {
            const multiblock::Pieces pieces(mesh, multiblock::most_levels(mesh, levels, is_gas), ranks, ranks);
            std::vector<std::tuple<std::int32_t, Int3, Int3, int>> found;
            for (const auto& piece : pieces.all())
              found.emplace_back(piece.block, piece.lower, piece.upper, piece.rank);
            return std::pair(pieces.levels(), std::move(found));
          },
          "ranks"_a, "levels"_a, "is_gas"_a)
      .def("check", &Mesh::check)
      .def_prop_ro("cells", &Mesh::cells)
      .def_prop_ro("blocks", [](const Mesh& mesh) {
        std::vector<std::string> names;
        for (const auto& block : mesh.blocks) names.push_back(block.name);
        return names;
      });
}

}  // namespace eddyline::bindings
