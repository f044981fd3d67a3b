// expression: the pairs of a left row and a right row for which a condition is true.

#include <gdf/block_sum.cuh>
#include <gdf/table.cuh>

#include "machine.cuh"

GDF_POLICY(expression_match, 128, 8, 4);

namespace expression {

struct pair_range {
  uint32_t left_columns; // a bit for each column of the table, set if the column belongs to the left table
  int32_t shift;         // a warp handles 2^shift words of right rows at a time
  int32_t share;         // the number of times that a warp proceeds to the next left rows
  int32_t first_only;    // not 0: one match of a left row suffices; the count need not contain further matches
  int64_t first;         // the first left row
  int64_t end;           // the end of the left rows
};

} // namespace expression

/// [block] Evaluates the steps, whose only output is a condition, for pairs of rows. Adds the number of matches of each
/// left row to its word in `counts`, which must be zero before. If `pairs.first_only` is not 0, pairs of left rows that
/// already have a match may be skipped. If `bits` is not null, it gets a bit for each right row of each left row, which
/// is set if the rows match. The bits of a left row begin with a new word. Dynamic shared memory must have
/// slots<threads, items>::bytes(p.cells, p.slots) bytes.
extern "C" __global__ void GDF_BOUNDS(expression_match)
expression_match_kernel(const __grid_constant__ gdf::table_in<expression::max_columns> table,
                        const __grid_constant__ expression::program p,
                        const __grid_constant__ expression::pair_range pairs, gdf::row_count left_rows,
                        gdf::row_count right_rows, uint32_t* bits, unsigned long long* counts) {
  using namespace expression;
  constexpr int threads = expression_match_tuning::threads;
  constexpr int items = expression_match_tuning::items;
  extern __shared__ gdf::u64 shared[];
  __shared__ program local;
  copy_program<threads>(p, local);
  __syncthreads();
  int64_t const words = (right_rows + 31) / 32;
  int64_t const right_tiles = (words + (1 << pairs.shift) - 1) >> pairs.shift;
  int const left_step = items >> pairs.shift;
  int64_t const left_share = int64_t{left_step} * pairs.share;
  int64_t const units = (pairs.end - pairs.first + left_share - 1) / left_share * right_tiles;
  int64_t const stride = int64_t{gridDim.x} * (threads / 32);
  for (int64_t unit = int64_t{blockIdx.x} * (threads / 32) + gdf::warp(); unit < units; unit += stride) {
    int64_t const right = unit % right_tiles << pairs.shift << 5;
    int64_t const begin = pairs.first + unit / right_tiles * left_share;
    int64_t const end = begin + left_share < pairs.end ? begin + left_share : pairs.end;
#pragma unroll 1
    for (int64_t left = begin; left < end; left += left_step) {
      pair_rows<items> const rows = {table.column, pairs.left_columns, pairs.shift, left, right, left_rows, right_rows};
      uint32_t mine = 0;
#pragma unroll
      for (int i = 0; i < items; i++) {
        int64_t const left_row = left + (i >> pairs.shift);
        int64_t const right_row = right + 32 * (i & ((1 << pairs.shift) - 1)) + gdf::lane();
        bool wanted = left_row < end && right_row < right_rows;
        if (wanted && pairs.first_only != 0) {
          wanted = static_cast<volatile unsigned long long*>(counts)[left_row - pairs.first] == 0;
        }
        mine |= (wanted ? 1u : 0u) << i;
      }
      if (!__any_sync(~0u, mine != 0)) { continue; }
      uint32_t found = 0;
      // The machine exists only for one tile, so that the compiler keeps its state in registers.
      machine<threads, pair_rows<items>> m{rows, local, {shared + threadIdx.x, local.cells}, 0, {}, {}};
      m.run(mine, [&](const step&) { found = m.bits.truth & m.bits.valid & mine; });
      // Lane i has the word of item i.
      uint32_t const word = gdf::collect<items>([&](int i) { return (found >> i & 1) != 0; });
      int64_t const left_row = left + (gdf::lane() >> pairs.shift);
      int64_t const at = (right >> 5) + (gdf::lane() & ((1 << pairs.shift) - 1));
      bool const inside = gdf::lane() < items && left_row < end;
      if (bits != nullptr && inside && at < words) { bits[(left_row - pairs.first) * words + at] = word; }
      uint32_t count = inside ? static_cast<uint32_t>(__popc(word)) : 0;
      for (int step = 1; step < 1 << pairs.shift; step <<= 1) { count += __shfl_xor_sync(~0u, count, step); }
      bool const leads = inside && (gdf::lane() & ((1 << pairs.shift) - 1)) == 0;
      if (leads && count != 0) { atomicAdd(counts + (left_row - pairs.first), static_cast<unsigned long long>(count)); }
    }
  }
}
