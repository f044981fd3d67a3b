// stream_compaction::apply_boolean_mask: selects the rows of a whole table by a mask, in two launches. The first launch
// counts the selected rows of each tile, and their bytes for each string column. The second launch reads the first
// positions of each tile and compacts all columns and their validity masks. If few rows are selected, the second launch
// uses a kernel with a tile per warp, because latency, not the amount of data, limits its speed.

#include <gdf/last_block.cuh>
#include <gdf/move_strings.cuh>
#include <gdf/policy.cuh>
#include <gdf/tile_scan.cuh>

GDF_POLICY(apply_boolean_mask_count, 256, 8, 3);
GDF_POLICY(apply_boolean_mask, 256, 8, 4);
GDF_POLICY(selected_rows, 256, 8, 6);

namespace apply_boolean_mask {

using tuning = apply_boolean_mask_tuning;
using counting = apply_boolean_mask_count_tuning;

constexpr int tile = tuning::tile;
static_assert(tile == 32 * 64); // a 64-bit word per lane
static_assert(tile == counting::tile && tile == selected_rows_tuning::tile);

GDF_DEVICE uint32_t selected32(const gdf::column_in& mask, int64_t row) {
  return row >= mask.length
           ? 0
           : gdf::boolean_word(mask, row, mask.length) & gdf::valid_word(mask, row, mask.length);
}

GDF_DEVICE gdf::u64 selected64(const gdf::column_in& mask, int64_t row) {
  int64_t const first = mask.offset + row;
  int64_t const end = mask.offset + mask.length;
  gdf::u64 selected = gdf::load_bits64(mask.data, first, end);
  if (mask.validity != nullptr) { selected &= gdf::load_bits64(mask.validity, first, end); }
  return selected;
}

/// The maximum number of tiles with which each block counts all tiles itself, so that no preceding launch is needed.
constexpr int few_tiles = 64;

/// [block] Computes the first positions of all tiles and, after them, the total.
GDF_DEVICE void count_few_tiles(const gdf::column_in& mask, int tiles,
                                unsigned long long (&counts)[few_tiles + 1]) {
  constexpr int warps = tuning::threads / 32;
#pragma unroll 4
  for (int t = gdf::warp(); t < tiles; t += warps) {
    gdf::u64 const word = selected64(mask, int64_t{t} * tile + gdf::lane() * 64);
    uint32_t const count = gdf::warp_sum(static_cast<uint32_t>(__popcll(word)));
    if (gdf::lane() == 0) { counts[t] = count; }
  }
  __syncthreads();
  if (gdf::warp() == 0) {
    static_assert(few_tiles == 64);
    int const at = gdf::lane() * 2;
    auto const low = static_cast<uint32_t>(at < tiles ? counts[at] : 0);
    auto const high = static_cast<uint32_t>(at + 1 < tiles ? counts[at + 1] : 0);
    uint32_t const end = gdf::warp_inclusive_sum(low + high);
    __syncwarp();
    if (at < tiles) { counts[at] = end - low - high; }
    if (at + 1 < tiles) { counts[at + 1] = end - high; }
    if (gdf::lane() == 31) { counts[tiles] = end; }
  }
  __syncthreads();
}

/// [thread] Returns the position of the set bit number `k`, counted from 0. There must be more than `k` set bits.
GDF_DEVICE int find_bit(gdf::u64 bits, int k) {
  for (int i = 0; i < k; i++) { bits &= bits - 1; }
  return __ffsll(static_cast<long long>(bits)) - 1;
}

/// [thread] Returns the input row of result row `position`.
GDF_DEVICE int64_t find_row(const gdf::column_in& mask, const unsigned long long* counts,
                            int64_t tiles, int64_t before, int64_t position) {
  // The last tile that begins at or before `position`; most often it is the next tile.
  int64_t found = before + 1;
  int64_t step = 1;
  auto const reaches = [&](int64_t t) {
    return t < tiles && static_cast<int64_t>(counts[t]) <= position;
  };
  while (reaches(found + step)) {
    found += step;
    step *= 2;
  }
  for (step /= 2; step > 0; step /= 2) {
    if (reaches(found + step)) { found += step; }
  }
  int k = static_cast<int>(position - static_cast<int64_t>(counts[found]));
  for (int64_t row = found * tile; row < mask.length; row += 64) {
    gdf::u64 const selected = selected64(mask, row);
    int const here = __popcll(selected);
    if (k < here) { return row + find_bit(selected, k); }
    k -= here;
  }
  return -1; // not reached if the counts belong to the mask
}

struct selected_rows {
  int64_t first;
  const uint16_t* selected;

