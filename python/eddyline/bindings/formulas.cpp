// Formulas: compiled once, evaluated for arrays.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "world/formula.hpp"

namespace eddyline::bindings {

using world::Formula;
using namespace nb::literals;

namespace {

/// The values of the variables in use, as arrays of one shape.
struct Broadcast {
  std::vector<nb::object> arrays;     // in the order of Formula::used_variables()
  std::vector<std::size_t> variable;  // their places among Formula::variables()
  nb::object shape = nb::make_tuple();
};

Broadcast broadcast(const Formula& formula, nb::handle values) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  Broadcast result;
  nb::list arrays;
  for (const std::string& name : formula.used_variables()) {
    const nb::str key(name.c_str());
    if (!nb::cast<bool>(values.attr("__contains__")(key)))
      throw UserError("no value for `" + name + "`, which the formula `" + formula.text() + "` uses");
    arrays.append(numpy.attr("asarray")(nb::object(values[key]), "dtype"_a = "float64"));
    const auto& all = formula.variables();
    result.variable.push_back(static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin()));
  }
  if (arrays.size() == 0) return result;
  const nb::object equal = numpy.attr("broadcast_arrays")(*arrays);
  result.shape = nb::object(equal[0].attr("shape"));
  for (nb::handle array : equal) result.arrays.push_back(numpy.attr("ascontiguousarray")(array).attr("ravel")());
  return result;
}

nb::object evaluate(const Formula& formula, nb::handle values) {
  const Broadcast inputs = broadcast(formula, values);
  std::vector<const double*> columns;
  std::size_t count = 1;
  for (const nb::object& array : inputs.arrays) {
    const auto column = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(array);
    columns.push_back(column.data());
    count = column.size();
  }
  std::vector<double> row(formula.variables().size()), results(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) row[inputs.variable[k]] = columns[k][i];
    results[i] = formula.evaluate(row);
  }
  if (nb::len(inputs.shape) == 0) return nb::float_(results[0]);
  return give(std::move(results)).cast().attr("reshape")(inputs.shape);
}

std::tuple<double, double, double> differentiate(const Formula& formula, const std::vector<double>& values,
                                                 const std::string& variable) {
  const auto& all = formula.variables();
  const auto found = std::find(all.begin(), all.end(), variable);
  if (found == all.end()) throw UserError("the formula `" + formula.text() + "` has no variable `" + variable + "`");
  const world::Jet jet = formula.differentiate(values, static_cast<std::size_t>(found - all.begin()));
  return {jet.value, jet.first, jet.second};
}

}  // namespace

void bind_formulas(nb::module_& module) {
  nb::class_<Formula>(module, "Formula")
      .def(nb::init<std::string_view, std::vector<std::string>>(), "text"_a, "variables"_a = std::vector<std::string>{})
      .def("evaluate", &evaluate, "values"_a)
      .def("differentiate", &differentiate, "values"_a, "variable"_a)
      .def_prop_ro("text", &Formula::text)
      .def_prop_ro("is_constant", &Formula::is_constant)
      .def_prop_ro("used_variables", &Formula::used_variables)
      .def("__repr__", [](const Formula& formula) {
        return "Formula(" + nb::cast<std::string>(nb::repr(nb::cast(formula.text()))) + ")";
      });
}

}  // namespace eddyline::bindings
