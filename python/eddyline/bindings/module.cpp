#include "bindings.hpp"

NB_MODULE(_core, module) {
  module.attr("__version__") = EDDYLINE_VERSION;
  eddyline::bindings::bind_world(module);
  eddyline::bindings::bind_simulation(module);
  eddyline::bindings::bind_replay(module);
  eddyline::bindings::bind_surfaces(module);
}
