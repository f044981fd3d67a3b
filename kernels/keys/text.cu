// Packs texts into integers. One launch finds the bits in which any two texts differ, and the range of the lengths.
// Another launch packs these bits and the length of each text into an integer.

#include <gdf/block_sum.cuh>
#include <gdf/grid.cuh>
#include <gdf/grid_barrier.cuh>
#include <gdf/policy.cuh>
#include <gdf/text_prefix.cuh>

GDF_POLICY(text_bits, 256, 4, 3);
GDF_POLICY(text_numbers, 256, 4, 4);

namespace keys {

using gdf::u64;

constexpr int block_threads = text_bits_tuning::threads;
static_assert(block_threads == text_numbers_tuning::threads);
constexpr int prefix_words = 8;
constexpr int prefix_bytes = 32;
static_assert(prefix_bytes == 4 * prefix_words);

struct text_column {
  gdf::column_in column;
  gdf::byte_count bytes;
};

/// The number of words of scratch memory that all blocks update and that are posted.
constexpr int total_words = 10;
static_assert(total_words == prefix_words + 2);

/// A selector of __byte_perm that selects no byte of a word.
constexpr uint32_t no_bytes = 0x4444;

/// The layout of the bits of a text in a number of 1, 2, 4, 8 or 16 bytes, and the bits that a text must have to get a
/// number. A word of a text is packed in three steps. First, the bytes that differ between texts are moved to the
/// lowest bytes. Then `width` bits of each of these bytes, from bit `shift` on, are moved to the lowest bits. Finally,
/// the result is placed at bit `place` of the number.
struct text_numbering {
  uint32_t base[prefix_words];  // the bits that all texts have
  uint32_t fixed[prefix_words]; // the bits that are not part of the number
  uint32_t selectors[prefix_words]; // selectors of bytes for __byte_perm; no_bytes if no byte is selected
  uint32_t kept[prefix_words];  // mask of the kept bits of the selected bytes, after the shift
  uint8_t shift[prefix_words];
  uint8_t width[prefix_words];
  uint8_t place[prefix_words];
  int32_t shortest;
  int32_t longest;
  int32_t length_place;
  int32_t bytes_each; // the size of a number
  int32_t same_length; // whether no row is null, and each text has `shortest` bytes
  int32_t unused;
};
static_assert(sizeof(text_numbering) == 176);

GDF_DEVICE gdf::extent extent_of(const text_column& in, int64_t row) {
  return gdf::extent_within(in.column, row, in.bytes);
}

template <int words>
static __device__ __noinline__ gdf::text_prefix<words> prefix_of_row(const text_column& in, gdf::extent text) {
  gdf::extent const e[1] = {text};
  gdf::text_prefix<words> prefix[1];
  gdf::load_prefixes<words>(static_cast<const uint8_t*>(in.column.data), in.bytes, e, prefix);
  return prefix[0];
}

/// The number of rows per thread.
template <int words>
constexpr int items_of = words <= 4 ? 4 : 2; // limited by the number of registers

/// The offsets of a warp's rows [row, row + 32 * items).
template <class Offset, int items>
struct row_offsets {
  Offset begin[items];
  Offset end[items];

  GDF_DEVICE void load(const text_column& in, int64_t row, int64_t rows) {
    auto const* const offsets = static_cast<const Offset*>(in.column.offsets) + in.column.offset + row;
    auto const left = static_cast<int>(rows - row < 32 * items ? rows - row : 32 * items);
#pragma unroll
    for (int i = 0; i < items; i++) {
      int const one = i * 32 + gdf::lane();
      begin[i] = __ldg(offsets + (one < left ? one : left));
      end[i] = __ldg(offsets + (one < left ? one + 1 : left));
    }
  }
};

/// The positions of the texts of a warp's rows, as 32-bit numbers.
template <int items>
struct near_texts {
  const uint8_t* base; // a multiple of 4, the same for all lanes
  uint32_t at[items];  // the first byte of each text, relative to `base`
  int32_t size[items];

