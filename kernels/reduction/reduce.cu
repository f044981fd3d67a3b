// reduction::reduce: one value of all rows that are not null, in one launch. Blocks walk the rows with
// 16-byte loads, four in flight per thread; each leaves a partial result, and the block that ends last
// combines these and writes the scalar. Which row meets which is fixed by the number of rows and of
// blocks, so floats come out with the same bits every time. Rows are widened to 64 bits, double, 128 or
// 256 bits first, so that the code grows with types plus operations, not types times operations.

#include <gdf/block_sum.cuh>
#include <gdf/grid.cuh>
#include <gdf/last_block.cuh>
#include <gdf/policy.cuh>
#include <gdf/vector.cuh>

#include "operation.cuh"

/// The items are loads (8 bytes of rows of one byte, else 16 or a row; words of 32 rows for bits), not rows.
GDF_POLICY(reduction_reduce, 256, 4, 4);
/// The same for 256-bit rows, which take more registers.
GDF_POLICY(reduction_reduce_widest, 256, 4, 3);

namespace reduction_reduce {

using tuning = reduction_reduce_tuning;
constexpr int threads = tuning::threads;
constexpr int items = tuning::items;
static_assert(reduction_reduce_widest_tuning::tile == tuning::tile);

/// The ticket of these kernels.
constexpr int ticket = 40;

/// Bytes of a partial result: up to 32 of value, 8 of count, 8 unused. The host launches no more
/// blocks than fit.
constexpr int partial_words = 6;
constexpr int max_partials = sizeof(gdf::scratch::partials) / (partial_words * 8);
static_assert(max_partials == 1280);

/// Rows of a load: 16 bytes, but not more than eight rows, since those of an address that is not
/// aligned come one by one and take a register each.
template <class T>
constexpr int rows_per_load = sizeof(T) == 1 ? 8 : sizeof(T) < 16 ? 16 / sizeof(T) : 1;

/// [thread] This thread's rows of a column of T.
template <class T, class Op>
GDF_DEVICE void scan(const gdf::column_in& in, const Op& op, typename Op::value& all,
                     gdf::u64& count) {
  constexpr int n = rows_per_load<T>;
  using run = gdf::run<T, n>;
  auto const* const data = static_cast<const T*>(in.data) + in.offset;
  bool const aligned = gdf::is_aligned(data, alignof(run));
  int64_t const runs = (in.length + n - 1) / n;
  gdf::for_each_tile<threads, items>(runs, [&](int64_t first, bool) {
    run loaded[items];
    uint32_t valid[items];
    if (aligned && (first + threads * items) * n <= in.length) {
      auto const* const source = reinterpret_cast<const run*>(data) + first + threadIdx.x;
#pragma unroll
      for (int i = 0; i < items; i++) { loaded[i] = source[i * threads]; }
    } else {
#pragma unroll
      for (int i = 0; i < items; i++) {
        loaded[i] = gdf::load_run<n>(gdf::values<T>(in), gdf::row_of<threads>(first, i) * n, in.length);
      }
    }
    if (in.validity == nullptr && first + threads * items <= in.length / n) {
      count += items * n;
#pragma unroll
      for (int i = 0; i < items; i++) {
#pragma unroll
        for (int j = 0; j < n; j++) { op.add(all, loaded[i].row[j]); }
      }
      return;
    }
    // A lane loads a word of the warp's validity, a load of a warp's rows having n words.
    static_assert(items * n <= 32);
    uint32_t word = 0;
    if (gdf::lane() < items * n) {
      int64_t const load = first + gdf::lane() / n * threads + gdf::warp() * 32;
      word = gdf::valid_word(in, load * n + gdf::lane() % n * 32, in.length);
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const bit = gdf::lane() * n;
      valid[i] = __shfl_sync(~0u, word, i * n + (bit >> 5)) >> (bit & 31) & gdf::low_bits(n);
      count += __popc(valid[i]);
#pragma unroll
      for (int j = 0; j < n; j++) {
        if (valid[i] >> j & 1) { op.add(all, loaded[i].row[j]); }
      }
    }
  });
}

/// [thread] This thread's rows, 32 at a time, of a boolean column; of any column if `masks_only`, as
/// far as validity goes.
template <bool masks_only, class Op>
GDF_DEVICE void scan_bits(const gdf::column_in& in, const Op& op, typename Op::value& all,
                          gdf::u64& count) {
  gdf::for_each_tile<threads, items>(gdf::words_for(in.length), [&](int64_t first, bool) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i) * 32;
      uint32_t const valid = gdf::valid_word(in, row, in.length);
      count += __popc(valid);
      if constexpr (!masks_only) {
        uint32_t const bits = gdf::boolean_word(in, row, in.length);
        op.add_bits(all, __popc(bits & valid), __popc(~bits & valid));
      }
    }
  });
}

