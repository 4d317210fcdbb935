// The world as numbers: fluid, sides, openings, bodies, start, method and observers.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "world/formula.hpp"
#include "world/mesh.hpp"
#include "world/method_options.hpp"
#include "world/world.hpp"

namespace eddyline::bindings {

using world::Formula;
using world::ShapePtr;
using namespace nb::literals;

namespace {

/// A formula that the core can evaluate with (x, y, z, t), from a Formula, a number or a text.
Formula field_formula(nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return {nb::cast<std::string>(value), world::k_field_variables};
  if (!nb::isinstance<Formula>(value)) return {nb::cast<double>(value)};
  const auto& formula = nb::cast<const Formula&>(value);
  if (formula.is_constant() || formula.variables() == world::k_field_variables) return formula;
  return {formula.text(), world::k_field_variables};
}

std::array<Formula, 3> field_formulas(nb::handle values) {
  std::array<Formula, 3> result;
  const std::size_t found = nb::len(values);
  if (found != 3) throw UserError("three formulas are needed (x, y and z), found " + std::to_string(found));
  std::size_t axis = 0;
  for (nb::handle value : values) result[axis++] = field_formula(value);
  return result;
}

/// Literal strings for the values of an enumeration, in their order.
template <class Enum, std::size_t N>
struct Literals {
  const char* what;
  std::array<const char*, N> names;

