#pragma once
// How much nearer particles can have come since cells were sorted or lists built.

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/arrays.hpp"
#include "neighbors/list.hpp"
#include "neighbors/pair_data.hpp"
#include "particles/cell_index.hpp"

namespace eddyline::neighbors {

/// Bounds over all particles, in quanta.
struct Drift {
  float approach = 0;  // of the distance by which two particles that are no neighbours have come nearer
  float moved = 0;     // of the distance that one has moved
};

/// Where the walls' rows will be at the end of the step, relative to where they stood: one array an axis, of the rows
/// that are no images [quanta].
struct WallDisplacement {
  Array<float> x[3];
};

/// How rows go on: from where they are, with their velocity.
template <class T>
struct PredictedPath {
  const Rows<T>* rows;
  int velocity;   // its first component's place in a row's first part
  float remaining;  // turns it into the distance still to go [quanta]

  /// Of some rows along an axis.
  struct Axis {
    const T *place, *speed;  // of each row
    float remaining;

    /// To the end of the course, from a place [quanta]. Where nothing is to come, speeds need not be known.
    float displacement(std::int32_t k, std::int32_t from) const {
      const float so_far = this->so_far(k, from);
      return remaining == 0 ? so_far : std::fma(static_cast<float>(speed[k]), remaining, so_far);
    }
    /// How far the row is from the middle of that way [quanta].
    float from_middle(std::int32_t k, std::int32_t from) const {
      return 0.5F * std::abs(std::fma(-static_cast<float>(speed[k]), remaining, so_far(k, from)));
    }
    /// To where the row is, from a place [quanta].
    float so_far(std::int32_t k, std::int32_t from) const {
      const auto here = static_cast<std::uint32_t>(Rows<T>::get_fixed(place + k));
      return static_cast<float>(static_cast<std::int32_t>(here - static_cast<std::uint32_t>(from)));
    }
  };
  /// Of a row alone.
  Axis of_row(std::int32_t row, int axis) const {
    const T* first = rows->row(row).first;
    return {first + axis, first + velocity + axis, remaining};
  }
};

/// Own cells side by side along x in a box of this rank.
struct CellRun {
  static constexpr std::int32_t k_most = 64;  // cells

  std::size_t box;
  std::int32_t first;       // cell
  std::int32_t begin, end;  // numbers of them all, see DriftBound::cells()
};

/// Compares how far particles have moved with how far those around them have: what a stream shares costs no rebuild.
///   Touching cells: the approach is at most the relative displacement.
///   One cell between them: they stand an edge apart along some axis, which is more than R + skin, so that only their
///   approach along that axis counts.
///   Farther apart: no pair can meet while nobody has moved more than R/2 + skin; the caller sees to that.
/// Ghosts take part, so that every box sees what concerns it, and the largest value is the same however the domain is
/// cut. D: dimension; T: type of pair sums.
template <class T, int D>
class DriftBound {
 public:
  /// Particles stand in these cells until they are sorted anew: others, and those with nobody around, are passed over.
  /// Until then the layout has to stay as well.
  void begin(const particles::CellLayout& layout, const particles::CellIndex& rows, const particles::CellIndex& walls);
  /// The own cells with anybody in them or around them.
  const std::vector<CellRun>& surrounded() const { return surrounded_; }
  /// Those, all around them, and what matters of others: what arrays by cell have room for.
  const particles::CellSet& cells() const { return cells_; }
  /// How far those of each cell will have moved. `from`: where the rows stood when it began. Walls have moved by that
  /// share of `walls_moved`; without it, they rest.
  void measure(const PredictedPath<T>& course, const FixedPositions& from, const WallDisplacement* walls_moved = nullptr,
               float share = 1);
  /// The same of cells of other ranks once more, on another course.
  void measure_foreign(const PredictedPath<T>& course, const FixedPositions& from,
                       const WallDisplacement* walls_moved = nullptr);
  /// How far they will have moved since they were `at`, which then becomes where they will be, beside what was expected
  /// of their headings while sound goes `time` [quanta]. False if somebody's displacement is no number, or too large
  /// for one.
  bool follow(const PredictedPath<T>& course, const ReferenceVelocities& headings, float time, FixedPositions& at,
              const WallDisplacement* walls_moved = nullptr);
  /// How fast those of each cell are expected to go, in units of the speed of sound, for find_relative_drift(). Walls go as
  /// `wall_headings` say; without them, they rest.
  void measure(const ReferenceVelocities& headings, const ReferenceVelocities* wall_headings = nullptr);
  /// For each cell of a run, the approach of its particles and those of touching cells alone, with less work: not less
  /// than it, but more where along different axes different cells around have moved most. To `approach`, and the same
  /// below, goes a number a cell.
  void find_relative_drift(const CellRun& run, float* approach) const;
  /// How much nearer they may be where their rows are than half of the approach that follow() has found, at most.
  void find_midpoint_excess(const CellRun& run, float* beside) const;
  /// As far as has been measured.
  Drift largest() const;
  std::size_t bytes() const;

