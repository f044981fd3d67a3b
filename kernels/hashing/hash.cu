// hashing: a hash per row of a table, in one launch for up to 32 columns; further ones take a launch
// that goes on from what the one before has written. What limits a table of numbers is how many bytes
// are under way, so every thread has the loads of several rows in flight.

#include <gdf/grid.cuh>
#include <gdf/hash_rows.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(hash, 256, 8, 4);
GDF_POLICY(hash_128, 256, 4, 4); // its states are four registers

namespace hashing {

/// Where the hashes of one function go; `begun`: they are those of the columns before these.
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

/// [block]
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

/// The hashes of `rows` rows; with `begun` nonzero, `out` holds those of the columns before.
extern "C" __global__ void GDF_BOUNDS(hash)
hash_murmurhash3_x86_32_kernel(const __grid_constant__ gdf::hashed_table<32> table, int64_t rows,
                               uint32_t seed, int begun, uint32_t* out) {
  hashing::hash<gdf::murmurhash3_x86_32, hash_tuning>(table, rows, seed, begun != 0, hashing::words_out{out});
}

/// As above.
extern "C" __global__ void GDF_BOUNDS(hash)
hash_xxhash_32_kernel(const __grid_constant__ gdf::hashed_table<32> table, int64_t rows,
                      uint32_t seed, int begun, uint32_t* out) {
  hashing::hash<gdf::xxhash_32, hash_tuning>(table, rows, seed, begun != 0, hashing::words_out{out});
}

/// As above.
extern "C" __global__ void GDF_BOUNDS(hash)
hash_xxhash_64_kernel(const __grid_constant__ gdf::hashed_table<32> table, int64_t rows,
                      unsigned long long seed, int begun, unsigned long long* out) {
  hashing::hash<gdf::xxhash_64, hash_tuning>(table, rows, seed, begun != 0, hashing::longs_out{out});
}

/// As above: for partitioning by many columns.
extern "C" __global__ void GDF_BOUNDS(hash)
hash_identity_kernel(const __grid_constant__ gdf::hashed_table<32> table, int64_t rows,
                     uint32_t seed, int begun, uint32_t* out) {
  hashing::hash<gdf::identity_hash, hash_tuning>(table, rows, seed, begun != 0,
                                                 hashing::words_out{out});
}

/// As above; the words of each hash go to two columns.
extern "C" __global__ void GDF_BOUNDS(hash_128)
hash_murmurhash3_x64_128_kernel(const __grid_constant__ gdf::hashed_table<32> table, int64_t rows,
                                unsigned long long seed, int begun, unsigned long long* low,
                                unsigned long long* high) {
  hashing::hash<gdf::murmurhash3_x64_128, hash_128_tuning>(table, rows, seed, begun != 0,
                                          hashing::pairs_out{low, high});
}
