// Parquet's hybrid of runs and bit-packed groups, which levels and keys are stored in. One warp walks the headers,
// because the position of a header follows from the header before it. All threads unpack.
//
// Writers divide packed values into runs of equal length. So the lanes of the warp look for the header that they have
// just read at the places where it would be repeated: 32 such runs take as long as one. Short runs are found together: each
// lane reads the run that would begin at its byte of a window of 32 bytes, and doubling steps find which runs follow each
// other.
#pragma once

#include <gdf/bits.cuh>
#include <gdf/grid.cuh>

#include "values.cuh"

namespace decode {

/// A table of consecutive runs, in shared memory.
struct run_table {
  static constexpr int capacity = 128;
  static constexpr uint32_t window_bytes = 32;
  /// If a window has fewer runs, the runs behind it are read one by one.
  static constexpr int few_runs = 3;

  int32_t first[capacity + 1]; // the number of the first value of each run, and the end of the last run
  uint32_t data[capacity];     // the value of a repeated run, and the position of the bytes of a packed run
  bool packed[capacity];
  int32_t count;
  uint32_t at;     // the position of the next header, counted from the start of the page
  uint32_t end;    // the end of the runs
  int32_t covered; // the number of values up to the end of the last run of the table
  bool cut;        // whether a bad header follows the last run

  /// [warp] Makes an empty table of the runs at [from, to) of the page.
  GDF_DEVICE void begin(uint32_t from, uint32_t to) {
    if (gdf::lane() == 0) {
      count = 0;
      at = from;
      end = to;
      covered = 0;
      cut = false;
    }
    __syncwarp();
  }

  /// [warp] Makes a table of `bits` bits, which begin at the start of the page.
  GDF_DEVICE void begin_bits(int32_t bits) {
    if (gdf::lane() == 0) {
      put(0, 0, 0, true);
      first[1] = bits;
      count = 1;
      at = 0;
      end = 0;
      covered = bits;
      cut = false;
    }
    __syncwarp();
  }

  /// [warp] Replaces the runs of the table by the runs that follow. The values from `limit` on are left out. A repeated
  /// run whose value exceeds `most` is bad.
  GDF_DEVICE void walk(const uint8_t* page, int width, int32_t limit, uint32_t most) {
    int const lane = gdf::lane();
    int runs = 0;
    uint32_t next = at;
    int32_t values = covered;
    bool is_cut = cut;
    bool are_short = true; // whether the last runs were short
    __syncwarp(); // one lane changes the table
    while (!is_cut && runs < capacity && values < limit) {
      if (are_short) {
        int const found = walk_window(page, width, limit, most, runs, next, values);
        are_short = found >= few_runs;
        if (found > 0) { continue; }
      }
      uint32_t const begin = next;
      uint32_t header = 0;
      bool whole = false;
      for (int shift = 0; shift < 32 && next < end; shift += 7) {
        uint32_t const byte = __ldg(page + next);
        next++;
        header |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
          whole = true;
          break;
        }
      }
      bool const groups = (header & 1) != 0;
      int64_t length = header >> 1;
      bool const is_packed = groups && width > 0;
      int64_t const size = is_packed ? length * width : (width + 7) >> 3;
      if (!whole || size > static_cast<int64_t>(end - next)) {
        is_cut = true;
        break;
      }
      if (groups) { length *= 8; }
      uint32_t value = next;
      if (!is_packed) {
        value = 0;
        for (int i = 0; i < static_cast<int>(size); i++) { value |= uint32_t{__ldg(page + next + i)} << (8 * i); }
      }
      next += static_cast<uint32_t>(size);
      are_short = size < window_bytes / 4;
      if (length == 0) { continue; }
      if (!is_packed && value > most) {
        is_cut = true;
        break;
      }
      if (lane == 0) { put(runs, values, value, is_packed); }
      runs++;
      values = clipped(values + length, limit);
      if (is_packed) {
        auto const head = static_cast<int>(value - begin);
        int64_t const stride = head + size;
        int64_t const place = next + lane * stride;
        int64_t const first_value = values + lane * length;
        bool same = runs + lane < capacity && first_value < limit && place + stride <= static_cast<int64_t>(end);
        for (int i = 0; same && i < head; i++) { same = __ldg(page + place + i) == __ldg(page + begin + i); }
        uint32_t const others = ~__ballot_sync(~0u, same);
        int const repeats = others == 0 ? 32 : __ffs(static_cast<int>(others)) - 1;
        if (lane < repeats) {
          put(runs + lane, static_cast<int32_t>(first_value), static_cast<uint32_t>(place + head), true);
        }
        runs += repeats;
        next += static_cast<uint32_t>(repeats * stride);
        values = clipped(values + repeats * length, limit);
      }
    }
    if (lane == 0) {
      first[runs] = values;
      count = runs;
      at = next;
      covered = values;
      cut = is_cut;
    }
  }

