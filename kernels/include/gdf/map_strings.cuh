// Kernels that make a text or a number of each row of text, by a functor of one row: their loads, offsets, stores,
// masks and null counts. See crates/gdf-engine/src/strings/README.md.
//
// A thread takes a row. If the functor supports it, the whole warp takes long rows, one row after another. The bytes of
// results are put together in shared memory and stored from there in words.
#pragma once

#include "build_strings.cuh"
#include "byte_dfa.cuh"
#include "map_bytes.cuh"
#include "marked_text.cuh"
#include "number.cuh"

namespace gdf {

/// A part of a row's text. The functor can also read the characters of the row before and after the part.
struct text_part : string_piece {
  string_piece row;
};

namespace map_strings_detail {

using build_strings_detail::long_row;
using map_bytes_detail::in_place;
using map_bytes_detail::map_in_place;
using map_bytes_detail::most_characters;

/// Bytes of a long row that a lane takes at a time.
constexpr int64_t window = 32;

/// [thread] The text of a row, if the row is below `limit` and not null; else an empty text.
///
/// The character buffer has `bytes` bytes.
GDF_DEVICE string_piece piece_of(const column_in& in, int64_t bytes, int64_t row, int64_t limit) {
  return row < limit && is_valid(in, row) ? string_piece_at(in, row, bytes)
                                          : string_piece{nullptr, 0, nullptr};
}

/// [warp] Calls `body(piece, owner)` for the text of each lane (the owner) in which `is_long` holds, one after another.
template <class Body>
GDF_DEVICE void for_each_long(bool is_long, const string_piece& mine, Body&& body) {
  auto const from = [](const uint8_t* address, int owner) {
    return reinterpret_cast<const uint8_t*>(
      __shfl_sync(~0u, static_cast<u64>(reinterpret_cast<uintptr_t>(address)), owner));
  };
  for (uint32_t left = __ballot_sync(~0u, is_long); left != 0; left &= left - 1) {
    int const owner = __ffs(static_cast<int>(left)) - 1;
    auto const size = static_cast<int64_t>(__shfl_sync(~0u, static_cast<u64>(mine.size), owner));
    body(string_piece{from(mine.data, owner), size, from(mine.limit, owner)}, owner);
  }
}

/// [thread] The characters of a text that begin in this lane's window. The windows of the 32 lanes begin at `at`.
GDF_DEVICE text_part window_of(const string_piece& text, int64_t at) {
  int64_t const begin = character_from(text, at + lane() * window);
  int64_t const end = character_from(text, at + (lane() + 1) * window);
  return {{text.data + begin, end - begin, text.limit}, text};
}

/// [warp] The number of bytes of the result of each lane's row.
template <class Functor, class P>
GDF_DEVICE u64 size_rows(const string_piece& mine, const P& p) {
  bool const is_long = Functor::by_characters && mine.size > long_row;
  u64 size = is_long ? 0 : static_cast<u64>(Functor::size(text_part{mine, mine}, p));
  if constexpr (Functor::by_characters) {
    for_each_long(is_long, mine, [&](const string_piece& text, int owner) {
      u64 sum = 0;
      for (int64_t at = 0; at < text.size; at += 32 * window) {
        sum += static_cast<u64>(Functor::size(window_of(text, at), p));
      }
      sum = warp_sum(sum);
      if (lane() == owner) { size = sum; }
    });
  }
  return size;
}

/// [warp] Writes the result of each lane's row to the `target` of that lane.
template <class Functor, class P>
GDF_DEVICE void write_rows(const string_piece& mine, uint8_t* target, const P& p) {
  bool const is_long = Functor::by_characters && mine.size > long_row;
  if (!is_long && mine.size != 0) { Functor::write(text_part{mine, mine}, target, p); }
  if constexpr (Functor::by_characters) {
    for_each_long(is_long, mine, [&](const string_piece& text, int owner) {
      auto* to = reinterpret_cast<uint8_t*>(
        __shfl_sync(~0u, static_cast<u64>(reinterpret_cast<uintptr_t>(target)), owner));
      for (int64_t at = 0; at < text.size; at += 32 * window) {
        text_part const piece = window_of(text, at);
        u64 const size = piece.size == 0 ? 0 : static_cast<u64>(Functor::size(piece, p));
        u64 const up_to = warp_inclusive_sum(size);
        if (size != 0) { Functor::write(piece, to + (up_to - size), p); }
        to += __shfl_sync(~0u, up_to, 31);
      }
    });
  }
}

/// [thread] The bounds of the staged row that contains the byte at `place`.
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

/// [warp] Maps the staged texts of all rows of the warp with map_in_place.
template <class Functor, class Memory, class P>
GDF_DEVICE bool map_rows_in_place(Memory& memory, uint16_t (&places)[most_characters], const P& p) {
  constexpr int last = 32 * build_strings_detail::most_share - 1;
  uint32_t const end = (memory.rows[last] & 0xffff) + (memory.rows[last] >> 16);
  return map_in_place<Functor>(memory.units, memory.rows[0] & 0xffff, end, places, p, [&](uint32_t place) {
    return static_cast<uint32_t>(row_around(memory, place).end);
  });
}

/// [warp] Copies the staged texts of 32 rows one after another to the stage, from `stage + to` on.
///
/// `size` is the size of the lane's text, or 0.
GDF_DEVICE void copy_staged(const staged_piece& text, u64 size, uint8_t* stage, uint32_t to) {
  auto const mine = static_cast<uint32_t>(size);
  uint32_t const first = __shfl_sync(~0u, text.at, 0);
  uint32_t const target = __shfl_sync(~0u, to, 0);
  if (!__all_sync(~0u, mine == static_cast<uint32_t>(text.size))) { // a null row has bytes, which are left out
    build_strings_detail::shared_sink<text_sink>::at(stage, to).put(part_of(text, 0, static_cast<int32_t>(mine)));
    return;
  }
  uint32_t const end = __shfl_sync(~0u, to + mine, 31);
  staged_piece const all{text.words, first, static_cast<int32_t>(end - target)};
  for (uint32_t at = (target & ~7u) + lane() * 8; at < end; at += 256) {
    if (at >= target) {
      u64 const mask = end - at < 8 ? low_bytes(static_cast<int>(end - at)) : ~0ull; // memory behind stays zero
      *reinterpret_cast<u64*>(stage + at) = loose_bytes_at(all, static_cast<int32_t>(at - target)) & mask;
    } else {
      for (uint32_t i = target; i < at + 8 && i < end; i++) { stage[i] = static_cast<uint8_t>(byte_at(all, static_cast<int32_t>(i - target))); }
    }
  }
}

} // namespace map_strings_detail

/// [block] The kernel of GDF_STRINGS_MAP.
template <class Functor, class tuning, class P>
GDF_DEVICE void write_strings(const text_in& in, const column_out& out, const P& p, const tile_counts& counts,
                              scratch* scratch, unsigned long long* mailbox) {
  using namespace map_strings_detail;
  auto const far = [&](int64_t row, bool inside, u64, uint8_t* target) {
    write_rows<Functor>(piece_of(in.column, in.bytes, row, out.length), target, p);
    return inside && is_valid(in.column, row);
  };
  build_strings_detail::one_output const output{out, counts.capacity};
  if constexpr (in_place<Functor>) {
    using texts = staged_rows<tuning::items>;
    __shared__ typename texts::memory memory[tuning::threads / 32];
    __shared__ uint16_t places[tuning::threads / 32][most_characters];
    build_strings_detail::build_tiles<tuning, 1>(
      output, counts, scratch, mailbox,
      [&](const build_strings_detail::warp_rows& rows, int) {
        return Functor::in_place(p) && texts::load(in.column, in.bytes, rows.first, rows.end, memory[warp()]) &&
               map_rows_in_place<Functor>(memory[warp()], places[warp()], p);
      },
      [&](int64_t row, bool inside, int at, bool staged) {
        if (!staged && counts.sized != 0) { return build_strings_detail::found_size(out, row, inside); }
        if (!staged) { return size_rows<Functor>(piece_of(in.column, in.bytes, row, out.length), p); }
        return inside && is_valid(in.column, row) ? static_cast<u64>(texts::get(memory[warp()], at).size) : 0;
      },
      [&](int64_t row, bool inside, int at, bool staged, u64 size, uint8_t* stage, uint32_t to) {
        if (!staged) { return far(row, inside, size, stage + to); }
        copy_staged(texts::get(memory[warp()], at), size, stage, to);
        return inside && is_valid(in.column, row);
      },
      far);
  } else {
    build_strings_detail::build_tiles<tuning, 1>(
      output, counts, scratch, mailbox, [](auto&&, int) { return false; },
      [&](int64_t row, bool inside, int, bool) {
        if (counts.sized != 0) { return build_strings_detail::found_size(out, row, inside); }
        return size_rows<Functor>(piece_of(in.column, in.bytes, row, out.length), p);
      },
      [&](int64_t row, bool inside, int, bool, u64 size, uint8_t* stage, uint32_t to) { return far(row, inside, size, stage + to); },
      far);
  }
}

/// [block] Writes a value of O, or a bit if O is bool, for each row. The value of a null is 0.
template <class Functor, class O, class tuning, class P>
GDF_DEVICE void value_strings(const column_in& in, int64_t bytes, const column_out& out, const P& p,
                              scratch* scratch) {
  auto const store = [&](int64_t row, O value, bool is_value) {
    if constexpr (is_same<O, bool>) {
      uint32_t const bits = __ballot_sync(~0u, value);
      if (lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
    } else if (row < out.length) {
      static_cast<O*>(out.data)[row] = value;
    }
    return store_valid_word(out, row, is_value);
  };
  auto const near = [&](int64_t row, bool is_value, const auto& text) {
    return store(row, is_value ? Functor::row(text, p) : O{}, is_value);
  };
  auto const far = [&](int64_t row) {
    bool const is_value = row < out.length && is_valid(in, row);
    string_piece const mine = map_strings_detail::piece_of(in, bytes, row, out.length);
    bool const is_long = Functor::by_warp && mine.size > map_strings_detail::long_row;
    O value{};
    if (is_value && !is_long) { value = Functor::row(mine, p); }
    if constexpr (Functor::by_warp) {
      map_strings_detail::for_each_long(is_long, mine, [&](const string_piece& text, int owner) {
        O const found = Functor::warp(text, p);
        if (lane() == owner) { value = found; }
      });
    }
    return store(row, value, is_value);
  };
  if constexpr (requires(const marked_bytes& read, uint32_t& bits) { Functor::mark(read, p, bits, bits); }) {
    using rows = marked_rows<tuning::items>;
    for_each_loaded<tuning, rows>(in, out, scratch, [&](int64_t row, auto& memory) {
      return rows::load(in, bytes, row, out.length, memory, [&](const marked_bytes& read, uint32_t& found, uint32_t& continued) {
        Functor::mark(read, p, found, continued);
      });
    }, near, far);
  } else if constexpr (requires { Functor::dfa(p); }) {
    using rows = tested_rows<tuning::items>;
    auto const& dfa = Functor::dfa(p);
    auto const test = [&](const auto& texts, auto& bits) {
      bool found[rows::together];
      dfa.test(texts, dfa.start, found);
#pragma unroll
      for (int k = 0; k < rows::together; k++) { bits[k] = found[k]; }
    };
    auto const each = [&](const auto& text)
      requires requires { Functor::row(text, p); }
    { return Functor::row(text, p); };
    auto const load = [&](int64_t row, auto& memory) {
      return build_strings_detail::stages<Functor>(p) &&
             rows::load(in, bytes, row, out.length, memory, test, !dfa.is_there, each);
    };
    auto const tested = [&](int64_t row, bool is_value, const tested_piece& text) { return store(row, is_value && text.found != 0, is_value); };
    for_each_loaded<tuning, rows>(in, out, scratch, load, tested, far);
  } else {
    constexpr bool stages = requires(const staged_piece& text) { Functor::row(text, p); };
    for_each_staged<tuning, stages>(in, bytes, out, scratch, near, far, build_strings_detail::stages<Functor>(p));
  }
}

} // namespace gdf

/// GDF_STRINGS_MAP(policy, family, variant, P, functor): the kernel that makes a text of each text, with
/// parameters `p` of type P. The functor has
///   static constexpr bool by_characters   whether the result of a text is the concatenation of the results of its
///                                         parts
///   static int64_t size(const gdf::text_part&, const P&)                 [thread] the number of bytes of a result
///   static void write(const gdf::text_part&, uint8_t*, const P&)         [thread] writes that number of bytes
/// and, if the result of most characters does not depend on their position,
///   static bool in_place(const P&)                                       [thread] whether that holds with these
///                                                                        parameters
///   static gdf::u64 ascii(gdf::u64, const P&)                            [thread] maps eight bytes; keeps bytes above
///                                                                        127
///   static bool character(uint32_t code, const P&, uint32_t& to)         [thread] maps a character to one character;
///                                                                        false if its result is not one character
/// An empty text has an empty result. The kernel writes the same outputs as that of GDF_STRINGS_BUILD.
#define GDF_STRINGS_MAP(policy, family, variant, P, functor)                                        \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant##_write)                \
  family##_##variant##_write_kernel(const __grid_constant__ gdf::text_in in,                        \
                                    const __grid_constant__ gdf::column_out out,                    \
                                    const __grid_constant__ P p,                                    \
                                    const __grid_constant__ gdf::tile_counts counts,                \
                                    gdf::scratch* scratch, unsigned long long* mailbox) {           \
    gdf::write_strings<functor, policy##_tuning>(in, out, p, counts, scratch, mailbox);             \
  }                                                                                                 \
  static_assert(true)

