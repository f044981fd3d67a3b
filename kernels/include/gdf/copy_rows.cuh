// Copies rows of whole tables by row number. This is the common part of gather and of all other operations that choose
// a row of the input for each row of the result. A source provides these input rows:
//   source.rows_at(at, active, row, refused)  // [thread] the input rows of some result rows, -1 for no row, with all
//                                             // loads in flight together; `refused` becomes true if a row number is
//                                             // not valid
//   source[r]                                 // [thread] the input row of one result row
// A source whose rows depend on the tile of the block also provides this function, which is called before each tile:
//   source.begin_tile(first, count)           // [block] prepares the calls for `count` result rows from `first` on
// A tile of the result has `share` rows per thread. Text takes two launches: count_row_bytes, then copy_rows.
#pragma once

#include "block_sum.cuh"
#include "move_strings.cuh"

namespace gdf {

template <class Source>
GDF_DEVICE void begin_tile(const Source& source, int64_t first, int count) {
  if constexpr (requires { source.begin_tile(first, count); }) { source.begin_tile(first, count); }
}

template <class Source>
struct tile_rows {
  Source const& source;
  int64_t first;

  GDF_DEVICE int64_t operator()(int r) const { return source[first + r]; }
};

struct own_row {
  int64_t row;

  GDF_DEVICE int64_t operator()(int) const { return row; }
};

template <class T, int items>
GDF_DEVICE void put_values(const column_in& in, const column_out& out, const int64_t (&at)[items],
                           const bool (&active)[items], const int64_t (&row)[items]) {
  constexpr int most = sizeof(T) <= 8 ? 8 : sizeof(T) == 16 ? 4 : 2;
  constexpr int batch = items < most ? items : most;
  auto const* const from = static_cast<const T*>(in.data) + in.offset;
  auto* const to = static_cast<T*>(out.data);
#pragma unroll
  for (int k = 0; k < items; k += batch) {
    T value[batch];
#pragma unroll
    for (int i = 0; i < batch; i++) { value[i] = row[k + i] >= 0 ? load(from + row[k + i]) : T{}; }
#pragma unroll
    for (int i = 0; i < batch; i++) {
      if (active[k + i]) { store(to + at[k + i], value[i]); }
    }
  }
}

/// [warp] Copies the validity of column `c` if the result has a mask, and the values if the column is boolean. Returns
/// the number of valid rows that the calling lane has counted.
template <int items>
GDF_DEVICE uint32_t put_bits(const table_in<32>& in, const copy_table& copy, int c,
                             const column_out& out, const int64_t (&at)[items], const bool (&active)[items],
                             const int64_t (&row)[items]) {
  auto const put = [&](uint32_t* words, const bool (&bit)[items]) {
    uint32_t ones = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const word = __ballot_sync(~0u, bit[i]);
      if (lane() == 0 && active[i]) {
        words[at[i] >> 5] = word;
        ones += __popc(word);
      }
    }
    return ones;
  };
  bool bit[items];
  if (copy.column[c].kind == copy_bits) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      bit[i] = row[i] >= 0 && get_bit(in.column[c].data, in.column[c].offset + row[i]);
    }
    put(static_cast<uint32_t*>(out.data), bit);
  }
  if (out.validity == nullptr) { return 0; }
#pragma unroll
  for (int i = 0; i < items; i++) { bit[i] = row[i] >= 0; }
  for (int p = c; p >= 0; p = copy.column[p].parent) {
    column_in const& column = in.column[p];
    if (column.validity == nullptr) { continue; }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (row[i] >= 0) { bit[i] &= get_bit(column.validity, column.offset + row[i]); }
    }
  }
  return put(out.validity, bit);
}

/// [thread] Returns the total number of bytes of rows of string column `c`.
template <int items>
GDF_DEVICE u64 bytes_of_rows(const table_in<32>& in, const copy_table& copy, int c,
                             const int64_t (&row)[items]) {
  column_in const& column = in.column[c];
  bool valid[items];
  extent text[items];
  auto const read = [&]<class T>(T) { // all loads come first, for either width of offsets
    auto const* const offsets = static_cast<const T*>(column.offsets) + column.offset;
    T begin[items];
    T end[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      begin[i] = row[i] >= 0 ? __ldg(offsets + row[i]) : T{0};
      end[i] = row[i] >= 0 ? __ldg(offsets + row[i] + 1) : T{0};
    }
#pragma unroll
    for (int i = 0; i < items; i++) { text[i] = {begin[i], end[i]}; }
  };
  if (column.flags & wide_offsets) {
    read(0ll);
  } else {
    read(0);
  }
#pragma unroll
  for (int i = 0; i < items; i++) { valid[i] = row[i] >= 0; }
  for (int p = c; p >= 0; p = copy.column[p].parent) {
    column_in const& around = in.column[p];
    if (around.validity == nullptr) { continue; }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (row[i] >= 0) { valid[i] &= get_bit(around.validity, around.offset + row[i]); }
    }
  }
  u64 bytes = 0;
