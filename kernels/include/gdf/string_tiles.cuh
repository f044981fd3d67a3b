// Tiles of rows of text: sizes, offsets, elements, masks and null counts, for any source of rows.
#pragma once

#include "byte_stage.cuh"
#include "count.cuh"
#include "long_copies.cuh"
#include "look_back.cuh"
#include "sizes.cuh"
#include "staged_text.cuh"

namespace gdf {

struct tile_counts {
  unsigned long long* entries; // zeros, two words for each tile; if null, scratch memory is used
  int64_t capacity; // elements for which the output has memory
  int32_t share; // the number of steps of 32 rows that a warp makes in a tile
  int32_t sized; // whether the offsets hold the sizes of rows, from a first launch
  void* elements; // for lists: the offsets of their elements
  int64_t most_elements; // number of elements for which `elements` has memory
  int64_t every; // the launch that only finds sizes takes every `every`-th tile
  long_copy* copies; // a list of copies that another launch makes; null if there is no list
  int64_t most_copies; // number of copies for which `copies` has memory
};

namespace build_strings_detail {

/// Returns the average number of bytes of shared memory for a row.
constexpr int stage_per_row(int unit) { return unit == 1 ? 48 : 128; }

constexpr int most_share = 4;

/// The smallest number of rows of a tile. Such a tile has four warps, and each warp has 32 rows.
constexpr int min_tile = 128;

/// The greatest number of tiles whose entries fit in scratch memory.
///
/// The entries of the groups and spans of these tiles follow the entries of the tiles. The number of copies comes last.
constexpr int scratch_tiles = 217;
static_assert((scratch_tiles + scratch_tiles / scan_group + scratch_tiles / scan_group / scan_group) *
                sizeof(scan_entry) / sizeof(u64) <= copy_list_detail::count_slot);

/// A saturating sum of sizes. A sum that is too large for any memory stays too large.
struct sum_of_sizes {
  using value = u64;
  static constexpr bool exact = true;
  GDF_DEVICE static u64 identity() { return 0; }
  GDF_DEVICE u64 operator()(u64 a, u64 b) const { return saturating_add(a, b); }
};

struct one_output {
  static constexpr int most = 1;
  const column_out& out;
  int64_t capacity; // elements for which there is memory
  GDF_DEVICE int count() const { return 1; }
  GDF_DEVICE const column_out& at(int) const { return out; }
  GDF_DEVICE int64_t capacity_of(int) const { return capacity; }
};

/// The rows of a warp in a tile.
struct warp_rows {
  int64_t first;
  int64_t end; // at most the number of rows of the column
  GDF_DEVICE int count() const { return first < end ? static_cast<int>(end - first) : 0; }
};

template <class tuning>
GDF_DEVICE warp_rows rows_of_warp(int64_t tile, int share, int64_t rows) {
  static_assert(tuning::items == most_share);
  static_assert(tuning::threads >= min_tile, "the host has entries for tiles of no fewer rows");
  int64_t first = (tile * (tuning::threads / 32) + warp()) * 32 * share;
  keep(first);
  return {first, first + 32 * share < rows ? first + 32 * share : rows};
}

/// [thread] Returns the number of tiles. `share` is a power of two. An int suffices, as no memory holds the rows of
/// 2^31 tiles.
template <class tuning>
GDF_DEVICE int tiles_of_rows(int64_t rows, int share) {
  return static_cast<int>((rows + tuning::threads * share - 1) / tuning::threads >> (__ffs(share) - 1));
}

/// [block] Runs the first of two launches.
template <class tuning, class Stage, class Size>
GDF_DEVICE void size_tiles(const column_out& out, const tile_counts& counts, scratch* scratch,
                           unsigned long long* mailbox, Stage&& stage, Size&& size) {
  constexpr int threads = tuning::threads;
  bool const wide = out.flags & wide_offsets;
  int const tiles = tiles_of_rows<tuning>(out.length, counts.share);
  auto const every = static_cast<int>(counts.every);
  u64 total = 0;
  for (int tile = blockIdx.x * every; tile < tiles; tile += gridDim.x * every) {
    warp_rows const rows = rows_of_warp<tuning>(tile, counts.share, out.length);
    if (rows.count() == 0) { continue; } // the whole warp
    bool const staged = stage(rows);
#pragma unroll 1
    for (int i = 0; i < rows.count(); i += 32) {
      int64_t const row = rows.first + i + lane();
      bool const inside = row < rows.end;
      u64 const bytes = bounded_size(size(row, inside, i + lane(), staged));
      // 32-bit offsets hold only the low bits of a size. If a size does not fit in 32 bits, the host rejects the total.
      if (inside) { store_offset(out.offsets, wide, row, static_cast<int64_t>(bytes)); }
      total = bounded_size(total + bytes);
    }
  }
  static_assert(threads <= 1 << 13);
  total = block_sum<threads>(total);
  if (threadIdx.x == 0) { add_to_sum(scratch->zeroed, total); }
  if (is_last_block(scratch, 32, gridDim.x) && threadIdx.x == 0) {
    post(mailbox, *static_cast<volatile unsigned long long*>(scratch->zeroed));
    scratch->zeroed[0] = 0;
  }
}

/// [warp] Returns the sum of the sizes of this lane and the lanes below it.
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

/// The places of the rows of a warp, as one word for each row.
///
/// The low 18 bits are the position of the row's first element, counted from the first element of the warp. The higher
/// bits are the size of the row. All sizes are below 2^11.
struct places_of_rows {
  static constexpr uint32_t sizes_below = 1u << 11;

