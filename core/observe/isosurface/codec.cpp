#include "observe/isosurface/codec.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "base/errors.hpp"
#include "observe/isosurface/mesh.hpp"
#include "observe/isosurface/predictor.hpp"

namespace eddyline::observe {

namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint16_t k_version = 1;
constexpr std::uint16_t k_has_colours = 1;
constexpr std::uint32_t k_most_of_axis = 1 << 20;  // points

struct Header {
  char magic[4] = {'E', 'I', 'S', 'O'};
  std::uint16_t version = k_version, flags = 0;
  std::uint32_t size = k_surface_header, stride = 1;
  std::int32_t first[3] = {};
  std::uint32_t count[3] = {};
  double origin[3] = {}, spacing[3] = {}, level = 0, colours[2] = {}, time = 0;
  std::uint32_t vertices = 0, triangles = 0;

  std::size_t sign_bytes() const { return (static_cast<std::size_t>(count[0]) + 7) / 8 * count[1] * count[2]; }
  std::size_t body() const {
    return sign_bytes() + static_cast<std::size_t>(vertices) * ((flags & k_has_colours) != 0 ? 2 : 1);
  }
};
static_assert(sizeof(Header) == k_surface_header);

[[noreturn]] void refuse(const std::string& why) { throw UserError("Not a surface of Eddyline: " + why + "."); }

Header header_of(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(Header)) refuse(std::to_string(bytes.size()) + " bytes; a header alone has 128");
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::string_view(header.magic, 4) != "EISO") refuse("the first four bytes must be EISO");
  if (header.version != k_version)
    refuse("format " + std::to_string(header.version) + "; this version reads format " + std::to_string(k_version));
  if (header.size != sizeof header || header.flags > k_has_colours) refuse("unknown size or flags of the header");
  for (const std::uint32_t count : header.count)
    if (count > k_most_of_axis) refuse(std::to_string(count) + " points along an axis");
  return header;
}

std::uint8_t zigzag(int residual) {
  const auto r = static_cast<std::int8_t>(residual);
  return static_cast<std::uint8_t>((r << 1) ^ (r >> 7));
}
int residual_of(std::uint8_t code) { return (code >> 1) ^ -(code & 1); }

/// Bits of a row from its point `from` on, as a word.
std::uint64_t bits_from(const Signs& signs, std::size_t row, std::int32_t from) {
  const auto word = static_cast<std::size_t>(from / 64);
  const int shift = from % 64;
  const std::uint64_t* bits = signs.row_bits(row);
  if (word >= signs.words()) return 0;
  return bits[word] >> shift | (shift > 0 && word + 1 < signs.words() ? bits[word + 1] << (64 - shift) : 0);
}

/// The smallest box of points around all cut edges: its lowest point, and how many there are along each axis.
std::pair<Int3, Int3> box_of(const Signs& signs) {
  Int3 lower = signs.count(), upper{-1, -1, -1};
  std::vector<std::uint64_t> columns(signs.words());
  for (std::int32_t z = 0; z < signs.count()[2]; ++z)
    for (std::int32_t y = 0; y < signs.count()[1]; ++y) {
      const std::uint64_t* bits = signs.row_bits(signs.row(y, z));
      std::uint64_t any = 0;
      for (std::size_t word = 0; word < signs.words(); ++word) any |= bits[word], columns[word] |= bits[word];
      if (any == 0) continue;
      lower[1] = std::min(lower[1], y), upper[1] = std::max(upper[1], y);
      lower[2] = std::min(lower[2], z), upper[2] = std::max(upper[2], z);
    }
  if (upper[2] < 0) return {};
  for (std::size_t word = 0; word < columns.size(); ++word) {
    if (columns[word] == 0) continue;
    const auto at = static_cast<std::int32_t>(64 * word);
    lower[0] = std::min(lower[0], at + std::countr_zero(columns[word]));
    upper[0] = at + 63 - std::countl_zero(columns[word]);
  }
  Int3 count;
  for (std::size_t d = 0; d < 3; ++d) --lower[d], count[d] = upper[d] + 2 - lower[d];
  return {lower, count};
}

Signs cropped(const Signs& signs, Int3 lower, Int3 count) {
  Signs out(count);
  for (std::int32_t z = 0; z < count[2]; ++z)
    for (std::int32_t y = 0; y < count[1]; ++y) {
      std::uint64_t* to = out.row_bits(out.row(y, z));
      for (std::size_t word = 0; word < out.words(); ++word)
        to[word] =
            bits_from(signs, signs.row(y + lower[1], z + lower[2]), lower[0] + static_cast<std::int32_t>(64 * word));
    }
  return out;
}

void write_signs(const Signs& signs, std::uint8_t* to) {
  for (std::int32_t column = 0; column < (signs.count()[0] + 7) / 8; ++column)
    for (std::size_t row = 0; row < signs.rows(); ++row)
      *to++ = static_cast<std::uint8_t>(signs.row_bits(row)[column / 8] >> (8 * (column % 8)));
}

