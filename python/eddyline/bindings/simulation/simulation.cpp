// Simulation: how it is made, advanced and ended.
#include <exception>
#include <memory>
#include <string>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "bindings/simulation/simulation.hpp"
#include "comm/single_process.hpp"
#include "driver/leader.hpp"
#include "solver/execution_options.hpp"

namespace eddyline::bindings {

using comm::Communicator;
using driver::Leader;
using namespace nb::literals;

namespace {

nb::dict details(const solver::Diagnosis& d) {
  nb::dict out;
  out["id"] = d.id;
  out["step"] = d.step;
  out["time"] = d.time;
  out["reason"] = d.reason;
  out["position"] = to_triple(d.position);
  out["velocity"] = to_triple(d.velocity);
  out["acceleration"] = to_triple(d.acceleration);
  out["density"] = d.density;
  nb::list neighbors;
  for (const auto& n : d.neighbors) {
    nb::dict entry;
    entry["id"] = n.id;
    entry["distance"] = n.distance;
    entry["position"] = to_triple(n.position);
    entry["velocity"] = to_triple(n.velocity);
    entry["density"] = n.density;
    neighbors.append(entry);
  }
  out["neighbors"] = neighbors;
  return out;
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

/// Steps that fail raise StepError, whose `details` say what the first bad particle was.
void bind_step_error(nb::module_& module) {
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
}

}  // namespace

void bind_simulation(nb::module_& module) {
  bind_step_error(module);
  SimulationClass simulation(module, "Simulation");
  simulation
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
      .def("interrupt", &Leader::interrupt)
      .def("end", &Leader::end, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("dimensions", [](const Leader& s) { return s.own().solver().world().dimensions; })
      .def_prop_ro("threads", [](const Leader& s) { return s.own().solver().threads(); })
      .def_prop_ro("time", [](const Leader& s) { return s.own().solver().clock().time; })
      .def_prop_ro("step_count", [](const Leader& s) { return s.own().solver().clock().steps; })
      .def_prop_ro("time_step", [](const Leader& s) { return s.own().solver().next_time_step(); });
  bind_fields(simulation);
  bind_output(simulation);
  bind_changes(simulation);
  bind_checkpoints(simulation);
  bind_measurements(simulation);
}

}  // namespace eddyline::bindings
