// copying::gather: rows of a whole table in the order that a map of row numbers gives. One launch,
// all columns and their masks. String columns need a launch before it, which finds out how many
// bytes each tile of the result has; few rows of them do without, where the caller has guessed how much
// room they need.
//
// Rows are read in whatever order the map says, so several loads of each thread are under way at a
// time; a map in order reads coalesced without being treated apart. Each column reads the map again:
// from cache. Few rows are a row per thread, on as many blocks as that makes: the host says how many
// rows each thread has of a tile.

#include <gdf/grid_barrier.cuh>
#include <gdf/move_strings.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

#include "gather_map.cuh"

GDF_POLICY(gather_check, 256, 8, 3);
GDF_POLICY(gather_sizes, 256, 8, 3);
GDF_POLICY(gather, 256, 8, 3);
GDF_POLICY(gather_text, 256, 8, 6);
GDF_POLICY(gather_few, 1024, 1, 1);

// The host makes tiles by the policy of gather, for all three.
static_assert(gather_sizes_tuning::threads == gather_tuning::threads &&
              gather_text_tuning::threads == gather_tuning::threads);

namespace gather {

/// The rows of a tile, one at a time.
struct tile_rows {
  gather_map const& map;
  int64_t first;

  GDF_DEVICE int64_t operator()(int r) const { return map[first + r]; }
};

/// The row that a thread has, for what asks each thread for its own.
struct own_row {
  int64_t row;

  GDF_DEVICE int64_t operator()(int) const { return row; }
};

/// [thread] Values of type T.
template <class T, int items>
GDF_DEVICE void put_values(const gdf::column_in& in, const gdf::column_out& out, const int64_t (&at)[items],
                           const bool (&active)[items], const int64_t (&row)[items]) {
  constexpr int most = sizeof(T) <= 8 ? 8 : sizeof(T) == 16 ? 4 : 2;
  constexpr int batch = items < most ? items : most;
  auto const* const from = static_cast<const T*>(in.data) + in.offset;
  auto* const to = static_cast<T*>(out.data);
#pragma unroll
  for (int k = 0; k < items; k += batch) {
    T value[batch];
#pragma unroll
    for (int i = 0; i < batch; i++) { value[i] = row[k + i] >= 0 ? gdf::load(from + row[k + i]) : T{}; }
#pragma unroll
    for (int i = 0; i < batch; i++) {
      if (active[k + i]) { gdf::store(to + at[k + i], value[i]); }
    }
  }
}

/// [warp] Boolean values, if that is what column `c` is, and validity, if the result has any. Returns the caller's
/// number of valid rows, for post_null_count.
template <int items>
GDF_DEVICE uint32_t put_bits(const gdf::table_in<32>& in, const gdf::copy_table& copy, int c,
                             const gdf::column_out& out, const int64_t (&at)[items], const bool (&active)[items],
                             const int64_t (&row)[items]) {
  auto const put = [&](uint32_t* words, const bool (&bit)[items]) {
    uint32_t ones = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const word = __ballot_sync(~0u, bit[i]);
      if (gdf::lane() == 0 && active[i]) {
        words[at[i] >> 5] = word;
        ones += __popc(word);
      }
    }
    return ones;
  };
  bool bit[items];
  if (copy.column[c].kind == gdf::copy_bits) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      bit[i] = row[i] >= 0 && gdf::get_bit(in.column[c].data, in.column[c].offset + row[i]);
    }
    put(static_cast<uint32_t*>(out.data), bit);
  }
  if (out.validity == nullptr) { return 0; }
#pragma unroll
  for (int i = 0; i < items; i++) { bit[i] = row[i] >= 0; }
  for (int p = c; p >= 0; p = copy.column[p].parent) {
    gdf::column_in const& column = in.column[p];
    if (column.validity == nullptr) { continue; }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (row[i] >= 0) { bit[i] &= gdf::get_bit(column.validity, column.offset + row[i]); }
    }
  }
  return put(out.validity, bit);
}

