#pragma once
// Cuts the text of a formula into tokens.

#include <cstddef>
#include <string>
#include <string_view>

namespace eddyline::world::formula {

struct Token {
  enum Kind { k_number, k_name, k_symbol, k_end } kind = k_end;
  std::string_view text;
  double value = 0;
};

/// The length of the name at the start of `text`, 0 if there is none.
std::size_t name_length(std::string_view text);

/// Reads a text that must outlive it and its tokens.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next token; k_end at the end. Throws UserError at what is no token.
  Token next();

  /// Throws UserError with the place of `at`, a part of the text: "column 3 of `2*Rr`: message".
  [[noreturn]] void fail(std::string_view at, const std::string& message) const;

 private:
  std::size_t symbol_length(std::string_view rest) const;

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace eddyline::world::formula
