#pragma once
// The matrix of the pressure equation: an entry for each pair of fluid particles that are near enough.

#include <cstdint>
#include <string>

#include "neighbors/list.hpp"

namespace eddyline::physics::mps {

/// Entries of chunks of sixteen particles, k-th entries side by side as in neighbors::Chunk and in the same order.
/// Packed, they leave out those that are 0, and shorter lanes are padded with 0 and the particle's own place; that pays
/// where lists reach far beyond R. Else they are those of the lists.
struct Matrix {
  const std::int64_t* first = nullptr;      // index of each chunk's first entry
  std::int32_t* lengths = nullptr;          // of each chunk
  float* values = nullptr;                  // A, with the volumes of both particles
  std::int32_t* places = nullptr;           // of rows, see k_row_step; of a packed matrix
  const neighbors::Chunk* lists = nullptr;  // with the places of all entries; null: packed

  EDDYLINE_INLINE const std::int32_t* places_of(std::int64_t chunk) const {
    return lists != nullptr ? lists[chunk].entries : places + first[chunk];
  }
};

/// y_i = d_i x_i + factor sum_j a_ij (x_i - x_j), summed in double precision in the order of entries; x, y and d by
/// row.
struct Product {
  Matrix matrix;
  neighbors::Targets targets;
  const double* own = nullptr;  // d
  double factor = 1;
  const double* x = nullptr;
  double* y = nullptr;
};

/// Multiplies the chunks [first, last).
using MultiplyMatrix = void (*)(const Product& in, std::int64_t first, std::int64_t last);

MultiplyMatrix multiply_matrix_scalar();
MultiplyMatrix multiply_matrix_avx2();
MultiplyMatrix multiply_matrix_avx512();
/// `instructions`: as instruction_sets() names them.
MultiplyMatrix choose_multiply_matrix(const std::string& instructions);

}  // namespace eddyline::physics::mps
