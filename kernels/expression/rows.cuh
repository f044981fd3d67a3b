// The rows for which a program runs, and the way in which steps read columns.
#pragma once

#include <gdf/item_bits.cuh>
#include <gdf/text_prefix.cuh>

#include "program.cuh"

namespace expression {

/// A text of at most 16 bytes. The bytes after its end are zero.
struct text_test {
  gdf::u64 low;
  gdf::u64 high;
  int64_t size;
  bool prefix; // whether a row need only begin with the text
};

/// [thread] Returns a bit for each of the `wanted` rows of the thread. The function is not inlined, because its code
/// would take registers from the other steps.
template <int items, class Row>
static __device__ __noinline__ uint32_t test_texts(const gdf::column_in& column, int64_t rows, Row row, uint32_t wanted,
                                                   text_test test) {
  bool const wide = (column.flags & gdf::wide_offsets) != 0;
  int64_t const bytes = gdf::load_offset(column.offsets, wide, column.offset + rows);
  uint32_t truth = 0;
#pragma unroll 2
  for (int i = 0; i < items; i++) {
    if ((wanted >> i & 1) == 0) { continue; }
    int64_t const at = column.offset + row(i);
    gdf::extent e = {gdf::load_offset(column.offsets, wide, at), gdf::load_offset(column.offsets, wide, at + 1)};
    if (test.prefix ? e.size() < test.size : e.size() != test.size) { continue; }
    e.end = e.begin + test.size;
    gdf::extent const one[1] = {e};
    gdf::text_prefix<4> begin[1];
    gdf::load_prefixes<4, 1>(static_cast<const uint8_t*>(column.data), bytes, one, begin);
    truth |= (begin[0].pair(0) == test.low && begin[0].pair(1) == test.high ? 1u : 0u) << i;
  }
  return truth;
}

/// Consecutive rows of a table. Row i of a thread is base + 32 i + lane.
template <int items_>
struct table_rows {
  static constexpr int items = items_;
  const gdf::column_in* columns;
  int64_t base; // the first row of the warp
  int64_t count;

  struct number {
    int64_t first;
    GDF_DEVICE int64_t operator()(int i) const { return first + 32 * i; }
  };

  GDF_DEVICE const gdf::column_in& column(const step& s) const { return columns[s.code]; }
  GDF_DEVICE number row(const step&) const { return {base + gdf::lane()}; }
  GDF_DEVICE int64_t limit(const step&) const { return count; }

  /// [warp] Returns the validity of the thread's rows of a column. Without a mask, all bits are set, even for rows past
  /// the end.
  GDF_DEVICE uint32_t valid(const step& s) const {
    auto const& in = column(s);
    return in.validity == nullptr ? ~0u : gdf::valid_items<items>(in, base, count);
  }

  GDF_DEVICE uint32_t truth(const step& s) const { return gdf::boolean_items<items>(column(s), base, count); }

  /// [thread] Loads the values of the `wanted` rows. The values of other rows are zero.
  template <class S>
  GDF_DEVICE void load(const step& s, uint32_t wanted, S (&value)[items]) const {
    gdf::values<S> const stored(column(s));
    number const at = row(s);
#pragma unroll
    for (int i = 0; i < items; i++) { value[i] = (wanted >> i & 1) != 0 ? stored[at(i)] : S{}; }
  }
};

/// Rows of a table whose numbers are in a list in shared memory. Row i of a thread is list[32 i + lane].
template <int items_>
struct listed_rows {
  static constexpr int items = items_;
  const gdf::column_in* columns;
  const int64_t* list;
  int64_t count;

  struct number {
    const int64_t* list;
    GDF_DEVICE int64_t operator()(int i) const { return list[32 * i + gdf::lane()]; }
  };

  GDF_DEVICE const gdf::column_in& column(const step& s) const { return columns[s.code]; }
  GDF_DEVICE number row(const step&) const { return {list}; }
  GDF_DEVICE int64_t limit(const step&) const { return count; }

