// The columns of one launch, by value in the parameter block. blockIdx.y is the number of the column. 32 input columns
// and 32 output columns take 3 of the 4 KiB of the parameter block. A kernel declares the parameter as `const
// __grid_constant__ gdf::table_in<32> table`. Indexing then does not copy the columns to local memory.
#pragma once

#include "types.cuh"

namespace gdf {

/// Columns that are read together.
template <int n>
struct table_in {
  column_in column[n];
};

template <int n>
struct table_out {
  column_out column[n];
};

static_assert(sizeof(table_in<32>) + sizeof(table_out<32>) <= 3072);

} // namespace gdf
