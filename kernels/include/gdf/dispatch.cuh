// Selects a C++ type inside a kernel, by a type number that is known at run time. The type number must be the same for
// all threads of a block.
#pragma once

#include "types.cuh"

namespace gdf {

/// [thread] Calls `body.template operator()<T>()` with an unsigned integer, bits128 or i256 of `width` bytes (1, 2, 4,
/// 8, 16 or 32) as T. For any other width, the function does nothing. The function serves kernels that only copy rows.
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
