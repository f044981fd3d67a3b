// Sinks to which functors append the result of a row, as text or as spans. Some sinks count, and others write.
#pragma once

#include "long_copies.cuh"
#include "sizes.cuh"
#include "text_arguments.cuh"

namespace gdf {

namespace build_strings_detail {

/// The type of searches: by a thread, or by a warp.
template <bool warp>
struct searcher {
  using type = by_thread;
};
template <>
struct searcher<true> {
  using type = by_warp;
};

/// The whole warp handles a row with more work than this.
constexpr int64_t long_row = 256;

template <bool warp>
GDF_DEVICE void copy_text(uint8_t* target, const string_piece& text) {
  auto const lead = static_cast<int64_t>(reinterpret_cast<uintptr_t>(target) & 7);
  for (int64_t i = (warp ? lane() * 8 : 0) - lead; i < text.size; i += warp ? 256 : 8) {
    int64_t const begin = i < 0 ? 0 : i;
    int64_t const end = i + 8 < text.size ? i + 8 : text.size;
    auto const n = static_cast<int>(end - begin);
    u64 word = string_detail::load_before(text.data + begin, text.limit, n);
    if (n == 8) {
      *reinterpret_cast<u64*>(target + i) = word;
    } else {
      for (int k = 0; k < n; k++) {
        target[begin + k] = static_cast<uint8_t>(word);
        word >>= 8;
      }
    }
  }
}

} // namespace build_strings_detail

/// The sink to which a functor of text appends bytes. With `warp`, all lanes append the same bytes.
template <bool warp, bool writes>
struct text_sink {
  static constexpr bool is_warp = warp;
  using search = typename build_strings_detail::searcher<warp>::type;
  static constexpr int unit = 1;
  /// Whether the sink writes.
  static constexpr bool is_writing = writes;

  uint8_t* target;
  u64 size;
  copy_list later = {};

  /// Adds `bytes` to the size.
  GDF_DEVICE void add(u64 bytes) { size = writes ? size + bytes : saturating_add(size, bytes); }

  GDF_DEVICE void put(const string_piece& text) {
    if constexpr (writes) {
      bool const is_listed = warp && text.size >= copy_list_detail::min_size && later.add(target + size, text.data, text.size);
      if (!is_listed) { build_strings_detail::copy_text<warp>(target + size, text); }
    }
    add(static_cast<u64>(text.size));
  }
  GDF_DEVICE void put(const staged_piece& text) {
    static_assert(!writes);
    size += static_cast<uint32_t>(text.size);
  }

  GDF_DEVICE void put(u64 word, int n) {
    if constexpr (writes) {
      if constexpr (warp) {
        if (lane() < n) { target[size + lane()] = static_cast<uint8_t>(word >> (8 * lane())); }
      } else {
#pragma unroll
        for (int i = 0; i < 8; i++) {
          if (i < n) { target[size + i] = static_cast<uint8_t>(word >> (8 * i)); }
        }
      }
    }
    size += static_cast<u64>(n);
  }

  GDF_DEVICE void put_byte(uint8_t byte) { put(byte, 1); }

  GDF_DEVICE void put_character(uint32_t code) { put(encoded(code), encoded_bytes(code)); }

  /// Appends the lowest `n` (1 to 8) bytes of a word `times` times.
  GDF_DEVICE void put_times(u64 word, int n, int64_t times) {
    if (times <= 0) { return; }
    u64 const total = bounded_size(static_cast<u64>(times)) * static_cast<u64>(n);
    if constexpr (writes) {
      for (u64 i = warp ? lane() : 0; i < total; i += warp ? 32 : 1) {
        target[size + i] = static_cast<uint8_t>(word >> (8 * (i % n)));
      }
    }
    add(total);
  }

  GDF_DEVICE void put_times(const staged_piece& text, int64_t times) {
    static_assert(!writes);
    // A staged text has fewer than 2^13 bytes.
    size += times <= 0 ? 0 : bounded_size(static_cast<u64>(times)) * static_cast<uint32_t>(text.size);
  }
  GDF_DEVICE void put_times(const string_piece& text, int64_t times) {
    if (times <= 0 || text.size == 0) { return; }
    if constexpr (writes) {
      if (!warp || text.size >= build_strings_detail::long_row) {
        for (int64_t i = 0; i < times; i++) { put(text); }
        return;
      }
      auto const part = static_cast<int>(text.size);
      int at = lane() % part;
      auto const total = static_cast<u64>(times) * part;
      for (u64 i = lane(); i < total; i += 32) {
        target[size + i] = __ldg(text.data + at);
        at = (at + 32) % part;
      }
    }
    add(saturating_multiply(static_cast<u64>(times), static_cast<u64>(text.size)));
  }
};

/// Does the same as text_sink, for a thread that writes to zeroed shared memory with 32-bit addresses.
struct staged_sink {
  static constexpr bool is_warp = false;
  using search = by_thread;
  static constexpr bool is_writing = true;

