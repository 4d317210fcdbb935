#pragma once

#include <memory>
#include <vector>

#include "base/arrays.hpp"
#include "exchange/sites/by_site.hpp"
#include "exchange/sites/predictive_coder.hpp"

namespace eddyline::exchange {

/// Compresses messages between sites by predictive coding, see PredictiveCoder, for links with little bandwidth.
/// Another strategy carries messages inside a site.
class Compressed final : public BySite {
 public:
  /// `tag` must differ from that of `inside`.
  Compressed(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag);

 private:
  /// Coders and buffers of a far channel.
  struct CodedChannel {
    PredictiveCoder out_coder, in_coder;
    Array<std::byte> out, in;              // compressed messages
    Array<std::byte> out_plain, in_plain;  // uncompressed messages
  };

  void on_prepare(bool changed) override;
  void on_begin() override;
  void on_send(Channel& channel) override;
  void on_start() override { start_inside(); }
  bool on_test() override;
  void on_finish() override;

  comm::Tag tag_;
  std::unique_ptr<comm::Requests> requests_;
  std::vector<CodedChannel> coded_;  // one per channel of far()
};

}  // namespace eddyline::exchange
