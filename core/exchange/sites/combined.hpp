#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/sites/by_site.hpp"
#include "exchange/sites/leader.hpp"

namespace eddyline::exchange {

/// Between sites, what the ranks of one have for the ranks of another travels in one message: each rank brings all that
/// goes to other sites to the leader of its own, the lowest rank there; leaders send to leaders, and give out what has
/// come. Inside a site messages travel as another strategy carries them. For links on which a message costs far more
/// than inside (Benger et al.). Leaders pass messages on whenever they are asked whether all has arrived, and while
/// they wait.
class Combined final : public BySite {
 public:
  /// tag: another one than that of `inside`. `compress`: what goes between sites, see PredictiveCoder.
  Combined(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag, bool compress);

 private:
  void on_prepare(bool changed) override;
  void on_begin() override;
  void on_send(Channel& channel) override;
  void on_start() override;
  bool on_test() override;
  void on_finish() override;

  void tell_leader(bool changed);
  void learn_from_members(SiteLeader& leader, bool changed);
  Member told_of_this_rank();
  void begin_outside();
  bool outside_is_done();

  comm::Tag tag_;
  int leader_rank_;
  std::optional<SiteLeader> leader_;  // if this rank is one
  std::vector<Member> members_;       // of a leader: what it has been told
  Bundle bundle_;                     // what this rank has for other sites
  std::vector<Bundle::Size> sizes_;
  Array<std::byte> given_;  // what has come for it, in the order of far()
  std::unique_ptr<comm::Requests> requests_;
};

}  // namespace eddyline::exchange
