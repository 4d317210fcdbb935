#include "base/archive.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace eddyline {

namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw UserError("checkpoint: `" + std::string(name) + "` " + why +
                  "; it was written by another version of Eddyline, or for another world.");
}

}  // namespace

ArchiveReader::ArchiveReader(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  std::span<const std::byte> rest(bytes_);
  const auto take = [&rest](std::uint64_t size) {
    if (size > rest.size()) refuse("", "ends too early");
    const auto taken = rest.first(size);
    rest = rest.subspan(size);
    return taken;
  };
  const auto number = [&take] {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  };
  while (!rest.empty()) {
    const auto name = take(number());
    Entry entry;
    entry.element = number();
    const std::uint64_t count = number();
    if (entry.element == 0 || count > rest.size() / entry.element) refuse("", "ends too early");
    entry.content = take(entry.element * count);
    entries_.emplace(std::string(reinterpret_cast<const char*>(name.data()), name.size()), entry);
  }
}

ArchiveReader::Entry ArchiveReader::find(std::string_view name, std::size_t element) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) refuse(name, "is missing");
  if (found->second.element != element) refuse(name, "has another element size");
  return found->second;
}

void ArchiveReader::check_count(std::string_view name, std::size_t count, std::size_t expected) {
  if (count != expected)
    refuse(name, "has " + std::to_string(count) + " values instead of " + std::to_string(expected));
}

void ArchiveReader::get_value(std::string_view name, ReproducibleSum& sum) const {
  const auto words = get<std::int64_t>(name);
  ReproducibleSum::Packed packed;
  check_count(name, words.size(), packed.size());
  std::copy(words.begin(), words.end(), packed.begin());
  sum = ReproducibleSum::unpack(packed);
}

}  // namespace eddyline
