// Tiles of rows of text: sizes, offsets, elements, masks and null counts, whatever the rows are made of. Two launches make a
// column of variable rows, one a column of values.
#pragma once

#include "count.cuh"
#include "last_block.cuh"
#include "staged_text.cuh"

namespace gdf {

namespace build_strings_detail {

/// Bytes of a row, on average, for which there is shared memory: of text, or of larger elements.
constexpr int stage_per_row(int unit) { return unit == 1 ? 64 : 128; }

/// [warp] Stores `total` bytes, which lie from stage + target % 8 on, at `target`.
GDF_DEVICE void store_stage(const uint8_t* stage, uint8_t* target, uint32_t total) {
  auto const lead = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(target) & 7);
  uint32_t const end = lead + total;
  uint32_t const last = end & ~7u; // of words that are full
  uint8_t* const words = target - lead;
  for (uint32_t at = (lead == 0 ? 0 : 8) + lane() * 8; at < last; at += 256) {
    *reinterpret_cast<u64*>(words + at) = *reinterpret_cast<const u64*>(stage + at);
  }
  // Eight lanes have what is before the first of these, if it is another word than the last, and eight what is behind.
  uint32_t const loose = lane() < 8 ? lane() : last + lane() - 8;
  bool const is_head = lane() < 8 && lead != 0 && last != 0;
  if ((is_head || (lane() >= 8 && lane() < 16)) && loose >= lead && loose < end) { words[loose] = stage[loose]; }
}

/// Tiles are counted in at most so many groups, of which scratch memory has the totals.
constexpr uint32_t most_groups = sizeof(scratch::zeroed) / sizeof(u64);

/// [thread] Tiles of `rows` rows; 2^32 of them is past any memory.
template <class tuning>
GDF_DEVICE uint32_t tiles_of(int64_t rows) { return static_cast<uint32_t>((rows + tuning::tile - 1) / tuning::tile); }

/// [thread] Tiles of a group.
GDF_DEVICE uint32_t group_of(uint32_t tiles) { return (tiles + most_groups - 1) / most_groups; }

/// [block] By the last block: what is before each group goes to its first tile's count; the total to the mailbox.
template <int threads>
GDF_DEVICE void scan_groups(uint32_t tiles, uint32_t group, unsigned long long* counts, scratch* scratch,
                            unsigned long long* mailbox) {
  u64 base = 0;
#pragma unroll 1
  for (uint32_t first = 0; first * group < tiles; first += threads) {
    uint32_t const at = first + threadIdx.x;
    bool const inside = at * group < tiles;
    u64 const mine = inside ? static_cast<volatile unsigned long long*>(scratch->zeroed)[at] : 0;
    u64 total;
    u64 const before = block_exclusive_sum<threads>(mine, total);
    if (inside) {
      scratch->zeroed[at] = 0;
      counts[at * group] = base + before;
    }
    base += total;
  }
  if (threadIdx.x == 0) { post(mailbox, base); }
}

/// [warp] The first element of a tile: the sum of the counts from the first of its group on.
GDF_DEVICE u64 tile_base(const unsigned long long* counts, uint32_t tile, uint32_t group) {
  if (group == 1) { return counts[tile]; }
  u64 sum = 0;
  for (uint32_t at = tile - tile % group + lane(); at <= tile; at += 32) { sum += counts[at]; }
  return warp_sum(sum);
}

/// [block] First launch: the sizes of rows of `out` in their places among the offsets; in `counts`, for the first tile of a
/// group what is before it, for others what the tile before has; the total to the mailbox. `rows(first, left, each)` [warp] calls
/// each(size) for the `left` rows of a warp, and size(row, inside, at) [warp] for 32 of them, the row's number among these being `at`.
template <class tuning, class Rows>
GDF_DEVICE void size_tiles(const column_out& out, unsigned long long* counts, scratch* scratch,
                           unsigned long long* mailbox, Rows&& rows) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  bool const wide = out.flags & wide_offsets;
  uint32_t const tiles = tiles_of<tuning>(out.length);
  uint32_t const group = group_of(tiles);
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const warp_row = first + warp() * (32 * items);
    auto const left = static_cast<int>(out.length - warp_row < 32 * items ? out.length - warp_row : 32 * items);
    u64 total = 0;
    if (left > 0) {
      rows(warp_row, left, [&](auto&& size_of) {
#pragma unroll 1
        for (int i = 0; i < left; i += 32) {
          int64_t const row = warp_row + i + lane();
          bool const inside = i + lane() < left;
          u64 const size = size_of(row, inside, i + lane());
          if (inside) { store_offset(out.offsets, wide, row, static_cast<int64_t>(size)); }
          total += size;
        }
      });
    }
    total = block_sum<threads>(total);
    if (threadIdx.x == 0) {
      auto const at = static_cast<uint32_t>(first / tuning::tile);
      if ((at + 1) % group != 0 && at + 1 < tiles) { counts[at + 1] = total; }
      atomicAdd(scratch->zeroed + at / group, total);
    }
  });
  if (is_last_block(scratch, 32, gridDim.x)) { scan_groups<threads>(tiles, group, counts, scratch, mailbox); }
}

