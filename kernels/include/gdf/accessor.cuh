// Access to the rows of a `column_in`: values, validity, and whole words of bits. Row numbers start at the first row of
// the view. The functions handle the offset of the view and broadcasting.
#pragma once

#include "bits.cuh"

namespace gdf {

/// [thread] Returns the index of a row in the buffers of the column.
GDF_DEVICE int64_t index_of(const column_in& column, int64_t row) {
  return column.offset + (column.flags & broadcast ? 0 : row);
}

/// [thread] Returns the value at an address. The address is aligned to at least min(sizeof(T), 8), because Arrow
/// guarantees no greater alignment for 16-byte and 32-byte types.
template <class T>
GDF_DEVICE T load(const T* address) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) % 8 == 0);
  if constexpr (sizeof(T) > 8) {
    constexpr int words = sizeof(T) / 8;
    union {
      u64 word[words];
      T value;
    } bits;
    auto const* const source = reinterpret_cast<const u64*>(address);
#pragma unroll
    for (int i = 0; i < words; i++) { bits.word[i] = __ldg(source + i); }
    return bits.value;
  } else {
    return *address;
  }
}

/// [thread] Stores a value. Like `load`, the function handles types of 16 and 32 bytes as 8-byte words.
template <class T>
GDF_DEVICE void store(T* address, const T& value) {
  if constexpr (sizeof(T) > 8) {
    constexpr int words = sizeof(T) / 8;
    union bits_t {
      u64 word[words];
      T value;
      __device__ bits_t() {}
    } bits;
    bits.value = value;
    auto* const target = reinterpret_cast<u64*>(address);
#pragma unroll
    for (int i = 0; i < words; i++) { target[i] = bits.word[i]; }
  } else {
    *address = value;
  }
}

/// [thread] Returns the value of a row. `element<bool>` reads a bit. The function may be called for a null row, whose
/// value is unspecified.
template <class T>
GDF_DEVICE T element(const column_in& column, int64_t row) {
  return load(static_cast<const T*>(column.data) + index_of(column, row));
}

template <>
GDF_DEVICE bool element<bool>(const column_in& column, int64_t row) {
  return get_bit(column.data, index_of(column, row));
}

GDF_DEVICE bool is_valid(const column_in& column, int64_t row) {
  return column.validity == nullptr || get_bit(column.validity, index_of(column, row));
}

template <class T>
GDF_DEVICE T element_or(const column_in& column, int64_t row, T replacement) {
  return is_valid(column, row) ? element<T>(column, row) : replacement;
}

/// The values of a column: `values<T> v(column); v[row]`. The constructor handles the offset and broadcasting once,
/// outside of loops.
template <class T>
struct values {
  const T* first;
  int64_t mask; // 0 if the column is broadcast

  GDF_DEVICE explicit values(const column_in& column)
    : first(static_cast<const T*>(column.data) + column.offset),
      mask(column.flags & broadcast ? 0 : -1) {}

  GDF_DEVICE T operator[](int64_t row) const { return load(first + (row & mask)); }
};

template <>
struct values<bool> {
  const void* base;
  int64_t offset;
  int64_t mask;

  GDF_DEVICE explicit values(const column_in& column)
    : base(column.data), offset(column.offset), mask(column.flags & broadcast ? 0 : -1) {}

  GDF_DEVICE bool operator[](int64_t row) const { return get_bit(base, offset + (row & mask)); }
};

/// [thread] Returns the bits of rows [row, row + 32) of a bit-packed buffer of `column`. The bits of rows from `limit`
/// on are zero. `limit` is at most the number of rows.
GDF_DEVICE uint32_t bits_word(const column_in& column, const void* base, int64_t row,
                              int64_t limit) {
  if (column.flags & broadcast) {
    return get_bit(base, column.offset) ? low_bits(limit - row) : 0u;
  }
  return load_bits32(base, column.offset + row, column.offset + limit);
}

/// [thread] Returns the validity of rows [row, row + 32). The bits of rows from `limit` on are zero. Without a mask,
/// the bits of all earlier rows are set.
GDF_DEVICE uint32_t valid_word(const column_in& column, int64_t row, int64_t limit) {
  if (column.validity == nullptr) { return low_bits(limit - row); }
  return bits_word(column, column.validity, row, limit);
}

/// [thread] Returns the values of rows [row, row + 32) of a boolean column. The bits of rows from `limit` on are zero.
GDF_DEVICE uint32_t boolean_word(const column_in& column, int64_t row, int64_t limit) {
  return bits_word(column, column.data, row, limit);
}

} // namespace gdf
