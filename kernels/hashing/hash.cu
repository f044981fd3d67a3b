// hashing: computes a hash of each row of a table. For tables of numbers, the number of bytes in flight limits the
// speed, so every thread loads several rows at the same time.

#include <gdf/grid.cuh>
#include <gdf/hash_rows.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(hash, 256, 8, 4);
GDF_POLICY(hash_128, 256, 4, 4); // a state takes four registers

namespace hashing {

struct words_out {
  uint32_t* data;

  GDF_DEVICE uint32_t get(int64_t row) const { return data[row]; }
  GDF_DEVICE void set(int64_t row, uint32_t value) const { data[row] = value; }
};

struct longs_out {
  gdf::u64* data;

  GDF_DEVICE gdf::u64 get(int64_t row) const { return data[row]; }
  GDF_DEVICE void set(int64_t row, gdf::u64 value) const { data[row] = value; }
};

struct pairs_out {
  gdf::u64* low;
  gdf::u64* high;

  GDF_DEVICE gdf::murmurhash3_x64_128::value get(int64_t row) const {
    return {low[row], high[row]};
  }
  GDF_DEVICE void set(int64_t row, gdf::murmurhash3_x64_128::value value) const {
    low[row] = value.low;
    high[row] = value.high;
  }
};

/// [block] Computes the hashes of the rows. If `begun`, `out` contains the hashes of the previous columns, and the
/// function continues these hashes.
template <class F, class tuning, class Out>
GDF_DEVICE void hash(const gdf::hashed_table<32>& table, int64_t rows, typename F::seed seed,
                     bool begun, const Out& out) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    if (F::of_numbers || table.narrow != 0) {
      typename F::value state[items];
#pragma unroll
      for (int i = 0; i < items; i++) {
        int64_t const row = gdf::row_of<threads>(first, i);
        state[i] = begun && row < rows ? out.get(row) : typename F::value{};
      }
      gdf::hash_narrow_rows<F, threads>(table, first, rows, seed, begun, state);
#pragma unroll
      for (int i = 0; i < items; i++) {
        int64_t const row = gdf::row_of<threads>(first, i);
        if (row < rows) { out.set(row, state[i]); }
      }
    } else if constexpr (!F::of_numbers) {
#pragma unroll 1
      for (int i = 0; i < items; i++) {
        int64_t const row = gdf::row_of<threads>(first, i);
        if (row >= rows) { break; }
        auto const before = begun ? out.get(row) : typename F::value{};
        out.set(row, gdf::hash_table_row<F>(table, row, seed, begun, before));
      }
    }
  });
}

} // namespace hashing

/// Defines a kernel that computes the hashes of `rows` rows, at least one. If `begun` is not 0, `out` contains the
/// hashes of the previous columns.
#define GDF_HASH(policy, name, T, ...)                                                              \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(hash, name)                             \
  hash_##name##_kernel(const __grid_constant__ gdf::hashed_table<32> table, gdf::row_count rows,           \
                       unsigned long long seed, int begun, void* out, void* high) {                 \
    hashing::hash<gdf::T, policy##_tuning>(table, rows, static_cast<gdf::T::seed>(seed), begun != 0, \
                                           __VA_ARGS__);                                            \
  }                                                                                                 \
  static_assert(true)

GDF_HASH(hash, murmurhash3_x86_32, murmurhash3_x86_32, hashing::words_out{static_cast<uint32_t*>(out)});
GDF_HASH(hash, xxhash_32, xxhash_32, hashing::words_out{static_cast<uint32_t*>(out)});
GDF_HASH(hash, xxhash_64, xxhash_64, hashing::longs_out{static_cast<unsigned long long*>(out)});
/// Computes the identity instead of a hash. Partitioning uses this kernel for more columns than one launch of the
/// partition kernels takes.
GDF_HASH(hash, identity, identity_hash, hashing::words_out{static_cast<uint32_t*>(out)});
GDF_HASH(hash_128, murmurhash3_x64_128, murmurhash3_x64_128,
         hashing::pairs_out{static_cast<unsigned long long*>(out), static_cast<unsigned long long*>(high)});
