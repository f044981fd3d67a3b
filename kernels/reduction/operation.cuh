// The operations of reductions. An operation keeps an accumulator, adds rows of the supported types to it, merges two
// accumulators, and writes the result.
#pragma once

#include <gdf/index.cuh>
#include <gdf/monoid.cuh>

namespace reduction_reduce {

struct options {
  // The factor by which a sum of decimals becomes a float: the sum is multiplied by `power`, or divided if `divides` is
  // set.
  double power;
  // The result is null if at most this number of rows are valid. For a variance, the divisor is the number of valid
  // rows minus this number.
  int64_t fewest;
  int divides;
  int mean;      // whether the sum is divided by the number of valid rows
  // Selects the second of two related operations: minimum instead of maximum, all instead of any, all rows instead of
  // valid rows, `and` instead of `or`, standard deviation instead of variance.
  int second;
  int exclusive; // whether the bitwise operation is exclusive or
};

enum class arithmetic : int { sum, product, squares };

template <arithmetic op, class Value>
GDF_DEVICE Value combine(const Value& all, const Value& row) {
  if constexpr (op == arithmetic::sum) { return all + row; }
  if constexpr (op == arithmetic::product) { return all * row; }
  if constexpr (op == arithmetic::squares) { return all + row * row; }
}

template <arithmetic op, class Value>
GDF_DEVICE Value combine_bits(const Value& all, uint32_t ones, uint32_t zeros) {
  if constexpr (op == arithmetic::product) { return zeros == 0 ? all : Value{0}; }
  return all + static_cast<Value>(ones);
}

/// Accumulates integers with wrapping 64-bit arithmetic.
template <arithmetic op>
struct words {
  using value = gdf::u64;
  template <class T>
  static constexpr bool takes = sizeof(T) <= 8 && !gdf::is_real<T>;
  static constexpr bool takes_bits = true;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() { return op == arithmetic::product ? 1 : 0; }
  template <class T>
  GDF_DEVICE void add(value& all, T row) const {
    all = combine<op>(all, static_cast<value>(static_cast<long long>(row)));
  }
  GDF_DEVICE void add_bits(value& all, uint32_t ones, uint32_t zeros) const {
    all = combine_bits<op>(all, ones, zeros);
  }
  GDF_DEVICE value merge(value a, value b) const { return op == arithmetic::product ? a * b : a + b; }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out& out, int64_t row, value all, gdf::u64) const {
    gdf::store_index(out.data, out.type, row, static_cast<int64_t>(all));
  }
};

GDF_DEVICE void write_float(const gdf::column_out& out, int64_t row, double value) {
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::f16:
      static_cast<gdf::half_bits*>(out.data)[row] = gdf::as_real<gdf::half_bits>(value);
      break;
    case gdf::type::f32: static_cast<float*>(out.data)[row] = static_cast<float>(value); break;
    default: static_cast<double*>(out.data)[row] = value; break;
  }
}

/// Accumulates floats in double precision.
template <arithmetic op>
struct floats {
  options options_;
  using value = double;
  template <class T>
  static constexpr bool takes = sizeof(T) <= 8 && (gdf::is_real<T> || op != arithmetic::sum);
  static constexpr bool takes_bits = op != arithmetic::sum;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() { return op == arithmetic::product ? 1.0 : 0.0; }
  template <class T>
  GDF_DEVICE void add(value& all, T row) const {
    all = combine<op>(all, gdf::as_double(row));
  }
  GDF_DEVICE void add_bits(value& all, uint32_t ones, uint32_t zeros) const {
    all = combine_bits<op>(all, ones, zeros);
  }
  GDF_DEVICE value merge(value a, value b) const { return op == arithmetic::product ? a * b : a + b; }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out& out, int64_t row, value all,
                        gdf::u64 count) const {
    bool const mean = options_.mean != 0 && count != 0;
    write_float(out, row, mean ? __ddiv_rn(all, static_cast<double>(count)) : all);
  }
};

template <class Value>
GDF_DEVICE void write_wide(const gdf::column_out& out, int64_t row, const Value& all, gdf::u64 low,
                           gdf::u64 count, const options& options) {
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::f16:
    case gdf::type::f32:
    case gdf::type::f64: {
      double const integer = gdf::as_double(all);
      double const scaled = options.divides != 0 ? __ddiv_rn(integer, options.power)
                                                 : __dmul_rn(integer, options.power);
      bool const mean = options.mean != 0 && count != 0;
      write_float(out, row, mean ? __ddiv_rn(scaled, static_cast<double>(count)) : scaled);
      break;
    }
    default: gdf::store_index(out.data, out.type, row, static_cast<int64_t>(low)); break;
  }
}

