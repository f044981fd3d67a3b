// The comparisons of binary_operation. Each word of the result is computed by a ballot of a warp.

#include <gdf/number.cuh>
#include <gdf/string_view.cuh>

#include "operation.cuh"

namespace binary_compare {

/// [warp] Does the same as gdf::collect, for the comparisons of a[i] with b[i].
template <class T, int items>
GDF_DEVICE uint32_t collect_order(int32_t code, const T (&a)[items], const T (&b)[items]) {
  switch (code) {
    case binaryop::equal: return gdf::collect<items>([&](int i) { return a[i] == b[i]; });
    case binaryop::less: return gdf::collect<items>([&](int i) { return a[i] < b[i]; });
    case binaryop::less_equal: return gdf::collect<items>([&](int i) { return a[i] <= b[i]; });
    default: return gdf::invalid_code<uint32_t>();
  }
}

/// [thread] Returns whether the comparison `code` is true for two values. `ordering` is the order of the values:
/// negative, 0 or positive.
GDF_DEVICE bool answers(int32_t code, int ordering) {
  switch (code) {
    case binaryop::equal: return ordering == 0;
    case binaryop::less: return ordering < 0;
    case binaryop::less_equal: return ordering <= 0;
    default: return gdf::invalid_code<bool>();
  }
}

GDF_DEVICE bool exceeds(gdf::i128 value, gdf::i128 most) {
  gdf::u128 const bits = static_cast<gdf::u128>(value);
  return (value < 0 ? gdf::u128{0} - bits : bits) > static_cast<gdf::u128>(most);
}

GDF_DEVICE bool exceeds(const gdf::i256& value, const gdf::i256& most) {
  return value > most || value < -most;
}

template <class T>
GDF_DEVICE int three_way(const T& a, const T& b) {
  return a < b ? -1 : b < a ? 1 : 0;
}

/// [thread] Returns the order of a and b after both have been multiplied by their factors.
template <class T>
GDF_DEVICE int scaled_order(const binaryop::operation& how, T a, T b) {
  T const zero{};
  if (!binaryop::is_one(how, 0)) {
    if (exceeds(a, binaryop::factor<T>(how, 2))) { return three_way(a, zero); }
    a = binaryop::times(a, binaryop::factor<T>(how, 0));
  }
  if (!binaryop::is_one(how, 1)) {
    if (exceeds(b, binaryop::factor<T>(how, 3))) { return three_way(zero, b); }
    b = binaryop::times(b, binaryop::factor<T>(how, 1));
  }
  return three_way(a, b);
}

/// [block] Computes the result.
template <class tuning, class Rows>
GDF_DEVICE void compare(const gdf::column_in& lhs, const gdf::column_in& rhs,
                        const gdf::column_out& out, const binaryop::operation& how,
                        gdf::scratch* scratch, Rows&& rows) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  static_assert(items <= 32);
  uint32_t const flipped = how.negated != 0 ? ~0u : 0u;
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    rows.load(base);
    binaryop::valid_words known{0, 0};
    if (how.nulls != 0 || out.validity != nullptr) {
      known = binaryop::load_valid<items>(lhs, rhs, base, out.length);
    }
    uint32_t word = rows.answer();
    uint32_t const both = known.lhs & known.rhs;
    if (how.nulls != 0) { word = (word & both) | ~(known.lhs | known.rhs); }
    gdf::store_bits<items>(out, base, word ^ flipped);
    valid += gdf::store_mask<items>(out, base, both);
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

template <class T, int items>
struct same_rows {
  const gdf::column_in& lhs;
  const gdf::column_in& rhs;
  int64_t limit;
  const binaryop::operation& how;
  T a[items];
  T b[items];

