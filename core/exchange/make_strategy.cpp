#include "base/errors.hpp"
#include "exchange/sites/combined.hpp"
#include "exchange/sites/compressed.hpp"
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
  std::string_view not_inside = {};  // the reason if the strategy cannot carry only the messages inside a site
};

constexpr std::string_view k_for_all = "its collective operations involve the ranks of all sites in every exchange";
constexpr std::string_view k_tries = "it would try strategies that involve the ranks of all sites in every exchange";

constexpr Entry k_strategies[] = {
    {"nonblocking", make<Nonblocking>},
    {"blocking", make<Blocking>},
    {"persistent", make<PersistentMessages>},
    {"neighborhood", make<Neighborhood>},
    {"alltoall", make<AllToAll>, k_for_all},
    {"onesided-fence", make<OneSidedFence>, k_for_all},
    {"onesided-pscw", make<OneSidedPscw>},
    {"onesided-lock", make<OneSidedLock>},
    {"shared", make<Shared>},
    {"threaded", make<Threaded>},
    {"auto", make<Automatic>, k_tries},
};

std::string listed(std::span<const std::string> names) {
  std::string text;
  for (const std::string& each : names) text += (text.empty() ? "" : ", ") + each;
  return text;
}

const Entry& entry_of(std::string_view name) {
  for (const Entry& entry : k_strategies)
    if (entry.name == name) return entry;
  throw UserError("exchange = \"" + std::string(name) + "\"; must be one of: " + listed(strategy_names()) + ".");
}

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const Entry& entry : k_strategies) names.emplace_back(entry.name);
  return names;
}

std::string inside_refusal(std::string_view name) {
  const Entry& entry = entry_of(name);
  if (entry.not_inside.empty()) return {};
  std::string others;
  for (const Entry& other : k_strategies)
    if (other.not_inside.empty()) others += (others.empty() ? "" : ", ") + std::string(other.name);
  return "exchange = \"" + std::string(name) +
         "\" cannot be used with combine or compress = \"site\": " + std::string(entry.not_inside) +
         ". Choose one of: " + others + ".";
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, comm::Communicator& communicator, comm::Tag tag) {
  const Entry& entry = entry_of(name);  // a single process has no neighbours: any strategy works that needs none
  return communicator.is_alone() ? make<Nonblocking>(communicator, tag) : entry.make(communicator, tag);
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, BetweenSites between, comm::Communicator& communicator,
                                        const comm::HaloTags& tags) {
  auto inside = make_strategy(name, communicator, tags.messages());
  if (!between.combine && !between.compress) return inside;
  if (const std::string refusal = inside_refusal(name); !refusal.empty()) throw UserError(refusal);
  bool is_far = false;
  for (int rank = 0; rank < communicator.size(); ++rank) is_far = is_far || communicator.is_far(rank);
  if (!is_far) return inside;
  const comm::Tag tag = tags.between_sites();
  if (between.combine) return std::make_unique<Combined>(std::move(inside), communicator, tag, between.compress);
  return std::make_unique<Compressed>(std::move(inside), communicator, tag);
}

}  // namespace eddyline::exchange
