// Changes of the world while a simulation runs.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "bindings/conversions.hpp"
#include "bindings/simulation/simulation.hpp"
#include "driver/leader.hpp"
#include "world/change.hpp"

namespace eddyline::bindings {

using driver::Leader;
using namespace nb::literals;

namespace {

double change(Leader& s, const std::string& kind, const std::string& name, const Triple& value,
              const std::vector<std::string>& formulas, const std::string& shape, const std::vector<double>& numbers,
              bool slip) {
  using Kind = world::Change::Kind;
  using ShapeKind = world::Change::ShapeKind;
  static const std::map<std::string, Kind> kinds{{"viscosity", Kind::viscosity}, {"gravity", Kind::gravity},
                                                 {"inflow", Kind::inflow},       {"motion", Kind::motion},
                                                 {"add_probe", Kind::add_probe}, {"remove_probe", Kind::remove_probe},
                                                 {"add_body", Kind::add_body},   {"remove_body", Kind::remove_body},
                                                 {"parameter", Kind::parameter}, {"term", Kind::term}};
  static const std::map<std::string, ShapeKind> shapes{
      {"", ShapeKind::circle},         {"circle", ShapeKind::circle},    {"rectangle", ShapeKind::rectangle},
      {"polygon", ShapeKind::polygon}, {"line", ShapeKind::line},        {"sphere", ShapeKind::sphere},
      {"box", ShapeKind::box},         {"cylinder", ShapeKind::cylinder}};
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw UserError("change: there is no kind " + kind + ".");
  world::Change change;
  change.kind = found->second;
  change.value = to_vec(value);
  if (name.size() > world::Change::k_longest_name || formulas.size() > change.formulas.size())
    throw UserError("change: a name has at most 63 characters, and there are at most 4 formulas.");
  name.copy(change.name.data(), name.size());
  for (std::size_t k = 0; k < change.formulas.size(); ++k) {
    const std::string& text = k < formulas.size() ? formulas[k] : "0";
    if (text.size() > world::Change::k_longest) throw UserError("change: a formula has at most 2047 characters.");
    text.copy(change.formulas[k].data(), text.size());
  }
  const auto shape_kind = shapes.find(shape);
  if (shape_kind == shapes.end()) throw UserError("change: there is no shape " + shape + ".");
  if (numbers.size() > change.numbers.size()) throw UserError("change: a polygon has at most 256 corners.");
  change.shape = shape_kind->second;
  change.slip = slip;
  change.count = static_cast<std::int32_t>(numbers.size());
  std::copy(numbers.begin(), numbers.end(), change.numbers.begin());
  nb::gil_scoped_release release;
  return s.change(change);
}

}  // namespace

void bind_changes(SimulationClass& simulation) {
  simulation.def("change", change, "kind"_a, "name"_a = "", "value"_a = Triple{0, 0, 0},
                 "formulas"_a = std::vector<std::string>{}, "shape"_a = "", "numbers"_a = std::vector<double>{},
                 "slip"_a = false);
}

}  // namespace eddyline::bindings