/// Accumulates integers and decimals with wrapping 128-bit arithmetic.
template <arithmetic op>
struct wide {
  options options_;
  using value = gdf::u128;
  template <class T>
  static constexpr bool takes = sizeof(T) <= 16 && !gdf::is_real<T> && (op == arithmetic::sum || sizeof(T) >= 4);
  static constexpr bool takes_bits = op == arithmetic::sum;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() { return op == arithmetic::product ? 1 : 0; }
  template <class T>
  GDF_DEVICE void add(value& all, T row) const {
    all = combine<op>(all, static_cast<value>(static_cast<gdf::i128>(row)));
  }
  GDF_DEVICE void add_bits(value& all, uint32_t ones, uint32_t zeros) const {
    all = combine_bits<op>(all, ones, zeros);
  }
  GDF_DEVICE value merge(const value& a, const value& b) const { return op == arithmetic::product ? a * b : a + b; }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out& out, int64_t row, const value& all,
                        gdf::u64 count) const {
    if (out.type == static_cast<int32_t>(gdf::type::i128)) {
      gdf::store(static_cast<value*>(out.data) + row, all);
    } else {
      write_wide(out, row, all, static_cast<gdf::u64>(all), count, options_);
    }
  }
};

/// The bitwise operations on integers: or, and, exclusive or. `and` is computed as the complement of the `or` of
/// complements.
struct bitwise {
  gdf::u64 flip; // all ones for `and`, otherwise 0
  bool exclusive;
  using value = gdf::u64;
  template <class T>
  static constexpr bool takes = sizeof(T) <= 8 && !gdf::is_real<T>;
  static constexpr bool takes_bits = true;
  static constexpr bool gives_bits = true;
  GDF_DEVICE bitwise(const options& options)
    : flip(options.second != 0 ? ~0ull : 0ull), exclusive(options.exclusive != 0) {}
  GDF_DEVICE static value identity() { return 0; }
  template <class T>
  GDF_DEVICE void add(value& all, T row) const {
    all = merge(all, static_cast<value>(static_cast<long long>(row)) ^ flip);
  }
  GDF_DEVICE void add_bits(value& all, uint32_t ones, uint32_t zeros) const {
    if (exclusive) {
      all ^= ones & 1;
    } else {
      if (ones != 0) { all |= 1 ^ flip; }
      if (zeros != 0) { all |= flip; }
    }
  }
  GDF_DEVICE value merge(value a, value b) const { return exclusive ? a ^ b : a | b; }
  GDF_DEVICE bool bit(value all, gdf::u64) const { return ((all ^ flip) & 1) != 0; }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out& out, int64_t row, value all, gdf::u64) const {
    gdf::store_index(out.data, out.type, row, static_cast<int64_t>(all ^ flip));
  }
};

/// The variance of numbers in double precision. The accumulator has the number of rows, the mean, and the sum of
/// squared distances to the mean. Two accumulators merge without cancellation (Chan, Golub, LeVeque, 1983).
struct variance {
  options options_;
  struct value {
    double count;
    double mean;
    double squares;
  };
  template <class T>
  static constexpr bool takes = sizeof(T) <= 8;
  static constexpr bool takes_bits = true;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() { return {0.0, 0.0, 0.0}; }
  template <class T>
  GDF_DEVICE void add(value& all, T row) const {
    double const number = gdf::as_double(row);
    double const distance = number - all.mean;
    all.count += 1.0;
    // The distance of two large numbers may have no finite value, although their mean has one. Half of it always has.
    all.mean += (0.5 * number - 0.5 * all.mean) / (0.5 * all.count);
    all.squares += distance * (number - all.mean);
  }
  GDF_DEVICE void add_bits(value& all, uint32_t ones, uint32_t zeros) const {
    if (ones + zeros == 0) { return; }
    double const count = static_cast<double>(ones + zeros);
    double const mean = static_cast<double>(ones) / count;
    all = merge(all, {count, mean, mean * static_cast<double>(zeros)});
  }
  GDF_DEVICE value merge(const value& a, const value& b) const {
    if (b.count == 0.0) { return a; }
    if (a.count == 0.0) { return b; }
    double const count = a.count + b.count;
    double const distance = b.mean - a.mean;
    double const share = b.count / count;
    double const mean = isfinite(distance) ? a.mean + distance * share : a.mean * (a.count / count) + b.mean * share;
    return {count, mean, a.squares + b.squares + distance * distance * (a.count * share)};
  }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out& out, int64_t row, const value& all,
                        gdf::u64 count) const {
    int64_t const degrees = static_cast<int64_t>(count) - options_.fewest;
    double const result = degrees > 0 ? __ddiv_rn(all.squares, static_cast<double>(degrees)) : 0.0;
    write_float(out, row, options_.second != 0 ? __dsqrt_rn(result) : result);
  }
};

