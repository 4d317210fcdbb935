#pragma once
// The values that openings impose, controlled by means over the fluid in front of them.

#include <cstdint>
#include <span>
#include <vector>

#include "base/reproducible_sum.hpp"
#include "comm/communicator.hpp"
#include "domain/node_fits.hpp"
#include "domain/openings.hpp"
#include "solvers/sph/state/constants.hpp"
#include "world/world.hpp"

namespace eddyline::sph {

using domain::k_slope_layer;
using domain::NodeFits;
using domain::Opening;
using domain::Openings;

/// Controls the pace of inflows, and pressure and velocities of outflows. All constructor arguments must outlive it.
template <int D>
class OpeningRules {
 public:
  OpeningRules(const world::World& world, const Constants& constants, Openings<D>& openings, const NodeFits<D>& fits,
               comm::Communicator& communicator)
      : world_(world), constants_(constants), openings_(openings), fits_(fits), communicator_(communicator) {}

  /// Updates openings from the fits at time t, after a step of dt, 0 at the start. `at_rest` while a start settles.
  /// Collective.
  void apply(double t, double dt, bool at_rest);
  /// Measures sound at the sites of streams, from the fits, after a step of dt, 0 at the start.
  void measure_sound(double dt);

 private:
  /// The fluid in front of an opening, averaged over its wet sites.
  struct Means {
    double speed = 0;                   // outwards [m/s]
    double pressure = 0;                // above the imposed pressure [Pa]
    double slope = 0;                   // of the pressure, outwards [Pa/m]
    double pace = 1;                    // inflow: factor at which it carries the mass of the imposed stream
    double mass_flow = 0, carried = 0;  // inflow: now, and the total of particles
    bool full = false;                  // outflow: true if all sites are wet
    double wave = 0;  // with a free surface: speed of gravity waves that are long compared with its depth [m/s]
  };

  void measure(double t);
  void add_site(const Opening<D>& opening, std::int64_t site, double t, std::span<ReproducibleSum> sums) const;
  Means means_of(const Opening<D>& opening, std::span<const ReproducibleSum> sums) const;
  void rule_inflow(Opening<D>& opening, const Means& means, double dt) const;
  void rule_outflow(Opening<D>& opening, const Means& means, double t, double dt, bool at_rest) const;
  bool imposes_level(const Opening<D>& opening, double t) const;
  double hole_width(const Opening<D>& opening) const;
  double long_wave(const Opening<D>& opening, std::int64_t wet) const;

  const world::World& world_;
  const Constants& constants_;
  Openings<D>& openings_;
  const NodeFits<D>& fits_;
  comm::Communicator& communicator_;
  std::vector<ReproducibleSum> sums_;  // of all openings
  std::vector<Means> means_;           // of each
};

}  // namespace eddyline::sph
