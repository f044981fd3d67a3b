// groupby::aggregate without tables in shared memory, for few rows per block or for many groups. Every row is merged
// into the table in global memory. Lanes of a warp whose rows belong to the same group may cooperate: they merge their
// values first, and one of them updates the accumulators.
//
// For many groups, partition.cu may have ordered the rows by parts of the table.

#include <gdf/grid_barrier.cuh>

#include "accumulate.cuh"

namespace groupby {

/// [warp] Merges the values of the lanes in `peers`. The calling lane must be one of them. The first of these lanes
/// gets the result.
GDF_DEVICE void combine_lanes(const context& at, uint32_t peers, u64& lo, u64& hi) {
  int const lane = gdf::lane();
  int position = __popc(peers & ((1u << lane) - 1));
  uint32_t above = peers & (~1u << lane);
  while (__any_sync(~0u, above != 0)) {
    int const next = __ffs(static_cast<int>(above)) - 1;
    u64 const lo2 = __shfl_sync(~0u, lo, next < 0 ? lane : next);
    u64 const hi2 = __shfl_sync(~0u, hi, next < 0 ? lane : next);
    if (next >= 0) { merge(at, lo, hi, lo2, hi2); }
    above &= ~__ballot_sync(~0u, position & 1);
    position >>= 1;
  }
}

/// [warp] Merges the values of all lanes if all lanes update the same group, as in a run of equal keys. Afterwards,
/// only the first lane updates the group.
GDF_DEVICE void combine_run(const context& at, uint32_t group, bool& adds, u64& lo, u64& hi) {
  uint32_t const first = __shfl_sync(~0u, group, 0);
  if (!__all_sync(~0u, adds && group == first)) { return; }
#pragma unroll 1
  for (int distance = 16; distance > 0; distance >>= 1) {
    u64 const lo2 = __shfl_xor_sync(~0u, lo, distance);
    u64 const hi2 = __shfl_xor_sync(~0u, hi, distance);
    merge(at, lo, hi, lo2, hi2);
  }
  adds = gdf::lane() == 0;
}

/// [warp, or block if Numbers is block_numbers] Finds the groups of the `active` rows.
template <bool packed, int items, class Numbers>
GDF_DEVICE void groups_of(const gdf::group_table& table, const gdf::row_keys* keys,
                          const int64_t (&row)[items], const gdf::key_probe (&probe)[items],
                          const bool (&active)[items], uint32_t (&id)[items], Numbers&& numbers) {
  gdf::find_or_insert_all(table, probe, row, active, id, [&](int i, u64 word) {
    if constexpr (packed) {
      return word == probe[i].word;
    } else {
      return gdf::same_word<false>{*keys, probe[i], row[i]}(word);
    }
  }, numbers);
}

/// [warp] Returns the lanes whose rows have the same key as this lane. If the keys are not packed, some of these lanes
/// may have another key.
GDF_DEVICE uint32_t lanes_of_key(const gdf::key_probe& probe) {
  uint32_t const used = __ballot_sync(~0u, probe.used);
  uint32_t const null = __ballot_sync(~0u, probe.special == 2);
  uint32_t const same = __match_any_sync(~0u, probe.hash);
  return same & used & (probe.special == 2 ? null : ~null);
}

/// [block] Accumulates the rows [0, rows), tile by tile. The function stops early if the table is full.
template <bool packed, bool together, int threads, int items, class Numbers, class Probes>
GDF_DEVICE void direct_rows(const gdf::row_keys* keys, const gdf::row_table<value_columns>& values,
                            const partitioned_values* partitioned, const steps& steps, int64_t rows,
                            const gdf::group_table& table, const accumulators& acc,
                            Numbers&& numbers, Probes&& probes) {
  bool const can_overflow = table.capacity < static_cast<u64>(rows);
  u64 seen = 0;
  uint32_t turn = 0;
  constexpr int64_t tile = int64_t{threads} * items;
  for (int64_t first = tile * blockIdx.x; first < rows; first += tile * gridDim.x, turn++) {
    if (can_overflow) {
      if (turn % 8 == 0) {
        bool const lost = *static_cast<volatile u64*>(&table.state->overflow) != 0;
        if (__syncthreads_or(lost)) { break; }
      }
      seen += 32 * items;
    }
    int64_t row[items];
    bool active[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      row[i] = gdf::row_of<threads>(first, i);
      active[i] = row[i] < rows;
    }
    gdf::key_probe probe[items];
    int64_t named[items]; // the values that the table stores for new groups
    probes(row, active, probe, named);

    uint32_t id[items];
    uint32_t peers[items];
    bool acts[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      id[i] = gdf::lost_id;
      peers[i] = 1u << gdf::lane();
      acts[i] = probe[i].used;
    }
    if constexpr (together) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        uint32_t const same = lanes_of_key(probe[i]);
        if (packed && probe[i].used) { peers[i] = same; }
        acts[i] = probe[i].used && gdf::lane() == __ffs(static_cast<int>(same)) - 1;
      }
    }
    groups_of<packed>(table, keys, named, probe, acts, id, numbers);
    if constexpr (!packed && together) { // all lanes but the first then find the group that the first has inserted
      __syncwarp();
      bool late[items];
      uint32_t found[items];
#pragma unroll
      for (int i = 0; i < items; i++) { late[i] = probe[i].used && !acts[i]; }
      groups_of<packed>(table, keys, named, probe, late, found, numbers);
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (late[i]) { id[i] = found[i]; }
        uint32_t const known = __ballot_sync(~0u, id[i] < gdf::lost_id);
        peers[i] = __match_any_sync(~0u, id[i]) & known;
        acts[i] = gdf::lane() == __ffs(static_cast<int>(peers[i])) - 1;
      }
    }

    for (int s = 0; s < steps.count; s++) {
      step const& step = steps.step[s];
      context const at{values, step};
      u64 lo[items];
      u64 hi[items];
#pragma unroll
      for (int i = 0; i < items; i++) { active[i] = probe[i].used; }
      load_values(values, partitioned, step, row, lo, hi, active);
      bool adds[items];
#pragma unroll
      for (int i = 0; i < items; i++) {
        adds[i] = active[i];
        if (together && __any_sync(~0u, (peers[i] & (peers[i] - 1)) != 0)) {
          uint32_t const adding = __ballot_sync(~0u, active[i]);
          if (!active[i]) {
            lo[i] = identity(step.op);
            hi[i] = 0;
          }
          combine_lanes(at, peers[i], lo[i], hi[i]);
          adds[i] = (adding & peers[i]) != 0;
        }
        adds[i] = adds[i] && acts[i] && id[i] < gdf::lost_id;
        if constexpr (!together) { combine_run(at, id[i], adds[i], lo[i], hi[i]); }
      }
      merge_all(at, acc, adds, id, lo, hi);
    }
  }
  if (can_overflow && gdf::lane() == 0) { atomicAdd(&table.state->seen, seen); }
}

