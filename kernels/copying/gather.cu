// copying::gather: gathers the rows of a whole table by a gather map. For string columns, a preceding launch computes
// the number of bytes of each tile of the result.

#include <gdf/copy_rows.cuh>
#include <gdf/grid_barrier.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

#include "gather_map.cuh"

GDF_POLICY(gather_check, 256, 8, 3);
GDF_POLICY(gather_sizes, 256, 8, 3);
GDF_POLICY(gather, 256, 8, 3);
GDF_POLICY(gather_text, 256, 8, 6);
GDF_POLICY(gather_few, 1024, 1, 1);

// The host computes tiles for all three kernels by the policy of `gather`.
static_assert(gather_sizes_tuning::threads == gather_tuning::threads &&
              gather_text_tuning::threads == gather_tuning::threads);

/// Finds the first element of the integer column `map` that is out of bounds and not null. For the element at position
/// r, the kernel posts ~r to mailbox[0] and the value of the element to mailbox[1]. The kernel uses ticket 32 and
/// zeroed[0].
extern "C" __global__ void GDF_BOUNDS(gather_check)
gather_check_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows, gdf::scratch* scratch,
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

/// Measures string column blockIdx.y of the result. The total is posted to mailbox[word]. Column y uses ticket 32 + y.
extern "C" __global__ void GDF_BOUNDS(gather_sizes)
gather_sizes_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows, int check,
                    const __grid_constant__ gdf::table_in<32> in,
                    const __grid_constant__ gdf::copy_table copy, unsigned long long* counts, int share,
                    gdf::tile_count tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  using tuning = gather_sizes_tuning;
  constexpr int threads = tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  gdf::copy_descriptor const& column = copy.column[c];
  gather::gather_map const indices(map, rows, check);
  bool const strings = column.kind == gdf::copy_strings;
  bool const reports = check == gather::report && c == 0;
  if (!strings && !reports) { return; }

  counts += column.slot * tiles;
  bool const refused = gdf::count_row_bytes<threads>(indices, map.length, strings, in, copy, counts, share, tiles);
  if (reports && refused) { gather::refuse(mailbox); }
  if (strings) { gdf::finish_tile_counts<threads, 6>(scratch, 32 + c, gridDim.x, counts, tiles, mailbox + column.word); }
}

namespace gather {

template <class tuning, bool text>
GDF_DEVICE void copy_by_map(const gdf::column_in& map, int64_t rows, int check, const gdf::table_in<32>& in,
                            const gdf::table_out<32>& out, const gdf::copy_table& copy, const unsigned long long* counts,
                            int share, int64_t tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  bool const reports = check == report && blockIdx.y == 0;
  bool const refused = gdf::copy_rows<tuning, text>(gather_map(map, rows, check), map.length, reports, in, out, copy,
                                                    counts, share, tiles, scratch);
  if (reports && refused) { refuse(mailbox); }
}

} // namespace gather

/// Gathers column blockIdx.y: row r of the result is row map[r] of the table. If map[r] is null or out of bounds, row r
/// of the result is null. If `check` is `trust`, no element may be out of bounds. If `check` is `report` and an element
/// is out of bounds, mailbox[0] becomes 1.
extern "C" __global__ void GDF_BOUNDS(gather) GDF_VARIANT(gather, fixed)
gather_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows, int check,
              const __grid_constant__ gdf::table_in<32> in,
              const __grid_constant__ gdf::table_out<32> out,
              const __grid_constant__ gdf::copy_table copy, const unsigned long long* counts, int share,
              gdf::tile_count tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  gather::copy_by_map<gather_tuning, false>(map, rows, check, in, out, copy, counts, share, tiles, scratch, mailbox);
}

/// Does the same as gather_kernel, for strings and for structs that contain strings. Each thread has fewer loads in
/// flight, but a multiprocessor has more blocks.
extern "C" __global__ void GDF_BOUNDS(gather_text) GDF_VARIANT(gather, text)
gather_text_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows, int check,
                   const __grid_constant__ gdf::table_in<32> in,
                   const __grid_constant__ gdf::table_out<32> out,
                   const __grid_constant__ gdf::copy_table copy, const unsigned long long* counts, int share,
                   gdf::tile_count tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  gather::copy_by_map<gather_text_tuning, true>(map, rows, check, in, out, copy, counts, share, tiles, scratch, mailbox);
}

/// Does the same as gather_kernel, for few rows. There is a block for each 1,024 rows of a column. For a string column,
/// `slot` is the number of bytes of its character buffer. The number of bytes that the column needs is posted to
/// mailbox[word]. If that number exceeds the buffer, the column is not written. The launch must be cooperative.
extern "C" __global__ void GDF_BOUNDS(gather_few)
gather_few_kernel(const __grid_constant__ gdf::column_in map, gdf::row_count rows, int check,
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
  gdf::copy_tile const tile{first, left < threads ? static_cast<int>(left) : threads};
  bool refused = false;
  int64_t at[1];
  bool active[1];
  int64_t row[1];
  gdf::rows_of_tile<threads>(first, 1, map.length, at, active);
  indices.rows_at(at, active, row, refused);
  if (check == gather::report && c == 0 && refused) { gather::refuse(mailbox); }

  uint32_t valid = 0;
  if (column.kind > 0) {
    gdf::by_width(column.kind, [&]<class T>() { gdf::put_values<T>(in.column[c], result, at, active, row); });
  } else if (column.kind == gdf::copy_any_width) {
    gdf::move_bytes<threads>(in.column[c], result, column.bytes, tile, gdf::tile_rows<gather::gather_map>{indices, first});
  }
  if (column.kind != gdf::copy_mask) { valid = gdf::put_bits(in, copy, c, result, at, active, row); }

  // `base` becomes the number of bytes of all earlier blocks, and `all` becomes the number of bytes of all blocks.
  gdf::u64 base = 0;
  gdf::u64 all = strings ? gdf::bytes_of_rows(in, copy, c, row) : 0;
  if (gridDim.x == 1) {
    gdf::block_exclusive_sum<threads>(all, all);
  } else {
    auto* const partial = reinterpret_cast<unsigned long long*>(scratch->partials) + c * gridDim.x;
    gdf::grid_barrier barrier{scratch, 32};
    gdf::u64 const mine = gdf::bounded_size(gdf::block_sum<threads>(all)); // 2^13 bounded sizes cannot overflow
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
      gdf::u64 const behind = gdf::move_strings<threads>(in, copy, c, result, tile, base, gdf::own_row{row[0]});
      if (first + tile.count == map.length && threadIdx.x == 0) {
        gdf::store_offset(result.offsets, result.flags & gdf::wide_offsets, map.length,
                          static_cast<int64_t>(behind));
      }
    }
  }
  if (column.kind != gdf::copy_mask) { gdf::post_null_count<threads>(scratch, result, valid); }
}
