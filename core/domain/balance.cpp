#include "domain/balance.hpp"

#include <algorithm>
#include <cmath>

#include "comm/collectives.hpp"

namespace eddyline::domain {

namespace {

constexpr std::int64_t k_least_steps = 20;  // between measurements
constexpr double k_least_imbalance = 1.02;
constexpr double k_share_won = 0.8;      // of the cost of imbalance that a new partition saves: no partition is even
constexpr double k_first_price = 10;     // in steps of the busiest rank, before it has been measured
constexpr std::int64_t k_horizon = 200;  // steps for which it will last, at least

}  // namespace

bool Balance::is_due(comm::Communicator& communicator, double busy, std::int64_t step) {
  if (communicator.is_alone()) return false;
  if (step_looked_ == k_never) begin(busy, step);
  if (step - step_looked_ < k_least_steps) return false;
  costs_[looks_++ % k_looks] = (busy - busy_looked_) / static_cast<double>(step - step_looked_);
  step_looked_ = step, busy_looked_ = busy;
  if (looks_ < k_looks) return false;
  const double own = cost(busy, step);
  double most[] = {own};
  comm::maximum(communicator, most, "balance");
  std::int64_t all[] = {static_cast<std::int64_t>(std::llround(1e9 * own))};
  comm::sum(communicator, all, "balance");
  const double mean = 1e-9 * static_cast<double>(all[0]) / communicator.size();
  imbalance_ = mean > 0 ? most[0] / mean : 1;
  const double lost = k_share_won * (most[0] - mean) * static_cast<double>(std::max(k_horizon, step - step_then_));
  const double price = times_ > 0 ? price_ : k_first_price * most[0];
  return imbalance_ > k_least_imbalance && lost > price;
}

double Balance::cost(double busy, std::int64_t step) const {
  const std::int64_t steps = step - std::max<std::int64_t>(0, step_then_);
  if (looks_ < k_looks) return (busy - busy_then_) / static_cast<double>(std::max<std::int64_t>(1, steps));
  auto sorted = costs_;
  std::nth_element(sorted.begin(), sorted.begin() + k_looks / 2, sorted.end());
  return sorted[k_looks / 2];
}

void Balance::done(comm::Communicator& communicator, double seconds, double busy, std::int64_t step) {
  double most[] = {seconds};
  comm::maximum(communicator, most, "balance");
  price_ = most[0];
  seconds_ += price_;
  ++times_;
  begin(busy, step);
}

void Balance::begin(double busy, std::int64_t step) {
  busy_then_ = busy_looked_ = busy;
  step_then_ = step_looked_ = step;
  looks_ = 0;
}

}  // namespace eddyline::domain
