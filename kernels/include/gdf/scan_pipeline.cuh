// A scan of many rows of 64 bits, in one launch, with specialized warps. A tile passes through a stage of shared
// memory, and each warp of a block performs one step of the processing of that tile.
//
// One warp takes the next tile as soon as a stage is about to become empty, and copies rows and mask into that stage.
// Some warps then sum the rows. One warp publishes the sum of the tile at once, before any wait for other tiles. One
// warp looks back for the sum of the earlier tiles. Some warps then scan and write the rows, after which the stage is
// empty.
#pragma once

#include "async_copy.cuh"
#include "scan_rows.cuh"

namespace gdf {

constexpr int pipeline_warps = 8;      // number of warps that sum, and number of warps that scan
constexpr int pipeline_pieces = 9;     // pieces of 16 bytes of a lane; odd, so that lanes use different banks
constexpr int pipeline_stages = 6;
constexpr int pipeline_tile = 4608;    // rows
constexpr int pipeline_bytes = 221184; // bytes of dynamic shared memory
constexpr int pipeline_state_bytes = 8192; // upper bound of the bytes of static shared memory
static_assert(pipeline_tile == pipeline_warps * 32 * pipeline_pieces * 2);
static_assert(pipeline_bytes == pipeline_stages * pipeline_tile * 8);

#if __CUDA_ARCH__ >= 900

namespace pipeline_detail {

constexpr int items = pipeline_pieces * 2; // rows of a lane; also the number of mask words of a warp
constexpr int warp_rows = 32 * items;
constexpr int single_warps = 3; // the warps that load, publish and look back
constexpr int mask_words = pipeline_warps * items;
constexpr int mask_bytes = (mask_words + 4) * 4; // up to 127 bits precede the bit of the first row
static_assert(items <= 32 && mask_bytes % 16 == 0);

struct position {
  int stage = 0;
  uint32_t parity = 0;
  GDF_DEVICE void advance() {
    stage++;
    if (stage == pipeline_stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// The data of the stages, except for rows.
template <class Value>
struct stages {
  phase_barrier full[pipeline_stages];  // rows and mask have been loaded
  phase_barrier summed[pipeline_stages];
  phase_barrier ready[pipeline_stages]; // the exclusive prefix of the tile is known
  phase_barrier empty[pipeline_stages];
  int tile[pipeline_stages]; // the tile in the stage; -1 if there are no more tiles
  Value total[pipeline_stages][pipeline_warps];  // sums of the rows of a warp
  Value before[pipeline_stages][pipeline_warps]; // sums of all rows before the rows of a warp
  int null_at[pipeline_stages][pipeline_warps]; // the first null row of the warp, or warp_rows without a null
  uint32_t flags[pipeline_stages]; // whether there is a null before the tile
  alignas(16) uint32_t word[pipeline_stages][mask_bytes / 4]; // words of the mask
  int shift[pipeline_stages]; // the number of the bit in `word` that belongs to the first row

  GDF_DEVICE void init() {
    if (threadIdx.x == 0) {
      for (int i = 0; i < pipeline_stages; i++) {
        full[i].init(1);
        summed[i].init(pipeline_warps);
        ready[i].init(1);
        empty[i].init(pipeline_warps + 1);
      }
      publish_barriers();
    }
    __syncthreads();
  }
};

/// [warp] Returns the mask bits of a lane's rows. Each of the first `items` lanes passes one mask word of the warp.
GDF_DEVICE uint32_t bits_of_lane(uint32_t word) {
  int const at = lane() * items;
  uint32_t const low = __shfl_sync(~0u, word, at >> 5);
  uint32_t const high = __shfl_sync(~0u, word, ((at >> 5) + 1) & 31);
  return __funnelshift_r(low, high, at & 31);
}

} // namespace pipeline_detail

/// [block] Does the same as scan_rows, for more than one tile, and for rows whose stored type is the type of the scan.
template <int threads, class T, class Op>
struct scan_pipeline {
  using value = typename Op::value;
  using position = pipeline_detail::position;
  static constexpr int items = pipeline_detail::items;
  static constexpr int warp_rows = pipeline_detail::warp_rows;
  static_assert(sizeof(T) == 8 && fits_entry<Op> && Op::from == scan_source::values);
  static_assert(threads >= 32 * (pipeline_detail::single_warps + 2 * pipeline_warps));

  const column_in& in;
  const column_out& out;
  const Op& op;
  int modes;
  const scan_state& all;
  gdf::scratch* scratch;
  pipeline_detail::stages<value>& at;
  T* rows; // the rows in the stages

  GDF_DEVICE T* rows_of(int stage, int part) const { return rows + stage * pipeline_tile + part * warp_rows; }

  /// [warp] Loads the mask bits of a tile.
  GDF_DEVICE void load_mask(int stage, int tile) const {
    constexpr int words = pipeline_detail::mask_words;
    int64_t const first = int64_t{tile} * pipeline_tile;
    uint32_t* const to = at.word[stage];
    int shift = 0;
    if (in.validity != nullptr && (modes & (all_rows | no_rows)) == 0 && tile > 0 &&
        first + pipeline_tile + 128 <= in.length) {
      // The neighboring bytes that the copy also reads belong to the mask of the column.
      int64_t const bit = in.offset + first;
      auto const* const byte = in.validity + (bit >> 3);
      auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(byte) & 15);
      shift = misalignment * 8 + static_cast<int>(bit & 7);
      if (lane() == 0) {
        at.full[stage].expect(pipeline_detail::mask_bytes);
        copy_bulk(to, byte - misalignment, pipeline_detail::mask_bytes, at.full[stage]);
      }
    } else {
#pragma unroll 1
      for (int i = lane(); i < words; i += 32) {
        int64_t const row = first + i * 32;
        to[i] = row < in.length ? counted_word(in, modes, row) : 0;
      }
      before_copies(); // copies of later tiles must follow these stores
    }
    if (lane() == 0) { at.shift[stage] = shift; }
  }

  GDF_DEVICE void load() const {
    values<T> const column(in);
    bool const aligned = is_aligned(column.first, 16);
    for (position p;; p.advance()) {
      // The warp takes a tile only when the rows in the stage are ready to be written, because later tiles wait for
      // every tile that has been taken.
      at.ready[p.stage].wait(p.parity ^ 1);
      int tile = 0;
      if (lane() == 0) { tile = static_cast<int>(atomicAdd(&scratch->tickets[scan_tile_slot], 1u)); }
      tile = __shfl_sync(~0u, tile, 0);
      at.empty[p.stage].wait(p.parity ^ 1);
      if (lane() == 0) { at.tile[p.stage] = tile < all.tiles ? tile : -1; }
      if (tile >= all.tiles) {
        if (lane() == 0) { at.full[p.stage].arrive(); }
        return;
      }
      int64_t const first = int64_t{tile} * pipeline_tile;
      int64_t const left = in.length - first;
      bool const bulk = aligned && left >= pipeline_tile;
      T* const to = rows_of(p.stage, 0);
      if (bulk && lane() == 0) {
        at.full[p.stage].expect(pipeline_tile * 8);
        copy_bulk(to, column.first + first, pipeline_tile * 8, at.full[p.stage]);
      }
      load_mask(p.stage, tile);
      if (!bulk) {
        int const count = left < pipeline_tile ? static_cast<int>(left) : pipeline_tile;
#pragma unroll 4
        for (int i = lane(); i < count; i += 32) { copy_word(to + i, column.first + first + i); }
        at.full[p.stage].expect_words();
      }
      __syncwarp();
      if (lane() == 0) { at.full[p.stage].arrive(); }
    }
  }

  GDF_DEVICE uint32_t mask_word(int stage, int part) const {
    if (lane() >= items) { return 0; }
    int const shift = at.shift[stage];
    uint32_t const* const words = at.word[stage] + part * items + lane() + (shift >> 5);
    return __funnelshift_r(words[0], words[1], shift & 31);
  }

  /// [warp] Reads the rows of a lane from shared memory.
  GDF_DEVICE void take(int stage, int part, uint32_t word, value (&taken)[items]) const {
    auto const* const from = reinterpret_cast<const run<T, 2>*>(rows_of(stage, part)) + lane() * pipeline_pieces;
    uint32_t const bits = pipeline_detail::bits_of_lane(word);
#pragma unroll
    for (int i = 0; i < pipeline_pieces; i++) {
      run<T, 2> const pair = from[i];
      taken[2 * i] = bits >> (2 * i) & 1 ? op.take(pair.row[0]) : op.identity();
      taken[2 * i + 1] = bits >> (2 * i + 1) & 1 ? op.take(pair.row[1]) : op.identity();
    }
  }

  GDF_DEVICE void sum(int part) const {
    for (position p;; p.advance()) {
      at.full[p.stage].wait(p.parity);
      int const tile = at.tile[p.stage];
      if (tile >= 0) {
        int64_t const word_row = int64_t{tile} * pipeline_tile + part * warp_rows + 32 * lane();
        uint32_t const word = mask_word(p.stage, part);
        value taken[items];
        take(p.stage, part, word, taken);
        value total = taken[0];
#pragma unroll
        for (int i = 1; i < items; i++) { total = op(total, taken[i]); }
        total = fold_lanes(op, carry<value>{total, 0}).value;
        int const null_at = first_bit(lane() < items ? ~word & low_bits(in.length - word_row) : 0u, warp_rows);
        if (lane() == 0) {
          at.total[p.stage][part] = total;
          at.null_at[p.stage][part] = null_at;
        }
      }
      __syncwarp();
      if (lane() == 0) { at.summed[p.stage].arrive(); }
      if (tile < 0) { return; }
    }
  }

  /// [warp] Returns the sums of the rows of the summing warps: lane w gets the sum of warp w.
  GDF_DEVICE carry<value> totals(int stage) const {
    bool const has_warp = lane() < pipeline_warps;
    bool const has_null = has_warp && at.null_at[stage][lane()] < warp_rows;
    return {has_warp ? at.total[stage][lane()] : op.identity(), has_null ? 1u : 0u};
  }

  GDF_DEVICE void publish_sums() const {
    for (position p;; p.advance()) {
      at.summed[p.stage].wait(p.parity);
      int const tile = at.tile[p.stage];
      if (tile < 0) { return; }
      carry<value> const own = fold_lanes(op, totals(p.stage));
      __syncwarp();
      if (lane() == 0) {
        publish<Op>(all, tile, tile_aggregate, own);
        at.empty[p.stage].arrive();
      }
    }
  }

  GDF_DEVICE void find_prefixes() const {
    running_prefix<Op> running(op);
    for (position p;; p.advance()) {
      at.full[p.stage].wait(p.parity);
      int const tile = at.tile[p.stage];
      if (tile >= 0) {
        carry<value> const before = running.up_to(all, op, tile);
        at.summed[p.stage].wait(p.parity);
        value const below = from_below(inclusive_in_warp(op, totals(p.stage).value), 1);
        value const prefix = from_lane(before.value, 0);
        if (lane() < pipeline_warps) { at.before[p.stage][lane()] = lane() == 0 ? prefix : op(prefix, below); }
        if (lane() == 0) { at.flags[p.stage] = before.flags; }
      }
      __syncwarp();
      if (lane() == 0) { at.ready[p.stage].arrive(); }
      if (tile < 0) { return; }
    }
  }

  /// [warp] Returns the first null row of a tile in `spread` mode, counted from the first row of the tile.
  GDF_DEVICE int first_null(int stage) const {
    if ((modes & spread) == 0) { return pipeline_tile; }
    int const own = lane() < pipeline_warps ? at.null_at[stage][lane()] : warp_rows;
    uint32_t const with_null = __ballot_sync(~0u, own < warp_rows);
    int const part = with_null == 0 ? 0 : __ffs(static_cast<int>(with_null)) - 1;
    int const there = __shfl_sync(~0u, own, part);
    return with_null == 0 ? pipeline_tile : part * warp_rows + there;
  }

  /// [warp] Scans and writes the rows of warp number `part` of each tile.
  GDF_DEVICE uint32_t scan(int part) const {
    uint32_t valid_rows = 0;
    for (position p;; p.advance()) {
      at.full[p.stage].wait(p.parity);
      int const tile = at.tile[p.stage];
      if (tile < 0) { return valid_rows; }
      int64_t const tile_row = int64_t{tile} * pipeline_tile;
      int64_t const first = tile_row + part * warp_rows;
      int64_t const word_row = first + 32 * lane();
      uint32_t const word = mask_word(p.stage, part);
      value taken[items];
      take(p.stage, part, word, taken);
#pragma unroll
      for (int i = 1; i < items; i++) { taken[i] = op(taken[i - 1], taken[i]); }
      value before = from_below(inclusive_in_warp(op, taken[items - 1]), 1);
      at.ready[p.stage].wait(p.parity);
      before = lane() == 0 ? at.before[p.stage][part] : op(at.before[p.stage][part], before);
      auto* const own = reinterpret_cast<run<T, 2>*>(rows_of(p.stage, part));
      bool const shifted = (modes & exclusive) != 0;
#pragma unroll
      for (int i = 0; i < pipeline_pieces; i++) {
        value const previous = i == 0 ? before : op(before, taken[i == 0 ? 0 : 2 * i - 1]);
        value const here = op(before, taken[2 * i]);
        value const last = shifted ? here : op(before, taken[2 * i + 1]);
        own[lane() * pipeline_pieces + i] = {op.template give<T>(shifted ? previous : here), op.template give<T>(last)};
      }
      if (out.validity != nullptr) {
        int const null_at = first_null(p.stage);
        if (lane() < items && word_row < in.length) {
          uint32_t const bits =
            result_word(word, modes, at.flags[p.stage] != 0, null_at, tile_row, word_row, in.length);
          out.validity[word_row >> 5] = bits;
          valid_rows += __popc(bits);
        }
      }
      __syncwarp();
      run<T, 2> results[pipeline_pieces];
#pragma unroll
      for (int i = 0; i < pipeline_pieces; i++) { results[i] = own[i * 32 + lane()]; }
      before_copies();
      __syncwarp();
      if (lane() == 0) { at.empty[p.stage].arrive(); }
      auto* const target = static_cast<T*>(out.data);
#pragma unroll
      for (int i = 0; i < pipeline_pieces; i++) {
        int64_t const row = first + (i * 32 + lane()) * 2;
        if (row < out.length) { store_run<2>(target, row, out.length, results[i]); }
      }
    }
  }

  GDF_DEVICE void run_all() const {
    uint32_t valid_rows = 0;
    switch (warp()) {
      case 0: load(); break;
      case 1: publish_sums(); break;
      case 2: find_prefixes(); break;
      default:
        int const part = warp() - pipeline_detail::single_warps;
        if (part < pipeline_warps) {
          sum(part);
        } else if (part < 2 * pipeline_warps) {
          valid_rows = scan(part - pipeline_warps);
        }
    }
    __syncthreads();
    finish_tiles<threads>(all, scratch);
    post_null_count<threads>(scratch, out, valid_rows);
  }
};

#endif

/// [block] Does the same as scan_rows, for more than pipeline_tile rows, which are not broadcast.
///
/// The kernel needs pipeline_bytes of dynamic shared memory.
template <class tuning, class T, class Op>
GDF_DEVICE void scan_pipelined(const column_in& in, const column_out& out, const Op& op, int modes, uint32_t* status,
                               unsigned long long* values, scratch* scratch) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char pipeline_rows[];
  __shared__ pipeline_detail::stages<typename Op::value> stages;
  static_assert(sizeof(stages) <= pipeline_state_bytes);
  static_assert(tuning::tile == pipeline_tile);
  stages.init();
  scan_state const all(true, status, values, tiles_of<tuning>(in.length), scratch);
  scan_pipeline<tuning::threads, T, Op>{in, out, op, modes, all, scratch, stages, reinterpret_cast<T*>(pipeline_rows)}.run_all();
#else
  scan_rows<tuning, T>(in, out, op, modes, status, values, scratch);
#endif
}

} // namespace gdf
