// The aggregations of rolling windows: sums, minima and maxima of numbers, moments, and strings.
#pragma once

#include <gdf/extreme_string.cuh>
#include <gdf/half.cuh>
#include <gdf/invalid_code.cuh>
#include <gdf/window_tiles.cuh>

namespace rolling {

enum operation : int32_t { sum = 0, maximum = 1, minimum = 2, count = 3 };

enum outcome : int32_t {
  value = 0,    // the aggregate; a window without valid rows is null
  total = 1,    // the aggregate; a window without valid rows has the identity
  mean = 2,     // the aggregate divided by the number of valid rows
  variance = 3, // the sum of squared distances divided by the degrees of freedom
  deviation = 4,
  valid_rows = 5, // the number of valid rows
};

/// [thread] Returns whether a window has enough rows for a result.
GDF_DEVICE bool suffices(const gdf::window_plan& plan, int64_t count, const gdf::window& rows) {
  if (plan.outcome == valid_rows) { return rows.rows() >= plan.min_periods; }
  if (plan.outcome == variance || plan.outcome == deviation) {
    if (count <= plan.ddof) { return false; }
  }
  return count >= plan.min_periods && (count > 0 || plan.outcome == total);
}

GDF_DEVICE void store_double(const gdf::column_out& out, int64_t row, double number) {
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::f16: static_cast<gdf::half_bits*>(out.data)[row] = gdf::as_real<gdf::half_bits>(number); break;
    case gdf::type::f32: static_cast<float*>(out.data)[row] = static_cast<float>(number); break;
    case gdf::type::f64: static_cast<double*>(out.data)[row] = number; break;
    default: gdf::unreachable_code();
  }
}

/// [thread] Stores a 64-bit number. If the rows of `out` are floats, the number is a double.
GDF_DEVICE void store_number(const gdf::column_out& out, int64_t row, gdf::u64 number) {
  auto const kind = static_cast<gdf::type>(out.type);
  if (kind >= gdf::type::f16 && kind <= gdf::type::f64) {
    store_double(out, row, __longlong_as_double(static_cast<long long>(number)));
  } else {
    gdf::store_index(out.data, out.type, row, static_cast<int64_t>(number));
  }
}

/// Sums, minima and maxima of 64-bit integers, and minima and maxima of doubles.
struct words {
  const gdf::column_in& in;
  const gdf::window_plan& plan;
  gdf::values<gdf::u64> rows;
  bool adds;
  bool is_float;
  gdf::u64 flip;

  using value = long long;
  using stored = gdf::u64;
  static constexpr gdf::u64 top = 1ull << 63;

  GDF_DEVICE words(const gdf::column_in& in, const gdf::window_plan& plan)
    : in(in), plan(plan), rows(in), adds(plan.operation == sum || plan.operation == count),
      is_float(in.type == static_cast<int32_t>(gdf::type::f64)),
      flip((plan.operation == minimum ? ~0ull : 0ull) ^ (in.type == static_cast<int32_t>(gdf::type::u64) ? top : 0ull)) {}

  GDF_DEVICE bool reads_rows() const { return plan.operation != count; }
  GDF_DEVICE value identity() const { return adds ? 0 : static_cast<value>(top); }
  GDF_DEVICE value operator()(value a, value b) const {
    if (adds) { return static_cast<value>(static_cast<gdf::u64>(a) + static_cast<gdf::u64>(b)); }
    return a < b ? b : a;
  }
  GDF_DEVICE value of(gdf::u64 bits) const {
    if (adds) { return static_cast<value>(bits); }
    if (is_float) {
      return gdf::ordered_key(__longlong_as_double(static_cast<long long>(bits))) ^ static_cast<value>(flip);
    }
    return static_cast<value>(bits ^ flip);
  }
  GDF_DEVICE value take(int64_t row) const { return of(rows[row]); }
  GDF_DEVICE bool is_valid(int64_t count) const { return suffices(plan, count, {0, count}); }
  GDF_DEVICE void store(const gdf::column_out& out, int64_t row, gdf::u64 number) const { store_number(out, row, number); }
  GDF_DEVICE gdf::u64 word(value all) const {
    auto const bits = static_cast<gdf::u64>(all);
    if (adds) { return bits; }
    return is_float ? __double_as_longlong(gdf::of_ordered_key(bits ^ flip)) : bits ^ flip;
  }
  GDF_DEVICE bool divides() const { return adds && plan.outcome == mean; }
  GDF_DEVICE gdf::u64 number(const gdf::counted<value>& all) const {
    if (adds && plan.outcome == valid_rows) { return static_cast<gdf::u64>(all.count); }
    return divides() && all.count != 0 ? static_cast<gdf::u64>(all.value / all.count) : word(all.value);
  }
  GDF_DEVICE bool give(const gdf::column_out& out, int64_t row, const gdf::counted<value>& all,
                       const gdf::window& window) const {
    store_number(out, row, number(all));
    return suffices(plan, all.count, window);
  }
};

