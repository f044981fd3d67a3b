// Writes the keys of all rows, for columns of numbers only, and prepares the passes that sort by the keys. The kernels
// count digits in such a way that no two lanes update the same counter.

#include <gdf/policy.cuh>
#include <gdf/vector.cuh>

#include "key_stats.cuh"
#include "sweep.cuh"

GDF_POLICY(sort_encode_runs, 1024, 8, 1);

namespace sorting_encode_runs {

using namespace sorting;
using tuning = sort_encode_runs_tuning;

constexpr int n = 4; // rows of a run
constexpr int runs = tuning::items / n;

struct nulls {
  uint32_t valid[runs]; // a bit for each row
  u64 of_null;
  u64 of_value;
};

GDF_DEVICE nulls load_nulls(const field& f, int64_t first, int64_t rows) {
  bool const has_bit = f.null_position >= 0;
  u64 const null_bit = has_bit ? 1ull << f.null_position : 0;
  bool const nulls_are_first = f.of.flags & nulls_first;
  nulls all;
  all.of_null = nulls_are_first ? 0 : null_bit;
  all.of_value = nulls_are_first ? null_bit : 0;
#pragma unroll
  for (int r = 0; r < runs; r++) {
    int64_t const row = gdf::run_row<tuning::threads, n>(first, r);
    all.valid[r] = has_bit ? gdf::valid_run<n>(f.of.column, row, rows) : ~0u;
  }
  return all;
}

/// [thread] Adds the field of the rows of a tile to their keys.
template <class Order>
GDF_DEVICE void add_field(const Order& order, const field& f, const nulls& nulls, int64_t first,
                          bool full, int64_t rows, u64 (&key)[runs][n]) {
  using stored = typename Order::stored;
  using word = std::conditional_t<sizeof(stored) <= 4, uint32_t, u64>;
  gdf::values<stored> const in(f.of.column);
  gdf::run<stored, n> run[runs];
#pragma unroll
  for (int r = 0; r < runs; r++) {
    int64_t const row = gdf::run_row<tuning::threads, n>(first, r);
    run[r] = full ? gdf::load_run<n>(in.first + row) : gdf::load_run<n>(in, row, rows);
  }
  auto const base = static_cast<word>(f.base[0]);
  bool const down = f.of.flags & descending;
#pragma unroll
  for (int r = 0; r < runs; r++) {
#pragma unroll
    for (int i = 0; i < n; i++) {
      auto const own = static_cast<word>(order.ordered(run[r].row[i]));
      word const distance = (down ? base - own : own - base) >> f.shift;
      u64 const bits = f.bits > 0 ? static_cast<u64>(distance) << f.position : 0;
      key[r][i] |= nulls.valid[r] >> i & 1 ? bits | nulls.of_value : nulls.of_null;
    }
  }
}

template <class Key>
GDF_DEVICE void encode(const fields& in, int count, int64_t rows, Key* keys, const sweep& state,
                       int shift, gdf::scratch* scratch) {
  extern __shared__ uint32_t sort_encode_words[];
  digit_counts const counts{sort_encode_words, shift};
  begin_sweep<tuning::threads>(state, counts);
  gdf::for_each_tile<tuning::threads, tuning::items>(rows, [&](int64_t first, bool full) {
    u64 key[runs][n] = {};
#pragma unroll 1
    for (int f = 0; f < count; f++) {
      nulls const nulls = load_nulls(in.at[f], first, rows);
      by_order(in.at[f].of.column.type, [&]<class Order>(const Order& order) {
        if constexpr (sorting_stats::has_runs<Order>()) {
          add_field(order, in.at[f], nulls, first, full, rows, key);
        }
      });
    }
#pragma unroll
    for (int r = 0; r < runs; r++) {
      int64_t const row = gdf::run_row<tuning::threads, n>(first, r);
      gdf::run<Key, n> out;
#pragma unroll
      for (int i = 0; i < n; i++) { out.row[i] = static_cast<Key>(key[r][i]); }
      gdf::store_run(keys, row, rows, out);
#pragma unroll
      for (int i = 0; i < n; i++) {
        if (full || row + i < rows) {
          count_digits(state, counts, static_cast<Key>(out.row[i] >> state.first_bit));
        }
      }
    }
  });
  finish_sweep<tuning::threads>(state, counts, scratch);
}

} // namespace sorting_encode_runs

/// Writes keys of at most 32 bits, which must be the whole key: state.passes is at most 4. Dynamic shared memory must
/// have 1 KiB << shift for each pass, and `shift` is at most 5.
extern "C" __global__ void GDF_BOUNDS(sort_encode_runs) GDF_VARIANT(sort_encode_runs, k32)
sort_encode_runs_k32_kernel(const __grid_constant__ sorting::fields in, int count, gdf::row_count rows,
                            void* keys, const __grid_constant__ sorting::sweep state,
                            int shift, gdf::scratch* scratch) {
  sorting_encode_runs::encode(in, count, rows, static_cast<uint32_t*>(keys), state, shift, scratch);
}

/// Does the same as sort_encode_runs_k32_kernel, for keys of at most 64 bits.
extern "C" __global__ void GDF_BOUNDS(sort_encode_runs) GDF_VARIANT(sort_encode_runs, k64)
sort_encode_runs_k64_kernel(const __grid_constant__ sorting::fields in, int count, gdf::row_count rows,
                            void* keys, const __grid_constant__ sorting::sweep state,
                            int shift, gdf::scratch* scratch) {
  sorting_encode_runs::encode(in, count, rows, static_cast<unsigned long long*>(keys), state, shift,
                              scratch);
}
