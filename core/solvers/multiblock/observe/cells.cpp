#include "solvers/multiblock/observe/cells.hpp"

#include <string>

#include "base/errors.hpp"

namespace eddyline::multiblock {

template <class E>
Cells<E>::Cells(const Flow<E>& flow) : flow_(flow) {
  const auto size = static_cast<std::size_t>(flow.cells());
  id_.resize(size);
  block_.resize(size);
  position_.resize(size);
  velocity_.resize(size);
  flow.for_each_cell([&](const PieceFields<E>& piece, Int3 cell, std::size_t c, std::size_t n) {
    id_[n] = flow.id_of(piece, cell);
    block_[n] = flow.pieces().all()[static_cast<std::size_t>(piece.piece)].block;
    for (int d = 0; d < D; ++d) position_[d][n] = piece.center[static_cast<std::size_t>(d)][c];
  });
}

template <class E>
std::span<const solver::FieldSets::Set> Cells<E>::sets() const {
  static constexpr std::array<Set, 1> k_sets{{{"cells", "cells"}}};
  return k_sets;
}

template <class E>
std::int64_t Cells<E>::count(std::size_t) const {
  return flow_.world().mesh->cells();
}

template <class E>
template <class Value>
std::vector<double> Cells<E>::computed(Value&& value) const {
  std::vector<double> values(id_.size());
  flow_.for_each_cell(
      [&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t n) { values[n] = value(piece, c); });
  return values;
}

template <class E>
solver::Field Cells<E>::field(std::string_view set, std::string_view name) const {
  const auto vectors = [](const VectorArray<double, D>& field) {
    return solver::Doubles{field[0], field.size(), field.stride(), D, true};
  };
  if (set == "cells") {
    if (name == "id") return std::span<const std::int64_t>(id_);
    if (name == "block") return std::span<const std::int32_t>(block_);
    if (name == "position") return vectors(position_);
    if (name == "velocity") {
      flow_.for_each_cell([&](const PieceFields<E>& piece, Int3, std::size_t c, std::size_t n) {
        for (int d = 0; d < D; ++d) velocity_[d][n] = flow_.values(piece, c)[static_cast<std::size_t>(1 + d)];
      });
      return vectors(velocity_);
    }
    if (name == "volume") return computed([](const PieceFields<E>& piece, std::size_t c) { return piece.volume[c]; });
    if (name == "pressure") {
      return computed([&](const PieceFields<E>& piece, std::size_t c) { return flow_.values(piece, c)[0]; });
    }
    if (E::k_is_gas && name == "density")
      return computed([&](const PieceFields<E>& piece, std::size_t c) { return flow_.density(piece, c); });
    if (flow_.turbulence() != nullptr && name == "eddy_viscosity_ratio")
      return computed([&](const PieceFields<E>& piece, std::size_t c) { return flow_.eddy_ratio(piece, c); });
    if (flow_.turbulence() != nullptr && name == "wall_distance")
      return computed([](const PieceFields<E>& piece, std::size_t c) { return piece.turbulence.distance[c]; });
    if constexpr (!E::k_is_gas)
      if (flow_.scalars() != nullptr)
        for (std::size_t k = 0; k < flow_.scalars()->all().size(); ++k)
          if (name == flow_.scalars()->all()[k].name)
            return computed([&](const PieceFields<E>& piece, std::size_t c) {
              return flow_.scalars()->of(piece).scalars[k].now[c];
            });
    for (std::size_t d = 0; d < D; ++d)
      if (name == std::string("velocity_") + "xyz"[d])
        return computed([&](const PieceFields<E>& piece, std::size_t c) { return flow_.values(piece, c)[1 + d]; });
  }
  throw UserError(
      "field: cells have no \"" + std::string(name) +
      "\"; they have id, block, position, volume, velocity, velocity_x, velocity_y, velocity_z in 3D, "
      "pressure, scalars of a module, of a gas density, and with a turbulence model eddy_viscosity_ratio and "
      "wall_distance.");
}

template class Cells<Incompressible<2>>;
template class Cells<Incompressible<3>>;
template class Cells<Gas<2>>;
template class Cells<Gas<3>>;

}  // namespace eddyline::multiblock
