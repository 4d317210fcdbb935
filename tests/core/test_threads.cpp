// The law within a process: threads and boxes change no bit. The thread sanitizer runs this test to check shared data.
#include "comm/single_process.hpp"
#include "flow_fixture.hpp"
#include "harness.hpp"

using namespace eddyline;
using namespace fixture;

namespace {

void expect_the_same_bits(const world::World& world, std::int64_t all_steps) {
  const std::int64_t steps = all_steps / k_slow;
  const Result one = run(world, execution(), *comm::single_process(), steps);
  struct Way {
    int threads, boxes;
    const char* instructions;  // the thread sanitizer does not see what intrinsics load and store
  };
  for (const Way& way : {Way{2, 1, "auto"}, Way{3, 2, "scalar"}, Way{4, 5, "scalar"}}) {
    solver::Execution e = execution();
    e.threads = way.threads;
    e.boxes = way.boxes;
    e.instructions = way.instructions;
    const Result many = run(world, e, *comm::single_process(), steps);
    CHECK(many.particles == one.particles);
    CHECK(many.series == one.series);
    CHECK(same(many.picture, one.picture));
    CHECK(many.rebuilds == one.rebuilds);
  }
}

}  // namespace

TEST(a_dam_break_does_not_depend_on_threads) { expect_the_same_bits(dam(), 60); }
TEST(a_flow_past_a_moving_body_does_not_depend_on_threads) { expect_the_same_bits(stream(), 60); }
TEST(eddies_in_three_dimensions_do_not_depend_on_threads) { expect_the_same_bits(eddies(3), 16); }
TEST(a_bursting_gas_does_not_depend_on_threads) { expect_the_same_bits(burst(), 40); }
