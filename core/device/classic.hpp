#pragma once
// The scheme classic on a device: the block operations of a time step, see Flow. Bodies rest.

#include <cstdint>
#include <span>
#include <vector>

#include "device/flow.hpp"
#include "physics/classic/sweeps.hpp"
#include "physics/classic/update.hpp"

namespace eddyline::device {

/// Numbers of the update of a whole step.
struct CorrectFactors {
  physics::classic::UpdateFactors update;
  physics::classic::RowUnits units;
  physics::classic::Soundness sound;
  domain::SideWalls sides;
  Vec3 gravity;
  Vec3 force;       // external acceleration, to which formulas add, see Flow::set_force()
  double time = 0;  // of these formulas
  bool free_surface = false;
  std::int32_t bodies = 0;  // number of their boxes, see Flow::set_bodies()
};

/// Numbers of the extrapolation to walls. volume: dx^D.
struct WallFactors {
  physics::StateEquation state{};
  double volume = 1;
  bool free_surface = false;
};

/// A particle that may have entered a body: the host decides. heat: what the contact turns into heat.
struct Entrant {
  std::int64_t particle = 0;
  Vec3 x, v;
  double a2 = 0, heat = 0;  // a2: squared acceleration
};

template <class T, int D>
class Classic : public Flow<T, D> {
 public:
  static constexpr const char* k_scheme = "classic";
  // Arrays of the fluid: numbers u; values s_rate, u_rate, v_rate, and then the same of the evaluation before.
  static constexpr int k_numbers = 1, k_values = 2 * D + 4;
  static constexpr int k_results = D + 2;  // arrays of sums that do not take the place of rates
  static constexpr int k_row_width = physics::classic::k_fluid_width<D>,
                       k_wall_width = physics::classic::k_wall_width<D>;

  /// Sets the share of each dummy particle that counts, and its volume, after upload_walls().
  virtual void set_wall_volumes(std::span<const double> share, std::span<const double> volume) = 0;

  virtual void write_midpoint_rows(const physics::classic::RowUnits& units,
                                   const physics::classic::MidpointPrediction& prediction) = 0;
  /// `in`: its numbers count, and its pointers are those of the device.
  virtual void extrapolate_to_walls(physics::classic::SweepInput<T> in, const WallDrive<T, D>& drive,
                                    const WallFactors& factors) = 0;
  virtual void sum_rates(physics::classic::SweepInput<T> in, physics::classic::Terms terms) = 0;
  /// The update of the whole step. Returns particles about which the host decides; they wait for finish().
  virtual std::vector<Entrant> correct(const CorrectFactors& factors) = 0;
  virtual void finish(const std::vector<Entrant>& checked, const CorrectFactors& factors) = 0;
  /// Reactions on dummy particles, into the host's arrays.
  virtual void sum_reactions(physics::classic::SweepInput<T> in, bool gas, T* const* pressure, T* const* viscous) = 0;
};

}  // namespace eddyline::device
