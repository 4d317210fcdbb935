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
  const grid::IndexBox box = state_.layout().domain();
  for (const auto& patch : state_.layout().patches())
    for_each_cell(patch.cells, [&](Int3 cell) { ids_.push_back(box.index(cell)); });
  return ids_;
}

solver::Field Cells::field(std::string_view set, std::string_view name) const {
  if (set != "cells") throw UserError("there is no set \"" + std::string(set) + "\"; the only one is \"cells\".");
  const auto n = static_cast<std::size_t>(state_.layout().cells());
  const physics::Equations& equations = state_.equations();
  std::string known = "position";
  for (std::size_t f = 0; f < equations.fields().size(); ++f) {
    const std::string& own = equations.fields()[f].name;
    if (name == own) return solver::Doubles{.data = state_.fields(State::begin)[f].data(), .size = n, .stride = n};
    known += ", " + own;
  }
  for (std::size_t k = 0; k < equations.quantities().size(); ++k) {
    const std::string& own = equations.quantities()[k].name;
    if (name == own) return quantity(k);
    if (!known.ends_with(own)) known += ", " + own;
  }
  if (name == "id") return std::span<const std::int64_t>(ids());
  if (name != "position")
    throw UserError("cells have no field \"" + std::string(name) + "\"; must be one of " + known + ", id.");
  const int dimensions = state_.world().dimensions;
  if (positions_.empty())
    for (int d = 0; d < dimensions; ++d)
      for (const auto& patch : state_.layout().patches())
        for_each_cell(patch.cells, [&](Int3 cell) { positions_.push_back(state_.centre(cell)[d]); });
  return solver::Doubles{
      .data = positions_.data(), .size = n, .stride = n, .components = dimensions, .is_vector = true};
}

std::vector<double> Cells::quantity(std::size_t number) const {
  const State::Fields& now = state_.fields(State::begin);
  std::vector<double> fields(now.size()), derived(state_.equations().quantities().size()), values;
  values.reserve(static_cast<std::size_t>(state_.layout().cells()));
  for (std::size_t i = 0; i < static_cast<std::size_t>(state_.layout().cells()); ++i) {
    for (std::size_t f = 0; f < now.size(); ++f) fields[f] = now[f][i];
    state_.equations().derive(fields, derived);
    values.push_back(derived[number]);
  }
  return values;
}

}  // namespace eddyline::amr