/// [thread] The bytes of rows of string column `c`, all together; none of null rows.
template <int items>
GDF_DEVICE gdf::u64 bytes_of(const gdf::table_in<32>& in, const gdf::copy_table& copy, int c,
                             const int64_t (&row)[items]) {
  gdf::column_in const& column = in.column[c];
  bool valid[items];
  gdf::extent text[items];
  auto const read = [&]<class T>(T) { // loads first, whatever their width
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
  if (column.flags & gdf::wide_offsets) {
    read(0ll);
  } else {
    read(0);
  }
#pragma unroll
  for (int i = 0; i < items; i++) { valid[i] = row[i] >= 0; }
  for (int p = c; p >= 0; p = copy.column[p].parent) {
    gdf::column_in const& around = in.column[p];
    if (around.validity == nullptr) { continue; }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (row[i] >= 0) { valid[i] &= gdf::get_bit(around.validity, around.offset + row[i]); }
    }
  }
  gdf::u64 bytes = 0;
#pragma unroll
  for (int i = 0; i < items; i++) {
    if (valid[i]) { bytes += gdf::clamped(text[i], copy.column[c].bytes).size(); }
  }
  return bytes;
}

} // namespace gather

/// After a launch has refused the map, of integers: posts ~r for the first row r of the map that is out of bounds to
/// mailbox[0], its number to mailbox[1]. Ticket 32, zeroed[0].
extern "C" __global__ void GDF_BOUNDS(gather_check)
gather_check_kernel(const __grid_constant__ gdf::column_in map, int64_t rows, gdf::scratch* scratch,
                    unsigned long long* mailbox) {
  using tuning = gather_check_tuning;
  constexpr int items = tuning::items;
  gather::gather_map const indices(map, rows, gather::report);
  gdf::u64 worst = 0;
  gdf::for_each_tile<tuning::threads, items>(map.length, [&](int64_t first, bool) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const r = gdf::row_of<tuning::threads>(first, i);
      if (r < map.length && !indices.has(indices.resolve(indices.index[r])) && gdf::is_valid(map, r)) {
        gdf::u64 const found = ~static_cast<gdf::u64>(r);
        worst = found > worst ? found : worst;
      }
    }
  });
  if (worst != 0) { atomicMax(&scratch->zeroed[0], worst); }
  if (!gdf::is_last_block(scratch, 32, gridDim.x) || threadIdx.x != 0) { return; }
  worst = atomicExch(&scratch->zeroed[0], 0ull);
  if (worst == 0) { return; }
  gdf::post(mailbox + 1, static_cast<gdf::u64>(indices.index[static_cast<int64_t>(~worst)]));
  gdf::post(mailbox, worst);
}

/// For string column blockIdx.y: the bytes of each tile of `share` rows per thread, at most those of the policy, made
/// into the positions of their first bytes, at counts + slot * tiles, for the `tiles` that cover the map; their total
/// to mailbox[word]. Map, `rows` and `check` as for gather_kernel. Tickets 32 + blockIdx.y.
extern "C" __global__ void GDF_BOUNDS(gather_sizes)
gather_sizes_kernel(const __grid_constant__ gdf::column_in map, int64_t rows, int check,
                    const __grid_constant__ gdf::table_in<32> in,
                    const __grid_constant__ gdf::copy_table copy, unsigned long long* counts, int share,
                    int64_t tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  using tuning = gather_sizes_tuning;
  constexpr int threads = tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  gdf::copy_descriptor const& column = copy.column[c];
  gather::gather_map const indices(map, rows, check);
  bool const strings = column.kind == gdf::copy_strings;
  bool const reports = check == gather::report && c == 0;
  if (!strings && !reports) { return; }

  int const tile = share * threads;
  counts += column.slot * tiles;
  bool refused = false;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    constexpr int batch = 4;
    gdf::u64 bytes = 0;
#pragma unroll 1
    for (int i = 0; i < share; i += batch) {
      int64_t at[batch];
      bool active[batch];
      gdf::rows_of_tile<threads>(t * tile + i * threads, share - i, map.length, at, active);
      int64_t row[batch];
      indices.rows_at(at, active, row, refused);
      if (strings) { bytes += gather::bytes_of(in, copy, c, row); }
    }
    if (strings) {
      bytes = gdf::block_sum<threads>(bytes);
      if (threadIdx.x == 0) { counts[t] = bytes; }
    }
  }
  if (reports && refused) { gather::refuse(mailbox); }
  if (strings) { gdf::finish_tile_counts<threads, 6>(scratch, 32 + c, gridDim.x, counts, tiles, mailbox + column.word); }
}

