// expression: the sums, extremes and counts of expressions for the rows that pass a condition, in one pass over the
// inputs.

#include <gdf/reduce.cuh>
#include <gdf/table.cuh>

#include "../reduction/operation.cuh"
#include "machine.cuh"

GDF_POLICY(expression_reduce, 128, 8, 4);

namespace expression {

/// The operation that reduces the rows of an output to one value.
enum class reduction : int32_t {
  sum,          // the sum of integers or booleans, in 128 bits
  float_sum,    // the sum of floats, in double precision
  extreme,      // the maximum or minimum of at most 64 bits
  wide_extreme, // the maximum or minimum of 128 bits
  count,        // the number of rows in which a boolean is true
};

/// How an output is reduced. The options are those of `reduction_reduce::options`.
struct reduced_output {
  double power;
  int32_t operation; // a reduction
  int32_t divides;
  int32_t mean;
  int32_t minimum;
};

struct reduced_outputs {
  reduced_output output[max_outputs];
};

/// The value of a reduction, and the number of rows from which it was computed.
struct partial {
  gdf::u64 low;
  gdf::u64 high;
  gdf::u64 count;
};

constexpr int partial_words = 3;

GDF_DEVICE partial no_rows(const reduced_output& how) {
  switch (static_cast<reduction>(how.operation)) {
    case reduction::extreme: return {1ull << 63, 0, 0};
    case reduction::wide_extreme: return {0, 1ull << 63, 0};
    case reduction::sum:
    case reduction::float_sum:
    case reduction::count: break;
  }
  return {0, 0, 0};
}

GDF_DEVICE partial of_wide(gdf::u128 value, gdf::u64 count) {
  return {static_cast<gdf::u64>(value), static_cast<gdf::u64>(value >> 64), count};
}

GDF_DEVICE partial merge(const reduced_output& how, const partial& a, const partial& b) {
  gdf::u64 const count = a.count + b.count;
  gdf::i128 const x = wide_of(a.low, a.high);
  gdf::i128 const y = wide_of(b.low, b.high);
  switch (static_cast<reduction>(how.operation)) {
    case reduction::float_sum: return {to_cell(of_cell<double>(a.low) + of_cell<double>(b.low)), 0, count};
    case reduction::extreme: {
      bool const first = of_cell<int64_t>(a.low) >= of_cell<int64_t>(b.low);
      return {first ? a.low : b.low, 0, count};
    }
    case reduction::wide_extreme: return of_wide(static_cast<gdf::u128>(x < y ? y : x), count);
    case reduction::sum:
    case reduction::count: break;
  }
  return of_wide(static_cast<gdf::u128>(x) + static_cast<gdf::u128>(y), count);
}

GDF_DEVICE void write(const reduced_output& how, const gdf::column_out& out, const partial& all) {
  reduction_reduce::options const options = {how.power, 0, how.divides, how.mean, 0, 0};
  gdf::column_in like{};
  like.type = out.type;
  gdf::u128 const wide = static_cast<gdf::u128>(wide_of(all.low, all.high));
  switch (static_cast<reduction>(how.operation)) {
    case reduction::sum:
      reduction_reduce::wide<reduction_reduce::arithmetic::sum>{options}.write(like, out, 0, wide, all.count);
      break;
    case reduction::float_sum:
      reduction_reduce::floats<reduction_reduce::arithmetic::sum>{options}.write(like, out, 0, of_cell<double>(all.low),
                                                                                  all.count);
      break;
    case reduction::extreme:
      reduction_reduce::extreme_words{how.minimum != 0 ? -1ll : 0ll}.write(like, out, 0, of_cell<long long>(all.low),
                                                                          all.count);
      break;
    case reduction::wide_extreme:
      reduction_reduce::extreme_wide{how.minimum != 0 ? gdf::i128{-1} : gdf::i128{0}}.write(
        like, out, 0, static_cast<gdf::i128>(wide), all.count);
      break;
    case reduction::count: gdf::store_index(out.data, out.type, 0, static_cast<int64_t>(all.count)); break;
  }
  gdf::write_validity(out, all.count != 0);
}

/// The partial results of the threads of a block, in shared memory.
template <int threads>
struct partials {
  gdf::u64* words; // [output][word][thread]

  static constexpr int bytes(int outputs) { return outputs * partial_words * threads * 8; }

  GDF_DEVICE gdf::u64* of(int output, int thread) const { return words + output * partial_words * threads + thread; }

  /// [thread] Returns the partial result of a thread.
  GDF_DEVICE partial load(int output, int thread) const {
    const gdf::u64* const at = of(output, thread);
    return {at[0], at[threads], at[2 * threads]};
  }

  GDF_DEVICE void store(int output, int thread, const partial& value) const {
    gdf::u64* const at = of(output, thread);
    at[0] = value.low;
    at[threads] = value.high;
    at[2 * threads] = value.count;
  }

  GDF_DEVICE void add(int output, int thread, const reduced_output& how, const partial& value) const {
    store(output, thread, merge(how, load(output, thread), value));
  }

