// Computes the results of a group-by. Keys are gathered from one row of each group. Sums, means and other results are
// computed from the words of the accumulators.

#include "accumulate.cuh"

#include <gdf/wide.cuh>

namespace groupby {

constexpr int finish_columns = 16;

enum finalize : int32_t {
  gather = 0,        // the value of the input in row `word`; null if there is no such row
  gather_key = 1,    // the same as gather, but floats of up to eight bytes are normalized
  copy = 2,          // the lower bytes of `word`
  copy_f64 = 3,      // `word` as a number of the floating type of the result
  copy_i128 = 4,     // two words
  ordered = 5,       // the value whose order number (order_of_bits) is `word`
  mean_f64 = 6,      // `word` / count
  mean_signed = 7,
  mean_unsigned = 8,
  mean_wide = 9,     // the same for a sum of two words
  mean_i128 = 10,    // a sum of two words / count, truncated toward zero, in the width of the result
  variance = 11,     // from sum `word` and sum of squares `other`
  deviation = 12,
  squared_differences = 14, // the sum of squared differences from the mean, from the same words as variance
  unpack = 13,       // the key in the `count` bits of `word` from bit `other` on; null if bit `ddof` is set
};

struct result {
  int32_t finalize;
  int32_t word;
  int32_t other;
  // The word with the number of values, or -1 if the result has no nulls. The result is null if the number is 0 or, for
  // a variance, at most `ddof`.
  int32_t count;
  int32_t ddof;
  int32_t ranged; // unpack: not 0 if the bits are the order number minus `base`
  u64 base;
};
static_assert(sizeof(result) == 32);

struct results {
  result column[finish_columns];
};

struct group_rows {
  const unsigned long long* row; // points to the row of the tile's first group

