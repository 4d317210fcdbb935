#pragma once
// The scheme delta on one backend, see Delta. Included by the backends only.

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <vector>

#include "device/delta.hpp"
#include "device/flow_on.hpp"
#include "device/openings_on.hpp"
#include "device/sums.hpp"
#include "device/terms_on.hpp"
#include "device/update.hpp"

namespace eddyline::device {

template <class Backend, class T, int D>
class DeltaOn final : public FlowOn<Backend, T, D, Delta<T, D>> {
 public:
  using Base = FlowOn<Backend, T, D, Delta<T, D>>;
  using Base::Base;

  void build_lists(float cut_squared, bool with_bodies, const HostSides& sides) override {
    if (openings_.any()) openings_.build_list(rebuild_, rows_, cut_squared);
    Base::build_lists(cut_squared, with_bodies, sides);
  }
  void set_terms(const HostProgram& pairs, const HostProgram& particles) override {
    terms_.set_terms(pairs, particles);
  }
  void sum_terms(const PairTermNumbers<T>& numbers, std::span<const TermValue> filled) override {
    terms_.sum(fluid(), fluid_fluid_.chunks.data(), numbers, filled);
  }
  void compute_forces(const ForceNumbers& numbers, std::span<const TermValue> filled) override {
    terms_.compute_forces(fluid(), formulas_, numbers, filled);
  }
  void set_inflows(const std::vector<InflowPlane>& planes) override { inflows_.upload(planes); }

  void write_midpoint_rows(const RowFactors& factors) override {
    backend_.for_each(n_, WriteMidpointRows<T, D>{fluid(), factors});
  }
  void move_walls_to_midpoint(const MovedWalls<T, D>& moved, std::span<const float* const> displacement) override {
    move_walls<true>(moved);
    for (int d = 0; d < D; ++d)
      moved_by_[axis(d)].upload(displacement[axis(d)], static_cast<std::size_t>(wall_rows_.real));
  }
  void move_walls_to_end(const MovedWalls<T, D>& moved) override { move_walls<false>(moved); }

  void sum_rates(SweepInput<T> given, FluidViscosity viscosity) override {
    const DeviceInput<T> in = for_fluid(given);
    physics::delta::RateResults<T, D> out{};
    const auto all = fluid();
    out.divergence = all.divergence(), out.diffusion = all.diffusion(), out.dissipation = all.dissipation;
    for (int d = 0; d < D; ++d) out.viscous[d] = all.viscous[d];
    if (viscosity == FluidViscosity::morris)
      backend_.for_each(whole(n_), SumRates<T, D, FluidViscosity::morris>{in, out});
    else
      backend_.for_each(whole(n_), SumRates<T, D, FluidViscosity::central>{in, out});
  }
  void kick_and_drift(const DriftFactors& factors) override {
    if (openings_.any()) openings_.discard_rates(fluid());
    backend_.for_each(n_, KickAndDrift<T, D>{fluid(), factors});
    if (openings_.any()) openings_.align(fluid());
    gather_end_rows();
  }
  void extrapolate_to_walls(SweepInput<T> given, const WallDrive<T, D>& drive, bool free_surface) override;
  void sum_forces(SweepInput<T> given, bool free_surface) override {
    const DeviceInput<T> in = for_fluid(given);
    physics::delta::ForceResults<T, D> out{};
    const auto all = fluid();
    out.surface = all.surface, out.volume_fraction = all.volume_fraction;
    for (int d = 0; d < D; ++d) out.pressure[d] = all.pressure[d], out.shift[d] = all.shift[d];
    if (free_surface)
      backend_.for_each(whole(n_), SumForces<T, D, true>{in, out});
    else
      backend_.for_each(whole(n_), SumForces<T, D, false>{in, out});
  }
  std::vector<Suspect> kick_and_shift(const ShiftFactors& factors, const RowFactors& next) override;
  void finish(const std::vector<Suspect>& checked, const ShiftFactors& factors, const RowFactors& next) override {
    suspect_.upload(checked);
    found_is_new_ = found_is_new_ && checked.empty();
    backend_.for_each(static_cast<std::int64_t>(checked.size()),
                      FinishSuspects<T, D>{fluid(), step_arrays(), factors, next});
  }