  GDF_DEVICE int64_t operator()(int r) const { return first + selected[r]; }
};

/// The bits of the selected rows of a tile, in words of the result. The first word is the word that has the first of
/// these rows. Its lower bits, up to 31, belong to earlier tiles and stay zero. Up to 31 rows of later tiles complete
/// the last word.
struct packed_bits {
  static constexpr int words = tile / 32 + 2;
  uint32_t word[words];

  /// [thread] Adds the lowest `count` bits of `bits` from bit `at` on. The other bits of `bits` are zero.
  GDF_DEVICE void add(gdf::u64 bits, int at) {
    int const shift = at & 31;
    uint32_t* const to = word + (at >> 5);
    gdf::u64 const low = bits << shift;
    auto const high = static_cast<uint32_t>(shift == 0 ? 0 : bits >> (64 - shift));
    if (static_cast<uint32_t>(low) != 0) { atomicOr(to, static_cast<uint32_t>(low)); }
    if (low >> 32 != 0) { atomicOr(to + 1, static_cast<uint32_t>(low >> 32)); }
    if (high != 0) { atomicOr(to + 2, high); }
  }

  /// [block] Writes the words that begin with a row of the tile, and clears all words. Returns the number of set bits
  /// that the thread has written. `first` and `count` are those of the tile.
  GDF_DEVICE uint32_t write(uint32_t* to, int64_t first, int count) {
    int64_t const base = first >> 5;
    uint32_t set = 0;
    for (int i = static_cast<int>(threadIdx.x); i < words; i += tuning::threads) {
      int64_t const at = base + i;
      if (at >= gdf::words_for(first) && at < gdf::words_for(first + count)) {
        to[at] = word[i];
        set += __popc(word[i]);
      }
      word[i] = 0;
    }
    return set;
  }
};

/// [thread] Returns the values of 64 rows of a boolean column.
GDF_DEVICE gdf::u64 values64(const gdf::column_in& column, int64_t row) {
  return gdf::load_bits64(column.data, column.offset + row, column.offset + column.length);
}

/// [thread] Returns the validity of 64 rows in column `c` and in all structs around it.
GDF_DEVICE gdf::u64 valid64(const gdf::table_in<32>& in, const gdf::copy_table& copy, int c, int64_t row) {
  gdf::u64 valid = ~0ull;
  for (int p = c; p >= 0; p = copy.column[p].parent) {
    gdf::column_in const& column = in.column[p];
    if (column.validity == nullptr) { continue; }
    valid &= gdf::load_bits64(column.validity, column.offset + row, column.offset + column.length);
  }
  return valid;
}

/// [block] Does the work of apply_boolean_mask_bits_kernel.
template <bool bits>
GDF_DEVICE void move_selected(const gdf::column_in& mask, const gdf::table_in<32>& in, const gdf::table_out<32>& out,
                              const gdf::copy_table& copy, const unsigned long long* counts, int64_t tiles,
                              int64_t total, gdf::scratch* scratch, unsigned long long* mailbox) {
  constexpr int threads = tuning::threads;
  __shared__ uint16_t selected[tile];
  __shared__ packed_bits packed_valid;
  __shared__ packed_bits packed_data;
  __shared__ unsigned long long own_counts[few_tiles + 1];
  int const c = static_cast<int>(blockIdx.y);
  int const kind = copy.column[c].kind;
  if (kind == gdf::copy_mask) { return; }
  gdf::column_out result = out.column[c];
  bool const strings = kind == gdf::copy_strings;
  bool const has_bits = bits && kind == gdf::copy_bits;
  bool const has_mask = bits && result.validity != nullptr;
  if constexpr (bits) {
    for (int i = static_cast<int>(threadIdx.x); i < packed_bits::words; i += threads) {
      packed_valid.word[i] = 0;
      packed_data.word[i] = 0;
    }
  }

  if (counts == nullptr) {
    count_few_tiles(mask, static_cast<int>(tiles), own_counts);
    counts = own_counts;
    total = static_cast<int64_t>(counts[tiles]);
    result.length = total;
    if (mailbox != nullptr && c == 0 && blockIdx.x == 0 && threadIdx.x == 0) {
      gdf::post(mailbox, static_cast<gdf::u64>(total));
    }
  }
  uint32_t valid = 0;
  for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    auto const first = static_cast<int64_t>(counts[t]);
    bool const last = t + 1 == tiles;
    if (!last && static_cast<int64_t>(counts[t + 1]) == first) { continue; }
    // Each warp counts the whole tile, a word per lane, and lists the rows of its own words.
    gdf::u64 const word = selected64(mask, t * tile + gdf::lane() * 64);
    // A warp compresses the masks of all words of the tile, and another one the values of booleans.
    int64_t const row = t * tile + gdf::lane() * 64;
    gdf::u64 loaded = 0;
    if (has_mask && gdf::warp() == 0) { loaded = valid64(in, copy, c, row); }
    if (has_bits && gdf::warp() == 1) { loaded = values64(in.column[c], row); }
    // Two other warps load the words of the next tile, whose first rows complete the last words of this one.
    gdf::u64 next_word = 0;
    if (has_mask && gdf::warp() == 2) { loaded = valid64(in, copy, c, row + tile); }
    if (has_bits && gdf::warp() == 3) { loaded = values64(in.column[c], row + tile); }
    bool const follows = (has_mask && gdf::warp() == 2) || (has_bits && gdf::warp() == 3);
    if (follows) { next_word = selected64(mask, row + tile); }
    uint32_t const mine = static_cast<uint32_t>(__popcll(word));
    uint32_t const inclusive = gdf::warp_inclusive_sum(mine);
    int const count = static_cast<int>(__shfl_sync(~0u, inclusive, 31));
    __syncthreads(); // the list of the previous tile may still be read
    constexpr int words_per_warp = 32 / (threads / 32);
#pragma unroll
    for (int i = 0; i < words_per_warp; i++) {
      int const w = gdf::warp() * words_per_warp + i;
      gdf::u64 const listed = __shfl_sync(~0u, word, w);
      uint32_t const before = __shfl_sync(~0u, inclusive - mine, w);
#pragma unroll
      for (int half = 0; half < 2; half++) {
        int const bit = half * 32 + gdf::lane();
        if (listed >> bit & 1) {
          int const rank = __popcll(listed & ((1ull << bit) - 1));
          selected[before + rank] = static_cast<uint16_t>(w * 64 + bit);
        }
      }
    }
    int64_t const end = first + count;
    int const offset = static_cast<int>(first & 31);
    if ((has_mask && gdf::warp() == 0) || (has_bits && gdf::warp() == 1)) {
      bool const all_set = __all_sync(~0u, (word & ~loaded) == 0);
      gdf::u64 const bits = all_set ? gdf::low_bits64(mine) : gdf::compress_bits64(loaded, word);
      (gdf::warp() == 0 ? packed_valid : packed_data).add(bits, offset + static_cast<int>(inclusive - mine));
    }
    if (follows && gdf::words_for(first) < gdf::words_for(end)) {
      packed_bits& packed = gdf::warp() == 2 ? packed_valid : packed_data;
      int64_t const left = total - end;
      int const open = static_cast<int>(left < (-end & 31) ? left : (-end & 31)); // rows that complete the last word
      auto const next_mine = static_cast<uint32_t>(__popcll(next_word));
      uint32_t const next_inclusive = gdf::warp_inclusive_sum(next_mine);
      int const next_before = static_cast<int>(next_inclusive - next_mine);
      if (next_before < open) {
        gdf::u64 const bits = gdf::compress_bits64(loaded, next_word) & gdf::low_bits64(open - next_before);
        packed.add(bits, offset + count + next_before);
      }
      int const l = static_cast<int>(__shfl_sync(~0u, next_inclusive, 31)) + gdf::lane();
      if (l < open) { // a row of a tile after the next
        int64_t const following = find_row(mask, counts, tiles, t, end + l);
        auto const is_set = [&] {
          return gdf::warp() == 2 ? gdf::is_row_valid(in, copy, c, following)
                                  : gdf::element<bool>(in.column[c], following);
        };
        if (following >= 0 && is_set()) { packed.add(1, offset + count + l); }
      }
    }
    __syncthreads();

    gdf::copy_tile const moving{first, count};
    selected_rows const source{t * tile, selected};
    gdf::move_data<threads>(in, copy, c, result, moving, source);
    if (has_mask) { valid += packed_valid.write(result.validity, first, count); }
    if (has_bits) { packed_data.write(static_cast<uint32_t*>(result.data), first, count); }
    if (strings) {
      gdf::u64 const base = __ldg(counts + copy.column[c].slot * tiles + t);
      gdf::u64 const behind =
        gdf::move_strings<threads>(in, copy, c, result, moving, base, source);
      if (last && threadIdx.x == 0) {
        gdf::store_offset(result.offsets, result.flags & gdf::wide_offsets, total,
                          static_cast<int64_t>(behind));
      }
    }
  }
  gdf::post_null_count<threads>(scratch, result, valid);
}

} // namespace apply_boolean_mask

