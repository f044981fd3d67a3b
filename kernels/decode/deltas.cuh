// Integers that are stored as their differences. A header states the sizes of blocks, the number of integers and the first
// one. A block states the smallest difference and the widths of its miniblocks, and the miniblocks pack how much larger
// each difference is. Sums wrap around.
//
// One warp walks from block to block, because the position of a block follows from the widths of the block before, and
// makes a table of miniblocks. It reads a window of the page in shared memory. All threads then unpack the differences of
// the table, and add them.
#pragma once

#include <gdf/bits.cuh>
#include <gdf/block_sum.cuh>
#include <gdf/grid.cuh>

#include "values.cuh"

namespace decode {

/// The largest number of integers, and of miniblocks, of a block. Other headers are refused.
constexpr int most_block = 1 << 20;
constexpr int most_miniblocks = 256;

/// Each miniblock has a multiple of this number of differences, so that it has whole bytes.
constexpr uint32_t miniblock_group = 32;

/// The number of bytes of a page that are in shared memory.
constexpr uint32_t delta_window_bytes = 8192;

/// The number of differences that a thread adds at a time.
constexpr int delta_items = 8;

struct delta_memory {
  uint4 window[delta_window_bytes / 16];
  // The table of miniblocks.
  gdf::u64 smallest[most_miniblocks]; // the smallest difference
  uint32_t position[most_miniblocks]; // of the packed bits, in the page
  uint8_t width[most_miniblocks];
  uint32_t deltas; // the number of differences that are whole
  uint32_t at;     // the position of what follows the table
  bool ends;       // whether no whole difference follows
};
// A window has the header of the page, or the start of the block that it begins with.
static_assert(delta_window_bytes >= 16 + 40 && delta_window_bytes >= 16 + 10 + most_miniblocks);

/// [thread] Returns `width` bits of a page, at most 64. Up to 3 bytes before and 11 bytes behind the first one may be read.
GDF_DEVICE gdf::u64 wide_bits_at(const uint8_t* page, int64_t bit, uint32_t width) {
  if (width == 0) { return 0; }
  const uint8_t* const from = page + (bit >> 3);
  auto const shift = static_cast<uint32_t>(bit & 7);
  gdf::u64 bits = load<gdf::u64>(from) >> shift;
  if (shift + width > 64) { bits |= gdf::u64{__ldg(from + 8)} << (64 - shift); }
  return bits & gdf::low_bits64(width);
}

/// The integers of a page, at most `most_width` bits wide. All members are the same in all threads.
template <int threads>
struct delta_decoder {
  const uint8_t* page;
  uint32_t at;  // the position of the header
  uint32_t end; // the end of the page
  uint32_t most_width;
  delta_memory& memory;
  uint32_t window_at = 0; // the position of the window
  uint32_t miniblocks = 0;
  uint32_t of_miniblock = 0; // differences
  gdf::u64 count = 0;
  gdf::u64 first = 0;

  /// [block] Reads the header. Returns whether it is whole and possible.
  GDF_DEVICE bool begin() {
    stage();
    gdf::u64 block = 0;
    gdf::u64 parts = 0;
    bool const whole = varint(at, block) && varint(at, parts) && varint(at, count) && varint(at, first);
    __syncthreads(); // the window is overwritten
    if (!whole || block > most_block || parts == 0 || parts > most_miniblocks) { return false; }
    miniblocks = static_cast<uint32_t>(parts);
    of_miniblock = static_cast<uint32_t>(block) / miniblocks;
    first = from_zigzag(first);
    return of_miniblock > 0 && of_miniblock * miniblocks == block && of_miniblock % miniblock_group == 0;
  }

  /// [block] Reads the differences of `limit` integers, which is not zero and at most `count`. Returns the number of
  /// integers up to the last whole one. Calls `store(i, n, before, sums)` in each thread for n differences from number i
  /// on, a multiple of 8: integer i + 1 + k is `before + sums[k]`.
  template <class Store>
  GDF_DEVICE uint32_t read(uint32_t limit, Store&& store) {
    gdf::u64 before = first;
    uint32_t done = 0;
    bool ends = false;
    while (done < limit - 1 && !ends) {
      stage();
      if (gdf::warp() == 0) { walk(limit - 1 - done); }
      __syncthreads();
      uint32_t const here = memory.deltas;
      for (uint32_t tile = 0; tile < here; tile += threads * delta_items) {
        uint32_t const begin = tile + threadIdx.x * delta_items;
        gdf::u64 sums[delta_items] = {};
        if (begin < here) { add(begin, here, sums); }
        gdf::u64 total = 0;
        gdf::u64 const below = gdf::block_exclusive_sum<threads>(sums[delta_items - 1], total);
        if (begin < here) {
          uint32_t const left = here - begin;
          store(done + begin, left < delta_items ? static_cast<int>(left) : delta_items, before + below, sums);
        }
        before += total;
      }
      done += here;
      at = memory.at;
      ends = memory.ends;
      // The barrier of the next window is before the next table.
    }
    return done + 1;
  }

  /// [thread] Adds differences of the table, which are in one miniblock.
  GDF_DEVICE void add(uint32_t begin, uint32_t here, gdf::u64 (&sums)[delta_items]) const {
    uint32_t const miniblock = begin / of_miniblock;
    uint32_t const width = memory.width[miniblock];
    gdf::u64 const smallest = memory.smallest[miniblock];
    int64_t bit = int64_t{memory.position[miniblock]} * 8 + int64_t{begin - miniblock * of_miniblock} * width;
    gdf::u64 sum = 0;
#pragma unroll
    for (uint32_t k = 0; k < delta_items; k++) {
      if (begin + k < here) { sum += smallest + wide_bits_at(page, bit, width); }
      sums[k] = sum;
      bit += width;
    }
  }