  /// [warp] Adds the runs that begin in the 32 bytes from `next` on, up to one that is long, empty or bad, and moves all
  /// three numbers behind them. Returns the number of runs.
  GDF_DEVICE int walk_window(
    const uint8_t* page, int width, int32_t limit, uint32_t most, int& runs, uint32_t& next, int32_t& values) {
    auto const lane = static_cast<uint32_t>(gdf::lane());
    int const value_bytes = (width + 7) >> 3;
    uint32_t const own = next + lane;
    uint32_t step = 0; // the number of bytes of the run that would begin at the lane's byte, or 0 for none
    int32_t length = 0;
    uint32_t data = 0;
    bool is_packed = false;
    if (own < end) {
      uint32_t const bytes = load<uint32_t>(page + own);
      bool const is_long = (bytes & 0x80) != 0;
      uint32_t const header = (bytes & 0x7f) | (is_long ? (bytes & 0x7f00) >> 1 : 0);
      uint32_t const head = is_long ? 2 : 1;
      is_packed = (header & 1) != 0;
      length = static_cast<int32_t>(header >> 1);
      uint32_t const size = is_packed ? static_cast<uint32_t>(length * width) : static_cast<uint32_t>(value_bytes);
      data = own + head;
      bool const is_whole = size <= end - own && head <= end - own - size && !(is_long && (bytes & 0x8000) != 0);
      if (is_whole && length > 0 && width > 0) {
        step = head + size;
        if (is_packed) {
          length *= 8;
        } else {
          data = load<uint32_t>(page + data) & gdf::low_bits(value_bytes * 8);
          if (data > most) { step = 0; }
        }
      }
    }
    // A run has at least two bytes, so 16 of them begin in a window.
    uint32_t exit = lane + step;
    uint32_t path = step == 0 ? 0 : 1u << lane;
#pragma unroll
    for (int i = 0; i < 4; i++) {
      uint32_t const next_exit = __shfl_sync(~0u, exit, static_cast<int>(exit & 31));
      uint32_t const next_path = __shfl_sync(~0u, path, static_cast<int>(exit & 31));
      if (exit < window_bytes) {
        exit = next_exit;
        path |= next_path;
      }
    }
    path = __shfl_sync(~0u, path, 0);
    bool const is_run = (path >> lane & 1) != 0;
    auto const index = static_cast<int>(__popc(path & gdf::low_bits(static_cast<int>(lane))));
    int32_t const up_to = gdf::warp_inclusive_sum(is_run ? length : 0);
    int64_t const first_value = int64_t{values} + up_to - (is_run ? length : 0);
    bool const is_taken = is_run && runs + index < capacity && first_value < limit;
    if (is_taken) { put(runs + index, static_cast<int32_t>(first_value), data, is_packed); }
    uint32_t const taken = __ballot_sync(~0u, is_taken);
    if (taken == 0) { return 0; }
    auto const last = 31 - __clz(static_cast<int>(taken));
    next += __shfl_sync(~0u, lane + step, last);
    values = clipped(int64_t{values} + __shfl_sync(~0u, up_to, last), limit);
    int const found = __popc(taken);
    runs += found;
    return found;
  }

  /// [thread] Writes an element of the table.
  GDF_DEVICE void put(int run, int32_t first_value, uint32_t value, bool is_packed) {
    first[run] = first_value;
    data[run] = value;
    packed[run] = is_packed;
  }

  static GDF_DEVICE int32_t clipped(int64_t values, int32_t limit) {
    return values < limit ? static_cast<int32_t>(values) : limit;
  }

  /// [thread] Returns the run of a value. The table must have the value.
  GDF_DEVICE int find(int32_t value) const {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int const middle = (low + high + 1) >> 1;
      if (first[middle] <= value) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }
};

/// [thread] Returns 32 bits of a page, which begins at a multiple of 4. `bit` must be in the page; up to 8 bytes behind
/// the page may be read.
GDF_DEVICE uint32_t bits_at(const uint8_t* page, int64_t bit) {
  auto const* const word = reinterpret_cast<const uint32_t*>(page) + (bit >> 5);
  return __funnelshift_r(__ldg(word), __ldg(word + 1), static_cast<uint32_t>(bit & 31));
}

/// [thread] Returns the bits of the `count` (at most 32) values from `value` on, which have one bit each. The other bits
/// are zero.
GDF_DEVICE uint32_t bits_of_runs(const run_table& runs, const uint8_t* page, int32_t value, int count) {
  uint32_t word = 0;
  int run = runs.find(value);
  for (int done = 0; done < count; run++) {
    int const in_run = value + done - runs.first[run];
    int const left = runs.first[run + 1] - runs.first[run] - in_run;
    int const here = left < count - done ? left : count - done;
    uint32_t const bits = !runs.packed[run] ? 0u - (runs.data[run] & 1)
                                            : bits_at(page, int64_t{runs.data[run]} * 8 + in_run);
    word |= (bits & gdf::low_bits(here)) << done;
    done += here;
  }
  return word;
}

/// Unpacks consecutive values of one thread.
struct run_reader {
  run_table const& runs;
  const uint32_t* words;
  int width;
  int run;
  int64_t loaded = -1; // the index of the word in `low`
  uint32_t low = 0;
  uint32_t high = 0;

  GDF_DEVICE run_reader(const run_table& runs, const uint8_t* page, int width, int32_t value)
    : runs(runs), words(reinterpret_cast<const uint32_t*>(page)), width(width), run(runs.find(value)) {}

  /// [thread] Returns a value. It must be in the table, and must not precede the value of the call before.
  GDF_DEVICE uint32_t operator()(int32_t value) {
    while (runs.first[run + 1] <= value) { run++; }
    if (!runs.packed[run]) { return runs.data[run]; }
    int64_t const bit = int64_t{runs.data[run]} * 8 + int64_t{value - runs.first[run]} * width;
    int64_t const word = bit >> 5;
    if (word != loaded) {
      low = word == loaded + 1 && loaded >= 0 ? high : __ldg(words + word);
      high = __ldg(words + word + 1);
      loaded = word;
    }
    return __funnelshift_r(low, high, static_cast<uint32_t>(bit & 31)) & gdf::low_bits(width);
  }
};

} // namespace decode
