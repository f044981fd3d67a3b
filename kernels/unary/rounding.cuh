// Exact functions of floats.
#pragma once

#include <gdf/elementwise.cuh>
#include <gdf/invalid_code.cuh>

namespace unary_operation {

/// Exact functions of floats in their stored precision.
#define UNARY_ROUNDING(OPERATOR)         \
  OPERATOR(ceil, ceilf(x), ::ceil(x))    \
  OPERATOR(floor, floorf(x), ::floor(x)) \
  OPERATOR(rint, rintf(x), ::rint(x))    \
  OPERATOR(sqrt, sqrtf(x), ::sqrt(x))

enum class rounding : int32_t { UNARY_ROUNDING(GDF_OPERATOR_CODE) };

#define UNARY_ROUNDING_FLOAT(name, single, twice) \
  case rounding::name: return single;
#define UNARY_ROUNDING_DOUBLE(name, single, twice) \
  case rounding::name: return twice;

GDF_DEVICE float apply_rounding(int32_t code, float x) {
  switch (static_cast<rounding>(code)) {
    UNARY_ROUNDING(UNARY_ROUNDING_FLOAT)
    default: return gdf::unreachable_code<float>();
  }
}

GDF_DEVICE double apply_rounding(int32_t code, double x) {
  switch (static_cast<rounding>(code)) {
    UNARY_ROUNDING(UNARY_ROUNDING_DOUBLE)
    default: return gdf::unreachable_code<double>();
  }
}

} // namespace unary_operation
