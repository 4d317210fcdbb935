#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/sites/by_site.hpp"
#include "exchange/sites/leader.hpp"

namespace eddyline::exchange {

/// Combines messages between sites: all messages from the ranks of one site to the ranks of another travel as one. Each
/// rank sends its messages for other sites to the leader of its own site, which is the site's lowest rank; leaders
/// exchange bundles and distribute what they receive. Another strategy carries messages inside a site. This pays on
/// links on which a message costs far more than inside a site (Benger et al.). Leaders relay messages whenever
/// arrived() is called and while they wait.
class Combined final : public BySite {
 public:
  /// `tag` must differ from that of `inside`. `compress`: compresses messages between sites, see PredictiveCoder.
  Combined(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag, bool compress);

 private:
  void on_prepare(bool changed) override;
  void on_begin() override;
  void on_send(Channel& channel) override;
  void on_start() override;
  bool on_test() override;
  void on_finish() override;

  void report_to_leader(bool changed);
  void collect_reports(SiteLeader& leader, bool changed);
  Member own_messages();
  void begin_outside();
  bool progress_outside();

  comm::Tag tag_;
  int leader_rank_;
  std::optional<SiteLeader> leader_;  // on the leader only
  std::vector<Member> members_;       // on the leader only: messages of each rank of the site
  Bundle bundle_;                     // this rank's messages to other sites
  std::vector<Bundle::Size> sizes_;
  Array<std::byte> given_;  // messages received from other sites, in the order of far()
  std::unique_ptr<comm::Requests> requests_;
};

}  // namespace eddyline::exchange
