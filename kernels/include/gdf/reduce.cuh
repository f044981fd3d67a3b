// Reductions. One launch computes one value from all rows that are not null. Each block stores a partial result. The
// block that ends last combines the partial results and writes the result. The order in which rows are combined depends
// only on the numbers of rows and blocks, so that results of floats have the same bits in each run.
#pragma once

#include "block_sum.cuh"
#include "grid.cuh"
#include "last_block.cuh"
#include "monoid.cuh"
#include "vector.cuh"

namespace gdf {

/// The ticket of reductions.
constexpr int reduce_ticket = 40;

/// The number of words of a partial result: up to 4 words of the value, one word of the count, one unused word.
constexpr int reduce_partial_words = 6;

/// The maximum number of blocks whose partial results fit in scratch memory.
constexpr int reduce_max_blocks = 1280;
static_assert(reduce_max_blocks * reduce_partial_words * 8 <= sizeof(scratch::partials));

/// The number of rows of a load.
template <class T>
constexpr int rows_per_load = sizeof(T) == 1 ? 8 : sizeof(T) < 16 ? 16 / sizeof(T) : 1;

/// [thread] Reduces this thread's rows of a column of T.
template <class tuning, class T, class Op>
GDF_DEVICE void reduce_values(const column_in& in, const Op& op, typename Op::value& all,
                     u64& count) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  constexpr int n = rows_per_load<T>;
  using run = run<T, n>;
  auto const* const data = static_cast<const T*>(in.data) + in.offset;
  bool const aligned = is_aligned(data, alignof(run));
  int64_t const runs = (in.length + n - 1) / n;
  for_each_tile<threads, items>(runs, [&](int64_t first, bool) {
    run loaded[items];
    uint32_t valid[items];
    if (aligned && (first + threads * items) * n <= in.length) {
      auto const* const source = reinterpret_cast<const run*>(data) + first + threadIdx.x;
#pragma unroll
      for (int i = 0; i < items; i++) { loaded[i] = source[i * threads]; }
    } else {
#pragma unroll
      for (int i = 0; i < items; i++) {
        loaded[i] = load_run<n>(values<T>(in), row_of<threads>(first, i) * n, in.length);
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
    // Each lane loads one mask word of the warp's rows.
    static_assert(items * n <= 32);
    uint32_t word = 0;
    if (lane() < items * n) {
      int64_t const load = first + lane() / n * threads + warp() * 32;
      word = valid_word(in, load * n + lane() % n * 32, in.length);
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const bit = lane() * n;
      valid[i] = __shfl_sync(~0u, word, i * n + (bit >> 5)) >> (bit & 31) & low_bits(n);
      count += __popc(valid[i]);
#pragma unroll
      for (int j = 0; j < n; j++) {
        if (valid[i] >> j & 1) { op.add(all, loaded[i].row[j]); }
      }
    }
  });
}

/// [thread] Reduces this thread's rows of a boolean column, 32 at a time.
template <class tuning, bool masks_only, class Op>
GDF_DEVICE void reduce_bits(const column_in& in, const Op& op, typename Op::value& all,
                            u64& count) {
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  for_each_tile<threads, items>(words_for(in.length), [&](int64_t first, bool) {
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = row_of<threads>(first, i) * 32;
      uint32_t const valid = valid_word(in, row, in.length);
      count += __popc(valid);
      if constexpr (!masks_only) {
        uint32_t const bits = boolean_word(in, row, in.length);
        op.add_bits(all, __popc(bits & valid), __popc(~bits & valid));
      }
    }
  });
}

/// [thread] Calls `body.template operator()<T>()` with the C++ type T of a type number. The operation must accept that
/// type.
template <class Op, class Body>
GDF_DEVICE void by_taken_type(int32_t number, Body&& body) {
  auto const typed = [&]<class T>() {
    if constexpr (Op::template takes<T>) { body.template operator()<T>(); }
  };
  switch (static_cast<type>(number)) {
    case type::boolean:
      if constexpr (Op::takes_bits) { body.template operator()<bool>(); }
      break;
    case type::i8: typed.template operator()<int8_t>(); break;
    case type::i16: typed.template operator()<int16_t>(); break;
    case type::i32: typed.template operator()<int32_t>(); break;
    case type::i64: typed.template operator()<long long>(); break;
    case type::u8: typed.template operator()<uint8_t>(); break;
    case type::u16: typed.template operator()<uint16_t>(); break;
    case type::u32: typed.template operator()<uint32_t>(); break;
    case type::u64: typed.template operator()<u64>(); break;
    case type::f16: typed.template operator()<half_bits>(); break;
    case type::f32: typed.template operator()<float>(); break;
    case type::f64: typed.template operator()<double>(); break;
    case type::i128: typed.template operator()<i128>(); break;
    case type::i256: typed.template operator()<i256>(); break;
    default: break;
  }
}

template <class tuning, class Op>
GDF_DEVICE void reduce_any(const column_in& in, const Op& op, typename Op::value& all, u64& count) {
  by_taken_type<Op>(in.type, [&]<class T>() {
    if constexpr (is_same<T, bool>) {
      reduce_bits<tuning, false>(in, op, all, count);
    } else {
      reduce_values<tuning, T>(in, op, all, count);
    }
  });
}

/// [block] Merges the values of all threads, always in the same order. Thread 0 has the result.
template <int threads, class Op>
GDF_DEVICE void merge_block(const Op& op, typename Op::value& all, u64& count) {
  constexpr int warps = threads / 32;
  __shared__ u64 slots[warps][packed<typename Op::value>::words];
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) { all = op.merge(all, from_above(all, step)); }
  __syncthreads(); // threads may still read the slots of a previous call
  if (lane() == 0) {
    packed<typename Op::value> const bits(all);
#pragma unroll
    for (int i = 0; i < packed<typename Op::value>::words; i++) {
      slots[warp()][i] = bits.word[i];
    }
  }
  __syncthreads();
  if (warp() == 0) {
    packed<typename Op::value> bits(Op::identity());
    if (lane() < warps) {
#pragma unroll
      for (int i = 0; i < packed<typename Op::value>::words; i++) {
        bits.word[i] = slots[lane()][i];
      }
    }
    all = bits.value;
#pragma unroll
    for (int step = warps / 2; step > 0; step >>= 1) {
      all = op.merge(all, from_above(all, step));
    }
  }
  count = block_sum<threads>(count);
}

