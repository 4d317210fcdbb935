#pragma once
// Buffers and nodes of openings on one backend. Included by the backends only.

#include <cstdint>
#include <vector>

#include "device/memory.hpp"
#include "device/openings.hpp"
#include "device/rebuild_on.hpp"

namespace eddyline::device {

template <class Backend, class T, int D>
class OpeningsOn {
 public:
  using Rows = RowMemory<Backend, T, D>;
  using Rebuild = RebuildOn<Backend, T, D>;

  explicit OpeningsOn(Backend& backend) : backend_(backend) {}

  bool any() const { return any_; }
  std::uint8_t* buffer() const { return any_ ? buffer_.data() : nullptr; }

  void upload(const OpeningLayout<T, D>& layout, Rebuild& rebuild) {
    any_ = true, free_lists_found_ = false;
    fixed_ = layout.fixed, jets_ = layout.jets, node_count_ = layout.node_count;
    particle_.upload(layout.particles), axis_.upload(layout.axis);
    for (std::size_t d = 0; d < D; ++d) place_[d].upload(layout.place[d], layout.particles.size());
    buffer_.upload(layout.buffer), in_buffer_.upload(layout.in_buffer);
    rebuild.set_rows(layout.nodes, nodes_);
    nodes_.first.upload(layout.node_rows, (static_cast<std::size_t>(nodes_.count) + 1) * neighbors::k_first_part);
  }
  /// Builds the list of nodes over the fluid outside buffers.
  void build_list(Rebuild& rebuild, const Rows& fluid, float cut_squared) {
    cut_squared_ = cut_squared;
    build(rebuild, node_count_, nodes_, nodes_.slot.data(), fluid, node_fluid_);
  }
  /// Lists of walls and of buffers over the fluid outside buffers; they are built when forces are asked for.
  void find_free_lists(Rebuild& rebuild, std::int64_t walls, const Rows& wall_rows, const Rows& fluid) {
    if (free_lists_found_) return;
    free_lists_found_ = true;
    build(rebuild, walls, wall_rows, wall_rows.slot.data(), fluid, wall_free_);
    member_rows_.resize(particle_.size());
    if (fluid.slot.size() > 0)
      backend_.for_each(count(), GatherMembers<std::int32_t>{particle_.data(), fluid.slot.data(), member_rows_.data()});
    else
      backend_.copy(member_rows_.data(), particle_.data(), particle_.size() * sizeof(std::int32_t));
    build(rebuild, count(), fluid, member_rows_.data(), fluid, buffer_free_);
  }
  const PackedChunk* wall_free() const { return wall_free_.chunks.data(); }

  void discard_rates(const FluidArrays<T, D>& fluid) {
    backend_.for_each(count(), DiscardRates<T, D>{fluid, members()});
    for (const JetRoot& jet : jets_) backend_.for_each(fluid.count, EnforceCohesion<T, D>{fluid, jet});
  }
  void discard_forces(const FluidArrays<T, D>& fluid) {
    backend_.for_each(count(), DiscardForces<T, D>{fluid, members()});
  }
  void align(const FluidArrays<T, D>& fluid) {
    backend_.for_each(count(), AlignMembers<T, D>{fluid, members(), fixed_});
  }

  void download(const FluidArrays<T, D>& fluid, double* const* x, T* const* half_g) {
    numbers_.resize(particle_.size()), values_.resize(particle_.size());
    for (int d = 0; d < D; ++d) {
      backend_.for_each(count(), GatherMembers<double>{particle_.data(), fluid.x[d], numbers_.data()});
      numbers_.download(x[d], particle_.size());
      backend_.for_each(count(), GatherMembers<T>{particle_.data(), fluid.half_g[d], values_.data()});
      values_.download(half_g[d], particle_.size());
    }
  }
  void put(const MemberValues<T, D>& values, const FluidArrays<T, D>& fluid) {
    const auto put_one = [this]<class X>(const std::vector<X>& from, Buffer<Backend, X>& room, X* to) {
      if (from.empty()) return;
      room.upload(from);
      backend_.for_each(count(), PutMembers<X>{particle_.data(), room.data(), to});
    };
    for (int d = 0; d < D; ++d) {
      put_one(values.v[d], numbers_, fluid.v[d]);
      put_one(values.half_g[d], values_, fluid.half_g[d]);
      if (values.at_rest) put_one(std::vector<T>(particle_.size(), T(0)), values_, fluid.a[d]);
    }
    put_one(values.s, numbers_, fluid.s);
    put_one(values.mass, numbers_, fluid.mass);
    if (!values.midpoint_place.empty()) {
      places_.upload(values.midpoint_place), values_.upload(values.midpoint_v);
      backend_.for_each(count(), PutMidpointMembers<T, D>{fluid, particle_.data(), places_.data(), values_.data()});
    }
    if (!values.end.empty()) {
      values_.upload(values.end);
      backend_.for_each(count(), PutEndMembers<T, D>{fluid, particle_.data(), values_.data()});
    }
  }

