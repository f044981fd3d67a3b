// Copies the text of spans that an operation has found in the rows of a column. See
// crates/gdf-engine/src/strings/spans.rs.

#include <gdf/span_columns.cuh>

GDF_POLICY(copy_spans, 128, 4, 8);

GDF_STRINGS(copy_spans, copy_spans, text_sizes, copy_spans::source, gdf::size_strings<copy_spans::piece>);
GDF_STRINGS(copy_spans, copy_spans, text_write, copy_spans::source, gdf::write_strings<copy_spans::piece>);

GDF_POLICY(span_columns, 128, 4, 7);

namespace span_columns {

constexpr int most_columns = 16;

/// The output columns of a launch.
struct parameters {
  copy_spans::source source;
  gdf::column_out out[most_columns];
  int64_t capacity[most_columns]; // bytes
  int32_t columns;
  int32_t unused;
};

} // namespace span_columns

/// Posts to the mailbox the largest number of spans of a row, followed by the number of bytes of each of
/// `most_columns` columns.
extern "C" __global__ void GDF_BOUNDS(span_columns) GDF_VARIANT(span_columns, totals)
span_columns_totals_kernel(const __grid_constant__ span_columns::parameters p, const __grid_constant__ gdf::tile_counts counts,
                           gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace gdf::build_strings_detail;
  constexpr int words = span_columns::most_columns + 1;
  const copy_spans::source& source = p.source;
  __shared__ unsigned long long found[words];
  for (int i = threadIdx.x; i < words; i += blockDim.x) { found[i] = 0; }
  __syncthreads();
  __shared__ uint32_t spans[span_columns_tuning::threads / 32][span_columns::warp_memory::most_spans];
  int64_t const length = p.out[0].length;
  auto const nth = static_cast<int>(source.nth);
  span_columns::lane_rows own;
  int const tiles = tiles_of_rows<span_columns_tuning>(length, counts.share);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    warp_rows const rows = rows_of_warp<span_columns_tuning>(tile, counts.share, length);
    if (rows.count() == 0) { continue; } // the whole warp
    uint32_t* const mine = spans[gdf::warp()];
    // If the spans of the warp's rows fit in shared memory, the sizes are computed from the spans there.
    bool const kept = source.offsets != nullptr && span_columns::load(source, 0, rows, counts.share, own, mine, nullptr);
    uint32_t most = source.offsets == nullptr ? static_cast<uint32_t>(source.each) : 0;
    if (kept) {
#pragma unroll
      for (int k = 0; k < span_columns::lane_rows::most; k++) { most = max(most, own.spans[k] >> 16); }
    } else if (source.offsets != nullptr) {
      for (int64_t row = rows.first + gdf::lane(); row < rows.end; row += 32) { most = max(most, source.count_of(row)); }
    }
    most = gdf::warp_max(most);
    if (gdf::lane() == 0) { atomicMax(found, static_cast<unsigned long long>(most)); }
    copy_spans::source of_column = source;
    for (int column = 0; column < span_columns::most_columns && nth + column < static_cast<int>(most); column++) {
      of_column.nth = source.nth + column;
      gdf::u64 const size = kept ? span_columns::kept_size(mine, own, column) : span_columns::size_of(rows, of_column);
      if (gdf::lane() == 0) { gdf::add_to_sum(found + 1 + column, size); }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    if (i == 0) {
      atomicMax(scratch->zeroed, found[0]);
    } else {
      gdf::add_to_sum(scratch->zeroed + i, found[i]);
    }
  }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    gdf::post(mailbox + i, static_cast<volatile unsigned long long*>(scratch->zeroed)[i]);
    scratch->zeroed[i] = 0;
  }
}

