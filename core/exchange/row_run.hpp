#pragma once

#include <cstddef>
#include <cstdint>

#include "base/vec.hpp"
#include "exchange/routes.hpp"

namespace eddyline::exchange {

/// Piece of a halo: consecutive rows. Ghost rows that repeat periodic images are shifted.
struct RowRun {
  using Copies = Routes;  // within the process

  std::int32_t first, count;
  Int3 shift;  // quanta

  std::size_t size() const { return static_cast<std::size_t>(count); }
  template <class Field>
  void pack(const Field& field, std::byte* to) const {
    field.pack(first, count, to);
  }
  template <class Field>
  void unpack(const Field& field, const std::byte* from) const {
    field.unpack(from, first, count, shift);
  }
};

}  // namespace eddyline::exchange
