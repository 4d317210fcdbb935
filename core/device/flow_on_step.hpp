#pragma once
// FlowOn: what steps of both schemes need. Included by flow_on.hpp.

#include <algorithm>
#include <cmath>

#include "device/flow_on.hpp"

namespace eddyline::device {

template <class Backend, class T, int D, class Scheme>
void FlowOn<Backend, T, D, Scheme>::set_force(const std::vector<std::vector<world::formula::Instruction>>& formulas) {
  std::vector<world::formula::Instruction> code;
  formulas_ = {};
  for (std::size_t d = 0; d < formulas.size(); ++d) {
    code.insert(code.end(), formulas[d].begin(), formulas[d].end());
    formulas_.begin[d + 1] = static_cast<std::int32_t>(code.size());
  }
  code_.upload(code);
  formulas_.code = code_.data();
}

template <class Backend, class T, int D, class Scheme>
neighbors::Drift FlowOn<Backend, T, D, Scheme>::measure_drift(float remaining, bool walls_move, float share) {
  if (!std::exchange(drift_is_clear_, false)) backend_.clear(&numbers_.data()->drift, sizeof(DriftMaxima));
  const auto all = drift();
  backend_.for_each(rebuild_.cell_count(), MeasureCell<T, D>{all, rows_.parts(), remaining, share, walls_move});
  backend_.for_each(rebuild_.ghost_count(), CopyCell<D>{all});
  backend_.for_each(rebuild_.cell_count(), BoundDrift<D>{all, &numbers_.data()->drift});
  const DriftMaxima found = fetch_numbers().drift;
  const auto number = [](unsigned int bits) { return __builtin_bit_cast(float, bits); };
  return {std::max(std::sqrt(number(found.approach2)), number(found.closing)), std::sqrt(number(found.moved2))};
}

template <class Backend, class T, int D, class Scheme>
DriftArrays<D> FlowOn<Backend, T, D, Scheme>::drift() const {
  DriftArrays<D> all{rebuild_.cells(), rows_.cells(), wall_rows_.cells(), rebuild_.ghosts(), {}, {}, {}, {}};
  for (int d = 0; d < D; ++d) {
    const std::size_t k = axis(d);
    all.lower[d] = lower_[k].data(), all.upper[d] = upper_[k].data();
    all.from[d] = rows_.positions[k].data(), all.walls_moved[d] = moved_by_[k].data();
  }
  return all;
}

template <class Backend, class T, int D, class Scheme>
StepMaxima FlowOn<Backend, T, D, Scheme>::maxima() {
  const StepNumbers& found = found_is_new_ ? found_ : fetch_numbers();
  const auto number = [](unsigned long long bits) { return __builtin_bit_cast(double, bits); };
  return {number(found.speed2),        number(found.moved2), number(found.signal),
          number(found.acceleration2), found.bad != 0,       static_cast<std::int64_t>(found.contacts)};
}

template <class Backend, class T, int D, class Scheme>
WallArrays<T, D> FlowOn<Backend, T, D, Scheme>::walls() const {
  WallArrays<T, D> w{};
  w.count = walls_count_, w.no_slip = no_slip_.data(), w.is_wet = is_wet_.data();
  w.slot = wall_rows_.slot.data(), w.rows = wall_rows_.parts();
  w.can_move = wall_v_[0].size() > 0;
  for (int d = 0; d < D; ++d) w.v[d] = wall_v_[axis(d)].data();
  return w;
}

template <class Backend, class T, int D, class Scheme>
WallArrays<T, D> FlowOn<Backend, T, D, Scheme>::driven_walls(const WallDrive<T, D>& drive) {
  for (int d = 0; d < D; ++d) {
    if (!drive.v[d].empty()) wall_v_[axis(d)].upload(drive.v[d]);
    g_[axis(d)].upload(drive.g[d]);
  }
  WallArrays<T, D> all = walls();
  for (int d = 0; d < D; ++d) all.g[d] = g_[axis(d)].data(), all.uniform_g[d] = drive.uniform_g[d];
  return all;
}

template <class Backend, class T, int D, class Scheme>
std::size_t FlowOn<Backend, T, D, Scheme>::count_beside(const HostSides& sides) {
  unsigned int* const number = &numbers_.data()->counted;
  backend_.clear(number, sizeof *number);
  CountBesideSides<D> count{{}, sides, inflows_.data(), static_cast<std::int32_t>(inflows_.size()), number};
  for (int d = 0; d < D; ++d) count.x[d] = x_[axis(d)].data();
  backend_.for_each(n_, count);
  unsigned int found = 0;
  backend_.download(&found, number, sizeof found);
  return found;
}

}  // namespace eddyline::device