  /// [warp] Computes the positions. Returns false if a text is longer than `longest`, or lies outside of the column.
  template <class Offset>
  GDF_DEVICE bool find(const text_column& in, const row_offsets<Offset, items>& offsets, uint32_t longest) {
    int64_t const from = __shfl_sync(~0u, offsets.begin[0], 0);
    int64_t const length = __shfl_sync(~0u, offsets.end[items - 1], 31) - from;
    auto const span = static_cast<uint32_t>(length);
    auto const* const data = static_cast<const uint8_t*>(in.column.data);
    auto const skipped = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data) + from) & 3;
    base = data + from - skipped;
    bool fits = from >= skipped && length >= 0 && length <= 32 * items * longest &&
                from - skipped + ((skipped + span + 3) & ~3u) <= in.bytes;
#pragma unroll
    for (int i = 0; i < items; i++) {
      auto const first = static_cast<uint32_t>(offsets.begin[i]) - static_cast<uint32_t>(from);
      auto const last = static_cast<uint32_t>(offsets.end[i]) - static_cast<uint32_t>(from);
      fits = fits && last <= span && last - first <= longest;
      at[i] = first + skipped;
      size[i] = static_cast<int32_t>(last - first);
    }
    return __all_sync(~0u, fits);
  }

  /// [thread] Loads the prefixes of all rows. All loads are issued before the first one is used.
  template <int words>
  GDF_DEVICE void load_prefixes(gdf::text_prefix<words> (&prefix)[items]) const {
    uint32_t raw[items][words + 1];
#pragma unroll
    for (int i = 0; i < items; i++) {
      auto const* const word = reinterpret_cast<const uint32_t*>(base + (at[i] & ~3u));
      int const end = static_cast<int>(at[i] & 3) + size[i];
#pragma unroll
      for (int k = 0; k <= words; k++) { raw[i][k] = 4 * k < end ? __ldg(word + k) : 0; }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      auto const shift = static_cast<int>(at[i] & 3) * 8;
#pragma unroll
      for (int k = 0; k < words; k++) {
        prefix[i].word[k] = __funnelshift_r(raw[i][k], raw[i][k + 1], shift) & gdf::prefix_mask(size[i], k);
      }
    }
  }
};

/// [grid] Calls `near(row, prefix, size)` for rows of at most 4 * `words` bytes. Offsets are loaded a tile ahead.
template <class Offset, int words, class Near, class Far>
GDF_DEVICE void for_each_prefix_by(const text_column& in, int64_t rows, Near&& near, Far&& far) {
  constexpr int items = items_of<words>;
  constexpr int each = 32 * items;
  int64_t const step = static_cast<int64_t>(gridDim.x) * block_threads * items;
  int64_t row = (static_cast<int64_t>(blockIdx.x) * (block_threads / 32) + gdf::warp()) * each;
  row_offsets<Offset, items> next;
  if (row < rows) { next.load(in, row, rows); }
  for (; row < rows; row += step) {
    near_texts<items> texts;
    bool const is_near = texts.find(in, next, 4 * words);
    if (row + step < rows) { next.load(in, row + step, rows); }
    if (!is_near) {
      far(row, row + each < rows ? row + each : rows);
      continue;
    }
    gdf::text_prefix<words> prefix[items];
    texts.load_prefixes(prefix);
#pragma unroll
    for (int i = 0; i < items; i++) { near(row + i * 32 + gdf::lane(), prefix[i], texts.size[i]); }
  }
}
template <int words, class Near, class Far>
GDF_DEVICE void for_each_prefix(const text_column& in, int64_t rows, Near&& near, Far&& far) {
  if (in.column.flags & gdf::wide_offsets) {
    for_each_prefix_by<int64_t, words>(in, rows, near, far);
  } else {
    for_each_prefix_by<int32_t, words>(in, rows, near, far);
  }
}

