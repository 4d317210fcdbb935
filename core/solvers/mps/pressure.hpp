#pragma once
// The pressure equation of the fluid and its multigrid hierarchy.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/halo.hpp"
#include "linear/conjugate_gradients.hpp"
#include "linear/multigrid.hpp"
#include "solvers/mps/liquid.hpp"

namespace eddyline::mps {

/// A vector of one number per row as a field of a halo.
class SpanField {
 public:
  explicit SpanField(std::span<double> values) : values_(values) {}
  static constexpr std::size_t bytes() { return sizeof(double); }
  void copy(std::int32_t from, std::int32_t to, std::int32_t count, const Int3&) const {
    std::copy_n(values_.data() + from, count, values_.data() + to);
  }
  void pack(std::int32_t first, std::int32_t count, std::byte* to) const {
    std::memcpy(to, values_.data() + first, static_cast<std::size_t>(count) * sizeof(double));
  }
  void unpack(const std::byte* from, std::int32_t first, std::int32_t count, const Int3&) const {
    std::memcpy(values_.data() + first, from, static_cast<std::size_t>(count) * sizeof(double));
  }

 private:
  std::span<double> values_;
};

/// The equation d_i p_i + sum_j a_ij (p_i - p_j) = b_i over the fluid, with a_ij = a_ji >= 0, and its coarse levels:
///
/// - level 0: a particle, in the order of rows;
/// - level 1: the halves of the cells of the grid along each axis, 2^D for a cell, on the rank that owns the cell;
/// - level 2: the cells of the grid that hold fluid, and from there on 2^D cells become one; on all ranks alike.
///
/// Restriction sums, prolongation copies, and matrices are those of Galerkin, a_IJ = sum a_ij over the pairs, so that
/// each level has the form of the first. The cells are fixed in space and a particle stays in the cell that it was
/// sorted into, so that nothing depends on ranks. Source of the aggregates and of the overcorrection: Braess 1995.
template <int D>
class PressureEquation {
 public:
  explicit PressureEquation(Liquid<D>& liquid);

  /// Finds the unknowns of all levels; called after every rebuild. Collective.
  void find_structure();
  /// Memory for the entries a_ij of pairs, without the factor of A; the caller sets them.
  physics::mps::Matrix matrix() {
    return {first_entry_.data(), lengths_.data(), values_.data(), places_.data(),
            liquid_.lists_reach_far() ? nullptr : liquid_.fluid_fluid.chunks().data()};
  }
  /// d_i and b_i by row; the caller sets them.
  Array<double> own, right_side;
  /// Finds the diagonal and the coarse levels, from the matrix and d, which the smoother and multigrid need.
  /// Collective.
  void find_levels();

  /// Numbers of unknowns of the last structure on this rank.
  std::vector<std::int64_t> sizes() const;
  std::size_t bytes() const;
  const exchange::Halo& halo() const { return half_halo_; }

  // The functions that linear::Hierarchy requires.
  class Level {
   public:
    Level(PressureEquation& equation, std::size_t number) : equation_(equation), number_(number) {}
    std::size_t size() const { return equation_.size_of(number_); }
    std::size_t extent() const { return equation_.extent_of(number_); }
    void apply(std::span<double> x, std::span<double> y) { equation_.apply(number_, x, y); }

   private:
    PressureEquation& equation_;
    std::size_t number_;
  };
  class Transfer {
   public:
    Transfer(PressureEquation& equation, std::size_t number) : equation_(equation), number_(number) {}
    void coarsen(std::span<double> fine, std::span<double> coarse) { equation_.coarsen(number_, fine, coarse); }
    void refine(std::span<double> coarse, std::span<double> fine) { equation_.refine(number_, coarse, fine); }

   private:
    PressureEquation& equation_;
    std::size_t number_;
  };
  std::size_t levels() const { return levels_.size(); }
  Level& level(std::size_t k) { return levels_[k]; }
  Transfer& transfer(std::size_t k) { return transfers_[k]; }
  std::span<const double> inverse_diagonal(std::size_t k) const {
    const Array<double>& inverse = k == 0 ? inverse_ : k == 1 ? halves_.inverse : cells_[k - 2].inverse;
    return {inverse.data(), inverse.size()};
  }

