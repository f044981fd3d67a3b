// Searches of texts within texts, with positions in bytes and in characters. A search tests eight positions at a time
// for the first two bytes of the needle.
#pragma once

#include "block_sum.cuh"
#include "staged_text.cuh"
#include "utf8.cuh"

namespace gdf {

/// A text that is searched for.
struct needle {
  const uint8_t* data; // only the bytes after the first eight are read from here
  int64_t size; // may be 0
  uint64_t first; // up to eight first bytes, little-endian
  uint64_t mask; // ones in the bytes that `first` has
};

GDF_DEVICE needle needle_of(const string_piece& text) {
  int const n = text.size < 8 ? static_cast<int>(text.size) : 8;
  if (n == 0) { return {text.data, 0, 0, 0}; }
  return {text.data, text.size, string_detail::load_before(text.data, text.limit, n), ~0ull >> (64 - 8 * n)};
}

namespace search_detail {

/// [thread] Returns whether the needle lies at `place`. The first eight bytes of the needle are known to lie there.
template <class Text>
GDF_DEVICE bool goes_on(const Text& text, typename Text::index place, const needle& what) {
  typename Text::index i = 8;
  while (i < what.size && byte_at(text, place + i) == __ldg(what.data + i)) { i++; }
  return i >= what.size;
}

template <int number>
GDF_DEVICE u64 repeated_byte(u64 word) {
  uint32_t const half = __byte_perm(static_cast<uint32_t>(word), 0, number * 0x1111);
  return static_cast<u64>(half) << 32 | half;
}

/// [thread] Returns a word in which the top bit of each zero byte of `word` is set. The top bit of some bytes above a
/// zero byte may also be set.
GDF_DEVICE u64 zero_bytes(u64 word) { return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull; }

/// [thread] Returns the eight bytes from byte `i` (0 to 7) of `low` on. `high` has the bytes that follow `low`.
GDF_DEVICE u64 word_from(u64 low, u64 high, int i) { return i == 0 ? low : low >> (8 * i) | high << (64 - 8 * i); }

/// [thread] Returns a word in which the top bit of byte i is set if the needle may lie at byte i of `low`.
///
/// The top bit may also be set at some other bytes.
template <class Text>
GDF_DEVICE u64 candidates(const Text& text, typename Text::index at, u64 low, u64 high, const needle& what) {
  u64 places = 0x8080808080808080ull;
  if (what.size > 0) { places &= zero_bytes(low ^ repeated_byte<0>(what.first)); }
  if (what.size > 1) { places &= zero_bytes(word_from(low, high, 1) ^ repeated_byte<1>(what.first)); }
  // The number of places after `at` at which the needle fits in the text.
  auto const left = static_cast<typename Text::index>(text.size - at - what.size);
  return left >= 7 ? places : left < 0 ? 0 : places & ~0ull >> (56 - 8 * static_cast<int>(left));
}

template <class Text>
GDF_DEVICE bool lies_in(const Text& text, typename Text::index at, u64 low, u64 high, int i, const needle& what) {
  return ((word_from(low, high, i) ^ what.first) & what.mask) == 0 && goes_on(text, at + i, what);
}

/// [thread] Returns the first of the places [at, at + 8) at which the needle lies, or -1. `low` and `high` are the
/// bytes from `at` on.
template <class Text>
GDF_DEVICE typename Text::index first_in(const Text& text, typename Text::index at, u64 low, u64 high, const needle& what) {
  for (u64 places = candidates(text, at, low, high, what); places != 0; places &= places - 1) {
    int const i = (__ffsll(static_cast<long long>(places)) - 1) >> 3;
    if (lies_in(text, at, low, high, i, what)) { return at + i; }
  }
  return -1;
}

} // namespace search_detail

/// [thread] Returns whether the needle lies at `place`, which is not negative.
template <class Text>
GDF_DEVICE bool lies_at(const Text& text, typename Text::index place, const needle& what) {
  return place + what.size <= text.size && ((loose_bytes_at(text, place) ^ what.first) & what.mask) == 0 &&
         search_detail::goes_on(text, place, what);
}

template <class Text>
GDF_DEVICE typename Text::index last_near(const Text& text, typename Text::index at, const needle& what) {
  u64 const low = bytes_at(text, at);
  u64 const high = bytes_at(text, at + 8);
  u64 places = search_detail::candidates(text, at, low, high, what);
  while (places != 0) {
    int const bit = 63 - __clzll(static_cast<long long>(places));
    if (search_detail::lies_in(text, at, low, high, bit >> 3, what)) { return at + (bit >> 3); }
    places ^= 1ull << bit;
  }
  return -1;
}

/// Searches by one thread.
struct by_thread {
  /// [thread] Returns the first place at which the needle lies, or -1.
  template <class Text>
  GDF_DEVICE static typename Text::index first(const Text& text, typename Text::index from, const needle& what) {
    if (from + what.size > text.size) { return -1; }
    if (what.size == 0) { return from; }
    typename Text::index found = -1;
    for_each(text, from, what, [&](typename Text::index place) {
      found = place;
      return false;
    });
    return found;
  }

