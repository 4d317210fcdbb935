#include "solvers/amr/cells.hpp"

#include <array>
#include <string>

#include "base/errors.hpp"

namespace eddyline::amr {

std::span<const solver::FieldSets::Set> Cells::sets() const {
  static constexpr std::array<Set, 1> k_sets{{{"cells", "cells"}}};
  return k_sets;
}

const std::vector<std::int64_t>& Cells::ids() const {
  if (!ids_.empty()) return ids_;
  const grid::IndexBox box{{0, 0, 0}, state_.layout().tiling().cells()};
  for (const auto& patch : state_.layout().patches())
    for_each_cell(patch.cells, [&](Int3 cell) { ids_.push_back(box.index(cell)); });
  return ids_;
}

solver::Field Cells::field(std::string_view set, std::string_view name) const {
  if (set != "cells") throw UserError("there is no set \"" + std::string(set) + "\"; the only one is \"cells\".");
  const State::Fields& now = state_.fields(State::begin);
  const std::size_t n = now.u.size();
  if (name == "u") return solver::Doubles{.data = now.u.data(), .size = n, .stride = n};
  if (name == "p") return solver::Doubles{.data = now.p.data(), .size = n, .stride = n};
  if (name == "id") return std::span<const std::int64_t>(ids());
  if (name != "position")
    throw UserError("cells have no field \"" + std::string(name) + "\"; must be one of position, u, p, id.");
  const int dimensions = state_.world().dimensions;
  if (positions_.empty())
    for (int d = 0; d < dimensions; ++d)
      for (const auto& patch : state_.layout().patches())
        for_each_cell(patch.cells, [&](Int3 cell) { positions_.push_back(state_.centre(cell)[d]); });
  return solver::Doubles{
      .data = positions_.data(), .size = n, .stride = n, .components = dimensions, .is_vector = true};
}

}  // namespace eddyline::amr
