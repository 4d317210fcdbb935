#pragma once
// One function for each folder of the core that shows something to Python.

#include <nanobind/nanobind.h>

namespace eddyline::bindings {

void bind_world(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_replay(nanobind::module_& module);
void bind_surfaces(nanobind::module_& module);

}  // namespace eddyline::bindings
