#pragma once
// One function for each file that shows something of the core to Python.

#include <nanobind/nanobind.h>

namespace eddyline::bindings {

void bind_formulas(nanobind::module_& module);
void bind_shapes(nanobind::module_& module);
void bind_meshes(nanobind::module_& module);
void bind_world(nanobind::module_& module);
void bind_descriptions(nanobind::module_& module);
void bind_equations(nanobind::module_& module);
void bind_encoding(nanobind::module_& module);
void bind_communicator(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_replay(nanobind::module_& module);
void bind_surfaces(nanobind::module_& module);

}  // namespace eddyline::bindings
