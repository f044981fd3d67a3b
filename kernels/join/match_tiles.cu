// join: looks up many rows and writes their results in one launch, in the order of the rows. Each row has at most one
// result, so that the host can allocate memory before the number of results is known. Tiles find the positions of their
// results by decoupled look-back.

#include <gdf/look_back.cuh>

#include "key.cuh"

GDF_POLICY(join_match_tiles, 256, 8, 5);
GDF_POLICY(join_match_tiles_rows, 256, 8, 4);

static_assert(join_match_tiles_tuning::threads == join_match_tiles_rows_tuning::threads &&
              join_match_tiles_tuning::items == join_match_tiles_rows_tuning::items);

namespace join {

/// The word that is posted to the mailbox if rows can have several results. The kernel then writes no results.
constexpr u64 several_results = 0x8000000000000000;

/// The output of match_tiles, with memory for a result for each row. If there are few tiles, `states` may be null, and
/// the states are in the scratch memory.
struct single_matches {
  indices_out left;
  indices_out right;
  uint32_t* states;
  gdf::tile_count tiles;
};
static_assert(sizeof(single_matches) == 48);

/// The sum of numbers of results. The look-back uses the form with a fixed order, although the order of a sum of
/// integers is irrelevant. In the plain form, prefixes pass only 32 tiles in each round trip to the L2 cache, which
/// takes longer than the lookups.
struct sum_of_results {
  using value = u64;
  static constexpr bool exact = false;
  GDF_DEVICE value identity() const { return 0; }
  GDF_DEVICE value operator()(value a, value b) const { return a + b; }
};

/// [grid]
template <bool packed>
GDF_DEVICE void match_tiles(const lookup& in, const gdf::row_table<gdf::key_columns>& build,
                            const selected_rows& selected, const single_matches& out, gdf::scratch* scratch,
                            unsigned long long* mailbox) {
  using tuning = join_match_tiles_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  constexpr int batch = packed ? 4 : 1; // comparing texts takes many registers
  static_assert(items % batch == 0 && threads / 32 * items == 64);
  __shared__ uint32_t start_of[tuning::tile];
  __shared__ __align__(8) uint32_t first[64]; // for each 32 rows, the number of earlier results of the tile
  __shared__ u64 before_tile;
  __shared__ uint32_t slots[2];
  auto const& [keys, table, rows, grouped, kind, unused] = in;
  gdf::key_layout const layout(table);
  if (layout.duplicates && kind <= left) {
    if (blockIdx.x == 0 && threadIdx.x == 0) { gdf::post(mailbox, several_results); }
    return;
  }
  plain_keys const plain(keys, table, layout);
  bool const returns_found = kind != anti;
  bool const returns_missing = kind == left || kind == anti;
  gdf::scan_state const all(true, out.states, nullptr, static_cast<int>(out.tiles), scratch);
  gdf::scan_turns in_turn(scratch, slots, all.tiles);
  for (int t = in_turn.first(); t < all.tiles; t = in_turn.next()) {
    in_turn.take();
    int64_t const base = int64_t{t} * tuning::tile + gdf::warp() * (32 * items);
    uint32_t const* const mine = start_of + gdf::warp() * (32 * items) + gdf::lane();
    uint32_t const used = selected.bits<items>(base, rows);
    uint32_t results = 0; // a bit per item
#pragma unroll 1
    for (int b = 0; b < items; b += batch) {
      int64_t row[batch];
      bool active[batch];
#pragma unroll
      for (int i = 0; i < batch; i++) {
        row[i] = base + (b + i) * 32 + gdf::lane();
        active[i] = used >> (b + i) & 1;
      }
      uint32_t start[batch];
      uint32_t count[batch];
      if (packed && plain.data != nullptr) {
        uint32_t position[batch];
        plain.find(row, active, position);
        look_up_entries(table, layout, position, start, count);
      } else {
        look_up<packed>(keys, build, table, layout, row, active, start, count);
      }
#pragma unroll
      for (int i = 0; i < batch; i++) {
        bool const is_result = active[i] && (start[i] != no_match ? returns_found : returns_missing);
        start_of[gdf::warp() * (32 * items) + (b + i) * 32 + gdf::lane()] = start[i];
        results |= static_cast<uint32_t>(is_result) << (b + i);
        uint32_t const found = __ballot_sync(~0u, is_result);
        if (gdf::lane() == 0) { first[gdf::warp() * items + b + i] = __popc(found); }
      }
    }
    __syncthreads();
    in_turn.pass_on(); // not earlier: until this barrier, threads may still read the number of this tile
    if (gdf::warp() == 0) {
      uint2 const pair = reinterpret_cast<const uint2*>(first)[gdf::lane()];
      uint32_t const end = gdf::warp_inclusive_sum(pair.x + pair.y);
      gdf::carry<u64> const own{__shfl_sync(~0u, end, 31), 0};
      reinterpret_cast<uint2*>(first)[gdf::lane()] = {end - pair.x - pair.y, end - pair.y};
      gdf::carry<u64> before{0, 0};
      if (all.tiles > 1) { // scratch memory would keep the state of a single tile
        if (gdf::lane() == 0) { gdf::publish_aggregate<sum_of_results>(all, t, own); }
        before = gdf::look_back(all, sum_of_results{}, t, own);
      }
      if (gdf::lane() == 0) {
        before_tile = before.value;
        if (t + 1 == all.tiles) { gdf::post(mailbox, before.value + own.value); }
      }
    }
    __syncthreads();
#pragma unroll 2
    for (int i = 0; i < items; i++) {
      bool const is_result = results >> i & 1;
      uint32_t const found = __ballot_sync(~0u, is_result);
      if (!is_result) { continue; }
      uint32_t const start = mine[i * 32];
      uint32_t const rank = __popc(found & ((1u << gdf::lane()) - 1));
      auto const at = static_cast<int64_t>(before_tile + first[gdf::warp() * items + i] + rank);
      out.left.store(at, base + i * 32 + gdf::lane());
      out.right.store(at, start == no_match ? -1 : static_cast<int64_t>(start));
    }
    __syncthreads(); // the next tile writes to shared memory
  }
  gdf::finish_tiles<threads>(all, scratch);
}

} // namespace join

/// Writes the results of the selected rows and posts their number.
extern "C" __global__ void GDF_BOUNDS(join_match_tiles)
join_match_tiles_packed_kernel(const __grid_constant__ join::lookup in,
                               const __grid_constant__ join::selected_rows selected,
                               const __grid_constant__ join::single_matches out, gdf::scratch* scratch,
                               unsigned long long* mailbox) {
  join::match_tiles<true>(in, in.keys.rows, selected, out, scratch, mailbox);
}

/// Does the same as join_match_tiles_packed_kernel, for keys that do not pack into 64 bits. The kernel also needs the
/// keys of the build side.
extern "C" __global__ void GDF_BOUNDS(join_match_tiles_rows)
join_match_tiles_rows_kernel(const __grid_constant__ join::lookup in,
                             const __grid_constant__ gdf::row_table<gdf::key_columns> build,
                             const __grid_constant__ join::selected_rows selected,
                             const __grid_constant__ join::single_matches out, gdf::scratch* scratch,
                             unsigned long long* mailbox) {
  join::match_tiles<false>(in, build, selected, out, scratch, mailbox);
}