  void sum_nodes(DeviceInput<T> in, T* const* value) {
    constexpr int k_values = physics::LinearFitSums<T, D>::k_values;
    const auto all = static_cast<std::size_t>(whole(node_count_));
    sums_.resize(static_cast<std::size_t>(k_values) * all);
    in.nodes = {nodes_.first.data(), nullptr};
    set_targets(in, nodes_.slot.data(), node_count_, nodes_.count);
    in.fluid_neighbors = node_fluid_.chunks.data();
    physics::NodeResults<T, D> out{};
    for (int k = 0; k < k_values; ++k) out.value[k] = sums_.data() + static_cast<std::size_t>(k) * all;
    backend_.for_each(whole(node_count_), SumNodes<T, D>{in, out});
    for (int k = 0; k < k_values; ++k)
      if (all > 0) backend_.download(value[k], out.value[k], all * sizeof(T));
  }
  /// Forces on the buffers, in whole chunks. find_free_lists() comes first.
  void sum_reactions(DeviceInput<T> in, std::int32_t sentinel, FluidViscosity viscosity, bool viscous,
                     T* const* force) {
    const std::int64_t all = whole(count());
    const auto n = static_cast<std::size_t>(all);
    sums_.resize((2 * D + 3) * n), surface_.resize(n);
    no_walls_.resize(buffer_free_.chunks.size()), no_walls_.clear();
    set_targets(in, member_rows_.data(), count(), sentinel);
    in.fluid_neighbors = buffer_free_.chunks.data(), in.wall_neighbors = no_walls_.data();
    T* const memory = sums_.data();
    const auto part = [&](int k) { return memory + static_cast<std::size_t>(k) * n; };
    if (viscous) {
      physics::delta::RateResults<T, D> out{part(D), part(D + 1), {}, part(D + 2)};
      for (int d = 0; d < D; ++d) out.viscous[d] = part(d);
      if (viscosity == FluidViscosity::morris)
        backend_.for_each(all, SumRates<T, D, FluidViscosity::morris>{in, out});
      else
        backend_.for_each(all, SumRates<T, D, FluidViscosity::central>{in, out});
    } else {
      physics::delta::ForceResults<T, D> out{};
      out.surface = surface_.data();
      out.volume_fraction = part(2 * D);
      for (int d = 0; d < D; ++d) out.pressure[d] = part(d), out.shift[d] = part(D + d);
      backend_.for_each(all, SumForces<T, D, false>{in, out});
    }
    for (int d = 0; d < D; ++d)
      if (n > 0) backend_.download(force[d], part(d), n * sizeof(T));
  }

  template <class Visit>
  void for_each_buffer(Visit&& visit) {
    visit(particle_), visit(axis_), visit(member_rows_), visit(places_), visit(buffer_), visit(in_buffer_);
    for (auto& each : place_) visit(each);
    visit(numbers_), visit(values_), visit(sums_), visit(surface_), visit(no_walls_), visit(spare_);
    nodes_.for_each_buffer(visit);
    for (auto* list : {&node_fluid_, &wall_free_, &buffer_free_}) list->for_each_buffer(visit);
  }

 private:
  template <class X>
  using Memory = Buffer<Backend, X>;

  std::int64_t count() const { return static_cast<std::int64_t>(particle_.size()); }
  static std::int64_t whole(std::int64_t n) { return (n + k_chunk - 1) / k_chunk * k_chunk; }
  MemberArrays<D> members() const {
    MemberArrays<D> all{particle_.data(), axis_.data(), {}};
    for (std::size_t d = 0; d < D; ++d) all.place[d] = place_[d].data();
    return all;
  }
  static void set_targets(DeviceInput<T>& in, const std::int32_t* slot, std::int64_t count, std::int32_t sentinel) {
    in.targets.slot = slot, in.targets.count = count, in.targets.sentinel = sentinel;
  }
  void build(Rebuild& rebuild, std::int64_t targets, const Rows& of_targets, const std::int32_t* slot,
             const Rows& fluid, ListMemory<Backend>& list) {
    spare_.resize(Rebuild::list_memory(targets, of_targets) / sizeof(double) + 1);
    rebuild.build({targets, of_targets, slot, fluid, cut_squared_, in_buffer_.data()}, spare_.data(), list);
  }

  Backend& backend_;
  bool any_ = false, free_lists_found_ = false;
  FixedPoint fixed_;
  std::vector<JetRoot> jets_;
  std::int64_t node_count_ = 0;
  float cut_squared_ = 0;
  Memory<std::int32_t> particle_{backend_}, axis_{backend_}, member_rows_{backend_}, places_{backend_};
  std::array<Memory<double>, D> place_ = make_buffers<double, D>(backend_);
  Memory<std::uint8_t> buffer_{backend_}, in_buffer_{backend_}, surface_{backend_};
  Memory<double> numbers_{backend_}, spare_{backend_};
  Memory<T> values_{backend_}, sums_{backend_};
  Memory<PackedChunk> no_walls_{backend_};
  Rows nodes_{backend_};
  ListMemory<Backend> node_fluid_{backend_}, wall_free_{backend_}, buffer_free_{backend_};
};

}  // namespace eddyline::device
