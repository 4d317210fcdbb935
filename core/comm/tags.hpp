#pragma once
// Tags of halos, by name.

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/requests.hpp"

namespace eddyline::comm {

class Tags;

/// The tags of one halo, which no other halo of the same solver has while this object exists.
class HaloTags {
 public:
  HaloTags(HaloTags&& other) noexcept : taken_(std::move(other.taken_)), number_(other.number_) {}
  HaloTags& operator=(HaloTags&&) = delete;
  ~HaloTags() {
    if (taken_) (*taken_)[number_].second = false;
  }

  const std::string& name() const { return (*taken_)[number_].first; }
  Tag messages() const { return numbered(0); }
  /// The tag of its messages between sites that are combined or compressed.
  Tag between_sites() const { return numbered(1); }

 private:
  friend class Tags;
  using Names = std::vector<std::pair<std::string, bool>>;  // and whether a halo has it

  HaloTags(std::shared_ptr<Names> taken, std::size_t number) : taken_(std::move(taken)), number_(number) {}
  Tag numbered(int which) const {
    return static_cast<Tag>(static_cast<int>(Tag::first_of_halos) + 2 * static_cast<int>(number_) + which);
  }

  std::shared_ptr<Names> taken_;
  std::size_t number_;
};

/// The tags of a solver's halos. A name keeps its number, so that ranks agree on numbers if they take new names in the
/// same order.
class Tags {
 public:
  /// Throws std::logic_error if a halo has this name already: its messages could be taken for those of the other one.
  HaloTags take(std::string_view name) {
    auto& names = *names_;
    std::size_t number = 0;
    while (number < names.size() && names[number].first != name) ++number;
    if (number == names.size()) names.emplace_back(name, false);
    if (names[number].second)
      throw std::logic_error("two halos have the name \"" + std::string(name) + "\"; give one of them another name.");
    names[number].second = true;
    return {names_, number};
  }

 private:
  std::shared_ptr<HaloTags::Names> names_ = std::make_shared<HaloTags::Names>();
};

}  // namespace eddyline::comm