  GDF_DEVICE static uint32_t begin(uint32_t place) { return place & 0x3ffff; }
  GDF_DEVICE static uint32_t size(uint32_t place) { return place >> 18; }

  /// [warp] Replaces the sizes of `count` rows by places. Each lane has stored the sizes of its own rows.
  GDF_DEVICE static uint32_t make(uint32_t (&rows)[32 * most_share], int count, uint32_t& most) {
    uint32_t before = 0;
    most = 0;
#pragma unroll
    for (int i = 0; i < 32 * most_share; i += 64) {
      if (i >= count) { break; }
      bool const two = i + 32 < count;
      uint32_t const low = rows[i + lane()];
      uint32_t const high = two ? rows[i + 32 + lane()] : 0;
      uint32_t const up_to = warp_inclusive_sum(low | high << 16);
      uint32_t const all = __shfl_sync(~0u, up_to, 31);
      rows[i + lane()] = (before + (up_to & 0xffff) - low) | low << 18;
      most = max(most, max(all & 0xffff, all >> 16));
      before += all & 0xffff;
      if (two) { rows[i + 32 + lane()] = (before + (up_to >> 16) - high) | high << 18; }
      before += all >> 16;
    }
    return before;
  }
};

GDF_DEVICE copy_list list_of(const tile_counts& counts, scratch* scratch) {
  return {counts.copies, counts.most_copies, scratch->zeroed + copy_list_detail::count_slot};
}

/// [thread] Returns whether one warp of a tile writes far more bytes than another, for example because of one very
/// long row.
///
/// `bytes(warp)` is the number of bytes that a warp writes.
template <int warps, class Bytes>
GDF_DEVICE bool is_slow_tile(Bytes&& bytes) {
  u64 min = bytes(0);
  u64 max = min;
  u64 total = min;
#pragma unroll
  for (int w = 1; w < warps; w++) {
    u64 const one = bytes(w);
    min = one < min ? one : min;
    max = one > max ? one : max;
    total += one;
  }
  return max > min + 1024 + total / 8;
}

/// The size that stands for the unknown size of a row.
constexpr u64 unknown_size = 1ull << 40;

GDF_DEVICE u64 found_size(const column_out& out, int64_t row, bool inside) {
  return inside ? static_cast<u64>(load_offset(out.offsets, out.flags & wide_offsets, row)) : 0;
}

/// The default `rest` of build_tiles.
struct nothing_left {
  GDF_DEVICE bool operator()(int64_t, bool, u64, uint8_t*, bool is_value) const { return is_value; }
};

/// [block] Writes offsets, validity, and elements of `unit` bytes, in one launch or in the second of two launches. Each
/// warp calls these functions:
///   stage(rows, output)                           [warp] loads the data of the rows into shared memory; returns
///                                                 whether it fits
///   size(row, inside, at, staged)                 [warp] the size of each of 32 rows; `at` is the row's number in the
///                                                 warp
///   near(row, inside, at, staged, size, stage, to) [warp] writes 32 rows that fit in shared memory to `stage`, which
///                                                 must be zero there; returns whether the row is valid
///   far(row, inside, size, target)                [warp] writes 32 rows to their place in `out`; returns whether the
///                                                 row is valid
///   rest(row, inside, size, target, is_value)     [warp] writes the rows that `near` and `far` left out; returns
///                                                 whether the row is valid
/// The total goes to the mailbox, if there is a mailbox. A tile that ends beyond the memory of `out` is not written. If
/// `parted`, staged rows have a loop of their own. Kernels with many registers are faster without that loop. With
/// `unknowns`, the rows after a row with an unknown size are not written. There may be several outputs with the same
/// number of rows. The tiles of the same rows are then processed one after another.
template <class tuning, int unit, bool parted = true, bool unknowns = false, class Outputs, class Stage, class Size,
          class Near, class Far, class Rest = nothing_left>
GDF_DEVICE void build_tiles(const Outputs& outputs, const tile_counts& counts, scratch* scratch, unsigned long long* mailbox,
                            Stage&& stage, Size&& size, Near&& near, Far&& far, Rest&& rest = {}) {
  constexpr int threads = tuning::threads;
  constexpr int warps = threads / 32;
  constexpr int stage_bytes = 32 * stage_per_row(unit);
  __shared__ alignas(16) uint8_t stages[warps][stage_bytes + 16]; // flush_to reads one word past the end
  __shared__ uint32_t sizes[warps][32 * most_share]; // `elsewhere` if the size is larger and therefore in the offsets
  __shared__ u64 totals[warps];
  __shared__ u64 base_of_tile;
  __shared__ uint32_t is_slow;
  __shared__ uint32_t slots[2];
  constexpr uint32_t elsewhere = ~0u;
  __shared__ uint32_t valid[Outputs::most];
  bool const wide = outputs.at(0).flags & wide_offsets;
  scan_state all(true, reinterpret_cast<uint32_t*>(counts.entries), nullptr,
                 tiles_of_rows<tuning>(outputs.at(0).length, counts.share), scratch);
  uint32_t* const entries = all.status;
  scan_turns in_turn(scratch, slots, all.tiles * outputs.count());
  if (threadIdx.x < Outputs::most) { valid[threadIdx.x] = 0; }
  if (threadIdx.x == 0) { base_of_tile = 0; }
  for (uint32_t i = lane() * 16; i < stage_bytes; i += 512) { *reinterpret_cast<uint4*>(stages[warp()] + i) = uint4{}; }
  __syncthreads();
  for (int turn = in_turn.first(), next; turn < in_turn.tiles; turn = next) {
    int const output = turn % outputs.count();
    int const tile = turn / outputs.count();
    const column_out& out = outputs.at(output);
    all.status = entries + static_cast<int64_t>(output) * all.tiles * all.status_words;
    warp_rows const rows = rows_of_warp<tuning>(tile, counts.share, out.length);
    int count = rows.count();
    if constexpr (unknowns) { count = base_of_tile < unknown_size ? count : 0; }
    keep(count);
    bool const staged = count > 0 && stage(rows, output);
    uint32_t valid_rows = 0;
    u64 sum = 0;
    uint32_t most_of_step = 0;
    bool placed = staged;
    if (staged) {
      uint32_t bits = 0; // bitwise or of all sizes
#pragma unroll 1
      for (int i = lane(); i - lane() < count; i += 32) {
        u64 const mine = size(rows.first + i, i < count, i, true);
        uint32_t const kept = mine < places_of_rows::sizes_below ? static_cast<uint32_t>(mine) : places_of_rows::sizes_below;
        sizes[warp()][i] = kept;
        bits |= kept;
      }
      placed = __all_sync(~0u, bits < places_of_rows::sizes_below);
    }
    if (!placed) {
      uint32_t bits = 0;
#pragma unroll 1
      for (int i = lane(); i - lane() < count; i += 32) {
        int64_t const row = rows.first + i;
        bool const inside = i < count;
        u64 const mine = bounded_size(size(row, inside, i, false));
        uint32_t const kept = mine < elsewhere ? static_cast<uint32_t>(mine) : elsewhere;
        sizes[warp()][i] = kept;
        if (inside && kept == elsewhere) { store_offset(out.offsets, wide, row, static_cast<int64_t>(mine)); }
        bits |= kept;
        sum += mine;
      }
      placed = __all_sync(~0u, bits < places_of_rows::sizes_below);
      if (!placed) { sum = warp_sum(sum); }
    }
    if (placed) { sum = places_of_rows::make(sizes[warp()], count, most_of_step); }
    bool const is_near = parted && staged && placed && most_of_step * unit <= stage_bytes;
    if (lane() == 0) { totals[warp()] = sum; }
    static_assert(threads * most_share <= 1 << 13); // the total of a tile fits in a word
    __syncthreads();
    u64 base = 0;
    u64 total = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) {
      base += w < warp() ? totals[w] : 0;
      total += totals[w];
    }
    carry<u64> const own{total, 0};
    if (threadIdx.x == 0 && all.tiles > 1) { publish_aggregate<sum_of_sizes>(all, tile, own); }
    uint8_t* const stage = stages[warp()];
    uint32_t begin_of_step = 0;
    bool fits = false;
    bool is_placed = false; // whether the first element of the tile is known
    uint32_t written = 0;
    int next_row = lane();
    do {
      // Each pass writes all rows that fit in the stage. The first pass overlaps with the wait for the sums of earlier
      // tiles.
      while (is_near && next_row - lane() < count) {
        int const i = next_row;
        uint32_t const place = sizes[warp()][i];
        uint32_t const begin = places_of_rows::begin(place);
        uint32_t const mine = places_of_rows::size(place);
        uint32_t const end_of_step = __shfl_sync(~0u, begin + mine, 31);
        if ((end_of_step - written) * unit > stage_bytes) { break; }
        int64_t const row = rows.first + i;
        bool const is_value = near(row, i < count, i, true, mine, stage, (begin - written) * unit);
        begin_of_step = end_of_step;
        valid_rows += store_valid_word(out, row, i < count && is_value);
        next_row += 32;
      }
      if (!is_placed) {
        is_placed = true;
        if (warp() == 0) {
          u64 const before = look_back_plain(all, sum_of_sizes{}, tile, own).value;
          if (lane() == 0) {
            base_of_tile = before;
            is_slow = is_slow_tile<warps>([&](int w) { return totals[w] * unit; }) ? 1 : 0;
            if (mailbox != nullptr && tile == all.tiles - 1) { post(mailbox, saturating_add(before, total)); }
          }
        }
        __syncthreads();
        fits = saturating_add(base_of_tile, total) <= static_cast<u64>(outputs.capacity_of(output));
        base += base_of_tile;
        if (is_near && fits) {
#pragma unroll 1
          for (int i = lane(); i < count; i += 32) {
            store_offset(out.offsets, wide, rows.first + i, static_cast<int64_t>(base + places_of_rows::begin(sizes[warp()][i])));
          }
        }
      }
      flush_to(fits ? static_cast<uint8_t*>(out.data) + (base + written) * unit : nullptr, stage, (begin_of_step - written) * unit);
      written = begin_of_step;
    } while (is_near && fits && next_row - lane() < count);
    byte_stage stage_of_warp(stage, static_cast<uint8_t*>(out.data) + base * unit);
    if (is_near) {
      base += begin_of_step;
      count = 0; // done
    }
    begin_of_step = 0;
#pragma unroll 1
    for (int i = lane(); fits && i - lane() < count; i += 32) {
      int64_t const row = rows.first + i;
      bool const inside = i < count;
      u64 mine = sizes[warp()][i];
      u64 position;
      u64 of_step;
      if (placed) {
        auto const place = static_cast<uint32_t>(mine);
        uint32_t const begin = places_of_rows::begin(place);
        uint32_t const size = places_of_rows::size(place);
        uint32_t const end_of_step = __shfl_sync(~0u, begin + size, 31);
        mine = size;
        position = begin - begin_of_step;
        of_step = end_of_step - begin_of_step;
        begin_of_step = end_of_step;
      } else {
        if (mine == elsewhere && inside) { mine = static_cast<u64>(load_offset(out.offsets, wide, row)); }
        position = inclusive_sum_of_sizes(mine, of_step) - mine;
      }
      if (inside) { store_offset(out.offsets, wide, row, static_cast<int64_t>(base + position)); }
      if (stage_of_warp.fill + of_step * unit > stage_bytes) { stage_of_warp.flush(); }
      uint8_t* target;
      bool is_value;
      if (stage_of_warp.fill + of_step * unit <= stage_bytes) {
        uint32_t const to = stage_of_warp.fill + static_cast<uint32_t>(position) * unit;
        target = stage_of_warp.bytes + to;
        is_value = near(row, inside, i, !parted && staged && placed, mine, stage_of_warp.bytes, to);
        stage_of_warp.fill += static_cast<uint32_t>(of_step) * unit;
      } else {
        target = stage_of_warp.target + position * unit;
        is_value = far(row, inside, mine, target);
        stage_of_warp.skip(of_step * unit);
      }
      is_value = rest(row, inside, mine, target, is_value);
      base += of_step;
      valid_rows += store_valid_word(out, row, inside && is_value);
    }
    if (!is_near) { stage_of_warp.flush(); }
    if (fits && lane() == 0 && rows.count() > 0 && rows.end == out.length) {
      store_offset(out.offsets, wide, out.length, static_cast<int64_t>(base));
    }
    if (valid_rows != 0) { atomicAdd(&valid[output], valid_rows); }
    // The next tile is not taken earlier. Later tiles wait for every tile that has been taken.
    in_turn.take_behind(is_slow != 0);
    in_turn.pass_on();
    __syncthreads();
    next = in_turn.next();
  }
  __syncthreads();
  if (threadIdx.x < outputs.count()) {
    add_valid_rows(scratch, static_cast<int>(threadIdx.x), outputs.at(static_cast<int>(threadIdx.x)), valid[threadIdx.x]);
  }
  all.status = entries;
  all.tiles = in_turn.tiles;
  finish_tiles<threads>(all, scratch);
}

} // namespace build_strings_detail

