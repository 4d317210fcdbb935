#pragma once
// Bounds on how much closer particles can have come since cells were sorted or neighbour lists were built.

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::neighbors {

/// Upper bounds over all particles, in quanta.
struct Drift {
  float relative_drift = 0;    // decrease of the distance between two particles that are not neighbours
  float max_displacement = 0;  // displacement of a particle
};

/// Displacement of the wall particles from their stored positions to the end of the step: one array per axis, for the
/// rows that are not images [quanta].
struct WallDisplacement {
  Array<float> x[3];
};

/// Predicted paths of particles: they continue from their positions with their velocities.
template <class T>
struct PredictedPath {
  const PairData<T>* rows;
  int velocity;     // index of the first velocity component in a row's first part
  float remaining;  // factor from velocity to the remaining displacement [quanta]

  /// One axis of several rows.
  struct Axis {
    const T *place, *speed;  // position and velocity of each row
    float remaining;

    /// Displacement from the position `from` to the end of the path [quanta]. If remaining is 0, velocities need not be
    /// known.
    EDDYLINE_HOST_DEVICE float displacement(std::int32_t k, std::int32_t from) const {
      const float current = current_displacement(k, from);
      return remaining == 0 ? current : std::fma(static_cast<float>(speed[k]), remaining, current);
    }
    /// Distance between the current position and the midpoint of the whole path from `from` [quanta].
    float midpoint_distance(std::int32_t k, std::int32_t from) const {
      return 0.5F * std::abs(std::fma(-static_cast<float>(speed[k]), remaining, current_displacement(k, from)));
    }
    /// Displacement from the position `from` to the current position [quanta].
    EDDYLINE_HOST_DEVICE float current_displacement(std::int32_t k, std::int32_t from) const {
      const auto here = static_cast<std::uint32_t>(PairData<T>::get_fixed(place + k));
      return static_cast<float>(static_cast<std::int32_t>(here - static_cast<std::uint32_t>(from)));
    }
  };
  /// One axis of a single row.
  Axis of_row(std::int32_t row, int axis) const {
    const T* first = rows->row(row).first;
    return {first + axis, first + velocity + axis, remaining};
  }
};

/// A run of own cells along x in one box of this rank.
struct CellRun {
  static constexpr std::int32_t k_most = 64;  // cells

  std::size_t box;
  std::int32_t first;       // cell
  std::int32_t begin, end;  // indices in DriftBound::cells() of its cells
};

/// A cell that contains particles and is not an image: its number and its rows.
struct OccupiedCell {
  std::int32_t number;
  particles::RowRange fluid, walls;
};
/// Numbers of an image cell and of the cell that it copies.
struct ImageCell {
  std::int32_t from, to;
};
/// Bounds the relative displacement of particles in nearby cells. A motion that neighbouring cells share causes no
/// rebuild.
///   Touching cells: particles approach each other by at most the relative displacement.
///   One cell in between: along some axis they are a cell edge apart, which is more than R + skin, so that only the
///   displacement along that axis counts.
///   Farther apart: no pair can meet as long as no particle has moved more than R/2 + skin; the caller checks that.
/// Ghosts are included, so that every box sees all relevant cells, and the maximum does not depend on the
/// decomposition. D: dimension; T: type of pair sums.
template <class T, int D>
class DriftBound {
 public:
  /// Sets the cells of the particles, valid until they are sorted again. Cells outside this rank's surroundings, and
  /// those without any particle around, are skipped. The layout must stay unchanged until then.
  void begin(const particles::CellLayout& layout, const particles::CellIndex& rows, const particles::CellIndex& walls);
  /// The own cells that are not empty or touch a cell that is not empty.
  const std::vector<CellRun>& active_runs() const { return active_runs_; }
  /// All cells for which per-cell arrays have entries: active_runs(), the cells around them, and relevant cells of
  /// other ranks.
  const particles::CellSet& cells() const { return cells_; }
  /// Measures the displacements in each cell at the end of the predicted path. `from`: positions of the rows at the
  /// start of the measurement. Walls have moved by `share` times `walls_moved`; if that is null, they are at rest.
  void measure(const PredictedPath<T>& path, const FixedPositions& from, const WallDisplacement* walls_moved = nullptr,
               float share = 1);
  /// Repeats the measurement for cells of other ranks with another path.
  void measure_foreign(const PredictedPath<T>& path, const FixedPositions& from,
                       const WallDisplacement* walls_moved = nullptr);
  /// Measures the displacements from `at` to the end of the path, minus those expected from the reference velocities
  /// during the time in which sound travels `time` [quanta]; then sets `at` to the end of the path. Returns false if a
  /// displacement is NaN or too large for the number format.
  bool advance(const PredictedPath<T>& path, const ReferenceVelocities& velocities, float time, FixedPositions& at,
               const WallDisplacement* walls_moved = nullptr);
  /// Measures the expected velocities in each cell, in units of the speed of sound, for find_relative_drift(). Walls
  /// move with `wall_velocities`; if that is null, they are at rest.
  void measure(const ReferenceVelocities& velocities, const ReferenceVelocities* wall_velocities = nullptr);
  /// Upper bound of the approach between the particles of each cell of a run and those of touching cells. It
  /// needs less work than largest() and is never smaller, but larger if different cells around have moved most along
  /// different axes. `approach` gets one value per cell, as do the outputs below.
  void find_relative_drift(const CellRun& run, float* approach) const;
  /// Upper bound of how much more than half of the approach found by advance() the current positions may have
  /// approached.
  void find_midpoint_excess(const CellRun& run, float* excess) const;
  /// Bounds over everything measured so far.
  Drift largest() const;
  std::size_t bytes() const;

 private:
  using Occupied = OccupiedCell;
  using Image = ImageCell;
  /// Indices of the first cells of the runs around a run's first cell.
  using RunsAround = std::array<std::int32_t, D == 2 ? 3 : 9>;

  /// Displacements of some rows, stored by column so that loops over them vectorise.
  struct RowDisplacements {
    static constexpr std::int32_t k_most = 512;  // rows
    T column[k_first_part][k_most];
    float along[D][k_most];
    float midpoint_distance[k_most];

    /// Loads the columns of the rows that the path needs.
    void find_columns(const PredictedPath<T>& path, const particles::RowRange& rows);
    typename PredictedPath<T>::Axis axis(const PredictedPath<T>& path, int d) const {
      return {column[d], column[path.velocity + d], path.remaining};
    }
  };
  /// Processes the occupied cells [first, last): find(rows, lengths) computes the displacements of some rows. Walls
  /// have moved by `share` times `walls_moved`; if that is null, they are at rest.
  template <bool WithMidpoint, class Number, class Find>
  void measure_cells(std::size_t first, std::size_t last, const Array<Number>* walls_moved, float share, Find&& find);
  /// Measures the displacements along a predicted path.
  void measure_path(std::size_t first, std::size_t last, const PredictedPath<T>& path, const FixedPositions& from,
                    const WallDisplacement* walls_moved, float share);
  /// Merges the displacements of one cell's rows into the cell's minimum and maximum.
  template <bool WithMidpoint>
  void merge(const Occupied& cell, const RowDisplacements& displacements, std::int32_t first, std::int32_t count);
  template <bool Ends>
  bool advance(const PredictedPath<T>& path, const ReferenceVelocities& velocities, float time, FixedPositions& at,
               const WallDisplacement* walls_moved);
  bool is_empty(std::size_t number) const { return !(lower_[0][number] <= upper_[0][number]); }
  /// Calls measure(first, last) for all occupied cells, or only for those with fluid if walls do not move.
  template <class Measure>
  void for_each_occupied(bool walls_move, Measure&& measure);
  void find_cells(const particles::CellIndex& rows, const particles::CellIndex& walls);
  void find_occupied(const particles::CellIndex& rows, const particles::CellIndex& walls);
  void copy_to_images();
  /// Squares of the bounds over some cells, and the largest approach along one axis.
  struct Largest {
    float approach2 = 0, moved2 = 0, closing = 0;
  };
  Largest largest_of(const CellRun& run) const;
  RunsAround around(const CellRun& run) const;

  const particles::CellLayout* layout_ = nullptr;
  particles::CellSet cells_;
  particles::CellSet around_;  // used while active_runs_ is determined
  std::vector<CellRun> active_runs_;
  std::vector<Occupied> occupied_;  // on or near this rank's own cells; cells with fluid come first
  std::size_t with_fluid_ = 0;
  std::vector<std::size_t> foreign_;  // indices in occupied_ of the cells of other ranks
  std::vector<Image> images_;
  // Indexed by cell number.
  Array<float> lower_[D], upper_[D];  // of the displacements in each cell
  Array<float> midpoint_distance_;
};

}  // namespace eddyline::neighbors
