#include "integrate/flow/control.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "comm/collectives.hpp"

namespace eddyline::integrate {

void Control::agree(comm::Communicator& communicator, std::span<double> more, std::string_view what) {
  constexpr std::size_t k_most = 2;
  assert(more.size() <= k_most);
  std::array<double, 7 + k_most> all{latest.speed,        latest.corrected,       latest.moved,    latest.signal,
                                     latest.acceleration, latest.bad ? 1.0 : 0.0, stop ? 1.0 : 0.0};
  std::copy(more.begin(), more.end(), all.end() - k_most);
  comm::maximum(communicator, all, what);
  latest = {.speed = all[0],
            .corrected = all[1],
            .bad = all[5] > 0,
            .moved = all[2],
            .signal = all[3],
            .acceleration = all[4]};
  bad = latest.bad;
  stop = all[6] > 0;
  std::copy_n(all.end() - k_most, more.size(), more.begin());
}

}  // namespace eddyline::integrate
