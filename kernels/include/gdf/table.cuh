// Several columns in one launch, by value in the parameter block: blockIdx.y is the column. 32 in
// and 32 out take 3 of the 4 KiB. Take them as `const __grid_constant__ gdf::table_in<32> table`, so
// that indexing does not copy them to local memory.
#pragma once

#include "types.cuh"

namespace gdf {

/// Columns read together; the launch uses the first gridDim.y (or a count it is passed).
template <int n>
struct table_in {
  column_in column[n];
};

/// Columns written together.
template <int n>
struct table_out {
  column_out column[n];
};

static_assert(sizeof(table_in<32>) + sizeof(table_out<32>) <= 3072);

} // namespace gdf