/// Writes the columns.
extern "C" __global__ void GDF_BOUNDS(span_columns) GDF_VARIANT(span_columns, write)
span_columns_write_kernel(const __grid_constant__ span_columns::parameters p, const __grid_constant__ gdf::tile_counts counts,
                          gdf::scratch* scratch, unsigned long long*) {
  using namespace gdf::build_strings_detail;
  using namespace span_columns;
  using gdf::lane;
  using gdf::u64;
  using gdf::warp;
  constexpr int warps = span_columns_tuning::threads / 32;
  __shared__ warp_memory memory[warps];
  __shared__ u64 totals[warps][most_columns];
  __shared__ u64 bases[most_columns];
  __shared__ uint32_t valid[most_columns];
  __shared__ uint32_t slots[2];
  auto& mine = memory[warp()];
  int64_t const length = p.out[0].length;
  gdf::scan_state all(true, reinterpret_cast<uint32_t*>(counts.entries), nullptr,
                      tiles_of_rows<span_columns_tuning>(length, counts.share), scratch);
  // If 32 bits suffice for the number of bytes of each column, an entry has the sums of two columns.
  int each = 2;
  for (int column = 0; column < p.columns; column++) { each = p.capacity[column] >> 32 != 0 ? 1 : each; }
  int const entries = (p.columns + each - 1) / each;
  auto const of_entry = [&](int entry) {
    gdf::scan_state found = all;
    found.status += static_cast<int64_t>(entry) * all.tiles * all.status_words;
    return found;
  };
  auto const of_tile = [&](int column) {
    u64 total = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) { total += totals[w][column]; }
    return total;
  };
  auto const tile_total = [&](int entry) {
    return each == 1 ? of_tile(entry) : of_tile(2 * entry) | of_tile(2 * entry + 1) << 32;
  };
  gdf::scan_turns in_turn(scratch, slots, all.tiles);
  if (threadIdx.x < most_columns) {
    valid[threadIdx.x] = 0;
    for (int w = 0; w < warps; w++) { totals[w][threadIdx.x] = 0; }
  }
  for (uint32_t i = lane() * 16; i < warp_memory::stage_bytes; i += 512) { *reinterpret_cast<uint4*>(mine.stage + i) = uint4{}; }
  __syncthreads();
  copy_spans::source source = p.source;
  lane_rows own;
  for (int tile = in_turn.first(), next; tile < all.tiles; tile = next) {
    warp_rows const rows = rows_of_warp<span_columns_tuning>(tile, counts.share, length);
    bool const kept = rows.count() > 0 && load(p.source, p.columns, rows, counts.share, own, mine.spans, &mine.texts);
#pragma unroll 1
    for (int column = 0; column < p.columns; column++) {
      u64 size = 0;
      if (kept) {
        size = kept_size(mine.spans, own, column);
      } else if (rows.count() > 0) {
        source.nth = p.source.nth + column;
        size = size_of(rows, source);
      }
      if (lane() == 0) { totals[warp()][column] = size; }
    }
    __syncthreads();
    int const published = warp() + lane() * warps;
    if (published < entries && all.tiles > 1) {
      gdf::publish_aggregate<sum_of_sizes>(of_entry(published), tile, gdf::carry<u64>{tile_total(published), 0});
    }
#pragma unroll 1
    for (int entry = warp(); entry < entries; entry += warps) {
      u64 const before = gdf::look_back_plain(of_entry(entry), sum_of_sizes{}, tile, gdf::carry<u64>{tile_total(entry), 0}).value;
      if (lane() != 0) { continue; }
      bases[entry * each] = each == 1 ? before : static_cast<uint32_t>(before);
      if (each == 2) { bases[entry * each + 1] = before >> 32; }
    }
    __syncthreads();
#pragma unroll 1
    for (int column = 0; column < p.columns; column++) {
      u64 base = bases[column];
      if (rows.count() == 0 || gdf::saturating_add(base, of_tile(column)) > static_cast<u64>(p.capacity[column])) { continue; }
      for (int w = 0; w < warp(); w++) { base += totals[w][column]; }
      uint32_t valid_rows;
      if (kept) {
        valid_rows = write_kept(p.out[column], rows, counts.share, base, own, column, mine);
      } else {
        source.nth = p.source.nth + column;
        valid_rows = write_far(p.out[column], rows, base, source, mine);
      }
      if (valid_rows != 0) { atomicAdd(&valid[column], valid_rows); }
    }
    in_turn.take_behind(gdf::build_strings_detail::is_slow_tile<warps>([&](int w) {
      u64 bytes = 0;
      for (int column = 0; column < p.columns; column++) { bytes += totals[w][column]; }
      return bytes;
    }));
    in_turn.pass_on();
    __syncthreads();
    next = in_turn.next();
  }
  __syncthreads();
  if (threadIdx.x < p.columns) {
    int const column = static_cast<int>(threadIdx.x);
    gdf::add_valid_rows(scratch, column, p.out[column], valid[column]);
  }
  if (all.tiles > 1) { all.tiles *= entries; }
  gdf::finish_tiles<span_columns_tuning::threads>(all, scratch);
}
