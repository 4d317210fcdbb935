#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "comm/communicator.hpp"
#include "exchange/box_fields.hpp"
#include "exchange/halo.hpp"
#include "patches/gather.hpp"
#include "patches/patch_set.hpp"

namespace eddyline::patches {

/// Messages for the ghosts of a level, in parcels that leave one by one, as soon as their patches have been
/// computed, and are received one by one. While the parcels of one state are received, those of the next one leave.
/// Sets of parcels have a bit for each. Every rank sends all parcels of a state, in any order.
class Parcels {
 public:
  using Fields = exchange::BoxFields<double>;
  static constexpr std::uint32_t k_all = (std::uint32_t{1} << PatchSet::k_parcels) - 1;

  /// True if parcels travel while a rank computes, whatever else it does: only then they are worth their messages.
  static bool pay(std::string_view strategy, const comm::Communicator& communicator) {
    return strategy == "threaded" && communicator.size() > 1;
  }

  void add(std::unique_ptr<exchange::BoxHalo> halo) { halos_.push_back(std::move(halo)); }
  bool empty() const { return halos_.empty(); }
  /// New patches. Nothing may be under way.
  void connect(const Gather& ghosts);

  /// Sends parcels of the next state. Those whose predecessors have not arrived yet are sent by a later call.
  /// `fields`: of the next state; `received`: of the current one.
  void send(std::uint32_t parcels, const Fields& fields, const Fields& received);
  /// Sends all parcels of the next state that have not left yet; waits for their predecessors.
  void send_rest(const Fields& fields, const Fields& received);
  /// True if parcels of a next state have left.
  bool has_next() const { return sent_ != 0; }
  /// The next state, all of which has been sent, becomes the current one.
  void turn();

  /// Receives what has arrived of the current state; true if these parcels are there. Makes progress.
  bool arrived(std::uint32_t parcels, const Fields& received);
  void wait(std::uint32_t parcels, const Fields& received);

  exchange::Traffic traffic() const;

 private:
  std::vector<std::unique_ptr<exchange::BoxHalo>> halos_;  // of each parcel
  std::uint32_t received_ = k_all;                         // of the current state
  std::uint32_t ready_ = 0, sent_ = 0;                     // of the next one
};

}  // namespace eddyline::patches
