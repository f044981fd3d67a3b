// Texts as numbers: those of a column often differ in few bits, as digits do in four of eight, and as texts with a common
// beginning do behind it alone. One launch finds the bits in which any two texts differ and how long texts are; another one
// puts these bits and the length of each text next to each other.

#include <gdf/grid.cuh>
#include <gdf/grid_barrier.cuh>
#include <gdf/policy.cuh>
#include <gdf/text_prefix.cuh>

GDF_POLICY(text_bits, 256, 4, 4);
GDF_POLICY(text_numbers, 256, 4, 4);

namespace keys {

using gdf::u64;

constexpr int prefix_words = 8;
constexpr int prefix_bytes = 32;
static_assert(prefix_bytes == 4 * prefix_words);

/// Texts, and the length of their buffer.
struct text_column {
  gdf::column_in column;
  int64_t bytes;
};

/// Words of the scratch memory that all blocks add to, and that are posted: of each word of texts the bits that are set in
/// some text, above them those that are not; the longest length; the complement of the shortest one.
constexpr int total_words = 10;
static_assert(total_words == prefix_words + 2);

/// Where the bits of texts lie in a number of 1, 2, 4, 8 or 16 bytes, and what other texts have to agree in to have one. Of
/// each word of a text, the bytes that differ between texts are moved to the lowest ones, then `width` bits of each of them
/// from bit `shift` on to the lowest bits, and these to bit `place` of the number.
struct text_numbering {
  uint32_t base[prefix_words];  // the bits that all texts have
  uint32_t fixed[prefix_words]; // those that numbers do not have
  uint32_t bytes[prefix_words]; // selects the bytes, as __byte_perm does; 0x4444: none
  uint32_t kept[prefix_words];  // of the bytes, shifted
  uint8_t shift[prefix_words];
  uint8_t width[prefix_words];
  uint8_t place[prefix_words];
  int32_t shortest;
  int32_t longest;
  int32_t length_place;
  int32_t bytes_each; // of a number
};
static_assert(sizeof(text_numbering) == 168);

/// [thread] Where the text of a row lies.
GDF_DEVICE gdf::extent extent_of(const text_column& in, int64_t row) {
  return gdf::extent_within(in.column, row, in.bytes);
}

/// [thread] The first bytes of some rows.
template <int words, int items>
GDF_DEVICE void load_prefixes(const text_column& in, const gdf::extent (&e)[items],
                              gdf::text_prefix<words> (&prefix)[items]) {
  gdf::load_prefixes<words>(static_cast<const uint8_t*>(in.column.data), in.bytes, e, prefix);
}

/// What is known of some texts, of their first words.
template <int words>
struct text_totals {
  uint32_t ones[words];
  uint32_t zeros[words];
  u64 longest;
  u64 shortest; // its complement, so that all begins with zeros

  GDF_DEVICE text_totals() : longest(0), shortest(0) {
#pragma unroll
    for (int k = 0; k < words; k++) { ones[k] = zeros[k] = 0; }
  }

  GDF_DEVICE void add(const gdf::text_prefix<words>& prefix, int64_t size) {
    int const n = size < 4 * words ? static_cast<int>(size) : 4 * words;
#pragma unroll
    for (int k = 0; k < words; k++) {
      ones[k] |= prefix.word[k];
      zeros[k] |= ~prefix.word[k] & gdf::prefix_mask(n, k);
    }
    u64 const length = static_cast<u64>(size);
    longest = length > longest ? length : longest;
    shortest = ~length > shortest ? ~length : shortest;
  }
};

/// [block] Adds what all threads know to the totals of the grid.
template <int words>
GDF_DEVICE void add_totals(const text_totals<words>& mine, unsigned long long* totals) {
  __shared__ unsigned long long of_block[total_words];
  __syncthreads(); // it may still be read from a call before
  if (threadIdx.x < total_words) { of_block[threadIdx.x] = 0; }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < words; k++) {
    u64 bits = static_cast<u64>(mine.zeros[k]) << 32 | mine.ones[k];
#pragma unroll
    for (int step = 16; step > 0; step >>= 1) { bits |= __shfl_xor_sync(~0u, bits, step); }
    if (gdf::lane() == 0) { atomicOr(of_block + k, bits); }
  }
  u64 longest = mine.longest;
  u64 shortest = mine.shortest;
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    u64 const l = __shfl_xor_sync(~0u, longest, step);
    u64 const s = __shfl_xor_sync(~0u, shortest, step);
    longest = l > longest ? l : longest;
    shortest = s > shortest ? s : shortest;
  }
  if (gdf::lane() == 0) {
    atomicMax(of_block + prefix_words, longest);
    atomicMax(of_block + prefix_words + 1, shortest);
  }
  __syncthreads();
  if (threadIdx.x < prefix_words) {
    atomicOr(totals + threadIdx.x, of_block[threadIdx.x]);
  } else if (threadIdx.x < total_words) {
    atomicMax(totals + threadIdx.x, of_block[threadIdx.x]);
  }
}