  /// [thread] Calls `see(place)` for each place at which the needle lies, from `from` on, until `see` returns false.
  ///
  /// The needle must not be empty. Places come from left to right, and a place that overlaps the previous one is
  /// skipped.
  template <class Text, class See>
  GDF_DEVICE static void for_each(const Text& text, typename Text::index from, const needle& what, See&& see) {
    using index = typename Text::index;
    if (from + what.size > text.size) { return; }
    auto const last = static_cast<index>(text.size - what.size);
    u64 const first = search_detail::repeated_byte<0>(what.first);
    u64 const second = search_detail::repeated_byte<1>(what.first);
    u64 low = loose_bytes_at(text, from);
    for (index at = from; at <= last; at += 8) {
      u64 const high = loose_bytes_at(text, at + 8);
      u64 places = search_detail::zero_bytes(low ^ first);
      if (what.size > 1) { places &= search_detail::zero_bytes(search_detail::word_from(low, high, 1) ^ second); }
      for (; places != 0; places &= places - 1) {
        int const i = (__ffsll(static_cast<long long>(places)) - 1) >> 3;
        if (at + i > last) { return; }
        if (at + i < from || !search_detail::lies_in(text, at, low, high, i, what)) { continue; }
        if (!see(at + i)) { return; }
        from = at + i + static_cast<index>(what.size);
      }
      low = high;
    }
  }

  /// [thread] Returns the last place at which the needle lies, or -1.
  template <class Text>
  GDF_DEVICE static typename Text::index last(const Text& text, typename Text::index from, const needle& what) {
    using index = typename Text::index;
    if (from + what.size > text.size) { return -1; }
    for (auto end = static_cast<index>(text.size - what.size + 1); end > from; end -= 8) {
      index const place = last_near(text, end - 8 < from ? from : end - 8, what);
      if (place >= 0) { return place; }
    }
    return -1;
  }

  /// [thread] Returns the number of characters that begin in [from, to).
  template <class Text>
  GDF_DEVICE static typename Text::index characters(const Text& text, typename Text::index from, typename Text::index to) {
    using index = typename Text::index;
    Text const part = part_of(text, 0, to);
    index continuations = 0;
    for (index at = from; at < to; at += 8) {
      u64 const word = bytes_at(part, at);
      continuations += __popcll(word & ~(word << 1) & 0x8080808080808080ull);
    }
    return to - from - continuations;
  }
  /// [thread] Does the same for staged text. It reads the aligned words of shared memory.
  GDF_DEVICE static int32_t characters(const staged_piece& text, int32_t from, int32_t to) {
    if (from >= to) { return 0; }
    auto const continuations = [](uint32_t word) { return word & ~(word << 1) & 0x80808080u; };
    uint32_t const end = text.at + to;
    uint32_t at = (text.at + from) & ~3u;
    uint32_t bits = continuations(text.words[at >> 2]) & ~0u << ((text.at + from - at) * 8);
    uint32_t sum = 0;
#pragma unroll 1
    for (at += 4; at < end; at += 4) {
      sum = __dp4a(bits, 0x01010101u, sum);
      bits = continuations(text.words[at >> 2]);
    }
    sum = __dp4a(bits & ~0u >> ((at - end) * 8), 0x01010101u, sum);
    return to - from - static_cast<int32_t>(sum >> 7);
  }
};

struct by_warp {
  /// The number of words that a lane loads at a time.
  static constexpr int words = 2;

