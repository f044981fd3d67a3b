// Copies the ranges of all levels of columns with lists, see nested.cuh. blockIdx.y is the number of a part. A block
// fills tiles of the result. The ranges of a tile are found by a search in the ends of all ranges. The range of an
// element is then found by a search in the ends of these ranges, which lie in shared memory.

#include <gdf/block_sum.cuh>
#include <gdf/count.cuh>
#include <gdf/grid.cuh>

#include "nested.cuh"

GDF_POLICY(copy_nested, 256, 4, 4);

namespace nested {

constexpr int threads = copy_nested_tuning::threads;
constexpr int items = copy_nested_tuning::items;
constexpr int unit_bytes = 16; // the bytes of the result that a thread writes together
constexpr int most_ranges = 1024;

/// [warp] Returns the index of the first of `count` ascending ends that is greater than `row`. If there is none, the
/// result is `count`.
GDF_DEVICE int64_t first_end_after(const long long* ends, int64_t count, int64_t row) {
  int64_t low = 0;
  int64_t left = count;
  while (left > 0) {
    int64_t const step = (left + 31) >> 5;
    int64_t const above = (gdf::lane() + 1) * step;
    bool const found = __ldg(ends + low + (above < left ? above : left) - 1) > row;
    uint32_t const votes = __ballot_sync(~0u, found);
    if (votes == 0) { return low + left; }
    int64_t const below = (__ffs(static_cast<int>(votes)) - 1) * step;
    left = (below + step < left ? below + step : left) - 1 - below;
    low += below;
  }
  return low;
}

/// The ranges that have elements in a tile.
struct tile_ranges {
  int64_t low;  // the first range
  int64_t high; // the last range
  int32_t end[most_ranges];        // the end of each range in the tile
  const uint8_t* from[most_ranges]; // the address of the source of the tile's first element, or null
  long long moved[most_ranges];    // offsets: the number that is added to each offset
};

/// The ranges of the level of a part, and the source of each element of the part.
struct ranges_of_part {
  part const& of;
  nodes const& all;
  level_ranges const& ranges;
  const long long* begins;
  const long long* ends; // null if each range is one row
  int width;             // bytes of an element

  /// [thread] Returns the range before element `p`, in rows of the level.
  GDF_DEVICE int64_t start_of(int64_t range) const {
    return ends == nullptr ? range : range == 0 ? 0 : __ldg(ends + range - 1);
  }

  /// [thread] Returns the address from which element `p` is copied, as if `p` were in the range. The result is null if
  /// the range has no rows of a table.
  GDF_DEVICE const uint8_t* address_of(int64_t range, int64_t p) const {
    int64_t const begin = __ldg(begins + range);
    if (begin < 0) { return nullptr; }
    gdf::column_in const& column = all.at(table_of(begin), of.node);
    int64_t const skipped = of.kind > 0 ? column.offset * of.below : column.offset;
    int64_t const element = skipped + (row_in_table(begin) - start_of(range)) * of.scale + p;
    auto const* const base = static_cast<const uint8_t*>(of.kind == offsets ? column.offsets : column.data);
    return base + element * width;
  }

  /// [thread] Returns the number that is added to the offsets of a range.
  GDF_DEVICE int64_t moved_by(int64_t range) const {
    int64_t const begin = __ldg(ranges.begins(of.below) + range);
    int64_t const start = range == 0 ? 0 : __ldg(ranges.ends(of.below) + range - 1);
    return begin < 0 ? start : start - row_in_table(begin);
  }

  /// [block] Finds the ranges of the elements [first, first + size).
  GDF_DEVICE void open(int64_t first, int size, tile_ranges& tile) const {
    __syncthreads(); // threads may still read the ranges of the previous tile
    if (gdf::warp() < 2) {
      int64_t const element = gdf::warp() == 0 ? first : first + size - 1;
      int64_t const found = first_end_after(ends, ranges.count, element / of.scale);
      if (gdf::lane() == 0) { (gdf::warp() == 0 ? tile.low : tile.high) = found; }
    }
    __syncthreads();
    if (tile.high - tile.low >= most_ranges) { return; }
    for (int64_t range = tile.low + threadIdx.x; range <= tile.high; range += threads) {
      int64_t const end = __ldg(ends + range) * of.scale - first;
      auto const i = static_cast<int>(range - tile.low);
      tile.end[i] = end < size ? static_cast<int32_t>(end) : size;
      tile.from[i] = address_of(range, first);
      if (of.kind == offsets) { tile.moved[i] = moved_by(range); }
    }
    __syncthreads();
  }

