#pragma once
// One rank leads: it makes the calls of a simulation, and the other ranks join them.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "driver/simulation.hpp"

namespace eddyline::driver {

/// A simulation as the user's process sees it. On the root of several ranks it announces each collective call to the
/// other ranks, which run follow(); otherwise it calls this rank's simulation directly.
class Leader {
 public:
  explicit Leader(std::unique_ptr<Simulation> own);
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;
  /// Ends the run if end() has not.
  ~Leader();

  std::int64_t advance(double until, std::int64_t max_steps, double max_seconds);
  double change(const world::Change& change);
  void track(const std::string& name, std::int64_t id);
  void untrack(const std::string& name);
  void interrupt() { own_->interrupt(); }
  void end();
  std::vector<solver::PointRecord> records(solver::PointKind kind, std::int64_t after, std::int64_t limit) const;
  std::vector<double> values(std::size_t set, const std::string& field, std::int64_t first, std::int64_t count) const;
  solver::QuantizedParticles quantized(std::int64_t every, bool with_ids) const;
  std::vector<solver::Raster> rasters(std::span<const std::int32_t> quantities, const solver::Plane& plane) const;
  observe::Isosurface isosurface(const observe::SurfaceRequest& request) const;
  std::vector<observe::Series> take_series();
  solver::Checksum checksum() const;
  void keep_checksums(std::int64_t every);
  std::vector<std::pair<std::int64_t, solver::Checksum>> take_checksums();
  std::vector<std::byte> save(int rank);
  void restore(const std::function<std::vector<std::byte>()>& next);
  Statistics statistics() const;
  std::vector<solver::RankShare> shares() const;
  void keep_timeline(std::int64_t laps);
  std::vector<std::vector<Lap>> timeline() const;
  void keep_traffic();
  comm::TrafficLog traffic() const;

  /// This rank's simulation, for calls that are not collective.
  const Simulation& own() const { return *own_; }
  Simulation& own() { return *own_; }

 private:
  template <class Call>
  auto lead(const Call& call) const;

  std::unique_ptr<Simulation> own_;
  bool leads_, ended_ = false;
};

/// Joins the calls of the root until the run ends. Called on every rank but the root.
void follow(Simulation& own);

}  // namespace eddyline::driver
