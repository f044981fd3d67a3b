// round::round: rounds numbers to a number of digits after or before the point. Integers and decimals are computed in a
// type of their own width, and floats in double precision.

#include <gdf/elementwise.cuh>
#include <gdf/wide.cuh>

GDF_POLICY(round, 128, 8, 8);
GDF_POLICY(round_wide, 256, 1, 2);

namespace rounding {

struct places {
  int32_t even;       // whether ties round to even; otherwise, they round away from zero
  // For 256-bit integers, `unit` is ten to the power of `digits`.
  int32_t digits;
  gdf::u64 unit[4];   // integers: the divisor; results are counted in multiples of it
  gdf::u64 factor[4]; // integers: the factor of the count; the product wraps
  double power;       // floats: ten to |digits|, which may be infinite
};

template <class C>
GDF_DEVICE C word_of(const gdf::u64 (&words)[4]) {
  if constexpr (sizeof(C) == 8) {
    return static_cast<C>(words[0]);
  } else {
    return static_cast<C>(static_cast<gdf::u128>(words[1]) << 64 | words[0]);
  }
}

/// [thread] Rounds an integer.
template <class C, class bits>
GDF_DEVICE C integer(C x, const places& p) {
  C const unit = word_of<C>(p.unit);
  C quotient = x;
  if (unit != C{1}) {
    quotient = x / unit;
    C const signed_rest = x % unit;
    C const rest = signed_rest < C{0} ? -signed_rest : signed_rest;
    C const beyond = unit - rest;
    bool const away = rest > beyond || (rest == beyond && (p.even == 0 || (quotient & C{1}) != C{0}));
    if (away) { quotient += x < C{0} ? C{-1} : C{1}; }
  }
  return static_cast<C>(static_cast<bits>(quotient) * static_cast<bits>(word_of<C>(p.factor)));
}

GDF_DEVICE gdf::i256 integer(const gdf::i256& x, const places& p) {
  gdf::i256 const unit{{p.unit[0], p.unit[1], p.unit[2], p.unit[3]}};
  gdf::i256 const factor{{p.factor[0], p.factor[1], p.factor[2], p.factor[3]}};
  gdf::i256 quotient = gdf::quotient_by_power(x, p.digits);
  gdf::i256 const rest = gdf::magnitude(x - gdf::times(quotient, unit));
  gdf::i256 const beyond = unit - rest;
  bool const away = rest > beyond || (rest == beyond && (p.even == 0 || (quotient.word[0] & 1) != 0));
  gdf::i256 const one{{1, 0, 0, 0}};
  if (away) { quotient = static_cast<long long>(x.word[3]) < 0 ? quotient - one : quotient + one; }
  return gdf::times(quotient, factor);
}

GDF_DEVICE double nearest(double x, const places& p) { return p.even != 0 ? ::rint(x) : ::round(x); }

/// [thread] Rounds a float.
GDF_DEVICE double floating(double x, const places& p) {
  if (p.digits < 0) {
    if (isinf(x)) { return x; }
    return isinf(p.power) ? x * 0.0 : nearest(x / p.power, p) * p.power;
  }
  if (p.digits == 0) { return nearest(x, p); } // the parity of the whole part decides ties
  double const whole = ::trunc(x);
  double const scaled = (x - whole) * p.power;
  // If `scaled` is at least 2^52, it has no fraction that can be rounded. In this case, and for infinities and NaN, x
  // is returned unchanged.
  return ::fabs(scaled) < 4503599627370496.0 ? whole + nearest(scaled, p) / p.power : x;
}

} // namespace rounding

GDF_MAP1(round, round, i64, int64_t, gdf::as_output, rounding::places, { return rounding::integer<int64_t, gdf::u64>(x, p); });

/// Rounds floats of any width.
extern "C" __global__ void GDF_BOUNDS(round) GDF_VARIANT(round, f64)
round_f64_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out,
                 const __grid_constant__ rounding::places p, gdf::scratch* scratch) {
  auto const f = [&](double x) { return rounding::floating(x, p); };
  if (in.type == static_cast<int32_t>(gdf::type::f64)) {
    gdf::map_runs<double, round_tuning>(in, out, scratch, f);
  } else {
    const gdf::column_in* const inputs[1] = {&in};
    gdf::map_rows<double, gdf::as_output, round_tuning>(inputs, out, scratch, f);
  }
}

GDF_MAP1(round_wide, round, i128, gdf::i128, gdf::as_output, rounding::places, {
  return rounding::integer<gdf::i128, gdf::u128>(x, p);
});

GDF_MAP1(round_wide, round, i256, gdf::i256, gdf::as_output, rounding::places, { return rounding::integer(x, p); });
