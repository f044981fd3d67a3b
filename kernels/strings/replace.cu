// strings::replace, replace_slice and replace_multiple: text in which matches of targets, or a range of characters, are
// replaced.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>
#include <gdf/text_chunks.cuh>

GDF_POLICY(replace, 128, 4, 6);

namespace replace {

struct pair {
  gdf::needle target;
  gdf::literal replacement;

  GDF_DEVICE static pair of(const gdf::string_piece& target, const gdf::string_piece& replacement) {
    return {gdf::needle_of(target), gdf::literal::of(replacement)};
  }
};

struct parameters {
  gdf::text_in text;
  gdf::text_in target;
  gdf::text_in replacement;
  int64_t max;
  gdf::text_chunks chunks;
};

struct replaced {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;
  static constexpr int most_literals = 1;

  /// If all rows have the same target and replacement, both are kept in shared memory.
  struct prepared {
    const gdf::text_in& text;
    const parameters& all;
    const pair& one;
    bool is_one;
    bool is_null; // whether all rows are null
    bool has_chunks; // whether chunks handle the long rows

    GDF_DEVICE explicit prepared(const parameters& p)
      : text(p.text), all(p), one(shared(p)),
        is_one((p.target.column.flags & p.replacement.column.flags & gdf::broadcast) != 0),
        is_null(is_one && !(gdf::is_valid(p.target.column, 0) && gdf::is_valid(p.replacement.column, 0))),
        has_chunks(is_one && !is_null && p.max == INT64_MAX && gdf::has_chunks(one.target) &&
                   one.replacement.text.size <= most_by_lane) {}

    GDF_DEVICE static const pair& shared(const parameters& p) {
      __shared__ pair one;
      if (threadIdx.x == 0) { one = pair::of(gdf::text_or_none(p.target, 0), gdf::text_or_none(p.replacement, 0)); }
      __syncthreads();
      return one;
    }
  };

  /// The maximum number of bytes that a lane writes alone.
  static constexpr int64_t most_by_lane = 64;

  GDF_DEVICE static int64_t work(int64_t row, const prepared& p) { return gdf::text_or_none(p.text, row).size; }

  GDF_DEVICE static int64_t literal_size(int, const prepared& p) { return p.one.replacement.text.size; }

  template <class Sink>
  GDF_DEVICE static void put_literal(Sink& sink, int, const prepared& p) { p.one.replacement.put(sink); }

  /// [warp] Writes the bytes [from, to) of a text, and replaces at most `max` of the matches that begin in this range.
  template <class Sink>
  GDF_DEVICE static void put_windows(Sink& sink, const gdf::string_piece& text, int64_t from, int64_t to, int64_t behind,
                                     const pair& of, int64_t max) {
    constexpr int bytes = gdf::by_warp::lane_bytes;
    auto const added = static_cast<uint32_t>(of.replacement.text.size);
    int64_t left = max;
    gdf::by_warp::for_each_window(text, from, to, of.target, [&](int64_t at, uint32_t places, gdf::u64 low, gdf::u64 high) {
      places = gdf::by_warp::limited(places, left);
      int64_t const before = gdf::by_warp::match_end_before(at, places, of.target, behind);
      int64_t const here = to - at;
      uint32_t kept = here <= 0 ? 0 : here < bytes ? (1u << here) - 1 : (1u << bytes) - 1;
      if (before > at) { kept = before - at < bytes ? kept & ~0u << (before - at) : 0; }
      for (uint32_t rest = places; rest != 0; rest &= rest - 1) {
        int const from = __ffs(static_cast<int>(rest)) - 1;
        int64_t const end = from + of.target.size;
        kept &= ~((end < bytes ? 1u << end : 1u << bytes) - (1u << from));
      }
      uint32_t const size = static_cast<uint32_t>(__popc(kept)) + static_cast<uint32_t>(__popc(places)) * added;
      uint32_t const up_to = gdf::warp_inclusive_sum(size);
      if constexpr (Sink::is_writing) {
        uint8_t* to = sink.target + sink.size + (up_to - size);
        for (uint32_t rest = kept | places; rest != 0; rest &= rest - 1) {
          int const k = __ffs(static_cast<int>(rest)) - 1;
          if (places >> k & 1) {
            for (uint32_t i = 0; i < added; i++) {
              *to++ = i < 8 ? static_cast<uint8_t>(of.replacement.word >> (8 * i)) : __ldg(of.replacement.text.data + i);
            }
          }
          if (kept >> k & 1) { *to++ = static_cast<uint8_t>((k < 8 ? low : high) >> (k % 8 * 8)); }
        }
      }
      sink.size += __shfl_sync(~0u, up_to, 31);
      return true;
    });
  }

