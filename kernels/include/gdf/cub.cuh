// The only header that includes CUB. A file should include this header only if block_sum.cuh does not suffice, because
// the header adds about a second of compile time.
#pragma once

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>

// The radix sort, with internal parts of CUB.
#ifdef GDF_CUB_RADIX_SORT
// CUB's header of the agent does not include the headers of block loads and block stores.
#include <cub/block/block_load.cuh>
#include <cub/block/block_store.cuh>

#include <cub/agent/agent_radix_sort_onesweep.cuh>
#include <cub/block/block_radix_sort.cuh>
#endif
