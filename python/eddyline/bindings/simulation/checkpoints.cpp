// Checkpoints and checksums of a simulation.
#include <cstddef>
#include <vector>

#include "bindings/conversions.hpp"
#include "bindings/simulation/simulation.hpp"
#include "driver/leader.hpp"

namespace eddyline::bindings {

using driver::Leader;
using namespace nb::literals;

namespace {

nb::object big_integer(const solver::Checksum& sum) {
  return nb::module_::import_("builtins")
      .attr("int")(nb::int_(sum.high))
      .attr("__lshift__")(64)
      .attr("__or__")(nb::int_(sum.low));
}

}  // namespace

void bind_checkpoints(SimulationClass& simulation) {
  simulation
      .def(
          "save",
          [](Leader& s, int rank) {
            std::vector<std::byte> part;
            {
              nb::gil_scoped_release release;
              part = s.save(rank);
            }
            return bytes_of(part);
          },
          "rank"_a = 0)
      .def(
          "restore",
          [](Leader& s, const nb::iterator& parts) {
            nb::iterator at = parts;
            s.restore([&at] {
              if (at == nb::iterator::sentinel()) return std::vector<std::byte>{};
              const auto part = nb::cast<nb::bytes>(*at);
              const auto own = content(part);
              ++at;
              return std::vector<std::byte>(own.begin(), own.end());
            });
          },
          "parts"_a)
      .def("checksum", [](const Leader& s) { return big_integer(s.checksum()); })
      .def("keep_checksums", &Leader::keep_checksums, "every"_a)
      .def("take_checksums", [](Leader& s) {
        nb::list all;
        for (const auto& [step, sum] : s.take_checksums()) all.append(nb::make_tuple(step, big_integer(sum)));
        return all;
      });
}

}  // namespace eddyline::bindings
