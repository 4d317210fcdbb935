#pragma once
// Rows that travel between ranks, on one backend. Included by the backends only.

#include <cstdint>

#include "device/memory.hpp"
#include "device/rows.hpp"

namespace eddyline::device {

/// Copies the first Width values of some rows side by side; the rows have room for Stride values.
template <class T, int Width, int Stride>
struct GatherRows {
  RowParts<T> rows;
  const std::int32_t* which;
  T* to;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const auto row = row_of<Stride>(rows, which[k]);
    for (int c = 0; c < Width; ++c) to[Width * k + c] = row[c];
  }
};
template <class T, int Width, int Stride>
struct PutRows {
  RowParts<T> rows;
  const std::int32_t* which;
  const T* from;

  EDDYLINE_HOST_DEVICE void operator()(std::int64_t k) const {
    const auto row = row_of<Stride>(rows, which[k]);
    for (int c = 0; c < Width; ++c) row[c] = from[Width * k + c];
  }
};

/// The rows of one kind that travel.
template <class Backend, class T>
class TravellersOn {
 public:
  explicit TravellersOn(Backend& backend) : backend_(backend) {}

  void set(const Travellers& rows) { sent_.upload(rows.sent), received_.upload(rows.received); }
  template <int Width, int Stride>
  void fetch(const RowParts<T>& rows, T* to) {
    cargo_.resize(sent_.size() * Width);
    backend_.for_each(static_cast<std::int64_t>(sent_.size()),
                      GatherRows<T, Width, Stride>{rows, sent_.data(), cargo_.data()});
    cargo_.download(to, cargo_.size());
  }
  template <int Width, int Stride>
  void put(const RowParts<T>& rows, const T* from) {
    cargo_.upload(from, received_.size() * Width);
    backend_.for_each(static_cast<std::int64_t>(received_.size()),
                      PutRows<T, Width, Stride>{rows, received_.data(), cargo_.data()});
  }

  template <class Visit>
  void for_each_buffer(Visit&& visit) {
    visit(sent_), visit(received_), visit(cargo_);
  }

 private:
  Backend& backend_;
  Buffer<Backend, std::int32_t> sent_{backend_}, received_{backend_};
  Buffer<Backend, T> cargo_{backend_};
};

}  // namespace eddyline::device