/// Statistics of some texts: the bits of their first words, and their lengths.
template <int words>
struct text_totals {
  uint32_t ones[words];
  uint32_t zeros[words];
  uint32_t longest;  // at most 2^32 - 2
  uint32_t shortest; // the complement of the shortest length, so that all members start at zero

  GDF_DEVICE text_totals() : longest(0), shortest(0) {
#pragma unroll
    for (int k = 0; k < words; k++) { ones[k] = zeros[k] = 0; }
  }

  template <class Size>
  GDF_DEVICE void add(const gdf::text_prefix<words>& prefix, Size size) {
    auto const length = sizeof(Size) == 4 || size < 0xfffffffe ? static_cast<uint32_t>(size) : 0xfffffffe;
    int const n = length < 4 * words ? static_cast<int>(length) : 4 * words;
#pragma unroll
    for (int k = 0; k < words; k++) {
      ones[k] |= prefix.word[k];
      zeros[k] |= ~prefix.word[k] & gdf::prefix_mask(n, k);
    }
    longest = length > longest ? length : longest;
    shortest = ~length > shortest ? ~length : shortest;
  }
};

/// [thread] Extends the 32-bit complement of a length to 64 bits. 0 stands for no length, and remains 0.
GDF_DEVICE u64 complement_of(uint32_t complement) { return complement == 0 ? 0 : ~static_cast<u64>(~complement); }

template <int words>
GDF_DEVICE void add_lanes(const text_totals<words>& mine, unsigned long long* totals) {
#pragma unroll
  for (int k = 0; k < words; k++) {
    u64 const bits = gdf::warp_or(static_cast<u64>(mine.zeros[k]) << 32 | mine.ones[k]);
    if (gdf::lane() == 0) { atomicOr(totals + k, bits); }
  }
  uint32_t const longest = gdf::warp_max(mine.longest);
  uint32_t const shortest = gdf::warp_max(mine.shortest);
  if (gdf::lane() == 0) {
    atomicMax(totals + prefix_words, static_cast<u64>(longest));
    atomicMax(totals + prefix_words + 1, complement_of(shortest));
  }
}

template <int words>
GDF_DEVICE void add_totals(const text_totals<words>& mine, unsigned long long* totals) {
  __shared__ unsigned long long of_block[total_words];
  __syncthreads(); // `of_block` may still be read from the previous call
  if (threadIdx.x < total_words) { of_block[threadIdx.x] = 0; }
  __syncthreads();
  add_lanes(mine, of_block);
  __syncthreads();
  // Words that are 0 are skipped.
  if (threadIdx.x >= total_words || of_block[threadIdx.x] == 0) { return; }
  if (threadIdx.x < prefix_words) {
    atomicOr(totals + threadIdx.x, of_block[threadIdx.x]);
  } else {
    atomicMax(totals + threadIdx.x, of_block[threadIdx.x]);
  }
}

/// [block] Returns the longest length in `totals` if the texts so far can become numbers of at most `most_bits` bits.
/// Otherwise all bits of the result are set.
GDF_DEVICE u64 longest_that_fits(const unsigned long long* totals, int most_bits) {
  __shared__ u64 longest;
  // Only one warp reads these few words. Reads by all threads of all blocks would be serialized.
  if (gdf::warp() == 0) {
    int const k = gdf::lane() < prefix_words ? gdf::lane() : prefix_words;
    u64 const word = static_cast<const volatile unsigned long long*>(totals)[k];
    auto const varying = static_cast<uint32_t>(k < prefix_words ? __popc(static_cast<uint32_t>(word & word >> 32)) : 0);
    auto const bits = static_cast<int>(gdf::warp_sum(varying));
    if (gdf::lane() == prefix_words) { longest = bits <= most_bits && word <= prefix_bytes ? word : ~0ull; }
  }
  __syncthreads();
  return longest;
}

