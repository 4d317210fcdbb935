#pragma once
// Inflow and outflow. Beyond each opening lies a buffer of particles. They have rows like any fluid, but their velocity
// and pressure are set and not computed. Particles enter or leave a buffer at rebuilds only; there new particles are
// inserted at the far end of an inflow's buffer and particles are removed at the far end of an outflow's.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/arrays.hpp"
#include "base/parallel_for.hpp"
#include "base/reproducible_sum.hpp"
#include "comm/communicator.hpp"
#include "domain/far_field.hpp"
#include "domain/migrate.hpp"
#include "particles/openings.hpp"
#include "world/world.hpp"

namespace eddyline::domain {

/// Layers of nodes, counted inwards: the opening's own, and the layer for the slope of the pressure.
inline constexpr std::int32_t k_slope_layer = 2, k_outflow_layers = k_slope_layer + 1;

/// Returns the nearest number from 0 to `last`. A value that is not a number becomes 0; the doctor finds it at the end
/// of the step.
inline double within(double place, std::int32_t last) {
  return std::min(std::max(0.0, place), static_cast<double>(last));
}

/// An opening and its state. Sites are the points from which particles are injected; sites and nodes stand still. SI
/// units.
template <int D>
struct Opening {
  world::Opening world;
  particles::OpeningSites sites;
  std::int32_t first_node = 0,
               layers = 0;  // layers of nodes inside the fluid, for an inflow as many as in the buffer
  std::vector<std::array<double, D>> velocity;  // of the buffer at each site, if this rank has cells at it [m/s]
  double pace = 1;                              // inflow: speed over the imposed one, see measure_inflow()
  double allowed_depth = 0;    // inflow: largest distance beyond it at which particles became fluid [m]
  bool is_here = true;         // whether this rank has cells at it or in its buffer
  double pressure = 0;         // outflow: pressure of its buffer above the imposed one [Pa]
  double reference_speed = 0;  // outflow: running mean of the speed through it [m/s];
                               // stream: depth beyond it at which fluid is removed [m]
  double lead = 0;             // outflow: excess speed from the fit or the surface level [m/s];
                               // stream: mass that should have entered by its velocity [kg/m]
  double slope = 0;            // running mean of the pressure's outward gradient [Pa/m]
  /// Sound at a site of a stream, of rho0 c0^2: running mean of the pressure, and the excess over it.
  struct Sound {
    double mean = 0, wave = 0;
  };
  std::vector<Sound> sound;  // at each site; empty before the start

  /// Highest inward speed of an inflow.
  double fastest() const {
    double most = 0;
    for (const auto& v : velocity) most = std::max(most, sites.inward * v[static_cast<std::size_t>(sites.axis)]);
    return most;
  }

  /// Velocity of a particle in the buffer: that of its site, or interpolated between sites in an outflow.
  std::array<double, D> velocity_of(std::int64_t id, const Vec3& x) const;

  // Values of this rank; the opening's are sums over ranks.
  ReproducibleSum mass_flow;                // into the flow, at the sites [kg/s, kg/(m s) in 2D]
  std::array<ReproducibleSum, D> force;     // of the buffer on the fluid, if requested [N, N/m in 2D]
  ReproducibleSum mass;                     // total that has entered the flow [kg, kg/m in 2D]
  std::array<ReproducibleSum, D> momentum;  // total that has entered the flow [kg m/s, kg/s in 2D]
};

/// All openings of a world. The fluid is a state with id, x, v, buffer and for_each_array(). Decides which particles
/// are in which buffer, and which enter and leave.
template <int D>
class Openings {
 public:
  explicit Openings(const world::World& world);

  bool empty() const { return all_.empty(); }
  std::vector<Opening<D>>& all() { return all_; }
  const std::vector<Opening<D>>& all() const { return all_; }

  /// The axis normal to all openings; -1 if there is no common one.
  int common_axis() const {
    int axis = all_.empty() ? -1 : all_.front().sites.axis;
    for (const auto& opening : all_) axis = opening.sites.axis == axis ? axis : -1;
    return axis;
  }
  /// Number of nodes. They are numbered by opening, layer and site.
  std::int32_t nodes() const { return nodes_; }
  Vec3 node(std::int32_t number) const;

  /// Moves particles between fluid and buffers. Fluid beyond an outflow joins its buffer; a particle that has passed an
  /// inflow becomes fluid, and the next of its site is inserted one buffer length upstream. A stream takes fluid that
  /// leaves through it; where it flows outwards, the last particle of a site becomes the first. Decisions use the
  /// places of particles after the time `ahead` [s], half the time to the next call, so that on average particles
  /// change at the opening.
  /// mass(i): that of a particle [kg, kg/m in 2D].
  template <class Fluid, class Mass>
  void pass(Fluid& fluid, double ahead, Mass&& mass);
  /// Tells whether particle i has reached the end of an outflow's buffer, or has left through a stream.
  template <class Fluid>
  bool is_spent(const Fluid& fluid, std::size_t i) const;
  /// Finds the buffers' particles, in the order of the fluid.
  template <class Fluid>
  void find_members(const Fluid& fluid);
  const Array<std::int32_t>& members() const { return members_; }

  FarField<D>& far_field() { return far_field_; }
  const FarField<D>& far_field() const { return far_field_; }

