#include "exchange/strategy.hpp"

#include "base/errors.hpp"
#include "exchange/blocking.hpp"
#include "exchange/nonblocking.hpp"

namespace eddyline::exchange {

std::vector<std::string> strategy_names() { return {"nonblocking", "blocking"}; }

std::unique_ptr<Strategy> make_strategy(std::string_view name, comm::Communicator& communicator, comm::Tag tag) {
  if (name == "nonblocking") return std::make_unique<Nonblocking>(communicator, tag);
  if (name == "blocking") return std::make_unique<Blocking>(communicator, tag);
  std::string known;
  for (const std::string& each : strategy_names()) known += (known.empty() ? "" : ", ") + each;
  throw UserError("exchange = \"" + std::string(name) + "\"; must be one of: " + known + ".");
}

}  // namespace eddyline::exchange
