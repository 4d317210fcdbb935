#pragma once
// Sets of cells, whose members have numbers.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/arrays.hpp"

namespace eddyline::particles {

/// Some of a process's cells, numbered in order, so that arrays by cell need room for these alone: where most cells
/// hold nobody, they cost a quarter of a byte each. Cells are told by their number among all, see CellLayout.
class CellSet {
 public:
  /// Threads may add to one set at a time where each has cells of its own, from one multiple of this to another.
  static constexpr std::size_t k_bits = 32;

  /// None of so many cells.
  void clear(std::int32_t cells) {
    words_.assign(static_cast<std::size_t>(cells) / k_bits + 1, Word{});
    cells_ = cells, size_ = 0;
  }
  void add(std::int32_t cell) { words_[word_of(cell)].members |= bit_of(cell); }
  /// Numbers the members. What asks for numbers or how many there are holds from then on, until some are added or
  /// removed.
  void number() {
    size_ = 0;
    for (Word& word : words_) word.before = std::exchange(size_, size_ + std::popcount(word.members));
  }
  /// Adds the members of `other`, a set of the same cells, or none at all.
  void add(const CellSet& other) {
    for (std::size_t w = 0; w < other.words_.size(); ++w) words_[w].members |= other.words_[w].members;
  }
  /// Adds the members of `other` from `first` up to `last`, the cell before each of them and the one after it, all
  /// moved by each of `offsets`; none that is not between these cells then.
  void add_moved(const CellSet& other, std::int32_t first, std::int32_t last, std::span<const std::int32_t> offsets) {
    for_each_word(first, last, [&](std::int32_t start, std::uint64_t between) {
      const std::uint64_t members = other.words_[word_of(start)].members & between;
      if (members == 0) return;
      const std::uint64_t with_neighbors = members | members << 1 | members << 2;  // from the cell before `start` on
      for (const std::int32_t offset : offsets) add_bits(with_neighbors, start - 1 + offset, first, last);
    });
  }
  /// Removes the members from `first` up to `last`.
  void remove(std::int32_t first, std::int32_t last) {
    for_each_word(first, last, [&](std::int32_t start, std::uint64_t between) {
      words_[word_of(start)].members &= ~static_cast<std::uint32_t>(between);
    });
  }
  void copy(const CellSet& other) {
    words_.resize(other.words_.size());
    std::copy(other.words_.begin(), other.words_.end(), words_.begin());
    cells_ = other.cells_, size_ = other.size_;
  }

  /// How many cells there are, members or not.
  std::int32_t cells() const { return cells_; }
  std::int32_t size() const { return size_; }
  bool is_empty() const { return size_ == 0; }
  bool has(std::int32_t cell) const { return (words_[word_of(cell)].members & bit_of(cell)) != 0; }
  /// How many members come before a cell, or the end of all cells: its number if it is one of them.
  std::int32_t before(std::int32_t cell) const {
    const Word& word = words_[word_of(cell)];
    return word.before + std::popcount(word.members & (bit_of(cell) - 1));
  }
  /// Calls visit(cell) for each member, in order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint32_t left = words_[w].members; left != 0; left &= left - 1)
        visit(static_cast<std::int32_t>(w * k_bits) + std::countr_zero(left));
  }
  std::size_t bytes() const { return words_.bytes(); }

 private:
  /// Which of 32 cells are members, and how many members come before them: side by side, as they are asked together.
  struct Word {
    std::uint32_t members = 0;
    std::int32_t before = 0;
  };
  static std::size_t word_of(std::int32_t cell) { return static_cast<std::size_t>(cell) / k_bits; }
  static std::uint32_t bit_of(std::int32_t cell) {
    return std::uint32_t{1} << (static_cast<std::uint32_t>(cell) % k_bits);
  }

  /// The k-th bit and those above it, and those below it.
  static std::uint64_t bits_from(std::int32_t k) {
    return k <= 0 ? ~std::uint64_t{0} : k < 64 ? ~std::uint64_t{0} << k : 0;
  }
  static std::uint64_t bits_below(std::int32_t k) { return ~bits_from(k); }
  /// Calls visit(start, between) for the words of the cells from `first` up to `last`: the first cell of each, and a
  /// bit for each of these that is between them.
  template <class Visit>
  static void for_each_word(std::int32_t first, std::int32_t last, Visit&& visit) {
    constexpr auto k_word = static_cast<std::int32_t>(k_bits);
    for (std::int32_t start = first / k_word * k_word; start < last; start += k_word)
      visit(start, bits_from(first - start) & bits_below(last - start));
  }
  /// Adds the cells from `start` on whose bits are set, of 34, as far as they are between `first` and `last`.
  void add_bits(std::uint64_t bits, std::int32_t start, std::int32_t first, std::int32_t last) {
    bits &= bits_from(first - start) & bits_below(last - start);
    if (bits == 0) return;
    if (start < 0) bits >>= -start, start = 0;
    const std::size_t word = word_of(start), shift = static_cast<std::size_t>(start) % k_bits;
    words_[word].members |= static_cast<std::uint32_t>(bits << shift);
    const std::uint64_t rest = bits >> (k_bits - shift);
    if (rest == 0) return;
    words_[word + 1].members |= static_cast<std::uint32_t>(rest);
    if (rest >> k_bits != 0) words_[word + 2].members |= static_cast<std::uint32_t>(rest >> k_bits);
  }

  Array<Word> words_;
  std::int32_t cells_ = 0, size_ = 0;
};

}  // namespace eddyline::particles
