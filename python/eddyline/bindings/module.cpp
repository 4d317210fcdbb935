#include "base/errors.hpp"
#include "bindings/bindings.hpp"

NB_MODULE(_core, module) {
  module.attr("__version__") = EDDYLINE_VERSION;
  nanobind::exception<eddyline::UserError>(module, "UserError", PyExc_RuntimeError);
  eddyline::bindings::bind_formulas(module);
  eddyline::bindings::bind_shapes(module);
  eddyline::bindings::bind_meshes(module);
  eddyline::bindings::bind_world(module);
  eddyline::bindings::bind_descriptions(module);
  eddyline::bindings::bind_equations(module);
  eddyline::bindings::bind_encoding(module);
  eddyline::bindings::bind_communicator(module);
  eddyline::bindings::bind_simulation(module);
  eddyline::bindings::bind_replay(module);
  eddyline::bindings::bind_surfaces(module);
}