/// Computes sums per tile of 2,048 rows, one array of `tiles` sums for each blockIdx.y. The sums are the numbers of
/// selected rows (array 0 if `selected` is not 0), or the bytes of the selected rows of a string column. The last block
/// of each array turns the sums into first positions and posts the total to mailbox[word]. Array y uses ticket 32 + y.
extern "C" __global__ void GDF_BOUNDS(apply_boolean_mask_count)
apply_boolean_mask_count_kernel(const __grid_constant__ gdf::column_in mask, int selected,
                                const __grid_constant__ gdf::table_in<32> in,
                                const __grid_constant__ gdf::copy_table copy,
                                unsigned long long* counts, gdf::tile_count tiles, gdf::scratch* scratch,
                                unsigned long long* mailbox) {
  using namespace apply_boolean_mask;
  constexpr int threads = counting::threads;
  int const c = static_cast<int>(blockIdx.y);
  bool const of_rows = selected != 0 && c == 0;
  gdf::copy_descriptor const& column = copy.column[c];
  if (!of_rows && column.kind != gdf::copy_strings) { return; }

  if (of_rows) { // a tile has one warp, which counts `batch` tiles at a time
    constexpr int batch = 4;
    int64_t const stride = int64_t{gridDim.x} * (threads / 32);
    for (int64_t t = int64_t{blockIdx.x} * (threads / 32) + gdf::warp(); t < tiles;
         t += stride * batch) {
      uint32_t count[batch];
#pragma unroll
      for (int i = 0; i < batch; i++) {
        int64_t const row = (t + i * stride) * tile + gdf::lane() * 64;
        count[i] = static_cast<uint32_t>(__popcll(selected64(mask, row)));
      }
#pragma unroll
      for (int i = 0; i < batch; i++) {
        count[i] = gdf::warp_sum(count[i]);
        if (gdf::lane() == 0 && t + i * stride < tiles) { counts[t + i * stride] = count[i]; }
      }
    }
  } else { // a tile has one warp
    counts += column.slot * tiles;
    mailbox += column.word;
    constexpr int batch = 8; // words of 32 rows whose offsets are in flight together
    int64_t const last = mask.length - 1;
    int64_t const stride = int64_t{gridDim.x} * (threads / 32);
    for (int64_t t = int64_t{blockIdx.x} * (threads / 32) + gdf::warp(); t < tiles; t += stride) {
      gdf::u64 const mine = selected64(mask, t * tile + gdf::lane() * 64);
      gdf::u64 bytes = 0;
#pragma unroll 1
      for (int first = 0; first < tile / 32; first += batch) {
        if (__ballot_sync(~0u, mine != 0) >> first / 2 << (32 - batch / 2) == 0) { continue; }
        gdf::extent text[batch];
#pragma unroll
        for (int i = 0; i < batch; i++) {
          int64_t const row = t * tile + (first + i) * 32 + gdf::lane();
          text[i] = gdf::extent_within(in.column[c], row < last ? row : last, column.bytes);
        }
#pragma unroll
        for (int i = 0; i < batch; i++) {
          gdf::u64 const word = __shfl_sync(~0u, mine, (first + i) / 2);
          auto bits = static_cast<uint32_t>(word >> (i & 1) * 32);
          if (bits != 0) { bits &= gdf::row_valid_word(in, copy, c, t * tile + (first + i) * 32, mask.length); }
          if (bits >> gdf::lane() & 1) { bytes += text[i].size(); }
        }
      }
      bytes = gdf::warp_sum(bytes);
      if (gdf::lane() == 0) { counts[t] = bytes; }
    }
  }
  gdf::finish_tile_counts<threads, 6>(scratch, 32 + c, gridDim.x, counts, tiles, mailbox);
}