  uint8_t* stage; // a multiple of 8
  uint32_t at; // the position of the next byte

  GDF_DEVICE void put(const staged_piece& text) {
    if (text.size == 0) { return; }
    uint32_t const from = text.at - (at & 3); // not negative: no staged text begins before the fourth byte
    const uint32_t* const words = text.words + (from >> 2);
    auto const size = static_cast<uint32_t>(text.size);
    put_words(stage, at, size, (from & 3) * 8, [&](uint32_t i) { return words[i]; });
    at += size;
  }

  GDF_DEVICE void put(const string_piece& text) {
    put_bytes(stage, at, text.data, static_cast<uint32_t>(text.size), text.limit);
    at += static_cast<uint32_t>(text.size);
  }

  GDF_DEVICE void put(u64 word, int n) {
    word &= low_bytes(n);
    auto const low = static_cast<uint32_t>(word);
    auto const high = static_cast<uint32_t>(word >> 32);
    uint32_t const shift = (at & 3) * 8;
    uint32_t const to = at & ~3u;
    at += static_cast<uint32_t>(n);
    if (n > 0) { join_word(stage, to, low << shift); }
    if (at > to + 4) { join_word(stage, to + 4, __funnelshift_l(low, high, shift)); }
    if (at > to + 8) { join_word(stage, to + 8, __funnelshift_l(high, 0, shift)); }
  }

  GDF_DEVICE void put_byte(uint8_t byte) {
    join_word(stage, at & ~3u, static_cast<uint32_t>(byte) << ((at & 3) * 8));
    at++;
  }

  GDF_DEVICE void put_character(uint32_t code) { put(encoded(code), encoded_bytes(code)); }

  GDF_DEVICE void put_times(u64 word, int n, int64_t times) {
    if (n != 1) {
      for (; times > 0; times--) { put(word, n); }
      return;
    }
    if (times <= 0) { return; }
    auto const four = static_cast<uint32_t>(word & 0xff) * 0x01010101u;
    uint32_t to = at & ~3u;
    uint32_t bits = four << ((at & 3) * 8);
    at += static_cast<uint32_t>(times);
    if (to + 4 < at) {
      join_word(stage, to, bits);
      for (to += 4; to + 4 < at; to += 4) { *reinterpret_cast<uint32_t*>(stage + to) = four; }
      bits = four;
    }
    join_word(stage, to, bits & ~0u >> ((to + 4 - at) * 8));
  }

  template <class Text>
  GDF_DEVICE void put_times(const Text& text, int64_t times) {
    if (text.size == 0) { return; } // `times` has no bound
    for (; times > 0; times--) { put(text); }
  }
};

/// The sink to which a functor of spans appends spans.
template <bool warp, bool writes>
struct span_sink {
  static constexpr bool is_warp = warp;
  static constexpr bool counts = !writes;
  /// Whether positions of spans are counted from the begin of the character buffer. Otherwise they are counted from the
  /// begin of the row's text.
  static constexpr bool is_absolute = writes;
  using search = typename build_strings_detail::searcher<warp>::type;
  static constexpr int unit = sizeof(text_span);
  static constexpr bool is_writing = writes;

  uint8_t* target;
  u64 size; // number of spans

  GDF_DEVICE void put(const text_span& span) {
    if (writes && (!warp || lane() == 0)) { reinterpret_cast<text_span*>(target)[size] = span; }
    size++;
  }

  /// Writes a span to a place of a row.
  GDF_DEVICE void put_at(u64 place, const text_span& span) {
    if (writes && (!warp || lane() == 0)) { reinterpret_cast<text_span*>(target)[place] = span; }
  }

  /// Does the same as put_at, with a different span in each lane.
  GDF_DEVICE void put_by_lane(u64 place, const text_span& span) {
    if constexpr (writes) { reinterpret_cast<text_span*>(target)[place] = span; }
  }

  /// Does the same as put_by_lane, with the number of bytes of the earlier parts as an additional argument.
  GDF_DEVICE void put_by_lane(u64 place, u64, const text_span& span) { put_by_lane(place, span); }
  GDF_DEVICE void set_sizes(u64 parts, u64) { size = parts; }

  GDF_DEVICE void set_size(u64 spans) { size = spans; }
};

} // namespace gdf
