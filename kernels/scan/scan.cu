// scan::scan: sums, products, minima, maxima and counts of the rows up to each row, in one launch. Integers wrap at the
// width of their type. Floats are accumulated in double precision.

#include <gdf/invalid_code.cuh>
#include <gdf/policy.cuh>
#include <gdf/scan_pipeline.cuh>

GDF_POLICY(scan, 512, 16, 1);
GDF_POLICY(scan_pipeline, 768, 6, 1);
GDF_POLICY(scan_wide, 256, 4, 3);
GDF_POLICY(scan_widest, 256, 2, 3);

namespace scan {

template <bool product, class C>
struct integers {
  using value = C;
  static constexpr gdf::scan_source from = gdf::scan_source::values;
  static constexpr bool exact = true;
  GDF_DEVICE value identity() const {
    if constexpr (sizeof(C) == 32) {
      return C{{0, 0, 0, 0}};
    } else {
      return product ? 1 : 0;
    }
  }
  GDF_DEVICE value operator()(const value& a, const value& b) const {
    if constexpr (product) {
      return a * b;
    } else {
      return a + b;
    }
  }
  template <class T>
  GDF_DEVICE value take(const T& row) const {
    return static_cast<value>(row);
  }
  template <class T>
  GDF_DEVICE T give(const value& all) const {
    return static_cast<T>(all);
  }
};

template <bool product>
struct floats {
  using value = double;
  static constexpr gdf::scan_source from = gdf::scan_source::values;
  static constexpr bool exact = false;
  GDF_DEVICE value identity() const { return product ? 1.0 : 0.0; }
  GDF_DEVICE value operator()(value a, value b) const {
    return product ? __dmul_rn(a, b) : __dadd_rn(a, b);
  }
  template <class T>
  GDF_DEVICE value take(const T& row) const {
    return gdf::as_double(row);
  }
  template <class T>
  GDF_DEVICE T give(value all) const {
    return gdf::as_real<T>(all);
  }
};

/// The largest of keys that are ordered like the rows. If `flip` is -1, the order of the keys is reversed. The type of
/// the rows is a run-time value, as the conversion is a small part of the work.
struct extreme {
  long long flip;
  gdf::type type;
  using value = long long;
  static constexpr gdf::scan_source from = gdf::scan_source::values;
  static constexpr bool exact = true;
  static constexpr gdf::u64 top = 1ull << 63;
  static constexpr long long min_value = static_cast<long long>(top);

  GDF_DEVICE bool is_float() const { return type >= gdf::type::f16; }
  GDF_DEVICE bool has_sign() const { return type <= gdf::type::i64; }

  GDF_DEVICE value identity() const { return min_value; }
  GDF_DEVICE value operator()(value a, value b) const { return a < b ? b : a; }
  template <class T>
  GDF_DEVICE value take(T row) const {
    if constexpr (sizeof(T) > 1) {
      if (is_float()) {
        double number;
        if constexpr (sizeof(T) == 2) { number = gdf::as_double(gdf::half_bits{row}); }
        if constexpr (sizeof(T) == 4) { number = __uint_as_float(row); }
        if constexpr (sizeof(T) == 8) { number = __longlong_as_double(static_cast<long long>(row)); }
        return gdf::ordered_key(number) ^ flip;
      }
    }
    constexpr int shift = 64 - 8 * static_cast<int>(sizeof(T));
    auto const wide = static_cast<gdf::u64>(row);
    long long const with_sign = static_cast<long long>(wide << shift) >> shift;
    return (has_sign() ? with_sign : static_cast<long long>(wide)) ^ flip;
  }
  template <class T>
  GDF_DEVICE T give(value key) const {
    bool const none = key == min_value;
    auto const number = [&] {
      double const infinity = __longlong_as_double(0x7ff0000000000000ll);
      return none ? (flip != 0 ? infinity : -infinity) : gdf::of_ordered_key(key ^ flip);
    };
    if constexpr (sizeof(T) == 8) {
      return static_cast<T>(__double_as_longlong(number()));
    } else {
      if constexpr (sizeof(T) == 2) {
        if (is_float()) { return gdf::as_real<gdf::half_bits>(number()).bits; }
      }
      if constexpr (sizeof(T) == 4) {
        if (is_float()) { return __float_as_uint(gdf::as_real<float>(number())); }
      }
      long long const most = (1ll << (8 * static_cast<int>(sizeof(T)) - (has_sign() ? 1 : 0))) - 1;
      long long const fewest = has_sign() ? -most - 1 : 0;
      return static_cast<T>(none ? (flip != 0 ? most : fewest) : key ^ flip);
    }
  }
};

/// Does the same as `extreme`, for 64-bit integers.
struct extreme_word {
  gdf::u64 flip;
  using value = long long;
  static constexpr gdf::scan_source from = gdf::scan_source::values;
  static constexpr bool exact = true;

