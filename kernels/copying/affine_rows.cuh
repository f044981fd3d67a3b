// Rows whose numbers follow an arithmetic formula.
#pragma once

#include <gdf/types.cuh>

namespace affine {

/// Row r of the result is row first + r / divisor * by_quotient + r % divisor * by_remainder of the table.
struct affine_rows {
  int64_t length; // number of rows of the result
  int64_t divisor; // from 1 to the length
  int64_t by_quotient;
  int64_t by_remainder;
  int64_t first;
};

/// The source of rows for copy_rows. If there are fewer than 2^32 rows, a multiplication replaces the division
/// (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994, figure 4.1).
struct source {
  affine_rows const& rows;
  bool narrow;
  uint32_t multiplier;
  int shift; // the number of bits of divisor - 1

  /// `multiplier` must be `multiplier_of(rows)`.
  GDF_DEVICE source(const affine_rows& rows, uint32_t multiplier)
    : rows(rows), narrow(is_narrow(rows)), multiplier(multiplier),
      shift(narrow ? 32 - __clz(static_cast<uint32_t>(rows.divisor) - 1) : 0) {}

  GDF_DEVICE explicit source(const affine_rows& rows) : source(rows, multiplier_of(rows)) {}

  GDF_DEVICE static bool is_narrow(const affine_rows& rows) {
    return rows.length <= 0xffffffffll && rows.divisor < rows.length && rows.divisor > 1;
  }

  GDF_DEVICE static uint32_t multiplier_of(const affine_rows& rows) {
    if (!is_narrow(rows)) { return 0; }
    auto const divisor = static_cast<uint32_t>(rows.divisor);
    int const shift = 32 - __clz(divisor - 1);
    return static_cast<uint32_t>((((1ull << shift) - divisor) << 32) / divisor) + 1;
  }

  struct place {
    int64_t row;
    int64_t remainder;
  };

  GDF_DEVICE place at(int64_t r) const {
    if (rows.divisor == rows.length) { return {rows.first + r * rows.by_remainder, r}; } // nothing to divide
    if (rows.divisor == 1) { return {rows.first + r * rows.by_quotient, 0}; }
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
    return {rows.first + quotient * rows.by_quotient + remainder * rows.by_remainder, remainder};
  }

  GDF_DEVICE place after(const place& before) const {
    int64_t const remainder = before.remainder + 1;
    if (remainder < rows.divisor) { return {before.row + rows.by_remainder, remainder}; }
    return {before.row + rows.by_quotient - before.remainder * rows.by_remainder, 0};
  }

  GDF_DEVICE int64_t operator[](int64_t r) const { return at(r).row; }

  /// [thread] Finds the input rows of some rows of the result. Rows that are not `active` get -1.
  template <int items>
  GDF_DEVICE void rows_at(const int64_t (&r)[items], const bool (&active)[items], int64_t (&row)[items],
                          bool&) const {
#pragma unroll
    for (int i = 0; i < items; i++) { row[i] = active[i] ? (*this)[r[i]] : -1; }
  }
};

} // namespace affine
