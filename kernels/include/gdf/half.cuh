// 16-bit floats. Apart from the other headers, as CUDA's own header for them is large.
#pragma once

#include <cuda_fp16.h>

namespace gdf {

using f16 = __half;

static_assert(sizeof(f16) == 2);

} // namespace gdf
