// Maps of row numbers, of gather and scatter: what a number stands for, and what becomes of those that are no rows.
#pragma once

#include <gdf/grid.cuh>
#include <gdf/index.cuh>
#include <gdf/last_block.cuh>

namespace gather {

/// What becomes of row numbers that the table does not have.
enum checks : int32_t {
  trust = 0,  // nothing: the caller says there are none
  null = 1,   // the row is null; in scatter it goes nowhere
  report = 2, // as `null`, and the first one is reported
};

/// The map: row r of the result is a row of the table, or null (-1).
struct gather_map {
  gdf::column_in const& column;
  gdf::index_reader index;
  int64_t rows; // of the table
  bool from_end;
  bool checked;

  GDF_DEVICE gather_map(const gdf::column_in& map, int64_t rows, int check)
    : column(map),
      index(map),
      rows(rows),
      from_end(map.type >= static_cast<int>(gdf::type::i8) &&
               map.type <= static_cast<int>(gdf::type::i64)),
      checked(check != trust) {}

  /// [thread] The table's row for a number of the map.
  GDF_DEVICE int64_t resolve(int64_t i) const { return from_end && i < 0 ? i + rows : i; }

  GDF_DEVICE bool has(int64_t row) const {
    return static_cast<gdf::u64>(row) < static_cast<gdf::u64>(rows);
  }

  /// [thread]
  GDF_DEVICE int64_t operator[](int64_t r) const {
    int64_t const row = resolve(index[r]);
    bool const usable = (!checked || has(row)) && gdf::is_valid(column, r);
    return usable ? row : -1;
  }
};

/// [block] All tiles of a block: remembers the first row of the result whose row number is out of
/// bounds, as ~row, in scratch->zeroed[0].
template <class tuning>
GDF_DEVICE void check_map(const gather_map& map, gdf::scratch* scratch) {
  gdf::u64 worst = 0;
  gdf::for_each_tile<tuning::threads, tuning::items>(map.column.length, [&](int64_t first, bool) {
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const r = gdf::row_of<tuning::threads>(first, i);
      if (r < map.column.length && !map.has(map.resolve(map.index[r])) &&
          gdf::is_valid(map.column, r)) {
        gdf::u64 const found = ~static_cast<gdf::u64>(r);
        if (found > worst) { worst = found; }
      }
    }
  });
  if (worst != 0) { atomicMax(&scratch->zeroed[0], worst); }
}

/// [thread] By one thread, after all blocks have checked the map: posts ~r and the number in row r of
/// the map; zeros if all are within bounds.
GDF_DEVICE void report_map(const gather_map& map, gdf::scratch* scratch,
                           unsigned long long* mailbox) {
  gdf::u64 const worst = atomicExch(&scratch->zeroed[0], 0ull);
  gdf::post(mailbox, worst);
  gdf::post(mailbox + 1,
            worst == 0 ? 0 : static_cast<gdf::u64>(map.index[static_cast<int64_t>(~worst)]));
}

} // namespace gather
