// strings::replace_re and replace_with_backrefs: the matches of a regular expression are replaced by text that consists
// of the parts of a template.

#include <gdf/build_strings.cuh>
#include <gdf/regex_chunks.cuh>

GDF_POLICY(replace_re, 128, 4, 4);

namespace replace_re {

/// A part of a template. The part is a group of the match or, if the group is -1, bytes of the texts of the template.
struct part {
  int64_t begin;
  int64_t size;
  int64_t group;
};
GDF_SHARED(part);

struct replacement {
  gdf::text_in text;
  gdf::regex_pattern pattern;
  gdf::text_chunks chunks;
  const part* parts;
  const uint8_t* literals;
  gdf::byte_count literal_bytes;
  int64_t limit; // number of matches
  int32_t part_count;
  int32_t captures; // whether some part is a group other than the whole match
};

struct replaced {
  static constexpr bool by_warp = false;
  static constexpr bool by_text = true;
  static constexpr bool one_loop = true;
  static constexpr int most_literals = 1;

  /// A replacement that is prepared for a block.
  struct prepared {
    const gdf::text_in& text;
    const replacement& all;
    gdf::regex_searcher searcher;
    gdf::u64 word;
    int bytes; // number of bytes of the word; -1 if the replacement is not kept as a word

    GDF_DEVICE explicit prepared(const replacement& p)
      : text(p.text), all(p), searcher(gdf::regex_searcher::near(p.pattern)), word(0),
        bytes(p.literal_bytes <= 8 && (p.part_count == 0 || (p.part_count == 1 && p.parts[0].group < 0))
                ? static_cast<int>(p.literal_bytes)
                : -1) {
      if (bytes > 0) { word = gdf::bytes_at(gdf::string_piece{p.literals, bytes, p.literals + bytes}, 0); }
    }
  };

  GDF_DEVICE static int64_t literal_size(int, const prepared& p) { return p.bytes; }

  template <class Sink>
  GDF_DEVICE static void put_literal(Sink& sink, int, const prepared& p) { sink.put(p.word, p.bytes); }

  GDF_DEVICE static bool stages(const prepared& p) { return p.searcher.takes_staged(); }

  /// [thread, or warp if Sink::is_warp] Writes the text between the previous match and the match `found`, followed by
  /// the replacement of that match.
  template <class Sink, class Text>
  GDF_DEVICE static void put(Sink& sink, const Text& text, const gdf::regex_match& found, const gdf::regex_groups& groups,
                             typename Text::index& last, const replacement& p) {
    using index = typename Text::index;
    sink.put(gdf::part_of(text, last, static_cast<index>(found.begin)));
    last = static_cast<index>(found.end);
    for (int32_t i = 0; i < p.part_count; i++) {
      part const next = p.parts[i];
      if (next.group < 0) {
        sink.put(gdf::string_piece{p.literals + next.begin, next.size, p.literals + p.literal_bytes});
        continue;
      }
      gdf::regex_match const group = next.group == 0 ? found : groups.get(static_cast<int32_t>(next.group));
      if (group.begin >= 0) { sink.put(gdf::part_of(text, static_cast<index>(group.begin), static_cast<index>(group.end))); }
    }
  }

  template <class Sink, class Text>
  GDF_DEVICE static bool row(Sink& sink, const Text& text, int64_t row, const prepared& near) {
    using index = typename Text::index;
    replacement const& p = near.all;
    if constexpr (gdf::is_same<Text, gdf::string_piece>) {
      if (gdf::is_long(p.chunks, text)) {
        if constexpr (!Sink::is_writing) { sink.size = gdf::chunked_total(p.text, p.chunks, row, text); }
        return true;
      }
    }
    int64_t matches = 0;
    index last = 0;
    gdf::regex_for_each<true>(near.searcher, text, 0, p.captures,
                              [&](const gdf::regex_match& found, const gdf::regex_groups& groups) {
                                if (++matches > p.limit) { return false; }
                                if (near.bytes >= 0) {
                                  sink.put(gdf::part_of(text, last, static_cast<index>(found.begin)));
                                  last = static_cast<index>(found.end);
                                  gdf::build_strings_detail::put_literal<replaced>(sink, 0, near);
                                } else {
                                  put(sink, text, found, groups, last, p);
                                }
                                return true;
                              });
    sink.put(gdf::part_of(text, last, text.size));
    return true;
  }

