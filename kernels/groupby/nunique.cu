// groupby::aggregate: counts the distinct values of each group by a set in global memory. If the values are integers in
// a range of 32 bits, an element of the set combines the number of a group with a value. Otherwise an element is a row,
// and any two rows of the set differ in key or value. Each element that is inserted adds one to the count of its group.

#include <gdf/grid.cuh>
#include <gdf/group_table.cuh>
#include <gdf/half.cuh>
#include <gdf/policy.cuh>

#include "accumulate.cuh"

GDF_POLICY(nunique, 256, 4, 3);

namespace groupby {

/// A set of words. A word combines the number of a group with an integer, or the upper half of a row's hash with the
/// row number.
struct row_set {
  unsigned long long* slots;
  u64 mask;
};

/// [thread] Inserts a row into the set, or returns false if the set has an equal row.
GDF_DEVICE bool insert_row(const row_set& set, const gdf::row_keys& keys, const gdf::column_in& values,
                           int64_t bytes, u64 hash, int64_t row, bool valid) {
  u64 const word = hash & ~0xffffffffull | static_cast<u64>(row);
  u64 at = hash & set.mask;
  for (u64 probes = 0; probes <= set.mask; probes++) {
    u64 found = *static_cast<const volatile unsigned long long*>(set.slots + at);
    if (found == gdf::empty_word) {
      found = atomicCAS(set.slots + at, gdf::empty_word, word);
      if (found == gdf::empty_word) { return true; }
    }
    if ((found ^ word) >> 32 == 0) {
      auto const other = static_cast<int64_t>(found & 0xffffffffull);
      bool const other_valid = gdf::is_valid(values, other);
      if (valid == other_valid && same_keys(keys, row, other) &&
          (!valid || gdf::values_equal(values, row, bytes, values, other, bytes))) {
        return false;
      }
    }
    at = (at + 1) & set.mask;
  }
  return false; // not reached: there are more slots than rows
}

/// [thread] Inserts a word into the set, or returns false if the set has the word.
GDF_DEVICE bool insert_word(const row_set& set, u64 word) {
  u64 at = gdf::combine_hash(word, 0) & set.mask;
  for (u64 probes = 0; probes <= set.mask; probes++) {
    u64 found = *static_cast<const volatile unsigned long long*>(set.slots + at);
    if (found == gdf::empty_word) {
      found = atomicCAS(set.slots + at, gdf::empty_word, word);
      if (found == gdf::empty_word) { return true; }
    }
    if (found == word) { return false; }
    at = (at + 1) & set.mask;
  }
  return false; // not reached: there are more slots than rows
}

/// [thread] Returns the number of the group of a row.
template <bool packed>
GDF_DEVICE uint32_t group_of(const gdf::row_keys& keys, const gdf::group_table& table, int64_t r) {
  int64_t const row[1] = {r};
  bool const active[1] = {true};
  gdf::key_probe probe[1];
  gdf::make_probes<packed>(keys, row, active, probe);
  return gdf::find_or_insert(table, probe[0], r, gdf::same_word<packed>{keys, probe[0], r});
}

/// The range of integers. `low` is the order number of the smallest value. If `is_known` is 0, the values are not
/// integers of a range of 32 bits.
struct value_range {
  u64 low;
  int32_t is_known;
  int32_t unused;
};

template <bool packed>
GDF_DEVICE void count_distinct_integers(const gdf::row_keys& keys, const gdf::column_in& values, bool nulls,
                                        const value_range& range, int64_t rows, const gdf::group_table& table,
                                        const row_set& set, unsigned long long* counts) {
  gdf::for_each_index(rows, [&](int64_t r) {
    bool const valid = gdf::is_valid(values, r);
    if (!valid && !nulls) { return; }
    bool has_null = false;
    if (keys.exclude) { hash_keys(keys, r, has_null); }
    if (has_null) { return; }
    uint32_t const id = group_of<packed>(keys, table, r);
    if (id >= gdf::lost_id) { return; }
    int64_t const row[1] = {r};
    bool const active[1] = {true};
    u64 value[1];
    gdf::load_bits(values, row, active, value);
    // A group number has 31 bits. The bit between the group and the value is set for a null.
    u64 const number = valid ? gdf::order_of_bits(values.type, value[0]) - range.low : 1ull << 32;
    if (insert_word(set, static_cast<u64>(id) << 33 | number)) { atomicAdd(counts + id, 1ull); }
  });
}

template <bool packed>
GDF_DEVICE void count_distinct(const gdf::row_keys& keys, const gdf::column_in& values, int64_t bytes,
                               bool nulls, const value_range& range, int64_t rows, const gdf::group_table& table,
                               const row_set& set, unsigned long long* counts) {
  if (table.state->overflow != 0) { return; }
  if (range.is_known != 0) {
    count_distinct_integers<packed>(keys, values, nulls, range, rows, table, set, counts);
    return;
  }
  gdf::for_each_index(rows, [&](int64_t r) {
    bool const valid = gdf::is_valid(values, r);
    if (!valid && !nulls) { return; }
    bool has_null;
    u64 const key = hash_keys(keys, r, has_null);
    if (has_null && keys.exclude) { return; }
    u64 const hash = gdf::combine_hash(key, valid ? gdf::hash_value(values, r, bytes) : 1);
    if (!insert_row(set, keys, values, bytes, hash, r, valid)) { return; }
    uint32_t const id = group_of<packed>(keys, table, r);
    if (id < gdf::lost_id) { atomicAdd(counts + id, 1ull); }
  });
}

} // namespace groupby

extern "C" __global__ void GDF_BOUNDS(nunique) nunique_init_kernel(groupby::row_set set) {
  gdf::for_each_index(static_cast<int64_t>(set.mask) + 1,
                      [&](int64_t i) { set.slots[i] = gdf::empty_word; });
}

/// Sets counts[group] to the number of distinct values of each group. If `nulls` is not 0, null counts as a value. The
/// set must be empty and have more slots than there are rows. The table contains all groups, and the counts must be 0.
extern "C" __global__ void GDF_BOUNDS(nunique) GDF_VARIANT(nunique, packed)
nunique_packed_kernel(const __grid_constant__ gdf::row_keys keys,
                      const __grid_constant__ gdf::column_in values, gdf::byte_count bytes, int nulls,
                      groupby::value_range range, gdf::row_count rows, gdf::group_table table, groupby::row_set set,
                      unsigned long long* counts) {
  groupby::count_distinct<true>(keys, values, bytes, nulls != 0, range, rows, table, set, counts);
}

/// Does the same as nunique_packed_kernel, for keys that do not pack.
extern "C" __global__ void GDF_BOUNDS(nunique) GDF_VARIANT(nunique, rows)
nunique_rows_kernel(const __grid_constant__ gdf::row_keys keys,
                    const __grid_constant__ gdf::column_in values, gdf::byte_count bytes, int nulls,
                    groupby::value_range range, gdf::row_count rows, gdf::group_table table, groupby::row_set set,
                    unsigned long long* counts) {
  groupby::count_distinct<false>(keys, values, bytes, nulls != 0, range, rows, table, set, counts);
}
