#pragma once
// The flow on one backend, see Flow: what both schemes do. Included by the backends only.

#include <algorithm>
#include <array>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "device/buffer.hpp"
#include "device/drift.hpp"
#include "device/flow.hpp"
#include "device/force_formulas.hpp"
#include "device/memory.hpp"
#include "device/ranks_on.hpp"
#include "device/rebuild_on.hpp"
#include "device/rows.hpp"
#include "device/sides.hpp"
#include "device/walls.hpp"

namespace eddyline::device {

using neighbors::k_chunk;

/// Scheme: Delta<T, D> or Classic<T, D>.
template <class Backend, class T, int D, class Scheme>
class FlowOn : public Scheme {
 public:
  explicit FlowOn(Backend backend) : backend_(std::move(backend)) {}

  std::string name() const override { return backend_.name(); }
  std::size_t bytes() const override {
    std::size_t all = 0;
    const_cast<FlowOn*>(this)->for_each_buffer([&](std::size_t bytes) { all += bytes; });
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
  void download_walls(const HostWalls<T>& walls) override;
  void download_places(const FixedPoint& fixed, double* const* place) override;

  void set_bodies(std::span<const std::array<Vec3, 2>> boxes) override {
    std::vector<Vec3> corners;
    for (const auto& box : boxes) corners.insert(corners.end(), box.begin(), box.end());
    corners_.upload(corners);
  }
  void set_force(const std::vector<std::vector<world::formula::Instruction>>& formulas) override;

  void gather_midpoint_rows() override { copy_images<k_row>(rows_); }
  neighbors::Drift measure_drift(float remaining, bool walls_move, float share) override;
  StepMaxima maxima() override;

  void fetch_sent(RowKind kind, T* to) override {
    if (kind == RowKind::midpoint) fluid_travels_.template fetch<k_row, k_row>(rows_.parts(), to);
    if (kind == RowKind::walls) walls_travel_.template fetch<k_wall, k_wall>(wall_rows_.parts(), to);
  }
  void put_received(RowKind kind, const T* from) override {
    if (kind == RowKind::midpoint) fluid_travels_.template put<k_row, k_row>(rows_.parts(), from);
    if (kind == RowKind::walls) walls_travel_.template put<k_wall, k_wall>(wall_rows_.parts(), from);
  }

 protected:
  template <class X>
  using Memory = Buffer<Backend, X>;
  using Rows = RowMemory<Backend, T, D>;
  static constexpr int k_row = Scheme::k_row_width, k_wall = Scheme::k_wall_width;
  static constexpr std::size_t k_axes = D;

  template <class X>
  std::array<Memory<X>, k_axes> make() {
    return make_buffers<X, k_axes>(backend_);
  }
  static std::size_t axis(int d) { return static_cast<std::size_t>(d); }
  /// A number of particles, in whole chunks.
  static std::int64_t whole(std::int64_t count) { return (count + k_chunk - 1) / k_chunk * k_chunk; }

  /// Calls visit(bytes) for each array. Schemes add theirs.
  virtual void for_each_buffer(const std::function<void(std::size_t)>& visit);

  /// Brings the numbers that loops raise to the host. Whatever waits for one of them gets all.
  const StepNumbers& fetch_numbers() {
    numbers_.download(&found_, 1);
    found_is_new_ = true;
    return found_;
  }
  void clear_numbers() {
    numbers_.clear();
    drift_is_clear_ = true, found_is_new_ = false;
  }

  WallArrays<T, D> walls() const;
  /// Takes over velocities of walls and forces on the fluid there.
  WallArrays<T, D> driven_walls(const WallDrive<T, D>& drive);
  DriftArrays<D> drift() const;
  std::size_t count_beside(const HostSides& sides);
  template <int Width>
  void copy_images(Rows& rows) {
    backend_.for_each(static_cast<std::int64_t>(rows.images.size()),
                      CopyRows<T, D, Width>{rows.parts(), rows.images.data()});
  }
  void copy_wall_images() { copy_images<k_wall>(wall_rows_); }

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
    rows_.rest.resize(rows * neighbors::rest_of(k_row));
  }
  /// The memory of rows of the fluid, or more, for a rebuild, which needs no rows.
  void* spare(std::size_t bytes) {
    if (bytes <= rows_.first.size() * sizeof(T)) return rows_.first.data();
    spare_.resize((bytes + sizeof(double) - 1) / sizeof(double));
    return spare_.data();
  }

  /// Sets the input of sums for particles of the fluid, or for dummy particles.
  template <class Input>
  void set_fluid_targets(Input& in) const {
    set_targets(in, rows_, n_);
    in.fluid_neighbors = fluid_fluid_.chunks.data();
    in.wall_neighbors = fluid_wall_.chunks.data();
  }
  template <class Input>
  void set_wall_targets(Input& in) const {
    set_targets(in, wall_rows_, walls_count_);
    in.fluid_neighbors = wall_fluid_.chunks.data();
    in.wall_neighbors = nullptr;
  }
  template <class Input>
  static void set_targets(Input& in, const Rows& rows, std::int64_t count) {
    in.targets.slot = rows.slot.data();
    in.targets.count = count;
    in.targets.sentinel = rows.count;
  }

  Backend backend_;
  std::int64_t n_ = 0, walls_count_ = 0;
  std::size_t near_count_ = 0;    // particles that a body may touch,
  std::size_t beside_count_ = 0;  // and those about which the host may decide at sides

  RebuildOn<Backend, T, D> rebuild_{backend_};
  TravellersOn<Backend, T> fluid_travels_{backend_}, walls_travel_{backend_};
  Memory<std::int64_t> id_{backend_};
  Memory<double> mass_{backend_}, s_{backend_};
  std::array<Memory<double>, k_axes> x_ = make<double>(), v_ = make<double>();
  std::array<Memory<double>, Scheme::k_numbers> further_ = make_buffers<double, Scheme::k_numbers>(backend_);
  std::array<Memory<T>, Scheme::k_values> values_ = make_buffers<T, Scheme::k_values>(backend_);
  std::array<Memory<T>, Scheme::k_results> results_ = make_buffers<T, Scheme::k_results>(backend_);
  Memory<std::uint8_t> surface_{backend_}, near_walls_{backend_}, no_slip_{backend_}, is_wet_{backend_};
  Memory<T> reaction_{backend_};
  Rows rows_{backend_}, wall_rows_{backend_};
  ListMemory<Backend> fluid_fluid_{backend_}, fluid_wall_{backend_}, wall_fluid_{backend_};
  std::array<Memory<float>, k_axes> lower_ = make<float>(), upper_ = make<float>(), moved_by_ = make<float>();
  std::array<Memory<T>, k_axes> wall_v_ = make<T>(), g_ = make<T>();
  Memory<std::int32_t> moving_{backend_};
  Memory<Vec3> corners_{backend_};
  Memory<InflowPlane> inflows_{backend_};
  Memory<world::formula::Instruction> code_{backend_};
  ForceFormulas formulas_;
  Memory<StepNumbers> numbers_{backend_};
  StepNumbers found_;          // by the host,
  bool found_is_new_ = false;  // with the maxima of the last step
  bool drift_is_clear_ = false;
  Memory<double> spare_{backend_};
};

}  // namespace eddyline::device

#include "device/flow_on_state.hpp"
#include "device/flow_on_step.hpp"
