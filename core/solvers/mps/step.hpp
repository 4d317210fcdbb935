#pragma once

#include <cstdint>
#include <vector>

#include "solvers/mps/opening_step.hpp"
#include "solvers/mps/pressure.hpp"

namespace eddyline::mps {

/// Results of a step that decisions rest on: the same on all ranks.
struct Control {
  double time = 0, time_step = 0;
  double speed = 0, pressure = 0;  // the largest at the end of the step
  bool good = true, stop = false;
  std::int64_t contacts = 0;  // of this rank, in all steps
  linear::Outcome solve;      // of the last step
  std::int64_t iterations = 0;
};

/// One time step, semi-implicit: pressure is implicit, all else explicit.
template <int D>
class Step {
 public:
  explicit Step(Liquid<D>& liquid);

  /// Finds neighbours and the length of the first step, from the start velocities at t = 0, else at rest. Collective.
  void start();
  /// Collective.
  void advance(bool reactions);
  /// The world has been changed between two steps.
  void world_changed();
  void save(ArchiveWriter& archive) const;
  /// After Liquid::restore(). Collective.
  void restore(const std::vector<ArchiveReader>& parts);

  Control control;
  double damping = 0;  // rate of the damping v' = -rate v while a start settles [1/s]; 0: none
  // Reactions of walls, in units of R^-1 m^2/s^2 without the factor B: of steps with reactions.
  Array<float> pressure_reaction[D], viscous_reaction[D];
  /// Friction by a law on walls, of steps with reactions: forces [N, N/m in 2D] at places of fluid.
  struct Rubbed {
    std::int32_t owner;
    Vec3 x, force, wall;  // wall: its velocity
  };
  std::vector<Rubbed> rubbed;
  /// Pressure of the fluid at wall particle k [m^2/s^2]; 0 where it is dry.
  double wall_pressure(std::size_t k) const {
    return k < wall_mean_pressure_.size() && wall_weight_[k] > 0
               ? static_cast<double>(wall_mean_pressure_[k]) / static_cast<double>(wall_weight_[k])
               : 0.0;
  }
  double friction() const { return nu_; }  // nu between fluid particles [m^2/s]
  PressureSolve<D>& pressure() { return pressure_; }
  const PressureSolve<D>& pressure() const { return pressure_; }

 private:
  void find_viscosity();
  void set_start_velocity();
  double choose_time_step() const;
  void write_rows();
  void mirror_walls();
  void sum_neighborhoods();
  void predict(double dt);
  void solve_pressure(double dt);
  void sum_gradient();
  void correct(double dt, bool reactions);
  void shift(std::size_t i, double dt, Vec3& x) const;
  void react();
  void agree();
  Vec3 gradient_of(std::size_t i) const;
  bool exceeds(std::size_t i, double t) const;

  Liquid<D>& liquid_;
  PressureSolve<D> pressure_;
  OpeningStep<D> openings_;
  std::int64_t structure_of_ = -1;  // the rebuild that the equation has been made for
  double nu_ = 0, height_ = 0;      // viscosity between fluid particles; height of the fluid along gravity at the start
  Array<double> p_;                 // by row
  VectorArray<double, D> predicted_, acceleration_;
  // Sums, in whole chunks.
  Array<float> density_, laplacian_, divergence_, walls_, lowest_;
  Array<float> concentration_[D], moment_[physics::mps::k_moments<D>], viscous_[D], gradient_[D];
  Array<float> wall_weight_, wall_mean_pressure_, wall_velocity_[D];
};

}  // namespace eddyline::mps
