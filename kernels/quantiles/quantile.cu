// quantiles::quantile: interpolates values at positions between the rows of a sorted column, with a thread for each
// position.

#include <gdf/count.cuh>
#include <gdf/index.cuh>
#include <gdf/policy.cuh>
#include <gdf/reduce.cuh>

GDF_POLICY(quantile, 128, 1, 8);

namespace quantiles {

/// The value for a position between two rows.
enum interpolation : int32_t { linear = 0, lower = 1, higher = 2, midpoint = 3, nearest = 4 };

struct request {
  double power;   // decimals: the factor (or the divisor, if `divides`) that converts a value to a double
  int64_t count;  // number of used rows, which are the first rows of the order
  int32_t divides;
  int32_t interpolation;
  int32_t ordered; // not 0: the order is the column `order`; otherwise, it is the order of the rows
  int32_t as_double; // not 0: the results are doubles; otherwise, they have the type of the column
};

struct numbers {
  template <class T>
  static constexpr bool takes = true;
  static constexpr bool takes_bits = true;
};

/// The rows next to a position, and the distance of the position from the first of these rows.
struct position {
  int64_t low;
  int64_t high;
  double fraction;

  GDF_DEVICE position(double q, const request& r) {
    double const at = __dmul_rn(q < 0.0 ? 0.0 : q > 1.0 ? 1.0 : q, static_cast<double>(r.count - 1));
    low = static_cast<int64_t>(floor(at));
    high = static_cast<int64_t>(ceil(at));
    fraction = __dadd_rn(at, -floor(at));
    if (r.interpolation == lower) { high = low; }
    if (r.interpolation == higher) { low = high; }
    if (r.interpolation == nearest) { low = high = static_cast<int64_t>(rint(at)); }
    if (r.interpolation == midpoint) { fraction = 0.5; }
  }

  GDF_DEVICE double between(double a, double b) const {
    if (low == high || fraction == 0.0) { return a; }
    return __dadd_rn(__dmul_rn(1.0 - fraction, a), __dmul_rn(fraction, b));
  }
};

template <class T>
GDF_DEVICE void write(const gdf::column_out& out, int64_t i, const T& a, const T& b, const position& at, const request& r) {
  if (r.as_double != 0) {
    double const value = at.between(gdf::as_double(a), gdf::as_double(b));
    static_cast<double*>(out.data)[i] = r.divides != 0 ? __ddiv_rn(value, r.power) : __dmul_rn(value, r.power);
  } else if constexpr (!gdf::is_same<T, bool>) {
    T value = a;
    if constexpr (gdf::is_real<T>) {
      if (at.low != at.high) { value = gdf::as_real<T>(at.between(gdf::as_double(a), gdf::as_double(b))); }
    } else if constexpr (sizeof(T) <= 16) {
      if (at.low != at.high) { value = static_cast<T>(at.between(gdf::as_double(a), gdf::as_double(b))); }
    }
    gdf::store(static_cast<T*>(out.data) + i, value);
  }
}

} // namespace quantiles

/// Writes a row of `out` for each row of `q`, which has no nulls. The results are doubles or have the type of `in`. In
/// the second case, `in` must not be boolean.
extern "C" __global__ void GDF_BOUNDS(quantile)
quantile_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in order,
                const __grid_constant__ gdf::column_in q, const __grid_constant__ gdf::column_out out,
                const __grid_constant__ quantiles::request request, gdf::scratch* scratch) {
  using namespace quantiles;
  constexpr int threads = quantile_tuning::threads;
  gdf::index_reader const orders(order);
  uint32_t valid_rows = 0;
  gdf::by_taken_type<numbers>(in.type, [&]<class T>() {
    gdf::values<T> const rows(in);
    int64_t const stride = int64_t{gridDim.x} * threads;
    for (int64_t first = int64_t{blockIdx.x} * threads + gdf::warp() * 32; first < out.length; first += stride) {
      int64_t const i = first + gdf::lane();
      bool valid = false;
      if (i < out.length && request.count > 0) {
        position const at(gdf::element<double>(q, i), request);
        auto const row_at = [&](int64_t k) -> int64_t {
          if (request.ordered == 0) { return k; }
          return gdf::is_valid(order, k) ? orders[k] : -1;
        };
        int64_t const a = row_at(at.low);
        int64_t const b = row_at(at.high);
        valid = a >= 0 && a < in.length && b >= 0 && b < in.length && gdf::is_valid(in, a) && gdf::is_valid(in, b);
        if (valid) { write<T>(out, i, rows[a], rows[b], at, request); }
      }
      valid_rows += gdf::store_valid_word(out, first, valid);
    }
  });
  gdf::post_null_count<threads>(scratch, out, valid_rows);
}
