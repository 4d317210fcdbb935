// Isosurfaces: computed by a simulation, and read again.
#include <cstring>

#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "driver/leader.hpp"
#include "driver/make_solver.hpp"
#include "observe/isosurface/codec.hpp"
#include "observe/isosurface/isosurface.hpp"
#include "observe/isosurface/mesh.hpp"

namespace eddyline::bindings {

using driver::Leader;
using namespace nb::literals;

namespace {

nb::list quantities(const Leader& simulation) {
  const auto& own = simulation.own();
  return columns_of(observe::surface_quantities(own.sampler(), own.solver().world()));
}

void check(const Leader& simulation, const std::string& quantity) {
  const auto& own = simulation.own();
  observe::check_quantity(own.sampler(), own.solver().world(), observe::QuantityText(quantity));
}

nb::tuple isosurface(const Leader& simulation, const std::string& quantity, double level, const std::string& color,
                     double resolution, int stride, int bins) {
  observe::SurfaceRequest request;
  request.quantity = observe::QuantityText(quantity);
  request.colour = observe::QuantityText(color);
  check(simulation, quantity);
  if (!color.empty()) check(simulation, color);
  request.level = level;
  request.resolution = resolution, request.stride = stride, request.bins = bins;
  observe::Isosurface made;
  {
    nb::gil_scoped_release release;
    made = simulation.isosurface(request);
  }
  return nb::make_tuple(nb::bytes(made.bytes.data(), made.bytes.size()), made.histogram.low, made.histogram.high,
                        give(std::move(made.histogram.counts)));
}

nb::dict decode(const nb::bytes& bytes) {
  observe::Surface surface;
  observe::Mesh mesh;
  const auto coded = content(bytes);
  {
    nb::gil_scoped_release release;
    surface = observe::decode(coded);
    mesh = observe::mesh_of(surface);
  }
  std::vector<double> vertices(3 * mesh.vertices.size());
  for (std::size_t k = 0; k < mesh.vertices.size(); ++k)
    for (int d = 0; d < 3; ++d) vertices[3 * k + static_cast<std::size_t>(d)] = mesh.vertices[k][d];
  std::vector<std::uint32_t> triangles(3 * mesh.triangles.size());
  if (!triangles.empty())
    std::memcpy(triangles.data(), mesh.triangles.data(), triangles.size() * sizeof(std::uint32_t));
  nb::dict out;
  out["time"] = surface.time;
  out["level"] = surface.level;
  out["stride"] = surface.stride;
  out["vertices"] = give(std::move(vertices), {mesh.vertices.size(), 3});
  out["triangles"] = give(std::move(triangles), {mesh.triangles.size(), 3});
  out["cuts"] = give(std::move(surface.cuts));
  out["colors"] = give(std::move(surface.colours));
  out["color_range"] = nb::make_tuple(surface.colour_low, surface.colour_high);
  return out;
}

}  // namespace

void bind_surfaces(nb::module_& module) {
  module.attr("SURFACE_HEADER") = observe::k_surface_header;
  module.def("surface_quantities", quantities, "simulation"_a);
  module.def(
      "surface_units",
      [](const world::World& world) { return columns_of(observe::surface_quantities(driver::describe(world), world)); },
      "world"_a);
  module.def("check_surface_quantity", check, "simulation"_a, "quantity"_a);
  module.def("isosurface", isosurface, "simulation"_a, "quantity"_a, "level"_a, nb::kw_only(), "color"_a = "",
             "resolution"_a = 1.0, "stride"_a = 1, "bins"_a = 0);
  module.def("decode_surface", decode, "surface"_a);
  module.def(
      "surface_body_size", [](const nb::bytes& header) { return observe::body_size(content(header)); }, "header"_a);
  module.def("surface_lattice_points", observe::lattice_points, "world"_a, "resolution"_a);
}

}  // namespace eddyline::bindings
