// Definitions that the kernels of join share.
#pragma once

#include <gdf/half.cuh>
#include <gdf/invalid_code.cuh>
#include <gdf/item_bits.cuh>
#include <gdf/key_table.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

GDF_POLICY(join_build, 1024, 4, 1);
GDF_POLICY(join_build_rows, 1024, 1, 1);
GDF_POLICY(join_probe, 256, 8, 4);
GDF_POLICY(join_probe_rows, 256, 8, 5);

// The kernels for packed keys and for other keys share the tiles of join_probe.
static_assert(join_probe_rows_tuning::threads == join_probe_tuning::threads &&
              join_probe_rows_tuning::items == join_probe_tuning::items);

namespace join {

using gdf::u64;

using probing = join_probe_tuning;
constexpr int tile = probing::tile; // rows whose matches are counted together

constexpr uint32_t no_match = ~0u; // stands for no match; grouped rows have smaller positions

/// The kind of a join, which determines the rows that it returns.
enum kind : int32_t {
  inner = 0,
  left = 1,
  semi = 2,
  anti = 3,
  unmatched = 4, // rows of the build side that no probe row has matched
};

/// Rows of the probe side that are looked up in a table of keys of the same types.
struct lookup {
  gdf::row_keys keys;
  gdf::key_table table;
  gdf::row_count rows;
  const uint32_t* grouped; // the rows of keys that have several rows
  int32_t kind;
  int32_t unused;
};

/// [thread] Returns the number of result rows of a row whose first match is `start`.
GDF_DEVICE u64 results_of(int32_t kind, uint32_t start, uint32_t matches) {
  switch (kind) {
    case left: return start == no_match ? 1 : matches;
    case semi: return start != no_match;
    case anti: return start == no_match;
    case inner:
    case unmatched: return start == no_match ? 0 : matches;
    default: return gdf::unreachable_code<u64>();
  }
}

/// Compares the word of a slot with the key of a row of another table.
template <bool packed>
struct same_word {
  gdf::row_keys const& keys;
  gdf::row_table<gdf::key_columns> const& build;
  gdf::key_probe const& probe;
  int64_t row;

  GDF_DEVICE bool operator()(u64 word) const {
    if constexpr (packed) {
      return word == probe.word;
    } else {
      return (word ^ probe.word) >> 32 == 0 &&
             gdf::rows_equal(keys.rows, row, build, static_cast<int64_t>(word & 0xffffffffull), true);
    }
  }
};

/// [thread] Returns whether a row with this first match can have several matches. In a table of indices in which some
/// key has several rows, the result is true for every match.
GDF_DEVICE bool has_several(uint32_t start) { return start != no_match && (start & gdf::grouped_flag) != 0; }

/// A bit for each value of a range. The bit is set if the key column of the build side has the value. The build side
/// has a single key column, without nulls. There are fewer than 2^32 - 1 bits. A probe side with nulls ignores the
/// bits.
struct key_bits {
  const uint32_t* words; // null if there are no bits
  u64 low;               // order number of the value of bit 0
  u64 count;             // the number of bits
};
static_assert(sizeof(key_bits) == 24);

/// Keys of the probe side that are a single column of integers of 32 or 64 bits without nulls. Each value of a range
/// has a place, which is an entry of a direct table, or a bit. Such keys have their own lookup, because the tests of
/// types and nulls that other keys need would take longer than the lookup.
struct plain_keys {
  const void* data; // the first row; null for other keys
  u64 first;        // the value of place 0
  u64 range;        // the number of values that have a place
  bool is_long;

  GDF_DEVICE plain_keys(const gdf::row_keys& keys, const gdf::key_table& table, const gdf::key_layout& layout)
    : plain_keys(keys, layout.entries != 0 ? table.direct : -1, layout.low, layout.entries - 1) {}

  /// Looks up keys among `count` consecutive values. The first of these values has the order number `low`. `type` is
  /// the type number of the column, or -1 if there are no such values.
  GDF_DEVICE plain_keys(const gdf::row_keys& keys, int32_t type, u64 low, u64 count)
    : data(nullptr), first(0), range(0), is_long(false) {
    gdf::column_in const& column = keys.rows.column[0];
    if (type < 0 || keys.rows.count != 1 || keys.ranged != 0 || column.validity != nullptr) { return; }
    int const width = gdf::width_of(column.type);
    if (width < 4) { return; }
    data = static_cast<const unsigned char*>(column.data) + column.offset * width;
    first = gdf::bits_of_order(type, low);
    range = count;
    is_long = width == 8;
  }

