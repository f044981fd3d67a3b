// Rows of a whole table by arithmetic: reversed, repeated, tiled, columns interleaved. As gather, without a map to read.

#include <gdf/copy_rows.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

GDF_POLICY(affine_sizes, 256, 8, 3);
GDF_POLICY(affine, 256, 8, 3);
GDF_POLICY(affine_text, 256, 8, 6);

// The host makes tiles by the policy of affine, for all three.
static_assert(affine_sizes_tuning::threads == affine_tuning::threads &&
              affine_text_tuning::threads == affine_tuning::threads);

namespace affine {

/// Row r of the result is row first + r / divisor * by_quotient + r % divisor * by_remainder of the table.
struct affine_rows {
  int64_t length; // of the result
  int64_t divisor; // from 1 to the length
  int64_t by_quotient;
  int64_t by_remainder;
  int64_t first;
};

/// The rows as copy_rows asks for them. Below 2^32 rows they are divided by multiplication (Granlund and Montgomery, Division by
/// Invariant Integers using Multiplication, 1994, figure 4.1).
struct source {
  affine_rows const& rows;
  bool narrow;
  uint32_t multiplier;
  int shift; // the bits of divisor - 1

  GDF_DEVICE explicit source(const affine_rows& rows)
    : rows(rows), narrow(rows.length <= 0xffffffffll && rows.divisor < rows.length && rows.divisor > 1), multiplier(0), shift(0) {
    if (!narrow) { return; }
    auto const divisor = static_cast<uint32_t>(rows.divisor);
    shift = 32 - __clz(divisor - 1);
    multiplier = static_cast<uint32_t>((((1ull << shift) - divisor) << 32) / divisor) + 1;
  }

  /// [thread] The input row of a result row.
  GDF_DEVICE int64_t operator[](int64_t r) const {
    if (rows.divisor == rows.length) { return rows.first + r * rows.by_remainder; } // nothing to divide
    if (rows.divisor == 1) { return rows.first + r * rows.by_quotient; }
    int64_t quotient;
    int64_t remainder;
    if (narrow) {
      auto const row = static_cast<uint32_t>(r);
      uint32_t const high = __umulhi(multiplier, row);
      uint32_t const whole = (((row - high) >> 1) + high) >> (shift - 1);
      quotient = whole;
      remainder = row - whole * static_cast<uint32_t>(rows.divisor);
    } else {
      quotient = r / rows.divisor;
      remainder = r % rows.divisor;
    }
    return rows.first + quotient * rows.by_quotient + remainder * rows.by_remainder;
  }

  /// [thread] The input rows of some result rows, -1 where not `active`.
  template <int items>
  GDF_DEVICE void rows_at(const int64_t (&r)[items], const bool (&active)[items], int64_t (&row)[items],
                          bool&) const {
#pragma unroll
    for (int i = 0; i < items; i++) { row[i] = active[i] ? (*this)[r[i]] : -1; }
  }
};

} // namespace affine

/// For string column blockIdx.y: the bytes of each tile of `share` rows per thread, at most those of the policy, made
/// into the positions of their first bytes, at counts + slot * tiles, for the `tiles` that cover the result; their total
/// to mailbox[word]. Tickets 32 + blockIdx.y.
extern "C" __global__ void GDF_BOUNDS(affine_sizes)
affine_sizes_kernel(const __grid_constant__ affine::affine_rows rows, const __grid_constant__ gdf::table_in<32> in,
                    const __grid_constant__ gdf::copy_table copy, unsigned long long* counts, int share,
                    int64_t tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  constexpr int threads = affine_sizes_tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  gdf::copy_descriptor const& column = copy.column[c];
  if (column.kind != gdf::copy_strings) { return; }
  counts += column.slot * tiles;
  gdf::count_row_bytes<threads>(affine::source(rows), rows.length, true, in, copy, counts, share, tiles);
  gdf::finish_tile_counts<threads, 6>(scratch, 32 + c, gridDim.x, counts, tiles, mailbox + column.word);
}

/// Row r of each column (blockIdx.y) of the result is the row of the table that `rows` says, all of which it has.
/// Results have as many rows as it says and the types of the table; strings go where the sizes kernel for the same rows,
/// share and tiles says, and have memory for the bytes that it has posted. `tiles` of `share` rows per thread, at most
/// those of the policy, cover the result.
extern "C" __global__ void GDF_BOUNDS(affine) GDF_VARIANT(affine, fixed)
affine_kernel(const __grid_constant__ affine::affine_rows rows, const __grid_constant__ gdf::table_in<32> in,
              const __grid_constant__ gdf::table_out<32> out, const __grid_constant__ gdf::copy_table copy,
              const unsigned long long* counts, int share, int64_t tiles, gdf::scratch* scratch) {
  gdf::copy_rows<affine_tuning, false>(affine::source(rows), rows.length, false, in, out, copy, counts, share, tiles,
                                       scratch);
}

/// As affine_kernel, of strings alone (and structs around them).
extern "C" __global__ void GDF_BOUNDS(affine_text) GDF_VARIANT(affine, text)
affine_text_kernel(const __grid_constant__ affine::affine_rows rows, const __grid_constant__ gdf::table_in<32> in,
                   const __grid_constant__ gdf::table_out<32> out, const __grid_constant__ gdf::copy_table copy,
                   const unsigned long long* counts, int share, int64_t tiles, gdf::scratch* scratch) {
  gdf::copy_rows<affine_text_tuning, true>(affine::source(rows), rows.length, false, in, out, copy, counts, share,
                                           tiles, scratch);
}
