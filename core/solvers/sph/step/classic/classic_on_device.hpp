#pragma once

#include <vector>

#include "device/classic.hpp"
#include "solvers/sph/step/classic/classic_update.hpp"
#include "solvers/sph/step/device/state_on_device.hpp"

namespace eddyline::sph {

/// The operations of ClassicStep on a device, with the numbers that they need from the flow. The host decides about
/// particles that may have entered a body.
template <class T, int D>
class ClassicOnDevice final : public StateOnDevice<T, D> {
 public:
  using SweepInput = physics::classic::SweepInput<T>;

  /// Throws UserError if the device is missing, or has too little memory.
  ClassicOnDevice(Parts<T, D>& parts, const ClassicUpdate<T, D>& update, const Contact& contact,
                  const ExternalForcing<D>& forcing);

  void write_midpoint_rows(const MidpointPrediction& prediction) {
    device_.write_midpoint_rows(update_.row_units(), prediction);
  }
  /// The drift at the midpoint.
  neighbors::Drift measure_drift() { return device_.measure_drift(0, false, 1); }
  /// t: the time of the midpoint.
  void extrapolate_to_walls(const SweepInput& in, double t);
  void sum_rates(const SweepInput& in, physics::classic::Terms terms) { device_.sum_rates(in, terms); }
  void react(const SweepInput& in);
  void correct(const MidpointPrediction& prediction, double damping);

 private:
  using StateOnDevice<T, D>::state_, StateOnDevice<T, D>::scratch_, StateOnDevice<T, D>::contact_,
      StateOnDevice<T, D>::forcing_;

  device::HostFluid<T, D> host_fluid() override;
  device::HostWalls<T> host_walls() override;
  neighbors::PairData<T>& rows_of_kind(device::RowKind kind) override;
  void upload_further() override;
  void adopt(const device::StepMaxima& maxima) override;
  void check_contact(std::vector<device::Entrant>& entrants);

  const ClassicUpdate<T, D>& update_;
  device::Classic<T, D>& device_;
};

}  // namespace eddyline::sph
