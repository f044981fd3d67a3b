// The one place that includes CUB: block and warp collectives only, no device-wide host code. CUB's
// version is pinned by the toolkit. Include it only where block_sum.cuh does not suffice: it costs
// about a second of compile time.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

// Radix sort, internal parts of CUB among it, where a file asks for it: seconds of compile time.
#ifdef GDF_CUB_RADIX_SORT
// The agent relies on its includer for the block's loads and stores.
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

#include <cub/agent/agent_radix_sort_onesweep.cuh>
#include <cub/block/block_radix_sort.cuh>
#endif
