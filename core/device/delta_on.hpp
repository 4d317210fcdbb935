#pragma once
// The scheme delta on one backend, see Delta. Included by the backends only.

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "device/buffer.hpp"
#include "device/delta.hpp"
#include "device/drift.hpp"
#include "device/memory.hpp"
#include "device/openings_on.hpp"
#include "device/ranks_on.hpp"
#include "device/rebuild_on.hpp"
#include "device/sums.hpp"
#include "device/terms_on.hpp"
#include "device/update.hpp"

namespace eddyline::device {

template <class Backend, class T, int D>
class DeltaOn final : public Delta<T, D> {
 public:
  explicit DeltaOn(Backend backend) : backend_(std::move(backend)) {}

  std::string name() const override { return backend_.name(); }
  std::size_t bytes() const override {
    std::size_t all = 0;
    const_cast<DeltaOn*>(this)->for_each_buffer([&](const auto& buffer) { all += buffer.bytes(); });
    return all;
  }
  std::size_t list_bytes() const override {
    std::size_t all = 0;
    for (const auto* list : {&fluid_fluid_, &fluid_wall_, &wall_fluid_})
      all += list->codes.bytes() + list->chunks.bytes();
    return all;
  }
  std::size_t free_bytes() const override { return backend_.free_bytes(); }
  std::int64_t launches() const override { return backend_.launches(); }

  void upload(const HostFluid<T, D>& fluid, const Layout<D>& layout) override;
  void upload_walls(const HostWalls<T>& walls, const WallLayout<D>& layout) override;
  bool sort(const SortFactors& by) override;
  void build_lists(float cut_squared, bool with_bodies, const HostSides& sides) override;
  void download(const HostFluid<T, D>& fluid, bool is_sorted) override;
  void download_walls(const HostWalls<T>& walls) override {
    is_wet_.download(walls.is_wet, static_cast<std::size_t>(walls_count_));
    wall_rows_.first.download(walls.rows.first, wall_rows_.first.size());
    wall_rows_.rest.download(walls.rows.rest, wall_rows_.rest.size());
  }
  void download_places(const FixedPoint& fixed, double* const* place) override;
  void set_bodies(std::span<const std::array<Vec3, 2>> boxes) override {
    std::vector<Vec3> corners;
    for (const auto& box : boxes) corners.insert(corners.end(), box.begin(), box.end());
    corners_.upload(corners);
  }

  void set_force(const std::vector<std::vector<world::formula::Instruction>>& formulas) override {
    terms_.set_force(formulas);
  }
  void set_terms(const HostProgram& pairs, const HostProgram& particles) override {
    terms_.set_terms(pairs, particles);
  }
  void sum_terms(const PairTermNumbers<T>& numbers, std::span<const TermValue> filled) override {
    terms_.sum(fluid(), fluid_fluid_.chunks.data(), numbers, filled);
  }
  void compute_forces(const ForceNumbers& numbers, std::span<const TermValue> filled) override {
    terms_.compute_forces(fluid(), numbers, filled);
  }
  void set_inflows(const std::vector<InflowPlane>& planes) override { inflows_.upload(planes); }

  void write_midpoint_rows(const RowFactors& factors) override {
    backend_.for_each(n_, WriteMidpointRows<T, D>{fluid(), factors});
  }
  void gather_midpoint_rows() override { copy_fluid_images<k_midpoint>(); }
  void move_walls_to_midpoint(const MovedWalls<T, D>& moved, std::span<const float* const> displacement) override {
    move_walls<true>(moved);
    for (int d = 0; d < D; ++d)
      moved_by_[axis(d)].upload(displacement[axis(d)], static_cast<std::size_t>(wall_rows_.real));
  }
  void move_walls_to_end(const MovedWalls<T, D>& moved) override { move_walls<false>(moved); }
  neighbors::Drift measure_drift(float remaining, bool walls_move, float share) override;

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
    copy_fluid_images<k_end>();
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
  StepMaxima maxima() override;

