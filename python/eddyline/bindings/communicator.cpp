// The ranks of a run.
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "comm/collectives.hpp"
#include "comm/connect.hpp"
#include "comm/wait.hpp"

namespace eddyline::bindings {

using comm::Communicator;
using namespace nb::literals;

namespace {

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

}  // namespace

void bind_communicator(nb::module_& module) {
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
}

}  // namespace eddyline::bindings
