// Texts within texts: places by bytes and by characters. Eight places are compared at a time with up to eight bytes of
// what is looked for, from words that are loaded once; only where these are equal the rest is looked at.
#pragma once

#include "string_rows.cuh"
#include "utf8.cuh"

namespace gdf {

/// A text that is looked for.
struct needle {
  const uint8_t* data; // read beyond the first eight bytes alone
  int64_t size; // may be 0
  uint64_t first; // up to eight bytes of it, the first the lowest
  uint64_t mask; // ones for these bytes
};

/// [thread] The needle of some bytes.
GDF_DEVICE needle needle_of(const string_piece& text) {
  int const n = text.size < 8 ? static_cast<int>(text.size) : 8;
  if (n == 0) { return {text.data, 0, 0, 0}; }
  return {text.data, text.size, string_detail::load_before(text.data, text.limit, n), ~0ull >> (64 - 8 * n)};
}

/// [thread] Up to eight bytes of a text from `at` on, little-endian, zero filled.
GDF_DEVICE u64 bytes_at(const string_piece& text, int64_t at) {
  int64_t const left = text.size - at;
  return left <= 0 ? 0 : string_detail::load_before(text.data + at, text.limit, left < 8 ? static_cast<int>(left) : 8);
}

namespace search_detail {

/// [thread] Whether what follows the first eight bytes lies at `place`, where these do.
GDF_DEVICE bool goes_on(const string_piece& text, int64_t place, const needle& what) {
  int64_t i = 8;
  while (i < what.size && __ldg(text.data + place + i) == __ldg(what.data + i)) { i++; }
  return i >= what.size;
}

/// [thread] Which of the places [at, at + 8) begin with the first bytes and are followed by enough; at >= 0.
GDF_DEVICE uint32_t candidates(const string_piece& text, int64_t at, const needle& what) {
  u64 const low = bytes_at(text, at);
  u64 const high = bytes_at(text, at + 8);
  uint32_t places = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    u64 const word = i == 0 ? low : low >> (8 * i) | high << (64 - 8 * i);
    places |= ((word ^ what.first) & what.mask) == 0 && at + i + what.size <= text.size ? 1u << i : 0;
  }
  return places;
}

} // namespace search_detail

/// [thread] Whether the needle lies at `place`, 0 or more.
GDF_DEVICE bool lies_at(const string_piece& text, int64_t place, const needle& what) {
  return place + what.size <= text.size && ((bytes_at(text, place) ^ what.first) & what.mask) == 0 &&
         search_detail::goes_on(text, place, what);
}

/// [thread] The first of the places [at, at + 8) where the needle lies, or -1.
GDF_DEVICE int64_t first_near(const string_piece& text, int64_t at, const needle& what) {
  for (uint32_t places = search_detail::candidates(text, at, what); places != 0; places &= places - 1) {
    int64_t const place = at + __ffs(static_cast<int>(places)) - 1;
    if (search_detail::goes_on(text, place, what)) { return place; }
  }
  return -1;
}

/// [thread] The last of the places [at, at + 8) where the needle lies, or -1.
GDF_DEVICE int64_t last_near(const string_piece& text, int64_t at, const needle& what) {
  uint32_t places = search_detail::candidates(text, at, what);
  while (places != 0) {
    int const i = 31 - __clz(static_cast<int>(places));
    if (search_detail::goes_on(text, at + i, what)) { return at + i; }
    places ^= 1u << i;
  }
  return -1;
}

/// One thread looks at a text.
struct by_thread {
  /// [thread] The first place, `from` or after, where the needle lies, or -1.
  GDF_DEVICE static int64_t first(const string_piece& text, int64_t from, const needle& what) {
    for (int64_t at = from; at + what.size <= text.size; at += 8) {
      int64_t const place = first_near(text, at, what);
      if (place >= 0) { return place; }
    }
    return -1;
  }

  /// [thread] The last place, `from` or after, where the needle lies, or -1.
  GDF_DEVICE static int64_t last(const string_piece& text, int64_t from, const needle& what) {
    for (int64_t end = text.size - what.size + 1; end > from; end -= 8) {
      int64_t const place = last_near(text, end - 8 < from ? from : end - 8, what);
      if (place >= 0) { return place; }
    }
    return -1;
  }

  /// [thread] How many characters begin in [from, to).
  GDF_DEVICE static int64_t characters(const string_piece& text, int64_t from, int64_t to) {
    string_piece const part{text.data, to, text.limit};
    int64_t continuations = 0;
    for (int64_t at = from; at < to; at += 8) {
      u64 const word = bytes_at(part, at);
      continuations += __popcll(word & ~(word << 1) & 0x8080808080808080ull);
    }
    return to - from - continuations;
  }
};

/// The warp looks at a text that all its lanes have.
struct by_warp {
  /// [warp] As by_thread, in all lanes.
  GDF_DEVICE static int64_t first(const string_piece& text, int64_t from, const needle& what) {
    for (int64_t at = from; at + what.size <= text.size; at += 32 * 8) {
      int64_t const mine = at + lane() * 8;
      int64_t const place = mine + what.size <= text.size ? first_near(text, mine, what) : -1;
      uint32_t const found = __ballot_sync(~0u, place >= 0);
      if (found != 0) { return __shfl_sync(~0u, static_cast<long long>(place), __ffs(static_cast<int>(found)) - 1); }
    }
    return -1;
  }

  /// [warp]
  GDF_DEVICE static int64_t last(const string_piece& text, int64_t from, const needle& what) {
    for (int64_t end = text.size - what.size + 1; end > from; end -= 32 * 8) {
      int64_t const mine = end - lane() * 8;
      int64_t const place = mine > from ? last_near(text, mine - 8 < from ? from : mine - 8, what) : -1;
      uint32_t const found = __ballot_sync(~0u, place >= 0);
      if (found != 0) { return __shfl_sync(~0u, static_cast<long long>(place), __ffs(static_cast<int>(found)) - 1); }
    }
    return -1;
  }

  /// [warp]
  GDF_DEVICE static int64_t characters(const string_piece& text, int64_t from, int64_t to) {
    string_piece const part{text.data, to, text.limit};
    u64 continuations = 0;
    for (int64_t at = from + lane() * 8; at < to; at += 32 * 8) {
      u64 const word = bytes_at(part, at);
      continuations += __popcll(word & ~(word << 1) & 0x8080808080808080ull);
    }
    for (int step = 16; step > 0; step >>= 1) { continuations += __shfl_xor_sync(~0u, continuations, step); }
    return to - from - static_cast<int64_t>(continuations);
  }
};

/// [thread] Where character `number` of a text begins, its end if it has as many, -1 if it has fewer.
GDF_DEVICE int64_t character_place(const string_piece& text, int64_t number) {
  for (int64_t at = 0; at < text.size; at += 8) {
    int const n = text.size - at < 8 ? static_cast<int>(text.size - at) : 8;
    u64 const word = bytes_at(text, at);
    u64 begins = ~(word & ~(word << 1)) & 0x8080808080808080ull & ~0ull >> (64 - 8 * n);
    int const here = __popcll(begins);
    if (number >= here) {
      number -= here;
      continue;
    }
    for (; number > 0; number--) { begins &= begins - 1; }
    return at + ((__ffsll(static_cast<long long>(begins)) - 1) >> 3);
  }
  return number == 0 ? text.size : -1;
}

} // namespace gdf
