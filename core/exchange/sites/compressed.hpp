#pragma once

#include <memory>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/sites/by_site.hpp"
#include "exchange/sites/predictive_coder.hpp"

namespace eddyline::exchange {

/// Between sites, messages travel as what differs from what the other side foretells, see PredictiveCoder: for links
/// that bring few bytes a second. Inside a site they travel as another strategy carries them.
class Compressed final : public BySite {
 public:
  /// tag: another one than that of `inside`.
  Compressed(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag);

 private:
  /// What a far channel holds as it travels.
  struct Line {
    PredictiveCoder out_coder, in_coder;
    Array<std::byte> out, in;              // coded
    Array<std::byte> out_plain, in_plain;  // as it is packed and read
  };

  void on_prepare(bool changed) override;
  void on_begin() override;
  void on_send(Channel& channel) override;
  void on_start() override { start_inside(); }
  bool on_test() override;
  void on_finish() override;

  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
  std::vector<Line> lines_;  // of far()
};

}  // namespace eddyline::exchange
