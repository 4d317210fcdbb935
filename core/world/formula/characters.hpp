#pragma once
// Kinds of characters. The C library's classification depends on the locale; this does not.

namespace eddyline::world::formula {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
inline bool is_continuation_byte(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace eddyline::world::formula
