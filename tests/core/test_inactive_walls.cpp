// Walls without fluid around them: which are computed, and when.
#include "solvers/sph/step/inactive_walls.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness.hpp"

using namespace eddyline;
using sph::Block;

namespace {

constexpr std::int64_t k_walls = 5 * neighbors::k_chunk + 3;

/// Six chunks of walls; those that are wet have neighbours.
struct Lists {
  std::vector<neighbors::Chunk> all = std::vector<neighbors::Chunk>(6);
  std::int64_t built = 0;

  std::span<const neighbors::Chunk> chunks() const { return all; }
  std::int64_t version() const { return built; }
};

constexpr std::array<Block, 2> k_blocks{{{0, 4}, {4, 6}}};

/// Chunks that are computed for the first n.
std::vector<std::int64_t> computed(sph::InactiveWalls& walls, const Lists& lists, std::int64_t n,
                                   bool walls_rest = true) {
  std::vector<std::int64_t> chunks;
  for (const Block& block : walls.active_blocks(lists, k_blocks, n, walls_rest))
    for (std::int64_t c = block.first; c < block.last; ++c) chunks.push_back(c);
  return chunks;
}

const std::vector<std::int64_t> k_all{0, 1, 2, 3, 4, 5};

}  // namespace

TEST(dry_walls_are_computed_once_for_each_list) {
  Lists lists;
  lists.all[1].length = lists.all[4].length = 7;
  sph::InactiveWalls walls;
  CHECK(computed(walls, lists, k_walls) == k_all);
  CHECK(computed(walls, lists, k_walls) == std::vector<std::int64_t>({1, 4}));
  lists.all[1].length = 0, lists.all[5].length = 1;  // one has dried, another got wet
  ++lists.built;
  CHECK(computed(walls, lists, k_walls) == k_all);
  CHECK(computed(walls, lists, k_walls) == std::vector<std::int64_t>({4, 5}));
}

TEST(walls_that_move_are_always_computed) {
  const Lists lists;
  sph::InactiveWalls walls;
  for (int k = 0; k < 3; ++k) CHECK(computed(walls, lists, k_walls, false) == k_all);
}

TEST(a_change_of_the_world_is_seen_by_all_walls) {
  const Lists lists;
  sph::InactiveWalls walls;
  CHECK(computed(walls, lists, k_walls) == k_all);
  CHECK(computed(walls, lists, k_walls).empty());
  walls.forget();
  CHECK(computed(walls, lists, k_walls) == k_all);
}

/// Lazy ranks compute now more, now fewer of their copies.
TEST(walls_that_have_been_left_out_are_computed_later) {
  const Lists lists;
  sph::InactiveWalls walls;
  CHECK(computed(walls, lists, k_walls / 2) == k_all);  // of which the loop takes the first n
  CHECK(computed(walls, lists, k_walls) == k_all);
  CHECK(computed(walls, lists, k_walls / 2).empty());
  CHECK(computed(walls, lists, k_walls).empty());
}