  void fetch_sent(RowKind kind, T* to) override {
    if (kind == RowKind::midpoint) fluid_travels_.template fetch<k_midpoint, k_midpoint>(rows_.parts(), to);
    if (kind == RowKind::end) fluid_travels_.template fetch<k_end, k_midpoint>(rows_.parts(), to);
    if (kind == RowKind::walls) walls_travel_.template fetch<k_wall, k_wall>(wall_rows_.parts(), to);
  }
  void put_received(RowKind kind, const T* from) override {
    if (kind == RowKind::midpoint) fluid_travels_.template put<k_midpoint, k_midpoint>(rows_.parts(), from);
    if (kind == RowKind::end) fluid_travels_.template put<k_end, k_midpoint>(rows_.parts(), from);
    if (kind == RowKind::walls) walls_travel_.template put<k_wall, k_wall>(wall_rows_.parts(), from);
  }

  void upload_openings(const OpeningLayout<T, D>& layout) override { openings_.upload(layout, rebuild_); }
  void download_members(double* const* x, T* const* half_g) override { openings_.download(fluid(), x, half_g); }
  void put_members(const MemberValues<T, D>& values) override { openings_.put(values, fluid()); }
  void gather_end_rows() override { copy_fluid_images<k_end>(); }
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
  using Memory = Buffer<Backend, X>;
  using Rows = RowMemory<Backend, T, D>;
  static constexpr int k_midpoint = physics::delta::k_midpoint_width<D>, k_end = physics::delta::k_end_width<D>,
                       k_wall = physics::delta::k_wall_width<D>;
  static constexpr std::size_t k_axes = D;

  template <class X>
  std::array<Memory<X>, k_axes> make() {
    return make_buffers<X, k_axes>(backend_);
  }
  static std::size_t axis(int d) { return static_cast<std::size_t>(d); }
  /// A number of particles, in whole chunks.
  static std::int64_t whole(std::int64_t count) { return (count + k_chunk - 1) / k_chunk * k_chunk; }

  /// Numbers that loops raise, in one block, so that one copy brings them to the host.
  struct Numbers {
    unsigned long long speed2 = 0, corrected2 = 0;
    unsigned int bad = 0, contacts = 0, suspects = 0, counted = 0;
    DriftMaxima drift;
  };

  /// Brings them to the host. Whatever waits for one of them gets all.
  const Numbers& fetch_numbers() {
    numbers_.download(&found_, 1);
    found_is_new_ = true;
    return found_;
  }

  template <class Visit>
  void for_each_buffer(Visit&& visit) {
    visit(id_), visit(mass_), visit(s_);
    for (auto* group : {&x_, &v_})
      for (auto& each : *group) visit(each);
    for (auto* group : {&a_, &half_g_, &viscous_, &pressure_, &shift_, &wall_v_, &g_, &moved_v_})
      for (auto& each : *group) visit(each);
    for (auto* each : {&fraction_, &dissipation_, &moved_V_, &reaction_}) visit(*each);
    for (auto* each : {&surface_, &near_walls_, &no_slip_, &is_wet_}) visit(*each);
    for (auto* rows : {&rows_, &wall_rows_}) rows->for_each_buffer(visit);
    for (auto* list : {&fluid_fluid_, &fluid_wall_, &wall_fluid_}) list->for_each_buffer(visit);
    for (auto* group : {&lower_, &upper_, &moved_by_})
      for (auto& each : *group) visit(each);
    for (auto& each : moved_x_) visit(each);
    for (auto& each : turn_) visit(each);
    rebuild_.for_each_buffer(visit), openings_.for_each_buffer(visit);
    terms_.for_each_buffer(visit), fluid_travels_.for_each_buffer(visit), walls_travel_.for_each_buffer(visit);
    visit(moving_), visit(corners_), visit(inflows_), visit(suspect_), visit(numbers_), visit(spare_);
  }

