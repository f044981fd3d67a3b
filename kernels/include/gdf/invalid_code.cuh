// The behavior of kernels for a code that has no meaning for them.
#pragma once

#include <gdf/types.cuh>

namespace gdf {

/// [thread] Stands for a value in the `default` of a switch, and for the functor of an operator that a type does not
/// support. The host never passes such a code. The function does not return, because any value that it returned would
/// be the result of another operator.
template <class T = void>
[[noreturn]] GDF_DEVICE T invalid_code() {
  __trap();
  __builtin_unreachable();
}

/// [thread] Does the same as invalid_code, for loops over rows in which a trap would cost registers. If the call is
/// reached, the behavior is undefined.
template <class T = void>
[[noreturn]] GDF_DEVICE T unreachable_code() {
  __builtin_unreachable();
}

} // namespace gdf
