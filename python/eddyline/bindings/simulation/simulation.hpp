#pragma once
// The parts of the class Simulation, each defined in a file of its own.

#include <nanobind/nanobind.h>

#include "driver/leader.hpp"

namespace eddyline::bindings {

using SimulationClass = nanobind::class_<driver::Leader>;

void bind_fields(SimulationClass& simulation);
void bind_output(SimulationClass& simulation);
void bind_changes(SimulationClass& simulation);
void bind_checkpoints(SimulationClass& simulation);
void bind_measurements(SimulationClass& simulation);

}  // namespace eddyline::bindings
