// 16-bit floats.
#pragma once

#include <cuda_fp16.h>

namespace gdf {

using f16 = __half;

static_assert(sizeof(f16) == 2);

} // namespace gdf