/// [warp] Adds the texts of rows to the totals of the grid.
static __device__ __noinline__ void add_far_rows(const text_column& in, int64_t row, int64_t end, unsigned long long* totals) {
  text_totals<prefix_words> mine;
  for (row += gdf::lane(); row < end; row += 32) {
    if (!gdf::is_valid(in.column, row)) { continue; }
    gdf::extent const text = extent_of(in, row);
    mine.add(prefix_of_row<prefix_words>(in, text), text.size());
  }
  __syncwarp();
  add_lanes(mine, totals);
}

/// [grid] Adds all rows to the totals.
template <int words>
GDF_DEVICE void add_rows(const text_column& in, int64_t rows, unsigned long long* totals) {
  text_totals<words> mine;
  for_each_prefix<words>(
    in, rows,
    [&](int64_t row, const gdf::text_prefix<words>& prefix, int size) {
      if (row < rows && (in.column.validity == nullptr || gdf::is_valid(in.column, row))) { mine.add(prefix, size); }
    },
    [&](int64_t row, int64_t end) { add_far_rows(in, row, end, totals); });
  add_totals(mine, totals);
}

struct wide_number {
  u64 low;
  u64 high;

  GDF_DEVICE void put(uint32_t value, int place) {
    if (place >= 64) {
      high |= static_cast<u64>(value) << (place - 64);
    } else {
      low |= static_cast<u64>(value) << place;
      if (place > 32) { high |= static_cast<u64>(value) >> (64 - place); }
    }
  }

  GDF_DEVICE void store(int bytes, int64_t row, void* out) const {
    if (bytes == 8) {
      static_cast<u64*>(out)[row] = low;
    } else {
      static_cast<ulonglong2*>(out)[row] = {low, high};
    }
  }
};

struct short_number {
  uint32_t low;

  GDF_DEVICE void put(uint32_t value, int place) { low |= value << place; }

  GDF_DEVICE void store(int bytes, int64_t row, void* out) const {
    if (bytes == 1) {
      static_cast<uint8_t*>(out)[row] = static_cast<uint8_t>(low);
    } else if (bytes == 2) {
      static_cast<uint16_t*>(out)[row] = static_cast<uint16_t>(low);
    } else {
      static_cast<uint32_t*>(out)[row] = low;
    }
  }
};
GDF_DEVICE void set_unknown(wide_number& number) { number = {~0ull, ~0ull}; }
GDF_DEVICE void set_unknown(short_number& number) { number = {~0u}; }

/// [thread] Returns the number of a text.
template <class Number, int words, class Size>
GDF_DEVICE Number number_of(const text_numbering& of, const gdf::text_prefix<words>& prefix, Size size) {
  Number number = {};
  bool const fits = size >= of.shortest && size <= of.longest;
  auto const length = static_cast<int>(fits ? size : 0);
  if (of.longest != of.shortest) { number.put(static_cast<uint32_t>(length - of.shortest), of.length_place); }
  uint32_t other = 0;
#pragma unroll
  for (int k = 0; k < words; k++) {
    uint32_t const word = prefix.word[k];
    other |= (word ^ of.base[k]) & of.fixed[k] & gdf::prefix_mask(length, k);
    if (of.kept[k] == 0) { continue; }
    int const width = of.width[k];
    uint32_t const bytes = __byte_perm(word, 0, of.selectors[k]) >> of.shift[k] & of.kept[k];
    uint32_t const two = (bytes & 0x00ff00ff) | (bytes >> 8 & 0x00ff00ff) << width;
    number.put((two & 0xffff) | two >> 16 << 2 * width, of.place[k]);
  }
  if (!fits || other != 0) { set_unknown(number); }
  return number;
}

template <class Number, int words, class Size>
GDF_DEVICE void store_number(const text_numbering& of, const gdf::text_prefix<words>& prefix, Size size, int64_t row, void* out) {
  number_of<Number>(of, prefix, size).store(of.bytes_each, row, out);
}

