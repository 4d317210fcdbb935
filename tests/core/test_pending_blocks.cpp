// Blocks that a step still has to sum: each is taken once, whatever arrives when.

#include <algorithm>
#include <vector>

#include "harness.hpp"
#include "solvers/sph/step/overlap.hpp"

using namespace eddyline;

namespace {

std::vector<sph::Block> blocks(std::int64_t first, std::int64_t count) {
  std::vector<sph::Block> all;
  for (std::int64_t b = first; b < first + count; ++b) all.push_back({b, b + 1});
  return all;
}

}  // namespace

TEST(each_block_is_taken_once_however_far_the_interior_has_come) {
  const auto border = blocks(0, 5), interior = blocks(5, 100);
  for (int portions = 0; portions < 20; ++portions) {
    sph::PendingBlocks pending(border, interior);
    std::vector<std::int64_t> taken;
    const auto add = [&](sph::Blocks some) {
      for (const auto& block : some) taken.push_back(block.first);
    };
    for (int p = 0; p < portions && !pending.interior_is_done(); ++p) {
      const auto some = pending.take_some();
      CHECK(!some.empty());
      add(some);
    }
    const std::size_t before = taken.size();
    add(pending.take(sph::Part::border));
    CHECK(taken.size() == before + border.size());
    CHECK(pending.take(sph::Part::border).empty());
    add(pending.take(sph::Part::interior));
    CHECK(pending.interior_is_done() && pending.take(sph::Part::interior).empty());
    std::ranges::sort(taken);
    CHECK(taken.size() == border.size() + interior.size());
    for (std::size_t k = 0; k < taken.size(); ++k) CHECK(taken[k] == static_cast<std::int64_t>(k));
  }
}
