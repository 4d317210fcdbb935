#pragma once
// Values of a field on the next finer and the next coarser level. Each value is one expression of its stencil, whatever
// box it is part of.

#include <cstdint>
#include <vector>

#include "grid/index_box.hpp"

namespace eddyline::patches {

/// The meaning of the number of a cell; it decides how levels exchange it.
enum class Meaning : std::uint8_t {
  point,   // the value at the centre of the cell
  average  // the mean over the cell, conserved
};

/// Prolongation and restriction of a field.
class Transfer {
 public:
  /// Points: Lagrange polynomials through 2 `reach` + 1 cells along each axis, and back through 6 cells. At the edge of
  /// a level, second differences divide the error of these by dx^2. Averages: limited linear, and the mean of the finer
  /// cells. `reach`: 2 or 3; of averages always 1.
  Transfer(Meaning meaning, std::int32_t reach, int dimensions);

  /// Coarse cells beyond those of the fine ones that prolongation reads, along each axis.
  std::int32_t reach() const { return reach_; }
  /// Fine cells beyond those of the coarse ones that restriction reads, along each axis.
  std::int32_t restriction_reach() const { return restriction_reach_; }
  /// The coarse cells that the cells of a fine box need.
  grid::IndexBox needed(const grid::IndexBox& fine) const;

  /// Memory of a thread, which grows to what is needed.
  struct Scratch {
    std::vector<double> from, to;
  };
  /// `coarse`: values of the cells `box`, which holds needed(fine), row-major. Writes the values of the fine cells,
  /// row-major.
  void prolong(const double* coarse, const grid::IndexBox& box, const grid::IndexBox& fine, double* to,
               Scratch& scratch) const;
  /// `fine`: values of the cells `box`, which holds those of `coarse` and restriction_reach() around them. Writes the
  /// values of the coarse cells, row-major.
  void restrict(const double* fine, const grid::IndexBox& box, const grid::IndexBox& coarse, double* to,
                Scratch& scratch) const;

 private:
  void prolong_points(const double* coarse, const grid::IndexBox& box, const grid::IndexBox& fine, double* to,
                      Scratch& scratch) const;
  void prolong_averages(const double* coarse, const grid::IndexBox& box, const grid::IndexBox& fine, double* to) const;
  void restrict_points(const double* fine, const grid::IndexBox& box, const grid::IndexBox& coarse, double* to,
                       Scratch& scratch) const;
  void restrict_averages(const double* fine, const grid::IndexBox& box, const grid::IndexBox& coarse, double* to) const;

  Meaning meaning_;
  std::size_t dimensions_;
  std::int32_t reach_, restriction_reach_;
};

}  // namespace eddyline::patches