/// [thread] Whether texts with these totals may still become numbers of so many bits.
GDF_DEVICE bool may_fit(const unsigned long long* totals, int most_bits) {
  auto const* const all = static_cast<const volatile unsigned long long*>(totals);
  int bits = 0;
#pragma unroll
  for (int k = 0; k < prefix_words; k++) { bits += __popc(static_cast<uint32_t>(all[k] & all[k] >> 32)); }
  return bits <= most_bits && all[prefix_words] <= prefix_bytes;
}

/// [thread] Adds the whole text of a row to the totals of the grid.
static __device__ __noinline__ void add_text(const text_column& in, int64_t row, unsigned long long* totals) {
  gdf::extent const e[1] = {extent_of(in, row)};
  gdf::text_prefix<prefix_words> prefix[1];
  load_prefixes<prefix_words>(in, e, prefix);
  text_totals<prefix_words> mine;
  mine.add(prefix[0], e[0].size());
#pragma unroll
  for (int k = 0; k < prefix_words; k++) {
    atomicOr(totals + k, static_cast<u64>(mine.zeros[k]) << 32 | mine.ones[k]);
  }
}

/// [grid] Adds all rows, whose texts have mostly no more than `words` words.
template <int words>
GDF_DEVICE void add_rows(const text_column& in, int64_t rows, unsigned long long* totals) {
  constexpr int threads = text_bits_tuning::threads;
  constexpr int items = words <= 4 ? text_bits_tuning::items / 2 : 1; // registers
  text_totals<words> mine;
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    gdf::extent e[items];
    bool valid[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      valid[i] = row < rows && gdf::is_valid(in.column, row);
      e[i] = valid[i] ? extent_of(in, row) : gdf::extent{0, 0};
    }
    gdf::text_prefix<words> prefix[items];
    load_prefixes<words>(in, e, prefix);
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (!valid[i]) { continue; }
      mine.add(prefix[i], e[i].size());
      if (words < prefix_words && e[i].size() > 4 * words) { // none in the sample was so long
        add_text(in, gdf::row_of<threads>(first, i), totals);
      }
    }
  });
  add_totals(mine, totals);
}

/// [thread] The number of a text, which is `known` to have one unless it differs where texts do not.
template <int words>
GDF_DEVICE ulonglong2 number_of(const text_numbering& of, const gdf::text_prefix<words>& prefix, int size, bool& known) {
  u64 number[2] = {0, 0};
  auto const put = [&](u64 value, int place) {
    if (place >= 64) {
      number[1] |= value << (place - 64);
    } else {
      number[0] |= value << place;
      if (place > 32) { number[1] |= value >> (64 - place); } // of 32 bits at most
    }
  };
  put(static_cast<u64>(size - of.shortest), of.length_place);
  uint32_t other = 0;
#pragma unroll
  for (int k = 0; k < words; k++) {
    uint32_t const word = prefix.word[k];
    other |= (word ^ of.base[k]) & of.fixed[k] & gdf::prefix_mask(size, k);
    if (of.kept[k] == 0) { continue; }
    int const width = of.width[k];
    uint32_t const bytes = __byte_perm(word, 0, of.bytes[k]) >> of.shift[k] & of.kept[k];
    uint32_t const two = (bytes & 0x00ff00ff) | (bytes >> 8 & 0x00ff00ff) << width;
    put((two & 0xffff) | two >> 16 << 2 * width, of.place[k]);
  }
  known = known && other == 0;
  return {number[0], number[1]};
}