  GDF_DEVICE int64_t operator()(int r) const { return static_cast<int64_t>(row[r]); }
};

GDF_DEVICE void store_bits(const gdf::column_out& out, int64_t row, u64 bits) {
  switch (gdf::width_of(out.type)) {
    case 1: static_cast<uint8_t*>(out.data)[row] = static_cast<uint8_t>(bits); break;
    case 2: static_cast<uint16_t*>(out.data)[row] = static_cast<uint16_t>(bits); break;
    case 4: static_cast<uint32_t*>(out.data)[row] = static_cast<uint32_t>(bits); break;
    case 8: static_cast<u64*>(out.data)[row] = bits; break;
    default: gdf::invalid_code();
  }
}

GDF_DEVICE void store_wide(const gdf::column_out& out, int64_t row, gdf::i128 value) {
  if (gdf::width_of(out.type) == 16) {
    gdf::store(static_cast<gdf::i128*>(out.data) + row, value);
  } else {
    store_bits(out, row, static_cast<u64>(value));
  }
}

GDF_DEVICE void store_double(const gdf::column_out& out, int64_t row, double value) {
  switch (static_cast<gdf::type>(out.type)) {
    case gdf::type::f16: static_cast<gdf::f16*>(out.data)[row] = __double2half(value); break;
    case gdf::type::f32: static_cast<float*>(out.data)[row] = static_cast<float>(value); break;
    case gdf::type::f64: static_cast<double*>(out.data)[row] = value; break;
    default: gdf::invalid_code();
  }
}

/// [thread] Writes the result of a group and returns whether the result is valid. `bit` becomes the value of a boolean
/// result.
GDF_DEVICE bool finish_group(const gdf::column_in& in, const gdf::column_out& out,
                             const result& result, const accumulators& acc, int64_t group, bool& bit) {
  bool const is_key = result.finalize == unpack;
  int64_t const at = acc.keys == nullptr ? group : acc.keys[group];
  u64 const word = is_key && acc.keys != nullptr ? static_cast<u64>(at) : acc.words[result.word * acc.stride + at];
  u64 const n = result.count < 0 || is_key ? 1 : acc.words[result.count * acc.stride + at];
  bool const boolean = out.type == static_cast<int32_t>(gdf::type::boolean);
  bit = false;
  if (is_key) {
    u64 value = word >> result.other & gdf::low_bits64(result.count);
    bool const valid = result.ddof == gdf::no_bit || (word >> result.ddof & 1) == 0;
    if (result.ranged != 0) { value = gdf::bits_of_order(out.type, value + result.base); }
    if (!valid) { value = 0; }
    if (boolean) {
      bit = value & 1;
    } else {
      store_bits(out, group, value);
    }
    return valid;
  }
  switch (result.finalize) {
    case gather_key: {
      auto const row = static_cast<int64_t>(word);
      bool const valid = gdf::is_valid(in, row);
      store_bits(out, group, valid ? gdf::canonical_bits(in.type, gdf::bits_of(in, row)) : 0);
      return valid;
    }
    case copy: store_bits(out, group, word); return n != 0;
    case ordered: {
      u64 const bits = n == 0 ? 0 : gdf::bits_of_order(out.type, word);
      if (boolean) {
        bit = bits & 1;
      } else {
        store_bits(out, group, bits);
      }
      return n != 0;
    }
    case copy_f64: store_double(out, group, double_of_bits(word)); return n != 0;
    case copy_i128:
    case mean_wide:
    case mean_i128: {
      u64 const upper = acc.words[(result.word + 1) * acc.stride + at];
      auto value = static_cast<gdf::i128>(static_cast<gdf::u128>(upper) << 64 | word);
      if (result.finalize == mean_wide) {
        store_double(out, group, n == 0 ? 0 : gdf::nearest_double(value) / static_cast<double>(n));
        return n != 0;
      }
      if (result.finalize == mean_i128) { value = n == 0 ? 0 : value / static_cast<gdf::i128>(n); }
      store_wide(out, group, value);
      return n != 0;
    }
    case mean_f64:
      store_double(out, group, n == 0 ? 0 : double_of_bits(word) / static_cast<double>(n));
      return n != 0;
    case mean_signed:
      store_double(out, group,
                   n == 0 ? 0 : static_cast<double>(static_cast<int64_t>(word)) / static_cast<double>(n));
      return n != 0;
    case mean_unsigned:
      store_double(out, group, n == 0 ? 0 : static_cast<double>(word) / static_cast<double>(n));
      return n != 0;
    case variance:
    case deviation:
    case squared_differences: {
      double const sum = double_of_bits(word);
      double const squares = double_of_bits(acc.words[result.other * acc.stride + at]);
      auto const count = static_cast<double>(n);
      bool const valid = static_cast<int64_t>(n) > result.ddof;
      double value = 0;
      if (valid) {
        value = __dsub_rn(squares, __dmul_rn(sum, sum) / count);
        if (value < 0) { value = 0; }
        if (result.finalize != squared_differences) { value = value / (count - result.ddof); }
        if (result.finalize == deviation) { value = sqrt(value); }
      }
      store_double(out, group, value);
      return valid;
    }
    default: return gdf::invalid_code<bool>(); // other code gathers rows, and the code above unpacks keys
  }
}

} // namespace groupby

