#include "comm/collectives.hpp"

#include <algorithm>

namespace eddyline::comm {

void Reduction::begin_maximum(std::span<double> values) {
  if (!communicator_.is_alone()) requests().maximum(values);
}

void Reduction::begin_sum(std::span<std::int64_t> values) {
  if (!communicator_.is_alone()) requests().sum(values);
}

void Reduction::wait(std::string_view phase) {
  if (requests_) comm::wait(communicator_, *requests_, phase);
}

Requests& Reduction::requests() {
  if (!requests_) requests_ = communicator_.requests();
  return *requests_;
}

void maximum(Communicator& communicator, std::span<double> values, std::string_view phase) {
  Reduction all(communicator);
  all.begin_maximum(values);
  all.wait(phase);
}

void minimum(Communicator& communicator, std::span<std::int64_t> values, std::string_view phase) {
  if (communicator.is_alone()) return;
  const auto requests = communicator.requests();
  requests->minimum(values);
  wait(communicator, *requests, phase);
}

void sum(Communicator& communicator, std::span<std::int64_t> values, std::string_view phase) {
  Reduction all(communicator);
  all.begin_sum(values);
  all.wait(phase);
}

void sum(Communicator& communicator, std::span<ReproducibleSum> sums, std::string_view phase) {
  if (communicator.is_alone()) return;
  std::vector<std::int64_t> words;
  for (ReproducibleSum& one : sums) {
    const auto packed = one.pack();
    words.insert(words.end(), packed.begin(), packed.end());
  }
  sum(communicator, std::span(words), phase);
  auto from = words.cbegin();
  for (ReproducibleSum& one : sums) {
    ReproducibleSum::Packed packed;
    std::copy_n(from, packed.size(), packed.begin());
    from += static_cast<std::ptrdiff_t>(packed.size());
    one = ReproducibleSum::unpack(packed);
  }
}

void broadcast(Communicator& communicator, std::span<std::byte> bytes, int root, std::string_view phase) {
  if (communicator.is_alone()) return;
  const auto requests = communicator.requests();
  requests->broadcast(bytes, root);
  wait(communicator, *requests, phase);
}

std::vector<std::byte> broadcast(Communicator& communicator, std::vector<std::byte> bytes, int root,
                                 std::string_view phase) {
  bytes.resize(broadcast(communicator, bytes.size(), root, phase));
  broadcast(communicator, std::span(bytes), root, phase);
  return bytes;
}

bool any(Communicator& communicator, bool value, std::string_view phase) {
  double number[] = {value ? 1.0 : 0.0};
  maximum(communicator, number, phase);
  return number[0] > 0;
}

void throw_if_any(Communicator& communicator, const std::optional<std::string>& problem, std::string_view phase) {
  if (!any(communicator, problem.has_value(), phase)) return;
  const std::string own = problem.value_or("");
  for (const auto& text : gather(communicator, std::as_bytes(std::span(own)), phase))
    if (!text.empty()) throw UserError(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
  throw UserError(problem.value_or("another rank reported an error without a message."));
}

std::vector<std::vector<std::byte>> gather(Communicator& communicator, std::span<const std::byte> bytes,
                                           std::string_view phase) {
  std::vector<std::vector<std::byte>> all;
  if (communicator.is_root()) {
    all.resize(static_cast<std::size_t>(communicator.size()));
    all[0].assign(bytes.begin(), bytes.end());
    for (int rank = 1; rank < communicator.size(); ++rank) {
      auto& place = all[static_cast<std::size_t>(rank)];
      std::uint64_t size = 0;
      const auto announced = communicator.requests();
      announced->receive(std::as_writable_bytes(std::span(&size, 1)), rank, Tag::state);
      wait(communicator, *announced, phase);
      place.resize(size);
      if (size == 0) continue;
      const auto content = communicator.requests();
      content->receive(place, rank, Tag::state);
      wait(communicator, *content, phase);
    }
  } else {
    const std::uint64_t size = bytes.size();
    const auto requests = communicator.requests();
    requests->send(std::as_bytes(std::span(&size, 1)), 0, Tag::state);
    if (size > 0) requests->send(bytes, 0, Tag::state);
    wait(communicator, *requests, phase);
  }
  return all;
}

std::vector<Parcel> deliver(Communicator& communicator, const std::vector<Parcel>& parcels, std::string_view phase) {
  std::vector<Parcel> received;
  if (communicator.is_alone()) return received;
  // A rank that finishes early may announce parcels of the next delivery while others still probe for those of this
  // one.
  const Tag tag = ++communicator.deliveries % 2 == 0 ? Tag::counts_even : Tag::counts_odd;
  std::vector<std::uint64_t> sizes;
  for (const Parcel& parcel : parcels) sizes.push_back(parcel.bytes.size());
  const auto announced = communicator.requests();
  for (std::size_t p = 0; p < parcels.size(); ++p)
    announced->send_synchronously(std::as_bytes(std::span(&sizes[p], 1)), parcels[p].rank, tag);

  const auto end = communicator.requests();
  bool waiting = false;
  wait_until(communicator, phase, [&] {
    while (const auto incoming = communicator.probe(tag)) {
      std::uint64_t size = 0;
      const auto one = communicator.requests();
      one->receive(std::as_writable_bytes(std::span(&size, 1)), incoming->from, tag);
      wait(communicator, *one, phase);
      received.push_back({incoming->from, std::vector<std::byte>(size)});
    }
    if (!waiting && announced->test()) {
      end->barrier();
      waiting = true;
    }
    return waiting && end->test();
  });

  std::sort(received.begin(), received.end(), [](const Parcel& a, const Parcel& b) { return a.rank < b.rank; });
  const auto contents = communicator.requests();
  for (Parcel& parcel : received) contents->receive(parcel.bytes, parcel.rank, Tag::parcels);
  for (const Parcel& parcel : parcels) contents->send(parcel.bytes, parcel.rank, Tag::parcels);
  wait(communicator, *contents, phase);
  return received;
}

}  // namespace eddyline::comm
