#include "base/errors.hpp"
#include "exchange/strategies/alltoall.hpp"
#include "exchange/strategies/automatic.hpp"
#include "exchange/strategies/blocking.hpp"
#include "exchange/strategies/neighborhood.hpp"
#include "exchange/strategies/nonblocking.hpp"
#include "exchange/strategies/onesided_fence.hpp"
#include "exchange/strategies/onesided_lock.hpp"
#include "exchange/strategies/onesided_pscw.hpp"
#include "exchange/strategies/persistent.hpp"
#include "exchange/strategies/shared.hpp"
#include "exchange/strategies/threaded.hpp"
#include "exchange/strategy.hpp"

namespace eddyline::exchange {

namespace {

using Make = std::unique_ptr<Strategy> (*)(comm::Communicator&, comm::Tag);

template <class Kind>
std::unique_ptr<Strategy> make(comm::Communicator& communicator, comm::Tag tag) {
  if constexpr (std::is_constructible_v<Kind, comm::Communicator&, comm::Tag>)
    return std::make_unique<Kind>(communicator, tag);
  else
    return std::make_unique<Kind>(communicator);
}

struct Entry {
  std::string_view name;
  Make make;
};

constexpr Entry k_strategies[] = {
    {"nonblocking", make<Nonblocking>},
    {"blocking", make<Blocking>},
    {"persistent", make<PersistentMessages>},
    {"neighborhood", make<Neighborhood>},
    {"alltoall", make<AllToAll>},
    {"onesided-fence", make<OneSidedFence>},
    {"onesided-pscw", make<OneSidedPscw>},
    {"onesided-lock", make<OneSidedLock>},
    {"shared", make<Shared>},
    {"threaded", make<Threaded>},
    {"auto", make<Automatic>},
};

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Entry& entry : k_strategies) names.emplace_back(entry.name);
  return names;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, comm::Communicator& communicator, comm::Tag tag) {
  for (const Entry& entry : k_strategies)
    if (entry.name == name)  // a process on its own has no neighbours: any will do that asks for none
      return communicator.is_alone() ? make<Nonblocking>(communicator, tag) : entry.make(communicator, tag);
  std::string known;
  for (const std::string& each : strategy_names()) known += (known.empty() ? "" : ", ") + each;
  throw UserError("exchange = \"" + std::string(name) + "\"; must be one of: " + known + ".");
}

}  // namespace eddyline::exchange
