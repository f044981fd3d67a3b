// groupby::aggregate of at most 1,024 rows: one block does all the work in one launch, including the results. This file
// uses definitions of direct.cu and finish.cu, so the three files are compiled together.

#include "accumulate.cuh"
#include "direct.cu"
#include "finish.cu"

GDF_POLICY(aggregate_tiny, 1024, 1, 1);

/// Initializes the table and `begin_words` words of accumulators, and accumulates at most 1,024 rows. The kernel then
/// writes `columns` columns of the result, and posts the number of groups. The keys must pack into 64 bits and must
/// have no special null. The launch must have one block.
extern "C" __global__ void GDF_BOUNDS(aggregate_tiny)
aggregate_tiny_kernel(const __grid_constant__ groupby::accumulation in,
                      const __grid_constant__ groupby::beginnings beginnings, int begin_words,
                      const __grid_constant__ groupby::results results,
                      const __grid_constant__ gdf::table_out<groupby::finish_columns> out, int columns,
                      unsigned long long* mailbox) {
  auto const& [keys, values, steps, rows, table, acc] = in;
  constexpr int threads = aggregate_tiny_tuning::threads;
  auto const thread = static_cast<int64_t>(threadIdx.x);
  if (thread < rows) { // the rows arrive in the cache while the table is being initialized
    for (int c = 0; c < keys.rows.count; c++) { groupby::prefetch(keys.rows.column[c], thread); }
    for (int c = 0; c < values.count; c++) { groupby::prefetch(values.column[c], thread); }
  }
  groupby::begin(table, acc, beginnings, begin_words, true, thread, threads);
  __syncthreads();
  groupby::direct_rows<true, true, threads, 1>(
    &keys, values, nullptr, steps, rows, table, acc, gdf::warp_numbers{},
    [&](const int64_t(&row)[1], const bool(&active)[1], gdf::key_probe(&probe)[1], int64_t(&named)[1]) {
      groupby::key_probes<true>(keys, row, active, probe);
      named[0] = static_cast<int64_t>(probe[0].word);
    });
  __threadfence();
  __syncthreads();
  auto const groups =
    static_cast<int64_t>(static_cast<const volatile gdf::group_state*>(table.state)->groups);
  // There is memory for a group per row, so there can be no overflow to report.
  if (threadIdx.x == threads - 1) { gdf::post(mailbox, static_cast<gdf::u64>(groups)); }
  bool const leads = gdf::lane() == 0 && thread < groups;
  for (int c = 0; c < columns; c++) {
    gdf::column_out const& target = out.column[c];
    bool bit = false;
    bool const valid =
      thread < groups &&
      groupby::finish_group(gdf::column_in{}, target, results.column[c], acc, thread, bit);
    if (target.type == static_cast<int32_t>(gdf::type::boolean)) {
      uint32_t const bits = __ballot_sync(~0u, bit);
      if (leads) { static_cast<uint32_t*>(target.data)[thread >> 5] = bits; }
    }
    if (target.validity != nullptr) {
      uint32_t const bits = __ballot_sync(~0u, valid);
      if (leads) { target.validity[thread >> 5] = bits; }
      int const all = __syncthreads_count(valid);
      if (threadIdx.x == 0) { *target.null_count = static_cast<gdf::u64>(groups - all); }
    }
  }
}
