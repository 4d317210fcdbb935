#pragma once
// Numbers that loops on a device take by value.

#include <cstdint>

#include "base/fixed_point.hpp"
#include "base/vec.hpp"
#include "domain/side_walls.hpp"
#include "physics/delta/update.hpp"

namespace eddyline::device {

/// Parameters of the sort of the fluid.
struct SortFactors {
  FixedPoint fixed;
  double ahead = 0;                // by places so much later [s]
  bool may_leave = false;          // whether particles can leave the domain,
  Vec3 lowest = {}, highest = {};  // and where they have
};

/// Factors of rows of the midpoint of a step of length dt.
struct RowFactors {
  physics::delta::RowUnits units;
  double dt = 0;
};

/// Factors of the first half of an update, and of rows of the end of the step.
struct DriftFactors {
  physics::delta::RowUnits units;
  double dt = 0;
  double density = 0;                                // dt K c0/R
  double diffusion = 0;                              // delta
  double distance = 0;                               // c0 dt/2
  double damping_everywhere = 0, damping_below = 0;  // of sound; below: in addition, deep below a surface
  double h_c = 0, to_divergence = 0;
};

/// Factors of the second half of an update.
struct ShiftFactors {
  physics::delta::UpdateFactors update;
  physics::delta::DensityRelaxation density;
  physics::delta::Soundness sound;
  domain::SideWalls sides;
  Vec3 force;  // external acceleration, unless Delta::compute_forces() finds it for each particle
  bool force_varies = false;
  double unit = 0, to_half_g = 0, to_w = 0;
  double to_volume_fraction = 0, inverse_mass = 0, volume_fraction_offset = 0;
  double beside_wall = 0;  // [m]
  // Distances within which the host decides about particles at bodies and at sides [m]; at sides 0: only beyond them.
  double near_body = 0, near_side = 0;
  bool free_surface = false, confined = false;
  std::int32_t bodies = 0;    // number of their boxes, see Flow::set_bodies()
  bool has_openings = false;  // the host then decides about particles at the sides, too
  std::int32_t inflows = 0;   // into which fluid may go back only so far, see InflowPlane
};

/// Numbers of the sums over pairs, see physics::terms::SweepInput.
template <class T>
struct PairTermNumbers {
  double path = 0;
  T quantum = 0, half_path = 0, inverse_radius = 0, kernel = 0, slope = 0;
  T sound_speed = 0, density = 0, sound_pressure = 0, volume = 0, per_unit = 0;
  bool central = false, vector = false;
};

/// Numbers of the forces on single particles that formulas give.
struct ForceNumbers {
  Vec3 uniform;  // [m/s^2]
  double time = 0, density = 0, sound_pressure = 0;
  bool by_terms = false;
};

/// The plane of an inflow, and how far beyond it fluid may be.
struct InflowPlane {
  int axis = 0;
  double inward = 1, plane = 0, allowed_depth = 0;
};

/// The root of a jet into air: fluid at no pressure does not expand within `reach` of it.
struct JetRoot {
  Vec3 lower, upper;
  int axis = 0;
  double inward = 1, reach = 0;
};

/// Maxima of a step, as squares but for the signal speed, and counts.
struct StepMaxima {
  double speed2 = 0;
  double moved2 = 0;                     // delta: by the correction; classic: from the place at the midpoint
  double signal = 0, acceleration2 = 0;  // classic
  bool bad = false;
  std::int64_t contacts = 0;
};

}  // namespace eddyline::device
