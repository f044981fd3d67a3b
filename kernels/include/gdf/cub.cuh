// The one place that includes CUB: block and warp collectives only, no device-wide host code. CUB's
// version is pinned by the toolkit. Include it only where block_sum.cuh does not suffice: it costs
// about a second of compile time.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
