// Computes two bits for each byte of the text of consecutive rows: whether a needle begins at the byte, and whether the
// byte continues a character. Code for rows then reads only these bits.
#pragma once

#include "search_text.cuh"

namespace gdf {

struct marked_piece {
  using index = int32_t;
  const uint32_t* found; // whether the needle begins at a byte; the needle may reach beyond the row
  const uint32_t* continued; // whether a byte continues a character
  uint32_t at; // the bit of the row's first byte
  int32_t size;
};

/// Sixteen bytes of text, and the eight bytes that follow.
struct marked_bytes {
  uint32_t word[6];
  const uint8_t* from;
  const uint8_t* limit; // the end of the buffer
};

namespace search_detail {

GDF_DEVICE uint32_t bits_from(const uint32_t* words, uint32_t at) {
  return __funnelshift_r(words[at >> 5], words[(at >> 5) + 1], at & 31);
}

GDF_DEVICE uint32_t first_bits(int32_t n) { return ~0u >> (n < 32 ? 32 - n : 0); }

/// [thread] Returns the top bits of sixteen bytes, packed into sixteen bits.
GDF_DEVICE uint32_t top_bits(const uint32_t (&tops)[4]) {
  uint32_t bits = 0;
#pragma unroll
  for (int k = 3; k >= 0; k--) { bits = __funnelshift_l((tops[k] & 0x80808080u) * 0x00204081u, bits, 4); }
  return bits;
}

} // namespace search_detail

/// [thread] Returns a bit for each of sixteen bytes, which is set if the needle begins there.
GDF_DEVICE uint32_t mark_needle(const marked_bytes& bytes, const needle& what) {
  using namespace search_detail;
  uint32_t const first = __byte_perm(static_cast<uint32_t>(what.first), 0, 0);
  uint32_t const second = __byte_perm(static_cast<uint32_t>(what.first), 0, 0x1111);
  uint32_t tops[4]; // bit 7 of each byte is set if the byte may be zero; other bits are unspecified
#pragma unroll
  for (int k = 0; k < 4; k++) {
    uint32_t const one = bytes.word[k] ^ first;
    tops[k] = (one - 0x01010101u) & ~one;
    if (what.size > 1) {
      uint32_t const two = __funnelshift_r(bytes.word[k], bytes.word[k + 1], 8) ^ second;
      tops[k] &= (two - 0x01010101u) & ~two;
    }
  }
  if (((tops[0] | tops[1] | tops[2] | tops[3]) & 0x80808080u) == 0) { return 0; }
  uint32_t found = top_bits(tops);
#pragma unroll 1
  for (uint32_t left = found; left != 0; left &= left - 1) {
    int const i = __ffs(static_cast<int>(left)) - 1;
    uint32_t word[4];
#pragma unroll
    for (int k = 0; k < 4; k++) { word[k] = i < 8 ? bytes.word[k] : bytes.word[k + 2]; }
#pragma unroll
    for (int k = 0; k < 3; k++) { word[k] = (i & 4) == 0 ? word[k] : word[k + 1]; }
    uint32_t const low = __funnelshift_r(word[0], word[1], 8 * (i & 3)) ^ static_cast<uint32_t>(what.first);
    uint32_t const high = __funnelshift_r(word[1], word[2], 8 * (i & 3)) ^ static_cast<uint32_t>(what.first >> 32);
    bool lies = ((low & static_cast<uint32_t>(what.mask)) | (high & static_cast<uint32_t>(what.mask >> 32))) == 0;
    if (lies && what.size > 8) {
      const uint8_t* const place = bytes.from + i;
      lies = what.size <= bytes.limit - place && goes_on(string_piece{place, what.size, bytes.limit}, 0, what);
    }
    if (!lies) { found ^= left & (0 - left); }
  }
  return found;
}

/// [thread] Returns a bit for each of sixteen bytes, which is set if the byte continues a character.
GDF_DEVICE uint32_t mark_continued(const marked_bytes& bytes) {
  uint32_t tops[4];
#pragma unroll
  for (int k = 0; k < 4; k++) { tops[k] = bytes.word[k] & ~(bytes.word[k] << 1); }
  return search_detail::top_bits(tops);
}

GDF_DEVICE marked_piece part_of(const marked_piece& text, int32_t begin, int32_t end) {
  return {text.found, text.continued, text.at + begin, end - begin};
}

/// [thread] Does the same as the lies_at of other kinds of text. `what` must be the needle for which the bits were
/// computed.
GDF_DEVICE bool lies_at(const marked_piece& text, int32_t place, const needle& what) {
  auto const at = text.at + static_cast<uint32_t>(place);
  return place + what.size <= text.size && (what.size == 0 || (text.found[at >> 5] >> (at & 31) & 1) != 0);
}

GDF_DEVICE int32_t character_place(const marked_piece& text, int64_t number) {
#pragma unroll 1
  for (int32_t at = 0; at < text.size; at += 32) {
    uint32_t begins = ~search_detail::bits_from(text.continued, text.at + at) & search_detail::first_bits(text.size - at);
    int const here = __popc(begins);
    if (number >= here) {
      number -= here;
      continue;
    }
    for (; number > 0; number--) { begins &= begins - 1; }
    return at + __ffs(static_cast<int>(begins)) - 1;
  }
  return number == 0 ? text.size : -1;
}

/// Does the same as by_thread, but reads the marked bits of a text instead of its bytes. `what` must be the needle for
/// which the bits were computed.
struct by_bits {
  GDF_DEVICE static int32_t first(const marked_piece& text, int32_t from, const needle& what) {
    if (from + what.size > text.size) { return -1; }
    if (what.size == 0) { return from; }
    auto const last = static_cast<int32_t>(text.size - what.size);
#pragma unroll 1
    for (int32_t at = from; at <= last; at += 32) {
      uint32_t const bits = search_detail::bits_from(text.found, text.at + at) & search_detail::first_bits(last - at + 1);
      if (bits != 0) { return at + __ffs(static_cast<int>(bits)) - 1; }
    }
    return -1;
  }

