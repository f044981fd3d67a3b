// expression: the results of expressions as columns, in one pass over the inputs.

#include <gdf/table.cuh>

#include "machine.cuh"

GDF_POLICY(expression_project, 128, 8, 4);

/// [block] Evaluates the steps for each row and stores the outputs. Dynamic shared memory must have slots<threads,
/// items>::bytes(p.cells, p.slots) bytes.
extern "C" __global__ void GDF_BOUNDS(expression_project)
expression_project_kernel(const __grid_constant__ gdf::table_in<expression::max_columns> table,
                          const __grid_constant__ expression::program p,
                          const __grid_constant__ gdf::table_out<expression::max_outputs> out,
                          gdf::row_count rows, gdf::scratch* scratch) {
  using namespace expression;
  constexpr int threads = expression_project_tuning::threads;
  constexpr int items = expression_project_tuning::items;
  extern __shared__ gdf::u64 shared[];
  __shared__ unsigned int counts[max_outputs];
  // All warps read the steps in each tile. The steps are copied to shared memory, because the parameters exceed the
  // constant cache.
  __shared__ program local;
  copy_program<threads>(p, local);
  if (threadIdx.x < max_outputs) { counts[threadIdx.x] = 0; }
  __syncthreads();
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= rows) { return; } // the whole warp
    int64_t const left = rows - base - gdf::lane();
    uint32_t mine = 0;
#pragma unroll
    for (int i = 0; i < items; i++) { mine |= (32 * i < left ? 1u : 0u) << i; }
    // The machine lives only as long as a tile, so that the compiler keeps its state in registers.
    machine<threads, table_rows<items>> m{{table.column, base, rows}, local, {shared + threadIdx.x, p.cells}, 0, {}, {}};
    m.run(mine, [&](const step& s) {
      auto const& column = out.column[s.code];
      row_bits const bits = static_cast<lane>(s.form) == lane::i128 ? m.bits_at(s.a) : m.bits;
      uint32_t const valid = bits.valid & mine;
      switch (static_cast<lane>(s.form)) {
        case lane::boolean: {
          uint32_t const truth = bits.truth & valid;
          gdf::store_bits<items>(column, base, gdf::collect<items>([&](int i) { return (truth >> i & 1) != 0; }));
          break;
        }
        case lane::i128: {
          gdf::i128 value[items];
#pragma unroll
          for (int i = 0; i < items; i++) { value[i] = m.wide_at(s.a, i); }
          gdf::store_rows(column, base, value);
          break;
        }
        case lane::i64:
        case lane::u64: {
          int64_t value[items];
#pragma unroll
          for (int i = 0; i < items; i++) { value[i] = of_cell<int64_t>(m.acc[i]); }
          if (column.type == static_cast<int32_t>(gdf::type::i128)) {
            gdf::store_as<gdf::i128>(column, base, value);
          } else {
            gdf::store_rows(column, base, value);
          }
          break;
        }
        case lane::f32: {
          float value[items];
#pragma unroll
          for (int i = 0; i < items; i++) { value[i] = of_cell<float>(m.acc[i]); }
          gdf::store_rows(column, base, value);
          break;
        }
        case lane::f64: {
          double value[items];
#pragma unroll
          for (int i = 0; i < items; i++) { value[i] = of_cell<double>(m.acc[i]); }
          gdf::store_as<double>(column, base, value);
          break;
        }
      }
      if (column.validity == nullptr) { return; }
      uint32_t const nulls_below =
        gdf::store_mask<items>(column, base, gdf::collect<items>([&](int i) { return (valid >> i & 1) != 0; }));
      if (nulls_below != 0) { atomicAdd(&counts[s.code], nulls_below); }
    });
  });
  __syncthreads();
  int const output = static_cast<int>(threadIdx.x);
  if (output < p.outputs) { gdf::add_valid_rows(scratch, output, out.column[output], counts[output]); }
}
