#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "exchange/halo.hpp"

namespace eddyline::amr {

/// The way in which ranks exchange cells.
struct Way {
  comm::Communicator* communicator = nullptr;
  std::string exchange = "nonblocking";
  exchange::BetweenSites between;
  comm::Tags tags{};   // of the solver
  std::string user{};  // begins the names of halos

  /// The same for a user with halos of its own.
  Way of(const std::string& name) const {
    Way way = *this;
    way.user = name + " ";
    return way;
  }
  exchange::BoxHalo halo(const std::string& name) const {
    comm::Tags own = tags;
    return {*communicator, exchange, between, own.take(user + name)};
  }
  int rank() const { return communicator->rank(); }
};

}  // namespace eddyline::amr
