#pragma once
// Choices between packs of 32 bytes.

#include "base/lanes.hpp"

namespace eddyline {

template <class T, int W>
  requires FillsLanes<T, W>
EDDYLINE_INLINE Mask<T, W> operator&(Mask<T, W> a, Mask<T, W> b) {
  return {a.m & b.m};
}
template <class T, int W>
  requires FillsLanes<T, W>
EDDYLINE_INLINE Pack<T, W> select(Mask<T, W> condition, Pack<T, W> yes, Pack<T, W> no) {
  return typename Pack<T, W>::Lanes(condition.m ? yes.v : no.v);
}

}  // namespace eddyline
