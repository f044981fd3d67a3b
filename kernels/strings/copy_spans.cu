// Text of spans that an operation has found in the rows of a column, see crates/gdf-detail/src/engine/strings/spans.rs.

#include <gdf/build_strings.cuh>

GDF_POLICY(copy_spans, 128, 4, 8);

namespace copy_spans {

struct source {
  gdf::text_in text;
  const int32_t* offsets; // of the rows that the spans are of; null: `each` of every row, the first ones of all rows first
  const gdf::text_span* spans; // null: the rows of the text are these
  int64_t count; // of all
  int64_t nth; // -1: a row for each span; else a row for each row, which has that span of it
  int64_t rows; // that the spans are of
  int64_t each;

  /// [thread] How many spans a row has.
  GDF_DEVICE uint32_t count_of(int64_t row) const {
    return static_cast<uint32_t>(offsets == nullptr ? each : int64_t{offsets[row + 1]} - offsets[row]);
  }

  /// [thread] Where a span of a row is that has so many.
  GDF_DEVICE int64_t place_of(int64_t row, int64_t which) const {
    return offsets == nullptr ? which * rows + row : offsets[row] + which;
  }
};

/// [thread] The span at a place.
GDF_DEVICE gdf::text_span span_at(const source& p, int64_t at) {
  if (p.spans != nullptr) { return p.spans[at]; }
  gdf::extent const row = gdf::extent_within(p.text.column, at, p.text.bytes);
  return {row.begin, row.size()};
}

struct piece {
  static constexpr bool by_warp = true;

  GDF_DEVICE static gdf::text_span span_of(int64_t row, const source& p) {
    constexpr gdf::text_span none{0, -1};
    int64_t at = row;
    if (p.nth >= 0) {
      if (p.nth >= p.count_of(row)) { return none; }
      at = p.place_of(row, p.nth);
    }
    return at < p.count ? span_at(p, at) : none;
  }

  GDF_DEVICE static int64_t work(int64_t, const source&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const source& p) {
    gdf::text_span const span = span_of(row, p);
    if (span.size < 0) { return false; }
    sink.put({static_cast<const uint8_t*>(p.text.column.data) + span.begin, span.size,
              static_cast<const uint8_t*>(p.text.column.data) + p.text.bytes});
    return true;
  }
};

} // namespace copy_spans

/// The text of spans.
GDF_STRINGS_BUILD(copy_spans, copy_spans, text, copy_spans::source, copy_spans::piece);

GDF_POLICY(span_columns, 128, 4, 8);

namespace span_columns {

/// Columns of a launch.
constexpr int most_columns = 16;

/// Columns of the spans `source.nth` and those that follow, of each row.
struct parameters {
  copy_spans::source source;
  gdf::column_out out[most_columns];
  int64_t capacity[most_columns]; // bytes
  int32_t columns;
  int32_t unused;
};

struct outputs {
  static constexpr int most = most_columns;
  const parameters& p;
  GDF_DEVICE int count() const { return p.columns; }
  GDF_DEVICE const gdf::column_out& at(int column) const { return p.out[column]; }
  GDF_DEVICE int64_t capacity_of(int column) const { return p.capacity[column]; }
};

} // namespace span_columns

/// How many spans the row with the most has, and the bytes of each of `most_columns` columns, as words of the mailbox.
extern "C" __global__ void GDF_BOUNDS(span_columns) GDF_VARIANT(span_columns, totals)
span_columns_totals_kernel(const __grid_constant__ span_columns::parameters p, const __grid_constant__ gdf::tile_counts,
                           gdf::scratch* scratch, unsigned long long* mailbox) {
  constexpr int words = span_columns::most_columns + 1;
  const copy_spans::source& source = p.source;
  __shared__ unsigned long long found[words];
  for (int i = threadIdx.x; i < words; i += blockDim.x) { found[i] = 0; }
  __syncthreads();
  int64_t const rows = p.out[0].length;
  gdf::for_each_tile<span_columns_tuning::threads, span_columns_tuning::items>(rows, [&](int64_t first, bool) {
#pragma unroll 1
    for (int i = 0; i < span_columns_tuning::items; i++) {
      int64_t const row = gdf::row_of<span_columns_tuning::threads>(first, i);
      uint32_t const count = row < rows ? source.count_of(row) : 0;
      uint32_t const most = gdf::warp_max(count);
      if (gdf::lane() == 0) { atomicMax(found, static_cast<unsigned long long>(most)); }
      for (uint32_t nth = static_cast<uint32_t>(source.nth); nth < most && nth < source.nth + span_columns::most_columns; nth++) {
        int64_t const size = nth < count ? copy_spans::span_at(source, source.place_of(row, nth)).size : 0;
        gdf::u64 const bytes = gdf::warp_sum(static_cast<gdf::u64>(size < 0 ? 0 : size));
        if (gdf::lane() == 0) { atomicAdd(found + 1 + (nth - source.nth), bytes); }
      }
    }
  });
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    if (i == 0) {
      atomicMax(scratch->zeroed, found[0]);
    } else {
      atomicAdd(scratch->zeroed + i, found[i]);
    }
  }
  if (!gdf::is_last_block(scratch, 32, gridDim.x)) { return; }
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    gdf::post(mailbox + i, static_cast<volatile unsigned long long*>(scratch->zeroed)[i]);
    scratch->zeroed[i] = 0;
  }
}

/// The columns, of which the memory has as many bytes.
extern "C" __global__ void GDF_BOUNDS(span_columns) GDF_VARIANT(span_columns, write)
span_columns_write_kernel(const __grid_constant__ span_columns::parameters p, const __grid_constant__ gdf::tile_counts counts,
                          gdf::scratch* scratch, unsigned long long*) {
  using namespace gdf::build_strings_detail;
  using sink = gdf::text_sink<false, true>;
  copy_spans::source source = p.source;
  char none[1];
  build_tiles<span_columns_tuning, 1>(
    span_columns::outputs{p}, counts, scratch, nullptr,
    [&](auto&&, int column) {
      source.nth = p.source.nth + column;
      return false;
    },
    [&](int64_t row, bool inside, int at, bool) {
      return size_of_row<gdf::text_sink, copy_spans::piece, span_columns_tuning>(row, inside, at, false, p.out[0], source, none);
    },
    [&](int64_t row, bool inside, int, bool, gdf::u64 size, uint8_t* stage, uint32_t to) {
      return write_row<gdf::text_sink, copy_spans::piece>(row, inside, size, stage + to, near_sink<gdf::text_sink>::at(stage, to), source);
    },
    [&](int64_t row, bool inside, gdf::u64 size, uint8_t* target) {
      return write_row<gdf::text_sink, copy_spans::piece>(row, inside, size, target, sink{target, 0}, source);
    });
}
