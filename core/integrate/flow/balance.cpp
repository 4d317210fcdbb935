#include "integrate/flow/balance.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"

namespace eddyline::integrate {

namespace {

constexpr std::int64_t k_least_steps = 40;  // between looks: times of fewer are noise
constexpr double k_least_imbalance = 1.05;
constexpr double k_share_won = 0.8;      // of what imbalance costs: no cut is even
constexpr double k_first_price = 10;     // in steps of the busiest rank, before it was ever paid
constexpr std::int64_t k_horizon = 200;  // steps for which it will last, at least

}  // namespace

bool Balance::is_due(comm::Communicator& communicator, double busy, std::int64_t step) {
  if (communicator.is_alone() || step - step_looked_ < k_least_steps) return false;
  step_looked_ = step;
  const double own = busy_since(busy) / static_cast<double>(steps_since(step));
  double most[] = {own};
  comm::maximum(communicator, most, "balance");
  std::int64_t all[] = {static_cast<std::int64_t>(std::llround(1e9 * own))};
  comm::sum(communicator, all, "balance");
  const double mean = 1e-9 * static_cast<double>(all[0]) / communicator.size();
  imbalance_ = mean > 0 ? most[0] / mean : 1;
  const double lost = k_share_won * (most[0] - mean) * static_cast<double>(std::max(k_horizon, steps_since(step)));
  const double price = times_ > 0 ? price_ : k_first_price * most[0];
  return imbalance_ > k_least_imbalance && lost > price;
}

void Balance::done(comm::Communicator& communicator, double seconds, double busy, std::int64_t step) {
  double most[] = {seconds};
  comm::maximum(communicator, most, "balance");
  price_ = most[0];
  seconds_ += price_;
  ++times_;
  busy_then_ = busy;
  step_then_ = step_looked_ = step;
}

}  // namespace eddyline::integrate
