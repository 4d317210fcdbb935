#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace eddyline::device {

/// An array in the memory of a backend. Its values are not kept when it grows.
///
/// A backend has
///   std::string name(); std::size_t free_bytes();  0: unknown
///   std::int64_t launches();                     loops and scans so far
///   void* allocate(std::size_t bytes); void release(void*);
///   void upload(void* to, const void* from, std::size_t bytes); void download(void* to, const void* from, ...);
///   void copy(void* to, const void* from, std::size_t bytes);  within the device
///   void clear(void* to, std::size_t bytes);     zeros
///   void for_each(std::int64_t count, Loop loop)  calls loop(i), in any order
///   void scan(const X* from, X* to, std::int64_t count)  sums of the values before each, of whole numbers
/// and carries out these calls in order; download() and allocate() wait for those before.
template <class Backend, class X>
class Buffer {
 public:
  explicit Buffer(Backend& backend) : backend_(&backend) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept
      : backend_(other.backend_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (data_ != nullptr) backend_->release(data_);
  }

  /// Exchanges the memory of two arrays of a backend.
  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_), std::swap(size_, other.size_), std::swap(room_, other.room_);
  }

  void resize(std::size_t size) {
    size_ = size;
    if (size <= room_) return;
    if (data_ != nullptr) backend_->release(data_);
    room_ = data_ == nullptr ? size : size + size / 32;
    data_ = nullptr;
    data_ = static_cast<X*>(backend_->allocate(room_ * sizeof(X)));
  }
  void upload(const X* from, std::size_t count) {
    resize(count);
    if (count > 0) backend_->upload(data_, from, count * sizeof(X));
  }
  void upload(std::span<const X> from) { upload(from.data(), from.size()); }
  void upload(const std::vector<X>& from) { upload(from.data(), from.size()); }
  void download(X* to, std::size_t count) const {
    if (count > 0) backend_->download(to, data_, count * sizeof(X));
  }
  void clear() {
    if (size_ > 0) backend_->clear(data_, size_ * sizeof(X));
  }

  X* data() const { return size_ == 0 ? nullptr : data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return room_ * sizeof(X); }

 private:
  Backend* backend_;
  X* data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace eddyline::device