/// Does the same as `words`. Whether the operation is a sum is known at compile time.
template <bool sums>
struct known_words : words {
  static constexpr bool quick = true; // a row can be added quickly
  GDF_DEVICE known_words(const gdf::column_in& in, const gdf::window_plan& plan) : words(in, plan) { adds = sums; }
  GDF_DEVICE value identity() const { return sums ? 0 : static_cast<value>(top); }
  GDF_DEVICE value operator()(value a, value b) const {
    if constexpr (sums) {
      return static_cast<value>(static_cast<gdf::u64>(a) + static_cast<gdf::u64>(b));
    } else {
      return a < b ? b : a;
    }
  }
};

/// Minima and maxima for which the compiler knows whether the values are doubles.
template <bool doubles>
struct extremes : known_words<false> {
  static constexpr bool quick = !doubles;
  GDF_DEVICE extremes(const gdf::column_in& in, const gdf::window_plan& plan) : known_words<false>(in, plan) {
    is_float = doubles;
  }
};

/// Minima or maxima of integers.
template <bool smallest>
struct plain_extremes : extremes<false> {
  GDF_DEVICE plain_extremes(const gdf::column_in& in, const gdf::window_plan& plan) : extremes<false>(in, plan) {
    flip = in.type == static_cast<int32_t>(gdf::type::u64) ? top : 0;
  }
  GDF_DEVICE value identity() const { return static_cast<value>(smallest ? ~top : top); }
  GDF_DEVICE value operator()(value a, value b) const { return smallest == (b < a) ? b : a; }
  /// Levels are built with the keys of `extremes`.
  GDF_DEVICE value of_level(value key) const { return smallest ? ~key : key; }
};

template <class C>
struct wide {
  const gdf::column_in& in;
  const gdf::window_plan& plan;
  gdf::values<C> rows;

  using value = C;

  GDF_DEVICE wide(const gdf::column_in& in, const gdf::window_plan& plan) : in(in), plan(plan), rows(in) {}

  GDF_DEVICE static C of(int64_t number) {
    if constexpr (sizeof(C) == 32) {
      return gdf::to_i256(number);
    } else {
      return number;
    }
  }
  GDF_DEVICE static C min_value() {
    if constexpr (sizeof(C) == 32) {
      return C{{0, 0, 0, 1ull << 63}};
    } else {
      return static_cast<C>(static_cast<gdf::u128>(1) << 127);
    }
  }
  GDF_DEVICE static C max_value() {
    if constexpr (sizeof(C) == 32) {
      return C{{~0ull, ~0ull, ~0ull, ~0ull >> 1}};
    } else {
      return ~min_value();
    }
  }
  GDF_DEVICE static C add(const C& a, const C& b) {
    if constexpr (sizeof(C) == 32) {
      return a + b;
    } else {
      return static_cast<C>(static_cast<gdf::u128>(a) + static_cast<gdf::u128>(b));
    }
  }

  GDF_DEVICE bool reads_rows() const { return true; }
  GDF_DEVICE value identity() const {
    return plan.operation == sum ? of(0) : plan.operation == maximum ? min_value() : max_value();
  }
  GDF_DEVICE value operator()(const value& a, const value& b) const {
    if (plan.operation == sum) { return add(a, b); }
    return (plan.operation == maximum) == (a < b) ? b : a;
  }
  GDF_DEVICE value take(int64_t row) const { return rows[row]; }
  GDF_DEVICE bool give(const gdf::column_out& out, int64_t row, const gdf::counted<value>& all,
                       const gdf::window& window) const {
    value number = all.value;
    if (plan.outcome == mean && all.count != 0) { number = number / of(all.count); }
    gdf::store(static_cast<C*>(out.data) + row, number);
    return suffices(plan, all.count, window);
  }
};

/// Sums and means of doubles.
struct floats {
  const gdf::column_in& in;
  const gdf::window_plan& plan;
  gdf::values<double> rows;

  using value = double;
  using stored = double;
  static constexpr bool quick = true;

