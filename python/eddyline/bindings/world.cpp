#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bindings.hpp"
#include "solvers/multiblock/pieces.hpp"
#include "world/formula.hpp"
#include "world/formula_region.hpp"
#include "world/mesh.hpp"
#include "world/method_options.hpp"
#include "world/shapes.hpp"
#include "world/world.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace eddyline::bindings {

namespace {

using world::Formula;
using world::Shape;
using world::ShapePtr;

// Python's Vec3 is a tuple of three floats.
using Triple = std::tuple<double, double, double>;
Vec3 to_vec(const Triple& t) { return {std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }
Triple to_triple(Vec3 v) { return {v.x, v.y, v.z}; }

/// Moves values into a new NumPy array of the given shape.
template <class... Sizes>
auto to_array(std::vector<double> values, Sizes... sizes) {
  auto* data = new std::vector<double>(std::move(values));
  const nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return nb::ndarray<nb::numpy, double>(data->data(), {static_cast<std::size_t>(sizes)...}, owner);
}

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
  return to_array(std::move(results), count).cast().attr("reshape")(inputs.shape);
}

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

std::tuple<double, double, double> differentiate(const Formula& formula, const std::vector<double>& values,
                                                 const std::string& variable) {
  const auto& all = formula.variables();
  const auto found = std::find(all.begin(), all.end(), variable);
  if (found == all.end()) throw UserError("the formula `" + formula.text() + "` has no variable `" + variable + "`");
  const world::Jet jet = formula.differentiate(values, static_cast<std::size_t>(found - all.begin()));
  return {jet.value, jet.first, jet.second};
}

void bind_formula(nb::module_& module) {
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

using Points = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

auto signed_distance(const Shape& shape, const Points& points) {
  std::vector<double> distance(points.shape(0));
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const double* p = points.data() + 3 * i;
    distance[i] = shape.signed_distance({p[0], p[1], p[2]});
  }
  return to_array(std::move(distance), points.shape(0));
}

auto points_to_array(const std::vector<Vec3>& points) {
  std::vector<double> values;
  values.reserve(3 * points.size());
  for (const Vec3& p : points) values.insert(values.end(), {p.x, p.y, p.z});
  return to_array(std::move(values), points.size(), 3);
}

/// An (n, 3) array of visit(point).
template <class Visit>
auto each_point(const Points& points, Visit&& visit) {
  std::vector<Vec3> result(points.shape(0));
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double* p = points.data() + 3 * i;
    result[i] = visit(Vec3{p[0], p[1], p[2]});
  }
  return points_to_array(result);
}

auto layers(const Shape& shape, double spacing, int count, bool inside) {
  const std::vector<world::SurfacePoint> points = shape.layers(spacing, count, inside);
  std::vector<Vec3> positions;
  std::vector<double> volumes;
  for (const world::SurfacePoint& point : points) {
    positions.push_back(point.position);
    volumes.push_back(point.volume);
  }
  return std::make_pair(points_to_array(positions), to_array(std::move(volumes), points.size()));
}

nb::list outline(const Shape& shape, double tolerance) {
  nb::list loops;
  for (const std::vector<Vec3>& loop : shape.outline(tolerance)) loops.append(points_to_array(loop));
  return loops;
}