/// Measures string column blockIdx.y of the result, which has a row per group. The total is posted to mailbox[word].
/// The accumulators hold the row numbers of the inputs to gather, or ~0. Column y uses ticket 32 + y.
extern "C" __global__ void GDF_BOUNDS(aggregate_finish)
aggregate_sizes_kernel(const gdf::group_state* state, groupby::accumulators acc,
                       const __grid_constant__ gdf::table_in<32> in,
                       const __grid_constant__ gdf::copy_table copy,
                       const __grid_constant__ groupby::results results, unsigned long long* counts,
                       gdf::tile_count tiles, gdf::scratch* scratch, unsigned long long* mailbox) {
  using tuning = aggregate_finish_tuning;
  constexpr int threads = tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  gdf::copy_descriptor const& column = copy.column[c];
  if (column.kind != gdf::copy_strings) { return; }
  if (state->overflow != 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0) { gdf::post(mailbox + column.word, 0); }
    return;
  }
  auto const groups = static_cast<int64_t>(state->groups);
  auto const* const rows = acc.words + results.column[c].word * acc.stride;
  counts += column.slot * tiles;
  int64_t const used = (groups + tuning::tile - 1) / tuning::tile;
  for (int64_t t = blockIdx.x; t < used; t += gridDim.x) {
    gdf::u64 bytes = 0;
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const group = gdf::row_of<threads>(t * tuning::tile, i);
      if (group < groups) {
        auto const row = static_cast<int64_t>(rows[group]);
        if (row >= 0 && gdf::is_valid(in.column[c], row)) {
          bytes += gdf::extent_within(in.column[c], row, column.bytes).size();
        }
      }
    }
    bytes = gdf::block_sum<threads>(bytes);
    if (threadIdx.x == 0) { counts[t] = bytes; }
  }
  gdf::finish_tile_counts<threads, 6>(scratch, 32 + c, gridDim.x, counts, used,
                                      mailbox + column.word);
}

/// Writes column blockIdx.y of the result, which has a row per group. The column is gathered from column blockIdx.y of
/// the inputs, or computed from accumulators.
extern "C" __global__ void GDF_BOUNDS(aggregate_finish)
aggregate_finish_kernel(int64_t groups, groupby::accumulators acc,
                        const __grid_constant__ gdf::table_in<32> in,
                        const __grid_constant__ gdf::copy_table copy,
                        const __grid_constant__ groupby::results results,
                        const __grid_constant__ gdf::table_out<groupby::finish_columns> out,
                        const unsigned long long* counts, gdf::tile_count tiles, gdf::scratch* scratch) {
  using tuning = aggregate_finish_tuning;
  constexpr int threads = tuning::threads;
  int const c = static_cast<int>(blockIdx.y);
  groupby::result const& result = results.column[c];
  gdf::column_out const& target = out.column[c];
  gdf::copy_descriptor const& column = copy.column[c];
  uint32_t valid = 0;
  if (result.finalize == groupby::gather) {
    int64_t const used = (groups + tuning::tile - 1) / tuning::tile;
    for (int64_t t = blockIdx.x; t < used; t += gridDim.x) {
      int64_t const first = t * tuning::tile;
      int64_t const left = groups - first;
      gdf::copy_tile const tile{
        first, left < tuning::tile ? static_cast<int>(left) : tuning::tile};
      groupby::group_rows const source{acc.words + result.word * acc.stride + first};
      valid += gdf::move_tile<threads>(in, copy, c, target, tile, source);
      if (column.kind == gdf::copy_strings) {
        gdf::u64 const base = __ldg(counts + column.slot * tiles + t);
        gdf::u64 const behind =
          gdf::move_strings<threads>(in, copy, c, target, tile, base, source);
        if (t + 1 == used && threadIdx.x == 0) {
          gdf::store_offset(target.offsets, target.flags & gdf::wide_offsets, groups,
                            static_cast<int64_t>(behind));
        }
      }
    }
  } else {
    bool const boolean = target.type == static_cast<int32_t>(gdf::type::boolean);
    gdf::for_each_tile<threads, tuning::items>(groups, [&](int64_t first, bool) {
#pragma unroll 1
      for (int i = 0; i < tuning::items; i++) {
        int64_t const group = gdf::row_of<threads>(first, i);
        if (group - gdf::lane() >= groups) { break; }
        bool bit = false;
        bool const is_valid =
          group < groups &&
          groupby::finish_group(in.column[c], target, result, acc, group, bit);
        if (boolean) {
          uint32_t const bits = __ballot_sync(~0u, bit);
          if (gdf::lane() == 0) { static_cast<uint32_t*>(target.data)[group >> 5] = bits; }
        }
        valid += gdf::store_valid_word(target, group - gdf::lane(), is_valid);
      }
    });
  }
  gdf::post_null_count<threads>(scratch, target, valid);
}
