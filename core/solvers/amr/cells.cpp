#include "solvers/amr/cells.hpp"

#include <array>
#include <limits>
#include <string>

#include "base/errors.hpp"

namespace eddyline::amr {

std::span<const solver::FieldSets::Set> Cells::sets() const {
  static constexpr std::array<Set, 1> k_sets{{{"cells", "cells"}}};
  return k_sets;
}

std::int64_t Cells::count(std::size_t) const {
  const patches::Levels& levels = state_.levels();
  if (levels.most() == 1) return levels[0].layout.all_cells();
  return static_cast<std::int64_t>(levels.composite().units().size()) * levels.units().cells_of({0, 0, 0}).cells();
}

void Cells::forget_old() const {
  if (changes_ == state_.levels().changes()) return;
  changes_ = state_.levels().changes();
  ids_.clear();
  positions_.clear();
}

const std::vector<std::int64_t>& Cells::ids() const {
  forget_old();
  if (!ids_.empty()) return ids_;
  const patches::Levels& levels = state_.levels();
  const patches::Units& units = levels.units();
  for_each([&](const State::Patch& patch, Int3 cell, std::int64_t) {
    if (levels.most() == 1) {
      ids_.push_back(levels[0].layout.domain().index(cell));
      return;
    }
    const Int3 unit = units.unit_of(cell);
    const grid::IndexBox box = units.cells_of(unit);
    ids_.push_back(levels.composite().number(units, patch.level, unit) * box.cells() + box.index(cell));
  });
  return ids_;
}

std::int64_t Cells::key(int level, Int3 cell) const {
  return (static_cast<std::int64_t>(level) << 58) + state_.levels()[level].layout.domain().index(cell);
}

std::pair<int, Int3> Cells::named(std::int64_t key) const {
  const auto level = static_cast<int>(key >> 58);
  const std::int64_t index = key & ((std::int64_t{1} << 58) - 1);
  const Int3 count = state_.levels()[level].layout.domain().upper;
  return {level,
          {static_cast<std::int32_t>(index % count[0]), static_cast<std::int32_t>(index / count[0] % count[1]),
           static_cast<std::int32_t>(index / count[0] / count[1])}};
}

template <class Value>
std::vector<double> Cells::values(Value&& value) const {
  std::vector<double> all;
  for_each([&](const State::Patch& patch, Int3 cell, std::int64_t i) { all.push_back(value(patch, cell, i)); });
  return all;
}

solver::Field Cells::field(std::string_view set, std::string_view name) const {
  if (set != "cells") throw UserError("there is no set \"" + std::string(set) + "\"; the only one is \"cells\".");
  const patches::Levels& levels = state_.levels();
  const physics::Equations& equations = state_.equations();
  std::string known = "position";
  for (std::size_t f = 0; f < equations.fields().size(); ++f) {
    const std::string& own = equations.fields()[f].name;
    if (name == own && levels.most() == 1) {
      const Array<double>& all = levels[0].fields(patches::begin)[f];
      return solver::Doubles{.data = all.data(), .size = all.size(), .stride = all.size()};
    }
    if (name == own)
      return values([&](const State::Patch& patch, Int3, std::int64_t i) {
        return levels[patch.level].fields(patches::begin)[f][static_cast<std::size_t>(patch.on_level->first + i)];
      });
    known += ", " + own;
  }
  for (std::size_t k = 0; k < equations.quantities().size(); ++k) {
    const std::string& own = equations.quantities()[k].name;
    if (name == own) return quantity(k);
    if (!known.ends_with(own)) known += ", " + own;
  }
  if (name == "id") return std::span<const std::int64_t>(ids());
  if (name == "level")
    return values([](const State::Patch& patch, Int3, std::int64_t) { return static_cast<double>(patch.level); });
  const int dimensions = state_.world().dimensions;
  for (int d = 0; d < dimensions; ++d)
    if (name == std::string("position_") + "xyz"[d])
      return values(
          [&](const State::Patch& patch, Int3 cell, std::int64_t) { return state_.centre(patch.level, cell)[d]; });
  if (name != "position")
    throw UserError("cells have no field \"" + std::string(name) + "\"; must be one of " + known + ", level, id.");
  const std::size_t n = ids().size();
  if (positions_.empty())
    for (int d = 0; d < dimensions; ++d)
      for_each([&](const State::Patch& patch, Int3 cell, std::int64_t) {
        positions_.push_back(state_.centre(patch.level, cell)[d]);
      });
  return solver::Doubles{
      .data = positions_.data(), .size = n, .stride = n, .components = dimensions, .is_vector = true};
}

/// NaN inside bodies.
std::vector<double> Cells::quantity(std::size_t number) const {
  std::vector<double> fields(state_.equations().fields().size()), derived(state_.equations().quantities().size());
  return values([&](const State::Patch& patch, Int3, std::int64_t i) {
    const physics::Solid* solid = state_.solid(patch);
    if (solid != nullptr && solid->fraction[static_cast<std::size_t>(i)] == 0)
      return std::numeric_limits<double>::quiet_NaN();
    const auto& now = state_.levels()[patch.level].fields(patches::begin);
    for (std::size_t f = 0; f < fields.size(); ++f)
      fields[f] = now[f][static_cast<std::size_t>(patch.on_level->first + i)];
    state_.equations().derive(fields, derived);
    return derived[number];
  });
}

}  // namespace eddyline::amr
