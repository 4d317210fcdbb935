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

Combined::Combined(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag, bool compress)
    : BySite(std::move(inside), communicator),
      tag_(tag),
      leader_rank_(communicator.leader_of(communicator.rank())),
      requests_(communicator.requests()) {
  if (leader_rank_ != communicator.rank()) return;
  leader_.emplace(communicator, tag, counted(), compress);
  members_.push_back({.rank = leader_rank_, .sends = {}, .receives = {}});
  for (int rank = leader_rank_ + 1; rank < communicator.size(); ++rank)
    if (!communicator.is_far(rank)) members_.push_back({.rank = rank, .sends = {}, .receives = {}});
}

void Combined::on_prepare(bool changed) {
  prepare_inside(changed);
  if (changed) {
    std::size_t out = 0, in = 0;
    for (const std::size_t k : far()) out += channels()[k].out_room, in += channels()[k].in_room;
    bundle_.resize(far().size(), out);
    given_.resize(in);
  }
  if (leader_)
    collect_reports(*leader_, changed);
  else
    report_to_leader(changed);
}

Member Combined::own_messages() {
  const int self = communicator().rank();
  Member own{.rank = self, .sends = {}, .receives = {}};
  for (const std::size_t k : far()) {
    const Channel& channel = channels()[k];
    own.sends.push_back({self, channel.rank, channel.out_room});
    own.receives.push_back({channel.rank, self, channel.in_room});
  }
  return own;
}

/// Reports to the leader the number of messages, if they or their capacities have changed, and then the list of them.
void Combined::report_to_leader(bool changed) {
  const Member own = own_messages();
  const std::int64_t count = changed ? static_cast<std::int64_t>(own.sends.size()) : k_unchanged;
  requests_->send(std::as_bytes(std::span(&count, 1)), leader_rank_, tag_);
  if (count > 0) {
    requests_->send(std::as_bytes(std::span(own.sends)), leader_rank_, tag_);
    requests_->send(std::as_bytes(std::span(own.receives)), leader_rank_, tag_);
  }
  comm::wait(communicator(), *requests_, k_phase);
}

void Combined::collect_reports(SiteLeader& leader, bool changed) {
  std::vector<std::int64_t> counts(members_.size(), k_unchanged);
  for (std::size_t m = 1; m < members_.size(); ++m)
    requests_->receive(std::as_writable_bytes(std::span(&counts[m], 1)), members_[m].rank, tag_);
  comm::wait(communicator(), *requests_, k_phase);
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
  comm::wait(communicator(), *requests_, k_phase);
  leader.reset_coders();
  if (!changed) return;
  members_[0] = own_messages();
  leader.arrange(members_);
}

void Combined::on_begin() {
  begin_inside();
  begin_outside();
}

void Combined::begin_outside() {
  sizes_.clear();
  for (const std::size_t k : far()) sizes_.push_back(channels()[k].sent);
  bundle_.write(sizes_);
  std::byte* next = given_.data();
  for (std::size_t n = 0; n < far().size(); ++n) {
    Channel& channel = channels()[far()[n]];
    channel.out = bundle_.place(n).data();
    channel.in = next;
    next += channel.received;
  }
  if (leader_) return leader_->begin(bundle_, given_.data());
  for (std::size_t n = 0; n < far().size();) {  // one message from each site that sends anything
    std::byte* const first = channels()[far()[n]].in;
    const int site = communicator().leader_of(channels()[far()[n]].rank);
    std::size_t bytes = 0;
    for (; n < far().size() && communicator().leader_of(channels()[far()[n]].rank) == site; ++n)
      bytes += channels()[far()[n]].received;
    if (bytes > 0) requests_->receive({first, bytes}, leader_rank_, tag_);
  }
}

void Combined::on_send(Channel& channel) {
  if (!is_far(channel)) send_inside(channel);
}

void Combined::on_start() {
  if (!leader_ && !far().empty()) {
    requests_->send(bundle_.written(), leader_rank_, tag_);
    counted().add(bundle_.written().size(), false);
  }
  start_inside();
  progress_outside();
}

bool Combined::progress_outside() { return leader_ ? leader_->make_progress() : requests_->test(); }

bool Combined::on_test() {
  const bool outside = progress_outside();
  return inside_arrived() && outside;
}

void Combined::on_finish() {
  comm::wait_until(communicator(), k_phase, [this] { return progress_outside(); });
  finish_inside();
}

}  // namespace eddyline::exchange
