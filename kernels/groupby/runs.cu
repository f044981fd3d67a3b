// groupby::aggregate of rows that are sorted by their keys. Groups are runs of consecutive rows, so no hash table is
// needed.
//
// The first launch counts the rows that begin a run. The host waits for the number of runs and allocates exactly one
// set of accumulators per run.
//
// The order in which values are merged depends only on the rows, so that sums of floats are the same in each execution.

#include <gdf/block_sum.cuh>

#include "accumulate.cuh"

GDF_POLICY(groupby_runs, 256, 8, 2);
GDF_POLICY(groupby_join_runs, 256, 1, 8);

namespace groupby {

constexpr int run_threads = groupby_runs_tuning::threads;
constexpr int run_items = groupby_runs_tuning::items;
constexpr int run_warps = run_threads / 32;

/// The number of mailbox words of the counting launch. The words are the number of runs, `up`, `down` and `resumes` of
/// run_order.
constexpr int run_words = 4;

struct partial {
  u64 lo;
  u64 hi;
};

/// The rows of a warp at which runs begin. Row i of a lane is row `first` + 32 * i + lane.
struct warp_runs {
  int64_t first;
  uint32_t begins[run_items]; // a bit per lane
  bool used[run_items];
  uint32_t runs; // the number of runs that begin in the warp
};

/// The order of consecutive rows. `up` is true if some key is larger than the previous key, and `down` is true if some
/// key is smaller. `resumes` counts the rows that take part although the previous row takes no part. The first row of
/// the table has no previous row, and counts if it takes part.
struct run_order {
  bool up;
  bool down;
  uint32_t resumes;
};

/// [warp] Finds the rows that begin a run among the rows of this warp.
template <class Each>
GDF_DEVICE warp_runs find_runs(const gdf::row_keys& keys, u64 signs, int64_t tile, int64_t rows, run_order& order,
                               Each&& each) {
  // A lane has `run_items` rows of the warp. Lane 31 has one more item, which is the row before the first row of the
  // warp.
  constexpr int all = run_items + 1;
  constexpr int batch = 9; // items whose keys are in registers at the same time
  static_assert(all % batch == 0);
  warp_runs out;
  out.first = tile + int64_t{gdf::warp()} * (32 * run_items);
  out.runs = 0;
  u64 last = 0; // in lane 31, the key of the previous item
  bool last_used = false;
#pragma unroll
  for (int from = 0; from < all; from += batch) {
    int64_t row[batch];
    bool active[batch];
    gdf::key_probe probe[batch];
#pragma unroll
    for (int k = 0; k < batch; k++) {
      row[k] = out.first + (from + k - 1) * 32 + gdf::lane();
      active[k] = row[k] >= 0 && row[k] < rows && (from + k > 0 || gdf::lane() == 31);
    }
    key_probes<true>(keys, row, active, probe);
#pragma unroll
    for (int k = 0; k < batch; k++) {
      u64 const word = probe[k].word;
      bool const used = probe[k].used;
      if (from + k > 0) {
        u64 const above = __shfl_sync(~0u, last, 31);
        bool const above_used = __shfl_sync(~0u, last_used ? 1 : 0, 31) != 0;
        u64 before = __shfl_up_sync(~0u, word, 1);
        bool before_used = __shfl_up_sync(~0u, used ? 1 : 0, 1) != 0;
        if (gdf::lane() == 0) {
          before = above;
          before_used = above_used;
        }
        bool const follows = used && before_used;
        bool const begins = used && !(before_used && before == word);
        order.up = order.up || (follows && (word ^ signs) > (before ^ signs));
        order.down = order.down || (follows && (word ^ signs) < (before ^ signs));
        order.resumes += used && !before_used;
        int const i = from + k - 1;
        out.used[i] = used;
        out.begins[i] = __ballot_sync(~0u, begins);
        out.runs += static_cast<uint32_t>(__popc(out.begins[i]));
        each(i, begins, word);
      }
      last = word;
      last_used = used;
    }
  }
  return out;
}

/// Stands for an operation that is chosen at run time. Code for such operations exists only once and is therefore
/// short.
constexpr int32_t rare = -1;

/// [thread] Does the same as merge, but is not inlined, so that its code exists only once.
static __device__ __noinline__ void merge_rare(const context& at, u64& lo, u64& hi, u64 lo2, u64 hi2) {
  merge(at, lo, hi, lo2, hi2);
}

/// [warp] Returns whether each value of the warp has at most 55 bits, including the sign. Every sum of these values
/// then fits in 64 bits.
GDF_DEVICE bool sums_fit(const u64 (&lo)[run_items], const u64 (&hi)[run_items]) {
  constexpr int bits = 55; // the number of bits of a value, including the sign
  static_assert(32 * run_items <= 1 << (63 - bits));
  bool fit = true;
#pragma unroll
  for (int i = 0; i < run_items; i++) {
    fit = fit && (lo[i] + (1ull << (bits - 1))) >> bits == 0 && hi[i] == static_cast<u64>(static_cast<int64_t>(lo[i]) >> 63);
  }
  return __all_sync(~0u, fit);
}

/// [thread] Does the same as merge_by, and also supports `rare`.
template <int32_t op, bool narrow>
GDF_DEVICE void merge_run(const context& at, u64& lo, u64& hi, u64 lo2, u64 hi2) {
  if constexpr (narrow) {
    lo += lo2;
  } else if constexpr (op == rare) {
    // The call takes the addresses of copies, so that the arrays of the caller stay in registers.
    u64 merged_lo = lo;
    u64 merged_hi = hi;
    merge_rare(at, merged_lo, merged_hi, lo2, hi2);
    lo = merged_lo;
    hi = merged_hi;
  } else {
    merge_by<op>(at, lo, hi, lo2, hi2);
  }
}

/// [warp] Merges the values of each run of the rows of the warp. If a run begins in the warp and a later run begins
/// there as well, the result of the earlier run is written to the accumulators. `head` becomes the result of the rows
/// before the first begin of a run. `tail` becomes the result of the rows from the last begin of a run on.
template <int32_t op, bool narrow = false>
GDF_DEVICE void fold_runs(const context& at, const accumulators& acc, const warp_runs& runs, int64_t group,
                          u64 (&lo)[run_items], u64 (&hi)[run_items], partial& head, partial& tail) {
  constexpr bool two = op == add_i128;
  constexpr bool wide = two && !narrow;
  auto const upper = [](u64 lower, u64 given) {
    return narrow ? static_cast<u64>(static_cast<int64_t>(lower) >> 63) : given;
  };
  uint32_t const up_to_lane = ~0u >> (31 - gdf::lane());
  auto* const cells = acc.words + at.step.word * acc.stride;
  u64 carry_lo = identity(at.step.op);
  u64 carry_hi = 0;
  int before = 0; // the number of runs that have begun so far
  if ((runs.begins[0] & 1) != 0 && gdf::lane() == 0) { head = {carry_lo, 0}; }
#pragma unroll
  for (int i = 0; i < run_items; i++) {
    uint32_t const mine = runs.begins[i] & up_to_lane;
    int const begin = mine == 0 ? 0 : 31 - __clz(static_cast<int>(mine));
#pragma unroll
    for (int distance = 1; distance < 32; distance <<= 1) {
      u64 const lo2 = __shfl_up_sync(~0u, lo[i], distance);
      u64 const hi2 = wide ? __shfl_up_sync(~0u, hi[i], distance) : 0;
      if (gdf::lane() - distance >= begin) { merge_run<op, narrow>(at, lo[i], hi[i], lo2, hi2); }
    }
    if (mine == 0) { merge_run<op, narrow>(at, lo[i], hi[i], carry_lo, carry_hi); }
    int const rank = before + __popc(mine);
    before += __popc(runs.begins[i]);
    bool const next_begins =
      gdf::lane() < 31 ? (runs.begins[i] >> (gdf::lane() + 1) & 1) != 0
                       : i + 1 < run_items && (runs.begins[i + 1 < run_items ? i + 1 : i] & 1) != 0;
    if (next_begins) {
      if (rank == 0) {
        head = {lo[i], upper(lo[i], hi[i])};
      } else {
        cells[group + rank - 1] = lo[i];
        if (two) { cells[acc.stride + group + rank - 1] = upper(lo[i], hi[i]); }
      }
    }
    carry_lo = __shfl_sync(~0u, lo[i], 31);
    carry_hi = wide ? __shfl_sync(~0u, hi[i], 31) : 0;
  }
  if (gdf::lane() == 31) { (before == 0 ? head : tail) = {carry_lo, upper(carry_lo, carry_hi)}; }
}

GDF_DEVICE void store_partial(const step& step, const accumulators& acc, int64_t group, u64 lo, u64 hi) {
  auto* const cell = acc.words + step.word * acc.stride + group;
  *cell = lo;
  if (step.op == add_i128) { cell[acc.stride] = hi; }
}

} // namespace groupby