#pragma unroll
  for (int i = 0; i < items; i++) {
    if (valid[i]) { bytes += clamped(text[i], copy.column[c].bytes).size(); }
  }
  return bytes;
}

/// [block] If `strings`, writes the number of bytes of each tile of string column blockIdx.y to `counts`. Returns
/// whether the source has refused a row of this thread.
template <int threads, class Source>
GDF_DEVICE bool count_row_bytes(const Source& source, int64_t length, bool strings, const table_in<32>& in,
                                const copy_table& copy, unsigned long long* counts, int share, int64_t tiles) {
  int const c = static_cast<int>(blockIdx.y);
  int const tile = share * threads;
  bool refused = false;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    constexpr int batch = 4;
    u64 bytes = 0;
    int64_t const left = length - t * tile;
    begin_tile(source, t * tile, left < tile ? static_cast<int>(left) : tile);
#pragma unroll 1
    for (int i = 0; i < share; i += batch) {
      int64_t at[batch];
      bool active[batch];
      rows_of_tile<threads>(t * tile + i * threads, share - i, length, at, active);
      int64_t row[batch];
      source.rows_at(at, active, row, refused);
      if (strings) { bytes += bytes_of_rows(in, copy, c, row); }
    }
    if (strings) {
      bytes = block_sum<threads>(bytes);
      if (threadIdx.x == 0) { counts[t] = bytes; }
    }
  }
  return refused;
}

/// [grid] Copies column blockIdx.y, which has `length` rows in the result, and counts its nulls. Returns whether the
/// source has refused a row of this thread.
template <class tuning, bool text, class Source>
GDF_DEVICE bool copy_rows(const Source& source, int64_t length, bool reports, const table_in<32>& in,
                          const table_out<32>& out, const copy_table& copy, const unsigned long long* counts,
                          int share, int64_t tiles, scratch* scratch) {
  constexpr int threads = tuning::threads;
  constexpr int items = text ? 1 : tuning::items;
  int const c = static_cast<int>(blockIdx.y);
  copy_descriptor const& column = copy.column[c];
  column_out const& result = out.column[c];
  if (column.kind == copy_mask && !reports) { return false; }

  int const tile = share * threads;
  bool refused = false;
  uint32_t valid = 0;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    int64_t const first = t * tile;
    int64_t const left = length - first;
    int const count = left < tile ? static_cast<int>(left) : tile;
    tile_rows<Source> const rows{source, first};
    begin_tile(source, first, count);
    if (!text || reports || result.validity != nullptr) {
#pragma unroll 1
      for (int i = 0; i < share; i += items) {
        int64_t at[items];
        bool active[items];
        rows_of_tile<threads>(first + i * threads, share - i, length, at, active);
        int64_t row[items];
        source.rows_at(at, active, row, refused);
        if (!text && column.kind > 0) {
          by_width(column.kind, [&]<class T>() { put_values<T>(in.column[c], result, at, active, row); });
        }
        if (column.kind != copy_mask) { valid += put_bits(in, copy, c, result, at, active, row); }
      }
    }
    copy_tile const copied{first, count};
    if (!text && column.kind == copy_any_width) {
      move_bytes<threads>(in.column[c], result, column.bytes, copied, rows);
    } else if (column.kind == copy_strings) {
      u64 const base = __ldg(counts + column.slot * tiles + t);
      u64 const behind = move_strings<threads>(in, copy, c, result, copied, base, rows);
      if (t + 1 == tiles && threadIdx.x == 0) {
        store_offset(result.offsets, result.flags & wide_offsets, length, static_cast<int64_t>(behind));
      }
    }
  }
  if (column.kind != copy_mask) { post_null_count<threads>(scratch, result, valid); }
  return refused;
}

} // namespace gdf
