// expression: the results of expressions as columns, in one pass over the inputs.

#include <gdf/table.cuh>

#include "machine.cuh"

GDF_POLICY(expression_project, 128, 4, 5);

/// [block] Evaluates the steps for each row and stores the outputs. The columns have `rows` rows each, and none is
/// broadcast. An output without a mask has no null. Dynamic shared memory: p.slots * threads * (items * 8 + 4) bytes.
extern "C" __global__ void GDF_BOUNDS(expression_project)
expression_project_kernel(const __grid_constant__ gdf::table_in<expression::max_columns> table,
                          const __grid_constant__ expression::program p,
                          const __grid_constant__ gdf::table_out<expression::max_outputs> out,
                          gdf::row_count rows, gdf::scratch* scratch) {
  constexpr int threads = expression_project_tuning::threads;
  constexpr int items = expression_project_tuning::items;
  extern __shared__ gdf::u64 slots[];
  __shared__ unsigned int counts[expression::max_outputs];
  if (threadIdx.x < expression::max_outputs) { counts[threadIdx.x] = 0; }
  __syncthreads();
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= rows) { return; } // the whole warp
    int64_t const left = rows - base - gdf::lane();
    uint32_t mine = 0;
#pragma unroll
    for (int i = 0; i < items; i++) { mine |= (32 * i < left ? 1u : 0u) << i; }
    // The machine lives as long as the tile, so that its state stays in registers.
    expression::machine<threads, items> m{table.column, p, slots, 0, rows, 0, {}};
    m.run(base, mine, [&](int32_t output, int32_t form) {
      auto const& column = out.column[output];
      uint32_t const valid = m.acc.valid & mine;
      if (static_cast<expression::lane>(form) == expression::lane::boolean) {
        uint32_t const truth = m.acc.truth & valid;
        gdf::store_bits<items>(column, base, gdf::collect<items>([&](int i) { return (truth >> i & 1) != 0; }));
      } else {
        expression::by_lane(form, [&]<class C>() {
          C value[items];
#pragma unroll
          for (int i = 0; i < items; i++) { value[i] = expression::of_cell<C>(m.acc.low[i], m.acc.high[i]); }
          expression::store_lane(column, base, value);
        });
      }
      if (column.validity == nullptr) { return; }
      uint32_t const nulls_below =
        gdf::store_mask<items>(column, base, gdf::collect<items>([&](int i) { return (valid >> i & 1) != 0; }));
      if (nulls_below != 0) { atomicAdd(&counts[output], nulls_below); }
    });
  });
  __syncthreads();
  int const output = static_cast<int>(threadIdx.x);
  if (output < p.outputs) { gdf::add_valid_rows(scratch, output, out.column[output], counts[output]); }
}