  template <class Sink>
  GDF_DEVICE static void chunk(Sink& sink, const gdf::chunk_part& part, const prepared& p) {
    int64_t const behind = gdf::by_warp::match_end_at(part.text, part.begin, p.one.target);
    put_windows(sink, part.text, part.begin, part.end, behind, p.one, -1);
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& p) {
    using index = typename Text::index;
    auto const& [_, all, one, is_one, is_null, has_chunks] = p;
    if (is_null) { return false; }
    if constexpr (gdf::is_same<Text, gdf::string_piece>) {
      if (has_chunks && gdf::is_long(all.chunks, text)) {
        if constexpr (!Sink::is_writing) { sink.size = gdf::chunked_total(p.text, all.chunks, row, text); }
        return true;
      }
    }
    if (!is_one && !(gdf::is_valid(all.target.column, row) && gdf::is_valid(all.replacement.column, row))) { return false; }
    pair const of = is_one ? one : pair::of(gdf::text_at(all.target, row), gdf::text_at(all.replacement, row));
    if constexpr (Sink::is_warp) {
      if (of.target.size > 0 && of.replacement.text.size <= most_by_lane) {
        put_windows(sink, text, 0, text.size, 0, of, all.max == INT64_MAX ? -1 : all.max);
        return true;
      }
    }
    index from = 0;
    int64_t left = all.max;
    if (of.target.size > 0) {
      Sink::search::for_each(text, 0, of.target, [&](index at) {
        if (left-- == 0) { return false; }
        sink.put(gdf::part_of(text, from, at));
        if (is_one) {
          gdf::build_strings_detail::put_literal<replaced>(sink, 0, p);
        } else {
          of.replacement.put(sink);
        }
        from = at + static_cast<index>(of.target.size);
        return true;
      });
    }
    sink.put(gdf::part_of(text, from, text.size));
    return true;
  }
};

} // namespace replace

GDF_STRINGS(replace, replace, text_sizes, replace::parameters, gdf::size_strings<replace::replaced>);
GDF_STRINGS(replace, replace, text_write, replace::parameters, gdf::write_strings<replace::replaced>);

/// Computes the number of result bytes of each chunk of a long row.
extern "C" __global__ void GDF_BOUNDS(replace) GDF_VARIANT(replace, chunks_sizes)
replace_chunks_sizes_kernel(const __grid_constant__ gdf::column_out, const __grid_constant__ replace::parameters p,
                            const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  replace::replaced::prepared const near(p);
  gdf::size_chunks(p.text, p.chunks, [&](const gdf::chunk_part& part, gdf::text_chunk& chunk) {
    gdf::text_sink<true, false> sink{nullptr, 0};
    if (near.has_chunks) { replace::replaced::chunk(sink, part, near); }
    chunk.exit = static_cast<int64_t>(sink.size);
  });
}

/// Writes the text of the long rows. An earlier launch has written the short rows.
extern "C" __global__ void GDF_BOUNDS(replace) GDF_VARIANT(replace, chunks_write)
replace_chunks_write_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ replace::parameters p,
                            const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  replace::replaced::prepared const near(p);
  if (!near.has_chunks) { return; }
  gdf::write_chunks(out, p.text, p.chunks, [&](const gdf::chunk_part& part, const gdf::text_chunk&, int64_t place) {
    gdf::text_sink<true, true> sink{static_cast<uint8_t*>(out.data) + place, 0};
    replace::replaced::chunk(sink, part, near);
  });
}

