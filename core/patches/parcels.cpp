#include "patches/parcels.hpp"

#include <stdexcept>
#include <utility>

namespace eddyline::patches {

namespace {

std::uint32_t bit(std::size_t parcel) { return std::uint32_t{1} << parcel; }

}  // namespace

void Parcels::connect(const Gather& ghosts) {
  if (received_ != k_all || sent_ != 0) throw std::logic_error("patches change while their ghosts travel");
  for (std::size_t p = 0; p < halos_.size(); ++p) ghosts.connect(*halos_[p], static_cast<int>(p));
}

void Parcels::send(std::uint32_t parcels, const Fields& fields, const Fields& received) {
  ready_ |= parcels;
  for (std::size_t p = 0; p < halos_.size(); ++p)
    if ((ready_ & ~sent_ & bit(p)) != 0 && arrived(bit(p), received)) {
      halos_[p]->start(fields);
      sent_ |= bit(p);
    }
}

void Parcels::send_rest(const Fields& fields, const Fields& received) {
  wait(k_all, received);
  send(k_all, fields, received);
}

void Parcels::turn() {
  if (received_ != k_all || sent_ != k_all) throw std::logic_error("parcels are missing");
  received_ = ready_ = sent_ = 0;
}

bool Parcels::arrived(std::uint32_t parcels, const Fields& received) {
  for (std::size_t p = 0; p < halos_.size(); ++p)
    if ((parcels & ~received_ & bit(p)) != 0 && halos_[p]->arrived()) {
      halos_[p]->finish(received);
      received_ |= bit(p);
    }
  return (parcels & ~received_) == 0;
}

void Parcels::wait(std::uint32_t parcels, const Fields& received) {
  for (std::size_t p = 0; p < halos_.size(); ++p)
    if ((parcels & ~received_ & bit(p)) != 0) {
      halos_[p]->finish(received);
      received_ |= bit(p);
    }
}

exchange::Traffic Parcels::traffic() const {
  exchange::Traffic all;
  for (const auto& halo : halos_) all += halo->traffic();
  return all;
}

}  // namespace eddyline::patches