/// [block] Calls `near(row, is_text, text)` [warp] or `far(row)` [warp] for each row of `out`. If the grid has a thread
/// for each row, a warp takes 32 rows at a time.
template <class tuning, class Rows, class Load, class Near, class Far>
GDF_DEVICE void for_each_loaded(const column_in& in, const column_out& out, scratch* scratch, Load&& load, Near&& near, Far&& far) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  int const rows_of_warp = out.length <= int64_t{threads} * gridDim.x ? 32 : 32 * items;
  int64_t const tile = int64_t{threads / 32} * rows_of_warp;
  uint32_t valid = 0;
  for (int64_t first = tile * blockIdx.x; first < out.length; first += tile * gridDim.x) {
    int64_t const warp_row = first + warp() * rows_of_warp;
    if (warp_row >= out.length) { continue; } // the whole warp
    auto const left = static_cast<int>(out.length - warp_row < rows_of_warp ? out.length - warp_row : rows_of_warp);
    if constexpr (!is_same<Rows, void>) {
      __shared__ typename Rows::memory memory[threads / 32];
      if (load(warp_row, warp_row + left, memory[warp()])) {
#pragma unroll 1
        for (int i = 0; i < left; i += 32) {
          bool const inside = i + lane() < left;
          bool const is_text = in.validity == nullptr ? inside : inside && is_valid(in, warp_row + i + lane());
          valid += near(warp_row + i + lane(), is_text, Rows::get(memory[warp()], i + lane()));
        }
        continue;
      }
    }
#pragma unroll 1
    for (int i = 0; i < left; i += 32) { valid += far(warp_row + i + lane()); }
  }
  post_null_count<threads>(scratch, out, valid);
}

/// [block] Does the same as for_each_loaded for texts.
template <class tuning, bool stages, class Near, class Far>
GDF_DEVICE void for_each_staged(const column_in& in, int64_t bytes, const column_out& out, scratch* scratch, Near&& near,
                                Far&& far, bool is_staged = true) {
  using rows = staged_rows<tuning::items>;
  auto const load = [&](int64_t row, int64_t end, auto& memory) { return is_staged && rows::load(in, bytes, row, end, memory); };
  if constexpr (stages) {
    for_each_loaded<tuning, rows>(in, out, scratch, load, near, far);
  } else {
    for_each_loaded<tuning, void>(in, out, scratch, load, near, far);
  }
}

} // namespace gdf