  GDF_DEVICE explicit extreme_word(const extreme& op) : flip(op.flip ^ (op.has_sign() ? 0 : extreme::top)) {}
  GDF_DEVICE value identity() const { return extreme::min_value; }
  GDF_DEVICE value operator()(value a, value b) const { return a < b ? b : a; }
  GDF_DEVICE value take(gdf::u64 row) const { return static_cast<value>(row ^ flip); }
  template <class T>
  GDF_DEVICE T give(value key) const {
    return static_cast<gdf::u64>(key) ^ flip;
  }
};

template <class C>
struct wide_extreme {
  bool minimum;
  using value = C;
  static constexpr gdf::scan_source from = gdf::scan_source::values;
  static constexpr bool exact = true;
  GDF_DEVICE value identity() const {
    if constexpr (sizeof(C) == 32) {
      return minimum ? C{{~0ull, ~0ull, ~0ull, ~0ull >> 1}} : C{{0, 0, 0, 1ull << 63}};
    } else {
      auto const min_value = static_cast<C>(static_cast<gdf::u128>(1) << 127);
      return minimum ? ~min_value : min_value;
    }
  }
  GDF_DEVICE value operator()(const value& a, const value& b) const {
    bool const second = minimum ? b < a : a < b;
    return second ? b : a;
  }
  GDF_DEVICE value take(const value& row) const { return row; }
  template <class T>
  GDF_DEVICE T give(const value& all) const {
    return all;
  }
};

struct counting {
  using value = gdf::u64;
  static constexpr gdf::scan_source from = gdf::scan_source::ones;
  static constexpr bool exact = true;
  GDF_DEVICE value identity() const { return 0; }
  GDF_DEVICE value operator()(value a, value b) const { return a + b; }
  GDF_DEVICE value take() const { return 1; }
  template <class T>
  GDF_DEVICE T give(value all) const {
    return static_cast<T>(all);
  }
};

} // namespace scan

/// Defines a kernel that scans `in` to `out`. `out` has the length of `in`, in.length is positive, and nothing is
/// broadcast. The kernel uses tickets 32 and 33, zeroed and partials.
#define GDF_SCAN(policy, name, ...)                                                          \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(scan, name)                      \
  scan_##name##_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out, \
       int modes, uint32_t* status, unsigned long long* values, gdf::scratch* scratch) {     \
    using namespace scan;                                                                    \
    auto const rows = [&]<class T>(const auto& op) {                                         \
      gdf::scan_rows<policy##_tuning, T>(in, out, op, modes, status, values, scratch);            \
    };                                                                                       \
    [[maybe_unused]] auto const type = static_cast<gdf::type>(in.type);                                    \
    [[maybe_unused]] int const width = gdf::width_of(in.type);                                       \
    __VA_ARGS__                                                                              \
  }                                                                                          \
  static_assert(true)

/// Scans integers of up to 64 bits, including decimals and durations.
GDF_SCAN(scan, sum_integers, switch (width) {
  case 1: rows.template operator()<uint8_t>(integers<false, uint32_t>{}); break;
  case 2: rows.template operator()<uint16_t>(integers<false, uint32_t>{}); break;
  case 4: rows.template operator()<uint32_t>(integers<false, uint32_t>{}); break;
  case 8: rows.template operator()<gdf::u64>(integers<false, gdf::u64>{}); break;
  default: gdf::invalid_code();
});
GDF_SCAN(scan, product_integers, switch (width) {
  case 1: rows.template operator()<uint8_t>(integers<true, uint32_t>{}); break;
  case 2: rows.template operator()<uint16_t>(integers<true, uint32_t>{}); break;
  case 4: rows.template operator()<uint32_t>(integers<true, uint32_t>{}); break;
  case 8: rows.template operator()<gdf::u64>(integers<true, gdf::u64>{}); break;
  default: gdf::invalid_code();
});