  void fetch_sent(RowKind kind, T* to) override {
    if (kind == RowKind::end) fluid_travels_.template fetch<k_end, k_row>(rows_.parts(), to);
    Base::fetch_sent(kind, to);
  }
  void put_received(RowKind kind, const T* from) override {
    if (kind == RowKind::end) fluid_travels_.template put<k_end, k_row>(rows_.parts(), from);
    Base::put_received(kind, from);
  }

  void upload_openings(const OpeningLayout<T, D>& layout) override { openings_.upload(layout, rebuild_); }
  void download_members(double* const* x, T* const* half_g) override { openings_.download(fluid(), x, half_g); }
  void put_members(const MemberValues<T, D>& values) override { openings_.put(values, fluid()); }
  void gather_end_rows() override { this->template copy_images<k_end>(rows_); }
  void sum_nodes(SweepInput<T> in, T* const* value) override { openings_.sum_nodes(for_fluid(in), value); }
  void sum_buffer_reactions(SweepInput<T> in, FluidViscosity viscosity, bool viscous, T* const* force) override {
    openings_.find_free_lists(rebuild_, walls_count_, wall_rows_, rows_);
    openings_.sum_reactions(for_fluid(in), rows_.count, viscosity, viscous, force);
  }
  void sum_viscous_reactions(SweepInput<T> given, bool confined, T* const* force) override {
    sum_reactions(given, force, [&](const auto& in, const auto& out) {
      if (confined)
        backend_.for_each(whole(walls_count_), SumViscousReactions<T, D, true>{in, out});
      else
        backend_.for_each(whole(walls_count_), SumViscousReactions<T, D, false>{in, out});
    });
  }
  void sum_pressure_reactions(SweepInput<T> given, T* const* force) override {
    sum_reactions(given, force, [&](const auto& in, const auto& out) {
      backend_.for_each(whole(walls_count_), SumPressureReactions<T, D>{in, out});
    });
  }

 private:
  template <class X>
  using Memory = typename Base::template Memory<X>;
  using Base::axis, Base::backend_, Base::beside_count_, Base::corners_, Base::fetch_numbers, Base::formulas_,
      Base::found_is_new_, Base::inflows_, Base::k_axes, Base::k_row, Base::near_count_;
  using Base::fluid_fluid_, Base::fluid_travels_, Base::moved_by_, Base::moving_, Base::n_, Base::numbers_,
      Base::reaction_, Base::rebuild_, Base::rows_, Base::wall_rows_, Base::walls_count_, Base::whole;
  static constexpr int k_end = physics::delta::k_end_width<D>;

  void for_each_buffer(const std::function<void(std::size_t)>& visit_bytes) override {
    const auto visit = [&](const auto& buffer) { visit_bytes(buffer.bytes()); };
    Base::for_each_buffer(visit_bytes);
    openings_.for_each_buffer(visit), terms_.for_each_buffer(visit);
    for (auto& each : moved_x_) visit(each);
    for (auto& each : moved_v_) visit(each);
    for (auto& each : turn_) visit(each);
    visit(moved_V_), visit(suspect_);
  }

  FluidArrays<T, D> fluid() const {
    FluidArrays<T, D> f{};
    f.count = n_, f.mass = this->mass_.data(), f.s = this->s_.data();
    for (int d = 0; d < D; ++d) {
      const std::size_t k = axis(d);
      f.x[d] = this->x_[k].data(), f.v[d] = this->v_[k].data();
      f.a[d] = this->values_[k].data(), f.half_g[d] = this->values_[k_axes + k].data();
      f.viscous[d] = this->results_[k].data(), f.pressure[d] = this->results_[k_axes + k].data();
      f.shift[d] = this->results_[2 * k_axes + k].data();
    }
    f.surface = this->surface_.data(), f.near_walls = this->near_walls_.data(), f.buffer = openings_.buffer();
    f.slot = rows_.slot.data(), f.rows = rows_.parts();
    f.volume_fraction = this->results_[3 * k_axes].data(), f.dissipation = this->results_[3 * k_axes + 1].data();
    return f;
  }
  StepArrays step_arrays() const {
    return {numbers_.data(), suspect_.data(), static_cast<unsigned int>(suspect_.size()),
            corners_.data(), inflows_.data(), {}};
  }
  /// The input of sums for particles of the fluid, and of sums for dummy particles.
  DeviceInput<T> for_fluid(const SweepInput<T>& given) const {
    const RowParts<T> fluid_rows = rows_.parts(), walls = wall_rows_.parts();
    DeviceInput<T> in{given};
    in.midpoint_fluid = in.end_fluid = {fluid_rows.first, fluid_rows.rest};
    in.walls = {walls.first, walls.rest};
    in.nodes = {};
    this->set_fluid_targets(in);
    return in;
  }
  DeviceInput<T> for_walls(const SweepInput<T>& given) const {
    DeviceInput<T> in = for_fluid(given);
    this->set_wall_targets(in);
    return in;
  }
  template <bool at_midpoint>
  void move_walls(const MovedWalls<T, D>& moved) {
    MovedArrays<T, D> all{};
    moved_V_.upload(moved.V);
    all.moving = moving_.data(), all.V = moved_V_.data();
    for (int d = 0; d < D; ++d) {
      const std::size_t k = axis(d);
      moved_x_[k].upload(moved.x[d]);
      if (at_midpoint) moved_v_[k].upload(moved.v[d]);
      all.x[d] = moved_x_[k].data(), all.v[d] = moved_v_[k].data();
    }
    backend_.for_each(static_cast<std::int64_t>(moving_.size()), MoveWalls<T, D, at_midpoint>{this->walls(), all});
    if (at_midpoint) this->copy_wall_images();  // at the end, images follow the extrapolation
  }

