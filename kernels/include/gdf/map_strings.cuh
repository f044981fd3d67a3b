// Kernels that make a text from the text of each row, by a functor that maps characters. See
// crates/gdf-engine/src/strings/README.md.
#pragma once

#include "build_strings.cuh"
#include "last_block.cuh"
#include "text_chunks.cuh"
#include "utf8.cuh"

namespace gdf {

/// A part of a row's text. The functor can also read the characters of the row before and after the part.
struct text_part : string_piece {
  string_piece row;
};

namespace map_strings_detail {

using build_strings_detail::for_each_long;
using build_strings_detail::lane_bytes;
using build_strings_detail::long_row;
using build_strings_detail::piece_of;

/// Whether a functor maps ASCII and single characters independently of their position.
template <class Functor>
constexpr bool in_place = requires { Functor::in_place; };

/// The number of bytes of staged text that a warp maps at a time, and the maximum number of non-ASCII characters among
/// these bytes.
constexpr int piece_bytes = 512;
constexpr int most_characters = piece_bytes / 2;

/// [thread] Maps the character of two or more bytes that begins at `place`.
///
/// Returns false if the result has another number of bytes.
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
/// ASCII is mapped in words. Other characters are divided evenly among the lanes. Returns false if the image of a
/// character does not fit in the place of the character.
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
    // Packs the top bits of eight bytes into eight adjacent bits.
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

/// The part of a text that a warp maps at a time.
///
/// A character may begin before the window or end after it.
struct window {
  static constexpr int64_t bytes = 1984;
  static constexpr uint32_t before = 16; // bytes before the window, of which the last three are read
  static constexpr uint32_t staged = 2048;
  uint4 units[staged / 16 + 1];
};

/// [thread] Returns the characters of a text that begin in the part of this lane. A part has `lane_bytes` bytes.
GDF_DEVICE text_part window_of(const string_piece& text, int64_t at) {
  int64_t const begin = character_from(text, at + lane() * lane_bytes);
  int64_t const end = character_from(text, at + (lane() + 1) * lane_bytes);
  return {{text.data + begin, end - begin, text.limit}, text};
}

/// Whether very long rows are cut into chunks, which other kernels map.
template <class P>
constexpr bool takes_chunks = requires(const P& p) { p.chunks; };

/// [thread] Returns whether the chunks of a text are mapped instead of the text.
template <class P>
GDF_DEVICE bool is_cut(const string_piece& text, const P& p) {
  if constexpr (takes_chunks<P>) { return gdf::is_long(p.chunks, text); }
  return false;
}

template <class Functor, class P>
GDF_DEVICE u64 size_rows(const string_piece& mine, int64_t row, const P& p) {
  bool const cut = is_cut(mine, p);
  bool const is_long = Functor::by_characters && !cut && mine.size > long_row;
  u64 size = cut || is_long ? 0 : static_cast<u64>(Functor::size(text_part{mine, mine}, p));
  if constexpr (takes_chunks<P>) {
    if (cut) { size = chunked_total(p.text, p.chunks, row, mine); }
  }
  if constexpr (Functor::by_characters) {
    for_each_long(is_long, mine, [&](const string_piece& text, int owner) {
      u64 sum = 0;
      for (int64_t at = 0; at < text.size; at += 32 * lane_bytes) {
        sum += static_cast<u64>(Functor::size(window_of(text, at), p));
      }
      sum = warp_sum(sum);
      if (lane() == owner) { size = sum; }
    });
  }
  return size;
}

template <class Functor, class P>
GDF_DEVICE void write_rows(const string_piece& mine, uint8_t* target, const P& p) {
  bool const cut = is_cut(mine, p);
  bool const is_long = Functor::by_characters && !cut && mine.size > long_row;
  if (!cut && !is_long && mine.size != 0) { Functor::write(text_part{mine, mine}, target, p); }
  if constexpr (Functor::by_characters) {
    for_each_long(is_long, mine, [&](const string_piece& text, int owner) {
      auto* to = reinterpret_cast<uint8_t*>(
        __shfl_sync(~0u, static_cast<u64>(reinterpret_cast<uintptr_t>(target)), owner));
      for (int64_t at = 0; at < text.size; at += 32 * lane_bytes) {
        text_part const piece = window_of(text, at);
        u64 const size = piece.size == 0 ? 0 : static_cast<u64>(Functor::size(piece, p));
        u64 const up_to = warp_inclusive_sum(size);
        if (size != 0) { Functor::write(piece, to + (up_to - size), p); }
        to += __shfl_sync(~0u, up_to, 31);
      }
    });
  }
}

/// [thread] Returns the characters of a chunk that begin in the part of this lane. A part has `lane_bytes` bytes, and
/// the part of the first lane begins at `at`.
GDF_DEVICE text_part window_within(const chunk_part& part, int64_t at) {
  auto const place = [&](int64_t from) {
    int64_t const begin = from < part.end ? character_from(part.text, from) : part.end;
    return begin < part.end ? begin : part.end;
  };
  int64_t const begin = place(at + lane() * lane_bytes);
  int64_t const end = place(at + (lane() + 1) * lane_bytes);
  return {{part.text.data + begin, end - begin, part.text.limit}, part.text};
}

/// [thread] Returns the bounds of the staged row that contains the byte at `place`.
template <class Memory>
GDF_DEVICE extent row_around(const Memory& memory, uint32_t place) {
  int row = 0;
#pragma unroll
  for (int jump = 64; jump > 0; jump >>= 1) {
    if ((memory.rows[row + jump] & 0xffff) <= place) { row += jump; }
  }
  uint32_t const begin = memory.rows[row] & 0xffff;
  return {begin, begin + (memory.rows[row] >> 16)};
}

/// [warp] Maps the staged texts of all rows of the warp with map_in_place, with the same result.
template <class Functor, class Memory, class P>
GDF_DEVICE bool map_rows_in_place(Memory& memory, uint16_t (&places)[most_characters], const P& p) {
  constexpr int last = 32 * build_strings_detail::most_share - 1;
  uint32_t const end = (memory.rows[last] & 0xffff) + (memory.rows[last] >> 16);
  return map_in_place<Functor>(memory.units, memory.rows[0] & 0xffff, end, places, p, [&](uint32_t place) {
    return static_cast<uint32_t>(row_around(memory, place).end);
  });
}

/// [warp] Copies the staged texts of 32 rows one after the other to the stage, from `stage + to` on.
GDF_DEVICE void copy_staged(const staged_piece& text, u64 size, uint8_t* stage, uint32_t to) {
  auto const mine = static_cast<uint32_t>(size);
  uint32_t const first = __shfl_sync(~0u, text.at, 0);
  uint32_t const target = __shfl_sync(~0u, to, 0);
  if (!__all_sync(~0u, mine == static_cast<uint32_t>(text.size))) { // the bytes of null rows are left out
    build_strings_detail::shared_sink<text_sink>::at(stage, to).put(part_of(text, 0, static_cast<int32_t>(mine)));
    return;
  }
  uint32_t const end = __shfl_sync(~0u, to + mine, 31);
  staged_piece const all{text.words, first, static_cast<int32_t>(end - target)};
  for (uint32_t at = (target & ~7u) + lane() * 8; at < end; at += 256) {
    if (at >= target) {
      u64 const mask = end - at < 8 ? low_bytes(static_cast<int>(end - at)) : ~0ull; // bytes after the end stay zero
      *reinterpret_cast<u64*>(stage + at) = loose_bytes_at(all, static_cast<int32_t>(at - target)) & mask;
    } else {
      for (uint32_t i = target; i < at + 8 && i < end; i++) { stage[i] = static_cast<uint8_t>(byte_at(all, static_cast<int32_t>(i - target))); }
    }
  }
}

} // namespace map_strings_detail

/// [block] Runs the body of a kernel that makes a text from each text, character by character.
///
/// The parameters have a member `text`. The functor has
///   static constexpr bool by_characters   whether the result of a text is the concatenation of the results of its
///                                         parts
///   static int64_t size(const gdf::text_part&, const P&)                 [thread] the number of bytes of a result
///   static void write(const gdf::text_part&, uint8_t*, const P&)         [thread] writes that number of bytes
/// If the result of most characters does not depend on their position, the functor also has
///   static bool in_place(const P&)                                       [thread] whether the condition holds with
///                                                                        these parameters
///   static gdf::u64 ascii(gdf::u64, const P&)                            [thread] maps eight bytes; keeps bytes above
///                                                                        127
///   static bool character(uint32_t code, const P&, uint32_t& to)         [thread] maps a character to one character;
///                                                                        false if its result is not one character
/// An empty text has an empty result. The function writes the same outputs as write_strings.
template <class Functor, class tuning, class P>
GDF_DEVICE void map_strings(tuning, const column_out& out, const P& p, const tile_counts& counts, scratch* scratch,
                            unsigned long long* mailbox) {
  using namespace map_strings_detail;
  const text_in& in = p.text;
  auto const far = [&](int64_t row, bool inside, u64, uint8_t* target) {
    write_rows<Functor>(piece_of(in.column, in.bytes, row, out.length), target, p);
    return inside && is_valid(in.column, row);
  };
  build_strings_detail::one_output const output{out, counts.capacity};
  if constexpr (in_place<Functor>) {
    using texts = staged_rows<tuning::items>;
    __shared__ typename texts::memory memory[tuning::threads / 32];
    __shared__ uint16_t places[tuning::threads / 32][most_characters];
    build_strings_detail::build_tiles<tuning, 1, true, takes_chunks<P>>(
      output, counts, scratch, mailbox,
      [&](const build_strings_detail::warp_rows& rows, int) {
        return Functor::in_place(p) && texts::load(in.column, in.bytes, rows.first, rows.end, memory[warp()]) &&
               map_rows_in_place<Functor>(memory[warp()], places[warp()], p);
      },
      [&](int64_t row, bool inside, int at, bool staged) {
        if (!staged && counts.sized != 0) { return build_strings_detail::found_size(out, row, inside); }
        if (!staged) { return size_rows<Functor>(piece_of(in.column, in.bytes, row, out.length), row, p); }
        return inside && is_valid(in.column, row) ? static_cast<u64>(texts::get(memory[warp()], at).size) : 0;
      },
      [&](int64_t row, bool inside, int at, bool staged, u64 size, uint8_t* stage, uint32_t to) {
        if (!staged) { return far(row, inside, size, stage + to); }
        copy_staged(texts::get(memory[warp()], at), size, stage, to);
        return inside && is_valid(in.column, row);
      },
      far);
  } else {
    build_strings_detail::build_tiles<tuning, 1, true, takes_chunks<P>>(
      output, counts, scratch, mailbox, [](auto&&, int) { return false; },
      [&](int64_t row, bool inside, int, bool) {
        if (counts.sized != 0) { return build_strings_detail::found_size(out, row, inside); }
        return size_rows<Functor>(piece_of(in.column, in.bytes, row, out.length), row, p);
      },
      [&](int64_t row, bool inside, int, bool, u64 size, uint8_t* stage, uint32_t to) { return far(row, inside, size, stage + to); },
      far);
  }
}

/// [grid] Runs the body of a kernel that finds the sizes of the results of chunks. The parameters have a member
/// `chunks`, and the functor maps by characters.
template <class Functor, class tuning, class P>
GDF_DEVICE void size_mapped_chunks(tuning, const column_out&, const P& p, const tile_counts&, scratch*,
                                   unsigned long long*) {
  using namespace map_strings_detail;
  size_chunks(p.text, p.chunks, [&](const chunk_part& part, text_chunk& chunk) {
    u64 sum = 0;
#pragma unroll 1
    for (int64_t at = part.begin; at < part.end; at += 32 * lane_bytes) {
      text_part const piece = window_within(part, at);
      if (piece.size != 0) { sum += static_cast<u64>(Functor::size(piece, p)); }
    }
    chunk.exit = static_cast<int64_t>(warp_sum(sum));
  });
}

/// [grid] Runs the body of a kernel that writes the results of chunks, whose sizes size_mapped_chunks has found.
template <class Functor, class tuning, class P>
GDF_DEVICE void write_mapped_chunks(tuning, const column_out& out, const P& p, const tile_counts&, scratch*,
                                    unsigned long long*) {
  using namespace map_strings_detail;
  write_chunks(out, p.text, p.chunks, [&](const chunk_part& part, const text_chunk&, int64_t place) {
    auto* to = static_cast<uint8_t*>(out.data) + place;
#pragma unroll 1
    for (int64_t at = part.begin; at < part.end; at += 32 * lane_bytes) {
      text_part const piece = window_within(part, at);
      u64 const size = piece.size == 0 ? 0 : static_cast<u64>(Functor::size(piece, p));
      u64 const up_to = warp_inclusive_sum(size);
      if (size != 0) { Functor::write(piece, to + (up_to - size), p); }
      to += __shfl_sync(~0u, up_to, 31);
    }
  });
}

/// [block] Runs the body of a kernel that maps the bytes of a column without regard to rows. Each character must keep
/// its number of bytes, so that offsets do not change.
template <class Functor, class tuning, class P>
GDF_DEVICE void map_bytes(tuning, const column_out& out, const P& p, const tile_counts& counts, scratch* scratch,
                          unsigned long long* mailbox) {
  using namespace map_strings_detail;
  const text_in& in = p.text;
  constexpr int warps = tuning::threads / 32;
  __shared__ alignas(16) window windows[warps];
  __shared__ uint16_t places[warps][most_characters];
  const column_in& column = in.column;
  bool const wide = column.flags & wide_offsets;
  int64_t const begin = load_offset(column.offsets, wide, column.offset);
  int64_t const end = load_offset(column.offsets, wide, column.offset + out.length);
  bool fits = begin >= 0 && end >= begin && end <= in.bytes && end - begin <= counts.capacity;
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
