// Tables of a few hundred thousand rows at most: one cooperative launch finds the ranges of the keys,
// counts rows by the upper bits of their keys, brings rows of one such bin together, and ranks each
// among its bin by comparing. Few steps in sequence, and text is compared whole where its beginning
// ties. Bins that hold too many rows are told to the host, which then sorts otherwise.

#include <gdf/count.cuh>
#include <gdf/dispatch.cuh>
#include <gdf/grid_barrier.cuh>
#include <gdf/policy.cuh>
#include <gdf/table.cuh>

#include "layout.cuh"

GDF_POLICY(sort_middle, 1024, 1, 1);

namespace sorting_middle {

using namespace sorting;
using tuning = sort_middle_tuning;

constexpr int threads = tuning::threads;
constexpr int most_bins = 8192;
constexpr int few_bins = 4096;
constexpr int many_rows = 65536;    // from which there are most_bins
constexpr uint32_t most_in_bin = 512; // rows
constexpr int most_symbols = 8;     // of text in a key
constexpr int words = 8;            // of scratch->zeroed, for each piece

/// Memory for `rows` rows, but for the bins.
struct memory {
  unsigned long long* keys;
  unsigned long long* bin_keys; // by bin
  uint32_t* slots;              // place among the rows of the bin
  uint32_t* bin_rows;
  uint32_t* order; // row numbers in order
  uint32_t* bins;  // most_bins
};
static_assert(sizeof(memory) == 48);

/// What a block knows of the keys.
struct layout {
  field fields[max_pieces];
  int32_t first_symbol[max_pieces]; // of text: the smallest byte plus one
  int32_t radix[max_pieces];        // different symbols, the end being one
  int32_t symbols[max_pieces];      // in a key
  int32_t count;                    // pieces that the key has
  int32_t start;                    // bits of the key below its uppermost 64; below 0: of the row
                                    // number behind it, so that equal rows are in several bins
  int32_t row_bits;                 // of the largest row number
  int32_t null_bits; // that nulls of the last piece leave to row numbers; 0: none do
  int32_t bin_shift;
  bool exact; // keys, and then row numbers, tell all
};

/// [thread] The first symbols of a text as a number of so many digits.
GDF_DEVICE u64 text_number(const layout& of, int p, const gdf::string_view& text) {
  u64 const eight = gdf::ordered8(text, 0);
  u64 number = 0;
#pragma unroll
  for (int i = 0; i < most_symbols; i++) {
    if (i < of.symbols[p]) {
      auto const symbol = static_cast<int>((eight >> (56 - 8 * i)) & 0xff) + 1;
      int const digit = i < text.size ? symbol - of.first_symbol[p] + 1 : 0;
      number = number * static_cast<u64>(of.radix[p]) + static_cast<u64>(digit);
    }
  }
  return number;
}

/// [block] Adds what piece p ranges over to the words of the scratch. Of words 0, 1, 4, 6, 7 the
/// largest counts, of the others all bits: largest and inverted smallest integer, bits set, bits
/// unset, longest text, flags, largest and inverted smallest symbol.
GDF_DEVICE void measure(const piece& of, int rows, u64* found) {
  u64 mine[words] = {};
  int const stride = static_cast<int>(gridDim.x) * threads;
  by_order(of.column.type, [&]<class Order>() {
    for (int row = static_cast<int>(blockIdx.x * threads + threadIdx.x); row < rows;
         row += stride) {
      if (!gdf::is_valid(of.column, row)) {
        mine[5] |= 2;
      } else if constexpr (std::is_same_v<Order, text_order>) {
        gdf::string_view const text = gdf::string_at(of.column, row);
        u64 const eight = gdf::ordered8(text, 0);
        mine[5] |= 1;
        mine[4] = max(mine[4], static_cast<u64>(text.size));
#pragma unroll
        for (int i = 0; i < most_symbols; i++) {
          if (i < text.size) {
            u64 const symbol = ((eight >> (56 - 8 * i)) & 0xff) + 1;
            mine[6] = max(mine[6], symbol);
            mine[7] = max(mine[7], ~symbol);
          }
        }
      } else if constexpr (std::is_same_v<typename Order::word, u64>) {
        u64 const value = ordered_at<Order>(of.column, of.part, row).word;
        mine[5] |= 1;
        mine[0] = max(mine[0], value);
        mine[1] = max(mine[1], ~value);
        mine[2] |= value;
        mine[3] |= ~value;
      }
    }
  });
  __shared__ u64 partial[threads / 32][words];
  auto const merge = [&](int w, u64 other) {
    bool const bits = w == 2 || w == 3 || w == 5;
    mine[w] = bits ? mine[w] | other : max(mine[w], other);
  };
  auto const over_lanes = [&] {
#pragma unroll
    for (int w = 0; w < words; w++) {
#pragma unroll
      for (int step = 16; step > 0; step >>= 1) {
        merge(w, __shfl_xor_sync(~0u, mine[w], step));
      }
    }
  };
  over_lanes();
  if (gdf::lane() == 0) {
#pragma unroll
    for (int w = 0; w < words; w++) { partial[gdf::warp()][w] = mine[w]; }
  }
  __syncthreads();
  if (gdf::warp() == 0) {
#pragma unroll
    for (int w = 0; w < words; w++) { mine[w] = partial[gdf::lane()][w]; }
    over_lanes();
    if (gdf::lane() == 0) {
#pragma unroll
      for (int w = 0; w < words; w++) {
        if (mine[w] == 0) { continue; }
        if (w == 2 || w == 3 || w == 5) {
          atomicOr(found + w, mine[w]);
        } else {
          atomicMax(found + w, mine[w]);
        }
      }
    }
  }
  __syncthreads(); // `partial` is free again
}

/// [thread] The layout of the keys, from what all blocks have found.
GDF_DEVICE void lay_out_keys(const pieces& in, int count, int rows, const volatile u64* found,
                             sorting_stats::summary* stats, layout& to) {
  to.count = count;
  to.exact = true;
  for (int p = 0; p < to.count; p++) {
    const volatile u64* const of = found + p * words;
    stats[p] = {of[0], ~of[1], of[2], of[3], of[4], of[5]};
    auto const type = static_cast<gdf::type>(in.at[p].column.type);
    if (type != gdf::type::string && type != gdf::type::binary) { continue; }
    // A key of nulls and empty text has no symbols.
    u64 const last = of[6];
    u64 const first = ~of[7];
    u64 const radix = last == 0 ? 1 : last - first + 2;
    u64 most = 1; // numbers
    int symbols = 0;
    while (last != 0 && symbols < most_symbols && most <= (1ull << 63) / radix) {
      most *= radix;
      symbols++;
    }
    to.first_symbol[p] = static_cast<int32_t>(first);
    to.radix[p] = static_cast<int32_t>(radix);
    to.symbols[p] = symbols;
    stats[p].max = most - 1;
    stats[p].min = 0;
    stats[p].ones = ~u128{0};
    stats[p].zeros = ~u128{0};
    if (of[4] > static_cast<u64>(symbols)) { // what follows must not decide before its rest
      to.exact = false;
      to.count = p + 1;
    }
  }
  int const bits = lay_out(in, to.count, stats, to.fields);
  bool const whole = to.count == count && bits <= 64;
  to.row_bits = rows > 1 ? 32 - __clz(rows - 1) : 0;
  to.start = !to.exact ? max(bits - 64, 0) : bits > 64 ? bits - 64 : -min(64 - bits, to.row_bits);
  to.exact = to.exact && bits <= 64;
  bool const nulls = whole && (stats[count - 1].flags & 2) != 0;
  to.null_bits = nulls ? to.fields[count - 1].bits - to.start : 0;
  int const bin_bits = rows >= many_rows ? 13 : 12;
  int const word_bits = bits - to.start;
  to.bin_shift = word_bits > bin_bits ? word_bits - bin_bits : 0;
}

/// [thread] The uppermost 64 bits of a row's key.
GDF_DEVICE u64 key_of_row(const layout& of, int row) {
  u64 key = 0;
#pragma unroll 1
  for (int p = 0; p < of.count; p++) {
    const field& f = of.fields[p];
    by_order(f.of.column.type, [&]<class Order>() {
      if constexpr (std::is_same_v<Order, text_order>) {
        key |= bits_of_value<u64>(
          f, row, of.start, [&] { return text_number(of, p, gdf::string_at(f.of.column, row)); });
      } else if constexpr (std::is_same_v<typename Order::word, u64>) {
        key |= bits_of<Order>(f, row, of.start);
      }
    });
  }
  bool const null = of.null_bits > 0 && !gdf::is_valid(of.fields[of.count - 1].of.column, row);
  int const bits = null ? of.null_bits : -of.start;
  if (bits > 0) {
    int const shift = bits - of.row_bits;
    auto const number = static_cast<u64>(row);
    key |= shift >= 0 ? number << shift : number >> -shift;
  }
  return key;
}

/// [thread] Does row a come before row b, whose keys tie?
GDF_DEVICE bool is_before(const pieces& in, int count, uint32_t a, uint32_t b) {
#pragma unroll 1
  for (int p = 0; p < count; p++) {
    const piece& of = in.at[p];
    bool const valid_a = gdf::is_valid(of.column, a);
    bool const valid_b = gdf::is_valid(of.column, b);
    if (valid_a != valid_b) { return valid_b == ((of.flags & nulls_first) != 0); }
    if (!valid_a) { continue; }
    int order = 0;
    by_order(of.column.type, [&]<class Order>() {
      if constexpr (std::is_same_v<typename Order::word, u64>) {
        order = compare_values<Order>(of.column, a, b);
      }
    });
    if (order != 0) { return (order < 0) != ((of.flags & descending) != 0); }
  }
  return a < b;
}

/// [block] Rows [0, rows) of `out` from the rows of `in` that `order` names; the grid shares them.
GDF_DEVICE void write_rows(const gdf::column_in& in, const gdf::column_out& out,
                           const uint32_t* order, int rows, gdf::scratch* scratch, int column) {
  int const stride = static_cast<int>(gridDim.x) * threads;
  uint32_t valid_rows = 0;
  bool const is_boolean = static_cast<gdf::type>(in.type) == gdf::type::boolean;
  for (int first = static_cast<int>(blockIdx.x) * threads; first < rows; first += stride) {
    int const i = first + static_cast<int>(threadIdx.x);
    bool const there = i < rows;
    uint32_t const row = there ? order[i] : 0;
    if (is_boolean) {
      uint32_t const bits = __ballot_sync(~0u, there && gdf::element<bool>(in, row));
      if (gdf::lane() == 0 && there) { static_cast<uint32_t*>(out.data)[i >> 5] = bits; }
    } else if (there) {
      gdf::by_width(gdf::width_of(in.type), [&]<class T>() {
        gdf::store(static_cast<T*>(out.data) + i, gdf::element<T>(in, row));
      });
    }
    if (out.validity != nullptr && i - gdf::lane() < rows) {
      valid_rows +=
        gdf::store_valid_word(out, i - gdf::lane(), there && gdf::is_valid(in, row));
    }
  }
  if (out.null_count == nullptr) { return; } // uniform
  u64 const mine = gdf::block_sum<threads>(static_cast<u64>(valid_rows));
  if (threadIdx.x == 0) { // as gdf::post_null_count, with a counter for each column
    constexpr int shift = 48;
    u64 const before = atomicAdd(&scratch->counts[column], 1ull << shift | mine);
    if (before >> shift == gridDim.x - 1) {
      *out.null_count = static_cast<u64>(rows) - ((before + mine) & ((1ull << shift) - 1));
      scratch->counts[column] = 0;
    }
  }
}

} // namespace sorting_middle