GDF_DEVICE int64_t first_text(const text_column& in) {
  return in.column.flags & gdf::wide_offsets ? static_cast<const int64_t*>(in.column.offsets)[in.column.offset]
                                             : static_cast<const int32_t*>(in.column.offsets)[in.column.offset];
}

/// [grid] Stores the numbers of texts that all have `length` bytes, at most 4.
template <int length, class T, class Number>
GDF_DEVICE void number_equal_rows(const uint8_t* texts, int64_t rows, T* out, Number&& number) {
  constexpr int each = 16 / length; // rows of a thread, which are consecutive
  bool const is_aligned = (reinterpret_cast<uintptr_t>(texts) & 15) == 0;
  int64_t const step = static_cast<int64_t>(gridDim.x) * block_threads * each;
  for (int64_t row = (static_cast<int64_t>(blockIdx.x) * block_threads + threadIdx.x) * each; row < rows; row += step) {
    uint8_t const* const from = texts + row * length;
    uint32_t text[each];
    bool const is_whole = is_aligned && row + each <= rows;
    if (is_whole) {
      uint4 const loaded = __ldcs(reinterpret_cast<const uint4*>(from));
      uint32_t const word[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
      for (int i = 0; i < each; i++) {
        text[i] = word[i * length / 4] >> (i * length % 4 * 8) & (~0u >> (32 - 8 * length));
      }
    } else {
#pragma unroll
      for (int i = 0; i < each; i++) {
        text[i] = 0;
#pragma unroll
        for (int k = 0; k < length; k++) {
          if (row + i < rows) { text[i] |= static_cast<uint32_t>(from[i * length + k]) << 8 * k; }
        }
      }
    }
    T result[each];
#pragma unroll
    for (int i = 0; i < each; i++) { result[i] = static_cast<T>(number(text[i])); }
    if (is_whole) {
      uint32_t word[each * sizeof(T) / 4];
      memcpy(word, result, sizeof(result));
#pragma unroll
      for (int w = 0; w < static_cast<int>(each * sizeof(T) / 4); w++) { reinterpret_cast<uint32_t*>(out + row)[w] = word[w]; }
    } else {
#pragma unroll
      for (int i = 0; i < each; i++) {
        if (row + i < rows) { out[row + i] = result[i]; }
      }
    }
  }
}

/// [grid] Stores the numbers of texts that all have `length` bytes.
template <int length>
GDF_DEVICE void number_equal_texts(const text_column& in, const text_numbering& of, int64_t rows, void* out) {
  __shared__ uint32_t number_of_byte[256];
  auto const computed = [&](uint32_t text) { return number_of<short_number>(of, gdf::text_prefix<1>{{text}}, length).low; };
  static_assert(block_threads == 256);
  if (length == 1) {
    number_of_byte[threadIdx.x] = computed(threadIdx.x);
    __syncthreads();
  }
  auto const number = [&](uint32_t text) { return length == 1 ? number_of_byte[text] : computed(text); };
  auto const* const texts = static_cast<const uint8_t*>(in.column.data) + first_text(in);
  switch (of.bytes_each) {
    case 1: number_equal_rows<length>(texts, rows, static_cast<uint8_t*>(out), number); break;
    case 2: number_equal_rows<length>(texts, rows, static_cast<uint16_t*>(out), number); break;
    default: number_equal_rows<length>(texts, rows, static_cast<uint32_t*>(out), number); break;
  }
}

/// [warp] Stores the numbers of rows.
static __device__ __noinline__ void number_far_rows(const text_column& in, const text_numbering& of, int64_t row, int64_t end, void* out) {
  for (row += gdf::lane(); row < end; row += 32) {
    gdf::extent const text = extent_of(in, row);
    gdf::text_prefix<prefix_words> const prefix = prefix_of_row<prefix_words>(in, text);
    if (of.bytes_each <= 4) {
      store_number<short_number>(of, prefix, text.size(), row, out);
    } else {
      store_number<wide_number>(of, prefix, text.size(), row, out);
    }
  }
}

/// [grid] Stores the numbers of texts of at most `words` words.
template <class Number, int words>
GDF_DEVICE void number_rows_by(const text_column& in, const text_numbering& of, int64_t rows, void* out) {
  for_each_prefix<words>(
    in, rows,
    [&](int64_t row, const gdf::text_prefix<words>& prefix, int size) {
      if (row < rows) { store_number<Number>(of, prefix, size, row, out); }
    },
    [&](int64_t row, int64_t end) { number_far_rows(in, of, row, end, out); });
}
template <int words>
GDF_DEVICE void number_rows(const text_column& in, const text_numbering& of, int64_t rows, void* out) {
  if (of.bytes_each <= 4) {
    number_rows_by<short_number, words>(in, of, rows, out);
  } else {
    number_rows_by<wide_number, words>(in, of, rows, out);
  }
}

} // namespace keys

