// copying::copy_range_in_place and filling::fill_in_place: writes some rows of an existing column.

#include <gdf/accessor.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/grid.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(write_rows, 256, 4, 4);

namespace write_rows {

/// [grid] Writes `length` bits from bit `begin` of `bytes` on. A thread writes whole bytes, so that no atomic
/// operations are needed.
template <class Get>
GDF_DEVICE void write_bits(uint8_t* bytes, int64_t begin, int64_t length, Get const& get) {
  int64_t const first = begin >> 3;
  int64_t const count = ((begin + length + 7) >> 3) - first;
  gdf::for_each_index(count, [&](int64_t b) {
    int64_t const row = (first + b) * 8 - begin; // row of the byte's lowest bit; it can be negative in the first byte
    uint32_t mask = 0;
    uint32_t value = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (row + i >= 0 && row + i < length) {
        mask |= 1u << i;
        if (get(row + i)) { value |= 1u << i; }
      }
    }
    bytes[first + b] = static_cast<uint8_t>((bytes[first + b] & ~mask) | value);
  });
}

/// [grid] Writes `length` rows from row `begin` of `bytes` on. Rows have `width` bytes and any alignment.
GDF_DEVICE void write_bytes(const gdf::column_in& in, uint8_t* bytes, int64_t begin, int64_t length, int64_t width) {
  auto const* const from = static_cast<const uint8_t*>(in.data) + in.offset * width;
  auto* const to = bytes + begin * width;
  bool const one = (in.flags & gdf::broadcast) != 0;
  gdf::for_each_index(length * width, [&](int64_t b) { to[b] = __ldg(from + (one ? b % width : b)); });
}

} // namespace write_rows

/// Replaces the rows of a column from `begin` on by the `length` rows of `in`, which may be broadcast. Values have
/// `width` bytes (1, 2, 4, 8, 16 or 32). If `aligned` is 0, they have any alignment. Otherwise they are aligned to
/// min(width, 8) bytes. If `width` is 0, the rows are booleans. If `validity` is not null, the kernel also writes the
/// validity of the rows there.
extern "C" __global__ void GDF_BOUNDS(write_rows)
write_rows_kernel(const __grid_constant__ gdf::column_in in, uint8_t* data, uint8_t* validity, int64_t begin,
                  int64_t length, int width, int aligned) {
  if (width == 0) {
    write_rows::write_bits(data, begin, length, [&](int64_t r) { return gdf::element<bool>(in, r); });
  } else if (aligned == 0) {
    write_rows::write_bytes(in, data, begin, length, width);
  } else {
    gdf::by_width(width, [&]<class T>() {
      gdf::values<T> const rows(in);
      auto* const to = reinterpret_cast<T*>(data) + begin;
      gdf::for_each_index(length, [&](int64_t r) { gdf::store(to + r, rows[r]); });
    });
  }
  if (validity != nullptr) {
    write_rows::write_bits(validity, begin, length, [&](int64_t r) { return gdf::is_valid(in, r); });
  }
}
