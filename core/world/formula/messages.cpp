#include "world/formula/messages.hpp"

#include <algorithm>
#include <utility>

#include "world/formula/characters.hpp"

namespace eddyline::world::formula {

namespace {

/// Letters to insert, delete, replace or swap with a neighbour, not counting upper and lower case (optimal string
/// alignment).
int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char p = lower(a[i - 1]), q = lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (p == q ? 0 : 1)});
      if (i > 1 && j > 1 && p == lower(b[j - 2]) && lower(a[i - 2]) == q) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t k_longest = 96;
  std::size_t length = std::min(text.size(), k_longest);
  while (length < text.size() && length > 0 && is_continuation_byte(text[length])) --length;
  std::string line(text.substr(0, length));
  if (length < text.size()) line += "...";
  std::replace_if(line.begin(), line.end(), [](char c) { return is_space(c) || c == '\0'; }, ' ');
  return "`" + line + "`";
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t k_longest = 64, k_listed = 12;
  const std::string* nearest = nullptr;
  int smallest = std::max<int>(1, static_cast<int>(name.size()) / 3) + 1;
  for (const std::string& candidate : known) {
    if (name.size() > k_longest || candidate.size() > k_longest) continue;
    const int distance = edit_distance(name, candidate);
    if (distance < smallest && distance < static_cast<int>(std::max(name.size(), candidate.size()))) {
      smallest = distance;
      nearest = &candidate;
    }
  }
  if (nearest != nullptr) return "; did you mean `" + *nearest + "`?";
  std::string list = "; known are ";
  for (std::size_t i = 0; i < known.size() && i < k_listed; ++i)
    list += (i == 0 ? "" : ", ") + known[i].substr(0, k_longest);
  return list + (known.size() > k_listed ? ", ..." : "");
}

}  // namespace eddyline::world::formula
