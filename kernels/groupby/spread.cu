// Spreads (variances) of groups whose sums of squares have lost digits. After the pass that has made the groups, the
// means of these groups are computed. A second pass then accumulates the differences from the means, and the squares of
// the differences.

#include "accumulate.cuh"

GDF_POLICY(spread, 256, 4, 4);

namespace groupby {

struct spread_words {
  int32_t sum;
  int32_t squares;
  int32_t count;
  // The mean, or NaN if the sums are precise enough. The next words are the sum and the sum of squares of the second
  // pass.
  int32_t mean;
  int32_t bit;  // bit of the state's `spreads`
  int32_t copies; // copies of a group's sums in shared memory, a power of two up to 32; 0 if there is no room
};
static_assert(sizeof(spread_words) == 24);

/// Columns of numbers, or of means of `count` numbers. `m2` has the sums of the squared differences between the numbers
/// and their mean. A column is absent if its `data` is null.
struct spread_columns {
  gdf::column_in values;
  gdf::column_in count;
  gdf::column_in m2;
};

/// The spread counts as precise if it is at least this fraction of the sum of squares. The host has the same constant.
constexpr double min_spread = 1.0 / 4096;

/// The contribution of a row: a number with weight 1, or the mean of `weight` numbers.
struct row_spread {
  double number;
  double weight;
  double m2;
  bool valid;

  GDF_DEVICE row_spread(const spread_columns& in, int64_t row) : number(0), weight(1), m2(0), valid(false) {
    if (!gdf::is_valid(in.values, row)) { return; }
    if (in.count.data != nullptr) {
      if (!gdf::is_valid(in.count, row) || !gdf::is_valid(in.m2, row)) { return; }
      int64_t const n = gdf::element<int64_t>(in.count, row);
      if (n <= 0) { return; }
      weight = static_cast<double>(n);
      m2 = gdf::element<double>(in.m2, row);
    }
    number = as_double(in.values.type, gdf::bits_of(in.values, row));
    valid = true;
  }
};

template <bool packed>
GDF_DEVICE void spread_of_rows(const gdf::row_keys& keys, const spread_columns& in, int64_t rows, int64_t groups,
                               const gdf::group_table& table, const accumulators& acc, const spread_words& words) {
  extern __shared__ __align__(16) unsigned char shared[];
  if ((*static_cast<const volatile u64*>(&table.state->spreads) >> words.bit & 1) == 0) { return; }
  auto const* const means = acc.words + words.mean * acc.stride;
  auto* const sums = reinterpret_cast<double*>(acc.words + (words.mean + 1) * acc.stride);
  auto* const squares = reinterpret_cast<double*>(acc.words + (words.mean + 2) * acc.stride);
  // The cells of a word are contiguous, and the copies of a group are also contiguous.
  auto* const cells = reinterpret_cast<double*>(shared);
  int const copies = words.copies;
  int const upper = static_cast<int>(groups) * copies;
  int const copy = gdf::lane() & (copies - 1);
  for (int i = static_cast<int>(threadIdx.x); i < 2 * upper; i += static_cast<int>(blockDim.x)) { cells[i] = 0; }
  __syncthreads();
  gdf::for_each_index(rows, [&](int64_t r) {
    row_spread const it(in, r);
    if (!it.valid) { return; }
    int64_t const row[1] = {r};
    bool const active[1] = {true};
    gdf::key_probe probe[1];
    gdf::make_probes<packed>(keys, row, active, probe);
    if (!probe[0].used) { return; }
    uint32_t const id = gdf::find_or_insert(table, probe[0], r, gdf::same_word<packed>{keys, probe[0], r});
    if (id >= gdf::lost_id) { return; }
    double const mean = double_of_bits(means[id]);
    if (isnan(mean)) { return; }
    double const difference = __dsub_rn(it.number, mean);
    double const sum = __dmul_rn(it.weight, difference);
    double const square = __dadd_rn(__dmul_rn(sum, difference), it.m2);
    if (copies != 0) {
      int const cell = static_cast<int>(id) * copies + copy;
      atomicAdd(cells + cell, sum);
      atomicAdd(cells + upper + cell, square);
    } else {
      atomicAdd(sums + id, sum);
      atomicAdd(squares + id, square);
    }
  });
  __syncthreads();
  if (copies == 0) { return; }
  for (int g = static_cast<int>(threadIdx.x); g < static_cast<int>(groups); g += static_cast<int>(blockDim.x)) {
    double sum = 0;
    double square = 0;
    for (int c = 0; c < copies; c++) {
      sum += cells[g * copies + c];
      square += cells[upper + g * copies + c];
    }
    if (!isnan(double_of_bits(means[g]))) {
      atomicAdd(sums + g, sum);
      atomicAdd(squares + g, square);
    }
  }
}

} // namespace groupby

/// Finds the groups whose sums are too imprecise. For each such group, the kernel writes the mean, followed by zeros,
/// and sets the bit of the state. For each other group, the kernel writes NaN as the mean.
extern "C" __global__ void GDF_BOUNDS(spread)
spread_means_kernel(int64_t groups, gdf::group_state* state, groupby::accumulators acc, groupby::spread_words words) {
  using namespace groupby;
  bool lost = false;
  gdf::for_each_index(groups, [&](int64_t g) {
    auto const word = [&](int32_t w) -> unsigned long long& { return acc.words[w * acc.stride + g]; };
    double const sum = double_of_bits(word(words.sum));
    double const squares = double_of_bits(word(words.squares));
    u64 const n = word(words.count);
    auto const count = static_cast<double>(n);
    double const spread = __dsub_rn(squares, __dmul_rn(sum, sum) / count);
    bool const kept = !isfinite(sum) || (n > 1 && spread >= squares * min_spread);
    bool const again = !kept && n > 1; // a single number has no spread
    lost = lost || again;
    word(words.mean) = again ? bits_of_double(sum / count) : 0x7ff8000000000000ull;
    word(words.mean + 1) = kept ? bits_of_double(sum) : 0;
    word(words.mean + 2) = kept ? bits_of_double(squares) : 0;
  });
  if (lost) { atomicOr(&state->spreads, 1ull << words.bit); }
}

/// Adds the differences from the means of the groups, and the squares of the differences, to the words after the means.
/// Groups without a mean are skipped. The table contains all groups.
extern "C" __global__ void GDF_BOUNDS(spread) GDF_VARIANT(spread, packed)
spread_packed_kernel(const __grid_constant__ gdf::row_keys keys, const __grid_constant__ groupby::spread_columns in,
                     gdf::row_count rows, int64_t groups, gdf::group_table table, groupby::accumulators acc,
                     groupby::spread_words words) {
  groupby::spread_of_rows<true>(keys, in, rows, groups, table, acc, words);
}

/// Does the same as spread_packed_kernel, for keys that do not pack.
extern "C" __global__ void GDF_BOUNDS(spread) GDF_VARIANT(spread, rows)
spread_rows_kernel(const __grid_constant__ gdf::row_keys keys, const __grid_constant__ groupby::spread_columns in,
                   gdf::row_count rows, int64_t groups, gdf::group_table table, groupby::accumulators acc,
                   groupby::spread_words words) {
  groupby::spread_of_rows<false>(keys, in, rows, groups, table, acc, words);
}
