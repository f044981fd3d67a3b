// strings::jaccard_index and strings::minhash. jaccard_index computes the share of hashes that two sets have in common.
// minhash computes, for each of several permutations, the smallest permuted hash.

#include <gdf/value_strings.cuh>

GDF_POLICY(jaccard_index, 256, 1, 4);

namespace jaccard_index {

/// A set of hashes for each row. The hashes of a row ascend, and a hash may occur several times.
struct set {
  gdf::column_in rows; // the null mask, and whether one set stands for all rows
  const int32_t* offsets;
  const uint64_t* hashes;

  GDF_DEVICE gdf::extent of(int64_t row) const {
    int64_t const at = (rows.flags & gdf::broadcast) != 0 ? 0 : row;
    return {offsets[at], offsets[at + 1]};
  }

  /// [thread] Returns the first place after `at` with a different hash, or `end` if there is none.
  GDF_DEVICE int64_t next(int64_t at, int64_t end) const {
    uint64_t const hash = hashes[at++];
    while (at < end && hashes[at] == hash) { at++; }
    return at;
  }
};

struct parameters {
  set one;
  set other;
};

struct index {
  static constexpr bool by_warp = false;

  template <bool>
  GDF_DEVICE static bool row(int64_t row, const parameters& p, float& value) {
    if (!gdf::is_valid(p.one.rows, row) || !gdf::is_valid(p.other.rows, row)) { return false; }
    gdf::extent one = p.one.of(row);
    gdf::extent other = p.other.of(row);
    int64_t all = 0;
    int64_t common = 0;
    while (one.begin < one.end || other.begin < other.end) {
      bool const lacks_one = one.begin == one.end;
      bool const lacks_other = other.begin == other.end;
      uint64_t const a = lacks_one ? ~0ull : p.one.hashes[one.begin];
      uint64_t const b = lacks_other ? ~0ull : p.other.hashes[other.begin];
      bool const takes_one = !lacks_one && (lacks_other || a <= b);
      bool const takes_other = !lacks_other && (lacks_one || b <= a);
      if (takes_one) { one.begin = p.one.next(one.begin, one.end); }
      if (takes_other) { other.begin = p.other.next(other.begin, other.end); }
      common += takes_one && takes_other ? 1 : 0;
      all++;
    }
    value = all == 0 ? 0.0f : __fdiv_rn(static_cast<float>(common), static_cast<float>(all));
    return true;
  }
};

} // namespace jaccard_index

/// Writes for each row the number of hashes that are in both sets, divided by the number of hashes that are in at least
/// one set. If both sets are empty, the result is 0. If a row of an input is null, the result is null.
extern "C" __global__ void GDF_BOUNDS(jaccard_index) GDF_VARIANT(jaccard_index, index)
jaccard_index_index_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ jaccard_index::parameters p,
                           gdf::scratch* scratch) {
  gdf::try_value_rows<jaccard_index::index, float, jaccard_index_tuning>(out, p, scratch);
}

GDF_POLICY(minhash, 256, 1, 4);

namespace minhash {

constexpr uint64_t mersenne_prime = (1ull << 61) - 1;

/// The hashes, and the pairs of a factor and a summand. Hashes, factors and summands have 32 bits, or all of them have
/// 64 bits.
struct parameters {
  const int32_t* offsets; // offsets of the hashes of each row
  const void* hashes;
  const void* pairs;
  int64_t count; // number of pairs
};

template <class T>
struct minimum {
  static constexpr bool by_warp = false;

  template <bool>
  GDF_DEVICE static bool row(int64_t element, const parameters& p, T& value) {
    int64_t const row = element / p.count;
    int64_t const which = element % p.count;
    auto const* const pair = static_cast<const T*>(p.pairs) + 2 * which;
    uint64_t const factor = pair[0];
    uint64_t const summand = pair[1];
    int32_t const end = p.offsets[row + 1];
    int32_t at = p.offsets[row];
    value = at < end ? static_cast<T>(~0ull) : 0;
    for (; at < end; at++) {
      uint64_t const hash = static_cast<const T*>(p.hashes)[at];
      T const permuted = static_cast<T>((hash * factor + summand) % mersenne_prime);
      value = permuted < value ? permuted : value;
    }
    return true;
  }
};

} // namespace minhash

/// Writes, for each row and each permutation, the smallest permuted 32-bit hash.
extern "C" __global__ void GDF_BOUNDS(minhash) GDF_VARIANT(minhash, int)
minhash_int_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ minhash::parameters p,
                   gdf::scratch* scratch) {
  gdf::try_value_rows<minhash::minimum<uint32_t>, uint32_t, minhash_tuning>(out, p, scratch);
}

/// Does the same as minhash_int_kernel, for 64-bit hashes.
extern "C" __global__ void GDF_BOUNDS(minhash) GDF_VARIANT(minhash, long)
minhash_long_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ minhash::parameters p,
                    gdf::scratch* scratch) {
  gdf::try_value_rows<minhash::minimum<uint64_t>, uint64_t, minhash_tuning>(out, p, scratch);
}
