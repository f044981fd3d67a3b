// The only header that includes CUB: block and warp collectives, and no device-wide host code. The toolkit determines
// the version of CUB. A file should include this header only if block_sum.cuh does not suffice, because it costs
// about a second of compile time.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

// The radix sort, including internal parts of CUB. A file defines GDF_CUB_RADIX_SORT to get the radix sort, because
// the radix sort costs seconds of compile time.
#ifdef GDF_CUB_RADIX_SORT
// The agent's header does not include the headers of the block's loads and stores.
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

#include <cub/agent/agent_radix_sort_onesweep.cuh>
#include <cub/block/block_radix_sort.cuh>
#endif
