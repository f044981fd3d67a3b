// The reaction of kernels to a code that has no meaning for them.
#pragma once

#include <gdf/types.cuh>

namespace gdf {

/// [thread] Instead of a value: the `default` of a switch, and the functor of an operator that a type does not have.
/// The host passes no such code; any value would be the result of another operator.
template <class T = void>
[[noreturn]] GDF_DEVICE T invalid_code() {
  __trap();
  __builtin_unreachable();
}

/// [thread] As invalid_code, where a trap costs registers in a loop over rows: nothing is known of what happens.
template <class T = void>
[[noreturn]] GDF_DEVICE T unreachable_code() {
  __builtin_unreachable();
}

} // namespace gdf
