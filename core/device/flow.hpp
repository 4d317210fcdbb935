#pragma once
// The flow on a device, for either scheme of the solver sph: the state of particles, their order and lists. The host
// decides (time step, rebuild, stop); it sees maxima, and the state when it asks for it. Every operation computes the
// bits of the host's. T: type of pair sums, D: dimension.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/vec.hpp"
#include "device/parameters.hpp"
#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "particles/cells.hpp"
#include "world/formula/instruction.hpp"

namespace eddyline::device {

/// Arrays of the host with the state of fluid particles, in their order.
template <class T, int D>
struct HostFluid {
  std::int64_t count = 0;
  std::int64_t* id = nullptr;
  double *mass = nullptr, *s = nullptr;
  double *x[D], *v[D];
  std::uint8_t* surface = nullptr;
  // Further arrays of the scheme, see its class.
  std::vector<double*> numbers;
  std::vector<T*> values;
};

/// Arrays of the host with dummy particles, and their rows, ghosts included.
template <class T>
struct HostWalls {
  std::int64_t count = 0;
  const std::uint8_t* no_slip = nullptr;
  std::uint8_t* is_wet = nullptr;  // null: not in use
  neighbors::RowParts<T> rows;
};

/// A row that repeats another beyond a periodic side.
struct RowImage {
  std::int32_t from, to;
  std::int32_t shift[3];  // quanta
};

/// The rows of a cell.
struct CellRange {
  std::int32_t cell, begin, end;
};

/// Rows of the particles of one kind, as the host has sorted them.
template <int D>
struct SortedRows {
  std::int32_t real = 0;               // without images
  std::int32_t count = 0;              // with images, without the sentinel
  std::span<const std::int32_t> slot;  // row of each particle; empty: its number
  std::vector<CellRange> cells;        // those with particles, without images
  const std::int32_t* positions[D]{};  // by which rows are sorted, without images [quanta]
};

/// Sides of the domain and inflows at which the host decides about particles, which then wait in memory.
struct HostSides {
  bool decides = false;
  domain::SideWalls sides;
  double reach = 0;  // farthest from these and from inflows that such a particle may be at a rebuild [m]
};

/// Rows of one kind that other ranks need, and rows that they send, in the order of messages. A row may be in several.
struct Travellers {
  std::vector<std::int32_t> sent, received;
};

/// Contents of rows: values of the fluid at the midpoint of a step or at its end, or of walls. The scheme classic has
/// no rows of the end.
enum class RowKind { midpoint, end, walls };

/// The order that the host has found.
template <int D>
struct Layout {
  const particles::CellLayout* cells = nullptr;
  SortedRows<D> fluid;
  Travellers between_ranks;
};

/// The rows of walls, and which dummy particles belong to bodies that move.
template <int D>
struct WallLayout {
  SortedRows<D> rows;
  std::vector<std::int32_t> moving;
  Travellers between_ranks;
};

/// Places of moving dummy particles, in the order of WallLayout::moving.
template <class T, int D>
struct MovedWalls {
  std::vector<std::int32_t> x[D];  // [quanta]
  std::vector<T> V, v[D];          // v [c0]; used at the midpoint only
};

/// The motion and forcing of walls at the end of a step, for each dummy particle.
template <class T, int D>
struct WallDrive {
  std::vector<T> v[D];          // velocity [c0]; empty: as before
  std::vector<T> g[D];          // acceleration of the fluid relative to the wall [c0^2/R]; empty: uniform_g
  std::vector<double> turn[3];  // angular velocity [c0/R]; empty: no body turns; scheme delta
  T uniform_g[3] = {};
};

/// The common part of Delta and Classic.
template <class T, int D>
class Flow {
 public:
  Flow() = default;
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  virtual ~Flow() = default;

  /// Name of the device, as runs record it.
  virtual std::string name() const = 0;
  /// Bytes on the device, and those of lists among them.
  virtual std::size_t bytes() const = 0;
  virtual std::size_t list_bytes() const = 0;
  /// Bytes that the device has left; 0: unknown.
  virtual std::size_t free_bytes() const = 0;
  /// Loops that it has run so far.
  virtual std::int64_t launches() const = 0;

  /// Takes over the state and the order that the host has found; build_lists() completes it. Throws std::runtime_error
  /// if the device has too little memory.
  virtual void upload(const HostFluid<T, D>& fluid, const Layout<D>& layout) = 0;
  virtual void upload_walls(const HostWalls<T>& walls, const WallLayout<D>& layout) = 0;
  /// Puts the fluid in canonical order. Returns false, and leaves it as it is, if a particle leaves the domain.
  virtual bool sort(const SortFactors& by) = 0;
  /// Builds lists that reach as far as the square root of `cut_squared` [quanta], and clears the rows of the fluid.
  virtual void build_lists(float cut_squared, bool with_bodies, const HostSides& sides) = 0;
  /// Copies the state into the host's arrays; is_sorted: with what sort() has put in another order.
  virtual void download(const HostFluid<T, D>& fluid, bool is_sorted) = 0;
  virtual void download_walls(const HostWalls<T>& walls) = 0;
  /// Copies the places by which the fluid is sorted [m].
  virtual void download_places(const FixedPoint& fixed, double* const* place) = 0;

  /// Sets the corners of the bodies' bounding boxes.
  virtual void set_bodies(std::span<const std::array<Vec3, 2>> boxes) = 0;
  /// Sets the formulas of the force at a place, one for each axis; none: the force is the same everywhere.
  virtual void set_force(const std::vector<std::vector<world::formula::Instruction>>& formulas) = 0;

  /// Copies rows of the midpoint to their images.
  virtual void gather_midpoint_rows() = 0;
  /// The largest drift since the last rebuild. remaining, share: see neighbors::DriftBound::measure().
  virtual neighbors::Drift measure_drift(float remaining, bool walls_move, float share) = 0;
  /// Maxima of the last step.
  virtual StepMaxima maxima() = 0;

  /// Copies the rows that other ranks need, side by side, and takes over those that they have sent.
  virtual void fetch_sent(RowKind kind, T* to) = 0;
  virtual void put_received(RowKind kind, const T* from) = 0;
};

/// Devices: loops on the processor, as tests use them, or a GPU by the library at a path. Scheme: Delta or Classic.
template <template <class, int> class Scheme, class T, int D>
std::unique_ptr<Scheme<T, D>> make_emulated();
/// place: number of this process among those of the machine, which share its GPUs. Throws UserError if the library, the
/// driver or the GPU is missing.
template <template <class, int> class Scheme, class T, int D>
std::unique_ptr<Scheme<T, D>> load_cuda(const std::string& library, int place);

}  // namespace eddyline::device