namespace gather {

/// [grid] Moves column blockIdx.y; `text`: it is one of strings.
template <class tuning, bool text>
GDF_DEVICE void move(const gdf::column_in& map, int64_t rows, int check, const gdf::table_in<32>& in,
                     const gdf::table_out<32>& out, const gdf::copy_table& copy, const unsigned long long* counts,
                     int share, int64_t tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  constexpr int threads = tuning::threads;
  constexpr int items = text ? 1 : tuning::items;
  int const c = static_cast<int>(blockIdx.y);
  gdf::copy_descriptor const& column = copy.column[c];
  gdf::column_out const& result = out.column[c];
  gather_map const indices(map, rows, check);
  bool const reports = check == report && c == 0;
  if (column.kind == gdf::copy_mask && !reports) { return; }

  int const tile = share * threads;
  bool refused = false;
  uint32_t valid = 0;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    int64_t const first = t * tile;
    int64_t const left = map.length - first;
    int const count = left < tile ? static_cast<int>(left) : tile;
    tile_rows const source{indices, first};
    if (!text || reports || result.validity != nullptr) {
#pragma unroll 1
      for (int i = 0; i < share; i += items) {
        int64_t at[items];
        bool active[items];
        gdf::rows_of_tile<threads>(first + i * threads, share - i, map.length, at, active);
        int64_t row[items];
        indices.rows_at(at, active, row, refused);
        if (!text && column.kind > 0) {
          gdf::by_width(column.kind, [&]<class T>() { put_values<T>(in.column[c], result, at, active, row); });
        }
        if (column.kind != gdf::copy_mask) { valid += put_bits(in, copy, c, result, at, active, row); }
      }
    }
    gdf::copy_tile const moved_rows{first, count, 0};
    if (!text && column.kind == gdf::copy_any_width) {
      gdf::move_bytes<threads>(in.column[c], result, column.bytes, moved_rows, source);
    } else if (column.kind == gdf::copy_strings) {
      gdf::u64 const base = __ldg(counts + column.slot * tiles + t);
      gdf::u64 const behind = gdf::move_strings<threads>(in, copy, c, result, moved_rows, base, source);
      if (t + 1 == tiles && threadIdx.x == 0) {
        gdf::store_offset(result.offsets, result.flags & gdf::wide_offsets, map.length,
                          static_cast<int64_t>(behind));
      }
    }
  }
  if (reports && refused) { refuse(mailbox); }
  if (column.kind != gdf::copy_mask) { gdf::post_null_count<threads>(scratch, result, valid); }
}

} // namespace gather

/// Row r of each column (blockIdx.y) of the result is the row of the table, of `rows` rows, that row r of `map`, of
/// integers, tells; null where the map is, or is out of bounds, which no row is with `check` trust. With report,
/// mailbox[0] becomes 1 if a row is. Results have map.length rows and the types of the table; strings go where the
/// sizes kernel for the same map, share and tiles says, and have room for the bytes that it has posted. `tiles` of
/// `share` rows per thread, at most those of the policy, cover the map.
extern "C" __global__ void GDF_BOUNDS(gather) GDF_VARIANT(gather, fixed)
gather_kernel(const __grid_constant__ gdf::column_in map, int64_t rows, int check,
              const __grid_constant__ gdf::table_in<32> in,
              const __grid_constant__ gdf::table_out<32> out,
              const __grid_constant__ gdf::copy_table copy, const unsigned long long* counts, int share,
              int64_t tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  gather::move<gather_tuning, false>(map, rows, check, in, out, copy, counts, share, tiles, scratch, mailbox);
}