  /// [thread] Returns the position among the ranges of the tile of the range that has element first + `at`.
  GDF_DEVICE int find(const tile_ranges& tile, int64_t first, int at) const {
    auto low = int64_t{0};
    auto high = tile.high - tile.low;
    while (low < high) {
      int64_t const middle = (low + high) >> 1;
      if (end_of(tile, first, static_cast<int>(middle)) > at) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return static_cast<int>(low);
  }

  /// [thread] Returns the end of a range in the tile at `first`.
  GDF_DEVICE int end_of(const tile_ranges& tile, int64_t first, int i) const {
    if (tile.high - tile.low < most_ranges) { return tile.end[i]; }
    int64_t const end = __ldg(ends + tile.low + i) * of.scale - first;
    return end < INT32_MAX ? static_cast<int>(end) : INT32_MAX;
  }

  /// [thread] Returns the address from which element first + `at` of the tile is copied, or null.
  GDF_DEVICE const uint8_t* source_of(const tile_ranges& tile, int64_t first, int i, int at) const {
    if (tile.high - tile.low >= most_ranges) { return address_of(tile.low + i, first + at); }
    auto const* const from = tile.from[i];
    return from == nullptr ? nullptr : from + int64_t{at} * width;
  }
};

/// [thread] Loads 16 bytes from any address. The function may read up to 3 more bytes after them.
GDF_DEVICE uint4 load_unit(const uint8_t* from) {
  auto const low = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(from));
  if ((low & 7) == 0) {
    auto const* const half = reinterpret_cast<const uint2*>(from);
    uint2 const a = __ldg(half);
    uint2 const b = __ldg(half + 1);
    return uint4{a.x, a.y, b.x, b.y};
  }
  auto const* const word = reinterpret_cast<const uint32_t*>(from - (low & 3));
  uint32_t const a = __ldg(word);
  uint32_t const b = __ldg(word + 1);
  uint32_t const c = __ldg(word + 2);
  uint32_t const d = __ldg(word + 3);
  if ((low & 3) == 0) { return uint4{a, b, c, d}; }
  uint32_t const e = __ldg(word + 4);
  uint32_t const shift = (low & 3) * 8;
  return uint4{__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift),
               __funnelshift_r(d, e, shift)};
}

/// [block] Copies the values of a part.
template <class T>
GDF_DEVICE void copy_values(const ranges_of_part& source, const gdf::column_out& out, tile_ranges& tile) {
  constexpr int each = unit_bytes / static_cast<int>(sizeof(T));
  constexpr int tile_size = threads * items * each;
  int64_t const count = source.of.count;
  auto* const to = static_cast<T*>(out.data);
  for (int64_t first = int64_t{blockIdx.x} * tile_size; first < count; first += int64_t{gridDim.x} * tile_size) {
    int const size = count - first < tile_size ? static_cast<int>(count - first) : tile_size;
    if (source.ends != nullptr) { source.open(first, size, tile); }
#pragma unroll 1
    for (int k = 0; k < items; k++) {
      int const at = (k * threads + static_cast<int>(threadIdx.x)) * each;
      if (at >= size) { break; }
      union {
        uint4 unit;
        T value[each];
      } copied;
      copied.unit = uint4{};
      if (source.ends == nullptr) {
#pragma unroll
        for (int i = 0; i < each; i++) {
          if (at + i >= size) { break; }
          int64_t const p = first + at + i;
          auto const* const from = source.address_of(source.of.scale == 1 ? p : p / source.of.scale, p);
          if (from != nullptr) { copied.value[i] = __ldg(reinterpret_cast<const T*>(from)); }
        }
      } else {
        int range = source.find(tile, first, at);
        int end = source.end_of(tile, first, range);
        auto const* from = source.source_of(tile, first, range, at);
        // A unit at the end of a range is copied value by value, so that nothing behind the range is read.
        if (end - at >= each + (sizeof(T) < 4 ? 3 : 0)) {
          if (from != nullptr) { copied.unit = load_unit(from); }
        } else {
#pragma unroll
          for (int i = 0; i < each; i++) {
            if (at + i >= size) { break; }
            if (at + i >= end) {
              while (end <= at + i) { end = source.end_of(tile, first, ++range); }
              from = source.source_of(tile, first, range, at);
            }
            if (from != nullptr) { copied.value[i] = __ldg(reinterpret_cast<const T*>(from) + i); }
          }
        }
      }
      if (at + each <= size) {
        *reinterpret_cast<uint4*>(to + first + at) = copied.unit;
      } else {
#pragma unroll
        for (int i = 0; i < each; i++) {
          if (at + i < size) { to[first + at + i] = copied.value[i]; }
        }
      }
    }
  }
}