  /// [block] Merges the partial results of all threads, always in the same order. Thread 0 has the results.
  GDF_DEVICE void merge_threads(int outputs, const reduced_outputs& how) const {
    int const thread = static_cast<int>(threadIdx.x);
#pragma unroll 1
    for (int half = threads / 2; half > 0; half >>= 1) {
      __syncthreads();
      if (thread >= half) { continue; }
      for (int output = 0; output < outputs; output++) {
        add(output, thread, how.output[output], load(output, thread + half));
      }
    }
    __syncthreads();
  }
};

/// The number of rows of a mask unit. Each thread of a warp has one mask word of the unit.
constexpr int mask_rows = 1024;

/// Up to this number of selected rows in a unit, the rows are appended to a list.
constexpr int max_listed = mask_rows / 4;

/// The machine runs for this number of listed rows at a time, four for each thread.
constexpr int listed_items = 4;
constexpr int listed_tile = 32 * listed_items;

/// [thread] Reduces the rows of the thread in the output of a step `emit`, and adds the result to the thread's partial
/// result.
template <int threads, class Machine>
GDF_DEVICE void reduce_rows(Machine& m, const step& s, const reduced_output& how, const partials<threads>& parts) {
  constexpr int items = Machine::items;
  lane const form = static_cast<lane>(s.form);
  row_bits const bits = form == lane::i128 ? m.bits_at(s.a) : m.bits;
  uint32_t const valid = bits.valid & m.wanted;
  partial all = no_rows(how);
  all.count = static_cast<gdf::u64>(__popc(valid));
  switch (static_cast<reduction>(how.operation)) {
    case reduction::count: all.count = static_cast<gdf::u64>(__popc(valid & bits.truth)); break;
    case reduction::sum:
    case reduction::wide_extreme: {
      if (form == lane::boolean) {
        all.low = static_cast<gdf::u64>(__popc(valid & bits.truth));
        break;
      }
      bool const is_sum = static_cast<reduction>(how.operation) == reduction::sum;
      gdf::i128 const flip = how.minimum != 0 ? gdf::i128{-1} : gdf::i128{0};
      gdf::i128 value = wide_of(all.low, all.high);
#pragma unroll
      for (int i = 0; i < items; i++) {
        if ((valid >> i & 1) == 0) { continue; }
        gdf::i128 const row = form == lane::i128  ? m.wide_at(s.a, i)
                              : form == lane::u64 ? static_cast<gdf::i128>(m.acc[i])
                                                  : static_cast<gdf::i128>(of_cell<int64_t>(m.acc[i]));
        if (is_sum) {
          value = static_cast<gdf::i128>(static_cast<gdf::u128>(value) + static_cast<gdf::u128>(row));
        } else if (value < (row ^ flip)) {
          value = row ^ flip;
        }
      }
      all = of_wide(static_cast<gdf::u128>(value), all.count);
      break;
    }
    case reduction::float_sum: {
      double sum = 0;
#pragma unroll
      for (int i = 0; i < items; i++) {
        double const row = form == lane::f32 ? of_cell<float>(m.acc[i]) : of_cell<double>(m.acc[i]);
        if ((valid >> i & 1) != 0) { sum += row; }
      }
      all.low = to_cell(sum);
      break;
    }
    case reduction::extreme: {
      int64_t const flip = how.minimum != 0 ? -1 : 0;
      int64_t best = of_cell<int64_t>(all.low);
      by_lane(s.form, [&]<class C>() {
#pragma unroll
        for (int i = 0; i < items; i++) {
          int64_t const key = reduction_reduce::extreme_words::key(of_cell<C>(m.acc[i])) ^ flip;
          if ((valid >> i & 1) != 0 && best < key) { best = key; }
        }
      });
      all.low = to_cell(best);
      break;
    }
  }
  if (all.count != 0) { parts.add(s.code, static_cast<int>(threadIdx.x), how, all); }
}

/// [warp] Appends row numbers to a list that has `count` numbers. The appended rows are the rows whose bit in `word` is
/// set. The first bit of a thread's word belongs to row `base + 32 * lane`.
GDF_DEVICE void append_rows(int64_t* list, int count, int64_t base, uint32_t word) {
  int before = __popc(word);
  int const mine = before;
#pragma unroll
  for (int step = 1; step < 32; step <<= 1) {
    int const other = __shfl_up_sync(~0u, before, step);
    if (gdf::lane() >= step) { before += other; }
  }
  int at = count + before - mine;
  while (word != 0) {
    list[at++] = base + 32 * gdf::lane() + __ffs(static_cast<int>(word)) - 1;
    word &= word - 1;
  }
  __syncwarp();
}

} // namespace expression

