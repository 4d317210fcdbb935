#include "observe/isosurface/isosurface.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/errors.hpp"
#include "base/parallel_for.hpp"
#include "comm/collectives.hpp"
#include "observe/isosurface/codec.hpp"
#include "observe/isosurface/cuts.hpp"
#include "observe/isosurface/lattice_values.hpp"
#include "world/formula.hpp"

namespace eddyline::observe {

namespace {

constexpr double k_most_points = 1e9;
constexpr int k_colour_passes = 2;  // how far colours spread beyond points that have a value

struct Named {
  solver::Column column;
  LatticeQuantity quantity;
};

/// `own`: quantities that the solver computes on lattices; `rasters`: those of pictures.
std::vector<Named> named_quantities(std::span<const solver::Column> own, std::span<const solver::Column> rasters,
                                    const world::World& world) {
  std::vector<Named> all;
  if (world.dimensions != 3) return all;
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(all, [&](const Named& other) { return other.column.name == name; });
  };
  std::int32_t number = 0;
  for (const auto& column : own) all.push_back({column, {.own = number++}});
  number = 0;
  for (const auto& column : rasters) {
    if (column.name != "cover") {
      if (!has(column.name)) all.push_back({column, {.raster = number}});
    } else if (!has("fluid")) {
      all.push_back({{"fluid", "1"}, {.raster = number}});
    }
    ++number;
  }
  if (std::ranges::count_if(rasters, [](const auto& c) { return c.name.starts_with("velocity_"); }) == 3) {
    if (!has("vorticity")) all.push_back({{"vorticity", "1/s"}, {.derived = Derived::vorticity}});
    if (!has("strain")) all.push_back({{"strain", "1/s"}, {.derived = Derived::strain}});
    if (!has("q")) all.push_back({{"q", "1/s^2"}, {.derived = Derived::q}});
  }
  return all;
}
std::vector<Named> named_quantities(const solver::Sampler& sampler, const world::World& world) {
  return named_quantities(sampler.lattice_quantities(), sampler.quantities(), world);
}

/// A quantity or a formula over quantities: which quantities it needs, and its values from theirs.
class Wanted {
 public:
  /// Throws UserError.
  Wanted(const std::vector<Named>& named, std::string_view text) {
    if (named.empty()) throw UserError("isosurface: the world has two dimensions; surfaces need three.");
    std::vector<std::string> names;
    for (const Named& each : named) names.push_back(each.column.name);
    const auto number = [&](std::string_view name) {
      return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    };
    if (const std::size_t k = number(text); k < named.size()) {
      needed_.push_back(named[k].quantity);
      return;
    }
    if (is_name(text)) {
      std::string known;
      for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
      throw UserError("isosurface: quantity \"" + std::string(text) + "\"; must be one of " + known +
                      ", or a formula of them.");
    }
    formula_ = world::Formula(text, names);
    const std::vector<std::string> used = formula_.used_variables();
    if (used.empty()) throw UserError("isosurface: `" + std::string(text) + "` is a constant; name a quantity in it.");
    for (const std::string& name : used) {
      needed_.push_back(named[number(name)].quantity);
      places_.push_back(number(name));
    }
  }

  const std::vector<LatticeQuantity>& needed() const { return needed_; }

  /// values: of needed(), NaN where there is none.
  std::vector<float> from(std::span<std::vector<float>> values) const {
    if (places_.empty()) return std::move(values[0]);
    std::vector<float> result(values[0].size(), std::numeric_limits<float>::quiet_NaN());
    const auto size = static_cast<std::int64_t>(result.size());
    parallel_for((size + k_block - 1) / k_block, [&](std::int64_t block) {
      std::vector<double> variables(formula_.variables().size());
      const std::int64_t last = std::min(size, (block + 1) * k_block);
      for (auto k = static_cast<std::size_t>(block * k_block); k < static_cast<std::size_t>(last); ++k) {
        bool known = true;
        for (std::size_t n = 0; n < places_.size(); ++n) {
          variables[places_[n]] = values[n][k];
          known = known && std::isfinite(values[n][k]);
        }
        if (known) result[k] = static_cast<float>(formula_.evaluate(variables));
      }
    });
    return result;
  }