  /// [warp] Does the same as by_thread::first. All lanes get the result.
  GDF_DEVICE static int64_t first(const string_piece& text, int64_t from, const needle& what) {
    for (int64_t at = from; at + what.size <= text.size; at += 32 * 8 * words) {
      int64_t const mine = at + lane() * 8 * words;
      u64 loaded[words + 1];
#pragma unroll
      for (int i = 0; i <= words; i++) { loaded[i] = bytes_at(text, mine + 8 * i); }
      int64_t place = -1;
#pragma unroll
      for (int i = 0; i < words; i++) {
        if (place < 0) { place = search_detail::first_in(text, mine + 8 * i, loaded[i], loaded[i + 1], what); }
      }
      uint32_t const found = __ballot_sync(~0u, place >= 0);
      if (found != 0) { return __shfl_sync(~0u, static_cast<long long>(place), __ffs(static_cast<int>(found)) - 1); }
    }
    return -1;
  }

  /// [warp] Returns whether the needle begins in the part [from, to) of a text. It may end behind the part.
  GDF_DEVICE static bool lies_from(const string_piece& text, int64_t from, int64_t to, const needle& what) {
    int64_t const left = text.size - to;
    int64_t const behind = what.size == 0 ? 0 : what.size - 1;
    return first(part_of(text, 0, to + (behind < left ? behind : left)), from, what) >= 0;
  }

  /// The number of consecutive bytes that a lane searches.
  static constexpr int lane_bytes = 8 * words;

  /// [warp] Returns whether the needle may overlap itself. A needle whose first byte does not occur again cannot
  /// overlap itself.
  GDF_DEVICE static bool may_overlap(const needle& what) {
    bool again = false;
    for (int64_t i = 1 + lane(); i < what.size; i += 32) { again = again || __ldg(what.data + i) == (what.first & 0xff); }
    return __any_sync(~0u, again);
  }