 private:
  static constexpr std::int32_t power(std::int32_t base) { return D == 3 ? base * base * base : base * base; }
  static constexpr std::int32_t k_parts = power(2);  // of a cell
  static constexpr std::int32_t k_near_parts = power(5);
  static constexpr std::int32_t k_near_cells = power(3);

  /// Unknowns that share rows of equal length: d x_I + sum_k off_Ik (x_I - x_near_Ik). An entry without a neighbour
  /// names I itself and is 0.
  struct Stencils {
    std::int32_t width = 0;
    Array<double> own, off, inverse;
    Array<std::int32_t> near;

    std::size_t size() const { return own.size(); }
    void resize(std::size_t size, std::int32_t to_width) {
      width = to_width;
      own.resize(size), inverse.resize(size);
      off.resize(size * static_cast<std::size_t>(width)), near.resize(off.size());
    }
    void apply(std::span<const double> x, std::span<double> y) const;
    void invert();
    std::size_t bytes() const { return own.bytes() + off.bytes() + inverse.bytes() + near.bytes(); }
  };
  /// Cells of a coarse level on all ranks, sorted by their place in the grid.
  struct Cells : Stencils {
    std::vector<Int3> place;
    std::array<std::int32_t, 3> count{1, 1, 1};  // of the level's grid
    Array<std::int32_t> parent;                  // on the next level
  };

  std::size_t size_of(std::size_t k) const {
    return k == 0   ? static_cast<std::size_t>(liquid_.fluid_rows.owned())
           : k == 1 ? halves_.size()
                    : cells_[k - 2].size();
  }
  std::size_t extent_of(std::size_t k) const {
    return k == 0   ? static_cast<std::size_t>(liquid_.fluid_rows.rows) + 1  // with the sentinel, which pads lists
           : k == 1 ? extent_of_halves_
                    : cells_[k - 2].size();
  }
  void apply(std::size_t k, std::span<double> x, std::span<double> y);
  void apply_to_particles(std::span<double> x, std::span<double> y);
  void coarsen(std::size_t k, std::span<double> fine, std::span<double> coarse);
  void refine(std::size_t k, std::span<double> coarse, std::span<double> fine);

  void find_entries();
  void find_halves();
  void find_cells();
  void find_near(Cells& cells) const;
  void find_coarser();
  void set_diagonal();
  void set_halves();
  void set_cells();
  void add_up(std::span<double> values);
  /// Calls visit(n, cell, rows) for each own cell with fluid, in order; n counts them.
  template <class Visit>
  void for_each_cell(Visit&& visit) const;

  Liquid<D>& liquid_;
  bool has_levels_;
  std::vector<Level> levels_;
  std::vector<Transfer> transfers_;
  physics::mps::MultiplyMatrix multiply_;
  Array<float> values_;  // see physics::mps::Matrix
  Array<std::int32_t> places_, lengths_;
  Array<std::int64_t> first_entry_;  // by chunk
  Array<double> inverse_;            // of the diagonal, by row
  Stencils halves_;
  std::size_t extent_of_halves_ = 0;
  exchange::Halo half_halo_;
  Array<std::int32_t> half_of_row_;      // unknown of level 1 of each row, ghosts included
  Array<std::int32_t> code_of_row_;      // its place: x + 5 y + 25 z in halves of cells
  Array<std::int32_t> cell_of_;          // unknown of level 2 of each own cell
  std::vector<std::int64_t> all_cells_;  // of the grid that hold fluid, on all ranks, for which the levels were found
  Array<std::uint8_t> part_of_row_;      // which part of its cell
  std::vector<Cells> cells_;
  std::vector<std::int64_t> words_;
};

/// Solves the equation by conjugate gradients, with a W cycle as preconditioner or with the diagonal.
template <int D>
class PressureSolve {
 public:
  explicit PressureSolve(Liquid<D>& liquid);
  /// p: by row, a.extent() values; first guess: its values. Collective.
  linear::Outcome solve(Array<double>& p);

  PressureEquation<D> equation;

 private:
  linear::ConjugateGradients solver_;
  linear::Multigrid<PressureEquation<D>> multigrid_;
};

}  // namespace eddyline::mps