/// As gather_kernel, of strings alone (and structs around them): more blocks hide that few loads are under way.
extern "C" __global__ void GDF_BOUNDS(gather_text) GDF_VARIANT(gather, text)
gather_text_kernel(const __grid_constant__ gdf::column_in map, int64_t rows, int check,
                   const __grid_constant__ gdf::table_in<32> in,
                   const __grid_constant__ gdf::table_out<32> out,
                   const __grid_constant__ gdf::copy_table copy, const unsigned long long* counts, int share,
                   int64_t tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  gather::move<gather_text_tuning, true>(map, rows, check, in, out, copy, counts, share, tiles, scratch, mailbox);
}

/// Cooperative. As gather_kernel, of few rows: a block per 1,024 of them and column. `slot` of a string column is the
/// room that its result has; its bytes go to mailbox[word], and if they are more it is not written.
extern "C" __global__ void GDF_BOUNDS(gather_few)
gather_few_kernel(const __grid_constant__ gdf::column_in map, int64_t rows, int check,
                  const __grid_constant__ gdf::table_in<32> in,
                  const __grid_constant__ gdf::table_out<32> out,
                  const __grid_constant__ gdf::copy_table copy, gdf::scratch* scratch,
                  unsigned long long* mailbox) {
  constexpr int threads = gather_few_tuning::threads;
  static_assert(gather_few_tuning::items == 1);
  int const c = static_cast<int>(blockIdx.y);
  gdf::copy_descriptor const& column = copy.column[c];
  gdf::column_out const& result = out.column[c];
  gather::gather_map const indices(map, rows, check);
  bool const strings = column.kind == gdf::copy_strings;

  int64_t const first = int64_t{blockIdx.x} * threads;
  int64_t const left = map.length - first;
  gdf::copy_tile const tile{first, left < threads ? static_cast<int>(left) : threads, 0};
  bool refused = false;
  int64_t at[1];
  bool active[1];
  int64_t row[1];
  gdf::rows_of_tile<threads>(first, 1, map.length, at, active);
  indices.rows_at(at, active, row, refused);
  if (check == gather::report && c == 0 && refused) { gather::refuse(mailbox); }

  uint32_t valid = 0;
  if (column.kind > 0) {
    gdf::by_width(column.kind, [&]<class T>() { gather::put_values<T>(in.column[c], result, at, active, row); });
  } else if (column.kind == gdf::copy_any_width) {
    gdf::move_bytes<threads>(in.column[c], result, column.bytes, tile, gather::tile_rows{indices, first});
  }
  if (column.kind != gdf::copy_mask) { valid = gather::put_bits(in, copy, c, result, at, active, row); }

  // Bytes of the blocks before this one, and of all.
  gdf::u64 base = 0;
  gdf::u64 all = strings ? gather::bytes_of(in, copy, c, row) : 0;
  if (gridDim.x == 1) {
    gdf::block_exclusive_sum<threads>(all, all);
  } else {
    auto* const partial = reinterpret_cast<unsigned long long*>(scratch->partials) + c * gridDim.x;
    gdf::grid_barrier barrier{scratch, 32};
    gdf::u64 const mine = gdf::block_sum<threads>(all);
    if (threadIdx.x == 0) { partial[blockIdx.x] = mine; }
    barrier.wait();
    gdf::u64 below = 0;
    all = 0;
    for (uint32_t b = threadIdx.x; b < gridDim.x; b += threads) {
      gdf::u64 const bytes = *static_cast<const volatile unsigned long long*>(partial + b);
      all += bytes;
      below += b < blockIdx.x ? bytes : 0;
    }
    gdf::block_exclusive_sum<threads>(below, base);
    gdf::block_exclusive_sum<threads>(all, all);
    barrier.end();
  }
  if (strings) {
    if (blockIdx.x == 0 && threadIdx.x == 0) { gdf::post(mailbox + column.word, all); }
    if (all <= static_cast<gdf::u64>(column.slot)) {
      gdf::u64 const behind = gdf::move_strings<threads>(in, copy, c, result, tile, base, gather::own_row{row[0]});
      if (first + tile.count == map.length && threadIdx.x == 0) {
        gdf::store_offset(result.offsets, result.flags & gdf::wide_offsets, map.length,
                          static_cast<int64_t>(behind));
      }
    }
  }
  if (column.kind != gdf::copy_mask) { gdf::post_null_count<threads>(scratch, result, valid); }
}