  const char* name(Enum value) const { return names[static_cast<std::size_t>(value)]; }
  Enum value(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<Enum>(found - names.begin());
    std::string allowed;
    for (const char* other : names) allowed += (allowed.empty() ? "" : ", ") + std::string(other);
    throw UserError(std::string(what) + " = " + name + "; must be one of " + allowed);
  }
};
constexpr Literals<world::SideKind, 6> k_side_kinds{"kind",
                                                    {"wall", "periodic", "open", "inflow", "outflow", "stream"}};
constexpr Literals<world::Matter, 2> k_matters{"matter", {"liquid", "ideal_gas"}};
constexpr Literals<world::TurbulenceModel, 2> k_turbulence_models{"turbulence", {"none", "spalart_allmaras"}};
constexpr Literals<world::Scheme, 2> k_schemes{"scheme", {"delta", "classic"}};
constexpr Literals<world::PressureStart, 3> k_pressure_starts{"pressure_start", {"zero", "hydrostatic", "formula"}};

template <class Class, class Owner>
void def_vector(Class& binding, const char* name, Vec3 Owner::* member) {
  binding.def_prop_rw(
      name, [member](const Owner& owner) { return to_triple(owner.*member); },
      [member](Owner& owner, const Triple& value) { owner.*member = to_vec(value); });
}

template <class Class, class Owner>
void def_field(Class& binding, const char* name, Formula Owner::* member) {
  binding.def_prop_rw(
      name, [member](const Owner& owner) { return owner.*member; },
      [member](Owner& owner, nb::handle value) { owner.*member = field_formula(value); });
}

template <class Class, class Owner>
void def_fields(Class& binding, const char* name, std::array<Formula, 3> Owner::* member) {
  binding.def_prop_rw(
      name,
      [member](const Owner& owner) { return std::vector<Formula>((owner.*member).begin(), (owner.*member).end()); },
      [member](Owner& owner, nb::handle values) { owner.*member = field_formulas(values); });
}

template <class Class, class Owner>
void def_pressure_start(Class& binding, world::PressureStart Owner::* member) {
  binding.def_prop_rw(
      "pressure_start", [member](const Owner& owner) { return k_pressure_starts.name(owner.*member); },
      [member](Owner& owner, const std::string& value) { owner.*member = k_pressure_starts.value(value); });
}

int checked_axis(int axis) {
  if (axis < 0 || axis > 2) throw UserError("axis = " + std::to_string(axis) + "; must be 0 (x), 1 (y) or 2 (z)");
  return axis;
}

template <class Class, class Owner>
void def_axis(Class& binding, int Owner::* member) {
  binding.def_prop_rw(
      "axis", [member](const Owner& owner) { return owner.*member; },
      [member](Owner& owner, int value) { owner.*member = checked_axis(value); });
}

void bind_fluid_and_boundaries(nb::module_& module) {
  using world::Body, world::Fluid, world::Opening, world::Region, world::Side;

  auto side = nb::class_<Side>(module, "Side").def(nb::init<>()).def_rw("slip", &Side::slip);
  side.def_prop_rw(
      "kind", [](const Side& s) { return k_side_kinds.name(s.kind); },
      [](Side& s, const std::string& value) { s.kind = k_side_kinds.value(value); });
  def_fields(side, "velocity", &Side::velocity);

  auto opening = nb::class_<Opening>(module, "Opening")
                     .def(nb::init<>())
                     .def_rw("name", &Opening::name)
                     .def_rw("inflow", &Opening::inflow)
                     .def_rw("stream", &Opening::stream)
                     .def_rw("inward", &Opening::inward)
                     .def_rw("density", &Opening::density)
                     .def_rw("pressure_imposed", &Opening::pressure_imposed);
  def_axis(opening, &Opening::axis);
  def_vector(opening, "lower", &Opening::lower);
  def_vector(opening, "upper", &Opening::upper);
  def_fields(opening, "velocity", &Opening::velocity);
  def_field(opening, "pressure", &Opening::pressure);

  nb::class_<Fluid>(module, "Fluid")
      .def(nb::init<>())
      .def_rw("density", &Fluid::density)
      .def_rw("kinematic_viscosity", &Fluid::kinematic_viscosity)
      .def_rw("sound_speed", &Fluid::sound_speed)
      .def_rw("gamma", &Fluid::gamma)
      .def_rw("prandtl", &Fluid::prandtl)
      .def_rw("gas_constant", &Fluid::gas_constant)
      .def_rw("sutherland", &Fluid::sutherland)
      .def_rw("turbulence_ratio", &Fluid::turbulence_ratio)
      .def_prop_rw(
          "turbulence", [](const Fluid& f) { return k_turbulence_models.name(f.turbulence); },
          [](Fluid& f, const std::string& value) { f.turbulence = k_turbulence_models.value(value); })
      .def_prop_rw(
          "matter", [](const Fluid& f) { return k_matters.name(f.matter); },
          [](Fluid& f, const std::string& value) { f.matter = k_matters.value(value); });

  auto region = nb::class_<Region>(module, "Region")
                    .def(nb::init<>())
                    .def_rw("name", &Region::name)
                    .def_rw("shape", &Region::shape);
  def_pressure_start(region, &Region::pressure_start);
  def_field(region, "pressure", &Region::pressure);
  def_field(region, "density", &Region::density);

  auto motion = nb::class_<world::Motion>(module, "Motion").def(nb::init<>());
  def_fields(motion, "displacement", &world::Motion::displacement);
  def_field(motion, "rotation", &world::Motion::rotation);
  def_vector(motion, "pivot", &world::Motion::pivot);
  def_vector(motion, "axis", &world::Motion::axis);
  motion
      .def(
          "place",
          [](const world::Motion& m, const Points& points, double time) {
            const world::Pose pose = m.at(time);
            return each_point(points, [&](Vec3 x) { return pose.place(x); });
          },
          "points"_a, "time"_a)
      .def(
          "velocity",
          [](const world::Motion& m, const Points& points, double time) {
            const world::Pose pose = m.at(time);
            return each_point(points, [&](Vec3 x) { return pose.velocity_at(pose.place(x)); });
          },
          "points"_a, "time"_a)
      .def(
          "acceleration",
          [](const world::Motion& m, const Points& points, double time) {
            const world::Pose pose = m.at(time);
            return each_point(points, [&](Vec3 x) { return pose.acceleration_at(pose.place(x)); });
          },
          "points"_a, "time"_a);

  nb::class_<Body>(module, "Body")
      .def(nb::init<>())
      .def_rw("name", &Body::name)
      .def_rw("shape", &Body::shape)
      .def_rw("slip", &Body::slip)
      .def_rw("motion", &Body::motion, nb::arg().none())
      .def("shape_at", &Body::shape_at, "time"_a);
}

void bind_start_and_method(nb::module_& module) {
  using world::Method, world::Start;

  auto start = nb::class_<Start>(module, "Start")
                   .def(nb::init<>())
                   .def_rw("jitter", &Start::jitter)
                   .def_rw("fitted", &Start::fitted)
                   .def_rw("settle", &Start::settle)
                   .def_rw("seed", &Start::seed);
  def_fields(start, "velocity", &Start::velocity);
  def_pressure_start(start, &Start::pressure_start);
  def_field(start, "pressure", &Start::pressure);
  def_field(start, "density", &Start::density);

  auto method = nb::class_<Method>(module, "Method")
                    .def(nb::init<>())
                    .def_prop_rw(
                        "scheme", [](const Method& m) { return k_schemes.name(m.scheme); },
                        [](Method& m, const std::string& value) { m.scheme = k_schemes.value(value); })
                    .def_rw("double_precision", &Method::double_precision);
  nb::list names;
  for (const auto& option : world::k_method_options) {
    const std::string name(option.name);
    std::visit([&](auto member) { method.def_rw(name.c_str(), member); }, option.member);
    names.append(name);
  }
  method.attr("OPTIONS") = nb::tuple(names);
}

void bind_observers(nb::module_& module) {
  using world::Front, world::Gauge, world::Probe;

  auto probe = nb::class_<Probe>(module, "Probe").def_rw("name", &Probe::name);
  probe.def(
      "__init__",
      [](Probe* self, const std::string& name, const Triple& position) { new (self) Probe{name, to_vec(position)}; },
      "name"_a, "position"_a);
  def_vector(probe, "position", &Probe::position);

  auto gauge = nb::class_<Gauge>(module, "Gauge").def_rw("name", &Gauge::name);
  gauge.def(
      "__init__",
      [](Gauge* self, const std::string& name, const Triple& position, int axis) {
        new (self) Gauge{name, to_vec(position), checked_axis(axis)};
      },
      "name"_a, "position"_a, "axis"_a);
  def_vector(gauge, "position", &Gauge::position);
  def_axis(gauge, &Gauge::axis);

  auto front = nb::class_<Front>(module, "Front").def_rw("name", &Front::name);
  front.def(
      "__init__", [](Front* self, const std::string& name, int axis) { new (self) Front{name, checked_axis(axis)}; },
      "name"_a, "axis"_a);
  def_axis(front, &Front::axis);
}

void bind_world_itself(nb::module_& module) {
  using world::Side, world::World;

  auto binding = nb::class_<World>(module, "World")
                     .def(nb::init<>())
                     .def_rw("solver", &World::solver)
                     .def_rw("options", &World::options)
                     .def_rw("fields", &World::fields)
                     .def_rw("dimensions", &World::dimensions)
                     .def_rw("spacing", &World::spacing)
                     .def_rw("openings", &World::openings)
                     .def_rw("fluid", &World::fluid)
                     .def_rw("regions", &World::regions)
                     .def_rw("bodies", &World::bodies)
                     .def_rw("start", &World::start)
                     .def_rw("method", &World::method)
                     .def_rw("probes", &World::probes)
                     .def_rw("gauges", &World::gauges)
                     .def_rw("fronts", &World::fronts);
  binding.def_prop_rw(
      "mesh", [](const World& world) { return std::const_pointer_cast<world::Mesh>(world.mesh); },
      [](World& world, const std::shared_ptr<world::Mesh>& mesh) { world.mesh = mesh; }, nb::arg().none());
  def_vector(binding, "origin", &World::origin);
  def_vector(binding, "size", &World::size);
  def_vector(binding, "gravity", &World::gravity);
  def_fields(binding, "body_force", &World::body_force);

  // The sides themselves, not copies, so that `world.sides[0].slip = True` changes the world.
  binding.def_prop_rw(
      "sides",
      [](nb::handle self) {
        nb::list list;
        for (Side& side : nb::cast<World&>(self).sides)
          list.append(nb::cast(&side, nb::rv_policy::reference_internal, self));
        return list;
      },
      [](World& self, const std::array<Side, 6>& sides) { self.sides = sides; });
}

}  // namespace

void bind_world(nb::module_& module) {
  bind_fluid_and_boundaries(module);
  bind_start_and_method(module);
  bind_observers(module);
  bind_world_itself(module);
}

}  // namespace eddyline::bindings
