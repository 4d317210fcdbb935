#include "world/formula/lexer.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/errors.hpp"
#include "world/formula/characters.hpp"
#include "world/formula/language.hpp"
#include "world/formula/messages.hpp"

namespace eddyline::world::formula {

std::size_t name_length(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return 0;
  std::size_t n = 1;
  while (n < text.size()) {
    const bool dot = text[n] == '.' && n + 1 < text.size() && is_letter(text[n + 1]);
    if (!dot && !is_letter(text[n]) && !is_digit(text[n])) break;
    ++n;
  }
  return n;
}

Token Lexer::next() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  const char* const begin = text_.data() + position_;
  const char* const end = text_.data() + text_.size();
  Token token{Token::k_end, {begin, 0}, 0};
  if (begin == end) return token;
  const std::string_view rest(begin, text_.size() - position_);
  std::size_t length = name_length(rest);
  if (length > 0) {
    token.kind = Token::k_name;
  } else if (is_digit(*begin) || (*begin == '.' && rest.size() > 1 && is_digit(begin[1]))) {
    token.kind = Token::k_number;
    const auto result = std::from_chars(begin, end, token.value);
    length = static_cast<std::size_t>(result.ptr - begin);
    if (result.ec != std::errc{}) fail(rest, quoted(rest.substr(0, length)) + " is outside the range of numbers");
  } else {
    token.kind = Token::k_symbol;
    length = symbol_length(rest);
  }
  token.text = {begin, length};
  position_ += length;
  return token;
}

void Lexer::fail(std::string_view at, const std::string& message) const {
  constexpr std::size_t k_shown = 40;  // on either side
  const auto offset = static_cast<std::size_t>(at.data() - text_.data());
  const auto column = 1 + std::count_if(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset),
                                        [](char c) { return !is_continuation_byte(c); });
  std::size_t first = offset > k_shown ? offset - k_shown : 0, last = std::min(text_.size(), offset + k_shown);
  while (first > 0 && is_continuation_byte(text_[first])) --first;
  while (last < text_.size() && is_continuation_byte(text_[last])) ++last;
  std::string shown = quoted(text_.substr(first, last - first));
  if (first > 0) shown.insert(1, "...");
  if (last < text_.size()) shown.insert(shown.size() - 1, "...");
  throw UserError("column " + std::to_string(column) + " of " + shown + ": " + message);
}

std::size_t Lexer::symbol_length(std::string_view rest) const {
  const std::string_view two = rest.substr(0, 2);
  if (two == "<=" || two == ">=" || two == "==" || two == "!=") return 2;
  for (const auto& [foreign, ours] : foreign_symbols())
    if (rest.starts_with(foreign)) fail(rest, quoted(foreign) + " is not known here; write " + quoted(ours));
  if (find_operator(rest.substr(0, 1)) != nullptr || rest[0] == '(' || rest[0] == ')' || rest[0] == ',') return 1;
  std::size_t n = 1;
  while (n < rest.size() && is_continuation_byte(rest[n])) ++n;
  fail(rest, "unexpected " + quoted(rest.substr(0, n)));
}

}  // namespace eddyline::world::formula
