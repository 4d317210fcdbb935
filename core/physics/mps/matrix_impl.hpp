#pragma once
// Implementation of the matrix product over the pack type P. Included by flavours/ only.

#include "base/scattered.hpp"
#include "neighbors/for_each_pair.hpp"
#include "physics/mps/matrix.hpp"

namespace eddyline::physics::mps {

template <class P>
void multiply_matrix(const Product& in, std::int64_t first, std::int64_t last) {
  static constexpr int k_packs = neighbors::k_chunk / P::width;
  for (std::int64_t c = first; c < last; ++c) {
    const auto rows = in.targets.template places<neighbors::k_chunk>(c * neighbors::k_chunk);
    const std::int64_t begin = in.matrix.first[c];
    const float* a = in.matrix.values + begin;
    const std::int32_t* place = in.matrix.places_of(c);
    P here[k_packs], sum[k_packs];
    for (int k = 0; k < k_packs; ++k) here[k] = numbers_at<P>(in.x, rows.data() + k * P::width);
    for (std::int32_t e = 0; e < in.matrix.lengths[c]; ++e, a += neighbors::k_chunk, place += neighbors::k_chunk)
      for (int k = 0; k < k_packs; ++k) {
        const int lane = k * P::width;
        sum[k] = sum[k] + widened<P>(a + lane) * (here[k] - numbers_at<P>(in.x, place + lane));
      }
    double here_of[neighbors::k_chunk], sum_of[neighbors::k_chunk];
    for (int k = 0; k < k_packs; ++k) here[k].store(here_of + k * P::width), sum[k].store(sum_of + k * P::width);
    for (std::int64_t l = 0; l < neighbors::k_chunk && c * neighbors::k_chunk + l < in.targets.count; ++l) {
      const std::int32_t row = rows[static_cast<std::size_t>(l)] / k_row_step;
      in.y[row] = in.own[row] * here_of[l] + in.factor * sum_of[l];
    }
  }
}

}  // namespace eddyline::physics::mps
