#pragma once
// Storage for fields: aligned, grown with slack, values not initialised.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/memory.hpp"
#include "base/vec.hpp"

namespace eddyline {

/// A growing array of trivial values, aligned to a cache line. resize() keeps the contents. An array that has grown
/// once gets extra room, so that a step allocates nothing after warm-up; an array that never grows takes only what it
/// needs. New values are not initialised. Arrays are staggered: if all began at the same offset of a page, loops over
/// many fields would thrash the first-level cache.
template <class T>
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() { release(memory_); }

  void resize(std::size_t size) {
    if (size > capacity_) {
      const std::size_t capacity = std::max(capacity_ == 0 ? size : size + size / 8, std::size_t{64});
      const std::size_t stagger = reinterpret_cast<std::uintptr_t>(this) / sizeof(*this) % 31 * 128;
      std::byte* memory = allocate(capacity * sizeof(T) + stagger);
      T* data = reinterpret_cast<T*>(memory + stagger);
      std::copy_n(data_, size_, data);
      release(memory_);
      memory_ = memory;
      data_ = data;
      capacity_ = capacity;
    }
    size_ = size;
  }
  /// Allocates room for `size` values; the size does not change.
  void reserve(std::size_t size) {
    const std::size_t now = size_;
    resize(std::max(size, now));
    size_ = now;
  }
  void push_back(T value) {
    resize(size_ + 1);
    data_[size_ - 1] = value;
  }
  void assign(std::size_t size, T value) {
    resize(size);
    std::fill_n(data_, size, value);
  }
  void swap(Array& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  /// Gives the memory to an array of another type; its values are undefined.
  template <class U>
  Array<U> recast() && {
    Array<U> other;
    other.memory_ = std::exchange(memory_, nullptr);
    other.data_ = reinterpret_cast<U*>(std::exchange(data_, nullptr));
    other.capacity_ = std::exchange(capacity_, 0) * sizeof(T) / sizeof(U);
    size_ = 0;
    return other;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  template <class U>
  friend class Array;

  std::byte* memory_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

/// D components of a vector field in one block, at equal distance from each other, so that a view of shape (n, D) needs
/// no copy.
template <class T, int D>
class VectorArray {
 public:
  void resize(std::size_t size) {
    if (size > stride_) {
      const std::size_t room = stride_ == 0 ? size : size + size / 8;
      const std::size_t stride = (room + 63) / 16 * 16 + 16;  // staggers the components within a page
      Array<T> block;
      block.resize(D * stride);
      for (int d = 0; d < D; ++d) std::copy_n((*this)[d], size_, block.data() + static_cast<std::size_t>(d) * stride);
      block_.swap(block);
      stride_ = stride;
    }
    size_ = size;
  }
  void assign(std::size_t size, T value) {
    resize(size);
    std::fill_n(block_.data(), block_.size(), value);
  }
  void swap(VectorArray& other) noexcept {
    block_.swap(other.block_);
    std::swap(size_, other.size_);
    std::swap(stride_, other.stride_);
  }

  /// Takes over the memory of another array, which becomes empty, and frees its own. Values are not kept.
  template <class U, int E>
  void adopt_memory(VectorArray<U, E>& from) {
    adopt_memory(from.block_);
    from.size_ = from.stride_ = 0;
  }
  template <class U>
  void adopt_memory(Array<U>& from) {
    block_ = std::move(from).template recast<T>();
    stride_ = block_.capacity() / D / 16 * 16;
    block_.resize(D * stride_);
    size_ = 0;
  }
  /// Gives the memory of this array to `other`; this array becomes empty. Values are not kept.
  template <class U>
  void move_memory_to(Array<U>& other) {
    other = std::move(block_).template recast<U>();
    size_ = stride_ = 0;
  }
  void release() {
    block_ = {};
    size_ = stride_ = 0;
  }

  T* operator[](int d) { return block_.data() + static_cast<std::size_t>(d) * stride_; }
  const T* operator[](int d) const { return block_.data() + static_cast<std::size_t>(d) * stride_; }
  std::size_t size() const { return size_; }
  std::size_t stride() const { return stride_; }
  std::size_t bytes() const { return block_.bytes(); }

 private:
  template <class U, int E>
  friend class VectorArray;

  Array<T> block_;
  std::size_t size_ = 0, stride_ = 0;
};

/// The i-th vector of a field; z is 0 in 2D.
template <class T, int D>
Vec3 vector_of(const VectorArray<T, D>& field, std::size_t i) {
  Vec3 v;
  for (int d = 0; d < D; ++d) v[d] = static_cast<double>(field[d][i]);
  return v;
}

}  // namespace eddyline
