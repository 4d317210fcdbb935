// Measurements of a run: counters, times, messages, and the share of each rank.
#include <string>
#include <utility>
#include <vector>

#include "base/timers.hpp"
#include "bindings/conversions.hpp"
#include "bindings/simulation/simulation.hpp"
#include "driver/leader.hpp"

namespace eddyline::bindings {

using driver::Leader;
using namespace nb::literals;

namespace {

nb::object value_of(const solver::Counter& counter) {
  switch (counter.kind) {
    case solver::Counter::Kind::whole: return nb::int_(counter.whole);
    case solver::Counter::Kind::real: return nb::float_(counter.real);
    case solver::Counter::Kind::flag: return nb::bool_(counter.whole != 0);
  }
  return nb::none();
}

/// Counters by name; "lazy.every" is the entry `every` of a dict `lazy`.
nb::dict statistics(const Leader& s) {
  const driver::Statistics stats = s.statistics();
  nb::dict out;
  for (const solver::Counter& counter : stats.counters) {
    const std::string name(counter.name);
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) {
      out[name.c_str()] = value_of(counter);
      continue;
    }
    const std::string table = name.substr(0, dot);
    if (!out.contains(table.c_str())) out[table.c_str()] = nb::dict();
    nb::cast<nb::dict>(out[table.c_str()])[name.substr(dot + 1).c_str()] = value_of(counter);
  }
  out["instructions"] = stats.instructions;
  out["threads"] = stats.threads;
  out["ranks"] = stats.ranks;
  nb::dict seconds;
  for (const auto& [name, value] : stats.seconds) seconds[name.c_str()] = value;
  out["seconds"] = seconds;
  if (!stats.exchange.measured.empty()) {
    nb::dict trials, measured;
    for (const auto& [name, value] : stats.exchange.measured) measured[name.c_str()] = value;
    trials["taken"] = stats.exchange.taken;
    trials["measured"] = measured;
    out["exchange"] = trials;
  }
  return out;
}

nb::list shares(const Leader& s) {
  const auto sets = s.own().solver().fields().sets();
  nb::list all;
  for (const solver::RankShare& share : s.shares()) {
    nb::dict one, seconds;
    for (std::size_t k = 0; k < sets.size(); ++k) one[std::string(sets[k].members).c_str()] = share.members[k];
    one["migrants"] = share.migrants;
    one["memory_bytes"] = share.memory_bytes;
    one["neighbors"] = share.neighbors;
    one["messages"] = share.messages;
    one["bytes"] = share.bytes;
    one["messages_between_sites"] = share.messages_between;
    one["bytes_between_sites"] = share.bytes_between;
    one["sizes"] = nb::cast(std::vector<std::int64_t>(share.sizes.begin(), share.sizes.end()));
    for (std::size_t p = 0; p < k_phase_names.size(); ++p) seconds[k_phase_names[p].data()] = share.seconds[p];
    one["seconds"] = seconds;
    all.append(one);
  }
  return all;
}

/// Moments (n, 2) and names of the phases of each rank.
nb::list timeline(const Leader& s) {
  nb::list all;
  for (const auto& laps : s.timeline()) {
    std::vector<double> moments;
    nb::list phases;
    for (const Lap& lap : laps) {
      moments.insert(moments.end(), {lap.begin, lap.end});
      phases.append(k_phase_names[static_cast<std::size_t>(lap.phase)].data());
    }
    all.append(nb::make_tuple(give(std::move(moments), {laps.size(), 2}), phases));
  }
  return all;
}

/// Names of halos; exchanges: (n, 4) step, halo, rebuild, group; messages: (m, 4) group, from, to, bytes.
nb::tuple traffic(const Leader& s) {
  const comm::TrafficLog log = s.traffic();
  std::vector<std::int64_t> exchanges, messages;
  for (const auto& each : log.exchanges)
    exchanges.insert(exchanges.end(), {each.step, each.halo, each.rebuild, each.group});
  for (const auto& each : log.messages) messages.insert(messages.end(), {each.group, each.from, each.to, each.bytes});
  return nb::make_tuple(log.halos, give(std::move(exchanges), {log.exchanges.size(), 4}),
                        give(std::move(messages), {log.messages.size(), 4}));
}

}  // namespace

void bind_measurements(SimulationClass& simulation) {
  simulation.def("shares", shares)
      .def("keep_timeline", &Leader::keep_timeline, "laps"_a, nb::call_guard<nb::gil_scoped_release>())
      .def("timeline", timeline)
      .def("keep_traffic", &Leader::keep_traffic, nb::call_guard<nb::gil_scoped_release>())
      .def("traffic", traffic)
      .def("statistics", statistics);
}

}  // namespace eddyline::bindings
