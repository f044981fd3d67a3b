// groupby::aggregate_computed: hash aggregation of values that an expression computes, for tables with very few groups.

#include "../expression/machine.cuh"
#include "cells.cuh"

GDF_POLICY(aggregate_computed, 128, 8, 4);

namespace groupby {

/// The values of steps that a program computes.
struct computed_values {
  int16_t output[max_steps];             // per step, the output that has the step's values; -1 if the step has none
  int16_t type[expression::max_outputs]; // per output, the type of its values
};

/// [thread] Merges a value of 128 bits into the global accumulators. If `cell` is not null, the function also merges
/// the sum of the cell, and clears the cell.
static __device__ __noinline__ void merge_apart(const accumulation& in, int s, int64_t row, u64 lo, u64 hi, u64* cell) {
  uint32_t const group = global_group(in, row);
  if (group >= gdf::lost_id) { return; }
  step const& step = in.steps.step[s];
  u64* const acc = in.acc.words + step.word * in.acc.stride + group;
  merge_atomic({in.values, step}, acc, in.acc.stride, lo, hi);
  if (cell == nullptr) { return; }
  merge_atomic({in.values, step}, acc, in.acc.stride, *cell, sign_word(*cell));
  *cell = 0;
}

/// The rows of a tile, and their cells.
template <int items>
struct tile_cells {
  uint32_t cell[items];
  uint32_t wanted; // rows that have cells
  uint32_t lost;   // rows whose group has no cell
};

/// [warp] Merges the values that the emitting step `e` has, for all steps of the accumulation that read this output.
template <int threads, class Machine, int items>
GDF_DEVICE void merge_output(const accumulation& in, const computed_values& of, const cell_table<threads>& local,
                             const tile_rows<items>& rows, const tile_cells<items>& tile, Machine& m,
                             const expression::step& e) {
  bool const is_wide = static_cast<expression::lane>(e.form) == expression::lane::i128;
  expression::row_bits const bits = is_wide ? m.bits_at(e.a) : m.bits;
  for (int s = 0; s < in.steps.count; s++) {
    if (of.output[s] != e.code) { continue; }
    step const& step = in.steps.step[s];
    uint32_t const valid = bits.valid & m.wanted;
    uint32_t wide = 0;
    u64 value[items];
    if (step.input == one) {
#pragma unroll
      for (int i = 0; i < items; i++) { value[i] = 1; }
    } else if (is_wide) { // only steps of 128-bit sums read such values
#pragma unroll
      for (int i = 0; i < items; i++) {
        auto const stored = static_cast<gdf::u128>(m.wide_at(e.a, i));
        value[i] = static_cast<u64>(stored);
        wide |= (static_cast<u64>(stored >> 64) != sign_word(value[i]) ? 1u : 0u) << i;
      }
    } else {
      int32_t const type = of.type[e.code];
      u64 const bits_of_type = ~0ull >> (64 - 8 * gdf::width_of(type));
#pragma unroll
      for (int i = 0; i < items; i++) { value[i] = m.acc[i] & bits_of_type; }
      convert_values(step, type, value);
    }
    uint32_t const here = valid & tile.wanted;
    wide |= merge_cells(step, local.cell(s, 0), here & ~wide, tile.cell, value);
    for (uint32_t rest = (wide & here) | (valid & tile.lost); rest != 0; rest &= rest - 1) {
      int const i = __ffs(static_cast<int>(rest)) - 1;
      bool const has_cell = (here >> i & 1) != 0;
      u64 const lo = item_of(value, i);
      u64 hi = step.op == add_i128 ? sign_word(lo) : 0;
      if (is_wide && step.input != one) { hi = static_cast<u64>(static_cast<gdf::u128>(m.wide_at(e.a, i)) >> 64); }
      merge_apart(in, s, rows.row(i), lo, hi, has_cell ? local.cell(s, 0) + item_of(tile.cell, i) : nullptr);
    }
    __syncwarp();
  }
}

} // namespace groupby

/// Does the same as aggregate_cells_kernel, for steps that also read the outputs of a program. The table has the
/// columns of the program, with the rows of the accumulation. Each output of the program that a step reads is a number
/// of up to 128 bits, and only steps with the operation add_i128 or the input `one` may read numbers of 128 bits.
/// Dynamic shared memory must have the bytes of the table of cells, and then slots<threads, items>::bytes(p.cells,
/// p.slots) bytes. The kernel uses ticket 32.
extern "C" __global__ void GDF_BOUNDS(aggregate_computed)
aggregate_computed_kernel(const __grid_constant__ groupby::accumulation in, groupby::cell_plan plan,
                          const __grid_constant__ gdf::table_in<expression::max_columns> columns,
                          const __grid_constant__ expression::program p,
                          const __grid_constant__ groupby::computed_values of, gdf::scratch* scratch,
                          unsigned long long* mailbox) {
  using namespace groupby;
  constexpr int threads = aggregate_computed_tuning::threads;
  constexpr int items = aggregate_computed_tuning::items;
  extern __shared__ __align__(16) u64 shared_cells[];
  __shared__ expression::program local_program;
  __shared__ uint32_t count; // the number of groups in the table of the block
  expression::copy_program<threads>(p, local_program);
  cell_table<threads> const local(shared_cells, plan, in.steps.count);
  local.clear(in.steps, &count);
  u64* const slots = local.end() + threadIdx.x;
  int64_t seen = 0;
  gdf::for_each_tile<threads, items>(in.rows, [&](int64_t first, bool) {
    seen += threads * items;
    tile_rows<items> rows{gdf::warp_rows<items>(first), in.rows, false};
    if (rows.base >= rows.count) { return; } // the whole warp
    rows.dense = rows.base + 32 * items <= rows.count;
    int64_t const left = rows.count - rows.base - gdf::lane();
    tile_cells<items> tile;
    tile.wanted = 0;
#pragma unroll
    for (int i = 0; i < items; i++) { tile.wanted |= (32 * i < left ? 1u : 0u) << i; }
    find_cells(in, local, rows, &count, tile.wanted, tile.lost, tile.cell);
    if (!__any_sync(~0u, (tile.wanted | tile.lost) != 0)) { return; }
    rows.dense = rows.dense && gdf::warp_sum(static_cast<uint32_t>(__popc(tile.wanted))) >= 32 * items / 4;
    for (int s = 0; s < in.steps.count; s++) {
      if (of.output[s] >= 0) { continue; }
      for (uint32_t lost = tile.lost; lost != 0; lost &= lost - 1) {
        int64_t const row = rows.row(__ffs(static_cast<int>(lost)) - 1);
        uint32_t const group = global_group(in, row);
        if (group < gdf::lost_id) { merge_value(in, s, row, group); }
      }
      __syncwarp();
      merge_step(in, local, rows, s, tile.wanted, tile.cell);
    }
    // The machine lives only as long as a tile, so that the compiler keeps its state in registers.
    expression::machine<threads, expression::table_rows<items>> m{
      {columns.column, rows.base, in.rows}, local_program, {slots, p.cells}, 0, {}, {}};
    m.run(tile.wanted | tile.lost,
          [&](const expression::step& e) { merge_output(in, of, local, rows, tile, m, e); });
  });
  __syncthreads();
  flush_cells(in, local, count);
  if (threadIdx.x == 0) { atomicAdd(&in.table.state->seen, static_cast<u64>(seen)); }
  end(in.table, scratch, mailbox);
}
