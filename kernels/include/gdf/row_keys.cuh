// Converts the keys of rows, which have up to 32 columns, to probes of hash tables.
#pragma once

#include "row_equal.cuh"

namespace gdf {

constexpr int key_columns = 32;
constexpr int no_bit = 255;
constexpr int32_t exclude_nulls = 1;
constexpr int32_t exclude_nans = 2;

/// A word that no slot holds.
constexpr u64 empty_word = ~0ull;

/// The key of a row that is inserted into a table or looked up in a table.
struct key_probe {
  u64 word;        // the key if it fits in 64 bits; otherwise half a hash, with the row in the lower half
  u64 hash;
  int32_t special; // 1: the word would be empty_word; 2: a null that has no bit of its own
  bool used;       // false: the row takes no part
};

/// The key columns, and the packing of a row into 64 bits if the key fits. The bits of column c begin at bit shift[c].
/// Bit null_bit[c] is set if the value of column c is null.
struct row_keys {
  row_table<key_columns> rows;
  uint8_t shift[key_columns];
  uint8_t null_bit[key_columns];
  uint8_t width[key_columns]; // for a ranged column, the number of bits of the distance from `base`
  int32_t exclude;      // which rows take no part: exclude_nulls, exclude_nans
  int32_t special_null; // whether the only column takes all 64 bits, so that a null has `special` 2
  u64 base[key_columns]; // for a ranged column, the number that is subtracted from the order numbers of values
  uint32_t ranged;       // a bit per column: whether the key has the distance from `base` in place of the value
  uint32_t unused;
};
static_assert(sizeof(row_keys) == 2168);

/// [thread] Returns whether rows i and j have equal keys. Two nulls are equal.
static __device__ __noinline__ bool same_keys(const row_keys& keys, int64_t i, int64_t j) {
  return i == j || rows_equal(keys.rows, i, keys.rows, j, true);
}

static __device__ __noinline__ u64 hash_keys(const row_keys& keys, int64_t row, bool& has_null) {
  return hash_row(keys.rows, row, has_null);
}

static __device__ __noinline__ bool has_nan(const row_table<key_columns>& rows, int64_t row) {
  for (int c = 0; c < rows.count; c++) {
    column_in const& column = rows.column[c];
    switch (static_cast<type>(column.type)) {
      case type::f16:
      case type::f32:
      case type::f64:
        if (is_valid(column, row) &&
            is_canonical_nan(column.type, canonical_bits(column.type, bits_of(column, row)))) {
          return true;
        }
        break;
      default: break;
    }
  }
  return false;
}

/// [thread] Loads the bits of the values of `items` rows of a column. The column must be boolean or have up to eight
/// bytes per row.
template <int items>
GDF_DEVICE void load_bits(const column_in& column, const int64_t (&row)[items],
                          const bool (&active)[items], u64 (&bits)[items]) {
  if (column.type == static_cast<int32_t>(type::boolean)) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      bits[i] = active[i] && get_bit(column.data, column.offset + row[i]);
    }
    return;
  }
  auto const load = [&]<class T>(T) {
    auto const* const first = static_cast<const T*>(column.data) + column.offset;
#pragma unroll
    for (int i = 0; i < items; i++) { bits[i] = active[i] ? __ldcs(first + row[i]) : T{0}; }
  };
  switch (width_of(column.type)) {
    case 1: load(static_cast<unsigned char>(0)); break;
    case 2: load(static_cast<unsigned short>(0)); break;
    case 4: load(0u); break;
    default: load(0ull); break;
  }
}

/// [thread] Makes the probes of `items` rows.
///
/// With `foreign`, the rows are looked up in a table of other rows.
template <bool packed, bool foreign = false, int items>
GDF_DEVICE void make_probes(const row_keys& keys, const int64_t (&row)[items],
                            const bool (&active)[items], key_probe (&probe)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) { probe[i] = {0, 0, 0, active[i]}; }
  if constexpr (packed) {
    for (int c = 0; c < keys.rows.count; c++) {
      column_in const& column = keys.rows.column[c];
      u64 bits[items];
      load_bits(column, row, active, bits);
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (column.validity == nullptr || !active[i] || is_valid(column, row[i])) {
          u64 value = canonical_bits(column.type, bits[i]);
          if (keys.exclude & exclude_nans && is_canonical_nan(column.type, value)) { probe[i].used = false; }
          if (keys.ranged >> c & 1) {
            value = order_of_bits(column.type, value) - keys.base[c];
            if (foreign && keys.width[c] < 64 && value >> keys.width[c] != 0) { probe[i].used = false; }
          }
          probe[i].word |= value << keys.shift[c];
        } else if (keys.exclude & exclude_nulls) {
          probe[i].used = false;
        } else if (keys.special_null) {
          probe[i].special = 2;
        } else if (keys.null_bit[c] != no_bit) {
          probe[i].word |= 1ull << keys.null_bit[c];
        } else { // the table has no key with a null
          probe[i].used = false;
        }
      }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (probe[i].word == empty_word) { probe[i].special = 1; }
      probe[i].hash = mix64(probe[i].word);
    }
  } else {
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (!active[i]) { continue; }
      bool has_null;
      // For a single row, hash_row is inlined, so that the descriptors of the columns are loaded quickly.
      u64 const hash =
        items == 1 ? hash_row(keys.rows, row[i], has_null) : hash_keys(keys, row[i], has_null);
      probe[i].used = !(has_null && keys.exclude & exclude_nulls) &&
                      !(keys.exclude & exclude_nans && has_nan(keys.rows, row[i]));
      probe[i].hash = hash;
      // The row number of a left side may have more than 32 bits. No code reads the row number of such a probe.
      probe[i].word = hash & ~0xffffffffull | static_cast<uint32_t>(row[i]);
    }
  }
}

/// Compares the word of a slot with the key of a probe.
template <bool packed>
struct same_word {
  row_keys const& keys;
  key_probe const& probe;
  int64_t row;

  GDF_DEVICE bool operator()(u64 word) const {
    if constexpr (packed) {
      return word == probe.word;
    } else {
      return (word ^ probe.word) >> 32 == 0 &&
             same_keys(keys, row, static_cast<int64_t>(word & 0xffffffffull));
    }
  }
};

} // namespace gdf
