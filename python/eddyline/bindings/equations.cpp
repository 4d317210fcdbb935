// Equations, scalars and terms, of the core and of modules.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "physics/equations/equations.hpp"
#include "physics/modules/load.hpp"
#include "physics/modules/load_scalars.hpp"
#include "physics/modules/load_terms.hpp"
#include "physics/terms/variables.hpp"

namespace eddyline::bindings {

using namespace nb::literals;

namespace {

using Options = std::map<std::string, world::OptionValue>;

/// Names and units of a set of equations.
std::map<std::string, std::vector<std::pair<std::string, std::string>>> equation_columns(const std::string& name,
                                                                                         int dimensions,
                                                                                         const Options& options) {
  const auto equations = physics::default_equations(name, dimensions, options);
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> columns;
  for (const auto& each : equations->fields()) columns["fields"].emplace_back(each.name, each.unit);
  columns["start"] = {};
  for (const auto& each : equations->start_names()) {
    const auto unit = std::ranges::find(equations->fields(), each, &physics::Field::name);
    columns["start"].emplace_back(each, unit == equations->fields().end() ? "" : unit->unit);
  }
  for (const auto& each : equations->quantities()) columns["quantities"].emplace_back(each.name, each.unit);
  return columns;
}

/// Name, unit, meaning, diffusivity and start of the scalars of a module; `options` has its library and parameters.
std::vector<std::tuple<std::string, std::string, std::string, double, double>> scalars_of(int dimensions,
                                                                                          const Options& options) {
  world::World world;
  world.dimensions = dimensions;
  world.options = options;
  std::vector<std::tuple<std::string, std::string, std::string, double, double>> found;
  for (const auto& each : physics::scalars_of(world)->scalars())
    found.emplace_back(each.name, each.unit, each.meaning, each.diffusivity, each.start);
  return found;
}

/// Largest speed of signals for these values of fields, (fields, cells); not finite if the equations refuse them.
double equation_speed(const std::string& name, int dimensions, const Options& options, double spacing,
                      const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& values) {
  const auto equations = physics::default_equations(name, dimensions, options);
  if (values.shape(0) != equations->fields().size()) throw std::invalid_argument("values: one row for each field");
  std::vector<const double*> rows;
  for (std::size_t f = 0; f < values.shape(0); ++f) rows.push_back(values.data() + f * values.shape(1));
  const physics::Inspection found = equations->inspect(rows, static_cast<std::int64_t>(values.shape(1)), spacing);
  return found.good ? found.speed : std::numeric_limits<double>::quiet_NaN();
}

using Term = physics::terms::ModuleTerms;

/// The term of a module with these parameters, in a world of which nothing else is known.
std::unique_ptr<Term> term_of(const std::string& library, int dimensions, const Options& parameters, double spacing = 1,
                              double density = 1) {
  world::World world;
  world.dimensions = dimensions, world.spacing = spacing, world.fluid.density = density;
  return physics::make_terms_from_module("scalar", library, {"", parameters, &world});
}

/// True if the term of a module acts on pairs, and if it acts on single particles.
std::pair<bool, bool> term_acts(const std::string& library, int dimensions, const Options& parameters) {
  const auto term = term_of(library, dimensions, parameters);
  return {term->acts_on_pairs(), term->acts_on_particles()};
}

/// Forces on the first particles of pairs, or accelerations of particles, (n, dimensions), for values of the variables
/// of pairs or particles, (n, variables), in the order of physics/terms/variables.hpp.
nb::object term_values(const std::string& library, int dimensions, const Options& parameters, double spacing,
                       double density, const Rows& values) {
  const auto term = term_of(library, dimensions, parameters, spacing, density);
  const std::size_t n = values.shape(0), width = values.shape(1), axes = static_cast<std::size_t>(dimensions);
  const bool of_pairs = width == physics::terms::k_pair_variables;
  if (!of_pairs && width != physics::terms::k_particle_variables)
    throw std::invalid_argument("values: a column for each variable of pairs or of particles");
  std::vector<double> found(n * axes);
  for (std::size_t k = 0; k < n; ++k) {
    const std::span<const double> of(values.data() + k * width, width);
    const std::span<double> to(found.data() + k * axes, axes);
    of_pairs ? term->force_of_pair(of, to) : term->acceleration_of(of, to);
  }
  return nb::cast(give(std::move(found), {n, axes}));
}

}  // namespace

void bind_equations(nb::module_& module) {
  module.def("equation_names", &physics::equation_names);
  module.def("equation_columns", equation_columns, "name"_a, "dimensions"_a, "options"_a = Options());
  module.def("scalars_of", scalars_of, "dimensions"_a, "options"_a);
  module.def("equation_speed", equation_speed, "name"_a, "dimensions"_a, "options"_a, "spacing"_a, "values"_a);
  module.def("term_acts", term_acts, "library"_a, "dimensions"_a, "parameters"_a);
  module.def("term_values", term_values, "library"_a, "dimensions"_a, "parameters"_a, "spacing"_a, "density"_a,
             "values"_a);
  module.def("module_abi", &physics::abi_of_modules);
  module.def("module_about", &physics::module_about, "library"_a);
}

}  // namespace eddyline::bindings