/// [thread] This thread's rows, whatever their type; those that the operation does not take are the
/// host's to refuse.
template <class Op>
GDF_DEVICE void scan_any(const gdf::column_in& in, const Op& op, typename Op::value& all,
                         gdf::u64& count) {
  auto const typed = [&]<class T>() {
    if constexpr (Op::template takes<T>) { scan<T>(in, op, all, count); }
  };
  switch (static_cast<gdf::type>(in.type)) {
    case gdf::type::boolean:
      if constexpr (Op::takes_bits) { scan_bits<false>(in, op, all, count); }
      break;
    case gdf::type::i8: typed.template operator()<int8_t>(); break;
    case gdf::type::i16: typed.template operator()<int16_t>(); break;
    case gdf::type::i32: typed.template operator()<int32_t>(); break;
    case gdf::type::i64: typed.template operator()<long long>(); break;
    case gdf::type::u8: typed.template operator()<uint8_t>(); break;
    case gdf::type::u16: typed.template operator()<uint16_t>(); break;
    case gdf::type::u32: typed.template operator()<uint32_t>(); break;
    case gdf::type::u64: typed.template operator()<gdf::u64>(); break;
    case gdf::type::f16: typed.template operator()<half>(); break;
    case gdf::type::f32: typed.template operator()<float>(); break;
    case gdf::type::f64: typed.template operator()<double>(); break;
    case gdf::type::i128: typed.template operator()<gdf::i128>(); break;
    case gdf::type::i256: typed.template operator()<gdf::i256>(); break;
    default: break;
  }
}

/// A value in the words that shuffles and scratch take.
template <class Value>
union packed {
  static constexpr int words = sizeof(Value) / 8;
  static_assert(sizeof(Value) % 8 == 0 && words <= partial_words - 1);
  gdf::u64 word[words];
  Value value;
  GDF_DEVICE packed() {}
  GDF_DEVICE explicit packed(const Value& v) { value = v; }
};

/// [warp] The value of the lane `step` above.
template <class Value>
GDF_DEVICE Value shuffle_down(const Value& value, int step) {
  packed<Value> bits(value);
#pragma unroll
  for (int i = 0; i < packed<Value>::words; i++) {
    bits.word[i] = __shfl_down_sync(~0u, bits.word[i], step);
  }
  return bits.value;
}

/// [block] Merges the threads' values, always in the same order; the result is thread 0's.
template <class Op>
GDF_DEVICE void merge_block(const Op& op, typename Op::value& all, gdf::u64& count) {
  constexpr int warps = threads / 32;
  __shared__ gdf::u64 slots[warps][packed<typename Op::value>::words];
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) { all = op.merge(all, shuffle_down(all, step)); }
  __syncthreads(); // the slots may still be read from a call before
  if (gdf::lane() == 0) {
    packed<typename Op::value> const bits(all);
#pragma unroll
    for (int i = 0; i < packed<typename Op::value>::words; i++) {
      slots[gdf::warp()][i] = bits.word[i];
    }
  }
  __syncthreads();
  if (gdf::warp() == 0) {
    packed<typename Op::value> bits(Op::identity());
    if (gdf::lane() < warps) {
#pragma unroll
      for (int i = 0; i < packed<typename Op::value>::words; i++) {
        bits.word[i] = slots[gdf::lane()][i];
      }
    }
    all = bits.value;
#pragma unroll
    for (int step = warps / 2; step > 0; step >>= 1) {
      all = op.merge(all, shuffle_down(all, step));
    }
  }
  count = gdf::block_sum<threads>(count);
}

/// [block] Leaves the block's value for the last one, which merges all of them in the order of the
/// blocks. True in the block that then holds the result, in thread 0.
template <class Op>
GDF_DEVICE bool merge_grid(const Op& op, typename Op::value& all, gdf::u64& count,
                           gdf::scratch* scratch) {
  using bits_t = packed<typename Op::value>;
  if (gridDim.x == 1) { return true; }
  auto* const partials = reinterpret_cast<gdf::u64*>(scratch->partials);
  if (threadIdx.x == 0) {
    gdf::u64* const mine = partials + blockIdx.x * partial_words;
    bits_t const bits(all);
#pragma unroll
    for (int i = 0; i < bits_t::words; i++) { mine[i] = bits.word[i]; }
    mine[bits_t::words] = count;
  }
  if (!gdf::is_last_block(scratch, ticket, gridDim.x)) { return false; }
  all = Op::identity();
  count = 0;
  for (uint32_t b = threadIdx.x; b < gridDim.x; b += threads) {
    const gdf::u64* const other = partials + b * partial_words;
    bits_t bits(Op::identity());
#pragma unroll
    for (int i = 0; i < bits_t::words; i++) { bits.word[i] = __ldcv(other + i); }
    all = op.merge(all, bits.value);
    count += __ldcv(other + bits_t::words);
  }
  merge_block(op, all, count);
  return true;
}