  FluidArrays<T, D> fluid() const {
    FluidArrays<T, D> f{};
    f.count = n_, f.mass = mass_.data(), f.s = s_.data();
    for (int d = 0; d < D; ++d) {
      const std::size_t k = axis(d);
      f.x[d] = x_[k].data(), f.v[d] = v_[k].data(), f.a[d] = a_[k].data(), f.half_g[d] = half_g_[k].data();
      f.viscous[d] = viscous_[k].data(), f.pressure[d] = pressure_[k].data(), f.shift[d] = shift_[k].data();
    }
    f.surface = surface_.data(), f.near_walls = near_walls_.data(), f.buffer = openings_.buffer();
    f.slot = rows_.slot.data(), f.rows = rows_.parts();
    f.volume_fraction = fraction_.data(), f.dissipation = dissipation_.data();
    return f;
  }
  WallArrays<T, D> walls() const {
    WallArrays<T, D> w{};
    w.count = walls_count_, w.no_slip = no_slip_.data(), w.is_wet = is_wet_.data();
    w.slot = wall_rows_.slot.data(), w.rows = wall_rows_.parts();
    w.can_move = wall_v_[0].size() > 0;
    for (int d = 0; d < D; ++d) w.v[d] = wall_v_[axis(d)].data();
    return w;
  }
  DriftArrays<D> drift() const {
    DriftArrays<D> all{rebuild_.cells(), rows_.cells(), wall_rows_.cells(), rebuild_.ghosts(), {}, {}, {}, {}};
    for (int d = 0; d < D; ++d) {
      const std::size_t k = axis(d);
      all.lower[d] = lower_[k].data(), all.upper[d] = upper_[k].data();
      all.from[d] = rows_.positions[k].data(), all.walls_moved[d] = moved_by_[k].data();
    }
    return all;
  }
  StepArrays step_arrays() const {
    Numbers* all = numbers_.data();
    return {&all->speed2,
            &all->corrected2,
            &all->bad,
            &all->contacts,
            &all->suspects,
            suspect_.data(),
            static_cast<unsigned int>(suspect_.size()),
            corners_.data(),
            inflows_.data(),
            {}};
  }

  std::size_t count_beside(const HostSides& sides) {
    unsigned int* const number = &numbers_.data()->counted;
    backend_.clear(number, sizeof *number);
    CountBesideSides<D> count{{}, sides, inflows_.data(), static_cast<std::int32_t>(inflows_.size()), number};
    for (int d = 0; d < D; ++d) count.x[d] = x_[axis(d)].data();
    backend_.for_each(n_, count);
    unsigned int found = 0;
    backend_.download(&found, number, sizeof found);
    return found;
  }
  template <int Width>
  void copy_fluid_images() {
    backend_.for_each(static_cast<std::int64_t>(rows_.images.size()),
                      CopyRows<T, D, Width>{rows_.parts(), rows_.images.data()});
  }
  void copy_wall_images() {
    backend_.for_each(static_cast<std::int64_t>(wall_rows_.images.size()),
                      CopyRows<T, D, k_wall>{wall_rows_.parts(), wall_rows_.images.data()});
  }

