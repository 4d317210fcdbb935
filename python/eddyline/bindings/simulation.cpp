// Simulation: views of its arrays without copies, results as new arrays.
#include "driver/leader.hpp"
#include "driver/make_solver.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "arrays.hpp"
#include "base/errors.hpp"
#include "base/instructions.hpp"
#include "bindings.hpp"
#include "comm/collectives.hpp"
#include "comm/connect.hpp"
#include "comm/single_process.hpp"
#include "comm/wait.hpp"
#include "observe/codes.hpp"
#include "observe/raster.hpp"
#include "observe/world_observers.hpp"
#include "particles/openings.hpp"
#include "particles/place.hpp"
#include "physics/equations/equations.hpp"
#include "physics/modules/load.hpp"
#include "physics/modules/load_scalars.hpp"
#include "physics/modules/load_terms.hpp"
#include "physics/terms/variables.hpp"
#include "solver/execution_options.hpp"
#include "solvers/sph/arithmetic.hpp"
#include "solvers/sph/estimate.hpp"
#include "world/sides.hpp"

namespace eddyline::bindings {

namespace nb = nanobind;
using comm::Communicator;
using driver::Leader;
using namespace nb::literals;

namespace {

using Point = std::tuple<double, double, double>;

Vec3 vec(const Point& p) { return {std::get<0>(p), std::get<1>(p), std::get<2>(p)}; }

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

nb::object big_integer(const solver::Checksum& sum) {
  return nb::module_::import_("builtins")
      .attr("int")(nb::int_(sum.high))
      .attr("__lshift__")(64)
      .attr("__or__")(nb::int_(sum.low));
}

nb::tuple tuple_of(Vec3 v, int dimensions) {
  return dimensions == 2 ? nb::make_tuple(v.x, v.y) : nb::make_tuple(v.x, v.y, v.z);
}

nb::dict details(const solver::Diagnosis& d) {
  nb::dict out;
  out["id"] = d.id;
  out["step"] = d.step;
  out["time"] = d.time;
  out["reason"] = d.reason;
  out["position"] = tuple_of(d.position, 3);
  out["velocity"] = tuple_of(d.velocity, 3);
  out["acceleration"] = tuple_of(d.acceleration, 3);
  out["density"] = d.density;
  nb::list neighbors;
  for (const auto& n : d.neighbors) {
    nb::dict entry;
    entry["id"] = n.id;
    entry["distance"] = n.distance;
    entry["position"] = tuple_of(n.position, 3);
    entry["velocity"] = tuple_of(n.velocity, 3);
    entry["density"] = n.density;
    neighbors.append(entry);
  }
  out["neighbors"] = neighbors;
  return out;
}

nb::object value_of(const solver::Counter& counter) {
  switch (counter.kind) {
    case solver::Counter::Kind::whole: return nb::int_(counter.whole);
    case solver::Counter::Kind::real: return nb::float_(counter.real);
    case solver::Counter::Kind::flag: return nb::bool_(counter.whole != 0);
  }
  return nb::none();
}

/// Counters by name; "lazy.every" is the entry `every` of a dict `lazy`.
nb::dict statistics(const Leader& s) {
  const driver::Statistics stats = s.statistics();
  nb::dict out;
  for (const solver::Counter& counter : stats.counters) {
    const std::string name(counter.name);
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) {
      out[name.c_str()] = value_of(counter);
      continue;
    }
    const std::string table = name.substr(0, dot);
    if (!out.contains(table.c_str())) out[table.c_str()] = nb::dict();
    nb::cast<nb::dict>(out[table.c_str()])[name.substr(dot + 1).c_str()] = value_of(counter);
  }
  out["instructions"] = stats.instructions;
  out["threads"] = stats.threads;
  out["ranks"] = stats.ranks;
  nb::dict seconds;
  for (const auto& [name, value] : stats.seconds) seconds[name.c_str()] = value;
  out["seconds"] = seconds;
  if (!stats.exchange.measured.empty()) {
    nb::dict trials, measured;
    for (const auto& [name, value] : stats.exchange.measured) measured[name.c_str()] = value;
    trials["taken"] = stats.exchange.taken;
    trials["measured"] = measured;
    out["exchange"] = trials;
  }
  return out;
}

nb::list shares(const Leader& s) {
  const auto sets = s.own().solver().fields().sets();
  nb::list all;
  for (const solver::RankShare& share : s.shares()) {
    nb::dict one, seconds;
    for (std::size_t k = 0; k < sets.size(); ++k) one[std::string(sets[k].members).c_str()] = share.members[k];
    one["migrants"] = share.migrants;
    one["memory_bytes"] = share.memory_bytes;
    one["neighbors"] = share.neighbors;
    one["messages"] = share.messages;
    one["bytes"] = share.bytes;
    one["messages_between_sites"] = share.messages_between;
    one["bytes_between_sites"] = share.bytes_between;
    one["sizes"] = nb::cast(std::vector<std::int64_t>(share.sizes.begin(), share.sizes.end()));
    for (std::size_t p = 0; p < k_phase_names.size(); ++p) seconds[k_phase_names[p].data()] = share.seconds[p];
    one["seconds"] = seconds;
    all.append(one);
  }
  return all;
}

/// Moments (n, 2) and names of the phases of each rank.
nb::list timeline(const Leader& s) {
  nb::list all;
  for (const auto& laps : s.timeline()) {
    std::vector<double> moments;
    nb::list phases;
    for (const Lap& lap : laps) {
      moments.insert(moments.end(), {lap.begin, lap.end});
      phases.append(k_phase_names[static_cast<std::size_t>(lap.phase)].data());
    }
    all.append(nb::make_tuple(give(std::move(moments), {laps.size(), 2}), phases));
  }
  return all;
}

/// Names of halos; exchanges: (n, 4) step, halo, rebuild, group; messages: (m, 4) group, from, to, bytes.
nb::tuple traffic(const Leader& s) {
  const comm::TrafficLog log = s.traffic();
  std::vector<std::int64_t> exchanges, messages;
  for (const auto& each : log.exchanges)
    exchanges.insert(exchanges.end(), {each.step, each.halo, each.rebuild, each.group});
  for (const auto& each : log.messages) messages.insert(messages.end(), {each.group, each.from, each.to, each.bytes});
  return nb::make_tuple(log.halos, give(std::move(exchanges), {log.exchanges.size(), 4}),
                        give(std::move(messages), {log.messages.size(), 4}));
}

nb::dict take_series(Leader& s) {
  nb::dict out;
  for (auto& series : s.take_series()) {
    const std::size_t columns = series.columns.size(), rows = series.values.size() / columns;
    nb::list names, units;
    for (const auto& name : series.columns) names.append(name);
    for (const auto& unit : series.units) units.append(unit);
    out[series.name.c_str()] = nb::make_tuple(names, units, give(std::move(series.values), {rows, columns}));
  }
  return out;
}

std::span<const std::byte> content(const nb::bytes& message) {
  return {reinterpret_cast<const std::byte*>(message.c_str()), message.size()};
}
nb::bytes bytes_of(const std::vector<std::byte>& content) { return nb::bytes(content.data(), content.size()); }

nb::bytes broadcast(Communicator& communicator, const nb::bytes& message) {
  const auto own = content(message);
  std::vector received(own.begin(), own.end());
  {
    nb::gil_scoped_release release;
    received = comm::broadcast(communicator, std::move(received), 0, "broadcast");
  }
  return bytes_of(received);
}

nb::list gather(Communicator& communicator, const nb::bytes& message) {
  const auto gathered = [&, own = content(message)] {
    nb::gil_scoped_release release;
    return comm::gather(communicator, own, "gather");
  }();
  nb::list all;
  for (const auto& each : gathered) all.append(bytes_of(each));
  return all;
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

nb::list columns_of(std::span<const solver::Column> columns) {
  nb::list all;
  for (const solver::Column& column : columns) all.append(nb::make_tuple(column.name, column.unit));
  return all;
}

double change(Leader& s, const std::string& kind, const std::string& name, const Point& value,
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
  change.value = vec(value);
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

std::vector<solver::Raster> draw(const Leader& s, const std::vector<std::string>& names, std::pair<int, int> shape,
                                 const Point& lower, const Point& upper, const std::array<int, 3>& axes) {
  if (shape.first < 1 || shape.second < 1) throw UserError("rasters: shape must be at least (1, 1).");
  const auto& sampler = s.own().sampler();
  std::vector<std::int32_t> quantities;
  for (const std::string& name : names) quantities.push_back(observe::quantity_of(sampler, name));
  if (names.size() > sampler.quantities().size())
    throw UserError("rasters: " + std::to_string(names.size()) + " quantities; there are " +
                    std::to_string(sampler.quantities().size()) + ".");
  std::array<int, 3> sorted = axes;
  std::ranges::sort(sorted);
  const bool is_flat = s.own().solver().world().dimensions == 2;
  if (sorted != std::array{0, 1, 2} || (is_flat && sorted != axes))
    throw UserError("rasters: axes must name 0, 1 and 2 once each, in 2D in this order.");
  const solver::Plane plane{shape.second, shape.first, vec(lower), vec(upper), axes};
  nb::gil_scoped_release release;
  return s.rasters(quantities, plane);
}

nb::list known_rasters(const Leader& s, const std::vector<std::string>& names, std::pair<int, int> shape,
                       const Point& lower, const Point& upper, const std::array<int, 3>& axes) {
  nb::list known;
  for (auto& raster : draw(s, names, shape, lower, upper, axes))
    known.append(nb::make_tuple(give(std::move(raster.known)), give(std::move(raster.values))));
  return known;
}

Owned<float> rasters(const Leader& s, const std::vector<std::string>& names, std::pair<int, int> shape,
                     const Point& lower, const Point& upper, const std::array<int, 3>& axes) {
  const auto drawn = draw(s, names, shape, lower, upper, axes);
  const auto rows = static_cast<std::size_t>(shape.first), columns = static_cast<std::size_t>(shape.second);
  std::vector<float> pixels(names.size() * rows * columns);
  for (std::size_t n = 0; n < names.size(); ++n) {
    const bool is_cover = names[n] == "cover";
    observe::spread(drawn[n], is_cover ? 0 : std::numeric_limits<float>::quiet_NaN(),
                    {pixels.data() + n * rows * columns, rows * columns});
  }
  return give(std::move(pixels), {names.size(), rows, columns});
}

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::bytes series_lines(const Rows& rows) {
  std::string text;
  {
    nb::gil_scoped_release release;
    text = observe::lines_of({rows.data(), rows.size()}, rows.shape(1));
  }
  return nb::bytes(text.data(), text.size());
}

using Pixels = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple known_pixels(const Pixels& pixels, const std::optional<Mask>& is_solid) {
  if (is_solid && is_solid->size() != pixels.size()) throw UserError("known_pixels: solid is of another shape.");
  solver::Raster found;
  {
    nb::gil_scoped_release release;
    found.known.resize((pixels.size() + 7) / 8);
    observe::keep_known({pixels.data(), pixels.size()}, is_solid ? is_solid->data() : nullptr, found.known.data(),
                        found.values);
  }
  return nb::make_tuple(give(std::move(found.known)), give(std::move(found.values)));
}

using Values = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple value_codes(const Values& values, std::uint16_t top, std::uint16_t solid) {
  observe::Codes found;
  {
    nb::gil_scoped_release release;
    found = observe::codes_of({values.data(), values.size()}, top, solid);
  }
  return nb::make_tuple(give(std::move(found.codes)), found.scale, found.offset);
}

Owned<std::uint8_t> cover_codes(const Values& covers, float one) {
  std::vector<std::uint8_t> codes;
  {
    nb::gil_scoped_release release;
    codes = observe::codes_of_cover({covers.data(), covers.size()}, one);
  }
  return give(std::move(codes));
}

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

/// Reads options of execution by name; those that are not given have their defaults.
class OptionReader {
 public:
  explicit OptionReader(const nb::kwargs& given) : given_(given) {}

  template <class Value>
  void operator()(const char* name, Value& member) {
    if (!take(name)) return;
    if (!nb::try_cast(nb::handle(given_[name]), member))
      throw nb::type_error((std::string(name) + ": wrong type").c_str());
  }
  void operator()(const char* name, bool& flag, const solver::FlagWords& words) {
    std::string wanted(words.off);
    (*this)(name, wanted);
    if (wanted != words.off && wanted != words.on)
      throw UserError(std::string(name) + " = \"" + wanted + "\"; must be \"" + std::string(words.off) + "\" or \"" +
                      std::string(words.on) + "\".");
    flag = wanted == words.on;
  }
  /// Throws if an option was given that there is not.
  void end() const {
    if (taken_ != given_.size()) throw nb::type_error("Simulation: an argument has no option of this name");
  }

 private:
  bool take(const char* name) {
    const bool found = given_.contains(name);
    taken_ += found ? 1 : 0;
    return found;
  }

  const nb::kwargs& given_;
  std::size_t taken_ = 0;
};

solver::Execution execution_of(const nb::kwargs& given) {
  solver::Execution execution;
  OptionReader reader(given);
  solver::for_each_option(execution, reader);
  reader.end();
  return execution;
}

/// `buffer_length`: of the buffers beyond openings [m].
struct LengthsOfWorld : particles::Lengths {
  double buffer_length;
};

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

void bind_simulation(nb::module_& module) {
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

  module.def("series_lines", series_lines, "rows"_a);
  module.def("known_pixels", known_pixels, "pixels"_a, "is_solid"_a.none());
  module.def("value_codes", value_codes, "values"_a, "top"_a, "solid"_a);
  module.def("cover_codes", cover_codes, "covers"_a, "one"_a);

  static PyObject* step_error = nb::exception<solver::StepError>(module, "StepError", PyExc_RuntimeError).ptr();
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const solver::StepError& error) {
      nb::object value = nb::borrow(step_error)(error.what());
      value.attr("details") = details(error.diagnosis);
      PyErr_SetObject(step_error, value.ptr());
    }
  });

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
  module.def("equation_names", &physics::equation_names);
  module.def("equation_columns", equation_columns, "name"_a, "dimensions"_a, "options"_a = Options());
  module.def("scalars_of", scalars_of, "dimensions"_a, "options"_a);
  module.def("equation_speed", equation_speed, "name"_a, "dimensions"_a, "options"_a, "spacing"_a, "values"_a);
  module.def("term_acts", term_acts, "library"_a, "dimensions"_a, "parameters"_a);
  module.def("term_values", term_values, "library"_a, "dimensions"_a, "parameters"_a, "spacing"_a, "density"_a,
             "values"_a);
  module.def("module_abi", &physics::abi_of_modules);
  module.def("module_about", &physics::module_about, "library"_a);
  module.def("estimate", &sph::estimate, "world"_a);
  module.def("effective_viscosity", &sph::effective_viscosity, "world"_a);