/// Writes the selected rows of column blockIdx.y. `counts` is the output of the count kernel, and the result has
/// `total` rows.
extern "C" __global__ void GDF_BOUNDS(apply_boolean_mask) GDF_VARIANT(apply_boolean_mask, bits)
apply_boolean_mask_bits_kernel(const __grid_constant__ gdf::column_in mask,
                               const __grid_constant__ gdf::table_in<32> in,
                               const __grid_constant__ gdf::table_out<32> out,
                               const __grid_constant__ gdf::copy_table copy,
                               const unsigned long long* counts, gdf::tile_count tiles, int64_t total,
                               gdf::scratch* scratch, unsigned long long* mailbox) {
  apply_boolean_mask::move_selected<true>(mask, in, out, copy, counts, tiles, total, scratch, mailbox);
}

/// Does the same as apply_boolean_mask_bits_kernel, for columns that are not boolean and whose results have no masks.
extern "C" __global__ void GDF_BOUNDS(apply_boolean_mask) GDF_VARIANT(apply_boolean_mask, values)
apply_boolean_mask_values_kernel(const __grid_constant__ gdf::column_in mask,
                                 const __grid_constant__ gdf::table_in<32> in,
                                 const __grid_constant__ gdf::table_out<32> out,
                                 const __grid_constant__ gdf::copy_table copy,
                                 const unsigned long long* counts, gdf::tile_count tiles, int64_t total,
                                 gdf::scratch* scratch, unsigned long long* mailbox) {
  apply_boolean_mask::move_selected<false>(mask, in, out, copy, counts, tiles, total, scratch, mailbox);
}

