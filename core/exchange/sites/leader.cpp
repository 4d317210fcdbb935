#include "exchange/sites/leader.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace eddyline::exchange {

namespace {

std::uint64_t room_of(const std::vector<RelayedMessage>& messages) {
  std::uint64_t bytes = 0;
  for (const RelayedMessage& message : messages) bytes += message.room;
  return bytes;
}

}  // namespace

void Bundle::read(std::size_t messages) {
  begin_.assign(1, messages * sizeof(Size));
  for (std::size_t k = 0; k < messages; ++k) {
    Size size = 0;
    std::memcpy(&size, memory_.data() + k * sizeof size, sizeof size);
    begin_.push_back(begin_.back() + size);
  }
  assert(begin_.back() <= memory_.size());
}

std::span<const std::byte> Bundle::message(std::size_t k) const {
  return {memory_.data() + begin_[k], begin_[k + 1] - begin_[k]};
}

void Bundle::write(std::span<const Size> sizes) {
  const auto bytes = std::as_bytes(sizes);
  std::copy(bytes.begin(), bytes.end(), memory_.data());
  read(sizes.size());
}

std::span<std::byte> Bundle::place(std::size_t k) { return {memory_.data() + begin_[k], begin_[k + 1] - begin_[k]}; }

SiteLeader::SiteLeader(comm::Communicator& communicator, comm::Tag tag, Sent& sent, bool compress)
    : communicator_(communicator),
      tag_(tag),
      sent_(sent),
      gathered_(communicator.requests()),
      sends_(communicator.requests()),
      compress_(compress) {}

void SiteLeader::reset_coders() {
  for (Site& site : sites_) site.out_coder.reset(), site.in_coder.reset();
}

void SiteLeader::arrange(std::vector<Member> members) {
  members_ = std::move(members);
  sites_.clear();
  bundles_.resize(members_.size());
  for (std::size_t m = 0; m < members_.size(); ++m) {
    const Member& member = members_[m];
    bundles_[m].resize(member.sends.size(), room_of(member.sends));
    for (std::size_t k = 0; k < member.sends.size(); ++k)
      sites_[site_with(communicator_.leader_of(member.sends[k].to))].sends.push_back({m, k});
    for (std::size_t k = 0; k < member.receives.size(); ++k)
      sites_[site_with(communicator_.leader_of(member.receives[k].from))].receives.push_back({m, k});
  }
  std::sort(sites_.begin(), sites_.end(), [](const Site& a, const Site& b) { return a.leader < b.leader; });
  arrange_rooms();
}

std::size_t SiteLeader::site_with(int leader) {
  const auto found =
      std::find_if(sites_.begin(), sites_.end(), [&](const Site& site) { return site.leader == leader; });
  if (found != sites_.end()) return static_cast<std::size_t>(found - sites_.begin());
  sites_.emplace_back();
  sites_.back().leader = leader;
  return sites_.size() - 1;
}

void SiteLeader::arrange_rooms() {
  for (Site& site : sites_) {
    site.coming = communicator_.requests();
    site.given.resize(members_.size());
    std::vector<std::uint64_t> given(members_.size(), 0);
    std::uint64_t out = 0, in = 0;
    for (const Place& place : site.sends) out += members_[place.member].sends[place.message].room;
    for (const Place& place : site.receives) {
      const std::uint64_t room = members_[place.member].receives[place.message].room;
      in += room;
      given[place.member] += room;
    }
    // The bundle arrives sorted by sender, then receiver, while site.receives has been filled by receiver, then sender.
    // receiver.
    std::stable_sort(site.receives.begin(), site.receives.end(), [&](const Place& a, const Place& b) {
      return members_[a.member].receives[a.message].from < members_[b.member].receives[b.message].from;
    });
    site.out.resize(site.sends.size(), out);
    site.in.resize(site.receives.size(), in);
    if (compress_) {
      site.out_coded.resize(PredictiveCoder::max_encoded_size(site.out.room().size()));
      site.in_coded.resize(PredictiveCoder::max_encoded_size(site.in.room().size()));
    }
    for (std::size_t m = 1; m < members_.size(); ++m) site.given[m].resize(given[m]);
  }
}

void SiteLeader::begin(const Bundle& own, std::byte* given) {
  own_ = &own, given_ = given;
  for (std::size_t m = 1; m < members_.size(); ++m)
    if (!members_[m].sends.empty()) gathered_->receive_at_most(bundles_[m].room(), members_[m].rank, tag_);
  for (Site& site : sites_) {
    const std::span<std::byte> coded{site.in_coded.data(), site.in_coded.size()};
    site.coming->receive_at_most(compress_ ? coded : site.in.room(), site.leader, tag_);
    site.received = false;
  }
  relayed_ = false;
}

bool SiteLeader::make_progress() {
  if (!relayed_ && gathered_->test()) send_to_sites();
  bool all = relayed_;
  for (Site& site : sites_) {
    if (!site.received && !site.coming->test()) return false;  // ranks expect the sites in order
    if (!std::exchange(site.received, true)) distribute(site);
  }
  return sends_->test() && all;
}

void SiteLeader::send_to_sites() {
  relayed_ = true;
  for (std::size_t m = 1; m < members_.size(); ++m)
    if (!members_[m].sends.empty()) bundles_[m].read(members_[m].sends.size());
  const auto message = [this](const Place& place) {
    return (place.member == 0 ? *own_ : bundles_[place.member]).message(place.message);
  };
  std::vector<Bundle::Size> sizes;
  for (Site& site : sites_) {
    sizes.clear();
    for (const Place& place : site.sends) sizes.push_back(message(place).size());
    site.out.write(sizes);
    for (std::size_t k = 0; k < site.sends.size(); ++k) {
      const auto from = message(site.sends[k]);
      std::copy(from.begin(), from.end(), site.out.place(k).begin());
    }
    if (!compress_) {
      send(site.out.written(), site.leader);
      continue;
    }
    const std::span<std::byte> coded{site.out_coded.data(), site.out_coded.size()};
    send(coded.first(site.out_coder.encode(site.out.written(), coded)), site.leader);
  }
}

void SiteLeader::distribute(Site& site) {
  if (compress_) site.in_coder.decode({site.in_coded.data(), site.in_coded.size()}, site.in.room());
  site.in.read(site.receives.size());
  std::vector<std::byte*> end{given_};  // end of each member's data
  for (std::size_t m = 1; m < members_.size(); ++m) end.push_back(site.given[m].data());
  for (std::size_t k = 0; k < site.receives.size(); ++k) {
    const auto message = site.in.message(k);
    std::byte*& to = end[site.receives[k].member];
    to = std::copy(message.begin(), message.end(), to);
  }
  given_ = end[0];
  for (std::size_t m = 1; m < members_.size(); ++m) {
    const auto bytes = static_cast<std::size_t>(end[m] - site.given[m].data());
    if (bytes > 0) send({site.given[m].data(), bytes}, members_[m].rank);
  }
}

void SiteLeader::send(std::span<const std::byte> message, int to) {
  sends_->send(message, to, tag_);
  sent_.add(message.size(), communicator_.is_far(to));
}

}  // namespace eddyline::exchange