  /// Adds the state of openings to a checkpoint.
  void save(ArchiveWriter& archive) const;
  /// Gives all ranks what only ranks at an opening know, before cells change ranks. Collective.
  void share(comm::Communicator& communicator);
  /// Restores the state; the root provides the first part. Collective.
  void restore(const std::vector<ArchiveReader>& parts, comm::Communicator& communicator);

 private:
  /// Buffer number of fluid that has left through a stream, until it is removed.
  static constexpr std::uint8_t k_left_through_stream = 255;

  static bool take_flow(Opening<D>& opening, const std::vector<ArchiveReader>& parts);
  static void share_sites(Opening<D>& opening, bool known, comm::Communicator& communicator);

  std::vector<Opening<D>> all_;
  FarField<D> far_field_;
  std::int32_t nodes_ = 0;
  Array<std::int32_t> members_, entering_;
  SparseIterations sparse_;  // particles that pass an opening, or are in buffers
};

template <int D>
template <class Fluid, class Mass>
void Openings<D>::pass(Fluid& fluid, double ahead, Mass&& mass) {
  const std::int64_t n = fluid.size();
  const auto count = [&](Opening<D>& opening, std::size_t i, double sign) {
    opening.mass.add(sign * mass(i));
    for (int d = 0; d < D; ++d) opening.momentum[static_cast<std::size_t>(d)].add(sign * mass(i) * fluid.v[d][i]);
  };
  for (auto& opening : all_) opening.allowed_depth = std::max(opening.allowed_depth, ahead * opening.fastest());
  entering_.resize(0);
  const auto place = [&](std::size_t i) {
    Vec3 x = vector_of(fluid.x, i);
    for (std::size_t d = 0; d < D; ++d) x[d] += ahead * fluid.v[d][i];
    return x;
  };
  const auto outflow_of = [&](std::size_t i) {  // the outflow that the particle has passed
    return std::ranges::find_if(
        all_, [&, x = place(i)](const auto& opening) { return !opening.world.inflow && opening.sites.is_through(x); });
  };
  const auto stream_of = [&](std::size_t i) {  // in its corners as well
    return std::ranges::find_if(all_, [&, x = place(i)](const auto& opening) {
      return opening.world.stream && opening.sites.depth(x) > opening.reference_speed &&
             opening.sites.inward * fluid.v[opening.sites.axis][i] < 0;
    });
  };
  const auto is_at_end = [&](std::size_t i) {
    const auto& opening = all_[fluid.buffer[i] - 1u];
    return opening.world.stream && opening.sites.depth(place(i)) > opening.sites.length();
  };
  const auto enters = [&](std::size_t i) {
    const auto& opening = all_[fluid.buffer[i] - 1u];
    return opening.world.inflow && !(opening.sites.depth(place(i)) > 0);
  };
  const bool has_streams = std::ranges::any_of(all_, [](const auto& opening) { return opening.world.stream; });
  sparse_.find(n, 1e-9, [&](std::size_t i) {
    if (fluid.buffer[i] != 0) return enters(i) || is_at_end(i);
    return outflow_of(i) != all_.end() || (has_streams && stream_of(i) != all_.end());
  });
  sparse_.for_each([&](std::size_t i) {
    if (fluid.buffer[i] == 0) {
      if (const auto outflow = outflow_of(i); outflow != all_.end()) {
        fluid.buffer[i] = static_cast<std::uint8_t>(outflow - all_.begin() + 1);
        count(*outflow, i, -1);
      } else if (const auto stream = stream_of(i); stream != all_.end()) {
        fluid.buffer[i] = k_left_through_stream;
        count(*stream, i, -1);
      }
    } else if (enters(i)) {
      count(all_[fluid.buffer[i] - 1u], i, 1);
      entering_.push_back(static_cast<std::int32_t>(i));
    } else if (is_at_end(i)) {
      const auto& sites = all_[fluid.buffer[i] - 1u].sites;
      fluid.x[sites.axis][i] += sites.inward * sites.length();
    }
  });
  fluid.for_each_array([&](auto& array) { array.resize(static_cast<std::size_t>(n) + entering_.size()); });
  for (std::size_t e = 0; e < entering_.size(); ++e) {
    const auto from = static_cast<std::size_t>(entering_[e]), to = static_cast<std::size_t>(n) + e;
    const auto& sites = all_[fluid.buffer[from] - 1u].sites;
    copy_particle([&](auto&& visit) { fluid.for_each_array(visit); }, from, to);
    fluid.id[to] += sites.columns;  // the count is the id's last part
    fluid.x[sites.axis][to] -= sites.inward * sites.length();
    fluid.buffer[from] = 0;
  }
}

template <int D>
template <class Fluid>
bool Openings<D>::is_spent(const Fluid& fluid, std::size_t i) const {
  if (fluid.buffer[i] == 0) return false;
  if (fluid.buffer[i] == k_left_through_stream) return true;
  const auto& opening = all_[fluid.buffer[i] - 1u];
  return !opening.world.inflow && opening.sites.depth(vector_of(fluid.x, i)) > opening.sites.length();
}

template <int D>
template <class Fluid>
void Openings<D>::find_members(const Fluid& fluid) {
  members_.resize(0);
  if (all_.empty()) return;
  const auto is_member = [&](std::size_t i) { return fluid.buffer[i] != 0; };
  sparse_.find(fluid.size(), 1e-9, is_member);
  sparse_.for_each([&](std::size_t i) {
    if (is_member(i)) members_.push_back(static_cast<std::int32_t>(i));
  });
}

}  // namespace eddyline::domain