/// [block] The whole of a reduction.
template <bool masks_only, class Op>
GDF_DEVICE void reduce(const gdf::column_in& in, const gdf::column_out& out, const Op& op,
                       bool nullable, gdf::scratch* scratch) {
  typename Op::value all = Op::identity();
  gdf::u64 count = 0;
  if constexpr (masks_only) {
    if (!op.all) { scan_bits<true>(in, op, all, count); }
  } else {
    scan_any(in, op, all, count);
  }
  merge_block(op, all, count);
  if (!merge_grid(op, all, count, scratch)) { return; }
  if (threadIdx.x == 0) {
    op.write(in, out, all, count);
    write_validity(out, count != 0 || !nullable);
  }
}

} // namespace reduction_reduce

/// Defines a kernel that reduces `in` (in.length > 0, at most max_partials blocks, nothing broadcast)
/// to the one row of `out`, by the operation that the last argument makes of `options`. Ticket 40,
/// partials.
#define GDF_REDUCTION(policy, name, masks_only, ...)                                      \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(reduction_reduce, name)       \
  reduction_##name##_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_out out, \
       reduction_reduce::options options, gdf::scratch* scratch) {                        \
    using namespace reduction_reduce;                                                     \
    reduce<masks_only>(in, out, __VA_ARGS__, options.nullable != 0, scratch);             \
  }                                                                                       \
  static_assert(true)

/// Integers to integers of at most 64 bits.
GDF_REDUCTION(reduction_reduce, sum_words, false, words<arithmetic::sum>{});
GDF_REDUCTION(reduction_reduce, product_words, false, words<arithmetic::product>{});
GDF_REDUCTION(reduction_reduce, squares_words, false, words<arithmetic::squares>{});

/// Floats (products and squares: numbers) to floats; the mean of floats.
GDF_REDUCTION(reduction_reduce, sum_floats, false, floats<arithmetic::sum>{options});
GDF_REDUCTION(reduction_reduce, product_floats, false, floats<arithmetic::product>{options});
GDF_REDUCTION(reduction_reduce, squares_floats, false, floats<arithmetic::squares>{options});

/// Integers and decimals of at most 128 bits, to any such or to floats; their mean. Squares: of
/// decimals.
GDF_REDUCTION(reduction_reduce, sum_wide, false, wide<arithmetic::sum>{options});
GDF_REDUCTION(reduction_reduce, squares_wide, false, wide<arithmetic::squares>{options});

/// Decimals, where input or result has 256 bits; their mean.
GDF_REDUCTION(reduction_reduce_widest, sum_widest, false, widest{options});

/// Minimum and maximum, of up to 64, of 128 and of 256 bits.
GDF_REDUCTION(reduction_reduce, extreme_words, false, extreme_words{options.second != 0 ? -1ll : 0ll});
GDF_REDUCTION(reduction_reduce, extreme_wide, false,
              extreme_wide{options.second != 0 ? gdf::i128{-1} : gdf::i128{0}});
GDF_REDUCTION(reduction_reduce_widest, extreme_widest, false,
              extreme_widest{options.second != 0 ? ~0ull : 0ull});

/// Minimum and maximum of up to 64 bits at once, to the one row of `min_value` and of `max_value`; as above.
extern "C" __global__ void GDF_BOUNDS(reduction_reduce)
reduction_minmax_words_kernel(const __grid_constant__ gdf::column_in in,
                              const __grid_constant__ gdf::column_out min_value,
                              const __grid_constant__ gdf::column_out max_value,
                              reduction_reduce::options options, gdf::scratch* scratch) {
  using namespace reduction_reduce;
  both_extremes const op{};
  both_extremes::value all = both_extremes::identity();
  gdf::u64 count = 0;
  scan_any(in, op, all, count);
  merge_block(op, all, count);
  if (!merge_grid(op, all, count, scratch) || threadIdx.x != 0) { return; }
  bool const valid = count != 0 || options.nullable == 0;
  extreme_words{-1}.write(in, min_value, all.min_value, count);
  extreme_words{0}.write(in, max_value, all.max_value, count);
  write_validity(min_value, valid);
  write_validity(max_value, valid);
}

/// Any and all, to boolean.
GDF_REDUCTION(reduction_reduce, any_all, false, any_all{options.second != 0});

/// How many rows there are or are valid, of any type.
GDF_REDUCTION(reduction_reduce, count, true, counting{options.second != 0});
