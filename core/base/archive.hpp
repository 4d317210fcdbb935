#pragma once
// Serialises named arrays of numbers; checkpoints consist of such arrays.

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/arrays.hpp"
#include "base/reproducible_sum.hpp"

namespace eddyline {

/// Collects arrays. Each array is written as: length of its name (8 bytes), name, bytes per element (8), number of
/// elements (8), content. All numbers have this machine's representation.
class ArchiveWriter {
 public:
  template <class T>
  void put(std::string_view name, std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_number(name.size());
    put_bytes(std::as_bytes(std::span(name)));
    put_number(sizeof(T));
    put_number(values.size());
    put_bytes(std::as_bytes(values));
  }
  template <class T>
  void put_value(std::string_view name, const T& value) {
    put(name, std::span<const T>(&value, 1));
  }
  void put_value(std::string_view name, const ReproducibleSum& sum) {
    const auto packed = sum.pack();
    put(name, std::span<const std::int64_t>(packed));
  }
  template <class T>
  void put_field(std::string_view name, const Array<T>& values) {
    put(name, std::span<const T>(values.data(), values.size()));
  }
  template <class T, int D>
  void put_field(std::string_view name, const VectorArray<T, D>& values) {
    for (int d = 0; d < D; ++d) put(std::string(name) + "xyz"[d], std::span<const T>(values[d], values.size()));
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void put_number(std::uint64_t number) { put_bytes(std::as_bytes(std::span(&number, 1))); }
  void put_bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  std::vector<std::byte> bytes_;
};

/// Finds arrays by name. Throws UserError if an array is missing or has another element size.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::vector<std::byte> bytes);
  ArchiveReader(const ArchiveReader&) = delete;  // entries are views of the bytes
  ArchiveReader& operator=(const ArchiveReader&) = delete;
  ArchiveReader(ArchiveReader&&) = default;
  ArchiveReader& operator=(ArchiveReader&&) = default;
  ~ArchiveReader() = default;

  bool has(const std::string& name) const { return entries_.contains(name); }
  /// Number of values of an array.
  template <class T>
  std::size_t count(std::string_view name) const {
    return find(name, sizeof(T)).content.size() / sizeof(T);
  }
  /// True if the archive has a vector field of this name.
  bool has_vectors(const std::string& name) const { return entries_.contains(name + "x"); }

  template <class T>
  std::vector<T> get(std::string_view name) const {
    const Entry entry = find(name, sizeof(T));
    std::vector<T> values(entry.content.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), entry.content.data(), entry.content.size());
    return values;
  }
  template <class T>
  void get_value(std::string_view name, T& value) const {
    const auto values = get<T>(name);
    check_count(name, values.size(), 1);
    value = values[0];
  }
  void get_value(std::string_view name, ReproducibleSum& sum) const;
  /// Throws UserError unless count == expected.
  static void check_count(std::string_view name, std::size_t count, std::size_t expected);

  /// Appends an array's values to a field.
  template <class T>
  void append_field(std::string_view name, Array<T>& field) const {
    const auto values = get<T>(name);
    const std::size_t before = field.size();
    field.resize(before + values.size());
    std::copy(values.begin(), values.end(), field.data() + before);
  }
  template <class T, int D>
  void append_field(std::string_view name, VectorArray<T, D>& field) const {
    const std::size_t before = field.size();
    for (int d = 0; d < D; ++d) {
      const auto values = get<T>(std::string(name) + "xyz"[d]);
      if (d == 0) field.resize(before + values.size());
      check_count(name, values.size(), field.size() - before);
      std::copy(values.begin(), values.end(), field[d] + before);
    }
  }

 private:
  struct Entry {
    std::uint64_t element = 0;
    std::span<const std::byte> content;
  };
  Entry find(std::string_view name, std::size_t element) const;

  std::vector<std::byte> bytes_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace eddyline
