#pragma once
// Sets of cells that number their members.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/arrays.hpp"

namespace eddyline::particles {

/// A set of some of a process's cells that numbers its members in ascending order, so that arrays per cell need entries
/// for members only. Between the first and the last member an absent cell costs a quarter of a byte, before and behind
/// them nothing. Cells are given by their concatenated index, see CellLayout.
class CellSet {
 public:
  /// Threads may add to a set at the same time if each has its own range of cells, which begins and ends at multiples
  /// of k_bits, and if make_room() was called for these ranges.
  static constexpr std::size_t k_bits = 32;

  /// Makes the set empty; `cells`: the number of all cells.
  void clear(std::int32_t cells) {
    words_.resize(0);
    cells_ = cells, size_ = 0;
  }
  /// Allocates memory for members in [first, last).
  void make_room(std::int32_t first, std::int32_t last) {
    if (first >= last) return;
    std::size_t begin = word_of(first), end = word_of(last - 1) + 1;
    const std::size_t old_begin = first_, old_size = words_.size();
    if (old_size > 0) begin = std::min(begin, old_begin), end = std::max(end, old_begin + old_size);
    if (end - begin == old_size) return;
    words_.resize(end - begin);
    const std::size_t before = old_size > 0 ? old_begin - begin : 0;
    if (before > 0) std::copy_backward(words_.begin(), words_.begin() + old_size, words_.begin() + before + old_size);
    std::fill(words_.begin(), words_.begin() + before, Word{});
    std::fill(words_.begin() + before + old_size, words_.end(), Word{});
    first_ = begin;
  }
  void add(std::int32_t cell) {
    if (!has_room(cell)) make_room(cell, cell + 1);
    words_[place_of(cell)].members |= bit_of(cell);
  }
  /// Numbers the members. size(), is_empty() and before() are valid from then on until members are added or removed.
  void number() {
    size_ = 0;
    for (Word& word : words_) word.before = std::exchange(size_, size_ + std::popcount(word.members));
  }
  /// Adds the members of `other`, which must be a set of the same cells or empty.
  void add(const CellSet& other) {
    make_room(other.begin(), other.end());
    for (std::size_t w = 0; w < other.words_.size(); ++w)
      words_[other.first_ - first_ + w].members |= other.words_[w].members;
  }
  /// Takes the members of `other` in [first, last) and the cells directly before and after each, moves them by each of
  /// `offsets`, and adds those that are then in [first, last).
  void add_moved(const CellSet& other, std::int32_t first, std::int32_t last, std::span<const std::int32_t> offsets) {
    if (offsets.empty()) return;
    const auto [least, most] = std::ranges::minmax(offsets);
    make_room(std::max(first, std::max(first, other.begin()) - 1 + least),
              std::min(last, std::min(last, other.end()) + 1 + most));
    other.for_each_word(first, last, [&](std::int32_t start, std::uint64_t between) {
      const std::uint64_t members = other.words_[other.place_of(start)].members & between;
      if (members == 0) return;
      const std::uint64_t with_neighbors =
          members | members << 1 | members << 2;  // starting at the cell before `start`
      for (const std::int32_t offset : offsets) add_bits(with_neighbors, start - 1 + offset, first, last);
    });
  }
  /// Removes the members in [first, last).
  void remove(std::int32_t first, std::int32_t last) {
    for_each_word(first, last, [&](std::int32_t start, std::uint64_t between) {
      words_[place_of(start)].members &= ~static_cast<std::uint32_t>(between);
    });
  }
  void copy(const CellSet& other) {
    words_.resize(other.words_.size());
    std::copy(other.words_.begin(), other.words_.end(), words_.begin());
    first_ = other.first_, cells_ = other.cells_, size_ = other.size_;
  }

  /// The number of all cells, members or not.
  std::int32_t cells() const { return cells_; }
  std::int32_t size() const { return size_; }
  bool is_empty() const { return size_ == 0; }
  bool has(std::int32_t cell) const { return has_room(cell) && (words_[place_of(cell)].members & bit_of(cell)) != 0; }
  /// The number of members before a cell, or before the end of all cells. It is the number of the cell if that is a
  /// member.
  std::int32_t before(std::int32_t cell) const {
    if (!has_room(cell)) return word_of(cell) < first_ ? 0 : size_;
    const Word& word = words_[place_of(cell)];
    return word.before + std::popcount(word.members & (bit_of(cell) - 1));
  }
  /// Calls visit(cell) for each member, in ascending order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint32_t left = words_[w].members; left != 0; left &= left - 1)
        visit(static_cast<std::int32_t>((first_ + w) * k_bits) + std::countr_zero(left));
  }
  std::size_t bytes() const { return words_.bytes(); }

 private:
  /// Members among 32 cells, and the number of members before them; stored together because they are read together.
  struct Word {
    std::uint32_t members = 0;
    std::int32_t before = 0;
  };
  static std::size_t word_of(std::int32_t cell) { return static_cast<std::size_t>(cell) / k_bits; }
  /// Index among the allocated words; out of range if the word is not allocated.
  std::size_t place_of(std::int32_t cell) const { return word_of(cell) - first_; }
  bool has_room(std::int32_t cell) const { return place_of(cell) < words_.size(); }
  /// The range of cells with allocated words; its end may lie beyond the last cell.
  std::int32_t begin() const { return static_cast<std::int32_t>(first_ * k_bits); }
  std::int32_t end() const { return static_cast<std::int32_t>((first_ + words_.size()) * k_bits); }
  static std::uint32_t bit_of(std::int32_t cell) {
    return std::uint32_t{1} << (static_cast<std::uint32_t>(cell) % k_bits);
  }

  /// Bits k and above; bits below k.
  static std::uint64_t bits_from(std::int32_t k) {
    return k <= 0 ? ~std::uint64_t{0} : k < 64 ? ~std::uint64_t{0} << k : 0;
  }
  static std::uint64_t bits_below(std::int32_t k) { return ~bits_from(k); }
  /// Calls visit(start, between) for each allocated word of the cells in [first, last): the first cell of the word, and
  /// a mask of its cells in the range.
  template <class Visit>
  void for_each_word(std::int32_t first, std::int32_t last, Visit&& visit) const {
    constexpr auto k_word = static_cast<std::int32_t>(k_bits);
    first = std::max(first, begin()), last = std::min(last, end());
    for (std::int32_t start = first / k_word * k_word; start < last; start += k_word)
      visit(start, bits_from(first - start) & bits_below(last - start));
  }
  /// Adds the cells start + k for which bit k is set (34 bits), if they are in [first, last).
  void add_bits(std::uint64_t bits, std::int32_t start, std::int32_t first, std::int32_t last) {
    bits &= bits_from(first - start) & bits_below(last - start);
    if (bits == 0) return;
    if (start < begin()) bits >>= begin() - start, start = begin();  // the bits shifted out are not set
    const std::size_t word = place_of(start), shift = static_cast<std::size_t>(start) % k_bits;
    words_[word].members |= static_cast<std::uint32_t>(bits << shift);
    const std::uint64_t rest = bits >> (k_bits - shift);
    if (rest == 0) return;
    words_[word + 1].members |= static_cast<std::uint32_t>(rest);
    if (rest >> k_bits != 0) words_[word + 2].members |= static_cast<std::uint32_t>(rest >> k_bits);
  }

  Array<Word> words_;
  std::size_t first_ = 0;  // index of the first allocated word among the words of all cells
  std::int32_t cells_ = 0, size_ = 0;
};

}  // namespace eddyline::particles