/// Does the same as apply_boolean_mask_bits_kernel, with the same parameters, for masks that select few rows of a tile.
/// The columns must have no masks, and rows of 1, 2, 4, 8, 16 or 32 bytes. Each warp has a tile, and each lane moves
/// the selected rows of its words.
extern "C" __global__ void GDF_BOUNDS(apply_boolean_mask) GDF_VARIANT(apply_boolean_mask, sparse)
apply_boolean_mask_sparse_kernel(const __grid_constant__ gdf::column_in mask,
                                 const __grid_constant__ gdf::table_in<32> in,
                                 const __grid_constant__ gdf::table_out<32> out,
                                 const __grid_constant__ gdf::copy_table copy,
                                 const unsigned long long* counts, gdf::tile_count tiles, int64_t,
                                 gdf::scratch*, unsigned long long*) {
  using namespace apply_boolean_mask;
  constexpr int warps = tuning::threads / 32;
  int const c = static_cast<int>(blockIdx.y);
  gdf::by_width(copy.column[c].kind, [&]<class T>() {
    auto const* const from = static_cast<const T*>(in.column[c].data) + in.column[c].offset;
    auto* const to = static_cast<T*>(out.column[c].data);
    int64_t const stride = int64_t{gridDim.x} * warps;
    for (int64_t t = int64_t{blockIdx.x} * warps + gdf::warp(); t < tiles; t += stride) {
      auto position = static_cast<int64_t>(counts[t]);
      int64_t const row = t * tile + gdf::lane() * 64;
      gdf::u64 word = selected64(mask, row);
      auto const mine = static_cast<uint32_t>(__popcll(word));
      position += gdf::warp_inclusive_sum(mine) - mine;
      constexpr int batch = 4; // values that are in flight together
      while (word != 0) {
        T value[batch];
        int count = 0;
#pragma unroll
        for (int i = 0; i < batch; i++) {
          if (word == 0) { continue; }
          value[i] = gdf::load(from + (row + __ffsll(static_cast<long long>(word)) - 1));
          word &= word - 1;
          count++;
        }
#pragma unroll
        for (int i = 0; i < batch; i++) {
          if (i < count) { gdf::store(to + position + i, value[i]); }
        }
        position += count;
      }
    }
  });
}

/// Writes the numbers of the selected rows. `counts` is the output of the count kernel. Each warp has a tile.
extern "C" __global__ void GDF_BOUNDS(selected_rows)
selected_rows_kernel(const __grid_constant__ gdf::column_in mask, const unsigned long long* counts,
                     gdf::tile_count tiles, const __grid_constant__ gdf::column_out out) {
  using namespace apply_boolean_mask;
  constexpr int warps = selected_rows_tuning::threads / 32;
  bool const wide = gdf::width_of(out.type) == 8;
  int64_t const stride = int64_t{gridDim.x} * warps;
  for (int64_t t = int64_t{blockIdx.x} * warps + gdf::warp(); t < tiles; t += stride) {
    int64_t const first = t * tile;
    gdf::u64 const mine = selected64(mask, first + gdf::lane() * 64);
    auto position = static_cast<int64_t>(counts[t]);
    uint32_t used = __ballot_sync(~0u, mine != 0);
    while (used != 0) {
      int const w = __ffs(static_cast<int>(used)) - 1;
      used &= used - 1;
      gdf::u64 const word = __shfl_sync(~0u, mine, w);
#pragma unroll
      for (int half = 0; half < 2; half++) {
        int const bit = half * 32 + gdf::lane();
        if (word >> bit & 1) {
          int64_t const at = position + __popcll(word & ((1ull << bit) - 1));
          int64_t const row = first + w * 64 + bit;
          if (wide) {
            static_cast<long long*>(out.data)[at] = row;
          } else {
            static_cast<int*>(out.data)[at] = static_cast<int>(row);
          }
        }
      }
      position += __popcll(word);
    }
  }
}