/// Counts the runs of consecutive rows with equal keys. The keys pack into 64 bits and have no special null. For each
/// of `tiles` tiles, the kernel writes to `counts` the number of runs that begin before the tile. The kernel uses
/// ticket 32 and zeroed[1] to zeroed[3].
extern "C" __global__ void GDF_BOUNDS(groupby_runs)
groupby_count_runs_kernel(const __grid_constant__ gdf::row_keys keys, gdf::u64 signs, gdf::row_count rows,
                          unsigned long long* counts, gdf::tile_count tiles, gdf::group_state* state,
                          gdf::scratch* scratch, unsigned long long* mailbox) {
  using tuning = groupby_runs_tuning;
  groupby::run_order order{false, false, 0};
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    auto const runs =
      groupby::find_runs(keys, signs, t * tuning::tile, rows, order, [](int, bool, gdf::u64) {});
    gdf::u64 const found = gdf::block_sum<tuning::threads>(gdf::lane() == 0 ? gdf::u64{runs.runs} : 0);
    if (threadIdx.x == 0) { counts[t] = found; }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) { counts[tiles] = 0; }
  uint32_t const resumes = gdf::warp_sum(order.resumes);
  bool const up = __any_sync(~0u, order.up);
  bool const down = __any_sync(~0u, order.down);
  if (gdf::lane() == 0) {
    if (up) { atomicOr(&scratch->zeroed[1], 1ull); }
    if (down) { atomicOr(&scratch->zeroed[2], 1ull); }
    if (resumes != 0) { atomicAdd(&scratch->zeroed[3], static_cast<gdf::u64>(resumes)); }
  }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  gdf::u64 const total = gdf::scan_in_place<tuning::threads, 4>(counts, tiles + 1);
  if (threadIdx.x == 0) {
    *state = gdf::group_state{total, 0, static_cast<gdf::u64>(rows), 0};
    gdf::post(mailbox, total);
  } else if (threadIdx.x < groupby::run_words) {
    gdf::post(mailbox + threadIdx.x, atomicExch(&scratch->zeroed[threadIdx.x], 0ull));
  }
}

