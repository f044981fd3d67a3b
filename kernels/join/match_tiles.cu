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

/// The shared memory of a block. Two tiles are in work at a time, and each has its own half of the arrays.
struct tile_memory {
  static constexpr int tile = join_match_tiles_tuning::tile;
  uint32_t start_of[2][tile];
  alignas(8) uint32_t first[2][64]; // for each 32 rows, the number of earlier results of the tile
  u64 before_tile;
  uint32_t slots[2];
};

/// A tile whose rows have been looked up, and whose number of results is published.
struct looked_up_tile {
  uint32_t results;       // a bit per item of the thread
  gdf::carry<u64> number; // of results of the tile, in the first warp
};

/// [block] Looks up the rows of tile `t` and publishes the number of its results.
///
/// The function has a barrier between its reads of `in_turn` and the store of the next tile. A barrier must follow.
template <bool packed>
GDF_DEVICE looked_up_tile look_up_tile(const lookup& in, const gdf::row_table<gdf::key_columns>& build,
                                       const selected_rows& selected, const gdf::key_layout& layout,
                                       const plain_keys& plain, const gdf::scan_state& all, gdf::scan_turns& in_turn,
                                       int t, uint32_t* start_of, uint32_t* first) {
  using tuning = join_match_tiles_tuning;
  constexpr int items = tuning::items;
  constexpr int batch = packed ? 4 : 1; // comparing texts takes many registers
  static_assert(items % batch == 0 && tuning::threads / 32 * items == 64);
  auto const& [keys, table, rows, grouped, kind, unused] = in;
  bool const returns_found = kind != anti;
  bool const returns_missing = kind == left || kind == anti;
  in_turn.take();
  int64_t const base = int64_t{t} * tuning::tile + gdf::warp() * (32 * items);
  uint32_t const used = selected.bits<items>(base, rows);
  looked_up_tile tile{0, {0, 0}};
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
      tile.results |= static_cast<uint32_t>(is_result) << (b + i);
      uint32_t const found = __ballot_sync(~0u, is_result);
      if (gdf::lane() == 0) { first[gdf::warp() * items + b + i] = __popc(found); }
    }
  }
  __syncthreads();
  in_turn.pass_on(); // not earlier: until this barrier, threads may still read the number of this tile
  if (gdf::warp() == 0) {
    uint2 const pair = reinterpret_cast<const uint2*>(first)[gdf::lane()];
    uint32_t const end = gdf::warp_inclusive_sum(pair.x + pair.y);
    tile.number.value = __shfl_sync(~0u, end, 31);
    reinterpret_cast<uint2*>(first)[gdf::lane()] = {end - pair.x - pair.y, end - pair.y};
    // The scratch memory would keep the state of a single tile.
    if (all.tiles > 1 && gdf::lane() == 0) { gdf::publish_aggregate<sum_of_results>(all, t, tile.number); }
  }
  return tile;
}

/// [grid] While a block waits for the position of a tile, it has already looked up its next tile. Otherwise the lookups
/// of a block would stand still for as long as its slowest predecessor takes.
template <bool packed>
GDF_DEVICE void match_tiles(const lookup& in, const gdf::row_table<gdf::key_columns>& build,
                            const selected_rows& selected, const single_matches& out, gdf::scratch* scratch,
                            unsigned long long* mailbox) {
  using tuning = join_match_tiles_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  __shared__ tile_memory memory;
  gdf::key_layout const layout(in.table);
  if (layout.duplicates && in.kind <= left) {
    if (blockIdx.x == 0 && threadIdx.x == 0) { gdf::post(mailbox, several_results); }
    return;
  }
  plain_keys const plain(in.keys, in.table, layout);
  gdf::scan_state const all(true, out.states, nullptr, static_cast<int>(out.tiles), scratch);
  gdf::scan_turns in_turn(scratch, memory.slots, all.tiles);
  auto const looked_up = [&](int t, int half) {
    return look_up_tile<packed>(in, build, selected, layout, plain, all, in_turn, t, memory.start_of[half],
                                memory.first[half]);
  };
  int t = all.tiles; // the tile whose results are still to be written
  int half = 0;
  looked_up_tile tile{};
  for (int next = in_turn.first(); t < all.tiles || next < all.tiles; next = in_turn.next()) {
    looked_up_tile next_tile{};
    if (next < all.tiles) { next_tile = looked_up(next, half ^ 1); }
    if (t < all.tiles) {
      if (gdf::warp() == 0) {
        gdf::carry<u64> before{0, 0};
        if (all.tiles > 1) { before = gdf::look_back(all, sum_of_results{}, t, tile.number); }
        if (gdf::lane() == 0) {
          memory.before_tile = before.value;
          if (t + 1 == all.tiles) { gdf::post(mailbox, before.value + tile.number.value); }
        }
      }
      __syncthreads();
      int64_t const base = int64_t{t} * tuning::tile + gdf::warp() * (32 * items);
      uint32_t const* const mine = memory.start_of[half] + gdf::warp() * (32 * items) + gdf::lane();
#pragma unroll 2
      for (int i = 0; i < items; i++) {
        bool const is_result = tile.results >> i & 1;
        uint32_t const found = __ballot_sync(~0u, is_result);
        if (!is_result) { continue; }
        uint32_t const start = mine[i * 32];
        uint32_t const rank = __popc(found & ((1u << gdf::lane()) - 1));
        auto const at = static_cast<int64_t>(memory.before_tile + memory.first[half][gdf::warp() * items + i] + rank);
        out.left.stream(at, base + i * 32 + gdf::lane());
        out.right.stream(at, start == no_match ? -1 : static_cast<int64_t>(start));
      }
    }
    __syncthreads();
    tile = next_tile;
    t = next;
    half ^= 1;
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
