#include "observe/series.hpp"

#include <charconv>
#include <cmath>

namespace eddyline::observe {

namespace {

/// Returns the shortest text that gives the same double; whole numbers without a point.
void append_number(double value, std::string& text) {
  if (std::isnan(value)) {
    text += "nan";
    return;
  }
  constexpr double k_least = 1e-4, k_most = 1e16;  // between them digits alone, otherwise powers of ten
  const double size = std::abs(value);
  const bool is_plain = size == 0 || (size >= k_least && size < k_most);
  char digits[32];
  const auto [end, error] = std::to_chars(std::begin(digits), std::end(digits), value,
                                          is_plain ? std::chars_format::fixed : std::chars_format::scientific);
  text.append(digits, end);
}

}  // namespace

std::string lines_of(std::span<const double> values, std::size_t columns) {
  std::string text;
  for (std::size_t k = 0; k < values.size(); ++k) {
    append_number(values[k], text);
    text += (k + 1) % columns == 0 ? '\n' : ',';
  }
  return text;
}

}  // namespace eddyline::observe
