#include "base/instructions.hpp"

#include <algorithm>

#include "base/errors.hpp"

namespace eddyline {

std::vector<std::string> instruction_sets() {
  std::vector<std::string> sets{"scalar"};
#ifdef EDDYLINE_HAS_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) sets.emplace_back("avx2");
#endif
#ifdef EDDYLINE_HAS_AVX512
  if (__builtin_cpu_supports("x86-64-v4")) sets.emplace_back("avx512");
#endif
  return sets;
}

bool has_fast_gather() {
#ifdef EDDYLINE_HAS_AVX512
  return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512fp16");
#else
  return false;
#endif
}

std::string choose_instructions(const std::string& wanted) {
  const auto sets = instruction_sets();
  if (wanted == "auto") return sets.back();
  if (std::find(sets.begin(), sets.end(), wanted) != sets.end()) return wanted;
  std::string list;
  for (const auto& set : sets) list += (list.empty() ? "" : ", ") + set;
  throw UserError("instructions = \"" + wanted + "\"; this machine supports: auto, " + list + ".");
}

}  // namespace eddyline