/// Accumulates rows by the runs that groupby_count_runs_kernel has counted. The kernel writes keys instead of row
/// numbers to the table, and uses no other part of the table. The accumulators need not be initialized. For each tile
/// and step, the kernel writes to `partials` the result of the rows before the first begin of a run in the tile.
extern "C" __global__ void GDF_BOUNDS(groupby_runs)
groupby_aggregate_runs_kernel(const __grid_constant__ groupby::accumulation in, const unsigned long long* counts,
                              gdf::tile_count tiles, groupby::partial* partials) {
  auto const& [keys, values, steps, rows, table, acc] = in;
  using tuning = groupby_runs_tuning;
  constexpr int items = groupby::run_items;
  constexpr int warps = groupby::run_warps;
  // Consecutive tiles use two buffers alternately. Warps can then work on the next tile while one thread per step still
  // merges the results for the previous tile.
  __shared__ uint32_t found_of[2][warps];
  __shared__ groupby::partial head_of[2][groupby::max_steps][warps];
  __shared__ groupby::partial tail_of[2][groupby::max_steps][warps];
  groupby::run_order order{false, false, 0};
  int turn = 0;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x, turn ^= 1) {
    auto& found = found_of[turn];
    auto& head = head_of[turn];
    auto& tail = tail_of[turn];
    auto const first_group = static_cast<int64_t>(counts[t]);
    gdf::u64 word[items];
    auto const runs = groupby::find_runs(keys, 0, t * tuning::tile, rows, order,
                                         [&](int i, bool, gdf::u64 key) { word[i] = key; });
    if (gdf::lane() == 0) { found[gdf::warp()] = runs.runs; }
    __syncthreads();
    int64_t group = first_group;
#pragma unroll
    for (int w = 0; w < warps; w++) { group += w < gdf::warp() ? found[w] : 0; }

    int64_t row[items];
    int begun = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      row[i] = runs.first + i * 32 + gdf::lane();
      uint32_t const below = runs.begins[i] & ((1u << gdf::lane()) - 1);
      if (runs.begins[i] >> gdf::lane() & 1) { table.first_row[group + begun + __popc(below)] = word[i]; }
      begun += __popc(runs.begins[i]);
    }
    for (int s = 0; s < steps.count; s++) {
      groupby::step const& step = steps.step[s];
      groupby::context const at{values, step};
      gdf::u64 lo[items];
      gdf::u64 hi[items];
      bool active[items];
#pragma unroll
      for (int i = 0; i < items; i++) { active[i] = runs.used[i]; }
      groupby::load_values(values, nullptr, step, row, lo, hi, active);
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (!active[i]) {
          lo[i] = groupby::identity(step.op);
          hi[i] = 0;
        }
      }
      auto const fold = [&]<int32_t op, bool narrow = false>() {
        groupby::fold_runs<op, narrow>(at, acc, runs, group, lo, hi, head[s][gdf::warp()], tail[s][gdf::warp()]);
      };
      switch (static_cast<groupby::combine_op>(step.op)) {
        case groupby::add: fold.template operator()<groupby::add>(); break;
        case groupby::add_f64: fold.template operator()<groupby::add_f64>(); break;
        case groupby::add_i128:
          if (groupby::sums_fit(lo, hi)) {
            fold.template operator()<groupby::add_i128, true>();
          } else {
            fold.template operator()<groupby::add_i128>();
          }
          break;
        case groupby::minimum: fold.template operator()<groupby::minimum>(); break;
        case groupby::maximum: fold.template operator()<groupby::maximum>(); break;
        case groupby::multiply:
        case groupby::multiply_f64:
        case groupby::argmin:
        case groupby::argmax: fold.template operator()<groupby::rare>(); break;
      }
    }
    __syncthreads();
    // One thread per step merges the results of the warps in order. A run ends at a warp in which another run begins.
    for (int s = static_cast<int>(threadIdx.x); s < steps.count; s += tuning::threads) {
      groupby::step const& step = steps.step[s];
      groupby::context const at{values, step};
      gdf::u64 lo = groupby::identity(step.op);
      gdf::u64 hi = 0;
      int64_t next = first_group; // the first run that begins after the rows merged so far
      auto const end = [&] {
        if (next == first_group) {
          partials[t * steps.count + s] = {lo, hi};
        } else {
          groupby::store_partial(step, acc, next - 1, lo, hi);
        }
      };
      for (int w = 0; w < warps; w++) {
        groupby::merge(at, lo, hi, head[s][w].lo, head[s][w].hi);
        if (found[w] == 0) { continue; }
        end();
        next += found[w];
        lo = tail[s][w].lo;
        hi = tail[s][w].hi;
      }
      end();
    }
  }
}