 private:
  /// A cell that holds anybody, but no images: its number, and its rows.
  struct Occupied {
    std::int32_t number;
    particles::RowRange fluid, walls;
  };
  /// Numbers of a cell with images and of that whose images they are.
  struct Image {
    std::int32_t from, to;
  };
  /// Numbers of the first cells of the runs around the first cell of one.
  using RunsAround = std::array<std::int32_t, D == 2 ? 3 : 9>;

  /// Some rows, column by column, and how far they have gone, so that loops over them become vector instructions.
  struct Ways {
    static constexpr std::int32_t k_most = 512;  // rows
    T column[k_first_part][k_most];
    float along[D][k_most];
    float from_middle[k_most];

    /// Finds columns of rows, as far as a course needs them.
    void find_columns(const PredictedPath<T>& course, const particles::RowRange& rows);
    typename PredictedPath<T>::Axis axis(const PredictedPath<T>& course, int d) const {
      return {column[d], column[course.velocity + d], course.remaining};
    }
  };
  /// Of those that are occupied, cells [first, last): find(rows, ways) tells the ways of some rows. Walls have gone
  /// that share of what an array an axis says; without it, they rest.
  template <bool WithMiddle, class Number, class Find>
  void measure_cells(std::size_t first, std::size_t last, const Array<Number>* walls_moved, float share, Find&& find);
  /// The same of the displacements on a course.
  void measure_course(std::size_t first, std::size_t last, const PredictedPath<T>& course, const FixedPositions& from,
                      const WallDisplacement* walls_moved, float share);
  /// Takes a cell's part of some ways into its lowest and highest ones.
  template <bool WithMiddle>
  void take_in(const Occupied& cell, const Ways& ways, std::int32_t first, std::int32_t count);
  template <bool Ends>
  bool follow(const PredictedPath<T>& course, const ReferenceVelocities& headings, float time, FixedPositions& at,
              const WallDisplacement* walls_moved);
  bool is_empty(std::size_t number) const { return !(lower_[0][number] <= upper_[0][number]); }
  /// Calls measure(first, last) for all cells that are occupied, or for those with fluid if walls do not move.
  template <class Measure>
  void for_each_occupied(bool walls_move, Measure&& measure);
  void find_cells(const particles::CellIndex& rows, const particles::CellIndex& walls);
  void find_occupied(const particles::CellIndex& rows, const particles::CellIndex& walls);
  void copy_to_images();
  /// Squares of bounds over some cells, and what closes along an axis.
  struct Largest {
    float approach2 = 0, moved2 = 0, closing = 0;
  };
  Largest largest_of(const CellRun& run) const;
  RunsAround around(const CellRun& run) const;

  const particles::CellLayout* layout_ = nullptr;
  particles::CellSet cells_;
  particles::CellSet around_;  // while those are found
  std::vector<CellRun> surrounded_;
  std::vector<Occupied> occupied_;  // near this rank's own cells, those with fluid first
  std::size_t with_fluid_ = 0;
  std::vector<std::size_t> foreign_;  // which of those belong to other ranks
  std::vector<Image> images_;
  // By number.
  Array<float> lower_[D], upper_[D];  // of the displacements in each cell
  Array<float> from_middle_;
};

}  // namespace eddyline::neighbors