  GDF_DEVICE void load(int64_t base) {
    gdf::load_stored(lhs, base, limit, a);
    gdf::load_stored(rhs, base, limit, b);
  }
  GDF_DEVICE uint32_t answer() const { return collect_order(how.code, a, b); }
};

/// The rows of a comparison of two columns that are converted to C.
template <class C, int items>
struct converted_rows {
  const gdf::column_in& lhs;
  const gdf::column_in& rhs;
  int64_t limit;
  const binaryop::operation& how;
  C a[items];
  C b[items];

  GDF_DEVICE void load(int64_t base) { gdf::load_pair(lhs, rhs, base, limit, a, b); }
  GDF_DEVICE uint32_t answer() const {
    if constexpr (binaryop::is_scaled<C>) {
      return gdf::collect<items>(
        [&](int i) { return answers(how.code, scaled_order(how, a[i], b[i])); });
    } else {
      return collect_order(how.code, a, b);
    }
  }
};

/// The rows of a comparison of strings or binary rows.
template <class T, int items>
struct byte_rows {
  const gdf::column_in& lhs;
  const gdf::column_in& rhs;
  int64_t limit;
  const binaryop::operation& how;
  T a[items];
  T b[items];

  GDF_DEVICE void load(int64_t base) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = base + i * 32 + gdf::lane();
      a[i] = row < limit ? gdf::string_at(lhs, row) : T{nullptr, 0};
      b[i] = row < limit ? gdf::string_at(rhs, row) : T{nullptr, 0};
    }
  }
  GDF_DEVICE uint32_t answer() const {
    if (how.code == binaryop::equal) {
      return gdf::collect<items>([&](int i) { return a[i] == b[i]; });
    }
    return gdf::collect<items>([&](int i) { return answers(how.code, gdf::compare(a[i], b[i])); });
  }
};

} // namespace binary_compare

/// Defines a kernel that writes out.length bits. Bit r says whether lhs[r] and rhs[r] are in the requested order.
#define BINARY_COMPARE(name, rows, T, items, blocks)                                            \
  GDF_POLICY(binary_compare_##name, 256, items, blocks);                                        \
  extern "C" __global__ void GDF_BOUNDS(binary_compare_##name) GDF_VARIANT(binary_operation, compare_##name) binary_compare_##name##_kernel(  \
    const __grid_constant__ gdf::column_in lhs, const __grid_constant__ gdf::column_in rhs,     \
    const __grid_constant__ gdf::column_out out,                                                \
    const __grid_constant__ binaryop::operation how, gdf::scratch* scratch) {                   \
    binary_compare::rows<T, items> taken{lhs, rhs, out.length, how, {}, {}};                    \
    binary_compare::compare<binary_compare_##name##_tuning>(lhs, rhs, out, how, scratch, taken); \
  }

BINARY_COMPARE(i8, same_rows, int8_t, 8, 4)
BINARY_COMPARE(i16, same_rows, int16_t, 8, 4)
BINARY_COMPARE(i32, same_rows, int32_t, 8, 4)
BINARY_COMPARE(i64, same_rows, int64_t, 8, 4)
BINARY_COMPARE(u8, same_rows, uint8_t, 8, 4)
BINARY_COMPARE(u16, same_rows, uint16_t, 8, 4)
BINARY_COMPARE(u32, same_rows, uint32_t, 8, 4)
BINARY_COMPARE(u64, same_rows, uint64_t, 8, 4)
BINARY_COMPARE(f32, same_rows, float, 8, 4)
BINARY_COMPARE(f64, same_rows, double, 8, 4)
BINARY_COMPARE(i128, same_rows, gdf::i128, 4, 4)
BINARY_COMPARE(converted_i64, converted_rows, int64_t, 4, 4)
BINARY_COMPARE(converted_f64, converted_rows, double, 4, 4)
BINARY_COMPARE(converted_i128, converted_rows, gdf::i128, 2, 4)
BINARY_COMPARE(converted_i256, converted_rows, gdf::i256, 1, 4)
BINARY_COMPARE(bytes, byte_rows, gdf::string_view, 2, 4)
