// filling::sequence: each row is the sum of the previous row and a constant step.

#include <gdf/accessor.cuh>
#include <gdf/grid.cuh>
#include <gdf/index.cuh>
#include <gdf/policy.cuh>
#include <gdf/invalid_code.cuh>

GDF_POLICY(sequence, 256, 4, 4);
GDF_POLICY(run_numbers, 256, 4, 4);

namespace filling {

/// [thread] Returns init + r * step. Floats are rounded after each operation, as on the host.
template <class T>
GDF_DEVICE T after(T init, T step, int64_t r) {
  if constexpr (gdf::is_same<T, float>) {
    return __fadd_rn(init, __fmul_rn(step, static_cast<float>(r)));
  } else if constexpr (gdf::is_same<T, double>) {
    return __dadd_rn(init, __dmul_rn(step, static_cast<double>(r)));
  } else {
    auto const steps = static_cast<gdf::u64>(step) * static_cast<gdf::u64>(r);
    return static_cast<T>(static_cast<gdf::u64>(init) + steps);
  }
}

template <class T>
GDF_DEVICE void steps(const gdf::column_in& init, const gdf::column_in& step, const gdf::column_out& out) {
  T const first = gdf::element<T>(init, 0);
  T const between = gdf::element<T>(step, 0);
  auto* const to = static_cast<T*>(out.data);
  constexpr int items = sequence_tuning::items;
  gdf::for_each_tile<sequence_tuning::threads, items>(out.length, [&](int64_t tile, bool) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const r = gdf::row_of<sequence_tuning::threads>(tile, i);
      if (r < out.length) { to[r] = after(first, between, r); }
    }
  });
}

/// [thread] Returns the first of the runs [low, high] that ends after row `r`. Run `high` must end after row `r`.
GDF_DEVICE int64_t run_of(const int64_t* ends, int64_t low, int64_t high, int64_t r) {
  while (low < high) {
    int64_t const middle = low + (high - low) / 2;
    if (__ldg(ends + middle) > r) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

} // namespace filling

/// Sets row r to init + r * step. `init` and `step` have the type of `out`, which is an integer of up to 64 bits, f32
/// or f64.
extern "C" __global__ void GDF_BOUNDS(sequence)
sequence_kernel(const __grid_constant__ gdf::column_in init, const __grid_constant__ gdf::column_in step,
                const __grid_constant__ gdf::column_out out) {
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::i8:
    case gdf::type::u8: filling::steps<uint8_t>(init, step, out); break;
    case gdf::type::i16:
    case gdf::type::u16: filling::steps<uint16_t>(init, step, out); break;
    case gdf::type::i32:
    case gdf::type::u32: filling::steps<uint32_t>(init, step, out); break;
    case gdf::type::i64:
    case gdf::type::u64: filling::steps<uint64_t>(init, step, out); break;
    case gdf::type::f32: filling::steps<float>(init, step, out); break;
    case gdf::type::f64: filling::steps<double>(init, step, out); break;
    default: gdf::invalid_code();
  }
}

/// Sets row r of `out` (unsigned integers of 32 or 64 bits) to the number of the run that contains r. Run i ends before
/// row ends[i], where `ends` is an i64 column without nulls. The ends ascend, and the last end is the length of `out`.
/// If `begins` has data, row r instead becomes begins[i] plus the position of r within run i.
extern "C" __global__ void GDF_BOUNDS(run_numbers)
run_numbers_kernel(const __grid_constant__ gdf::column_in ends, const __grid_constant__ gdf::column_in begins,
                   const __grid_constant__ gdf::column_out out) {
  constexpr int threads = run_numbers_tuning::threads;
  constexpr int items = run_numbers_tuning::items;
  __shared__ int64_t outer[2]; // the run of the first row of a tile, and the run of its last row
  auto const* const end = static_cast<const int64_t*>(ends.data) + ends.offset;
  auto const* const begin = static_cast<const int64_t*>(begins.data) + begins.offset;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool full) {
    if (threadIdx.x < 2) {
      int64_t const last = full ? first + threads * items - 1 : out.length - 1;
      outer[threadIdx.x] = filling::run_of(end, 0, ends.length - 1, threadIdx.x == 0 ? first : last);
    }
    __syncthreads();
    int64_t const low = outer[0];
    int64_t const high = outer[1];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const r = gdf::row_of<threads>(first, i);
      if (r >= out.length) { continue; }
      int64_t const run = filling::run_of(end, low, high, r);
      int64_t const row = begins.data == nullptr ? run : begin[run] + (r - (run == 0 ? 0 : end[run - 1]));
      gdf::store_index(out.data, out.type, r, row);
    }
    __syncthreads(); // the next tile overwrites `outer`
  });
}
