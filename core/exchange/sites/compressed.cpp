#include "exchange/sites/compressed.hpp"

#include <utility>

#include "comm/wait.hpp"

namespace eddyline::exchange {

Compressed::Compressed(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag)
    : BySite(std::move(inside), communicator), tag_(tag), requests_(communicator.requests()) {}

void Compressed::on_prepare(bool changed) {
  prepare_inside(changed);
  if (changed) {
    coded_.resize(far().size());
    for (std::size_t n = 0; n < far().size(); ++n) {
      const Channel& channel = channels()[far()[n]];
      CodedChannel& coded = coded_[n];
      coded.out.resize(PredictiveCoder::max_encoded_size(channel.out_room));
      coded.in.resize(PredictiveCoder::max_encoded_size(channel.in_room));
      coded.out_plain.resize(channel.out_room);
      coded.in_plain.resize(channel.in_room);
    }
  }
  for (CodedChannel& coded : coded_) coded.out_coder.reset(), coded.in_coder.reset();
}

void Compressed::on_begin() {
  begin_inside();
  for (std::size_t n = 0; n < far().size(); ++n) {
    Channel& channel = channels()[far()[n]];
    CodedChannel& coded = coded_[n];
    channel.out = coded.out_plain.data();
    channel.in = coded.in_plain.data();
    if (channel.received > 0) requests_->receive_at_most({coded.in.data(), coded.in.size()}, channel.rank, tag_);
  }
}

void Compressed::on_send(Channel& channel) {
  if (!is_far(channel)) return send_inside(channel);
  if (channel.sent == 0) return;
  CodedChannel& coded = coded_[number_of(channel)];
  const std::size_t bytes = coded.out_coder.encode(channel.outgoing(), {coded.out.data(), coded.out.size()});
  requests_->send({coded.out.data(), bytes}, channel.rank, tag_);
  counted().add(bytes, true);
}

bool Compressed::on_test() {
  const bool outside = requests_->test();
  return inside_arrived() && outside;
}

void Compressed::on_finish() {
  comm::wait(communicator(), *requests_, "halo exchange, compressed between sites");
  for (std::size_t n = 0; n < far().size(); ++n) {
    const Channel& channel = channels()[far()[n]];
    CodedChannel& coded = coded_[n];
    if (channel.received > 0) coded.in_coder.decode({coded.in.data(), coded.in.size()}, channel.incoming());
  }
  finish_inside();
}

}  // namespace eddyline::exchange
