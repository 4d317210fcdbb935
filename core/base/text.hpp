#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace eddyline {

/// A number for people, with six digits: "1e+30", "0.25".
inline std::string text_of(double value) {
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.6g", value);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace eddyline
