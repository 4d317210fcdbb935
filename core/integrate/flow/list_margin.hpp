#pragma once
// How far beyond R the lists of a flow look, and how much nearer particles have come since they were built.

#include <cstdint>

#include "neighbors/drift.hpp"
#include "neighbors/list.hpp"
#include "neighbors/rows.hpp"

namespace eddyline::integrate {

/// The share of a skin or margin that is used up: what rounding may take stays.
inline constexpr double k_trust = 0.999;

/// The most parts into which a skin is divided: lists of more are hardly shorter, and rounding is small beside a part.
inline constexpr int k_most_parts = 4;

/// In how many equal parts lists best use up a skin of so many interaction radii, if it lasts `steps` steps: sweeps and
/// lists together cost least then.
int best_parts(int dimensions, double skin, double steps);

/// Cells, their order and ghosts hold for the whole skin. Lists whose margin is a part of it hold fewer pairs, and are
/// renewed in the same cells when it is used up. All that they leave out are exact zeros, so that neither the margin
/// nor renewals change a bit. Source: the dual pair list of molecular dynamics, Páll et al. 2020.
template <class T, int D>
class ListMargin {
 public:
  /// Lists are built where rows stood at a rebuild, and look `width` beyond R [m]; particles have come nearer since by
  /// `approach` [m].
  void begin(double width, double approach) {
    width_ = width;
    approach_ = approach;
    renewed_ = false;
  }
  double width() const { return width_; }
  /// By how much particles in touching cells have come nearer since lists were built, as was noted last [m].
  double approach() const { return approach_; }
  void note(double approach) { approach_ = approach; }

  /// Lists are renewed where these rows of the fluid stand, and, if they move, these of walls.
  void renew(const neighbors::Rows<T>& fluid, std::int32_t rows);
  void renew_walls(const neighbors::Rows<T>& walls, std::int32_t rows);
  bool renewed() const { return renewed_; }
  /// Where rows stood then [quanta].
  const neighbors::FixedPositions& fluid() const { return fluid_; }
  const neighbors::FixedPositions& walls() const { return walls_; }
  /// How far walls will have moved since lists were renewed, if that is so far since they stood `at_rebuild`.
  const neighbors::WallDisplacement* since(const neighbors::WallDisplacement& moved,
                                           const neighbors::FixedPositions& at_rebuild);
  std::size_t bytes() const;

 private:
  double width_ = 0, approach_ = 0;
  bool renewed_ = false;  // since the last rebuild
  neighbors::FixedPositions fluid_, walls_;
  neighbors::WallDisplacement walls_since_;
};

}  // namespace eddyline::integrate