/// GDF_STRINGS_VALUE(policy, family, variant, O, P, functor): the kernel that makes a value of O of each
/// text, with parameters `p` of type P. The functor has
///   static constexpr bool by_warp                                        whether long rows are the warp's
///   static O row(const Text&, const P&)                                  [thread] of any text, or of gdf::string_piece
///                                                                        alone
///   static O warp(const gdf::string_piece&, const P&)                    [warp] in all lanes, if by_warp
///   static bool stages(const P&)                                         optional: whether row takes a
///                                                                        gdf::staged_piece
///   static void mark(const gdf::marked_bytes&, const P&, uint32_t& found, uint32_t& continued)
///                                                                        [thread] optional: row takes a
///                                                                        gdf::marked_piece
///   static const gdf::byte_dfa<most>& dfa(const P&)                      optional: a DFA that says of a
///                                                                        gdf::staged_piece what row does; row takes
///                                                                        one, or stages says that it is there
/// Where it has a type `prepared`, it is given one, made [block] of the parameters, for these.
#define GDF_STRINGS_VALUE(policy, family, variant, O, P, functor)                                   \
  extern "C" __global__ void GDF_BOUNDS(policy) GDF_VARIANT(family, variant)                        \
  family##_##variant##_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes,             \
                              const __grid_constant__ gdf::column_out out,                          \
                              const __grid_constant__ P p, gdf::scratch* scratch) {                 \
    gdf::value_strings<functor, O, policy##_tuning>(                                                \
      in, bytes, out, gdf::build_strings_detail::prepared_for<functor>(p), scratch);                \
  }                                                                                                 \
  static_assert(true)
