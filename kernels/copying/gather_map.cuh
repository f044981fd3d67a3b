// Maps of row numbers for gather and scatter.
#pragma once

#include <gdf/grid.cuh>
#include <gdf/index.cuh>
#include <gdf/last_block.cuh>

namespace gather {

/// The treatment of row numbers that are out of bounds.
enum checks : int32_t {
  trust = 0,  // no check: the caller guarantees that all numbers are in range
  null = 1,   // the row of the result is null; scatter skips the row
  report = 2, // the same as `null`, and the first such element is reported
};

/// A map. For each row of the result, the map gives a row of the table, or -1 if the row of the result is null.
struct gather_map {
  gdf::column_in const& column;
  gdf::index_reader index;
  int64_t rows; // number of rows of the table
  bool from_end;
  bool checked;

  GDF_DEVICE gather_map(const gdf::column_in& map, int64_t rows, int check)
    : column(map),
      index(map),
      rows(rows),
      from_end(map.type >= static_cast<int>(gdf::type::i8) &&
               map.type <= static_cast<int>(gdf::type::i64)),
      checked(check != trust) {}

  GDF_DEVICE int64_t resolve(int64_t i) const { return from_end && i < 0 ? i + rows : i; }

  GDF_DEVICE bool has(int64_t row) const {
    return static_cast<gdf::u64>(row) < static_cast<gdf::u64>(rows);
  }

  /// [thread] Resolves a single row. Code whose speed matters calls `rows_at`.
  GDF_DEVICE int64_t operator[](int64_t r) const {
    int64_t const row = resolve(index[r]);
    bool const usable = (!checked || has(row)) && gdf::is_valid(column, r);
    return usable ? row : -1;
  }

  /// [thread] Finds the rows of the table for the rows `r` of the map. Rows that are not `active`, and elements that
  /// stand for no row, get -1. `refused` becomes true if an element is out of bounds and not null, unless `check` is
  /// `trust`.
  template <int items>
  GDF_DEVICE void rows_at(const int64_t (&r)[items], const bool (&active)[items], int64_t (&row)[items],
                          bool& refused) const {
    auto const read = [&]<class T>(T) {
      auto const* const first = static_cast<const T*>(column.data) + column.offset;
      T number[items];
#pragma unroll
      for (int i = 0; i < items; i++) { number[i] = active[i] ? __ldcs(first + r[i]) : T{0}; }
#pragma unroll
      for (int i = 0; i < items; i++) { row[i] = static_cast<int64_t>(number[i]); }
    };
    switch (static_cast<gdf::type>(column.type)) {
      case gdf::type::i8: read(static_cast<signed char>(0)); break;
      case gdf::type::i16: read(static_cast<short>(0)); break;
      case gdf::type::i32: read(0); break;
      case gdf::type::u8: read(static_cast<unsigned char>(0)); break;
      case gdf::type::u16: read(static_cast<unsigned short>(0)); break;
      case gdf::type::u32: read(0u); break;
      default: read(0ll); break;
    }
    bool usable[items];
#pragma unroll
    for (int i = 0; i < items; i++) { usable[i] = active[i]; }
    if (column.validity != nullptr) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        usable[i] = active[i] && gdf::get_bit(column.validity, column.offset + r[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const found = resolve(row[i]);
      bool const outside = checked && !has(found);
      refused |= usable[i] & outside;
      row[i] = usable[i] & !outside ? found : -1;
    }
  }
};

/// [thread] Reports to the host that the map has an element that is out of bounds. The host then launches
/// `gather_check_kernel` to find the first such element.
GDF_DEVICE void refuse(unsigned long long* mailbox) {
  *static_cast<volatile unsigned long long*>(mailbox) = 1;
}

} // namespace gather
