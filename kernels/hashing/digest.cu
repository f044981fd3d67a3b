// hashing: MD5 and the SHA family of rows, as hexadecimal text. A thread computes the digest of a row.

#include <gdf/digests.cuh>
#include <gdf/grid.cuh>
#include <gdf/hash_rows.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(digest, 128, 1, 4);

namespace digests {

/// The maximum number of bytes of the state of a row between launches.
constexpr int state_bytes = 208;

/// [thread] Returns the eight hexadecimal characters of four bytes of a digest. The first character is in the lowest
/// byte.
template <class D>
GDF_DEVICE gdf::u64 characters(const gdf::digest_state<D>& digest, int at) {
  gdf::u64 text = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint32_t const nibble = digest.byte(at + i / 2) >> (i % 2 == 0 ? 4 : 0) & 15u;
    text |= static_cast<gdf::u64>(nibble + (nibble < 10 ? 48u : 87u)) << (8 * i);
  }
  return text;
}

template <class D>
GDF_DEVICE void run(const gdf::hashed_table<32>& table, int64_t rows, int begun, int ends, void* states,
                    const gdf::column_out& out) {
  constexpr int bytes = D::kept * static_cast<int>(sizeof(typename D::word));
  auto* const kept = static_cast<gdf::digest_state<D>*>(states);
  bool const wide = (out.flags & gdf::wide_offsets) != 0;
  gdf::for_each_index(rows, [&](int64_t row) {
    gdf::digest_state<D> digest;
    if (begun != 0) {
      digest = kept[row];
    } else {
      digest.begin();
    }
#pragma unroll 1
    for (int c = 0; c < table.count; c++) {
      gdf::hash_detail::hash_element<gdf::digest_sink<D>>(table, c, row, &digest);
    }
    if (ends == 0) {
      kept[row] = digest;
      return;
    }
    digest.finish();
    auto* const text = static_cast<gdf::u64*>(out.data) + row * (bytes / 4);
#pragma unroll
    for (int i = 0; i < bytes / 4; i++) { text[i] = characters(digest, i * 4); }
    if (row == 0) { gdf::store_offset(out.offsets, wide, 0, 0); }
    gdf::store_offset(out.offsets, wide, row + 1, (row + 1) * bytes * 2);
  });
}

} // namespace digests

/// Defines a kernel that computes the digest of each of `rows` rows, at least one. The result is text without nulls,
/// with two hexadecimal characters per byte. A launch with `ends` = 0 stores the state of each digest in `states`, at
/// most digests::state_bytes per row.
#define GDF_DIGEST(name)                                                                            \
  extern "C" __global__ void GDF_BOUNDS(digest) GDF_VARIANT(digest, name)                           \
  digest_##name##_kernel(const __grid_constant__ gdf::hashed_table<32> table, gdf::row_count rows, int begun, int ends, \
                         void* states, const __grid_constant__ gdf::column_out out) {               \
    digests::run<gdf::name>(table, rows, begun, ends, states, out);                                 \
  }                                                                                                 \
  static_assert(sizeof(gdf::digest_state<gdf::name>) <= digests::state_bytes)

GDF_DIGEST(md5);
GDF_DIGEST(sha1);
GDF_DIGEST(sha224);
GDF_DIGEST(sha256);
GDF_DIGEST(sha384);
GDF_DIGEST(sha512);