/// [thread] Returns `count` bits of a range, at most 32, of which the first is the bit of element `p`.
GDF_DEVICE uint32_t bits_of_range(const ranges_of_part& source, int64_t range, int64_t p, int count) {
  int64_t const begin = __ldg(source.begins + range);
  if (begin < 0) { return 0; }
  gdf::column_in const& column = source.all.at(table_of(begin), source.of.node);
  const void* const base = source.of.kind == bits ? column.data : column.validity;
  if (base == nullptr) { return gdf::low_bits(count); }
  int64_t const bit = column.offset + (row_in_table(begin) - source.start_of(range)) * source.of.scale + p;
  return gdf::load_bits32(base, bit, bit + count);
}

/// [block] Copies the bits of a part. Each thread writes whole words. Returns the number of set bits that the thread
/// has written.
GDF_DEVICE uint32_t copy_bits(const ranges_of_part& source, uint32_t* out, tile_ranges& tile) {
  constexpr int tile_size = threads * 32;
  int64_t const count = source.of.count;
  int64_t const scale = source.of.scale;
  uint32_t ones = 0;
  for (int64_t first = int64_t{blockIdx.x} * tile_size; first < count; first += int64_t{gridDim.x} * tile_size) {
    int const size = count - first < tile_size ? static_cast<int>(count - first) : tile_size;
    if (source.ends != nullptr) { source.open(first, size, tile); }
    int at = static_cast<int>(threadIdx.x) * 32;
    if (at >= size) { continue; }
    int const last = at + 32 < size ? at + 32 : size;
    int64_t const word = (first + at) >> 5;
    int range = source.ends == nullptr ? 0 : source.find(tile, first, at);
    uint32_t copied = 0;
    for (int done = 0; at < last;) {
      int end;
      int64_t number;
      if (source.ends == nullptr) {
        number = (first + at) / scale;
        int64_t const ends_at = (number + 1) * scale - first;
        end = ends_at < last ? static_cast<int>(ends_at) : last;
      } else {
        while ((end = source.end_of(tile, first, range)) <= at) { range++; }
        number = tile.low + range;
      }
      int const length = (end < last ? end : last) - at;
      copied |= bits_of_range(source, number, first + at, length) << done;
      done += length;
      at += length;
    }
    out[word] = copied;
    ones += __popc(copied);
  }
  return ones;
}

/// [block] Writes the mask of a node of level 0, each range of which is one row.
GDF_DEVICE uint32_t copy_row_validity(const ranges_of_part& source, uint32_t* out) {
  int64_t const count = source.of.count;
  uint32_t ones = 0;
  int64_t const words = gdf::words_for(count);
  for (int64_t word = int64_t{blockIdx.x} * (threads / 32) + gdf::warp(); word < words;
       word += int64_t{gridDim.x} * (threads / 32)) {
    int64_t const row = word * 32 + gdf::lane();
    int64_t const begin = row < count ? __ldg(source.begins + row) : no_rows;
    bool const valid = begin >= 0 && is_row_valid(source.all, table_of(begin), source.of.node, row_in_table(begin));
    uint32_t const mask = __ballot_sync(~0u, valid);
    if (gdf::lane() == 0) {
      out[word] = mask;
      ones += __popc(mask);
    }
  }
  return ones;
}