GDF_POLICY(replace_slice, 128, 4, 8);

namespace replace_slice {

struct parameters {
  gdf::text_in text;
  gdf::text_in replacement;
  int64_t start; // 0 or more
  int64_t stop; // not less than `start`
};

struct replaced {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t, const parameters&) { return 0; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row) || !gdf::is_valid(p.replacement.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    int64_t const begin = gdf::place_or_end(text, p.start);
    gdf::string_piece const rest = gdf::part_of(text, begin, text.size);
    sink.put(gdf::part_of(text, 0, begin));
    sink.put(gdf::text_at(p.replacement, row));
    sink.put(gdf::part_of(rest, gdf::place_or_end(rest, p.stop - p.start), rest.size));
    return true;
  }
};

} // namespace replace_slice

GDF_STRINGS(replace_slice, replace_slice, text_write, replace_slice::parameters, gdf::write_strings<replace_slice::replaced>);

GDF_POLICY(replace_multiple, 128, 4, 6);

namespace replace_multiple {

struct parameters {
  gdf::text_in text;
  gdf::text_in targets;
  gdf::text_in replacements; // one replacement, or one per target
};

/// The targets in a block's shared memory. Each of the first targets has a bit, and the last bit stands for all further
/// targets.
struct target_table {
  static constexpr int most = 8;

  // Each word has 16 bits for each of two byte values. Bits 0 to 7 are the targets that begin with the byte. Bits 8 to
  // 15 are the targets whose second byte may be the byte.
  uint32_t bytes[128];
  replace::pair pairs[most];

  GDF_DEVICE static gdf::string_piece replacement_of(const parameters& p, int64_t target) {
    return gdf::text_or_none(p.replacements, p.replacements.column.length == 1 ? 0 : target);
  }

  GDF_DEVICE void fill(const parameters& p) {
    for (int i = threadIdx.x; i < 128; i += blockDim.x) { bytes[i] = 0; }
    __syncthreads();
    for (int64_t i = threadIdx.x; i < p.targets.column.length; i += blockDim.x) {
      gdf::string_piece const piece = gdf::text_or_none(p.targets, i);
      replace::pair const mine = replace::pair::of(piece, replacement_of(p, i));
      gdf::needle const& target = mine.target;
      if (i < most) { pairs[i] = mine; }
      int const bit = i < most ? static_cast<int>(i) : most - 1;
      if (target.size == 0) { continue; }
      auto const add = [&](uint32_t byte, int at) { atomicOr(bytes + (byte >> 1), 1u << (16 * (byte & 1) + at)); };
      add(static_cast<uint32_t>(target.first) & 0xff, bit);
      if (target.size > 1) {
        add(static_cast<uint32_t>(target.first >> 8) & 0xff, 8 + bit);
      } else {
        for (int k = 0; k < 128; k++) { atomicOr(bytes + k, 0x01000100u << bit); }
      }
    }
    __syncthreads();
  }

  GDF_DEVICE uint32_t of(uint32_t byte) const { return reinterpret_cast<const uint16_t*>(bytes)[byte]; }
};

/// A match: the number of the target, or -1 if there is no match, and the number of bytes of the target.
struct match {
  int64_t target;
  int64_t size;
};

struct replaced {
  static constexpr bool by_warp = true;
  static constexpr bool by_text = true;
  static constexpr int most_literals = target_table::most;

  struct prepared {
    const gdf::text_in& text;
    const parameters& all;
    const target_table& table;

    GDF_DEVICE explicit prepared(const parameters& p) : text(p.text), all(p), table(shared(p)) {}

    GDF_DEVICE static const target_table& shared(const parameters& p) {
      __shared__ target_table table;
      table.fill(p);
      return table;
    }
  };

  GDF_DEVICE static int64_t work(int64_t row, const prepared& p) { return gdf::text_or_none(p.text, row).size; }

  GDF_DEVICE static int64_t literal_size(int number, const prepared& p) { return p.table.pairs[number].replacement.text.size; }

  template <class Sink>
  GDF_DEVICE static void put_literal(Sink& sink, int number, const prepared& p) { p.table.pairs[number].replacement.put(sink); }