template <bool packed, bool together, int threads, int items>
GDF_DEVICE void direct_columns(const accumulation& in) {
  auto const& [keys, values, steps, rows, table, acc] = in;
  direct_rows<packed, together, threads, items>(
    &keys, values, nullptr, steps, rows, table, acc, gdf::warp_numbers{},
    [&](const int64_t(&row)[items], const bool(&active)[items], gdf::key_probe(&probe)[items],
        int64_t(&named)[items]) {
      key_probes<packed>(keys, row, active, probe);
#pragma unroll
      for (int i = 0; i < items; i++) { named[i] = row[i]; }
    });
}

template <bool packed>
GDF_DEVICE void few_rows(const accumulation& in, const beginnings& beginnings, int begin_words,
                         gdf::scratch* scratch, unsigned long long* mailbox) {
  auto const& [keys, values, steps, rows, table, acc] = in;
  using tuning = aggregate_few_tuning;
  gdf::grid_barrier barrier{scratch, 32};
  if (begin_words != 0) {
    int64_t const row = int64_t{blockIdx.x} * tuning::threads + threadIdx.x;
    if (row < rows) { // loads the row into the cache while the table is being initialized
      for (int c = 0; c < keys.rows.count; c++) { prefetch(keys.rows.column[c], row); }
      for (int c = 0; c < values.count; c++) { prefetch(values.column[c], row); }
    }
    begin(table, acc, beginnings, begin_words, true,
          int64_t{blockIdx.x} * tuning::threads + threadIdx.x, int64_t{gridDim.x} * tuning::threads);
    barrier.wait();
  }
  direct_columns<packed, true, tuning::threads, tuning::items>(in);
  if (mailbox != nullptr && barrier.end() && threadIdx.x == 0) { post_state(table, mailbox); }
}

} // namespace groupby

