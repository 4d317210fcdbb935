#include "integrate/flow/control.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "comm/collectives.hpp"

namespace eddyline::integrate {

void Control::agree(comm::Communicator& communicator, std::span<double> more, std::string_view what) {
  constexpr std::size_t k_most = 2;
  assert(more.size() <= k_most);
  std::array<double, 6 + k_most> all{latest.speed,        latest.corrected,       latest.signal,
                                     latest.acceleration, latest.bad ? 1.0 : 0.0, stop ? 1.0 : 0.0};
  std::copy(more.begin(), more.end(), all.end() - k_most);
  comm::maximum(communicator, all, what);
  latest = {all[0], all[1], all[4] > 0, all[2], all[3]};
  bad = latest.bad;
  stop = all[5] > 0;
  std::copy_n(all.end() - k_most, more.size(), more.begin());
}

}  // namespace eddyline::integrate
