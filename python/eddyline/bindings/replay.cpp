// Replays of recorded exchanges.
#include "exchange/replay.hpp"

#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"

namespace eddyline::bindings {

using namespace nb::literals;

namespace {

/// (n, 3), in C order.
using Table = nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

exchange::Script script_of(const Table& exchanges, const std::vector<Table>& groups) {
  exchange::Script script;
  for (std::size_t n = 0; n < exchanges.shape(0); ++n)
    script.exchanges.push_back({exchanges(n, 0), exchanges(n, 1), exchanges(n, 2)});
  for (const Table& group : groups) {
    auto& neighbors = script.groups.emplace_back();
    for (std::size_t k = 0; k < group.shape(0); ++k)
      neighbors.push_back({static_cast<int>(group(k, 0)), static_cast<std::size_t>(group(k, 1)),
                           static_cast<std::size_t>(group(k, 2))});
  }
  return script;
}

nb::dict replay(comm::Communicator& communicator, const std::string& name, const Table& exchanges,
                const std::vector<Table>& groups, double compute, double most_seconds) {
  exchange::Script script = script_of(exchanges, groups);
  script.compute = compute;
  exchange::Replayed done;
  {
    nb::gil_scoped_release release;
    done = exchange::replay(communicator, name, script, most_seconds);
  }
  std::vector<double> moments;
  for (const auto& each : done.exchanges) moments.insert(moments.end(), {each.begin, each.end, each.waiting});
  const std::size_t prepared = done.prepared.size();
  nb::dict out;
  out["moments"] = give(std::move(moments), {done.exchanges.size(), 3});
  out["prepared"] = give(std::move(done.prepared), {prepared});
  out["wrong"] = done.wrong;
  return out;
}

}  // namespace

void bind_replay(nb::module_& module) {
  module.def("replay_names", exchange::replay_names);
  module.def("replay", replay, "communicator"_a, "name"_a, "exchanges"_a, "groups"_a, nb::kw_only(), "compute"_a = 0.0,
             "most_seconds"_a);
}

}  // namespace eddyline::bindings
