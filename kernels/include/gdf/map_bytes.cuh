// Maps each character of a text to a character of the same length. The kernel processes the bytes of a column without
// regard to its rows, as the offsets do not change.
#pragma once

#include "count.cuh"
#include "last_block.cuh"
#include "string_tiles.cuh"
#include "utf8.cuh"

namespace gdf {
namespace map_bytes_detail {

/// Whether a functor maps ASCII and single characters independently of their position.
template <class Functor>
constexpr bool in_place = requires { Functor::in_place; };

/// Bytes of staged text whose characters other than ASCII a warp maps at a time, and the greatest number of these.
constexpr int piece_bytes = 512;
constexpr int most_characters = piece_bytes / 2;

/// [thread] Maps the character of two or more bytes that begins at `place` of a text that ends at `end`.
///
/// If the result has another length, the function returns false. The code has selections in place of branches, because
/// lanes have characters of different lengths.
template <class Functor, class P>
GDF_DEVICE bool map_character(uint8_t* bytes, uint32_t place, uint32_t end, const P& p) {
  auto const* const words = reinterpret_cast<const uint32_t*>(bytes) + place / 4;
  uint32_t const word = __funnelshift_r(words[0], words[1], place % 4 * 8);
  auto const n = static_cast<uint32_t>(character_bytes(word & 0xff));
  uint32_t const tails = ~0u >> (32 - 8 * n) & ~0xffu;
  if (place + n > end || (word & tails & 0xc0c0c0c0) != (tails & 0x80808080)) { return true; }
  auto const six = [&](int i) { return word >> (8 * i) & 0x3f; };
  uint32_t const two = (word & 0x1f) << 6 | six(1);
  uint32_t const three = (word & 0x0f) << 12 | six(1) << 6 | six(2);
  uint32_t const four = (word & 0x07) << 18 | six(1) << 12 | six(2) << 6 | six(3);
  uint32_t const code = n == 2 ? two : n == 3 ? three : four;
  uint32_t to;
  if (!Functor::character(code, p, to)) { return false; }
  if (to == code) { return true; }
  if (encoded_bytes(to) != n) { return false; }
#pragma unroll
  for (int i = 0; i < 4; i++) { // the last byte has the lowest bits
    auto const left = static_cast<int>(n) - 1 - i;
    if (i == 0) {
      bytes[place] = static_cast<uint8_t>(0xf00u >> n | to >> (6 * left));
    } else if (left >= 0) {
      bytes[place + i] = static_cast<uint8_t>(0x80 | (to >> (6 * left) & 0x3f));
    }
  }
  return true;
}

/// [warp] Maps the characters that begin in [begin, end) of staged text.
///
/// ASCII is mapped in words. Other characters are divided evenly among the lanes. `end_of(place)` [thread] is the end
/// of the text that contains the byte at `place`. If a character becomes longer or shorter, the function returns false
/// in all lanes, and the staged text can no longer be used.
template <class Functor, class P, class EndOf>
GDF_DEVICE bool map_in_place(uint4* units, uint32_t begin, uint32_t end, uint16_t (&places)[most_characters], const P& p, EndOf&& end_of) {
  bool fits = true;
#pragma unroll 1
  for (uint32_t at = begin & ~15u; at < end; at += piece_bytes) {
    uint32_t const mine = at + lane() * 16;
    u64 leads[2] = {0, 0}; // bit 7 of each byte with which a character other than ASCII begins
    auto* const words = reinterpret_cast<u64*>(units) + mine / 8;
#pragma unroll
    for (int k = 0; k < 2; k++) {
      if (mine + k * 8 >= end) { continue; }
      u64 const word = words[k];
      words[k] = Functor::ascii(word, p);
      leads[k] = word & word << 1 & 0x8080808080808080ull;
    }
    if (!__any_sync(~0u, (leads[0] | leads[1]) != 0)) { continue; }
    // A bit for each byte: the top bits of eight bytes, side by side.
    auto const bits_of = [](u64 tops) { return static_cast<uint32_t>((tops >> 7) * 0x0102040810204080ull >> 56); };
    uint32_t left = bits_of(leads[0]) | bits_of(leads[1]) << 8;
    auto const count = static_cast<uint32_t>(__popc(left));
    uint32_t const up_to = warp_inclusive_sum(count);
    uint32_t to = up_to - count;
    for (; left != 0; left &= left - 1) { places[to++] = static_cast<uint16_t>(mine + __ffs(static_cast<int>(left)) - 1); }
    __syncwarp();
    uint32_t const total = __shfl_sync(~0u, up_to, 31);
    for (uint32_t i = lane(); i < total; i += 32) {
      uint32_t const place = places[i];
      if (place >= begin && place < end) {
        fits = map_character<Functor>(reinterpret_cast<uint8_t*>(units), place, end_of(place), p) && fits;
      }
    }
    __syncwarp();
  }
  return __all_sync(~0u, fits);
}

/// The bytes of text that a warp takes at a time.
///
/// There are also bytes before and behind them, for characters that begin before or end behind the window.
struct window {
  static constexpr int64_t bytes = 1984;
  static constexpr uint32_t before = 16; // bytes before the window, of which the last three are read
  static constexpr uint32_t staged = 2048;
  uint4 units[staged / 16 + 1];
};

} // namespace map_bytes_detail

/// [block] Writes the text of all rows of `in` with its characters mapped, and the offsets.
///
/// The number of bytes goes to the first word of the mailbox. The second word is written if the output is invalid. That
/// is the case if a character becomes longer or shorter, if a null has bytes, or if the output has too little memory,
/// which is for `capacity` bytes.
template <class Functor, class tuning, class P>
GDF_DEVICE void map_bytes(const text_in& in, const column_out& out, const P& p, int64_t capacity, scratch* scratch,
                          unsigned long long* mailbox) {
  using namespace map_bytes_detail;
  constexpr int warps = tuning::threads / 32;
  __shared__ alignas(16) window windows[warps];
  __shared__ uint16_t places[warps][most_characters];
  const column_in& column = in.column;
  bool const wide = column.flags & wide_offsets;
  int64_t const begin = load_offset(column.offsets, wide, column.offset);
  int64_t const end = load_offset(column.offsets, wide, column.offset + out.length);
  bool fits = begin >= 0 && end >= begin && end <= in.bytes && end - begin <= capacity;
  int64_t const total = fits ? end - begin : 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) { post(mailbox, static_cast<u64>(total)); }

