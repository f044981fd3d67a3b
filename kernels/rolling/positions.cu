// rolling: results that depend only on the bounds of windows. Such a result is the number of rows of the window, or the
// number of a row that represents the window.

#include <gdf/invalid_code.cuh>
#include <gdf/policy.cuh>
#include <gdf/windows.cuh>

GDF_POLICY(window_positions, 256, 1, 6);

namespace rolling {

enum position : int32_t {
  rows_of_window = 0,
  row_number = 1,
  from_begin = 2,      // row `offset` of the window
  from_end = 3,        // the row `offset` rows from the window's end; -1 is the last row
  from_row = 4,        // the row `offset` rows after the current row, if the window contains it
  valid_from_begin = 5, // the same as from_begin among the valid rows; the result is an index among all valid rows
  valid_from_end = 6,
};

struct position_plan {
  int64_t offset;
  int64_t kind;
};

} // namespace rolling

/// Writes integers of 32 or 64 bits.
extern "C" __global__ void GDF_BOUNDS(window_positions)
window_positions_kernel(const __grid_constant__ gdf::column_in counts, const __grid_constant__ gdf::column_in lower,
                        const __grid_constant__ gdf::column_in upper, const __grid_constant__ gdf::column_out out,
                        const __grid_constant__ gdf::window_plan plan,
                        const __grid_constant__ rolling::position_plan p, gdf::scratch* scratch) {
  using namespace rolling;
  constexpr int threads = window_positions_tuning::threads;
  gdf::window_bounds const bounds(plan, lower, upper, out.length);
  gdf::index_reader const counted(counts);
  uint32_t valid_rows = 0;
  int64_t const stride = int64_t{gridDim.x} * threads;
  for (int64_t base = int64_t{blockIdx.x} * threads + gdf::warp() * 32; base < out.length; base += stride) {
    int64_t const row = base + gdf::lane();
    bool valid = false;
    if (row < out.length) {
      gdf::window const rows = bounds[row];
      int64_t low = rows.begin;
      int64_t high = rows.end;
      if (p.kind >= valid_from_begin) {
        low = rows.begin == 0 ? 0 : counted[rows.begin - 1];
        high = rows.end == 0 ? 0 : counted[rows.end - 1];
      }
      int64_t at = 0;
      switch (static_cast<position>(p.kind)) {
        case rows_of_window: at = rows.rows(); break;
        case row_number: at = row - rows.begin + 1; break;
        case from_row: at = row + p.offset; break;
        case from_end:
        case valid_from_end: at = high + p.offset; break;
        case from_begin:
        case valid_from_begin: at = low + p.offset; break;
        default: gdf::invalid_code();
      }
      valid = p.kind <= row_number ? true : at >= low && at < high;
      valid = valid && (p.kind == from_row || rows.rows() >= plan.min_periods);
      gdf::store_index(out.data, out.type, row, valid ? at : 0);
    }
    valid_rows += gdf::store_valid_word(out, base, valid);
  }
  gdf::post_null_count<threads>(scratch, out, valid_rows);
}
