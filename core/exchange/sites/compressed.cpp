#include "exchange/sites/compressed.hpp"

#include <utility>

#include "comm/wait.hpp"

namespace eddyline::exchange {

Compressed::Compressed(std::unique_ptr<Strategy> inside, comm::Communicator& communicator, comm::Tag tag)
    : BySite(std::move(inside), communicator), tag_(tag), requests_(communicator.requests()) {}

void Compressed::on_prepare(bool changed) {
  prepare_inside(changed);
  if (changed) {
    lines_.resize(far().size());
    for (std::size_t n = 0; n < far().size(); ++n) {
      const Channel& channel = channels()[far()[n]];
      Line& line = lines_[n];
      line.out.resize(PredictiveCoder::max_encoded_size(channel.out_room));
      line.in.resize(PredictiveCoder::max_encoded_size(channel.in_room));
      line.out_plain.resize(channel.out_room);
      line.in_plain.resize(channel.in_room);
    }
  }
  for (Line& line : lines_) line.out_coder.forget(), line.in_coder.forget();
}

void Compressed::on_begin() {
  begin_inside();
  for (std::size_t n = 0; n < far().size(); ++n) {
    Channel& channel = channels()[far()[n]];
    Line& line = lines_[n];
    channel.out = line.out_plain.data();
    channel.in = line.in_plain.data();
    if (channel.received > 0) requests_->receive_at_most({line.in.data(), line.in.size()}, channel.rank, tag_);
  }
}

void Compressed::on_send(Channel& channel) {
  if (!is_far(channel)) return send_inside(channel);
  if (channel.sent == 0) return;
  Line& line = lines_[number_of(channel)];
  const std::size_t bytes = line.out_coder.encode(channel.outgoing(), {line.out.data(), line.out.size()});
  requests_->send({line.out.data(), bytes}, channel.rank, tag_);
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
    Line& line = lines_[n];
    if (channel.received > 0) line.in_coder.decode({line.in.data(), line.in.size()}, channel.incoming());
  }
  finish_inside();
}

}  // namespace eddyline::exchange