  /// [warp] Calls `see(at, places, low, high)` for all windows of the bytes [from, to) of a text, until `see` returns
  /// false.
  ///
  /// A window has `lane_bytes` bytes for each lane. `at` is the position of the first byte of the lane, and `low` and
  /// `high` are its first sixteen bytes. `places` has a bit for each byte of the lane, set if the needle begins there.
  /// `see` must return the same result in all lanes. The needle must not be empty. A match that overlaps an earlier
  /// match is left out.
  template <class See>
  GDF_DEVICE static void for_each_window(const string_piece& text, int64_t from, int64_t to, const needle& what, See&& see) {
    bool const overlaps = may_overlap(what);
    // Aligned words that lie wholly within the buffer are loaded one window ahead. The words are shifted when they
    // are used.
    u64 raw[words + 2];
    int shift;
    auto const load = [&](int64_t at) {
      auto const misaligned = static_cast<int>(reinterpret_cast<uintptr_t>(text.data + at) & 7);
      if (at + 32 * lane_bytes + 16 <= text.size) {
        shift = misaligned * 8;
        auto const* const source = reinterpret_cast<const u64*>(text.data + at - misaligned) + lane() * words;
#pragma unroll
        for (int i = 0; i < words + 2; i++) { raw[i] = __ldg(source + i); }
      } else {
        shift = 0;
#pragma unroll
        for (int i = 0; i <= words; i++) { raw[i] = bytes_at(text, at + lane() * lane_bytes + 8 * i); }
      }
    };
    load(from);
#pragma unroll 1
    for (int64_t at = from; at < to; at += 32 * lane_bytes) {
      int64_t const mine = at + lane() * lane_bytes;
      u64 loaded[words + 1];
#pragma unroll
      for (int i = 0; i <= words; i++) { loaded[i] = shift == 0 ? raw[i] : raw[i] >> shift | raw[i + 1] << (64 - shift); }
      load(at + 32 * lane_bytes);
      uint32_t places = 0;
#pragma unroll
      for (int i = 0; i < words; i++) {
        u64 maybe = search_detail::candidates(text, mine + 8 * i, loaded[i], loaded[i + 1], what);
        for (; maybe != 0; maybe &= maybe - 1) {
          int const k = (__ffsll(static_cast<long long>(maybe)) - 1) >> 3;
          if (search_detail::lies_in(text, mine + 8 * i, loaded[i], loaded[i + 1], k, what)) { places |= 1u << (8 * i + k); }
        }
      }
      if (mine + lane_bytes > to) { places = mine < to ? places & ((1u << (to - mine)) - 1) : 0; }
      if (overlaps) {
        uint32_t kept = 0;
        for (uint32_t lanes = __ballot_sync(~0u, places != 0); lanes != 0; lanes &= lanes - 1) {
          int const owner = __ffs(static_cast<int>(lanes)) - 1;
          for (uint32_t left = __shfl_sync(~0u, places, owner); left != 0; left &= left - 1) {
            int64_t const place = at + owner * lane_bytes + __ffs(static_cast<int>(left)) - 1;
            if (place < from) { continue; }
            if (lane() == owner) { kept |= left & (0u - left); }
            from = place + what.size;
          }
        }
        places = kept;
      }
      if (!see(mine, places, loaded[0], loaded[1])) { return; }
    }
  }

  /// [warp] Returns the end of the match that begins before `at` and ends after `at`. If there is no such match, the
  /// function returns `at`.
  ///
  /// Matches must not overlap.
  GDF_DEVICE static int64_t match_end_at(const string_piece& text, int64_t at, const needle& what) {
    int64_t end = at;
    for (int64_t before = 1 + lane(); before < what.size && before <= at; before += 32) {
      if (lies_at(text, at - before, what)) { end = at - before + what.size; }
    }
    uint32_t const found = __ballot_sync(~0u, end != at);
    return found == 0 ? at : __shfl_sync(~0u, static_cast<long long>(end), __ffs(static_cast<int>(found)) - 1);
  }

  /// [warp] Keeps only the first `left` places of a window. If `left` is negative, all places are kept.
  ///
  /// `left` becomes the number of places that are still allowed.
  GDF_DEVICE static uint32_t limited(uint32_t places, int64_t& left) {
    if (left < 0) { return places; }
    uint32_t const up_to = warp_inclusive_sum(static_cast<uint32_t>(__popc(places)));
    for (int64_t more = static_cast<int64_t>(up_to) - left; more > 0 && places != 0; more--) {
      places ^= 1u << (31 - __clz(static_cast<int>(places)));
    }
    int64_t const all = __shfl_sync(~0u, up_to, 31);
    left = left > all ? left - all : 0;
    return places;
  }

  /// [warp] Returns the end of the last match before the matches of this lane.
  GDF_DEVICE static int64_t match_end_before(int64_t at, uint32_t places, const needle& what, int64_t& behind) {
    int64_t const own = places == 0 ? behind : at + 31 - __clz(static_cast<int>(places)) + what.size;
    // Ends ascend with the lane number, so that the last lane with a match has the last end.
    uint32_t const with = __ballot_sync(~0u, places != 0);
    uint32_t const before = with & ((1u << lane()) - 1);
    int64_t const last = __shfl_sync(~0u, static_cast<long long>(own), before == 0 ? 0 : 31 - __clz(static_cast<int>(before)));
    int64_t const result = before == 0 ? behind : last;
    if (with != 0) { behind = __shfl_sync(~0u, static_cast<long long>(own), 31 - __clz(static_cast<int>(with))); }
    return result;
  }