Signs read_signs(Int3 count, const std::uint8_t* from) {
  Signs signs(count);
  for (std::int32_t column = 0; column < (count[0] + 7) / 8; ++column)
    for (std::size_t row = 0; row < signs.rows(); ++row)
      signs.row_bits(row)[column / 8] |= std::uint64_t{*from++} << (8 * (column % 8));
  return signs;
}

/// Calls code(vertex, guess), which returns the code of the vertex, for all vertices.
template <class Code>
void for_each_vertex(const Signs& signs, Code&& code) {
  Predictor predictor(signs);
  std::uint32_t vertex = 0;
  signs.for_each_cut_edge(signs.count()[2], [&](std::int32_t x, std::int32_t y, std::int32_t z, int axis) {
    const Edge edge{x, y, z, axis, signs.inside(x, y, z)};
    predictor.learn(edge, vertex, code(vertex, predictor.guess(edge)));
    ++vertex;
  });
}

/// The colour that is likely for a vertex.
std::uint8_t likely_colour(const std::vector<std::uint8_t>& colours, std::uint32_t vertex, std::int32_t beside) {
  if (beside >= 0) return colours[static_cast<std::size_t>(beside)];
  return vertex > 0 ? colours[vertex - 1] : 128;
}

}  // namespace

std::vector<std::byte> encode(const Surface& surface) {
  if (!surface.signs.border_is_outside()) throw UserError("surface: a point at the border of the lattice is inside.");
  const auto [lower, count] = box_of(surface.signs);
  const Signs signs = cropped(surface.signs, lower, count);
  Header header;
  header.flags = surface.colours.empty() ? 0 : k_has_colours;
  header.stride = static_cast<std::uint32_t>(surface.stride);
  for (int d = 0; d < 3; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    header.first[d] = surface.first[axis] + lower[axis];
    header.count[d] = static_cast<std::uint32_t>(count[axis]);
    header.origin[d] = surface.origin[d] + lower[axis] * surface.spacing[d];
    header.spacing[d] = surface.spacing[d];
  }
  header.level = surface.level, header.time = surface.time;
  header.colours[0] = surface.colour_low, header.colours[1] = surface.colour_high;
  header.vertices = static_cast<std::uint32_t>(surface.vertices());
  header.triangles = static_cast<std::uint32_t>(count_triangles(signs));
  std::vector<std::byte> bytes(sizeof header + header.body());
  std::memcpy(bytes.data(), &header, sizeof header);
  auto* body = reinterpret_cast<std::uint8_t*>(bytes.data() + sizeof header);
  write_signs(signs, body);
  std::uint8_t* cuts = body + header.sign_bytes();
  std::uint8_t* colours = cuts + header.vertices;
  for_each_vertex(signs, [&](std::uint32_t vertex, const Guess& guess) {
    const std::uint8_t code = surface.cuts[vertex];
    cuts[vertex] = zigzag(code - guess.cut);
    if (!surface.colours.empty())
      colours[vertex] = zigzag(surface.colours[vertex] - likely_colour(surface.colours, vertex, guess.beside));
    return code;
  });
  return bytes;
}

std::size_t body_size(std::span<const std::byte> header) { return header_of(header).body(); }

Surface decode(std::span<const std::byte> bytes) {
  const Header header = header_of(bytes);
  if (bytes.size() != sizeof header + header.body())
    refuse(std::to_string(bytes.size()) + " bytes; its header says " + std::to_string(sizeof header + header.body()));
  const auto* body = reinterpret_cast<const std::uint8_t*>(bytes.data() + sizeof header);
  Surface surface;
  Int3 count;
  for (int d = 0; d < 3; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    count[axis] = static_cast<std::int32_t>(header.count[d]);
    surface.first[axis] = header.first[d];
    surface.origin[d] = header.origin[d], surface.spacing[d] = header.spacing[d];
  }
  surface.signs = read_signs(count, body);
  if (!surface.signs.border_is_outside()) refuse("a point at the border of its lattice is inside");
  if (surface.signs.count_cut_edges(0, count[2]) != header.vertices)
    refuse("its signs do not fit its number of vertices");
  surface.stride = static_cast<std::int32_t>(header.stride);
  surface.level = header.level, surface.time = header.time;
  surface.colour_low = header.colours[0], surface.colour_high = header.colours[1];
  const std::uint8_t* cuts = body + header.sign_bytes();
  const std::uint8_t* colours = cuts + header.vertices;
  surface.cuts.resize(header.vertices);
  const bool has_colours = (header.flags & k_has_colours) != 0;
  if (has_colours) surface.colours.resize(header.vertices);
  for_each_vertex(surface.signs, [&](std::uint32_t vertex, const Guess& guess) {
    if (has_colours)
      surface.colours[vertex] = static_cast<std::uint8_t>(likely_colour(surface.colours, vertex, guess.beside) +
                                                          residual_of(colours[vertex]));
    return surface.cuts[vertex] = static_cast<std::uint8_t>(guess.cut + residual_of(cuts[vertex]));
  });
  return surface;
}

}  // namespace eddyline::observe