/// Cooperative. Sorts `rows` (below 2^31, at least one) rows by `count` pieces without 128- and
/// 256-bit values, and writes the first `wanted` of their order: as 32-bit row numbers to `at.order`,
/// and as rows of the first `columns` columns of `values` (as sort_small_1k_kernel). Posts 1, or 2 if
/// it has not because of too many rows in a bin. Tickets 32 and 33, zeroed[0] to [127].
extern "C" __global__ void GDF_BOUNDS(sort_middle)
sort_middle_kernel(const __grid_constant__ sorting::pieces in, int count, int rows,
                   sorting_middle::memory at, int wanted,
                   const __grid_constant__ gdf::table_in<16> values,
                   const __grid_constant__ gdf::table_out<16> out, int columns,
                   gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace sorting_middle;
  __shared__ layout keys;
  __shared__ union {
    sorting_stats::summary stats[max_pieces];
    uint32_t first[most_bins + 1]; // position of each bin
  } shared;
  int const thread = static_cast<int>(threadIdx.x);
  int const from = static_cast<int>(blockIdx.x) * threads + thread;
  int const stride = static_cast<int>(gridDim.x) * threads;
  int const bins = rows >= many_rows ? most_bins : few_bins;
  gdf::grid_barrier barrier{scratch, 32};

  for (int i = from; i < bins; i += stride) { at.bins[i] = 0; }
#pragma unroll 1
  for (int p = 0; p < count; p++) { measure(in.at[p], rows, &scratch->zeroed[p * words]); }
  barrier.wait();

  if (thread == 0) { lay_out_keys(in, count, rows, scratch->zeroed, shared.stats, keys); }
  __syncthreads();
  for (int row = from; row < rows; row += stride) {
    u64 const key = key_of_row(keys, row);
    at.keys[row] = key;
    at.slots[row] = atomicAdd(&at.bins[key >> keys.bin_shift], 1u);
  }
  barrier.wait();

  constexpr int most = most_bins / threads;
  int const own = bins / threads; // bins of a thread
  uint32_t size[most];
  uint32_t sum = 0;
  bool too_many = false;
#pragma unroll
  for (int i = 0; i < most; i++) {
    size[i] = i < own ? at.bins[thread * own + i] : 0;
    too_many |= size[i] > most_in_bin;
    sum += size[i];
  }
  bool const fails = __syncthreads_or(too_many);
  if (!fails) {
    uint32_t total;
    uint32_t position = gdf::block_exclusive_sum<threads>(sum, total);
#pragma unroll
    for (int i = 0; i < most; i++) {
      if (i < own) { shared.first[thread * own + i] = position; }
      position += size[i];
    }
    if (thread == 0) { shared.first[bins] = total; }
    __syncthreads();
    for (int row = from; row < rows; row += stride) {
      u64 const key = at.keys[row];
      uint32_t const to = shared.first[key >> keys.bin_shift] + at.slots[row];
      at.bin_keys[to] = key;
      at.bin_rows[to] = static_cast<uint32_t>(row);
    }
    barrier.wait();

    for (int i = from; i < rows; i += stride) {
      u64 const key = at.bin_keys[i];
      uint32_t const row = at.bin_rows[i];
      auto const bin = static_cast<int>(key >> keys.bin_shift);
      uint32_t const begin = shared.first[bin];
      uint32_t const end = shared.first[bin + 1];
      uint32_t rank = begin;
      for (uint32_t other = begin; other < end; other++) {
        u64 const its = at.bin_keys[other];
        if (its < key) {
          rank++;
        } else if (its == key && other != static_cast<uint32_t>(i)) {
          uint32_t const its_row = at.bin_rows[other];
          rank += (keys.exact ? its_row < row : is_before(in, count, its_row, row)) ? 1 : 0;
        }
      }
      if (rank < static_cast<uint32_t>(wanted)) { at.order[rank] = row; }
    }
    if (columns > 0) {
      barrier.wait();
#pragma unroll 1
      for (int c = 0; c < columns; c++) {
        write_rows(values.column[c], out.column[c], at.order, wanted, scratch, c);
      }
    }
  }
  if (blockIdx.x == 0 && thread == 0) { gdf::post(mailbox, fails ? 2 : 1); }
  if (barrier.end() && thread < count * words) { scratch->zeroed[thread] = 0; }
}