/// Accumulates decimals with wrapping 256-bit arithmetic.
struct widest {
  options options_;
  using value = gdf::i256;
  template <class T>
  static constexpr bool takes = sizeof(T) >= 4 && !gdf::is_real<T>;
  static constexpr bool takes_bits = false;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() { return {{0, 0, 0, 0}}; }
  GDF_DEVICE void add(value& all, const gdf::i256& row) const { all = all + row; }
  template <class T>
  GDF_DEVICE void add(value& all, T row) const {
    all = all + gdf::to_i256(static_cast<gdf::i128>(row));
  }
  GDF_DEVICE void add_bits(value&, uint32_t, uint32_t) const {}
  GDF_DEVICE value merge(const value& a, const value& b) const { return a + b; }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out& out, int64_t row, const value& all,
                        gdf::u64 count) const {
    auto* const target = static_cast<gdf::u64*>(out.data) + row * (out.type == static_cast<int32_t>(gdf::type::i256) ? 4 : 2);
    switch (static_cast<gdf::type>(out.type)) {
      case gdf::type::i256:
        target[3] = all.word[3];
        target[2] = all.word[2];
        [[fallthrough]];
      case gdf::type::i128:
        target[1] = all.word[1];
        target[0] = all.word[0];
        break;
      default: write_wide(out, row, all, all.word[0], count, options_); break;
    }
  }
};

/// Finds the largest of 64-bit keys that are ordered like the rows.
struct extreme_words {
  long long flip;
  using value = long long;
  template <class T>
  static constexpr bool takes = sizeof(T) <= 8;
  static constexpr bool takes_bits = true;
  static constexpr bool gives_bits = true;
  GDF_DEVICE static value identity() { return static_cast<long long>(1ull << 63); }
  template <class T>
  GDF_DEVICE static long long key(T row) {
    if constexpr (gdf::is_real<T>) {
      return gdf::ordered_key(gdf::as_double(row));
    } else if constexpr (sizeof(T) == 8 && static_cast<T>(-1) > T{0}) {
      return static_cast<long long>(static_cast<gdf::u64>(row) ^ 1ull << 63);
    } else {
      return static_cast<long long>(row);
    }
  }
  template <class T>
  GDF_DEVICE void add(value& best, T row) const {
    best = merge(best, key(row) ^ flip);
  }
  GDF_DEVICE void add_bits(value& best, uint32_t ones, uint32_t zeros) const {
    if (ones != 0) { best = merge(best, 1 ^ flip); }
    if (zeros != 0) { best = merge(best, 0 ^ flip); }
  }
  GDF_DEVICE value merge(value a, value b) const { return a < b ? b : a; }
  GDF_DEVICE bool bit(value best, gdf::u64 count) const { return count != 0 && (best ^ flip) != 0; }
  GDF_DEVICE void write(const gdf::column_in& in, const gdf::column_out& out, int64_t row, value best,
                        gdf::u64 count) const {
    long long const key = count == 0 ? 0 : best ^ flip;
    switch (static_cast<gdf::type>(in.type)) {
      case gdf::type::f16:
      case gdf::type::f32:
      case gdf::type::f64: write_float(out, row, gdf::of_ordered_key(key)); break;
      case gdf::type::u64:
        static_cast<gdf::u64*>(out.data)[row] = static_cast<gdf::u64>(key) ^ 1ull << 63;
        break;
      default: gdf::store_index(out.data, out.type, row, key); break;
    }
  }
};

/// Finds both the smallest and the largest of the keys of `extreme_words`.
struct both_extremes {
  struct value {
    long long min_value; // the complement of the smallest key, so that both members are maxima
    long long max_value;
  };
  template <class T>
  static constexpr bool takes = sizeof(T) <= 8;
  static constexpr bool takes_bits = true;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() {
    return {extreme_words::identity(), extreme_words::identity()};
  }
  template <class T>
  GDF_DEVICE void add(value& both, T row) const {
    long long const key = extreme_words::key(row);
    both = merge(both, {~key, key});
  }
  GDF_DEVICE void add_bits(value& both, uint32_t ones, uint32_t zeros) const {
    if (ones != 0) { both = merge(both, {~1ll, 1}); }
    if (zeros != 0) { both = merge(both, {~0ll, 0}); }
  }
  GDF_DEVICE static value merge(const value& a, const value& b) {
    return {a.min_value < b.min_value ? b.min_value : a.min_value, a.max_value < b.max_value ? b.max_value : a.max_value};
  }
};

