// Output of a simulation: series and pictures.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bindings/conversions.hpp"
#include "bindings/simulation/simulation.hpp"
#include "driver/leader.hpp"
#include "observe/raster.hpp"

namespace eddyline::bindings {

using driver::Leader;
using namespace nb::literals;

namespace {

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

std::vector<solver::Raster> draw(const Leader& s, const std::vector<std::string>& names, std::pair<int, int> shape,
                                 const Triple& lower, const Triple& upper, const std::array<int, 3>& axes) {
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
  const solver::Plane plane{shape.second, shape.first, to_vec(lower), to_vec(upper), axes};
  nb::gil_scoped_release release;
  return s.rasters(quantities, plane);
}

nb::list known_rasters(const Leader& s, const std::vector<std::string>& names, std::pair<int, int> shape,
                       const Triple& lower, const Triple& upper, const std::array<int, 3>& axes) {
  nb::list known;
  for (auto& raster : draw(s, names, shape, lower, upper, axes))
    known.append(nb::make_tuple(give(std::move(raster.known)), give(std::move(raster.values))));
  return known;
}

Owned<float> rasters(const Leader& s, const std::vector<std::string>& names, std::pair<int, int> shape,
                     const Triple& lower, const Triple& upper, const std::array<int, 3>& axes) {
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

}  // namespace

void bind_output(SimulationClass& simulation) {
  simulation.def_prop_ro("quantities", [](const Leader& s) { return columns_of(s.own().sampler().quantities()); })
      .def_prop_ro("probe_columns", [](const Leader& s) { return columns_of(s.own().sampler().probe_columns()); })
      .def("take_series", take_series)
      .def("rasters", rasters, "quantities"_a, "shape"_a, "lower"_a, "upper"_a, "axes"_a = std::array{0, 1, 2})
      .def("known_rasters", known_rasters, "quantities"_a, "shape"_a, "lower"_a, "upper"_a,
           "axes"_a = std::array{0, 1, 2});
}

}  // namespace eddyline::bindings
