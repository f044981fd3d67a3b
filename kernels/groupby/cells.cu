// groupby::aggregate_cells: hash aggregation of many rows for tables with very few groups.

#include "cells.cuh"

GDF_POLICY(aggregate_cells, 256, 8, 3);

/// Does the same as aggregate_packed_kernel, with a cell per thread, step and group of the plan. The operations of the
/// steps must not be multiply, multiply_f64, argmin or argmax. Columns must have numbers of up to 128 bits, and only
/// steps with the operation add_i128 may read numbers of 128 bits. The kernel uses ticket 32.
extern "C" __global__ void GDF_BOUNDS(aggregate_cells)
aggregate_cells_kernel(const __grid_constant__ groupby::accumulation in, groupby::cell_plan plan,
                       gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace groupby;
  constexpr int threads = aggregate_cells_tuning::threads;
  constexpr int items = aggregate_cells_tuning::items;
  extern __shared__ __align__(16) u64 shared_cells[];
  __shared__ uint32_t count; // the number of groups in the table of the block
  cell_table<threads> const local(shared_cells, plan, in.steps.count);
  local.clear(in.steps, &count);
  int64_t seen = 0;
  gdf::for_each_tile<threads, items>(in.rows, [&](int64_t first, bool) {
    seen += threads * items;
    tile_rows<items> rows{gdf::warp_rows<items>(first), in.rows, false};
    if (rows.base >= rows.count) { return; } // the whole warp
    rows.dense = rows.base + 32 * items <= rows.count;
    int64_t const left = rows.count - rows.base - gdf::lane();
    uint32_t wanted = 0;
#pragma unroll
    for (int i = 0; i < items; i++) { wanted |= (32 * i < left ? 1u : 0u) << i; }
    uint32_t lost;
    uint32_t cell[items];
    find_cells(in, local, rows, &count, wanted, lost, cell);
    for (; lost != 0; lost &= lost - 1) { merge_row(in, rows.row(__ffs(static_cast<int>(lost)) - 1)); }
    __syncwarp();
    rows.dense = rows.dense && gdf::warp_sum(static_cast<uint32_t>(__popc(wanted))) >= 32 * items / 4;
    for (int s = 0; s < in.steps.count; s++) { merge_step(in, local, rows, s, wanted, cell); }
  });
  __syncthreads();
  flush_cells(in, local, count);
  if (threadIdx.x == 0) { atomicAdd(&in.table.state->seen, static_cast<u64>(seen)); }
  end(in.table, scratch, mailbox);
}