/// [block] Writes the offsets of a part.
GDF_DEVICE void copy_offsets(const ranges_of_part& source, const gdf::column_out& out, bool wide, tile_ranges& tile) {
  constexpr int tile_size = threads * items;
  int64_t const count = source.of.count;
  if (blockIdx.x == 0 && threadIdx.x == 0) { gdf::store_offset(out.offsets, wide, 0, 0); }
  for (int64_t first = int64_t{blockIdx.x} * tile_size; first < count; first += int64_t{gridDim.x} * tile_size) {
    int const size = count - first < tile_size ? static_cast<int>(count - first) : tile_size;
    bool const single = source.ends == nullptr;
    if (!single) { source.open(first, size, tile); }
#pragma unroll
    for (int k = 0; k < items; k++) {
      int const at = k * threads + static_cast<int>(threadIdx.x);
      if (at >= size) { break; }
      int64_t const p = first + at;
      int64_t value;
      if (single && source.of.scale == 1) {
        value = __ldg(source.ranges.ends(source.of.below) + p);
      } else {
        int const i = single ? 0 : source.find(tile, first, at);
        int64_t const range = single ? p / source.of.scale : tile.low + i;
        auto const* const from = single ? source.address_of(range, p) : source.source_of(tile, first, i, at);
        bool const kept = !single && tile.high - tile.low < most_ranges;
        value = kept ? tile.moved[i] : source.moved_by(range);
        // The offset after that of element p is the end of element p.
        if (from != nullptr) { value += gdf::load_offset(from, wide, 1); }
      }
      gdf::store_offset(out.offsets, wide, p + 1, value);
    }
  }
}

} // namespace nested

/// Copies the parts from `first_part` on, one for each blockIdx.y (below 32). If `row_ends` is null, each range of
/// level 0 is one row. out[p] is the column that part p is written to. Null counts are written like those of
/// count.cuh.
extern "C" __global__ void GDF_BOUNDS(copy_nested)
copy_nested_kernel(const gdf::column_in* in, const int32_t* parent, int64_t nodes, const nested::part* parts,
                   const gdf::column_out* out, int first_part, long long* numbers, gdf::row_count count,
                   const long long* row_ends, gdf::scratch* scratch) {
  __shared__ nested::tile_ranges tile;
  int const p = first_part + static_cast<int>(blockIdx.y);
  nested::part const of = parts[p];
  gdf::column_out const result = out[p];
  nested::nodes const all{in, parent, nodes};
  nested::level_ranges const ranges{numbers, count};
  bool const wide = result.flags & gdf::wide_offsets;
  nested::ranges_of_part const source{of, all, ranges, ranges.begins(of.level),
                                      of.level == 0 ? row_ends : ranges.ends(of.level),
                                      of.kind == nested::offsets ? (wide ? 8 : 4) : of.kind};
  uint32_t ones = 0;
  switch (of.kind) {
    case 1: nested::copy_values<uint8_t>(source, result, tile); break;
    case 2: nested::copy_values<uint16_t>(source, result, tile); break;
    case 4: nested::copy_values<uint32_t>(source, result, tile); break;
    case 8: nested::copy_values<gdf::u64>(source, result, tile); break;
    case nested::bits: nested::copy_bits(source, static_cast<uint32_t*>(result.data), tile); break;
    case nested::validity: ones = nested::copy_bits(source, result.validity, tile); break;
    case nested::row_validity: ones = nested::copy_row_validity(source, result.validity); break;
    case nested::offsets: nested::copy_offsets(source, result, wide, tile); break;
    default: break;
  }
  gdf::post_null_count<nested::threads>(scratch, result, ones);
}