/// [block] Evaluates the steps for the rows for which `mask` is true. Each output is reduced to one value, which
/// becomes the only row of its column. A mask without data selects all rows. `parts` has 3 words for each block and
/// output. Dynamic shared memory must have slots<threads, items>::bytes(p.cells, p.slots) +
/// partials<threads>::bytes(p.outputs) bytes. The kernel uses ticket 40.
extern "C" __global__ void GDF_BOUNDS(expression_reduce)
expression_reduce_kernel(const __grid_constant__ gdf::table_in<expression::max_columns> table,
                         const __grid_constant__ expression::program p,
                         const __grid_constant__ expression::reduced_outputs how,
                         const __grid_constant__ gdf::column_in mask,
                         const __grid_constant__ gdf::table_out<expression::max_outputs> out, gdf::row_count rows,
                         unsigned long long* parts, gdf::scratch* scratch) {
  using namespace expression;
  constexpr int threads = expression_reduce_tuning::threads;
  constexpr int items = expression_reduce_tuning::items;
  extern __shared__ gdf::u64 shared[];
  __shared__ program local;
  __shared__ int64_t lists[threads / 32][listed_tile + max_listed];
  copy_program<threads>(p, local);
  int const thread = static_cast<int>(threadIdx.x);
  int const outputs = p.outputs;
  partials<threads> const mine = {shared + slots<threads, items>::bytes(p.cells, p.slots) / 8};
  for (int output = 0; output < outputs; output++) { mine.store(output, thread, no_rows(how.output[output])); }
  __syncthreads();
  // The machines live only as long as the rows that they evaluate, so that the compiler keeps their states in
  // registers.
  auto const evaluate_listed = [&](int64_t* tile, int count) {
    int const left = count - gdf::lane();
    uint32_t wanted = 0;
#pragma unroll
    for (int i = 0; i < listed_items; i++) {
      wanted |= (32 * i < left ? 1u : 0u) << i;
      // Steps read the validity of all items of a thread, so the remaining items get an existing row.
      if (32 * i >= left) { tile[32 * i + gdf::lane()] = 0; }
    }
    machine<threads, listed_rows<listed_items>> m{{table.column, tile, rows}, local, {shared + threadIdx.x, p.cells}, 0, {}, {}};
    m.run(wanted, [&](const step& s) { reduce_rows<threads>(m, s, how.output[s.code], mine); });
    __syncwarp(); // the list may be written again
  };
  int64_t* const list = lists[gdf::warp()];
  int listed = 0;
  int64_t const stride = int64_t{gridDim.x} * (threads / 32) * mask_rows;
  auto const selected_word = [&](int64_t base) {
    int64_t const row = base + 32 * gdf::lane();
    if (row >= rows) { return 0u; }
    uint32_t const word = mask.data == nullptr ? gdf::low_bits(rows - row) : gdf::boolean_word(mask, row, rows);
    return word & gdf::valid_word(mask, row, rows);
  };
  int64_t const first = (int64_t{blockIdx.x} * (threads / 32) + gdf::warp()) * mask_rows;
  uint32_t next = selected_word(first);
  for (int64_t base = first;; base += stride) {
    // After the last unit, the word is zero, and the rest of the list is evaluated.
    bool const ends = base >= rows;
    uint32_t const word = next;
    next = selected_word(base + stride);
    auto const selected = static_cast<int>(gdf::warp_sum(static_cast<uint32_t>(__popc(word))));
    if (selected <= max_listed) {
      append_rows(list, listed, base, word);
      listed += selected;
#pragma unroll 1
      while (listed >= (ends ? 1 : listed_tile)) {
        int const count = listed < listed_tile ? listed : listed_tile;
        listed -= count;
        evaluate_listed(list + listed, count);
      }
      if (ends) { break; }
      continue;
    }
#pragma unroll 1
    for (int tile = 0; tile < mask_rows / (32 * items); tile++) {
      uint32_t const wanted = gdf::item_bits<items>(__shfl_sync(~0u, word, (items * tile + gdf::lane()) & 31));
      if (!__any_sync(~0u, wanted != 0)) { continue; }
      int64_t const begin = base + tile * 32 * items;
      machine<threads, table_rows<items>> m{{table.column, begin, rows}, local, {shared + threadIdx.x, p.cells}, 0, {}, {}};
      m.run(wanted, [&](const step& s) { reduce_rows<threads>(m, s, how.output[s.code], mine); });
    }
  }
  mine.merge_threads(outputs, how);
  if (gridDim.x > 1) {
    unsigned long long* const block = parts + int64_t{blockIdx.x} * outputs * partial_words;
    if (thread < outputs) {
      partial const all = mine.load(thread, 0);
      block[thread * partial_words] = all.low;
      block[thread * partial_words + 1] = all.high;
      block[thread * partial_words + 2] = all.count;
    }
    if (!gdf::is_last_block(scratch, gdf::reduce_ticket, gridDim.x)) { return; }
    for (int output = 0; output < outputs; output++) {
      partial all = no_rows(how.output[output]);
      for (uint32_t b = threadIdx.x; b < gridDim.x; b += threads) {
        const unsigned long long* const other = parts + (int64_t{b} * outputs + output) * partial_words;
        all = merge(how.output[output], all, {__ldcv(other), __ldcv(other + 1), __ldcv(other + 2)});
      }
      mine.store(output, thread, all);
    }
    mine.merge_threads(outputs, how);
  }
  if (thread < outputs) { write(how.output[thread], out.column[thread], mine.load(thread, 0)); }
}
