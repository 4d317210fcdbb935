// The core about itself and about worlds, without a run: options, columns, quantities, lengths, estimates.
#include <array>
#include <string>
#include <tuple>
#include <vector>

#include "base/instructions.hpp"
#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "driver/make_solver.hpp"
#include "observe/world_observers.hpp"
#include "particles/openings.hpp"
#include "particles/place.hpp"
#include "solver/execution_options.hpp"
#include "solvers/sph/arithmetic.hpp"
#include "solvers/sph/estimate.hpp"
#include "world/sides.hpp"

namespace eddyline::bindings {

using namespace nb::literals;

namespace {

/// Columns of all series of a run of this world, by name of the series.
nb::dict series_columns(const world::World& world) {
  nb::dict tables;
  for (const auto& table : observe::tables_of(world, driver::describe(world)))
    tables[table.name.c_str()] = columns_of(table.columns);
  return tables;
}

/// Name, unit, label and shade of each quantity that pictures of this world can show.
std::vector<std::tuple<std::string, std::string, std::string, std::string>> quantities(const world::World& world) {
  static constexpr std::array k_shades{"plain", "from_zero", "diverging", "whole"};
  std::vector<std::tuple<std::string, std::string, std::string, std::string>> all;
  for (const auto& [name, unit] : driver::describe(world).quantities) {
    const solver::Words words = solver::words_of(name);
    all.emplace_back(name, unit, words.label, k_shades.at(static_cast<std::size_t>(words.shade)));
  }
  return all;
}

/// `buffer_length`: of the buffers beyond openings [m].
struct LengthsOfWorld : particles::Lengths {
  double buffer_length;
};

}  // namespace

void bind_descriptions(nb::module_& module) {
  module.def("instruction_sets", [] { return instruction_sets(); });
  module.def("series_columns", series_columns, "world"_a);
  module.def("quantities", quantities, "world"_a);
  module.attr("SIDES") =
      nb::tuple(nb::cast(std::vector<std::string>(world::k_side_names.begin(), world::k_side_names.end())));
  module.def("execution_options", [] {
    std::vector<std::string> names;
    solver::Execution execution;
    solver::for_each_option(execution, [&](const char* name, const auto&...) { names.emplace_back(name); });
    return names;
  });
  module.def("exchange_strategies", [] { return exchange::strategy_names(); });
  module.def(
      "inside_refusal", [](const std::string& exchange) { return exchange::inside_refusal(exchange); }, "exchange"_a);
  module.def("device_refusal", driver::device_refusal, "world"_a);
  module.def("device_memory_refusal", sph::device_memory_refusal, "world"_a, "fluid"_a, "walls"_a, "device"_a,
             "free"_a);
  module.def("arithmetic_limit", sph::arithmetic_limit, "dimensions"_a, "sums"_a = "confined",
             "instructions"_a = "auto");

  nb::class_<sph::Estimate>(module, "Estimate")
      .def_ro("fluid_particles", &sph::Estimate::fluid_particles)
      .def_ro("wall_particles", &sph::Estimate::wall_particles)
      .def_ro("memory_bytes", &sph::Estimate::memory_bytes)
      .def_ro("device_bytes", &sph::Estimate::device_bytes)
      .def_ro("time_step", &sph::Estimate::time_step)
      .def_prop_ro("smoothing_length", [](const sph::Estimate& e) { return e.length.smoothing_length; })
      .def_prop_ro("interaction_radius", [](const sph::Estimate& e) { return e.length.interaction_radius; })
      .def_prop_ro("cell_edge", [](const sph::Estimate& e) { return e.length.cell_edge; })
      .def_prop_ro("skin", [](const sph::Estimate& e) { return e.length.skin; });
  nb::class_<LengthsOfWorld>(module, "Lengths")
      .def_ro("smoothing_length", &particles::Lengths::smoothing_length)
      .def_ro("interaction_radius", &particles::Lengths::interaction_radius)
      .def_ro("skin", &particles::Lengths::skin)
      .def_ro("cell_edge", &particles::Lengths::cell_edge)
      .def_ro("buffer_length", &LengthsOfWorld::buffer_length);
  module.def(
      "lengths",
      [](const world::World& world) {
        return LengthsOfWorld{particles::lengths(world), particles::buffer_columns(world) * world.spacing};
      },
      "world"_a);
  module.def("solver_names", [] {
    const std::vector<std::string_view> names = driver::solver_names();
    return std::vector<std::string>(names.begin(), names.end());
  });
  module.def("estimate", &sph::estimate, "world"_a);
  module.def("effective_viscosity", &sph::effective_viscosity, "world"_a);
}

}  // namespace eddyline::bindings
