// scan::scan of booleans. For sum and maximum, the result is true from the first true row on. For product and minimum,
// it is true up to the first false row.

#include <gdf/policy.cuh>
#include <gdf/scan_rows.cuh>

GDF_POLICY(scan_bits, 256, 32, 4);

namespace scan {

struct any_row {
  using value = uint32_t;
  static constexpr bool exact = true;
  GDF_DEVICE value identity() const { return 0; }
  GDF_DEVICE value operator()(value a, value b) const { return a | b; }
};

/// [block] Returns the first row of a tile whose bit in the warps' words is set, or `none` if no bit is set. `slots`
/// has a word per warp.
GDF_DEVICE int first_of_block(uint32_t word, int none, int* slots, int warps) {
  int const found = gdf::first_bit(word, none);
  if (gdf::lane() == 0) { slots[gdf::warp()] = found; }
  __syncthreads();
  for (int w = 0; w < warps; w++) {
    if (slots[w] != none) { return w * 1024 + slots[w]; }
  }
  return none;
}

} // namespace scan

extern "C" __global__ void GDF_BOUNDS(scan_bits) GDF_VARIANT(scan, bits)
scan_bits_kernel(const __grid_constant__ gdf::column_in in,
                 const __grid_constant__ gdf::column_out out, int modes, uint32_t* status,
                 unsigned long long* values, gdf::scratch* scratch) {
  using namespace scan;
  using tuning = scan_bits_tuning;
  static_assert(tuning::items == 32);
  constexpr int threads = tuning::threads;
  constexpr int warps = threads / 32;
  __shared__ int hit_slots[warps];
  __shared__ int null_slots[warps];
  __shared__ uint32_t before_hit;
  __shared__ uint32_t before_null;
  __shared__ uint32_t slots[2];
  gdf::scan_state const all(gdf::fits_entry<any_row>, status, values, gdf::tiles_of<tuning>(in.length), scratch);
  bool const until = (modes & gdf::second) != 0;
  uint32_t valid_rows = 0;
  gdf::scan_turns in_turn(scratch, slots, all.tiles);
  int next = in_turn.first();
  while (next < all.tiles) {
    int const tile = next;
    in_turn.take();
    int64_t const first = int64_t{tile} * tuning::tile;
    int64_t const row = first + int64_t{threadIdx.x} * 32;
    uint32_t const there = gdf::low_bits(in.length - row);
    uint32_t valid = 0;
    uint32_t hits = 0;
    if (row < in.length) {
      valid = gdf::valid_word(in, row, in.length);
      uint32_t const bits = gdf::boolean_word(in, row, in.length);
      hits = (until ? ~bits : bits) & valid;
    }
    in_turn.pass_on();
    int const hit_at = first_of_block(hits, tuning::tile, hit_slots, warps);
    int const null_at = first_of_block(~valid & there, tuning::tile, null_slots, warps);
    next = in_turn.next();
    bool hit = false;
    bool null = false;
    if (all.tiles > 1) {
      if (gdf::warp() == 0) {
        gdf::carry<uint32_t> const own{hit_at < tuning::tile ? 1u : 0u, null_at < tuning::tile ? 1u : 0u};
        if (gdf::lane() == 0) { gdf::publish_aggregate<any_row>(all, tile, own); }
        gdf::carry<uint32_t> const earlier = gdf::look_back(all, any_row{}, tile, own);
        if (gdf::lane() == 0) {
          before_hit = earlier.value;
          before_null = earlier.flags;
        }
      }
      __syncthreads();
      hit = before_hit != 0;
      null = before_null != 0;
    }
    if (row < in.length) {
      int64_t const from = first + hit_at + (modes & gdf::exclusive ? 1 : 0);
      uint32_t const below = hit ? 0 : gdf::low_bits(from - row);
      static_cast<uint32_t*>(out.data)[row >> 5] = (until ? below : ~below) & there;
      if (out.validity != nullptr) {
        uint32_t const bits = gdf::result_word(valid, modes, null, null_at, first, row, in.length);
        out.validity[row >> 5] = bits;
        valid_rows += __popc(bits);
      }
    }
  }
  gdf::finish_tiles<threads>(all, scratch);
  gdf::post_null_count<threads>(scratch, out, valid_rows);
}