  GDF_DEVICE floats(const gdf::column_in& in, const gdf::window_plan& plan) : in(in), plan(plan), rows(in) {}
  GDF_DEVICE bool reads_rows() const { return true; }
  GDF_DEVICE value identity() const { return 0.0; }
  GDF_DEVICE value operator()(value a, value b) const { return a + b; }
  GDF_DEVICE value of(double row) const { return row; }
  GDF_DEVICE value take(int64_t row) const { return rows[row]; }
  GDF_DEVICE bool is_valid(int64_t count) const { return suffices(plan, count, {0, count}); }
  GDF_DEVICE void store(const gdf::column_out& out, int64_t row, gdf::u64 number) const { store_number(out, row, number); }
  GDF_DEVICE gdf::u64 word(value all) const { return static_cast<gdf::u64>(__double_as_longlong(all)); }
  GDF_DEVICE bool divides() const { return plan.outcome == mean; }
  GDF_DEVICE gdf::u64 number(const gdf::counted<value>& all) const {
    return word(divides() ? __ddiv_rn(all.value, static_cast<double>(all.count)) : all.value);
  }
  /// Returns the mean of `count` rows (below 2^50).
  GDF_DEVICE gdf::u64 mean_of(value all, double count, double reciprocal) const {
    double const near = __dmul_rn(all, reciprocal);
    return word(__fma_rn(__fma_rn(-near, count, all), reciprocal, near));
  }
  GDF_DEVICE bool far_from_one(value all) const {
    auto const size = static_cast<uint32_t>(__double2hiint(all)) & 0x7fffffff;
    return size - 0x10000000 >= 0x60000000;
  }
  GDF_DEVICE bool give(const gdf::column_out& out, int64_t row, const gdf::counted<value>& all,
                       const gdf::window& window) const {
    store_number(out, row, number(all));
    return suffices(plan, all.count, window);
  }
};

/// Variances of doubles. The accumulator has the number of rows, the mean, and the sum of squared distances from the
/// mean. Two accumulators merge without cancellation (Chan, Golub, LeVeque, 1983).
struct moments {
  const gdf::column_in& in;
  const gdf::window_plan& plan;
  gdf::values<double> rows;

  struct value {
    double count;
    double mean;
    double squares;
  };

  GDF_DEVICE moments(const gdf::column_in& in, const gdf::window_plan& plan) : in(in), plan(plan), rows(in) {}
  GDF_DEVICE bool reads_rows() const { return true; }
  GDF_DEVICE value identity() const { return {0.0, 0.0, 0.0}; }
  GDF_DEVICE value operator()(const value& a, const value& b) const {
    if (b.count == 0.0) { return a; }
    if (a.count == 0.0) { return b; }
    double const count = a.count + b.count;
    double const distance = b.mean - a.mean;
    double const share = b.count / count;
    return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * (a.count * share)};
  }
  GDF_DEVICE value take(int64_t row) const { return {1.0, rows[row], 0.0}; }
  GDF_DEVICE bool give(const gdf::column_out& out, int64_t row, const gdf::counted<value>& all,
                       const gdf::window& window) const {
    bool const valid = suffices(plan, all.count, window);
    // Merges of infinities give NaN or an infinity, in an order that differs between devices.
    double const squares = isfinite(all.value.mean) ? all.value.squares : nan("");
    double const squared = valid ? squares / (all.value.count - plan.ddof) : 0.0;
    store_double(out, row, plan.outcome == deviation ? __dsqrt_rn(squared) : squared);
    return valid;
  }
};

/// Minima and maxima of strings. The result of a window is the row number of the smallest or largest string.
struct strings {
  const gdf::window_plan& plan;
  gdf::extreme_string better;

  using value = gdf::best_string;

  GDF_DEVICE strings(const gdf::column_in& in, const gdf::window_plan& plan)
    : plan(plan), better{in, plan.operation == minimum} {}
  GDF_DEVICE bool reads_rows() const { return true; }
  GDF_DEVICE value identity() const { return gdf::extreme_string::identity(); }
  GDF_DEVICE value operator()(const value& a, const value& b) const { return better(a, b); }
  GDF_DEVICE value take(int64_t row) const { return better.of(row); }
  GDF_DEVICE bool give(const gdf::column_out& out, int64_t row, const gdf::counted<value>& all,
                       const gdf::window& window) const {
    gdf::store_index(out.data, out.type, row, all.value.row < 0 ? 0 : all.value.row);
    return suffices(plan, all.count, window);
  }
};

} // namespace rolling
