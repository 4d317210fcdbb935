#include "comm/delivery.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace eddyline::comm {

std::vector<Parcel> deliver_to_neighbors(Communicator& communicator, const std::vector<Parcel>& parcels,
                                         std::span<const int> neighbors, std::string_view phase) {
  std::vector<Parcel> received;
  if (communicator.is_alone()) return received;
  // A neighbour that finishes early may send messages of its next delivery, but not of the one after that.
  const Tag tag = ++communicator.deliveries % 2 == 0 ? Tag::counts_even : Tag::counts_odd;
  const auto is_near = [&](const Parcel& parcel) {
    return parcel.bytes.size() <= communicator.longest_message() &&
           std::find(neighbors.begin(), neighbors.end(), parcel.rank) != neighbors.end();
  };
  std::vector<Parcel> far;
  std::copy_if(parcels.begin(), parcels.end(), std::back_inserter(far), [&](const auto& p) { return !is_near(p); });
  double any_far[] = {far.empty() ? 0.0 : 1.0};
  Reduction all(communicator);
  all.begin_maximum(any_far);
  const auto sends = communicator.requests();
  for (const int rank : neighbors) {
    const auto parcel =
        std::find_if(parcels.begin(), parcels.end(), [&](const Parcel& p) { return p.rank == rank && is_near(p); });
    sends->send(parcel == parcels.end() ? std::span<const std::byte>() : std::span(parcel->bytes), rank, tag);
  }
  wait_until(communicator, phase, [&] {
    while (received.size() < neighbors.size()) {
      const auto incoming = communicator.probe(tag);
      if (!incoming) return false;
      received.push_back({incoming->from, std::vector<std::byte>(incoming->bytes)});
      const auto one = communicator.requests();
      one->receive(received.back().bytes, incoming->from, tag);
      wait(communicator, *one, phase);
    }
    return true;
  });
  wait(communicator, *sends, phase);
  all.wait(phase);
  if (any_far[0] > 0)
    for (Parcel& parcel : deliver(communicator, far, phase)) received.push_back(std::move(parcel));
  std::erase_if(received, [](const Parcel& parcel) { return parcel.bytes.empty(); });
  std::sort(received.begin(), received.end(), [](const Parcel& a, const Parcel& b) { return a.rank < b.rank; });
  return received;
}

}  // namespace eddyline::comm