  GDF_DEVICE static int32_t last(const marked_piece& text, int32_t from, const needle& what) {
    if (from + what.size > text.size) { return -1; }
    if (what.size == 0) { return text.size; }
    int32_t found = -1;
    auto const last = static_cast<int32_t>(text.size - what.size);
#pragma unroll 1
    for (int32_t at = from; at <= last; at += 32) {
      uint32_t const bits = search_detail::bits_from(text.found, text.at + at) & search_detail::first_bits(last - at + 1);
      if (bits != 0) { found = at + 31 - __clz(static_cast<int>(bits)); }
    }
    return found;
  }

  GDF_DEVICE static int32_t characters(const marked_piece& text, int32_t from, int32_t to) {
    int32_t continuations = 0;
#pragma unroll 1
    for (int32_t at = from; at < to; at += 32) {
      continuations += __popc(search_detail::bits_from(text.continued, text.at + at) & search_detail::first_bits(to - at));
    }
    return to - from - continuations;
  }
};

/// The bits of the text of some rows of a warp.
template <int items>
struct marked_rows {
  using texts = staged_rows<items>;
  static constexpr int words = texts::bytes / 32 + 4;

  struct memory {
    uint32_t found[words]; // the first half word has no text
    uint32_t continued[words];
    uint32_t rows[32 * items]; // the same as `rows` of staged_rows
  };

  GDF_DEVICE static marked_piece get(const memory& stage, int at) {
    uint32_t const row = stage.rows[at];
    return {stage.found, stage.continued, row & 0xffff, static_cast<int32_t>(row >> 16)};
  }

  /// [warp] Does the same as staged_rows::load, with the same result.
  template <class Mark>
  GDF_DEVICE static bool load(const column_in& in, int64_t bytes_of_column, int64_t first, int64_t rows, memory& stage, Mark&& mark) {
    auto const* const data = static_cast<const uint8_t*>(in.data);
    const uint8_t* const limit = data + bytes_of_column;
    const uint8_t* from;
    uint32_t total;
    if (!texts::locate(in, bytes_of_column, first, rows, stage.rows, from, total)) { return false; }
    uint32_t const units = (total + 15) / 16;
    if (from < data || from + units * 16 > limit) { return false; }
    constexpr int each = 5;
    auto const* const source = reinterpret_cast<const uint4*>(from);
    // The last unit of an iteration is the first unit of the next, because each unit is processed together with the
    // unit after it.
    for (uint32_t begin = 0; begin < units; begin += 32 * each - 1) {
      uint4 unit[each + 1];
      unit[each] = uint4{};
#pragma unroll
      for (int k = 0; k < each; k++) {
        uint32_t const at = begin + k * 32 + lane();
        unit[k] = at < units ? __ldg(source + at) : uint4{};
      }
#pragma unroll
      for (int k = 0; k < each; k++) {
        if (begin + k * 32 >= units) { break; } // the whole warp
        uint32_t const at = begin + k * 32 + lane();
        uint4 const mine = unit[k];
        uint32_t const low = __shfl_sync(~0u, lane() == 0 ? unit[k + 1].x : mine.x, (lane() + 1) & 31);
        uint32_t const high = __shfl_sync(~0u, lane() == 0 ? unit[k + 1].y : mine.y, (lane() + 1) & 31);
        if (at >= units || (k == each - 1 && lane() == 31 && at + 1 < units)) { continue; }
        uint32_t found = 0;
        uint32_t continued = 0;
        mark(marked_bytes{{mine.x, mine.y, mine.z, mine.w, low, high}, from + at * 16, limit}, found, continued);
        reinterpret_cast<uint16_t*>(stage.found)[at + 1] = static_cast<uint16_t>(found);
        reinterpret_cast<uint16_t*>(stage.continued)[at + 1] = static_cast<uint16_t>(continued);
      }
    }
    __syncwarp();
    return true;
  }
};

} // namespace gdf