void bind_shapes(nb::module_& module) {
  nb::class_<Shape>(module, "Shape")
      .def("signed_distance", &signed_distance, "points"_a)
      .def("layers", &layers, "spacing"_a, "count"_a, "inside"_a = true)
      .def("outline", &outline, "tolerance"_a)
      .def_prop_ro("bounds",
                   [](const Shape& shape) {
                     const auto [lowest, highest] = shape.bounds();
                     return std::make_pair(to_triple(lowest), to_triple(highest));
                   })
      .def_prop_ro("volume", &Shape::volume)
      .def_prop_ro("dimensions", &Shape::dimensions);

  module.def(
      "circle", [](const Triple& center, double diameter) { return world::make_circle(to_vec(center), diameter); },
      "center"_a, "diameter"_a);
  module.def(
      "rectangle",
      [](const Triple& min, const Triple& max, double angle) {
        return world::make_rectangle(to_vec(min), to_vec(max), angle);
      },
      "min"_a, "max"_a, "angle"_a = 0.0);
  module.def(
      "polygon",
      [](const std::vector<Triple>& points) {
        std::vector<Vec3> corners;
        for (const Triple& point : points) corners.push_back(to_vec(point));
        return world::make_polygon(std::move(corners));
      },
      "points"_a);
  module.def(
      "line",
      [](const Triple& from, const Triple& to, double thickness) {
        return world::make_line(to_vec(from), to_vec(to), thickness);
      },
      "from_"_a, "to"_a, "thickness"_a);
  module.def(
      "sphere", [](const Triple& center, double diameter) { return world::make_sphere(to_vec(center), diameter); },
      "center"_a, "diameter"_a);
  module.def(
      "box", [](const Triple& min, const Triple& max) { return world::make_box(to_vec(min), to_vec(max)); }, "min"_a,
      "max"_a);
  module.def(
      "cylinder",
      [](const Triple& from, const Triple& to, double diameter) {
        return world::make_cylinder(to_vec(from), to_vec(to), diameter);
      },
      "from_"_a, "to"_a, "diameter"_a);
  module.def(
      "triangulated",
      [](const Points& points, const std::vector<std::array<std::int32_t, 3>>& triangles) {
        std::vector<Vec3> corners(points.shape(0));
        for (std::size_t i = 0; i < corners.size(); ++i)
          corners[i] = {points.data()[3 * i], points.data()[3 * i + 1], points.data()[3 * i + 2]};
        return world::make_triangulated(std::move(corners), triangles);
      },
      "points"_a, "triangles"_a);
  module.def(
      "formula_region",
      [](const Formula& inside, const Triple& min, const Triple& max, int dimensions) {
        return world::make_formula_region(inside, to_vec(min), to_vec(max), dimensions);
      },
      "inside"_a, "min"_a, "max"_a, "dimensions"_a);
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

using Nodes = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Indices = std::vector<std::int32_t>;

/// A block from its nodes, (ni + 1, nj + 1, D) or (ni + 1, nj + 1, nk + 1, D).
world::MeshBlock mesh_block(const std::string& name, const Nodes& nodes, int dimensions) {
  const auto count = static_cast<std::size_t>(dimensions);
  bool fits = nodes.ndim() == count + 1 && nodes.shape(count) == count;
  for (std::size_t d = 0; fits && d < count; ++d) fits = nodes.shape(d) >= 2;
  if (!fits)
    throw UserError("mesh: block \"" + name + "\": its nodes must have the shape (ni + 1, nj + 1" +
                    (dimensions == 3 ? ", nk + 1, 3)." : ", 2)."));
  world::MeshBlock block{.name = name, .cells = {1, 1, 1}, .nodes = {}};
  for (std::size_t d = 0; d < count; ++d) block.cells[d] = static_cast<std::int32_t>(nodes.shape(d)) - 1;
  const std::size_t ni = nodes.shape(0), nj = nodes.shape(1), nk = dimensions == 3 ? nodes.shape(2) : 1;
  for (std::size_t d = 0; d < count; ++d) {
    auto& along = block.nodes[d];
    along.resize(ni * nj * nk);
    for (std::size_t i = 0; i < ni; ++i)
      for (std::size_t j = 0; j < nj; ++j)
        for (std::size_t k = 0; k < nk; ++k)
          along[i + ni * (j + nj * k)] = nodes.data()[((i * nj + j) * nk + k) * count + d];
  }
  return block;
}

/// Three numbers from one for each dimension; `rest` for the others.
template <class Triple>
Triple for_axes(const Indices& values, Triple rest, int dimensions) {
  if (values.size() != static_cast<std::size_t>(dimensions))
    throw UserError("mesh: " + std::to_string(dimensions) + " indices are needed, found " +
                    std::to_string(values.size()) + ".");
  for (std::size_t d = 0; d < values.size(); ++d) rest[d] = values[d];
  return rest;
}

world::MeshPatch mesh_patch(std::int32_t block, int axis, int end, const Indices& low, const Indices& high,
                            int dimensions) {
  return {block, axis, end, for_axes<Int3>(low, {0, 0, 0}, dimensions), for_axes<Int3>(high, {1, 1, 1}, dimensions)};
}

void bind_mesh(nb::module_& module) {
  using world::Mesh;
  nb::class_<Mesh>(module, "Mesh")
      .def(
          "__init__",
          [](Mesh* self, int dimensions) {
            new (self) Mesh{.dimensions = dimensions, .blocks = {}, .links = {}, .boundaries = {}};
          },
          "dimensions"_a)
      .def(
          "add_block",
          [](Mesh& mesh, const std::string& name, const Nodes& nodes) {
            mesh.blocks.push_back(mesh_block(name, nodes, mesh.dimensions));
          },
          "name"_a, "nodes"_a)
      .def(
          "add_link",
          [](Mesh& mesh, std::int32_t block, int axis, int end, const Indices& low, const Indices& high,
             std::int32_t giver, const Indices& axes, const Indices& signs, const Indices& offset,
             const std::vector<double>& shift) {
            using Ints = std::array<int, 3>;
            world::MeshLink link{.patch = mesh_patch(block, axis, end, low, high, mesh.dimensions),
                                 .giver = giver,
                                 .axes = for_axes<Ints>(axes, {0, 1, 2}, mesh.dimensions),
                                 .signs = for_axes<Ints>(signs, {1, 1, 1}, mesh.dimensions),
                                 .offset = for_axes<Int3>(offset, {0, 0, 0}, mesh.dimensions),
                                 .shift = {}};
            for (std::size_t d = 0; d < std::min<std::size_t>(shift.size(), 3); ++d)
              link.shift[static_cast<int>(d)] = shift[d];
            mesh.links.push_back(link);
          },
          "block"_a, "axis"_a, "end"_a, "low"_a, "high"_a, "giver"_a, "axes"_a, "signs"_a, "offset"_a, "shift"_a)
      .def(
          "add_boundary",
          [](Mesh& mesh, std::int32_t block, int axis, int end, const Indices& low, const Indices& high,
             const std::string& name) {
            mesh.boundaries.push_back({mesh_patch(block, axis, end, low, high, mesh.dimensions), name});
          },
          "block"_a, "axis"_a, "end"_a, "low"_a, "high"_a, "name"_a)
      .def(
          "divide",
          [](const Mesh& mesh, int ranks, int levels, bool is_gas) {
            const multiblock::Pieces pieces(mesh, multiblock::most_levels(mesh, levels, is_gas), ranks, ranks);
            std::vector<std::tuple<std::int32_t, Int3, Int3, int>> found;
            for (const auto& piece : pieces.all())
              found.emplace_back(piece.block, piece.lower, piece.upper, piece.rank);
            return std::pair(pieces.levels(), std::move(found));
          },
          "ranks"_a, "levels"_a, "is_gas"_a)
      .def("check", &Mesh::check)
      .def_prop_ro("cells", &Mesh::cells)
      .def_prop_ro("blocks", [](const Mesh& mesh) {
        std::vector<std::string> names;
        for (const auto& block : mesh.blocks) names.push_back(block.name);
        return names;
      });
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
  nb::exception<UserError>(module, "UserError", PyExc_RuntimeError);
  bind_formula(module);
  bind_shapes(module);
  bind_fluid_and_boundaries(module);
  bind_start_and_method(module);
  bind_observers(module);
  bind_mesh(module);
  bind_world_itself(module);
}

}  // namespace eddyline::bindings
