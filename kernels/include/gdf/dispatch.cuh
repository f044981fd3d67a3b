// From a type number known at run time to a C++ type, inside a kernel. Per block, never per thread:
// the number must be uniform (a parameter, or chosen by blockIdx.y).
#pragma once

#include "types.cuh"

namespace gdf {

/// [thread] Calls `body.template operator()<T>()` with an unsigned integer, bits128 or i256 of
/// `width` (1, 2, 4, 8, 16, 32) bytes, for kernels that only move rows; nothing for other widths.
/// `by_width(width_of(column.type), [&]<class T>() { … });`
template <class Body>
GDF_DEVICE void by_width(int width, Body&& body) {
  switch (width) {
    case 1: body.template operator()<uint8_t>(); break;
    case 2: body.template operator()<uint16_t>(); break;
    case 4: body.template operator()<uint32_t>(); break;
    case 8: body.template operator()<u64>(); break;
    case 16: body.template operator()<bits128>(); break;
    case 32: body.template operator()<i256>(); break;
    default: break;
  }
}

} // namespace gdf
