#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "exchange/box_fields.hpp"
#include "exchange/halo.hpp"
#include "patches/gather.hpp"
#include "patches/layout.hpp"
#include "patches/units.hpp"

namespace eddyline::patches {

/// Flows through the faces between a level and the uncovered cells of the next coarser one, seen from both sides,
/// over a step of the latter. The difference corrects these cells, so that means are conserved.
/// Source: Berger & Colella 1989.
class FluxRegisters {
 public:
  /// Fluxes of a stage through the faces of a patch across each axis: as many as cells and one more along the axis,
  /// row-major, field after field.
  using Fluxes = std::array<const double*, 3>;

  FluxRegisters() = default;
  /// `below`: the coarse cells below the patches of the finer level.
  FluxRegisters(const Layout& coarse, const Layout& fine, PatchSet below, const Units& units, int coarse_level,
                std::size_t fields, int rank);

  /// True if fluxes of a patch of this rank are needed.
  bool needs_coarse(std::size_t patch) const { return first_coarse_[patch] < first_coarse_[patch + 1]; }
  bool needs_fine(std::size_t patch) const { return first_fine_[patch] < first_fine_[patch + 1]; }
  /// Adds fluxes of a stage, times its part of the time step [s].
  void add_coarse(std::size_t patch, const Fluxes& fluxes, double weight);
  void add_fine(std::size_t patch, const Fluxes& fluxes, double weight);

  void connect(exchange::BoxHalo& halo) const { gather_.connect(halo); }
  /// Corrects the coarse cells, `fields` patch by patch, and begins anew. Collective.
  void correct(exchange::BoxHalo& halo, double spacing, std::span<double* const> fields);

 private:
  /// Cells of a patch with a face across which the other level begins.
  struct Part {
    std::size_t patch;
    std::size_t axis;
    bool is_upper;  // the face is the upper one of these cells
    grid::IndexBox cells;
    std::size_t first;  // of its values; coarse parts only
  };

  std::size_t dimensions_ = 0, fields_ = 0;
  std::vector<grid::IndexBox> coarse_patches_, fine_patches_, below_;  // of this rank
  std::vector<std::int64_t> coarse_first_, below_first_;
  std::vector<Part> coarse_, fine_;
  std::vector<std::size_t> first_coarse_{0}, first_fine_{0};  // parts of each patch
  std::vector<double> of_coarse_;                             // part by part, field by field
  std::vector<std::vector<double>> of_fine_;                  // by axis and field: a number for each coarse cell below
  Gather gather_;                                             // target k: the covered cells beyond coarse part k
  std::vector<std::vector<double>> received_;
};

}  // namespace eddyline::patches
