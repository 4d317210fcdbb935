#pragma once
// Moves particles to other ranks, with all their values.

#include <cstddef>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "comm/delivery.hpp"
#include "comm/traffic_log.hpp"

namespace eddyline::domain {

/// An array with `stride` values for each particle.
template <class T>
struct Strided {
  Array<T>& values;
  std::size_t stride;
};

/// One field as rows of bytes, of any type.
template <class T>
struct FieldOf;
template <class T>
struct FieldOf<Array<T>> {
  static constexpr std::size_t bytes(const Array<T>&) { return sizeof(T); }
  static void resize(Array<T>& field, std::size_t size) { field.resize(size); }
  static void get(const Array<T>& field, std::size_t i, std::byte* to) { std::memcpy(to, &field[i], sizeof(T)); }
  static void put(Array<T>& field, std::size_t i, const std::byte* from) { std::memcpy(&field[i], from, sizeof(T)); }
};
template <class T, int D>
struct FieldOf<VectorArray<T, D>> {
  static constexpr std::size_t bytes(const VectorArray<T, D>&) { return D * sizeof(T); }
  static void resize(VectorArray<T, D>& field, std::size_t size) { field.resize(size); }
  static void get(const VectorArray<T, D>& field, std::size_t i, std::byte* to) {
    for (int d = 0; d < D; ++d) std::memcpy(to + static_cast<std::size_t>(d) * sizeof(T), field[d] + i, sizeof(T));
  }
  static void put(VectorArray<T, D>& field, std::size_t i, const std::byte* from) {
    for (int d = 0; d < D; ++d) std::memcpy(field[d] + i, from + static_cast<std::size_t>(d) * sizeof(T), sizeof(T));
  }
};
template <class T>
struct FieldOf<Strided<T>> {
  static std::size_t bytes(const Strided<T>& field) { return field.stride * sizeof(T); }
  static void resize(const Strided<T>& field, std::size_t size) { field.values.resize(size * field.stride); }
  static void get(const Strided<T>& field, std::size_t i, std::byte* to) {
    std::memcpy(to, field.values.data() + i * field.stride, bytes(field));
  }
  static void put(const Strided<T>& field, std::size_t i, const std::byte* from) {
    std::memcpy(field.values.data() + i * field.stride, from, bytes(field));
  }
};
template <class Field>
using Access = FieldOf<std::remove_cvref_t<Field>>;

/// Copies all values of particle `from` to place `to`. for_each_field(visit) visits every field of the particles.
template <class ForEachField>
void copy_particle(ForEachField&& for_each_field, std::size_t from, std::size_t to) {
  std::byte row[256];
  for_each_field([&](auto&& field) {
    Access<decltype(field)>::get(field, from, row);
    Access<decltype(field)>::put(field, to, row);
  });
}

/// All values of particles, packed for the ranks that receive them.
template <class ForEachField>
std::vector<comm::Parcel> packed(const std::map<int, std::vector<std::size_t>>& by_rank,
                                 ForEachField&& for_each_field) {
  std::vector<comm::Parcel> parcels;
  for (const auto& [rank, particles] : by_rank) {
    auto& bytes = parcels.emplace_back(comm::Parcel{rank, {}}).bytes;
    for_each_field([&](auto&& field) {
      const std::size_t size = Access<decltype(field)>::bytes(field), before = bytes.size();
      bytes.resize(before + size * particles.size());
      std::byte* to = bytes.data() + before;
      for (const std::size_t i : particles) Access<decltype(field)>::get(field, i, to), to += size;
    });
  }
  return parcels;
}

/// Bytes of all values of a particle.
template <class ForEachField>
std::size_t bytes_of_row(ForEachField&& for_each_field) {
  std::size_t bytes = 0;
  for_each_field([&](auto&& field) { bytes += Access<decltype(field)>::bytes(field); });
  return bytes;
}

/// Puts received particles behind the first `kept`. Returns the new number of particles.
template <class ForEachField>
std::size_t unpack(const std::vector<comm::Parcel>& came, std::size_t kept, ForEachField&& for_each_field) {
  const std::size_t row_bytes = bytes_of_row(for_each_field);
  std::size_t size = kept;
  for (const auto& parcel : came) size += parcel.bytes.size() / row_bytes;
  for_each_field([&](auto&& field) { Access<decltype(field)>::resize(field, size); });
  std::size_t first = kept;
  for (const auto& parcel : came) {
    const std::size_t count = parcel.bytes.size() / row_bytes;
    const std::byte* from = parcel.bytes.data();
    for_each_field([&](auto&& field) {
      for (std::size_t k = 0; k < count; ++k, from += Access<decltype(field)>::bytes(field))
        Access<decltype(field)>::put(field, first + k, from);
    });
    first += count;
  }
  return size;
}

/// Sends copies of the particles named by rank, all to `neighbors`, and puts received copies behind the `own` particles
/// of this rank. Collective.
template <class ForEachField>
void send_copies(comm::Communicator& communicator, const std::map<int, std::vector<std::size_t>>& by_rank,
                 std::span<const int> neighbors, std::size_t own, ForEachField&& for_each_field) {
  const std::vector<comm::Parcel> parcels = packed(by_rank, for_each_field);
  unpack(comm::deliver_to_neighbors(communicator, parcels, neighbors, "copies"), own, for_each_field);
}

/// Sends each particle to the rank that `destination` names and receives those that arrive. Particles go directly to
/// their rank; no rank passes them on. The particles that stay fill the gaps from the end, so that the caller must sort
/// them. `neighbors`: the ranks to which nearly all particles go, see comm::deliver_to_neighbors(). Returns how many
/// arrived. Collective.
template <class ForEachField>
std::int64_t migrate(comm::Communicator& communicator, std::span<const int> destination, std::span<const int> neighbors,
                     ForEachField&& for_each_field) {
  if (communicator.is_alone()) return 0;
  std::map<int, std::vector<std::size_t>> leaving;
  std::vector<std::size_t> holes;
  for (std::size_t i = 0; i < destination.size(); ++i) {
    if (destination[i] == communicator.rank()) continue;
    leaving[destination[i]].push_back(i);
    holes.push_back(i);
  }

  const std::vector<comm::Parcel> parcels = packed(leaving, for_each_field);
  const std::size_t kept = destination.size() - holes.size();
  std::size_t last = destination.size();
  for (const std::size_t hole : holes) {
    if (hole >= kept) break;
    do --last;
    while (destination[last] != communicator.rank());
    copy_particle(for_each_field, last, hole);
  }

  if (const auto log = communicator.traffic_log.lock()) {
    const std::size_t row_bytes = bytes_of_row(for_each_field);
    log->begin("migrants", true, row_bytes);
    for (const auto& [rank, particles] : leaving) log->add(communicator.rank(), rank, particles.size() * row_bytes);
  }
  const std::vector<comm::Parcel> came = comm::deliver_to_neighbors(communicator, parcels, neighbors, "migration");
  return static_cast<std::int64_t>(unpack(came, kept, for_each_field) - kept);
}

}  // namespace eddyline::domain
