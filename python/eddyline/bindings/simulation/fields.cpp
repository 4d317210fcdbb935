// Fields of a simulation: views of its arrays without copies, and particles in batches.
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/errors.hpp"
#include "bindings/conversions.hpp"
#include "bindings/simulation/simulation.hpp"
#include "driver/leader.hpp"

namespace eddyline::bindings {

using driver::Leader;
using namespace nb::literals;

namespace {

template <class T>
using View = nb::ndarray<nb::numpy, const T>;

template <class T>
View<T> view(nb::handle self, std::span<const T> values) {
  return View<T>(values.data(), {values.size()}, self);
}

/// Doubles without a copy: members have stride 1, components a stride of their own.
View<double> view(nb::handle self, const solver::Doubles& doubles) {
  if (!doubles.is_vector) return view(self, std::span(doubles.data, doubles.size));
  return View<double>(doubles.data, {doubles.size, static_cast<std::size_t>(doubles.components)}, self,
                      {1, static_cast<std::int64_t>(doubles.stride)});
}

/// A field of the particles or cells of this rank, see FieldSets: a view, or a new array where it is computed.
nb::object field(nb::handle self, const std::string& set, const std::string& name) {
  return std::visit(
      [&](auto&& values) {
        using Values = std::decay_t<decltype(values)>;
        if constexpr (std::is_same_v<Values, std::vector<double>>)
          return nb::cast(give(std::move(values)));
        else
          return nb::cast(view(self, values), nb::rv_policy::automatic);
      },
      nb::cast<const Leader&>(self).own().solver().fields().field(set, name));
}

nb::bytes records(const Leader& s, const std::string& kind, std::int64_t after, std::int64_t limit) {
  if (kind != "fluid" && kind != "walls") throw UserError("records: kind must be \"fluid\" or \"walls\".");
  if (limit < 0) throw UserError("records: limit = " + std::to_string(limit) + "; must be at least 0.");
  std::vector<solver::PointRecord> batch;
  {
    nb::gil_scoped_release release;
    batch = s.records(kind == "fluid" ? solver::PointKind::fluid : solver::PointKind::walls, after, limit);
  }
  return nb::bytes(batch.data(), batch.size() * sizeof(solver::PointRecord));
}

/// Number of a set by its name.
std::size_t set_of(const Leader& s, const std::string& name) {
  const auto sets = s.own().solver().fields().sets();
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (sets[k].name == name) return k;
  throw UserError("There is no set \"" + name + "\".");
}

Owned<double> values(const Leader& s, const std::string& set, const std::string& name, std::int64_t first,
                     std::int64_t count) {
  if (count < 0) throw UserError("values: count = " + std::to_string(count) + "; must be at least 0.");
  const std::size_t number = set_of(s, set);
  std::vector<double> found;
  {
    nb::gil_scoped_release release;
    found = s.values(number, name, first, count);
  }
  return give(std::move(found));
}

nb::dict glance(const Leader& s, std::int64_t every, bool with_ids) {
  if (every < 1) throw UserError("glance: every must be at least 1.");
  solver::QuantizedParticles found;
  {
    nb::gil_scoped_release release;
    found = s.quantized(every, with_ids);
  }
  nb::dict out;
  out["speed"] = found.speed;
  out["pressure"] = nb::make_tuple(found.pressure[0], found.pressure[1]);
  out["density"] = nb::make_tuple(found.density[0], found.density[1]);
  out["particles"] = nb::bytes(found.particles.data(), found.particles.size() * sizeof(solver::QuantizedParticle));
  out["ids"] = nb::bytes(found.ids.data(), found.ids.size() * sizeof(std::int64_t));
  return out;
}

}  // namespace

void bind_fields(SimulationClass& simulation) {
  simulation.def_prop_ro("fluid_count", [](const Leader& s) { return s.own().solver().fields().count(0); })
      .def_prop_ro("wall_count", [](const Leader& s) { return s.own().solver().fields().count(1); })
      .def_prop_ro("sets",
                   [](const Leader& s) {
                     nb::list all;
                     for (const auto& set : s.own().solver().fields().sets())
                       all.append(nb::make_tuple(std::string(set.name), std::string(set.members)));
                     return all;
                   })
      .def(
          "count",
          [](const Leader& s, const std::string& set) { return s.own().solver().fields().count(set_of(s, set)); },
          "set"_a)
      .def_prop_ro("has_points", [](const Leader& s) { return s.own().solver().points() != nullptr; })
      .def("values", values, "set"_a, "field"_a, "first"_a, "count"_a)
      .def("field", field, "set"_a, "name"_a)
      .def_prop_ro("id", [](nb::handle self) { return field(self, "fluid", "id"); })
      .def_prop_ro("mass", [](nb::handle self) { return field(self, "fluid", "mass"); })
      .def_prop_ro("buffer", [](nb::handle self) { return field(self, "fluid", "buffer"); })
      .def_prop_ro("position", [](nb::handle self) { return field(self, "fluid", "position"); })
      .def_prop_ro("velocity", [](nb::handle self) { return field(self, "fluid", "velocity"); })
      .def_prop_ro("density", [](nb::handle self) { return field(self, "fluid", "density"); })
      .def("pressure", [](nb::handle self) { return field(self, "fluid", "pressure"); })
      .def("thermal_energy", [](nb::handle self) { return field(self, "fluid", "thermal_energy"); })
      .def("surface", [](nb::handle self) { return field(self, "fluid", "surface"); })
      .def("wall_position", [](nb::handle self) { return field(self, "walls", "position"); })
      .def("wall_body", [](nb::handle self) { return field(self, "walls", "body"); })
      .def("wall_pressure", [](nb::handle self) { return field(self, "walls", "pressure"); })
      .def("glance", glance, "every"_a = 1, "with_ids"_a = false)
      .def("records", records, "kind"_a, "after"_a, "limit"_a);
}

}  // namespace eddyline::bindings
