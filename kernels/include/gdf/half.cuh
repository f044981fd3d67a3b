// 16-bit floats. They have a separate header, because CUDA's header for 16-bit floats is large.
#pragma once

#include <cuda_fp16.h>

namespace gdf {

using f16 = __half;

static_assert(sizeof(f16) == 2);

} // namespace gdf