  auto const* const data = static_cast<const uint8_t*>(column.data);
  auto* const target = static_cast<uint8_t*>(out.data);
  auto const skipped = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data + begin) & 15);
  uint32_t const first = window::before + skipped; // the first byte of a window
  window& mine = windows[warp()];
  for (int64_t at = (int64_t{blockIdx.x} * warps + warp()) * window::bytes; fits && at < total;
       at += int64_t{gridDim.x} * warps * window::bytes) {
    uint32_t const unread = at == 0 ? window::before : 0;
    int64_t const rest = total - at;
    uint32_t const size = rest < window::bytes ? static_cast<uint32_t>(rest) : static_cast<uint32_t>(window::bytes);
    uint32_t const limit = rest < window::staged - first ? first + static_cast<uint32_t>(rest) : window::staged;
    stage_units(data, in.bytes, data + begin + at - first + unread, limit - unread, mine.units + unread / 16);
    __syncwarp();
    uint32_t const from = unread != 0 ? first : first - 3;
    fits = map_in_place<Functor>(mine.units, from, first + size, places[warp()], p, [&](uint32_t) { return limit; });
    staged_piece const text{reinterpret_cast<const uint32_t*>(mine.units), first, static_cast<int32_t>(size)};
    for (uint32_t i = lane() * 16; i < size; i += 512) {
      auto const unit_at = [&](uint32_t place) {
        return ulonglong2{loose_bytes_at(text, static_cast<int32_t>(place)), loose_bytes_at(text, static_cast<int32_t>(place) + 8)};
      };
      auto const [low, high] = skipped == 0 ? *reinterpret_cast<const ulonglong2*>(mine.units + 1 + i / 16) : unit_at(i);
      uint8_t* const to = target + at + i;
      if (i + 16 <= size) {
        *reinterpret_cast<ulonglong2*>(to) = {low, high};
      } else {
        for (uint32_t k = 0; i + k < size; k++) { to[k] = static_cast<uint8_t>((k < 8 ? low : high) >> (k % 8 * 8)); }
      }
    }
    __syncwarp();
  }

  uint32_t valid = 0;
  for_each_tile<tuning::threads, tuning::items>(out.length, [&](int64_t tile, bool) {
#pragma unroll
    for (int i = 0; i < tuning::items; i++) {
      int64_t const row = row_of<tuning::threads>(tile, i);
      bool const inside = row < out.length;
      bool const is_value = inside && is_valid(column, row);
      if (inside) {
        int64_t const before = load_offset(column.offsets, wide, column.offset + row);
        int64_t const behind = load_offset(column.offsets, wide, column.offset + row + 1);
        fits = fits && before >= begin && behind >= before && behind <= end && (is_value || behind == before);
        store_offset(out.offsets, wide, row, before - begin);
        if (row == out.length - 1) { store_offset(out.offsets, wide, row + 1, behind - begin); }
      }
      if (row - lane() < out.length) { valid += store_valid_word(out, row, is_value); }
    }
  });
  if (__any_sync(~0u, !fits) && lane() == 0) { post(mailbox + 1, 1); }
  post_null_count<tuning::threads>(scratch, out, valid);
}

} // namespace gdf

/// GDF_STRINGS_MAP_BYTES(policy, family, variant, P, functor): the kernel that maps text if each character keeps its
/// number of bytes. The functor has `ascii` and `character`, as functors of GDF_STRINGS_MAP have.
#define GDF_STRINGS_MAP_BYTES(policy, family, variant, P, functor)                                             \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant##_bytes)                           \
  family##_##variant##_bytes_kernel(const __grid_constant__ gdf::text_in in,                                   \
                                    const __grid_constant__ gdf::column_out out,                               \
                                    const __grid_constant__ P p,                                               \
                                    const __grid_constant__ gdf::tile_counts counts,                           \
                                    gdf::scratch* scratch, unsigned long long* mailbox) {                      \
    gdf::map_bytes<functor, policy##_tuning>(in, out, p, counts.capacity, scratch, mailbox);                   \
  }                                                                                                            \
  static_assert(true)
