// Hashes of rows of several columns by a published function (hash_functions.cuh), with the rules of libcudf. Each
// element is hashed separately, from its bytes. For hash tables in memory, row_hash.cuh is faster.
#pragma once

#include "hash_functions.cuh"
#include "move_strings.cuh"
#include "row_hash.cuh"

namespace gdf {

/// How the elements of a column are read. A positive number is a width in bytes (1, 2, 4, 8, 16, 32).
enum hashed_kind : int32_t {
  hashed_bits = 0,
  hashed_strings = -1,    // offsets and bytes
  hashed_bytes = -2,      // rows of `bytes` bytes at any alignment
  hashed_dictionary = -3, // column.type is the type of the keys; the values are the column in slot `values`
  hashed_nothing = -4,    // all rows are null
};

struct hashed_column {
  column_in column;
  byte_count bytes; // hashed_strings: length of the character buffer; hashed_bytes: width of a row
  int32_t kind;   // a hashed_kind, or the width of a row
  int32_t values; // hashed_dictionary: the slot of the column with the values
};
static_assert(sizeof(hashed_column) == 64);

/// Columns whose rows are hashed. Kernels take the struct by value.
///
/// The values of dictionaries are columns after the first `count` columns.
template <int n>
struct hashed_table {
  hashed_column column[n];
  int32_t count;  // number of columns that rows consist of
  int32_t narrow; // not 0 if each of these columns has booleans or up to 8 bytes per row
};
static_assert(sizeof(hashed_table<32>) == 2056);

/// [thread] Returns the bits of a value.
template <bool one_zero>
GDF_DEVICE u64 hashed_bits_of(int32_t type, u64 bits) {
  u64 const one = canonical_bits(type, bits);
  return one_zero || one != 0 ? one : bits;
}

namespace hash_detail {

template <class F, class T>
GDF_DEVICE typename F::value hash_narrow(int32_t type, T bits, typename F::seed seed) {
  if constexpr (F::of_numbers) { return F::number(type, bits); }
  return F::hash(register_bytes<sizeof(T)>{{hashed_bits_of<F::one_zero>(type, bits)}}, seed);
}

/// The hash of an element that is not null and does not belong to a dictionary.
template <class F>
GDF_DEVICE typename F::value hash_plain(const hashed_column& c, int64_t row,
                                        typename F::seed seed) {
  column_in const& column = c.column;
  switch (c.kind) {
    case hashed_bits:
      return hash_narrow<F>(column.type, static_cast<uint8_t>(element<bool>(column, row)), seed);
    case 1: return hash_narrow<F>(column.type, element<uint8_t>(column, row), seed);
    case 2: return hash_narrow<F>(column.type, element<uint16_t>(column, row), seed);
    case 4: return hash_narrow<F>(column.type, element<uint32_t>(column, row), seed);
    case 8: return hash_narrow<F>(column.type, element<u64>(column, row), seed);
    case 16: {
      auto const value = element<bits128>(column, row);
      return F::hash(register_bytes<16>{{value.word[0], value.word[1]}}, seed);
    }
    case 32: {
      auto const value = element<i256>(column, row);
      return F::hash(
        register_bytes<32>{{value.word[0], value.word[1], value.word[2], value.word[3]}}, seed);
    }
    case hashed_strings: return F::hash(memory_bytes{string_within(column, row, c.bytes)}, seed);
    case hashed_bytes: {
      auto const* const data = static_cast<const uint8_t*>(column.data);
      return F::hash(memory_bytes{{data + index_of(column, row) * c.bytes, c.bytes}}, seed);
    }
    default: return F::null();
  }
}

/// Computes the hash of an element of column `i`.
template <class F, int n>
GDF_DEVICE typename F::value hash_element(const hashed_table<n>& table, int i, int64_t row,
                                          typename F::seed seed) {
  if (table.column[i].kind == hashed_nothing || !is_valid(table.column[i].column, row)) {
    return F::null();
  }
  if (table.column[i].kind == hashed_dictionary) {
    row = index_reader(table.column[i].column)[row];
    i = table.column[i].values;
    // A key that refers to no value is hashed like a null, so that nothing past the end is read.
    if (row < 0 || row >= table.column[i].column.length ||
        !is_valid(table.column[i].column, row)) {
      return F::null();
    }
  }
  return hash_plain<F>(table.column[i], row, seed);
}

/// Updates the hashes of `items` rows of a thread by the values of a column of T.
template <class F, class T, int threads, int items>
GDF_DEVICE void hash_column(const column_in& column, int64_t first, int64_t rows,
                            typename F::seed seed, bool begun, typename F::value (&state)[items]) {
  T bits[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    int64_t const row = first + int64_t{i} * threads + threadIdx.x;
    bits[i] = load(static_cast<const T*>(column.data) + index_of(column, row < rows ? row : rows - 1));
  }
#pragma unroll
  for (int i = 0; i < items; i++) {
    int64_t const row = first + int64_t{i} * threads + threadIdx.x;
    bool valid = true;
    if (column.validity != nullptr) { valid = row < rows && is_valid(column, row); }
    auto const own = begun ? F::seed_after(state[i], seed) : seed;
    auto const h = valid ? hash_narrow<F>(column.type, bits[i], own) : F::null();
    state[i] = begun ? F::combine(state[i], h) : h;
  }
}

template <class F, int threads, int items>
GDF_DEVICE void hash_booleans(const column_in& column, int64_t first, int64_t rows,
                              typename F::seed seed, bool begun,
                              typename F::value (&state)[items]) {
#pragma unroll
  for (int i = 0; i < items; i++) {
    int64_t const row = first + int64_t{i} * threads + threadIdx.x;
    bool const valid = row < rows && is_valid(column, row);
    uint8_t const bit = valid && element<bool>(column, row);
    auto const own = begun ? F::seed_after(state[i], seed) : seed;
    auto const h = valid ? hash_narrow<F>(column.type, bit, own) : F::null();
    state[i] = begun ? F::combine(state[i], h) : h;
  }
}

} // namespace hash_detail

/// [thread] Returns the hash of a row. With `begun`, the hash continues `state`, which is the hash of previous columns.
template <class F, int n>
GDF_DEVICE typename F::value hash_table_row(const hashed_table<n>& table, int64_t row,
                                            typename F::seed seed, bool begun,
                                            typename F::value state) {
  for (int c = 0; c < table.count; c++) {
    auto const own = begun ? F::seed_after(state, seed) : seed;
    auto const h = hash_detail::hash_element<F>(table, c, row, own);
    state = begun ? F::combine(state, h) : h;
    begun = true;
  }
  return state;
}

/// [thread] Does the same as hash_table_row, for the rows first + i * threads + threadIdx.x of a table that is
/// `narrow`.
///
/// The loads of these rows are in flight together.
template <class F, int threads, int n, int items>
GDF_DEVICE void hash_narrow_rows(const hashed_table<n>& table, int64_t first, int64_t rows,
                                 typename F::seed seed, bool begun,
                                 typename F::value (&state)[items]) {
  namespace detail = hash_detail;
  for (int c = 0; c < table.count; c++) {
    column_in const& column = table.column[c].column;
    switch (table.column[c].kind) {
      case hashed_bits:
        detail::hash_booleans<F, threads>(column, first, rows, seed, begun, state);
        break;
      case 1:
        detail::hash_column<F, uint8_t, threads>(column, first, rows, seed, begun, state);
        break;
      case 2:
        detail::hash_column<F, uint16_t, threads>(column, first, rows, seed, begun, state);
        break;
      case 4:
        detail::hash_column<F, uint32_t, threads>(column, first, rows, seed, begun, state);
        break;
      default: detail::hash_column<F, u64, threads>(column, first, rows, seed, begun, state);
    }
    begun = true;
  }
}

} // namespace gdf
