// Integers whose width is known only at run time: gather maps, dictionary keys, labels, and the offsets of strings and
// lists, which have 32 or 64 bits.
#pragma once

#include "accessor.cuh"

namespace gdf {

/// Reads rows of any integer column as int64_t. A u64 value of at least 2^63 becomes negative, so that a check against
/// the bounds [0, length) detects it.
struct index_reader {
  const void* data;
  int64_t offset;
  int64_t mask;
  int32_t type;

  GDF_DEVICE explicit index_reader(const column_in& column)
    : data(column.data),
      offset(column.offset),
      mask(column.flags & broadcast ? 0 : -1),
      type(column.type) {}

  GDF_DEVICE int64_t operator[](int64_t row) const {
    int64_t const i = offset + (row & mask);
    switch (static_cast<gdf::type>(type)) {
      case gdf::type::i8: return static_cast<const int8_t*>(data)[i];
      case gdf::type::i16: return static_cast<const int16_t*>(data)[i];
      case gdf::type::i32: return static_cast<const int32_t*>(data)[i];
      case gdf::type::u8: return static_cast<const uint8_t*>(data)[i];
      case gdf::type::u16: return static_cast<const uint16_t*>(data)[i];
      case gdf::type::u32: return static_cast<const uint32_t*>(data)[i];
      default: return static_cast<const int64_t*>(data)[i];
    }
  }
};

/// [thread] Writes `value` as row `row` of an integer buffer of type `type`. The value wraps around.
GDF_DEVICE void store_index(void* data, int32_t type, int64_t row, int64_t value) {
  switch (static_cast<gdf::type>(type)) {
    case gdf::type::i8:
    case gdf::type::u8: static_cast<int8_t*>(data)[row] = static_cast<int8_t>(value); break;
    case gdf::type::i16:
    case gdf::type::u16: static_cast<int16_t*>(data)[row] = static_cast<int16_t>(value); break;
    case gdf::type::i32:
    case gdf::type::u32: static_cast<int32_t*>(data)[row] = static_cast<int32_t>(value); break;
    default: static_cast<int64_t*>(data)[row] = value; break;
  }
}

GDF_DEVICE int64_t load_offset(const void* offsets, bool wide, int64_t i) {
  return wide ? static_cast<const int64_t*>(offsets)[i] : static_cast<const int32_t*>(offsets)[i];
}

/// [thread] Writes the offset at position `i`. The caller has checked that the offset fits in its width.
GDF_DEVICE void store_offset(void* offsets, bool wide, int64_t i, int64_t value) {
  if (wide) {
    static_cast<int64_t*>(offsets)[i] = value;
  } else {
    static_cast<int32_t*>(offsets)[i] = static_cast<int32_t>(value);
  }
}

struct extent {
  int64_t begin;
  int64_t end;
  GDF_DEVICE int64_t size() const { return end - begin; }
};

/// [thread] Returns the range of the bytes or child rows of a row of a string, binary or list column.
GDF_DEVICE extent extent_of(const column_in& column, int64_t row) {
  int64_t const i = index_of(column, row);
  bool const wide = column.flags & wide_offsets;
  return {load_offset(column.offsets, wide, i), load_offset(column.offsets, wide, i + 1)};
}

} // namespace gdf