  /// [block] Brings the bytes that follow to shared memory.
  GDF_DEVICE void stage() {
    window_at = at & ~15u;
    for (uint32_t i = threadIdx.x; i < delta_window_bytes / 16; i += threads) {
      if (window_at + i * 16 < end) { memory.window[i] = __ldg(reinterpret_cast<const uint4*>(page + window_at) + i); }
    }
    __syncthreads();
  }

  GDF_DEVICE uint32_t byte(uint32_t position) const {
    return reinterpret_cast<const uint8_t*>(memory.window)[position - window_at];
  }

  /// [thread] Reads a number of at most 64 bits from the window. Higher bits are dropped.
  GDF_DEVICE bool varint(uint32_t& position, gdf::u64& number) const {
    number = 0;
    for (uint32_t shift = 0; shift < 64 && position < end; shift += 7) {
      uint32_t const next = byte(position);
      position++;
      number |= static_cast<gdf::u64>(next & 0x7f) << shift;
      if (next < 0x80) { return true; }
    }
    return false;
  }

  static GDF_DEVICE gdf::u64 from_zigzag(gdf::u64 number) { return number >> 1 ^ (0 - (number & 1)); }

  /// [warp] Makes a table of at most `left` differences.
  GDF_DEVICE void walk(uint32_t left) const {
    uint32_t const window_end = window_at + delta_window_bytes;
    uint32_t next = at;
    uint32_t parts = 0;
    uint32_t deltas = 0;
    bool is_cut = false;
    while (!is_cut && deltas < left && parts + miniblocks <= most_miniblocks) {
      if (next + 10 + miniblocks > window_end && window_end < end) { break; } // the next window has it
      gdf::u64 smallest = 0;
      if (!varint(next, smallest) || end - next < miniblocks) {
        is_cut = true;
        break;
      }
      smallest = from_zigzag(smallest);
      uint32_t const widths_at = next;
      next += miniblocks;
      for (uint32_t from = 0; from < miniblocks && deltas < left && !is_cut; from += 32) {
        uint32_t const k = from + static_cast<uint32_t>(gdf::lane());
        uint32_t const before = deltas + static_cast<uint32_t>(gdf::lane()) * of_miniblock;
        bool const is_used = k < miniblocks && before < left;
        uint32_t const stated = is_used ? byte(widths_at + k) : 0;
        uint32_t const width = stated <= most_width ? stated : 0;
        uint32_t const size = of_miniblock / 8 * width;
        uint32_t const sizes = gdf::warp_inclusive_sum(size);
        uint32_t const here = next + sizes - size;
        uint32_t const wanted = !is_used ? 0 : left - before < of_miniblock ? left - before : of_miniblock;
        gdf::u64 const bits = here < end ? static_cast<gdf::u64>(end - here) * 8 : 0;
        gdf::u64 const fitting = width == 0 ? wanted : bits / width;
        uint32_t const whole = stated > most_width ? 0 : fitting < wanted ? static_cast<uint32_t>(fitting) : wanted;
        if (is_used) {
          memory.smallest[parts + k] = smallest;
          memory.position[parts + k] = here;
          memory.width[parts + k] = static_cast<uint8_t>(width);
        }
        uint32_t const cut = __ballot_sync(~0u, whole < wanted);
        uint32_t const up_to = gdf::warp_inclusive_sum(whole);
        int const last = cut == 0 ? 31 : __ffs(static_cast<int>(cut)) - 1;
        deltas += __shfl_sync(~0u, up_to, last);
        next += __shfl_sync(~0u, sizes, 31);
        is_cut = cut != 0;
      }
      parts += miniblocks;
    }
    if (gdf::lane() == 0) {
      memory.deltas = deltas;
      memory.at = next < end ? next : end;
      memory.ends = is_cut;
    }
  }
};

/// [thread] Writes 8 integers, the first one at a multiple of 16 bytes.
GDF_DEVICE void store_group(uint32_t* out, gdf::u64 before, const gdf::u64* sums) {
  auto const value = [&](int k) { return static_cast<uint32_t>(before + sums[k]); };
  auto* const words = reinterpret_cast<uint4*>(out);
#pragma unroll
  for (int i = 0; i < 2; i++) { words[i] = {value(4 * i), value(4 * i + 1), value(4 * i + 2), value(4 * i + 3)}; }
}
GDF_DEVICE void store_group(gdf::u64* out, gdf::u64 before, const gdf::u64* sums) {
  auto* const words = reinterpret_cast<ulonglong2*>(out);
#pragma unroll
  for (int i = 0; i < 4; i++) { words[i] = {before + sums[2 * i], before + sums[2 * i + 1]}; }
}

/// [block] Writes the first `limit` integers, and returns their number up to the last whole one. The second one is at a
/// multiple of 16 bytes.
template <int threads, class T>
GDF_DEVICE uint32_t store_integers(delta_decoder<threads>& deltas, uint32_t limit, T* out) {
  if (threadIdx.x == 0) { out[0] = static_cast<T>(deltas.first); }
  return deltas.read(limit, [&](uint32_t i, int n, gdf::u64 before, const gdf::u64* sums) {
    if (n == delta_items) {
      store_group(out + 1 + i, before, sums);
    } else {
      for (int k = 0; k < n; k++) { out[1 + i + static_cast<uint32_t>(k)] = static_cast<T>(before + sums[k]); }
    }
  });
}

} // namespace decode