  /// [thread] Returns the validity of the thread's rows of a column.
  GDF_DEVICE uint32_t valid(const step& s) const {
    auto const& in = column(s);
    if (in.validity == nullptr) { return ~0u; }
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < items; i++) { bits |= (gdf::is_valid(in, row(s)(i)) ? 1u : 0u) << i; }
    return bits;
  }

  GDF_DEVICE uint32_t truth(const step& s) const {
    uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < items; i++) { bits |= (gdf::boolean_word(column(s), row(s)(i), count) & 1) << i; }
    return bits;
  }

  /// [thread] Loads the values of the `wanted` rows. The values of other rows are zero.
  template <class S>
  GDF_DEVICE void load(const step& s, uint32_t wanted, S (&value)[items]) const {
    gdf::values<S> const stored(column(s));
    number const at = row(s);
#pragma unroll
    for (int i = 0; i < items; i++) { value[i] = (wanted >> i & 1) != 0 ? stored[at(i)] : S{}; }
  }
};

/// Pairs of a few left rows and up to 32 x items consecutive right rows. Item i of a thread is a pair of two rows: the
/// left row left + (i >> shift), and the right row right + 32 (i modulo 2^shift) + lane.
template <int items_>
struct pair_rows {
  static constexpr int items = items_;
  const gdf::column_in* columns;
  uint32_t left_columns; // a bit for each column that belongs to the left table
  int shift;
  int64_t left;
  int64_t right;
  int64_t left_count; // the rows of the left table
  int64_t right_count;

  struct number {
    int64_t first;
    int shift;
    bool of_left;
    GDF_DEVICE int64_t operator()(int i) const {
      return of_left ? first + (i >> shift) : first + 32 * (i & ((1 << shift) - 1));
    }
  };

  GDF_DEVICE bool is_left(const step& s) const { return (left_columns >> s.code & 1) != 0; }
  GDF_DEVICE const gdf::column_in& column(const step& s) const { return columns[s.code]; }
  GDF_DEVICE number row(const step& s) const {
    bool const of_left = is_left(s);
    return {of_left ? left : right + gdf::lane(), shift, of_left};
  }
  GDF_DEVICE int64_t limit(const step& s) const { return is_left(s) ? left_count : right_count; }

  /// [warp] Returns a bit for each item of the thread.
  template <class Bit, class Word>
  GDF_DEVICE uint32_t collected(const step& s, Bit&& bit, Word&& word) const {
    bool const of_left = is_left(s);
    int const i = gdf::lane(); // the item whose word this lane has
    int64_t const mine = of_left ? left + (i >> shift) : right + 32 * (i & ((1 << shift) - 1));
    uint32_t bits = 0;
    if (i < items && mine < (of_left ? left_count : right_count)) { bits = of_left ? (bit(mine) ? ~0u : 0u) : word(mine); }
    return gdf::item_bits<items>(bits);
  }

  /// [warp] Returns the validity of the thread's items of a column. Without a mask, all bits are set, even for items
  /// past the end.
  GDF_DEVICE uint32_t valid(const step& s) const {
    auto const& in = column(s);
    if (in.validity == nullptr) { return ~0u; }
    return collected(
      s, [&](int64_t row) { return (gdf::valid_word(in, row, left_count) & 1) != 0; },
      [&](int64_t row) { return gdf::valid_word(in, row, right_count); });
  }

  GDF_DEVICE uint32_t truth(const step& s) const {
    auto const& in = column(s);
    return collected(
      s, [&](int64_t row) { return (gdf::boolean_word(in, row, left_count) & 1) != 0; },
      [&](int64_t row) { return gdf::boolean_word(in, row, right_count); });
  }

  /// [thread] Loads the values of the `wanted` items.
  template <class S>
  GDF_DEVICE void load(const step& s, uint32_t wanted, S (&value)[items]) const {
    gdf::values<S> const stored(column(s));
    number const at = row(s);
#pragma unroll
    for (int i = 0; i < items; i++) { value[i] = (wanted >> i & 1) != 0 ? stored[at(i)] : S{}; }
  }
};

} // namespace expression
