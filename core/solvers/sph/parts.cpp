#include "solvers/sph/parts.hpp"

#include <omp.h>

#include <string>

#include "base/errors.hpp"
#include "base/instructions.hpp"

namespace eddyline::sph {

namespace {

/// Sets the number of threads of this process and selects the instruction set.
solver::Execution prepare(solver::Execution execution) {
  if (execution.lazy.every < 1)
    throw UserError("lazy = " + std::to_string(execution.lazy.every) + "; must be at least 1.");
  if (execution.all_pairs && execution.lazy.every > 1)
    throw UserError("lazy = " + std::to_string(execution.lazy.every) +
                    ": lazy steps need cells, and this run searches all pairs; use neighbors = \"cells\" or lazy = 1.");
  if (execution.list_parts < 0 || execution.list_parts > k_most_parts)
    throw UserError("list_parts = " + std::to_string(execution.list_parts) + "; must be from 1 to " +
                    std::to_string(k_most_parts) + ", or 0 for automatic margins.");
  if (execution.device != "cpu") execution.list_parts = 1;  // lists hold as long as cells, so that steps need no host
  const int most = execution.cores > 0 ? execution.cores : all_threads();
  omp_set_num_threads(execution.threads > 0 ? execution.threads : most);
  execution.instructions = choose_instructions(execution.instructions);
  return execution;
}

}  // namespace

template <class T, int D>
Parts<T, D>::Parts(const world::World& world, const solver::Execution& execution, comm::Communicator& communicator)
    : state(world),
      scratch(world, communicator.is_alone()),
      domain(state, scratch, prepare(execution), communicator),
      lists(state, scratch, domain) {}

template <class T, int D>
void Parts<T, D>::rebuild(bool by_expected_places, bool with_lists) {
  domain.sort(by_expected_places);
  with_lists ? lists.find() : lists.find_without_lists();
  domain.end_rebuild();
}

template <class T, int D>
void Parts<T, D>::restore(const std::vector<ArchiveReader>& parts) {
  domain.restore(parts);
  lists.find();
  domain.end_restore();
}

template <class T, int D>
std::int64_t Parts<T, D>::memory() const {
  std::size_t bytes = scratch.bytes() + domain.bytes() + lists.bytes();
  const auto add = [&](const auto& array) { bytes += array.bytes(); };
  const_cast<FluidState<T, D>&>(state.fluid).for_each_array(add);
  const_cast<WallState<D>&>(state.wall).for_each_array(add);
  return static_cast<std::int64_t>(bytes);
}

template class Parts<float, 2>;
template class Parts<float, 3>;
template class Parts<double, 2>;
template class Parts<double, 3>;

}  // namespace eddyline::sph