  nb::exception<comm::Unresponsive>(module, "UnresponsiveError", PyExc_RuntimeError);
  nb::class_<Communicator>(module, "Communicator")
      .def_static("connect", &comm::connect, "plugin"_a, nb::call_guard<nb::gil_scoped_release>())
      .def_static("library_of", &comm::library_of, "plugin"_a)
      .def_prop_ro("rank", &Communicator::rank)
      .def_prop_ro("size", &Communicator::size)
      .def_prop_ro("library", &Communicator::library)
      .def_prop_rw(
          "patience", [](const Communicator& c) { return c.patience.load(); },
          [](Communicator& c, double seconds) { c.patience = seconds; })
      .def_rw("sites", &Communicator::sites)
      .def("machine", &Communicator::machine, nb::call_guard<nb::gil_scoped_release>())
      .def("broadcast", broadcast, "message"_a)
      .def("gather", gather, "message"_a)
      .def("disconnect", &Communicator::disconnect, nb::call_guard<nb::gil_scoped_release>())
      .def("abort", &Communicator::abort, "exit_code"_a, nb::call_guard<nb::gil_scoped_release>());

  nb::class_<Leader>(module, "Simulation")
      .def(nb::new_([](const world::World& world, double series_interval, Communicator* communicator,
                       const nb::kwargs& options) {
             const solver::Execution execution = execution_of(options);
             nb::gil_scoped_release release;
             static const auto alone = comm::single_process();
             comm::Communicator& ranks = communicator == nullptr ? *alone : *communicator;
             return std::make_unique<Leader>(
                 std::make_unique<driver::Simulation>(world, execution, series_interval, ranks));
           }),
           "world"_a, nb::kw_only(), "series_interval"_a = 0.0, "communicator"_a = nb::none(), "options"_a,
           nb::keep_alive<0, 4>())
      .def(
          "follow", [](Leader& s) { driver::follow(s.own()); }, nb::call_guard<nb::gil_scoped_release>())
      .def("advance", &Leader::advance, "until"_a, "max_steps"_a, "max_seconds"_a,
           nb::call_guard<nb::gil_scoped_release>())
      .def("change", change, "kind"_a, "name"_a = "", "value"_a = Point{0, 0, 0},
           "formulas"_a = std::vector<std::string>{}, "shape"_a = "", "numbers"_a = std::vector<double>{},
           "slip"_a = false)
      .def("track", &Leader::track, "name"_a, "id"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("untrack", &Leader::untrack, "name"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("interrupt", &Leader::interrupt)
      .def("end", &Leader::end, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("dimensions", [](const Leader& s) { return s.own().solver().world().dimensions; })
      .def_prop_ro("threads", [](const Leader& s) { return s.own().solver().threads(); })
      .def_prop_ro("time", [](const Leader& s) { return s.own().solver().clock().time; })
      .def_prop_ro("step_count", [](const Leader& s) { return s.own().solver().clock().steps; })
      .def_prop_ro("time_step", [](const Leader& s) { return s.own().solver().next_time_step(); })
      .def_prop_ro("fluid_count", [](const Leader& s) { return s.own().solver().fields().count(0); })
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
      .def_prop_ro("quantities", [](const Leader& s) { return columns_of(s.own().sampler().quantities()); })
      .def_prop_ro("probe_columns", [](const Leader& s) { return columns_of(s.own().sampler().probe_columns()); })
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
      .def("records", records, "kind"_a, "after"_a, "limit"_a)
      .def("take_series", take_series)
      .def("rasters", rasters, "quantities"_a, "shape"_a, "lower"_a, "upper"_a, "axes"_a = std::array{0, 1, 2})
      .def("known_rasters", known_rasters, "quantities"_a, "shape"_a, "lower"_a, "upper"_a,
           "axes"_a = std::array{0, 1, 2})
      .def(
          "save",
          [](Leader& s, int rank) {
            std::vector<std::byte> part;
            {
              nb::gil_scoped_release release;
              part = s.save(rank);
            }
            return bytes_of(part);
          },
          "rank"_a = 0)
      .def(
          "restore",
          [](Leader& s, const nb::iterator& parts) {
            nb::iterator at = parts;
            s.restore([&at] {
              if (at == nb::iterator::sentinel()) return std::vector<std::byte>{};
              const auto part = nb::cast<nb::bytes>(*at);
              const auto own = content(part);
              ++at;
              return std::vector<std::byte>(own.begin(), own.end());
            });
          },
          "parts"_a)
      .def("checksum", [](const Leader& s) { return big_integer(s.checksum()); })
      .def("keep_checksums", &Leader::keep_checksums, "every"_a)
      .def("take_checksums",
           [](Leader& s) {
             nb::list all;
             for (const auto& [step, sum] : s.take_checksums()) all.append(nb::make_tuple(step, big_integer(sum)));
             return all;
           })
      .def("shares", shares)
      .def("keep_timeline", &Leader::keep_timeline, "laps"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("timeline", timeline)
      .def("keep_traffic", &Leader::keep_traffic, nb::call_guard<nb::gil_scoped_release>())
      .def("traffic", traffic)
      .def("statistics", statistics);
}

}  // namespace eddyline::bindings