  /// Takes over an array of the fluid. All have room for whole chunks, because sweeps write these.
  template <class X>
  void put(Memory<X>& to, const X* from) {
    to.resize(static_cast<std::size_t>(whole(n_)));
    if (n_ > 0) backend_.upload(to.data(), from, static_cast<std::size_t>(n_) * sizeof(X));
  }
  /// Puts an array of the fluid in order.
  template <class X>
  void reorder(Memory<X>& array, const std::int32_t* order, void* spare) {
    auto* const sorted = static_cast<X*>(spare);
    backend_.for_each(n_, Reorder<X>{order, array.data(), sorted});
    backend_.copy(array.data(), sorted, static_cast<std::size_t>(n_) * sizeof(X));
  }
  /// Makes room for the rows of the fluid; their values are lost.
  void resize_rows() {
    const auto rows = static_cast<std::size_t>(rows_.count) + 1;
    rows_.first.resize(rows * neighbors::k_first_part);
    rows_.rest.resize(rows * neighbors::rest_of(k_midpoint));
  }
  /// The memory of rows of the fluid, or more, for a rebuild, which needs no rows.
  void* spare(std::size_t bytes) {
    if (bytes <= rows_.first.size() * sizeof(T)) return rows_.first.data();
    spare_.resize((bytes + sizeof(double) - 1) / sizeof(double));
    return spare_.data();
  }
  /// The input of sums for particles of the fluid, and of sums for dummy particles.
  DeviceInput<T> for_fluid(const SweepInput<T>& given) const {
    const RowParts<T> fluid_rows = rows_.parts(), walls = wall_rows_.parts();
    DeviceInput<T> in{given};
    in.midpoint_fluid = in.end_fluid = {fluid_rows.first, fluid_rows.rest};
    in.walls = {walls.first, walls.rest};
    in.nodes = {};
    set_targets(in, rows_, n_);
    in.fluid_neighbors = fluid_fluid_.chunks.data();
    in.wall_neighbors = fluid_wall_.chunks.data();
    return in;
  }
  DeviceInput<T> for_walls(const SweepInput<T>& given) const {
    DeviceInput<T> in = for_fluid(given);
    set_targets(in, wall_rows_, walls_count_);
    in.fluid_neighbors = wall_fluid_.chunks.data();
    in.wall_neighbors = nullptr;
    return in;
  }
  static void set_targets(DeviceInput<T>& in, const Rows& rows, std::int64_t count) {
    in.targets.slot = rows.slot.data();
    in.targets.count = count;
    in.targets.sentinel = rows.count;
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
    backend_.for_each(static_cast<std::int64_t>(moving_.size()), MoveWalls<T, D, at_midpoint>{walls(), all});
    if (at_midpoint) copy_wall_images();  // at the end, images follow the extrapolation
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

  Backend backend_;
  std::int64_t n_ = 0, walls_count_ = 0;
  std::size_t near_count_ = 0;    // particles that a body may touch,
  std::size_t beside_count_ = 0;  // and those about which the host may decide at sides

  RebuildOn<Backend, T, D> rebuild_{backend_};
  OpeningsOn<Backend, T, D> openings_{backend_};
  TermsOn<Backend, T, D> terms_{backend_};
  TravellersOn<Backend, T> fluid_travels_{backend_}, walls_travel_{backend_};
  Memory<std::int64_t> id_{backend_};
  Memory<double> mass_{backend_}, s_{backend_};
  std::array<Memory<double>, k_axes> x_ = make<double>(), v_ = make<double>();
  std::array<Memory<T>, k_axes> a_ = make<T>(), half_g_ = make<T>();
  Memory<std::uint8_t> surface_{backend_}, near_walls_{backend_}, no_slip_{backend_}, is_wet_{backend_};
  std::array<Memory<T>, k_axes> viscous_ = make<T>(), pressure_ = make<T>(), shift_ = make<T>();
  Memory<T> fraction_{backend_}, dissipation_{backend_}, reaction_{backend_};
  Rows rows_{backend_}, wall_rows_{backend_};
  ListMemory<Backend> fluid_fluid_{backend_}, fluid_wall_{backend_}, wall_fluid_{backend_};
  std::array<Memory<float>, k_axes> lower_ = make<float>(), upper_ = make<float>(), moved_by_ = make<float>();
  std::array<Memory<std::int32_t>, k_axes> moved_x_ = make<std::int32_t>();
  Memory<std::int32_t> moving_{backend_};
  std::array<Memory<T>, k_axes> wall_v_ = make<T>(), g_ = make<T>(), moved_v_ = make<T>();
  Memory<T> moved_V_{backend_};
  std::array<Memory<double>, 3> turn_ = make_buffers<double, 3>(backend_);
  Memory<Vec3> corners_{backend_};
  Memory<InflowPlane> inflows_{backend_};
  Memory<Suspect> suspect_{backend_};
  Memory<Numbers> numbers_{backend_};
  Numbers found_;              // by the host,
  bool found_is_new_ = false;  // with the maxima of the last step
  bool drift_is_clear_ = false;
  Memory<double> spare_{backend_};
};

template <class Backend, class T, int D>
neighbors::Drift DeltaOn<Backend, T, D>::measure_drift(float remaining, bool walls_move, float share) {
  if (!std::exchange(drift_is_clear_, false)) backend_.clear(&numbers_.data()->drift, sizeof(DriftMaxima));
  const auto all = drift();
  backend_.for_each(rebuild_.cell_count(), MeasureCell<T, D>{all, rows_.parts(), remaining, share, walls_move});
  backend_.for_each(rebuild_.ghost_count(), CopyCell<D>{all});
  backend_.for_each(rebuild_.cell_count(), BoundDrift<D>{all, &numbers_.data()->drift});
  const DriftMaxima found = fetch_numbers().drift;
  const auto number = [](unsigned int bits) { return __builtin_bit_cast(float, bits); };
  return {std::max(std::sqrt(number(found.approach2)), number(found.closing)), std::sqrt(number(found.moved2))};
}

template <class Backend, class T, int D>
void DeltaOn<Backend, T, D>::extrapolate_to_walls(SweepInput<T> given, const WallDrive<T, D>& drive,
                                                  bool free_surface) {
  const DeviceInput<T> in = for_walls(given);
  for (int d = 0; d < D; ++d) {
    if (!drive.v[d].empty()) wall_v_[axis(d)].upload(drive.v[d]);
    g_[axis(d)].upload(drive.g[d]);
  }
  for (std::size_t d = 0; d < 3; ++d) turn_[d].upload(drive.turn[d]);
  WallArrays<T, D> all = walls();
  for (int d = 0; d < D; ++d) all.g[d] = g_[axis(d)].data(), all.uniform_g[d] = drive.uniform_g[d];
  for (std::size_t d = 0; d < 3; ++d) all.turn[d] = turn_[d].data();
  backend_.for_each(walls_count_, ExtrapolateToWalls<T, D>{in, all, free_surface});
  copy_wall_images();
}

template <class Backend, class T, int D>
std::vector<Suspect> DeltaOn<Backend, T, D>::kick_and_shift(const ShiftFactors& factors, const RowFactors& next) {
  numbers_.clear();
  drift_is_clear_ = true, found_is_new_ = false;
  const bool with_bodies = factors.bodies > 0 && near_count_ > 0;
  suspect_.resize(std::min(static_cast<std::size_t>(n_), (with_bodies ? near_count_ : 0) + beside_count_));
  ShiftFactors by = factors;
  if (!with_bodies) by.bodies = 0;
  if (openings_.any()) openings_.discard_forces(fluid());
  StepArrays arrays = step_arrays();
  for (std::size_t d = 0; d < D && by.force_varies; ++d) arrays.force[d] = terms_.force(d);
  backend_.for_each(n_, KickAndShift<T, D>{fluid(), arrays, by, next});
  if (suspect_.size() == 0) return {};
  const Numbers& found = fetch_numbers();
  if (found.suspects > suspect_.size())
    throw std::runtime_error("more particles have come to walls than at the last rebuild could: the run cannot go on");
  std::vector<Suspect> suspects(found.suspects);
  suspect_.download(suspects.data(), suspects.size());
  return suspects;
}

template <class Backend, class T, int D>
StepMaxima DeltaOn<Backend, T, D>::maxima() {
  const Numbers& found = found_is_new_ ? found_ : fetch_numbers();
  const auto number = [](unsigned long long bits) { return __builtin_bit_cast(double, bits); };
  return {number(found.speed2), number(found.corrected2), found.bad != 0, static_cast<std::int64_t>(found.contacts)};
}

}  // namespace eddyline::device

#include "device/delta_on_state.hpp"
