// What the kernels of groupby share: how a row's key becomes a probe of the table of groups.
#pragma once

#include <gdf/group_table.cuh>
#include <gdf/half.cuh>
#include <gdf/policy.cuh>

namespace groupby {

using gdf::u64;

constexpr int key_columns = 32;
constexpr int value_columns = 16;
constexpr int no_bit = 255;

/// The key columns, and how a row of them packs into 64 bits if that is possible: column c's bits from
/// bit shift[c] on, and a bit null_bit[c] that is set where it is null.
struct keys {
  gdf::row_table<key_columns> rows;
  uint8_t shift[key_columns];
  uint8_t null_bit[key_columns];
  int32_t exclude;      // rows with a null take no part
  int32_t special_null; // the only column takes all 64 bits: a null is special 2
};
static_assert(sizeof(keys) == 1872);

/// [thread] Equal keys? Two nulls are.
static __device__ __noinline__ bool same_keys(const keys& keys, int64_t i, int64_t j) {
  return i == j || gdf::rows_equal(keys.rows, i, keys.rows, j, true);
}

static __device__ __noinline__ u64 hash_keys(const keys& keys, int64_t row, bool& has_null) {
  return gdf::hash_row(keys.rows, row, has_null);
}

/// [thread] Bits of the values of `items` rows of a boolean column or one of up to eight bytes, the
/// loads in flight together; zero where not wanted.
template <int items>
GDF_DEVICE void load_bits(const gdf::column_in& column, const int64_t (&row)[items],
                          const bool (&wanted)[items], u64 (&bits)[items]) {
  if (column.type == static_cast<int32_t>(gdf::type::boolean)) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      bits[i] = wanted[i] && gdf::get_bit(column.data, column.offset + row[i]);
    }
    return;
  }
  auto const load = [&]<class T>(T) {
    auto const* const first = static_cast<const T*>(column.data) + column.offset;
#pragma unroll
    for (int i = 0; i < items; i++) { bits[i] = wanted[i] ? __ldcs(first + row[i]) : T{0}; }
  };
  switch (gdf::width_of(column.type)) {
    case 1: load(static_cast<unsigned char>(0)); break;
    case 2: load(static_cast<unsigned short>(0)); break;
    case 4: load(0u); break;
    default: load(0ull); break;
  }
}

/// [thread] The probes of `items` rows; unused where not wanted.
template <bool packed, int items>
GDF_DEVICE void make_probes(const keys& keys, const int64_t (&row)[items],
                            const bool (&wanted)[items], gdf::group_probe (&probe)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) { probe[i] = {0, 0, 0, wanted[i]}; }
  if constexpr (packed) {
    for (int c = 0; c < keys.rows.count; c++) {
      gdf::column_in const& column = keys.rows.column[c];
      u64 bits[items];
      load_bits(column, row, wanted, bits);
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (column.validity == nullptr || !wanted[i] || gdf::is_valid(column, row[i])) {
          probe[i].word |= gdf::canonical_bits(column.type, bits[i]) << keys.shift[c];
        } else if (keys.exclude) {
          probe[i].used = false;
        } else if (keys.special_null) {
          probe[i].special = 2;
        } else {
          probe[i].word |= 1ull << keys.null_bit[c];
        }
      }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (probe[i].word == gdf::empty_word) { probe[i].special = 1; }
      probe[i].hash = gdf::mix64(probe[i].word);
    }
  } else {
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (!wanted[i]) { continue; }
      bool has_null;
      u64 const hash = hash_keys(keys, row[i], has_null);
      probe[i].used = !(has_null && keys.exclude);
      probe[i].hash = hash;
      probe[i].word = hash & ~0xffffffffull | static_cast<u64>(row[i]);
    }
  }
}

/// Whether a slot's word is that of a probe's key.
template <bool packed>
struct same_word {
  keys const& keys;
  gdf::group_probe const& probe;
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

} // namespace groupby