  /// [thread] Returns the first target of `bits` that matches at position `at`.
  template <class Text>
  GDF_DEVICE static match target_at(const Text& text, typename Text::index at, uint32_t bits, const prepared& p) {
    constexpr int last = target_table::most - 1;
    int64_t const count = p.all.targets.column.length;
    for (; bits != 0; bits &= bits - 1) {
      int const i = __ffs(static_cast<int>(bits)) - 1;
      if (i == last && count > target_table::most) { break; }
      gdf::needle const& target = p.table.pairs[i].target;
      if (target.size <= text.size - at && gdf::lies_at(text, at, target)) { return {i, target.size}; }
    }
    for (int64_t i = bits == 0 ? count : last; i < count; i++) {
      gdf::needle const target = gdf::needle_of(gdf::text_or_none(p.all.targets, i));
      if (target.size > 0 && target.size <= text.size - at && gdf::lies_at(text, at, target)) { return {i, target.size}; }
    }
    return {-1, 0};
  }

  /// [thread] Finds the first match at or after `at`.
  template <class Text>
  GDF_DEVICE static match next(const Text& text, typename Text::index& at, const prepared& p) {
    while (at < text.size) {
      gdf::u64 word = gdf::loose_bytes_at(text, at);
      uint32_t here = p.table.of(static_cast<uint32_t>(word) & 0xff);
      uint32_t candidates = 0;
#pragma unroll
      for (int k = 0; k < 4; k++) {
        word >>= 8;
        uint32_t const behind = p.table.of(static_cast<uint32_t>(word) & 0xff);
        candidates |= (here & behind >> 8 & 0xff) << (8 * k);
        here = behind;
      }
      while (candidates != 0) {
        int const k = (__ffs(static_cast<int>(candidates)) - 1) >> 3;
        if (at + k >= text.size) { break; }
        match const found = target_at(text, at + k, candidates >> (8 * k) & 0xff, p);
        if (found.target >= 0) {
          at += k;
          return found;
        }
        candidates &= ~(0xffu << (8 * k));
      }
      at += 4;
    }
    at = text.size;
    return {-1, 0};
  }

  /// [warp] Does the same as `next`, with a different position for each lane.
  GDF_DEVICE static match next_by_warp(const gdf::string_piece& text, int64_t& at, const prepared& p) {
    for (; at < text.size; at += 32) {
      int64_t const mine = at + gdf::lane();
      match found{-1, 0};
      if (mine < text.size) {
        uint32_t const behind = mine + 1 < text.size ? p.table.of(gdf::byte_at(text, mine + 1)) >> 8 : 0xff;
        uint32_t const bits = p.table.of(gdf::byte_at(text, mine)) & behind & 0xff;
        found = target_at(text, mine, bits, p);
      }
      uint32_t const lanes = __ballot_sync(~0u, found.target >= 0);
      if (lanes != 0) {
        int const owner = __ffs(static_cast<int>(lanes)) - 1;
        at += owner;
        return {__shfl_sync(~0u, static_cast<long long>(found.target), owner),
                __shfl_sync(~0u, static_cast<long long>(found.size), owner)};
      }
    }
    at = text.size;
    return {-1, 0};
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t, const prepared& p) {
    using index = typename Text::index;
    index from = 0;
    while (true) {
      index at = from;
      match found;
      if constexpr (Sink::is_warp) {
        found = next_by_warp(text, at, p);
      } else {
        found = next(text, at, p);
      }
      sink.put(gdf::part_of(text, from, at));
      if (found.target < 0) { return true; }
      from = at + static_cast<index>(found.size);
      if (found.target < target_table::most) {
        gdf::build_strings_detail::put_literal<replaced>(sink, static_cast<int>(found.target), p);
      } else {
        sink.put(target_table::replacement_of(p.all, found.target));
      }
    }
  }
};

} // namespace replace_multiple

GDF_STRINGS(replace_multiple, replace_multiple, text_write, replace_multiple::parameters, gdf::write_strings<replace_multiple::replaced>);
