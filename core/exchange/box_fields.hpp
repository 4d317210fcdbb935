#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "exchange/box_piece.hpp"

namespace eddyline::exchange {

/// Several scalar fields on the same blocks, which travel together.
template <class T>
class BoxFields {
 public:
  explicit BoxFields(std::vector<BoxField<T>> fields) : fields_(std::move(fields)) {}

  std::size_t bytes() const { return fields_.size() * BoxField<T>::bytes(); }
  void copy(const BoxPiece& from, const BoxPiece& to) const {
    for (const BoxField<T>& field : fields_) field.copy(from, to);
  }
  void pack(const BoxPiece& piece, std::byte* to) const {
    for (const BoxField<T>& field : fields_) field.pack(piece, to), to += piece.size() * sizeof(T);
  }
  void unpack(const BoxPiece& piece, const std::byte* from) const {
    for (const BoxField<T>& field : fields_) field.unpack(piece, from), from += piece.size() * sizeof(T);
  }

 private:
  std::vector<BoxField<T>> fields_;
};

}  // namespace eddyline::exchange