  /// [thread, or warp if Sink::is_warp] Writes the result of a chunk of a long row.
  template <class Sink>
  GDF_DEVICE static void chunk(Sink& sink, const gdf::text_chunk& chunk, const gdf::chunk_part& part, const replacement& p) {
    int64_t matches = chunk.matches;
    int64_t last = chunk.last < 0 ? 0 : chunk.last;
    if (matches > p.limit) { return; }
    gdf::regex_for_each_in(p.pattern, chunk, part, p.captures,
                           [&](const gdf::regex_match& found, const gdf::regex_groups& groups) {
                             if (++matches > p.limit) { return false; }
                             put(sink, part.text, found, groups, last, p);
                             return true;
                           });
    if (part.is_last || matches > p.limit) { sink.put(gdf::part_of(part.text, last, part.text.size)); }
  }
};

} // namespace replace_re

GDF_STRINGS(replace_re, replace_re, text_sizes, replace_re::replacement, gdf::size_strings<replace_re::replaced>);
GDF_STRINGS(replace_re, replace_re, text_write, replace_re::replacement, gdf::write_strings<replace_re::replaced>);

/// Computes the number of result bytes of each chunk of a long row, and stores the number as the exit of the chunk.
extern "C" __global__ void GDF_BOUNDS(replace_re) GDF_VARIANT(replace_re, chunks_sizes)
replace_re_chunks_sizes_kernel(const __grid_constant__ gdf::column_out, const __grid_constant__ replace_re::replacement p,
                               const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  gdf::for_each_linked_chunk(p.text, p.chunks, [&](gdf::text_chunk& chunk, const gdf::chunk_part& part) {
    gdf::text_sink<false, false> sink{nullptr, 0};
    replace_re::replaced::chunk(sink, chunk, part, p);
    chunk.exit = static_cast<int64_t>(sink.size);
  });
}

/// Writes the text of the long rows. An earlier launch has written the short rows.
extern "C" __global__ void GDF_BOUNDS(replace_re) GDF_VARIANT(replace_re, chunks_write)
replace_re_chunks_write_kernel(const __grid_constant__ gdf::column_out out, const __grid_constant__ replace_re::replacement p,
                               const __grid_constant__ gdf::tile_counts, gdf::scratch*, unsigned long long*) {
  constexpr int64_t most = 1024; // bytes that a thread writes
  gdf::text_chunks const& all = p.chunks;
  bool const wide = out.flags & gdf::wide_offsets;
  auto const write = [&](int64_t at, auto sink) {
    gdf::text_chunk const& chunk = all.chunks[at];
    gdf::chunk_part const part = gdf::chunks_detail::part_of(p.text, all, chunk.row, at);
    sink.target = static_cast<uint8_t*>(out.data) + gdf::load_offset(out.offsets, wide, chunk.row) + (part.is_first ? 0 : chunk.exit);
    replace_re::replaced::chunk(sink, chunk, part, p);
  };
  int64_t const step = gridDim.x * int64_t{blockDim.x};
  for (int64_t first = blockIdx.x * int64_t{blockDim.x} + threadIdx.x - gdf::lane(); first < all.count; first += step) {
    int64_t const at = first + gdf::lane();
    int64_t size = -1;
    if (at < all.count && all.chunks[at].row >= 0 && all.chunks[at].matches >= 0) {
      gdf::chunk_part const part = gdf::chunks_detail::part_of(p.text, all, all.chunks[at].row, at);
      int64_t const end = all.chunks[part.is_last ? part.first : at + 1].exit;
      size = end - (part.is_first ? 0 : all.chunks[at].exit);
    }
    if (size >= 0 && size <= most) { write(at, gdf::text_sink<false, true>{nullptr, 0}); }
    gdf::build_strings_detail::for_each_long_row(size > most, at, [&](int64_t of, int) {
      write(of, gdf::text_sink<true, true>{nullptr, 0});
    });
  }
}