struct extreme_wide {
  gdf::i128 flip;
  using value = gdf::i128;
  template <class T>
  static constexpr bool takes = sizeof(T) == 16;
  static constexpr bool takes_bits = false;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() {
    return static_cast<gdf::i128>(static_cast<gdf::u128>(1) << 127);
  }
  template <class T>
  GDF_DEVICE void add(value& best, T row) const {
    best = merge(best, row ^ flip);
  }
  GDF_DEVICE void add_bits(value&, uint32_t, uint32_t) const {}
  GDF_DEVICE value merge(const value& a, const value& b) const { return a < b ? b : a; }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out& out, int64_t row, const value& best,
                        gdf::u64 count) const {
    gdf::store(static_cast<gdf::i128*>(out.data) + row, count == 0 ? gdf::i128{0} : best ^ flip);
  }
};

struct extreme_widest {
  gdf::u64 flip;
  using value = gdf::i256;
  template <class T>
  static constexpr bool takes = sizeof(T) == 32;
  static constexpr bool takes_bits = false;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() { return {{0, 0, 0, 1ull << 63}}; }
  GDF_DEVICE value flipped(const value& row) const {
    return {{row.word[0] ^ flip, row.word[1] ^ flip, row.word[2] ^ flip, row.word[3] ^ flip}};
  }
  template <class T>
  GDF_DEVICE void add(value& best, const T& row) const {
    best = merge(best, flipped(row));
  }
  GDF_DEVICE void add_bits(value&, uint32_t, uint32_t) const {}
  GDF_DEVICE value merge(const value& a, const value& b) const { return a < b ? b : a; }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out& out, int64_t row, const value& best,
                        gdf::u64 count) const {
    value const found = count == 0 ? value{{0, 0, 0, 0}} : flipped(best);
    auto* const target = static_cast<gdf::u64*>(out.data) + row * 4;
#pragma unroll
    for (int i = 0; i < 4; i++) { target[i] = found.word[i]; }
  }
};

struct any_all {
  bool all;
  using value = gdf::u64; // bit 0: some row is not zero; bit 1: some row is zero
  template <class T>
  static constexpr bool takes = true;
  static constexpr bool takes_bits = true;
  static constexpr bool gives_bits = true;
  GDF_DEVICE static value identity() { return 0; }
  template <class T>
  GDF_DEVICE void add(value& seen, const T& row) const {
    bool zero;
    if constexpr (gdf::is_real<T>) {
      zero = gdf::as_double(row) == 0.0;
    } else if constexpr (sizeof(T) == 32) {
      zero = row == gdf::i256{{0, 0, 0, 0}};
    } else {
      zero = row == T{0};
    }
    seen |= zero ? 2 : 1;
  }
  GDF_DEVICE void add_bits(value& seen, uint32_t ones, uint32_t zeros) const {
    seen |= (ones != 0 ? 1 : 0) | (zeros != 0 ? 2 : 0);
  }
  GDF_DEVICE value merge(value a, value b) const { return a | b; }
  GDF_DEVICE bool bit(value seen, gdf::u64) const { return all ? (seen & 2) == 0 : (seen & 1) != 0; }
  GDF_DEVICE void write(const gdf::column_in&, const gdf::column_out&, int64_t, value, gdf::u64) const {}
};

struct counting {
  bool all;
  using value = gdf::u64;
  template <class T>
  static constexpr bool takes = false;
  static constexpr bool takes_bits = true;
  static constexpr bool gives_bits = false;
  GDF_DEVICE static value identity() { return 0; }
  GDF_DEVICE void add_bits(value&, uint32_t, uint32_t) const {}
  GDF_DEVICE value merge(value a, value b) const { return a + b; }
  GDF_DEVICE void write(const gdf::column_in& in, const gdf::column_out& out, int64_t row, value,
                        gdf::u64 count) const {
    gdf::store_index(out.data, out.type, row, all ? in.length : static_cast<int64_t>(count));
  }
};

} // namespace reduction_reduce
