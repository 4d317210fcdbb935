// Rows and pixels as the files of a run hold them.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "bindings/bindings.hpp"
#include "bindings/conversions.hpp"
#include "observe/codes.hpp"
#include "observe/raster.hpp"
#include "observe/series.hpp"

namespace eddyline::bindings {

using namespace nb::literals;

namespace {

nb::bytes series_lines(const Rows& rows) {
  std::string text;
  {
    nb::gil_scoped_release release;
    text = observe::lines_of({rows.data(), rows.size()}, rows.shape(1));
  }
  return nb::bytes(text.data(), text.size());
}

using Pixels = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple known_pixels(const Pixels& pixels, const std::optional<Mask>& is_solid) {
  if (is_solid && is_solid->size() != pixels.size()) throw UserError("known_pixels: solid is of another shape.");
  solver::Raster found;
  {
    nb::gil_scoped_release release;
    found.known.resize((pixels.size() + 7) / 8);
    observe::keep_known({pixels.data(), pixels.size()}, is_solid ? is_solid->data() : nullptr, found.known.data(),
                        found.values);
  }
  return nb::make_tuple(give(std::move(found.known)), give(std::move(found.values)));
}

using Values = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::tuple value_codes(const Values& values, std::uint16_t top, std::uint16_t solid) {
  observe::Codes found;
  {
    nb::gil_scoped_release release;
    found = observe::codes_of({values.data(), values.size()}, top, solid);
  }
  return nb::make_tuple(give(std::move(found.codes)), found.scale, found.offset);
}

Owned<std::uint8_t> cover_codes(const Values& covers, float one) {
  std::vector<std::uint8_t> codes;
  {
    nb::gil_scoped_release release;
    codes = observe::codes_of_cover({covers.data(), covers.size()}, one);
  }
  return give(std::move(codes));
}

}  // namespace

void bind_encoding(nb::module_& module) {
  module.def("series_lines", series_lines, "rows"_a);
  module.def("known_pixels", known_pixels, "pixels"_a, "is_solid"_a.none());
  module.def("value_codes", value_codes, "values"_a, "top"_a, "solid"_a);
  module.def("cover_codes", cover_codes, "covers"_a, "one"_a);
}

}  // namespace eddyline::bindings
