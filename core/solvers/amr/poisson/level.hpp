#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/arrays.hpp"
#include "comm/communicator.hpp"
#include "exchange/halo.hpp"
#include "patches/layout.hpp"
#include "patches/patch_set.hpp"
#include "patches/rim.hpp"

namespace eddyline::amr {

/// The way in which ranks exchange cells.
struct Way {
  comm::Communicator* communicator = nullptr;
  std::string exchange = "nonblocking";
  exchange::BetweenSites between;

  exchange::BoxHalo halo() const { return {*communicator, exchange, between, comm::Tag::cell_halo}; }
  int rank() const { return communicator->rank(); }
};

/// A = -laplace on the cells of a set of patches, by second differences: an operator as linear::Operator. Sides of the
/// domain are periodic or mirrors. Vectors hold the cells of this rank, patch by patch, and then those of other ranks
/// around them.
class PoissonLevel {
 public:
  /// `ghosts`: layers around a patch, at least 1.
  PoissonLevel(const patches::PatchSet& set, double spacing, std::int32_t ghosts, const Way& way);

  std::size_t size() const { return static_cast<std::size_t>(layout_.cells()); }
  std::size_t extent() const { return size() + static_cast<std::size_t>(layout_.foreign_cells()); }
  const patches::Layout& layout() const { return layout_; }
  double spacing() const { return spacing_; }
  /// The same at sides, where a mirrored neighbour makes the diagonal smaller: the smoother moves less there.
  std::span<const double> inverse_diagonal() const { return {inverse_diagonal_.data(), inverse_diagonal_.size()}; }
  exchange::Traffic traffic() const { return halo_.traffic(); }

  /// Collective. y = A x; values are 0 where the level ends within the domain.
  void apply(std::span<double> x, std::span<double> y);
  /// Collective. r = b - A x.
  void residual(std::span<double> x, std::span<const double> b, std::span<double> r) { residual(x, {}, b, r); }
  /// Collective. As linear::Chebyshev wants it.
  void relax(std::span<double> x, std::span<const double> b, double step, double keep, std::span<double> d,
             std::span<double> next);

  /// Values around a level that ends within the domain.
  struct Around {
    const patches::Rim* rim = nullptr;
    std::span<const double> values;
  };
  /// Collective. r = b - A x with these values there.
  void residual(std::span<double> x, const Around& around, std::span<const double> b, std::span<double> r);

  /// Collective. Receives the cells of other ranks.
  void gather(std::span<double> x);
  /// After gather(): the cells of a patch with all ghosts, row-major.
  void fill(std::size_t patch, std::span<const double> x, const Around& around, double* to) const;

 private:
  double inverse_of_centre() const { return spacing_ * spacing_ / (2.0 * layout_.dimensions()); }
  template <class Row>
  void for_each_row_of_patches(std::span<double> x, const Around& around, Row&& row);

  patches::Layout layout_;
  double spacing_;
  bool covers_domain_ = false;
  exchange::BoxHalo halo_;
  Array<double> inverse_diagonal_;
};

/// Fills the cells of a box beyond sides that are not periodic with those on their other side.
void mirror_at_sides(const patches::PatchSet& set, const grid::IndexBox& box, double* values);

}  // namespace eddyline::amr