  template <class Sum>
  void sum_reactions(const SweepInput<T>& given, T* const* force, Sum&& sum) {
    DeviceInput<T> in = for_walls(given);
    if (openings_.any()) {
      openings_.find_free_lists(rebuild_, walls_count_, wall_rows_, rows_);
      in.fluid_neighbors = openings_.wall_free();
    }
    const auto all = static_cast<std::size_t>(whole(walls_count_));
    reaction_.resize(D * all);
    physics::delta::ReactionResults<T, D> out{};
    for (int d = 0; d < D; ++d) out.force[d] = reaction_.data() + axis(d) * all;
    sum(in, out);
    for (int d = 0; d < D; ++d)
      if (all > 0) backend_.download(force[d], out.force[d], all * sizeof(T));
  }

  OpeningsOn<Backend, T, D> openings_{backend_};
  TermsOn<Backend, T, D> terms_{backend_};
  std::array<Memory<std::int32_t>, k_axes> moved_x_ = this->template make<std::int32_t>();
  std::array<Memory<T>, k_axes> moved_v_ = this->template make<T>();
  Memory<T> moved_V_{backend_};
  std::array<Memory<double>, 3> turn_ = make_buffers<double, 3>(backend_);
  Memory<Suspect> suspect_{backend_};
};

template <class Backend, class T, int D>
void DeltaOn<Backend, T, D>::extrapolate_to_walls(SweepInput<T> given, const WallDrive<T, D>& drive,
                                                  bool free_surface) {
  const DeviceInput<T> in = for_walls(given);
  for (std::size_t d = 0; d < 3; ++d) turn_[d].upload(drive.turn[d]);
  WallArrays<T, D> all = this->driven_walls(drive);
  for (std::size_t d = 0; d < 3; ++d) all.turn[d] = turn_[d].data();
  backend_.for_each(walls_count_, ExtrapolateToWalls<T, D>{in, all, free_surface});
  this->copy_wall_images();
}

template <class Backend, class T, int D>
std::vector<Suspect> DeltaOn<Backend, T, D>::kick_and_shift(const ShiftFactors& factors, const RowFactors& next) {
  this->clear_numbers();
  const bool with_bodies = factors.bodies > 0 && near_count_ > 0;
  suspect_.resize(std::min(static_cast<std::size_t>(n_), (with_bodies ? near_count_ : 0) + beside_count_));
  ShiftFactors by = factors;
  if (!with_bodies) by.bodies = 0;
  if (openings_.any()) openings_.discard_forces(fluid());
  StepArrays arrays = step_arrays();
  for (std::size_t d = 0; d < D && by.force_varies; ++d) arrays.force[d] = terms_.force(d);
  backend_.for_each(n_, KickAndShift<T, D>{fluid(), arrays, by, next});
  if (suspect_.size() == 0) return {};
  const StepNumbers& found = fetch_numbers();
  if (found.suspects > suspect_.size())
    throw std::runtime_error("more particles have come to walls than at the last rebuild could: the run cannot go on");
  std::vector<Suspect> suspects(found.suspects);
  suspect_.download(suspects.data(), suspects.size());
  return suspects;
}

}  // namespace eddyline::device
