#pragma once
// The scheme delta on a device: the state of particles, their order and lists, and the block operations of a time step.
// The host decides (time step, rebuild, stop); it sees maxima, and the state when it asks for it. Every operation
// computes the bits of the host's. T: type of pair sums, D: dimension.

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
#include "physics/delta/sweeps.hpp"
#include "physics/terms/program.hpp"
#include "world/formula/instruction.hpp"

namespace eddyline::device {

using TermStep = physics::terms::Step;
using TermValue = physics::terms::Program::Filled;

/// Largest number of variables of a program.
inline constexpr int k_most_variables = 64;

/// A program as the host has compiled it. registers: of the variables; negative: not used.
struct HostProgram {
  std::vector<TermStep> of_target, of_pair;
  std::vector<int> registers, outputs;
};

/// Arrays of the host with the state of fluid particles, in their order.
template <class T, int D>
struct HostFluid {
  std::int64_t count = 0;
  std::int64_t* id = nullptr;
  double *mass = nullptr, *s = nullptr;
  double *x[D], *v[D];
  T *a[D], *half_g[D];
  std::uint8_t* surface = nullptr;
};

/// Arrays of the host with dummy particles, and their rows, ghosts included.
template <class T>
struct HostWalls {
  std::int64_t count = 0;
  const std::uint8_t* no_slip = nullptr;
  std::uint8_t* is_wet = nullptr;
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

/// Contents of rows: values of the fluid at the midpoint of a step or at its end, or of walls.
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
  std::vector<double> turn[3];  // angular velocity [c0/R]; empty: no body turns
  T uniform_g[3] = {};
};

/// The buffers of openings, whose particles the host moves, and the nodes at which it samples the fluid.
template <class T, int D>
struct OpeningLayout {
  std::span<const std::int32_t> particles;  // of the buffers
  std::vector<std::int32_t> axis;           // of the opening of each
  const double* place[D]{};                 // across that axis [m]
  std::span<const std::uint8_t> buffer;     // of each particle of the fluid: 0: none
  std::span<const std::uint8_t> in_buffer;  // of each row of the fluid, with images
  std::vector<JetRoot> jets;
  std::int64_t node_count = 0;
  SortedRows<D> nodes;
  const T* node_rows = nullptr;  // first parts
  FixedPoint fixed;
};

/// Values of the buffers' particles that the host has set; those that are empty stay.
template <class T, int D>
struct MemberValues {
  std::vector<double> v[D], s, mass;
  std::vector<T> half_g[D];
  bool at_rest = false;                      // their acceleration becomes 0
  std::vector<std::int32_t> midpoint_place;  // D each [quanta], with
  std::vector<T> midpoint_v;                 // D each [c0]
  std::vector<T> end;                        // pressure, volume, velocity: D + 2 each
};

/// A particle near a body, at an opening or a side beside it, or at a wall with a law of friction, after its update:
/// the host decides whether it touches a wall, and slows it.
struct Suspect {
  std::int64_t particle = 0;
  std::int64_t near_bodies = 0;
  Vec3 x, v;              // new place and velocity
  Vec3 x_old;             // place before the update
  double v2 = 0, a2 = 0;  // squares before contact
};

template <class T, int D>
class Delta {
 public:
  Delta() = default;
  Delta(const Delta&) = delete;
  Delta& operator=(const Delta&) = delete;
  virtual ~Delta() = default;

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
  /// Takes over buffers and nodes, after upload().
  virtual void upload_openings(const OpeningLayout<T, D>& layout) = 0;
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
  virtual void set_terms(const HostProgram& pairs, const HostProgram& particles) = 0;
  virtual void set_inflows(const std::vector<InflowPlane>& planes) = 0;

  /// Rows of the midpoint of a step, where the step before has not written them.
  virtual void write_midpoint_rows(const RowFactors& factors) = 0;
  /// Copies rows of the midpoint to their images.
  virtual void gather_midpoint_rows() = 0;
  virtual void move_walls_to_midpoint(const MovedWalls<T, D>& moved, std::span<const float* const> displacement) = 0;
  virtual void move_walls_to_end(const MovedWalls<T, D>& moved) = 0;
  /// The largest drift since the last rebuild. remaining, share: see neighbors::DriftBound::measure().
  virtual neighbors::Drift measure_drift(float remaining, bool walls_move, float share) = 0;

  /// `in`: its numbers count, and its pointers are those of the device.
  virtual void sum_rates(physics::delta::SweepInput<T> in, physics::delta::FluidViscosity viscosity) = 0;
  /// Adds terms of pairs to the rates; filled: registers with values of this step.
  virtual void sum_terms(const PairTermNumbers<T>& numbers, std::span<const TermValue> filled) = 0;
  virtual void kick_and_drift(const DriftFactors& factors) = 0;
  virtual void extrapolate_to_walls(physics::delta::SweepInput<T> in, const WallDrive<T, D>& drive,
                                    bool free_surface) = 0;
  virtual void sum_forces(physics::delta::SweepInput<T> in, bool free_surface) = 0;
  /// Computes forces by formulas on each particle, for kick_and_shift().
  virtual void compute_forces(const ForceNumbers& numbers, std::span<const TermValue> filled) = 0;
  /// The second half of the update, and the rows of the next midpoint. Returns particles about which the host decides,
  /// see Suspect; they wait for finish().
  virtual std::vector<Suspect> kick_and_shift(const ShiftFactors& factors, const RowFactors& next) = 0;
  virtual void finish(const std::vector<Suspect>& checked, const ShiftFactors& factors, const RowFactors& next) = 0;
  /// Maxima of the last step.
  virtual StepMaxima maxima() = 0;

  /// Copies the rows that other ranks need, side by side, and takes over those that they have sent.
  virtual void fetch_sent(RowKind kind, T* to) = 0;
  virtual void put_received(RowKind kind, const T* from) = 0;

  /// Copies places and density gradients of the buffers' particles, side by side.
  virtual void download_members(double* const* x, T* const* half_g) = 0;
  virtual void put_members(const MemberValues<T, D>& values) = 0;
  /// Copies rows of the end of the step to their images.
  virtual void gather_end_rows() = 0;
  virtual void sum_nodes(physics::delta::SweepInput<T> in, T* const* value) = 0;
  /// Forces of the fluid on the buffers, viscous or of pressure.
  virtual void sum_buffer_reactions(physics::delta::SweepInput<T> in, physics::delta::FluidViscosity viscosity,
                                    bool viscous, T* const* force) = 0;

  /// Reactions on dummy particles, into the host's arrays.
  virtual void sum_viscous_reactions(physics::delta::SweepInput<T> in, bool confined, T* const* force) = 0;
  virtual void sum_pressure_reactions(physics::delta::SweepInput<T> in, T* const* force) = 0;
};

/// Devices: loops on the processor, as tests use them, or a GPU by the library at a path.
template <class T, int D>
std::unique_ptr<Delta<T, D>> make_emulated();
/// place: number of this process among those of the machine, which share its GPUs. Throws UserError if the library, the
/// driver or the GPU is missing.
template <class T, int D>
std::unique_ptr<Delta<T, D>> load_cuda(const std::string& library, int place);

}  // namespace eddyline::device
