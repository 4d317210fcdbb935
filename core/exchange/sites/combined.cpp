#include "exchange/sites/combined.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "comm/wait.hpp"

namespace eddyline::exchange {

namespace {

constexpr std::string_view k_phase = "halo exchange, combined by site";
constexpr std::int64_t k_unchanged = -1;

}  // namespace

Combined::Combined(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag)
    : inside_(std::move(inside)),
      communicator_(communicator),
      tag_(tag),
      leader_rank_(communicator.leader_of(communicator.rank())),
      requests_(communicator.requests()) {
  if (leader_rank_ != communicator.rank()) return;
  leader_.emplace(communicator, tag, sent_);
  members_.push_back({.rank = leader_rank_, .sends = {}, .receives = {}});
  for (int rank = leader_rank_ + 1; rank < communicator.size(); ++rank)
    if (!communicator.is_far(rank)) members_.push_back({.rank = rank, .sends = {}, .receives = {}});
}

void Combined::on_prepare(bool changed) {
  if (changed) sort_channels();
  inside_->prepare(near(&Channel::out_room, &Channel::in_room));
  if (changed) {
    std::size_t out = 0, in = 0;
    for (const std::size_t k : far_) out += channels()[k].out_room, in += channels()[k].in_room;
    bundle_.resize(far_.size(), out);
    given_.resize(in);
  }
  if (leader_)
    learn_from_members(*leader_, changed);
  else
    tell_leader(changed);
}

void Combined::sort_channels() {
  near_.clear(), far_.clear();
  for (std::size_t k = 0; k < channels().size(); ++k)
    (communicator_.is_far(channels()[k].rank) ? far_ : near_).push_back(k);
  const auto place = [this](std::size_t k) {
    const int rank = channels()[k].rank;
    return std::pair(communicator_.leader_of(rank), rank);
  };
  std::sort(far_.begin(), far_.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  number_.resize(channels().size());
  for (std::size_t n = 0; n < near_.size(); ++n) number_[near_[n]] = n;
  for (std::size_t n = 0; n < far_.size(); ++n) number_[far_[n]] = n;
}

Member Combined::told_of_this_rank() {
  const int self = communicator_.rank();
  Member own{.rank = self, .sends = {}, .receives = {}};
  for (const std::size_t k : far_) {
    const Channel& channel = channels()[k];
    own.sends.push_back({self, channel.rank, channel.out_room});
    own.receives.push_back({channel.rank, self, channel.in_room});
  }
  return own;
}

/// How many messages there are, if they or their room have changed, and what they are.
void Combined::tell_leader(bool changed) {
  const Member own = told_of_this_rank();
  const std::int64_t count = changed ? static_cast<std::int64_t>(own.sends.size()) : k_unchanged;
  requests_->send(std::as_bytes(std::span(&count, 1)), leader_rank_, tag_);
  if (count > 0) {
    requests_->send(std::as_bytes(std::span(own.sends)), leader_rank_, tag_);
    requests_->send(std::as_bytes(std::span(own.receives)), leader_rank_, tag_);
  }
  comm::wait(communicator_, *requests_, k_phase);
}

void Combined::learn_from_members(SiteLeader& leader, bool changed) {
  std::vector<std::int64_t> counts(members_.size(), k_unchanged);
  for (std::size_t m = 1; m < members_.size(); ++m)
    requests_->receive(std::as_writable_bytes(std::span(&counts[m], 1)), members_[m].rank, tag_);
  comm::wait(communicator_, *requests_, k_phase);
  for (std::size_t m = 1; m < members_.size(); ++m) {
    if (counts[m] == k_unchanged) continue;
    changed = true;
    Member& member = members_[m];
    member.sends.resize(static_cast<std::size_t>(counts[m]));
    member.receives.resize(static_cast<std::size_t>(counts[m]));
    if (counts[m] == 0) continue;
    requests_->receive(std::as_writable_bytes(std::span(member.sends)), member.rank, tag_);
    requests_->receive(std::as_writable_bytes(std::span(member.receives)), member.rank, tag_);
  }
  comm::wait(communicator_, *requests_, k_phase);
  if (!changed) return;
  members_[0] = told_of_this_rank();
  leader.arrange(members_);
}

void Combined::on_begin() {
  begin_inside();
  begin_outside();
}

void Combined::begin_inside() {
  inside_->begin(near(&Channel::sent, &Channel::received));
  for (std::size_t n = 0; n < near_.size(); ++n) {
    Channel& channel = channels()[near_[n]];
    channel.out = inside_->outgoing(n).data();
    channel.in = const_cast<std::byte*>(inside_->incoming(n).data());  // which this class does not write
  }
}

void Combined::begin_outside() {
  sizes_.clear();
  for (const std::size_t k : far_) sizes_.push_back(channels()[k].sent);
  bundle_.write(sizes_);
  std::byte* next = given_.data();
  for (std::size_t n = 0; n < far_.size(); ++n) {
    Channel& channel = channels()[far_[n]];
    channel.out = bundle_.place(n).data();
    channel.in = next;
    next += channel.received;
  }
  if (leader_) return leader_->begin(bundle_, given_.data());
  for (std::size_t n = 0; n < far_.size();) {  // a message for each site from which anything comes
    std::byte* const first = channels()[far_[n]].in;
    const int site = communicator_.leader_of(channels()[far_[n]].rank);
    std::size_t bytes = 0;
    for (; n < far_.size() && communicator_.leader_of(channels()[far_[n]].rank) == site; ++n)
      bytes += channels()[far_[n]].received;
    if (bytes > 0) requests_->receive({first, bytes}, leader_rank_, tag_);
  }
}

void Combined::on_send(Channel& channel) {
  if (communicator_.is_far(channel.rank)) return;
  inside_->send(number_[static_cast<std::size_t>(&channel - channels().data())]);
  sent_.add(channel.sent, false);
}

void Combined::on_start() {
  if (!leader_ && !far_.empty()) {
    requests_->send(bundle_.written(), leader_rank_, tag_);
    sent_.add(bundle_.written().size(), false);
  }
  inside_->start();
  outside_is_done();
}

bool Combined::outside_is_done() { return leader_ ? leader_->pass_on() : requests_->test(); }

bool Combined::on_test() {
  const bool outside = outside_is_done();
  return inside_->arrived() && outside;
}

void Combined::on_finish() {
  comm::wait_until(communicator_, k_phase, [this] { return outside_is_done(); });
  inside_->finish();
}

std::span<const Neighbor> Combined::near(std::size_t Channel::* sent, std::size_t Channel::* received) {
  neighbors_.clear();
  for (const std::size_t k : near_) {
    const Channel& channel = channels()[k];
    neighbors_.push_back({channel.rank, channel.*sent, channel.*received});
  }
  return neighbors_;
}

}  // namespace eddyline::exchange
