#pragma once

#include "integrate/contact.hpp"
#include "integrate/flow.hpp"
#include "integrate/surroundings.hpp"
#include "physics/classic/sweeps.hpp"

namespace eddyline::integrate {

/// Advances a flow in time by the scheme classic: predictor and corrector with one evaluation a step, half way. Total
/// energy (kinetic, potential, thermal) and momentum are conserved to the rounding of the pair sums.
template <class T, int D>
class ClassicStep {
 public:
  explicit ClassicStep(Flow<T, D>& flow);

  /// Rates of the start, so that the first step can predict.
  void start();
  /// One time step. `reactions`: also sum the forces on every wall particle (observers ask for them).
  void advance(bool reactions);
  /// The next time step, from the largest values of the last one; also says whether the lists will hold.
  double choose_time_step() const;

  /// Rate of the damping v' = -rate v while a start settles [1/s]; 0: none.
  double damping = 0;

 private:
  void rebuild();
  void predict_half(double dt);
  void extrapolate_to_walls(double t);
  void sum_rates();
  void react();
  void correct(double dt);
  void write_row(std::size_t i, const Vec3& x, const Vec3& v, double s, double u);
  physics::classic::SweepInput<T> input() const;
  void gather(exchange::Routes& routes, neighbors::Rows<T>& rows);

  Flow<T, D>& flow_;
  Contact contact_;
  Surroundings<D> surroundings_;
  physics::classic::Sweeps<T, D> sweeps_;
  physics::classic::Terms terms_;
};

}  // namespace eddyline::integrate
