#include "solvers/multiblock/grid.hpp"

namespace eddyline::multiblock {

namespace {

constexpr std::int32_t k_ghosts = 2;  // layers
constexpr std::int32_t k_pack = 4;    // doubles; the last pack of a row must not reach the next row
constexpr std::size_t k_beyond = 16;  // doubles after the last row

}  // namespace

Extents::Extents(Int3 count, int dimensions) : cells(count) {
  stride[1] = (count[0] + 2 * k_ghosts + k_pack - 1 + 7) / 8 * 8;
  stride[2] = stride[1] * (count[1] + 2 * k_ghosts);
  const std::int32_t planes = dimensions == 3 ? count[2] + 2 * k_ghosts : 1;
  origin = k_ghosts + k_ghosts * stride[1] + (dimensions == 3 ? k_ghosts * stride[2] : 0);
  size = static_cast<std::size_t>(stride[2] * planes) + k_beyond;
}

template <class E>
PieceFields<E>::PieceFields(std::int32_t number, Int3 cells, bool finest, bool smooths)
    : piece(number), extents(cells, D) {
  const auto make = [&](Array<double>& field) { field.assign(extents.size, 0.0); };
  for (Unknowns* fields : {&state, &stage, &residual, &dissipation})
    for (auto& field : *fields) make(field);
  if (E::k_is_gas)
    for (auto& field : primitive) make(field);
  if (smooths) {
    for (Unknowns* fields : {&smoothed, &smoothed_before})
      for (auto& field : *fields) make(field);
    for (auto& field : spread) make(field);
  }
  for (Unknowns* fields : {&forcing, &restricted})
    if (!finest)
      for (auto& field : *fields) make(field);
  for (Unknowns* fields : {&before, &before_that})
    if (finest)
      for (auto& field : *fields) make(field);
  for (auto* field : {&volume, &per_volume, &local_step}) make(*field);
  for (auto& field : radius) make(field);
  for (auto& across : face)
    for (auto& field : across) make(field);
  if (!finest) return;
  for (auto& field : center) make(field);
  for (auto& of : gradient)
    for (auto& field : of) make(field);
}

template struct PieceFields<Incompressible<2>>;
template struct PieceFields<Incompressible<3>>;
template struct PieceFields<Gas<2>>;
template struct PieceFields<Gas<3>>;

}  // namespace eddyline::multiblock
