#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/sites/leader.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

/// Between sites, what the ranks of one have for the ranks of another travels in one message: each rank brings all that
/// goes to other sites to the leader of its own, the lowest rank there; leaders send to leaders, and give out what has
/// come. Inside a site messages travel as another strategy carries them. For links on which a message costs far more
/// than inside (Benger et al.). Leaders pass messages on whenever they are asked whether all has arrived, and while
/// they wait.
class Combined final : public Strategy {
 public:
  /// `inside`: carries messages inside a site. tag: another one than that of `inside`.
  Combined(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag);

  const Sent* sent() const override { return &sent_; }

 private:
  void on_prepare(bool changed) override;
  void on_begin() override;
  void on_send(Channel& channel) override;
  void on_start() override;
  bool on_test() override;
  void on_finish() override;

  void sort_channels();
  void tell_leader(bool changed);
  void learn_from_members(SiteLeader& leader, bool changed);
  Member told_of_this_rank();
  void begin_inside();
  void begin_outside();
  bool outside_is_done();
  std::span<const Neighbor> near(std::size_t Channel::* sent, std::size_t Channel::* received);

  std::unique_ptr<Strategy> inside_;
  comm::Communicator& communicator_;
  comm::Tag tag_;
  int leader_rank_;
  std::optional<SiteLeader> leader_;  // if this rank is one
  std::vector<std::size_t> near_;     // channels inside the site, by rank
  std::vector<std::size_t> far_;      // to other sites, by their leaders, then by rank
  std::vector<std::size_t> number_;   // of each channel in one of the two
  std::vector<Neighbor> neighbors_;
  std::vector<Member> members_;  // of a leader: what it has been told
  Bundle bundle_;                // what this rank has for other sites
  std::vector<Bundle::Size> sizes_;
  Array<std::byte> given_;  // what has come for it, in the order of far_
  std::unique_ptr<comm::Requests> requests_;
  Sent sent_;
};

}  // namespace eddyline::exchange