  /// [thread] Computes the entries of `items` keys.
  template <int items>
  GDF_DEVICE void find(const int64_t (&row)[items], const bool (&active)[items], uint32_t (&position)[items]) const {
    auto const find_by = [&]<class T>(T) {
      T value[items];
#pragma unroll
      for (int i = 0; i < items; i++) { value[i] = active[i] ? __ldcs(static_cast<const T*>(data) + row[i]) : T{0}; }
#pragma unroll
      for (int i = 0; i < items; i++) {
        T const index = value[i] - static_cast<T>(first);
        position[i] = active[i] && index < range ? static_cast<uint32_t>(index) : gdf::no_position;
      }
    };
    if (is_long) {
      find_by(0ull);
    } else {
      find_by(0u);
    }
  }
};

/// [thread] Computes the entries of `items` keys in a direct table.
template <int items>
GDF_DEVICE void find_entries(const gdf::row_keys& keys, const gdf::key_table& table, const gdf::key_layout& layout,
                             const int64_t (&row)[items], const bool (&active)[items], uint32_t (&position)[items]) {
  gdf::key_probe key[items];
  gdf::make_probes<true, true>(keys, row, active, key);
#pragma unroll
  for (int i = 0; i < items; i++) {
    position[i] = key[i].used ? gdf::entry_of(table, layout.low, layout.entries, key[i]) : gdf::no_position;
  }
}

/// [thread] Replaces positions of entries that have no key by no_position.
template <int items>
GDF_DEVICE void drop_absent(const uint32_t* present, uint32_t (&position)[items]) {
  uint32_t word[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    word[i] = position[i] != gdf::no_position ? __ldg(present + (position[i] >> 5)) : 0;
  }
#pragma unroll
  for (int i = 0; i < items; i++) {
    if ((word[i] >> (position[i] & 31) & 1) == 0) { position[i] = gdf::no_position; }
  }
}

/// [thread] Looks up the entries of a direct table at some positions.
template <int items>
GDF_DEVICE void look_up_entries(const gdf::key_table& table, const gdf::key_layout& layout, uint32_t (&position)[items],
                                uint32_t (&start)[items], uint32_t (&count)[items]) {
  auto const* const entries = gdf::entries_of(table);
  if (layout.marked) { drop_absent(table.present, position); }
#pragma unroll
  for (int i = 0; i < items; i++) {
    start[i] = position[i] != gdf::no_position ? __ldg(entries + position[i]) : no_match;
    count[i] = 1;
  }
  if (layout.duplicates) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (position[i] != gdf::no_position) {
        count[i] = __ldg(entries + position[i] + 1) - start[i];
        start[i] = count[i] == 0 ? no_match : start[i] | gdf::grouped_flag;
      }
    }
  }
}

/// [thread] Looks up `items` rows. `start` is the build row with the key, or no_match. If `start` has grouped_flag, it
/// is instead the position of the key's first row among the grouped rows. If there is a match, `count` is the number of
/// build rows with the key.
template <bool packed, int items>
GDF_DEVICE void look_up(const gdf::row_keys& keys, const gdf::row_table<gdf::key_columns>& build,
                        const gdf::key_table& table, const gdf::key_layout& layout, const int64_t (&row)[items],
                        const bool (&active)[items], uint32_t (&start)[items], uint32_t (&count)[items]) {
  if (packed && layout.entries != 0) {
    uint32_t position[items];
    find_entries(keys, table, layout, row, active, position);
    look_up_entries(table, layout, position, start, count);
  } else {
    gdf::key_probe key[items];
    gdf::make_probes<packed, packed>(keys, row, active, key);
    gdf::key_slot slot[items];
    gdf::find_keys(table, key, slot, [&](int i, u64 word) {
      return same_word<packed>{keys, build, key[i], row[i]}(word);
    });
#pragma unroll
    for (int i = 0; i < items; i++) {
      start[i] = slot[i].word != gdf::empty_word ? gdf::first_of(slot[i]) : no_match;
      count[i] = has_several(start[i]) ? slot[i].count : 1;
    }
  }
}

/// [thread] Returns match `number` of a row whose matches begin at `start`.
GDF_DEVICE uint32_t match_at(const uint32_t* grouped, uint32_t start, uint32_t number) {
  return has_several(start) ? __ldg(grouped + (start & ~gdf::grouped_flag) + number) : start;
}

/// The output of row numbers, 32 or 64 bits wide.
struct indices_out {
  void* first; // if null, the output is not wanted
  int32_t wide;
  int32_t unused;

  GDF_DEVICE void store(int64_t at, int64_t row) const {
    if (first == nullptr) { return; }
    if (wide) {
      static_cast<long long*>(first)[at] = row;
    } else {
      static_cast<int*>(first)[at] = static_cast<int>(row);
    }
  }

  /// Does the same as `store`, and leaves the L2 cache to the table of keys.
  GDF_DEVICE void stream(int64_t at, int64_t row) const {
    if (first == nullptr) { return; }
    if (wide) {
      __stcs(static_cast<long long*>(first) + at, static_cast<long long>(row));
    } else {
      __stcs(static_cast<int*>(first) + at, static_cast<int>(row));
    }
  }
};

/// The rows that take part, which are the rows for which a boolean column is true. If `mask.data` is null, all rows
/// take part.
struct selected_rows {
  gdf::column_in mask;

  /// [warp] Returns the rows that take part: bit i is set if the row base + 32 i + lane takes part.
  template <int items>
  GDF_DEVICE uint32_t bits(int64_t base, int64_t rows) const {
    if (mask.data == nullptr) { return gdf::low_bits((rows - base - gdf::lane() + 31) >> 5); }
    uint32_t const values = gdf::boolean_items<items>(mask, base, rows);
    return mask.validity == nullptr ? values : values & gdf::valid_items<items>(mask, base, rows);
  }
};
static_assert(sizeof(selected_rows) == 48);

} // namespace join