/// [warp] Sum over this lane and those below it; the total in all lanes.
GDF_DEVICE u64 inclusive_sum_of_sizes(u64 size, u64& total) {
  u64 up_to;
  if (__all_sync(~0u, size < (1u << 26))) {
    up_to = warp_inclusive_sum(static_cast<uint32_t>(size));
  } else {
    up_to = warp_inclusive_sum(size);
  }
  total = __shfl_sync(~0u, up_to, 31);
  return up_to;
}

/// [block] Second launch: offsets, where the sizes are, validity, and the elements, of `unit` bytes. `rows(first, left, each)`
/// [warp] calls each(near, far) for the `left` rows of a warp, of which near(row, inside, at, size, stage, to) [warp] writes 32 to
/// shared memory where these fit, else far(row, inside, size, target); they return whether the row is valid.
template <class tuning, int unit, class Rows>
GDF_DEVICE void write_tiles(const column_out& out, const unsigned long long* counts, scratch* scratch, Rows&& rows) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  constexpr int stage_bytes = 32 * stage_per_row(unit);
  __shared__ alignas(8) uint8_t stages[threads / 32][stage_bytes];
  bool const wide = out.flags & wide_offsets;
  uint32_t const group = group_of(tiles_of<tuning>(out.length));
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    // A warp takes consecutive rows, and waits for others only to know where these begin.
    int64_t const warp_row = first + warp() * (32 * items);
    auto const left = static_cast<int>(out.length - warp_row < 32 * items ? out.length - warp_row : 32 * items);
    auto const size_at = [&](int at) { return at < left ? static_cast<u64>(load_offset(out.offsets, wide, warp_row + at)) : 0; };
    u64 sum = 0;
#pragma unroll
    for (int i = 0; i < items; i++) { sum += size_at(i * 32 + lane()); }
    u64 base = tile_base(counts, static_cast<uint32_t>(first / tuning::tile), group);
    u64 total;
    base += __shfl_sync(~0u, block_exclusive_sum<threads>(sum, total), 0);
    if (left <= 0) { return; } // the whole warp
    rows(warp_row, left, [&](auto&& near, auto&& far) {
      uint8_t* const stage = stages[warp()];
#pragma unroll 1
      for (int i = 0; i < left; i += 32) {
        int64_t const row = warp_row + i + lane();
        bool const inside = i + lane() < left;
        u64 const size = size_at(i + lane());
        u64 const position = inclusive_sum_of_sizes(size, total) - size;
        if (inside) {
          store_offset(out.offsets, wide, row, static_cast<int64_t>(base + position));
          if (row == out.length - 1) {
            store_offset(out.offsets, wide, row + 1, static_cast<int64_t>(base + total));
          }
        }
        auto* const target = static_cast<uint8_t*>(out.data) + base * unit;
        auto const lead = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(target) & 7);
        bool is_value;
        if (lead + total * unit <= stage_bytes) {
          __syncwarp(); // the last step's bytes are stored
          is_value = near(row, inside, i + lane(), size, stage, lead + static_cast<uint32_t>(position) * unit);
          __syncwarp();
          store_stage(stage, target, static_cast<uint32_t>(total) * unit);
        } else {
          is_value = far(row, inside, size, target + position * unit);
        }
        base += total;
        valid += store_valid_word(out, row, inside && is_value);
      }
    });
  });
  post_null_count<threads>(scratch, out, valid);
}

} // namespace build_strings_detail

/// [block] For each row of `out`, which has as many as a column of text, `near(row, is_text, text)` [warp], where the text of the
/// warp's rows fits shared memory, if `stages` and `is_staged`, else `far(row)` [warp]: they return what store_valid_word does. `row` may be
/// past the end; `is_text` says whether it is there and not null.
template <class tuning, bool stages, class Near, class Far>
GDF_DEVICE void for_each_staged(const column_in& in, int64_t bytes, const column_out& out, scratch* scratch, Near&& near,
                                Far&& far, bool is_staged = true) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  uint32_t valid = 0;
  for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const warp_row = first + warp() * (32 * items);
    if (warp_row >= out.length) { return; } // the whole warp
    auto const left = static_cast<int>(out.length - warp_row < 32 * items ? out.length - warp_row : 32 * items);
    if constexpr (stages) {
      __shared__ typename staged_rows<items>::memory memory[threads / 32];
      using staged = staged_rows<items>;
      if (is_staged && staged::load(in, bytes, warp_row, out.length, memory[warp()])) {
#pragma unroll 1
        for (int i = 0; i < left; i += 32) {
          bool const inside = i + lane() < left;
          bool const is_text = in.validity == nullptr ? inside : inside && is_valid(in, warp_row + i + lane());
          valid += near(warp_row + i + lane(), is_text, staged::get(memory[warp()], i + lane()));
        }
        return;
      }
    }
#pragma unroll 1
    for (int i = 0; i < left; i += 32) { valid += far(warp_row + i + lane()); }
  });
  post_null_count<threads>(scratch, out, valid);
}

} // namespace gdf