/// Accumulates few rows by keys that pack into 64 bits. The launch must be cooperative. If `begin_words` is not 0, the
/// kernel first initializes the table and this number of words of accumulators. The kernel uses tickets 32 and 33.
extern "C" __global__ void GDF_BOUNDS(aggregate_few) GDF_VARIANT(aggregate_few, packed)
aggregate_few_packed_kernel(const __grid_constant__ groupby::accumulation in,
                            const __grid_constant__ groupby::beginnings beginnings, int begin_words,
                            gdf::scratch* scratch, unsigned long long* mailbox) {
  groupby::few_rows<true>(in, beginnings, begin_words, scratch, mailbox);
}

/// Does the same as aggregate_few_packed_kernel, for keys of any types. There are at most 2^32 - 2 rows.
extern "C" __global__ void GDF_BOUNDS(aggregate_few) GDF_VARIANT(aggregate_few, rows)
aggregate_few_rows_kernel(const __grid_constant__ groupby::accumulation in,
                            const __grid_constant__ groupby::beginnings beginnings, int begin_words,
                            gdf::scratch* scratch, unsigned long long* mailbox) {
  groupby::few_rows<false>(in, beginnings, begin_words, scratch, mailbox);
}

/// Does the same as aggregate_packed_kernel, for many groups. Blocks have no tables in shared memory. The kernel uses
/// ticket 32.
extern "C" __global__ void GDF_BOUNDS(aggregate_many) GDF_VARIANT(aggregate_many, packed)
aggregate_many_packed_kernel(const __grid_constant__ groupby::accumulation in, gdf::scratch* scratch,
                             unsigned long long* mailbox) {
  using tuning = aggregate_many_tuning;
  groupby::direct_columns<true, false, tuning::threads, tuning::items>(in);
  groupby::end(in.table, scratch, mailbox);
}

/// Does the same as aggregate_many_packed_kernel, for keys of any types. There are at most 2^32 - 2 rows.
extern "C" __global__ void GDF_BOUNDS(aggregate_many) GDF_VARIANT(aggregate_many, rows)
aggregate_many_rows_kernel(const __grid_constant__ groupby::accumulation in, gdf::scratch* scratch,
                             unsigned long long* mailbox) {
  using tuning = aggregate_many_tuning;
  groupby::direct_columns<false, false, tuning::threads, tuning::items>(in);
  groupby::end(in.table, scratch, mailbox);
}

/// Accumulates `*rows` rows that partition.cu has moved. `words` are the keys of these rows, and the table stores keys
/// instead of row numbers. The kernel uses ticket 32.
extern "C" __global__ void GDF_BOUNDS(aggregate_parts)
aggregate_parts_kernel(const unsigned long long* words, const unsigned long long* rows,
                       const __grid_constant__ gdf::row_table<groupby::value_columns> values,
                       const __grid_constant__ groupby::partitioned_values partitioned,
                       const __grid_constant__ groupby::steps steps, gdf::group_table table,
                       groupby::accumulators acc, gdf::scratch* scratch,
                       unsigned long long* mailbox) {
  using tuning = aggregate_parts_tuning;
  constexpr int items = tuning::items;
  groupby::direct_rows<true, false, tuning::threads, items>(
    nullptr, values, &partitioned, steps, static_cast<int64_t>(*rows), table, acc,
    gdf::block_numbers<tuning::threads>{},
    [&](const int64_t(&row)[items], const bool(&active)[items], gdf::key_probe(&probe)[items],
        int64_t(&named)[items]) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        gdf::u64 const word = active[i] ? __ldcs(words + row[i]) : 0;
        probe[i] = {word, gdf::mix64(word), word == gdf::empty_word ? 1 : 0, active[i]};
        named[i] = static_cast<int64_t>(word);
      }
    });
  groupby::end(table, scratch, mailbox);
}