/// Completes the last run of each tile: merges into it the partial results of the following tiles that belong to the
/// same run. Each warp handles a tile.
extern "C" __global__ void GDF_BOUNDS(groupby_join_runs)
groupby_join_runs_kernel(const __grid_constant__ gdf::row_table<groupby::value_columns> values,
                         const __grid_constant__ groupby::steps steps, groupby::accumulators acc,
                         const unsigned long long* counts, gdf::tile_count tiles, const groupby::partial* partials) {
  using tuning = groupby_join_runs_tuning;
  constexpr int warps = tuning::threads / 32;
  for (int64_t t = int64_t{blockIdx.x} * warps + gdf::warp(); t < tiles; t += int64_t{gridDim.x} * warps) {
    auto const group = static_cast<int64_t>(counts[t + 1]) - 1;
    if (counts[t + 1] == counts[t]) { continue; }
    for (int s = 0; s < steps.count; s++) {
      groupby::step const& step = steps.step[s];
      groupby::context const at{values, step};
      auto* const cell = acc.words + step.word * acc.stride + group;
      bool const two = step.op == groupby::add_i128;
      gdf::u64 total_lo = *cell;
      gdf::u64 total_hi = two ? cell[acc.stride] : 0;
      bool ended = false;
      for (int64_t first = t + 1; first < tiles && !ended; first += 32) {
        int64_t const tile = first + gdf::lane();
        bool const ends = tile < tiles && counts[tile + 1] != counts[tile];
        uint32_t const ending = __ballot_sync(~0u, ends);
        ended = ending != 0;
        // The needed tiles end with the first tile in which a run begins.
        uint32_t const needed = ended ? ending ^ (ending - 1) : ~0u;
        gdf::u64 lo = groupby::identity(step.op);
        gdf::u64 hi = 0;
        if (tile < tiles && (needed >> gdf::lane() & 1) != 0) {
          groupby::partial const there = partials[tile * steps.count + s];
          lo = there.lo;
          hi = there.hi;
        }
#pragma unroll 1
        for (int distance = 1; distance < 32; distance <<= 1) {
          gdf::u64 const lo2 = __shfl_down_sync(~0u, lo, distance);
          gdf::u64 const hi2 = __shfl_down_sync(~0u, hi, distance);
          if (gdf::lane() + distance < 32) { groupby::merge(at, lo, hi, lo2, hi2); }
        }
        groupby::merge(at, total_lo, total_hi, lo, hi); // lane 0 has the result
      }
      if (gdf::lane() == 0) { groupby::store_partial(step, acc, group, total_lo, total_hi); }
    }
  }
}
