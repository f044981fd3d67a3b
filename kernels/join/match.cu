// join: looks up few rows and writes their results in one cooperative launch, with a row per thread. The caller guesses
// the number of results and allocates memory for this number. If the results do not fit, the caller enqueues the
// kernels for larger joins.

#include "key.cuh"

GDF_POLICY(join_match, 1024, 1, 1);

namespace join {

struct matches_out {
  indices_out left;
  indices_out right;
  int64_t capacity;
};
static_assert(sizeof(matches_out) == 40);

/// [grid] Looks up all rows and, if `out` has room, writes the results.
template <bool packed>
GDF_DEVICE void match(const lookup& in, const gdf::row_table<gdf::key_columns>& build, const matches_out& out,
                      gdf::scratch* scratch, unsigned long long* mailbox) {
  auto const& [keys, table, rows, grouped, kind, unused] = in;
  constexpr int threads = join_match_tuning::threads;
  static_assert(join_match_tuning::items == 1 && (threads & (threads - 1)) == 0);
  __shared__ u64 before_row[threads]; // per row, the number of results of earlier rows of the block
  __shared__ uint32_t start_of[threads];
  auto* const partial = reinterpret_cast<unsigned long long*>(scratch->partials);
  gdf::grid_barrier barrier{scratch, 32};
  gdf::key_layout const layout(table);
  bool const counted = layout.duplicates && kind <= left;

  int64_t const first = int64_t{blockIdx.x} * threads;
  int64_t row[1];
  bool active[1];
  gdf::rows_of_tile<threads>(first, 1, rows, row, active);
  uint32_t start[1];
  uint32_t count[1];
  look_up<packed>(keys, build, table, layout, row, active, start, count);
  u64 const results = active[0] ? results_of(kind, start[0], counted ? count[0] : 1) : 0;
  u64 mine;
  u64 const before = gdf::block_exclusive_sum<threads>(results, mine);

  u64 base = 0;
  u64 all = mine;
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) { partial[blockIdx.x] = mine; }
    barrier.wait();
    u64 below = 0;
    u64 every = 0;
    for (uint32_t b = threadIdx.x; b < gridDim.x; b += threads) {
      u64 const other = *static_cast<const volatile unsigned long long*>(partial + b);
      every += other;
      below += b < blockIdx.x ? other : 0;
    }
    gdf::block_exclusive_sum<threads>(below, base);
    gdf::block_exclusive_sum<threads>(every, all);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) { gdf::post(mailbox, all); }
  if (all <= static_cast<u64>(out.capacity)) {
    if (!counted) {
      if (results != 0) {
        int64_t const at = static_cast<int64_t>(base + before);
        out.left.store(at, row[0]);
        out.right.store(at, start[0] == no_match ? -1 : static_cast<int64_t>(start[0]));
      }
    } else {
      before_row[threadIdx.x] = before;
      start_of[threadIdx.x] = start[0];
      __syncthreads();
      for (u64 o = threadIdx.x; o < mine; o += threads) {
        int at = 0; // the last row with at most this number of results before it
#pragma unroll
        for (int step = threads / 2; step > 0; step >>= 1) {
          if (before_row[at + step] <= o) { at += step; }
        }
        uint32_t const found = match_at(grouped, start_of[at], static_cast<uint32_t>(o - before_row[at]));
        out.left.store(static_cast<int64_t>(base + o), first + at);
        out.right.store(static_cast<int64_t>(base + o), found == no_match ? -1 : static_cast<int64_t>(found));
      }
    }
  }
  if (gridDim.x > 1) { barrier.end(); }
}

} // namespace join

/// Writes the results of all rows in row order if `out` has room for them. Posts the number of results to the mailbox.
/// The launch must be cooperative and have a block per 1,024 rows.
extern "C" __global__ void GDF_BOUNDS(join_match)
join_match_packed_kernel(const __grid_constant__ join::lookup in, const __grid_constant__ join::matches_out out,
                         gdf::scratch* scratch, unsigned long long* mailbox) {
  join::match<true>(in, in.keys.rows, out, scratch, mailbox);
}

/// Does the same as join_match_packed_kernel, for keys that do not pack into 64 bits. The kernel also needs the keys of
/// the build side.
extern "C" __global__ void GDF_BOUNDS(join_match)
join_match_rows_kernel(const __grid_constant__ join::lookup in,
                       const __grid_constant__ gdf::row_table<gdf::key_columns> build,
                       const __grid_constant__ join::matches_out out, gdf::scratch* scratch,
                       unsigned long long* mailbox) {
  join::match<false>(in, build, out, scratch, mailbox);
}