  /// [warp] Does the same as by_thread::for_each.
  template <class See>
  GDF_DEVICE static void for_each(const string_piece& text, int64_t from, const needle& what, See&& see) {
    for (int64_t at = first(text, from, what); at >= 0 && see(at); at = first(text, at + what.size, what)) {}
  }

  GDF_DEVICE static int64_t last(const string_piece& text, int64_t from, const needle& what) {
    for (int64_t end = text.size - what.size + 1; end > from; end -= 32 * 8) {
      int64_t const mine = end - lane() * 8;
      int64_t const place = mine > from ? last_near(text, mine - 8 < from ? from : mine - 8, what) : -1;
      uint32_t const found = __ballot_sync(~0u, place >= 0);
      if (found != 0) { return __shfl_sync(~0u, static_cast<long long>(place), __ffs(static_cast<int>(found)) - 1); }
    }
    return -1;
  }

  GDF_DEVICE static int64_t characters(const string_piece& text, int64_t from, int64_t to) {
    string_piece const part{text.data, to, text.limit};
    u64 continuations = 0;
    auto const add = [&](u64 word) { continuations += __popcll(word & ~(word << 1) & 0x8080808080808080ull); };
    // The loop counts whole words in the middle of the text. The loads of these words are in flight together.
    constexpr int each = 8;
    auto const* const words = reinterpret_cast<const u64*>((reinterpret_cast<uintptr_t>(text.data + from) + 7) & ~uintptr_t{7});
    int64_t const first = reinterpret_cast<const uint8_t*>(words) - text.data;
    int64_t const count = to > first ? (to - first) / (32 * each * 8) * (32 * each) : 0;
#pragma unroll 1
    for (int64_t i = lane(); i < count; i += 32 * each) {
      constexpr int64_t ahead = 2048; // words: the distance of the prefetch into the L2 cache
      if (i + ahead < count) { prefetch_bytes(reinterpret_cast<const uint8_t*>(words + i - lane() + ahead), text.limit); }
      u64 word[each];
#pragma unroll
      for (int k = 0; k < each; k++) { word[k] = __ldg(words + i + 32 * k); }
#pragma unroll
      for (int k = 0; k < each; k++) { add(word[k]); }
    }
    int64_t const rest = count > 0 ? first + count * 8 : from;
    if (count > 0 && from + lane() < first) { continuations += is_continuation(__ldg(text.data + from + lane())); }
    for (int64_t at = rest + lane() * 8; at < to; at += 32 * 8) { add(bytes_at(part, at)); }
    return to - from - static_cast<int64_t>(warp_sum(continuations));
  }
};

/// [thread] Returns the byte at which character `number` of a text begins.
///
/// If the text has exactly `number` characters, the function returns the end of the text. If the text has fewer
/// characters, the function returns -1.
template <class Text>
GDF_DEVICE typename Text::index character_place(const Text& text, int64_t number) {
  using index = typename Text::index;
  if (number > text.size) { return -1; }
  auto left = static_cast<index>(number);
  for (index at = 0; at < text.size; at += 8) {
    int const n = text.size - at < 8 ? static_cast<int>(text.size - at) : 8;
    u64 const word = loose_bytes_at(text, at);
    u64 const begins = (~word | word << 1) & 0x8080808080808080ull & ~0ull >> (64 - 8 * n);
    int const here = __popcll(begins);
    if (left >= here) {
      left -= here;
      continue;
    }
    // Each byte of `counts` is the number of characters that begin in the word up to this byte, at most eight. Bit 7 of
    // a byte of `enough` is set if that number exceeds `left`.
    constexpr u64 ones = 0x0101010101010101ull;
    u64 const counts = (begins >> 7) * ones;
    u64 const enough = (counts + search_detail::repeated_byte<0>(0x7f - static_cast<uint32_t>(left))) & ones << 7;
    return at + ((__ffsll(static_cast<long long>(enough)) - 1) >> 3);
  }
  return left == 0 ? text.size : -1;
}

} // namespace gdf
