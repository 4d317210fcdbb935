#pragma once
// Overlap of communication and computation: rows travel between ranks while the interior is computed.

#include <span>
#include <utility>

#include "base/timers.hpp"
#include "exchange/halo.hpp"
#include "neighbors/fields.hpp"
#include "solvers/sph/parts.hpp"

namespace eddyline::sph {

/// The blocks of a sweep that are still to be summed in this step. The interior is taken in portions while something
/// travels.
class PendingBlocks {
 public:
  PendingBlocks() = default;
  PendingBlocks(Blocks border, Blocks interior) : border_(border), interior_(interior) {}

  bool interior_is_done() const { return interior_.empty(); }
  /// Takes some blocks of the interior.
  Blocks take_some() { return interior_.next(); }
  /// Takes all blocks of a part that are left.
  Blocks take(Part part) { return part == Part::border ? std::exchange(border_, {}) : interior_.rest(); }

 private:
  Blocks border_;
  WorkPortions interior_;
};

/// Work for a rank that waits: sum(blocks) for some blocks of the interior at a time.
template <class Sum>
struct Meanwhile {
  PendingBlocks& pending;
  Sum sum;
};

/// Rows that a halo carries: `sent` to ghosts on other ranks, `within` to ghosts of this rank.
template <class T>
struct Cargo {
  exchange::Halo& halo;
  neighbors::RowField<T> sent, within;
};

/// Cargo that leaves as soon as the border is done. `ahead`: it belongs to the next step, which receives it.
template <class T>
struct Sends {
  Cargo<T> cargo;
  bool ahead = false;
};

/// Exchanges rows between ranks while the interior is computed. Every exchange of the scheme delta goes through this
/// class, which measures the time that it takes.
template <class T, int D>
class Overlap {
 public:
  explicit Overlap(Parts<T, D>& parts) : state_(parts.state), domain_(parts.domain) {}

  /// Computes the border, sends its rows, and computes the interior while they travel. compute(part) also sums the
  /// blocks of that part.
  template <class Compute>
  void boundary_first(Compute&& compute, const Sends<T>& sends) {
    compute(Part::border);
    sends.ahead ? send_ahead(sends.cargo) : send(sends.cargo);
    compute(Part::interior);
    if (!sends.ahead) copy_within(sends.cargo);
  }
  /// Waits for the cargo of other ranks and works meanwhile.
  template <class Sum>
  void receive(const Cargo<T>& cargo, const Meanwhile<Sum>& work) {
    until([&] { return cargo.halo.arrived(); }, work);
    receive(cargo);
  }
  void receive(const Cargo<T>& cargo) {
    cargo.halo.wait();
    domain_.timers.lap(Phase::wait);
    domain_.receive(cargo.halo, cargo.sent);
    domain_.timers.lap(Phase::pack);
  }
  template <class... Work>
  void exchange(const Cargo<T>& cargo, const Work&... work) {
    send(cargo);
    copy_within(cargo);
    receive(cargo, work...);
  }
  /// Works until something has arrived, or nothing is left to do.
  template <class Arrived, class Sum>
  void until(Arrived&& arrived, const Meanwhile<Sum>& work) {
    while (!work.pending.interior_is_done() && !arrived()) work.sum(work.pending.take_some());
  }

  void send(const Cargo<T>& cargo) {
    domain_.send(cargo.halo, cargo.sent);
    domain_.timers.lap(Phase::pack);
  }
  void copy_within(const Cargo<T>& cargo) {
    cargo.halo.gather_within(cargo.within);
    domain_.timers.lap(Phase::pack);
  }

  /// Sends cargo for the next step.
  void send_ahead(const Cargo<T>& cargo) {
    if (!sends_ahead()) return;
    send(cargo);
    is_sent_ahead_ = true;
  }
  /// Sends cargo, unless the last step has sent it ahead.
  void send_once(const Cargo<T>& cargo) {
    if (!std::exchange(is_sent_ahead_, false)) send(cargo);
  }
  bool has_sent_ahead() const { return is_sent_ahead_; }
  /// Receives and discards cargo that was sent ahead, on all ranks.
  void recall(const Cargo<T>& cargo) {
    if (std::exchange(is_sent_ahead_, false)) receive(cargo);
  }

  /// The phase of work on a part: with other ranks, the border is measured apart.
  Phase phase_of(Part part, Phase phase) const {
    const bool apart = part == Part::border && !domain_.communicator().is_alone() && !domain_.lazy.computes_copies();
    return apart ? Phase::fringe : phase;
  }

 private:
  /// Tells whether the rows with which the next step begins are known when this one ends.
  bool sends_ahead() const {
    return !domain_.communicator().is_alone() && state_.openings.empty() && !domain_.lazy.is_on();
  }

  const State<T, D>& state_;
  Domain<T, D>& domain_;
  bool is_sent_ahead_ = false;
};

}  // namespace eddyline::sph