 private:
  static constexpr std::int64_t k_block = 4096;  // points

  static bool is_name(std::string_view text) {
    return std::ranges::all_of(text, [](char c) {
      return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
  }

  std::vector<LatticeQuantity> needed_;
  world::Formula formula_;
  std::vector<std::size_t> places_;  // of needed() among the variables of the formula; none: no formula
};

/// The points of a request: every stride-th point of a lattice around which there is one layer of outside points.
class Points {
 public:
  Points(const world::World& world, const SurfaceRequest& request)
      : all_(lattice_of(world, request.resolution)), stride_(request.stride) {
    used_.spacing = static_cast<double>(stride_) * all_.spacing;
    for (int d = 0; d < 3; ++d) {
      const auto axis = static_cast<std::size_t>(d);
      used_.count[axis] = all_.count[axis] / stride_;
      used_.origin[d] = world.origin[d] + (stride_ - 0.5) * all_.spacing[d];
      outside_.origin[d] = world.origin[d] - 0.5 * all_.spacing[d];
      outside_.count[axis] = used_.count[axis] + 2;
    }
    outside_.spacing = used_.spacing;
  }

  /// The used points inside the domain.
  const solver::Lattice& used() const { return used_; }
  /// The same with the outside points around them.
  const solver::Lattice& with_outside() const { return outside_; }

  /// Values of quantities on layers of used().
  std::vector<std::vector<float>> values(solver::Sampler& sampler, const CellSource* cells,
                                         std::span<const LatticeQuantity> quantities, solver::Layers layers) const {
    if (stride_ == 1) return lattice_values(sampler, cells, quantities, used_, layers);
    // A solver smooths its own quantities over points of the full lattice.
    std::vector<std::vector<float>> values;
    for (const LatticeQuantity& quantity : quantities) {
      const bool own = quantity.own >= 0;
      const solver::Layers of_all = layers.count() > 0
                                        ? solver::Layers{stride_ * (layers.first + 1) - 1, stride_ * layers.last}
                                        : solver::Layers{};
      auto found = lattice_values(sampler, cells, {&quantity, 1}, own ? all_ : used_, own ? of_all : layers);
      values.push_back(own ? picked(found.front(), layers.count()) : std::move(found.front()));
    }
    return values;
  }

 private:
  std::vector<float> picked(const std::vector<float>& all, std::int32_t layers) const {
    std::vector<float> some;
    for (std::int32_t z = 0; z < layers; ++z)
      for (std::int32_t y = 0; y < used_.count[1]; ++y)
        for (std::int32_t x = 0; x < used_.count[0]; ++x) {
          const auto at = [&](std::int32_t k) { return static_cast<std::size_t>(stride_ * (k + 1) - 1); };
          some.push_back(all[(static_cast<std::size_t>(stride_ * z) * static_cast<std::size_t>(all_.count[1]) + at(y)) *
                                 static_cast<std::size_t>(all_.count[0]) +
                             at(x)]);
        }
    return some;
  }

  solver::Lattice all_, used_, outside_;
  std::int32_t stride_;
};

/// Surrounds layers of values by points without one. layers: of the result, counted with the outside layers.
std::vector<float> surrounded(const std::vector<float>& values, solver::Layers known, const solver::Lattice& used,
                              solver::Layers layers) {
  const auto nx = static_cast<std::size_t>(used.count[0]), ny = static_cast<std::size_t>(used.count[1]);
  std::vector<float> all(static_cast<std::size_t>(std::max(0, layers.count())) * (nx + 2) * (ny + 2),
                         std::numeric_limits<float>::quiet_NaN());
  for (std::int32_t z = known.first; z < known.last; ++z) {
    if (!layers.contains(z + 1)) continue;
    const float* from = values.data() + static_cast<std::size_t>(z - known.first) * nx * ny;
    float* to = all.data() + static_cast<std::size_t>(z + 1 - layers.first) * (nx + 2) * (ny + 2) + (nx + 2) + 1;
    for (std::size_t y = 0; y < ny; ++y) std::copy_n(from + y * nx, nx, to + y * (nx + 2));
  }
  return all;
}

Histogram histogram_of(std::span<const float> values, std::int32_t bins, comm::Communicator& communicator) {
  double ends[2] = {-INFINITY, -INFINITY};
  for (const float value : values)
    if (std::isfinite(value)) ends[0] = std::max(ends[0], -double{value}), ends[1] = std::max(ends[1], double{value});
  comm::maximum(communicator, ends, "surfaces");
  Histogram histogram{0, 0, std::vector<std::int64_t>(static_cast<std::size_t>(bins))};
  if (!std::isfinite(ends[0])) return histogram;
  histogram.low = -ends[0], histogram.high = ends[1];
  const double per_bin = bins / std::max(histogram.high - histogram.low, std::numeric_limits<double>::min());
  for (const float value : values)
    if (std::isfinite(value))
      ++histogram.counts[static_cast<std::size_t>(
          std::clamp((value - histogram.low) * per_bin, 0.0, static_cast<double>(bins - 1)))];
  comm::sum(communicator, histogram.counts, "surfaces");
  return histogram;
}

void set_colours(Surface& surface, const std::vector<float>& values) {
  float low = INFINITY, high = -INFINITY;
  for (const float value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (!(low <= high)) low = high = 0;
  surface.colour_low = low, surface.colour_high = high;
  const double scale = high > low ? 255 / (double{high} - double{low}) : 0;
  for (const float value : values)
    surface.colours.push_back(
        std::isfinite(value) ? static_cast<std::uint8_t>(std::lrint((double{value} - double{low}) * scale)) : 0);
}

void check(const world::World& world, const SurfaceRequest& request) {
  if (world.dimensions != 3) throw UserError("isosurface: the world has two dimensions; surfaces need three.");
  if (!(request.resolution > 0)) throw UserError("isosurface: resolution must be above 0.");
  if (request.stride != 1 && request.stride != 2 && request.stride != 4)
    throw UserError("isosurface: stride = " + std::to_string(request.stride) + "; must be 1, 2 or 4.");
  if (request.bins < 0 || request.bins > 65'536) throw UserError("isosurface: bins must be from 0 to 65536.");
  double points = 1;
  for (int d = 0; d < 3; ++d) points *= world.size[d] / (request.resolution * world.spacing) + 2;
  if (points > k_most_points)
    throw UserError("isosurface: resolution = " + std::to_string(request.resolution) + " makes a lattice of " +
                    std::to_string(static_cast<std::int64_t>(points / 1e6)) + " million points; at most " +
                    std::to_string(static_cast<std::int64_t>(k_most_points / 1e6)) +
                    " million are allowed. Use a larger resolution.");
}

}  // namespace

std::vector<solver::Column> surface_quantities(const solver::Description& solver, const world::World& world) {
  std::vector<solver::Column> columns;
  for (const Named& named : named_quantities({}, solver.quantities, world)) columns.push_back(named.column);
  return columns;
}

std::vector<solver::Column> surface_quantities(const solver::Sampler& sampler, const world::World& world) {
  std::vector<solver::Column> columns;
  for (const Named& named : named_quantities(sampler, world)) columns.push_back(named.column);
  return columns;
}

QuantityText::QuantityText(std::string_view text) {
  if (text.size() > k_longest)
    throw UserError("isosurface: a quantity of " + std::to_string(text.size()) + " characters; at most " +
                    std::to_string(k_longest) + " are allowed.");
  std::ranges::copy(text, text_.begin());
}

void check_quantity(const solver::Sampler& sampler, const world::World& world, const QuantityText& quantity) {
  Wanted(named_quantities(sampler, world), quantity.text());
}

solver::Lattice lattice_of(const world::World& world, double resolution) {
  solver::Lattice lattice;
  for (int d = 0; d < 3; ++d) {
    const double cells = std::max(1.0, std::nearbyint(world.size[d] / (resolution * world.spacing)));
    lattice.count[static_cast<std::size_t>(d)] = static_cast<std::int32_t>(cells);
    lattice.spacing[d] = world.size[d] / cells;
    lattice.origin[d] = world.origin[d] + 0.5 * lattice.spacing[d];
  }
  return lattice;
}

std::int64_t lattice_points(const world::World& world, double resolution) {
  std::int64_t points = 1;
  for (const std::int32_t count : lattice_of(world, resolution).count) points *= count + 2;
  return points;
}

Isosurface isosurface(solver::Sampler& sampler, const solver::FieldSets* fields, const world::World& world,
                      comm::Communicator& communicator, double time, const SurfaceRequest& request) {
  check(world, request);
  std::optional<CellSource> cells;
  if (fields != nullptr) cells.emplace(CellSource{*fields, communicator});
  const auto named = named_quantities(sampler, world);
  const bool has_colours = !request.colour.empty();
  std::vector<Wanted> wanted{{named, request.quantity.text()}};
  if (has_colours) wanted.emplace_back(named, request.colour.text());
  std::vector<LatticeQuantity> quantities;
  for (const Wanted& each : wanted) quantities.insert(quantities.end(), each.needed().begin(), each.needed().end());

  const Points points(world, request);
  const solver::Lattice &used = points.used(), &lattice = points.with_outside();
  // This rank's layers of the lattice with its outside points, and those that it has to know.
  const std::int64_t total = lattice.count[2], ranks = communicator.size(), rank = communicator.rank();
  const solver::Layers own{static_cast<std::int32_t>(total * rank / ranks),
                           static_cast<std::int32_t>(total * (rank + 1) / ranks)};
  const solver::Layers with_next{own.first, std::min(own.last + (own.count() > 0 ? 1 : 0), lattice.count[2])};
  const std::int32_t beside = has_colours ? k_colour_passes : 0;
  solver::Layers known{std::max(0, with_next.first - 1 - beside), std::min(used.count[2], with_next.last - 1 + beside)};
  if (known.count() < 0 || own.count() == 0) known = {};

  auto needed = points.values(sampler, cells ? &*cells : nullptr, quantities, known);
  std::vector<std::vector<float>> values;
  std::size_t taken = 0;
  for (const Wanted& each : wanted) {
    values.push_back(each.from(std::span(needed).subspan(taken, each.needed().size())));
    taken += each.needed().size();
  }
  if (has_colours) fill_outwards(values[1], used, known.count(), k_colour_passes);
  Isosurface made;
  if (request.bins > 0) {
    const std::size_t layer = used.points_of_layer();
    const std::int32_t first = std::max(known.first, own.first - 1), last = std::min(known.last, own.last - 1);
    made.histogram = histogram_of(
        last > first ? std::span<const float>(values[0]).subspan(static_cast<std::size_t>(first - known.first) * layer,
                                                                 static_cast<std::size_t>(last - first) * layer)
                     : std::span<const float>{},
        request.bins, communicator);
  }
  const auto with_outside = [&](const std::vector<float>& of) { return surrounded(of, known, used, with_next); };
  const SurfaceLayers part =
      cut_layers({lattice.count[0], lattice.count[1], with_next.count()}, own.count(), with_outside(values[0]),
                 has_colours ? with_outside(values[1]) : std::vector<float>{}, static_cast<float>(request.level));

  const auto signs = comm::gather_values(communicator, std::span<const std::uint64_t>(part.signs), "surfaces").second;
  auto cuts = comm::gather_values(communicator, std::span<const std::uint8_t>(part.cuts), "surfaces").second;
  const auto colours = comm::gather_values(communicator, std::span<const float>(part.colours), "surfaces").second;
  if (!communicator.is_root()) return made;
  Surface surface;
  surface.signs = Signs(lattice.count);
  std::ranges::copy(signs, surface.signs.bits().begin());
  surface.cuts = std::move(cuts);
  if (has_colours) set_colours(surface, colours);
  surface.stride = request.stride;
  surface.origin = lattice.origin, surface.spacing = lattice.spacing;
  surface.level = request.level, surface.time = time;
  made.bytes = encode(surface);
  return made;
}

}  // namespace eddyline::observe