/// Posts to the mailbox the totals of the texts of all valid rows. `rows` must be positive. The kernel first reads a
/// sample of `sample` rows that are spread over all rows. If the texts of the sample differ in more than `most_bits`
/// bits or are too long, the posted totals are those of the sample. The launch must be cooperative. The kernel uses
/// tickets 32 and 33, and zeroed[0, 10).
extern "C" __global__ void GDF_BOUNDS(text_bits)
text_bits_kernel(const __grid_constant__ keys::text_column in, gdf::row_count rows, int64_t sample, int most_bits,
                 gdf::scratch* scratch, unsigned long long* mailbox) {
  using namespace keys;
  auto* const totals = scratch->zeroed;
  gdf::grid_barrier barrier{scratch, 32};
  {
    text_totals<prefix_words> mine;
    int64_t const each = rows / sample;
    gdf::for_each_index(sample, [&](int64_t i) {
      int64_t const row = i * each;
      if (!gdf::is_valid(in.column, row)) { return; }
      gdf::extent const text = extent_of(in, row);
      mine.add(prefix_of_row<prefix_words>(in, text), text.size());
    });
    add_totals(mine, totals);
  }
  barrier.wait();
  // A block that reads the totals late may already see updates of other blocks. Totals only grow. If the texts do not
  // fit by the totals that this block sees, they do not fit by the final totals either.
  u64 const longest = longest_that_fits(totals, most_bits);
  if (longest <= 8) {
    add_rows<2>(in, rows, totals);
  } else if (longest <= 16) {
    add_rows<4>(in, rows, totals);
  } else if (longest <= prefix_bytes) {
    add_rows<prefix_words>(in, rows, totals);
  }
  if (barrier.end() && threadIdx.x < total_words) {
    gdf::post(mailbox + threadIdx.x, atomicExch(totals + threadIdx.x, 0ull));
  }
}

/// Writes the numbers of the texts of `rows` rows. Each number has `of.bytes_each` bytes. If a text has no number, all
/// bits are set.
extern "C" __global__ void GDF_BOUNDS(text_numbers)
text_numbers_kernel(const __grid_constant__ keys::text_column in, const __grid_constant__ keys::text_numbering of,
                    gdf::row_count rows, void* out) {
  using namespace keys;
  int64_t const first = of.same_length && of.bytes_each <= 4 ? first_text(in) : -1;
  bool const is_even = first >= 0 && first + rows * of.shortest <= in.bytes;
  if (is_even && of.shortest == 1) {
    number_equal_texts<1>(in, of, rows, out);
  } else if (is_even && of.shortest == 2) {
    number_equal_texts<2>(in, of, rows, out);
  } else if (is_even && of.shortest == 4) {
    number_equal_texts<4>(in, of, rows, out);
  } else if (of.longest <= 8) {
    number_rows<2>(in, of, rows, out);
  } else if (of.longest <= 16) {
    number_rows<4>(in, of, rows, out);
  } else {
    number_rows<prefix_words>(in, of, rows, out);
  }
}