/// [block] Stores the value of the block.
///
/// Returns true in the last block, whose thread 0 then has the result.
template <int threads, class Op>
GDF_DEVICE bool merge_grid(const Op& op, typename Op::value& all, u64& count,
                           scratch* scratch) {
  using bits_t = packed<typename Op::value>;
  if (gridDim.x == 1) { return true; }
  auto* const partials = reinterpret_cast<u64*>(scratch->partials);
  if (threadIdx.x == 0) {
    u64* const mine = partials + blockIdx.x * reduce_partial_words;
    bits_t const bits(all);
#pragma unroll
    for (int i = 0; i < bits_t::words; i++) { mine[i] = bits.word[i]; }
    mine[bits_t::words] = count;
  }
  if (!is_last_block(scratch, reduce_ticket, gridDim.x)) { return false; }
  all = Op::identity();
  count = 0;
  for (uint32_t b = threadIdx.x; b < gridDim.x; b += threads) {
    const u64* const other = partials + b * reduce_partial_words;
    bits_t bits(Op::identity());
#pragma unroll
    for (int i = 0; i < bits_t::words; i++) { bits.word[i] = __ldcv(other + i); }
    all = op.merge(all, bits.value);
    count += __ldcv(other + bits_t::words);
  }
  merge_block<threads>(op, all, count);
  return true;
}

GDF_DEVICE void write_validity(const column_out& out, bool valid) {
  if (out.validity == nullptr) { return; }
  *out.validity = valid ? 1 : 0;
  *out.null_count = valid ? 0 : 1;
}

template <class Op>
GDF_DEVICE void write_one(const Op& op, const column_in& in, const column_out& out,
                          const typename Op::value& all, u64 count) {
  if constexpr (Op::gives_bits) {
    if (out.type == static_cast<int32_t>(type::boolean)) {
      *static_cast<uint32_t*>(out.data) = op.bit(all, count) ? 1 : 0;
      return;
    }
  }
  op.write(in, out, 0, all, count);
}

/// [block] Reduces the rows of `in` to `all` and `count`.
///
/// in.length must be positive, the grid must have at most reduce_max_blocks blocks, and `in` must not be broadcast.
/// Returns true in the last block, whose thread 0 then has the result.
template <class tuning, bool masks_only, class Op>
GDF_DEVICE bool reduce_grid(const column_in& in, const Op& op, typename Op::value& all, u64& count,
                            scratch* scratch) {
  constexpr int threads = tuning::threads;
  if constexpr (masks_only) {
    if (!op.all) { reduce_bits<tuning, true>(in, op, all, count); }
  } else {
    reduce_any<tuning>(in, op, all, count);
  }
  merge_block<threads>(op, all, count);
  return merge_grid<threads>(op, all, count, scratch);
}

/// [block] Executes a whole reduction and writes the only row of `out`. The row is null unless more than `fewest` rows
/// are valid.
template <class tuning, bool masks_only, class Op>
GDF_DEVICE void reduce(const column_in& in, const column_out& out, const Op& op, int64_t fewest,
                       scratch* scratch) {
  typename Op::value all = Op::identity();
  u64 count = 0;
  if (!reduce_grid<tuning, masks_only>(in, op, all, count, scratch)) { return; }
  if (threadIdx.x == 0) {
    write_one(op, in, out, all, count);
    write_validity(out, static_cast<int64_t>(count) > fewest);
  }
}

} // namespace gdf