GDF_SCAN(scan, sum_floats, switch (type) {
  case gdf::type::f16: rows.template operator()<gdf::half_bits>(floats<false>{}); break;
  case gdf::type::f32: rows.template operator()<float>(floats<false>{}); break;
  case gdf::type::f64: rows.template operator()<double>(floats<false>{}); break;
  default: gdf::invalid_code();
});
GDF_SCAN(scan, product_floats, switch (type) {
  case gdf::type::f16: rows.template operator()<gdf::half_bits>(floats<true>{}); break;
  case gdf::type::f32: rows.template operator()<float>(floats<true>{}); break;
  case gdf::type::f64: rows.template operator()<double>(floats<true>{}); break;
  default: gdf::invalid_code();
});

/// Scans columns of all ordered types of up to 64 bits.
GDF_SCAN(scan, extreme, extreme const op{modes & gdf::second ? -1ll : 0ll, type}; switch (width) {
  case 1: rows.template operator()<uint8_t>(op); break;
  case 2: rows.template operator()<uint16_t>(op); break;
  case 4: rows.template operator()<uint32_t>(op); break;
  case 8:
    if (op.is_float()) {
      rows.template operator()<gdf::u64>(op);
    } else {
      rows.template operator()<gdf::u64>(extreme_word(op));
    }
    break;
  default: gdf::invalid_code();
});

/// Scans decimals of 128 and of 256 bits.
GDF_SCAN(scan_wide, sum_wide, rows.template operator()<gdf::u128>(integers<false, gdf::u128>{}););
GDF_SCAN(scan_wide, extreme_wide,
         rows.template operator()<gdf::i128>(wide_extreme<gdf::i128>{(modes & gdf::second) != 0}););
GDF_SCAN(scan_widest, sum_widest, rows.template operator()<gdf::i256>(integers<false, gdf::i256>{}););
GDF_SCAN(scan_widest, extreme_widest,
         rows.template operator()<gdf::i256>(wide_extreme<gdf::i256>{(modes & gdf::second) != 0}););

/// Counts the rows up to each row, for columns of any type. The result has 64-bit integers and no mask.
GDF_SCAN(scan, count, rows.template operator()<gdf::u64>(counting{}););

/// Defines a kernel that does the same as the kernel of the same name, for more than pipeline_tile rows of 64 bits. The
/// dynamic shared memory must have pipeline_bytes.
#define GDF_SCAN_PIPELINE(name, T, ...)                                                                                  \
  extern "C" __global__ void GDF_BOUNDS(scan_pipeline) GDF_VARIANT(scan, pipelined_##name)                               \
  scan_pipelined_##name##_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out, \
       int modes, uint32_t* status, unsigned long long* values, gdf::scratch* scratch) {                                 \
    using namespace scan;                                                                                                \
    gdf::scan_pipelined<scan_pipeline_tuning, T>(in, out, __VA_ARGS__, modes, status, values, scratch);                  \
  }                                                                                                                      \
  static_assert(true)

GDF_SCAN_PIPELINE(sum_integers, gdf::u64, integers<false, gdf::u64>{});
GDF_SCAN_PIPELINE(product_integers, gdf::u64, integers<true, gdf::u64>{});
GDF_SCAN_PIPELINE(sum_floats, double, floats<false>{});
GDF_SCAN_PIPELINE(product_floats, double, floats<true>{});
GDF_SCAN_PIPELINE(extreme_words, gdf::u64,
                  extreme_word(extreme{modes & gdf::second ? -1ll : 0ll, static_cast<gdf::type>(in.type)}));
GDF_SCAN_PIPELINE(extreme_floats, gdf::u64, extreme{modes & gdf::second ? -1ll : 0ll, gdf::type::f64});

extern "C" __global__ void GDF_BOUNDS(scan) scan_clear_kernel(uint32_t* status, int64_t words) {
  gdf::for_each_index(words, [&](int64_t i) { status[i] = 0; });
}
