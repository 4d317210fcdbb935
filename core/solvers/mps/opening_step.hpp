#pragma once
// Openings in a time step: what buffers impose on the fluid.

#include <array>
#include <cstdint>
#include <vector>

#include "domain/node_fits.hpp"
#include "domain/openings.hpp"
#include "solvers/mps/pressure.hpp"

namespace eddyline::mps {

/// Sets the buffers of openings and their part of the pressure equation. Velocities of buffers are given: that of the
/// file at an inflow, at an outflow that of the fluid in front of it. The pressure is of two kinds:
///
/// - given, at an outflow: that of the file, continued with its slope in front of the opening. Pairs of fluid and
///   buffer keep their a_ij, with p_j known.
/// - continued, at an inflow: p_j = p_i + (g + s n) . r_ji, as at a wall that moves with the stream; s is the slope in
///   front of the opening beyond that of gravity. Pairs add to the right side only.
template <int D>
class OpeningStep {
 public:
  explicit OpeningStep(Liquid<D>& liquid);

  /// Finds the buffers' rows and the pairs of fluid with them. Called after every rebuild. Collective.
  void rebuilt();
  /// Measures the fluid, from its rows, and sets velocities of openings and given pressures at time t; after a step of
  /// dt at the highest speed `speed`. Collective.
  void set(double t, double dt, double speed, bool at_rest);
  /// Velocity of particle i of a buffer, as set() found it.
  Vec3 velocity_of(std::size_t i) const;
  /// Takes the buffers out of the equation and puts what they impose into it. `p`: by row.
  void complete(PressureEquation<D>& equation, Array<double>& p);
  /// Sets the pressures of buffers, after a solve, and in their rows.
  void set_pressures();
  /// Corrects the sums of gradients for pressures that are continued.
  void complete_gradient(Array<float> (&sum)[D]) const;
  /// Finds the forces of the buffers on the fluid, as walls exert theirs, with the viscosity `nu`, and takes the
  /// buffers out of the rows. Called last in a step, before the forces on walls are summed. Collective.
  void find_forces(double nu);

 private:
  enum Kind : std::uint8_t { k_free, k_continued, k_given };
  struct BufferPair {
    std::int32_t from;  // row of the buffer's particle
    std::array<double, D> r;
    double B, A;
  };
  /// A particle of a buffer, or one of the fluid with its pairs: from `first` to that of the next target.
  struct Target {
    std::int64_t particle;
    std::int32_t row, first;
  };

  void find_fits();
  void measure(double dt, double speed);
  void set_velocities(double t, bool at_rest);
  void find_pair(std::int32_t row, BufferPair& pair) const;
  double pressure_of(const BufferPair& pair, double p) const;
  Vec3 drive_of(std::int32_t row) const;

  Liquid<D>& liquid_;
  domain::NodeFits<D> fits_;
  std::int64_t shared_ = -1;  // number of partitions of the domain when fits_ was set up
  std::vector<ReproducibleSum> sums_;
  std::vector<double> mean_speed_;  // outwards, of each opening
  std::vector<double> given_;       // pressure of each member of a buffer
  Array<std::uint8_t> kind_;        // of each row and of the sentinel
  Array<std::uint8_t> opening_;     // of each row: 1 + its opening
  std::vector<Target> targets_;
  std::vector<BufferPair> pairs_;
};

}  // namespace eddyline::mps