/// [grid] The numbers of texts of at most `words` words.
template <int words>
GDF_DEVICE void number_rows(const text_column& in, const text_numbering& of, int64_t rows, void* out) {
  constexpr int threads = text_numbers_tuning::threads;
  constexpr int items = words <= 4 ? text_numbers_tuning::items : 2; // registers
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    gdf::extent e[items];
    bool known[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      e[i] = row < rows ? extent_of(in, row) : gdf::extent{0, 0};
      known[i] = e[i].size() >= of.shortest && e[i].size() <= of.longest;
      if (!known[i]) { e[i] = {0, 0}; }
    }
    gdf::text_prefix<words> prefix[items];
    load_prefixes<words>(in, e, prefix);
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      ulonglong2 number = number_of(of, prefix[i], static_cast<int>(e[i].size()), known[i]);
      if (!known[i]) { number = {~0ull, ~0ull}; }
      if (row >= rows) { continue; }
      switch (of.bytes_each) {
        case 1: static_cast<uint8_t*>(out)[row] = static_cast<uint8_t>(number.x); break;
        case 2: static_cast<uint16_t*>(out)[row] = static_cast<uint16_t>(number.x); break;
        case 4: static_cast<uint32_t*>(out)[row] = static_cast<uint32_t>(number.x); break;
        case 8: static_cast<u64*>(out)[row] = number.x; break;
        default: static_cast<ulonglong2*>(out)[row] = number; break;
      }
    }
  });
}

} // namespace keys

/// What the texts of `rows` rows, above 0, that are not null have in common: the words of the totals go to the mailbox. They
/// are of some rows alone, `sample` of them spread over all among these, where these differ in more than `most_bits` bits. A
/// cooperative launch. Tickets 32, 33; zeroed[0, 10).
extern "C" __global__ void GDF_BOUNDS(text_bits)
text_bits_kernel(const __grid_constant__ keys::text_column in, int64_t rows, int64_t sample, int most_bits,
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
      gdf::extent const e[1] = {extent_of(in, row)};
      gdf::text_prefix<prefix_words> prefix[1];
      load_prefixes<prefix_words>(in, e, prefix);
      mine.add(prefix[0], e[0].size());
    });
    add_totals(mine, totals);
  }
  barrier.wait();
  // A block that looks late may see what others have added since; then the totals of all do not fit either.
  if (may_fit(totals, most_bits)) {
    u64 const longest = *static_cast<const volatile unsigned long long*>(totals + prefix_words);
    if (longest <= 8) {
      add_rows<2>(in, rows, totals);
    } else if (longest <= 16) {
      add_rows<4>(in, rows, totals);
    } else {
      add_rows<prefix_words>(in, rows, totals);
    }
  }
  if (barrier.end() && threadIdx.x < total_words) {
    gdf::post(mailbox + threadIdx.x, atomicExch(totals + threadIdx.x, 0ull));
  }
}

/// The numbers of the texts of `rows` rows, `of.bytes_each` bytes each; all ones for texts that have none, and anything for
/// nulls.
extern "C" __global__ void GDF_BOUNDS(text_numbers)
text_numbers_kernel(const __grid_constant__ keys::text_column in, const __grid_constant__ keys::text_numbering of,
                    int64_t rows, void* out) {
  using namespace keys;
  if (of.longest <= 8) {
    number_rows<2>(in, of, rows, out);
  } else if (of.longest <= 16) {
    number_rows<4>(in, of, rows, out);
  } else {
    number_rows<prefix_words>(in, of, rows, out);
  }
}
