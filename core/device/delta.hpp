#pragma once
// The scheme delta on a device: the block operations of a time step, see Flow.

#include <cstdint>
#include <span>
#include <vector>

#include "device/flow.hpp"
#include "physics/delta/sweeps.hpp"
#include "physics/terms/program.hpp"

namespace eddyline::device {

using TermStep = physics::terms::Step;
using TermValue = physics::terms::Program::Filled;

/// Largest number of variables of a program.
inline constexpr int k_most_variables = 64;

/// A program as the host has compiled it. registers: of the variables; negative: not used.
struct HostProgram {
  std::vector<TermStep> of_target, of_pair;
  std::vector<int> registers, outputs;
};

/// The buffers of openings, whose particles the host moves, and the nodes at which it samples the fluid.
template <class T, int D>
struct OpeningLayout {
  std::span<const std::int32_t> particles;  // of the buffers
  std::vector<std::int32_t> axis;           // of the opening of each
  const double* place[D]{};                 // across that axis [m]
  std::span<const std::uint8_t> buffer;     // of each particle of the fluid: 0: none
  std::span<const std::uint8_t> in_buffer;  // of each row of the fluid, with images
  std::vector<JetRoot> jets;
  std::int64_t node_count = 0;
  SortedRows<D> nodes;
  const T* node_rows = nullptr;  // first parts
  FixedPoint fixed;
};

/// Values of the buffers' particles that the host has set; those that are empty stay.
template <class T, int D>
struct MemberValues {
  std::vector<double> v[D], s, mass;
  std::vector<T> half_g[D];
  bool at_rest = false;                      // their acceleration becomes 0
  std::vector<std::int32_t> midpoint_place;  // D each [quanta], with
  std::vector<T> midpoint_v;                 // D each [c0]
  std::vector<T> end;                        // pressure, volume, velocity: D + 2 each
};

/// A particle near a body, at an opening or a side beside it, or at a wall with a law of friction, after its update:
/// the host decides whether it touches a wall, and slows it.
struct Suspect {
  std::int64_t particle = 0;
  std::int64_t near_bodies = 0;
  Vec3 x, v;              // new place and velocity
  Vec3 x_old;             // place before the update
  double v2 = 0, a2 = 0;  // squares before contact
};

template <class T, int D>
class Delta : public Flow<T, D> {
 public:
  static constexpr const char* k_scheme = "delta";
  // Arrays of the fluid: values a and half_g, axis by axis.
  static constexpr int k_numbers = 0, k_values = 2 * D;
  static constexpr int k_results = 3 * D + 2;  // arrays of sums
  static constexpr int k_row_width = physics::delta::k_midpoint_width<D>,
                       k_wall_width = physics::delta::k_wall_width<D>;

  /// Takes over buffers and nodes, after upload().
  virtual void upload_openings(const OpeningLayout<T, D>& layout) = 0;
  virtual void set_terms(const HostProgram& pairs, const HostProgram& particles) = 0;
  virtual void set_inflows(const std::vector<InflowPlane>& planes) = 0;

  /// Rows of the midpoint of a step, where the step before has not written them.
  virtual void write_midpoint_rows(const RowFactors& factors) = 0;
  virtual void move_walls_to_midpoint(const MovedWalls<T, D>& moved, std::span<const float* const> displacement) = 0;
  virtual void move_walls_to_end(const MovedWalls<T, D>& moved) = 0;

  /// `in`: its numbers count, and its pointers are those of the device.
  virtual void sum_rates(physics::delta::SweepInput<T> in, physics::delta::FluidViscosity viscosity) = 0;
  /// Adds terms of pairs to the rates; filled: registers with values of this step.
  virtual void sum_terms(const PairTermNumbers<T>& numbers, std::span<const TermValue> filled) = 0;
  virtual void kick_and_drift(const DriftFactors& factors) = 0;
  virtual void extrapolate_to_walls(physics::delta::SweepInput<T> in, const WallDrive<T, D>& drive,
                                    bool free_surface) = 0;
  virtual void sum_forces(physics::delta::SweepInput<T> in, bool free_surface) = 0;
  /// Computes forces by formulas on each particle, for kick_and_shift().
  virtual void compute_forces(const ForceNumbers& numbers, std::span<const TermValue> filled) = 0;
  /// The second half of the update, and the rows of the next midpoint. Returns particles about which the host decides,
  /// see Suspect; they wait for finish().
  virtual std::vector<Suspect> kick_and_shift(const ShiftFactors& factors, const RowFactors& next) = 0;
  virtual void finish(const std::vector<Suspect>& checked, const ShiftFactors& factors, const RowFactors& next) = 0;
  /// Copies places and density gradients of the buffers' particles, side by side.
  virtual void download_members(double* const* x, T* const* half_g) = 0;
  virtual void put_members(const MemberValues<T, D>& values) = 0;
  /// Copies rows of the end of the step to their images.
  virtual void gather_end_rows() = 0;
  virtual void sum_nodes(physics::delta::SweepInput<T> in, T* const* value) = 0;
  /// Forces of the fluid on the buffers, viscous or of pressure.
  virtual void sum_buffer_reactions(physics::delta::SweepInput<T> in, physics::delta::FluidViscosity viscosity,
                                    bool viscous, T* const* force) = 0;

  /// Reactions on dummy particles, into the host's arrays.
  virtual void sum_viscous_reactions(physics::delta::SweepInput<T> in, bool confined, T* const* force) = 0;
  virtual void sum_pressure_reactions(physics::delta::SweepInput<T> in, T* const* force) = 0;
};

}  // namespace eddyline::device
