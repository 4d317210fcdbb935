#include "driver/leader.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/errors.hpp"
#include "comm/collectives.hpp"

namespace eddyline::driver {

namespace {

// --- calls: arguments, as they travel, and what each rank does ------------------------------------------------------

struct End {
  void run(Simulation& s) const { s.end(); }
};
struct Advance {
  double until, max_seconds;
  std::int64_t max_steps;
  auto run(Simulation& s) const { return s.advance(until, max_steps, max_seconds); }
};
struct Change {
  world::Change change;
  auto run(Simulation& s) const { return s.change(change); }
};
using Name = std::array<char, 64>;
struct Track {
  Name name;
  std::int64_t id;
  void run(Simulation& s) const { s.track(name.data(), id); }
};
struct Untrack {
  Name name;
  void run(Simulation& s) const { s.untrack(name.data()); }
};
struct Records {
  solver::PointKind kind;
  std::int64_t after, limit;
  auto run(Simulation& s) const { return s.records(kind, after, limit); }
};
struct Values {
  std::size_t set;
  std::array<char, 64> field;
  std::int64_t first, count;
  auto run(Simulation& s) const { return s.values(set, field.data(), first, count); }
};
struct Quantized {
  std::int64_t every;
  bool with_ids;
  auto run(Simulation& s) const { return s.quantized(every, with_ids); }
};
struct Rasters {
  solver::Plane plane;
  std::array<std::int32_t, solver::k_most_quantities> quantities;
  std::size_t count;
  auto run(Simulation& s) const { return s.sampler().rasters({quantities.data(), count}, plane); }
};
struct TakeIsosurface {
  observe::SurfaceRequest request;
  auto run(Simulation& s) const { return s.isosurface(request); }
};
struct TakeSeries {
  auto run(Simulation& s) const { return s.take_series(); }
};
struct TakeChecksum {
  auto run(Simulation& s) const { return s.checksum(); }
};
struct KeepChecksums {
  std::int64_t every;
  void run(Simulation& s) const { s.keep_checksums(every); }
};
struct TakeChecksums {
  auto run(Simulation& s) const { return s.take_checksums(); }
};
struct Save {
  int rank;
  auto run(Simulation& s) const { return s.save(rank); }
};
struct Restore {
  const std::function<std::vector<std::byte>()>* next;  // on the root
  void run(Simulation& s) const {
    if (s.communicator().is_root())
      s.restore(*next);
    else
      s.restore({});
  }
};
struct TakeStatistics {
  auto run(Simulation& s) const { return s.statistics(); }
};
struct Shares {
  auto run(Simulation& s) const { return s.shares(); }
};
struct KeepTimeline {
  std::int64_t laps;
  void run(Simulation& s) const { s.keep_timeline(laps); }
};
struct Timeline {
  auto run(Simulation& s) const { return s.timeline(); }
};
struct KeepTraffic {
  void run(Simulation& s) const { s.keep_traffic(); }
};
struct Traffic {
  auto run(Simulation& s) const { return s.traffic(); }
};

using Calls = std::tuple<End, Advance, Change, Track, Untrack, Records, Values, Quantized, Rasters, TakeIsosurface,
                         TakeSeries, TakeChecksum, KeepChecksums, TakeChecksums, Save, Restore, TakeStatistics, Shares,
                         KeepTimeline, Timeline, KeepTraffic, Traffic>;

/// A call as it is announced. Arguments that do not fit are sent in a second message.
struct Announcement {
  std::size_t number = 0;  // of Calls
  std::array<std::byte, 256> arguments{};
};

template <class Call, std::size_t N = 0>
constexpr std::size_t number_of() {
  if constexpr (std::is_same_v<std::tuple_element_t<N, Calls>, Call>)
    return N;
  else
    return number_of<Call, N + 1>();
}

template <class Call>
void announce(comm::Communicator& communicator, const Call& call) {
  static_assert(std::is_trivially_copyable_v<Call>);
  Announcement announcement{.number = number_of<Call>()};
  if constexpr (sizeof(Call) <= sizeof announcement.arguments)
    std::memcpy(announcement.arguments.data(), static_cast<const void*>(&call), sizeof(Call));
  comm::broadcast(communicator, announcement, 0, "command");
  if constexpr (sizeof(Call) > sizeof announcement.arguments) comm::broadcast(communicator, call, 0, "command");
}

template <class Call>
Call arguments_of(const Announcement& announcement, comm::Communicator& communicator) {
  Call call{};
  if constexpr (sizeof(Call) > sizeof announcement.arguments)
    call = comm::broadcast(communicator, call, 0, "command");
  else
    std::memcpy(static_cast<void*>(&call), announcement.arguments.data(), sizeof(Call));
  return call;
}

Name name_of(const std::string& text) {
  Name name{};
  if (text.size() >= name.size()) throw UserError("track: a name has at most 63 characters.");
  std::ranges::copy(text, name.begin());
  return name;
}

/// Runs the announced call.
template <std::size_t... N>
void join(Simulation& own, const Announcement& announcement, std::index_sequence<N...>) {
  const auto run_if = [&]<std::size_t Number>() {
    if (announcement.number == Number)
      arguments_of<std::tuple_element_t<Number, Calls>>(announcement, own.communicator()).run(own);
  };
  (run_if.template operator()<N>(), ...);
}

}  // namespace

Leader::Leader(std::unique_ptr<Simulation> own)
    : own_(std::move(own)), leads_(own_->communicator().size() > 1 && own_->communicator().is_root()) {}

Leader::~Leader() {
  if (!leads_) return;
  try {
    end();
  } catch (const std::exception&) {  // NOLINT: no rank is left to report to
  }
}

template <class Call>
auto Leader::lead(const Call& call) const {
  if (leads_) announce(own_->communicator(), call);
  return call.run(*own_);
}

void Leader::end() {
  if (!std::exchange(ended_, true)) lead(End{});
}
std::int64_t Leader::advance(double until, std::int64_t max_steps, double max_seconds) {
  return lead(Advance{until, max_seconds, max_steps});
}
double Leader::change(const world::Change& change) { return lead(Change{change}); }
void Leader::track(const std::string& name, std::int64_t id) { lead(Track{name_of(name), id}); }
void Leader::untrack(const std::string& name) { lead(Untrack{name_of(name)}); }
std::vector<solver::PointRecord> Leader::records(solver::PointKind kind, std::int64_t after, std::int64_t limit) const {
  return lead(Records{kind, after, limit});
}
std::vector<double> Leader::values(std::size_t set, const std::string& field, std::int64_t first,
                                   std::int64_t count) const {
  Values call{.set = set, .field = {}, .first = first, .count = count};
  if (field.size() >= call.field.size()) throw UserError("values: there is no field " + field + ".");
  std::ranges::copy(field, call.field.begin());
  return lead(call);
}
solver::QuantizedParticles Leader::quantized(std::int64_t every, bool with_ids) const {
  return lead(Quantized{every, with_ids});
}
std::vector<solver::Raster> Leader::rasters(std::span<const std::int32_t> quantities,
                                            const solver::Plane& plane) const {
  if (quantities.size() > solver::k_most_quantities)
    throw UserError("pictures show at most " + std::to_string(solver::k_most_quantities) + " quantities at once.");
  Rasters call{.plane = plane, .quantities = {}, .count = quantities.size()};
  std::ranges::copy(quantities, call.quantities.begin());
  return lead(call);
}
observe::Isosurface Leader::isosurface(const observe::SurfaceRequest& request) const {
  return lead(TakeIsosurface{request});
}
std::vector<observe::Series> Leader::take_series() { return lead(TakeSeries{}); }
solver::Checksum Leader::checksum() const { return lead(TakeChecksum{}); }
void Leader::keep_checksums(std::int64_t every) { lead(KeepChecksums{every}); }
std::vector<std::pair<std::int64_t, solver::Checksum>> Leader::take_checksums() { return lead(TakeChecksums{}); }
std::vector<std::byte> Leader::save(int rank) { return lead(Save{rank}); }
void Leader::restore(const std::function<std::vector<std::byte>()>& next) { lead(Restore{&next}); }
Statistics Leader::statistics() const { return lead(TakeStatistics{}); }
std::vector<solver::RankShare> Leader::shares() const { return lead(Shares{}); }
void Leader::keep_timeline(std::int64_t laps) { lead(KeepTimeline{laps}); }
std::vector<std::vector<Lap>> Leader::timeline() const { return lead(Timeline{}); }
void Leader::keep_traffic() { lead(KeepTraffic{}); }
comm::TrafficLog Leader::traffic() const { return lead(Traffic{}); }

void follow(Simulation& own) {
  comm::Communicator& communicator = own.communicator();
  for (;;) {
    const double patience = communicator.patience.exchange(0);  // the root may be drawing
    const auto announcement = comm::broadcast(communicator, Announcement{}, 0, "command");
    communicator.patience = patience;
    try {
      join(own, announcement, std::make_index_sequence<std::tuple_size_v<Calls>>{});
    } catch (const solver::StepError&) {
      continue;  // on all ranks at once: the root reports it
    } catch (const UserError&) {
      continue;
    }
    if (announcement.number == number_of<End>()) return;
  }
}

}  // namespace eddyline::driver
