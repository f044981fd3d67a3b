// strings::character_tokenize and generate_character_ngrams. hash_character_ngrams hashes the same n-grams. An n-gram
// is `count` consecutive characters of a text. An n-gram begins at each character that enough characters follow.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>

GDF_POLICY(character_ngrams, 128, 4, 8);

namespace character_ngrams {

struct parameters {
  gdf::text_in text;
  int64_t count; // number of characters, at least 1
  int64_t whole; // 1: a non-empty text with fewer characters is one part
};

struct spans {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t row, const parameters& p) { return gdf::text_or_none(p.text, row).size; }

  /// [warp] Writes the first `total` spans of a row.
  template <class Sink>
  GDF_DEVICE static void put_by_warp(Sink& sink, const gdf::string_piece& text, int64_t total, const parameters& p) {
    int64_t before = 0;
    for (int64_t at = 0; at < text.size; at += 32) {
      int64_t const mine = at + gdf::lane();
      bool const begins = mine < text.size && !gdf::is_continuation(gdf::byte_at(text, mine));
      uint32_t const lanes = __ballot_sync(~0u, begins);
      int64_t const number = before + __popc(lanes & ((1u << gdf::lane()) - 1));
      before += __popc(lanes);
      if (!begins || number >= total) { continue; }
      gdf::string_piece const rest = gdf::part_of(text, mine, text.size);
      sink.put_by_lane(static_cast<gdf::u64>(number), gdf::span_of(p.text, rest, 0, gdf::place_or_end(rest, p.count)));
    }
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    gdf::string_piece const text = gdf::text_or_none(p.text, row);
    int64_t const characters = Sink::search::characters(text, 0, text.size);
    int64_t const some = p.whole != 0 && characters > 0 ? 1 : 0;
    int64_t const total = characters >= p.count ? characters - p.count + 1 : some;
    if constexpr (Sink::is_warp && !Sink::counts) {
      put_by_warp(sink, text, total, p);
    } else if constexpr (!Sink::counts) {
      int64_t begin = 0;
      int64_t end = gdf::place_or_end(text, p.count);
      for (int64_t i = 0; i < total; i++) {
        sink.put_at(static_cast<gdf::u64>(i), gdf::span_of(p.text, text, begin, end));
        begin += gdf::character_at(text, begin).bytes;
        end += end < text.size ? gdf::character_at(text, end).bytes : 0;
      }
    }
    sink.set_size(static_cast<gdf::u64>(total));
    return true;
  }
};

} // namespace character_ngrams

GDF_STRINGS(character_ngrams, character_ngrams, text_sizes, character_ngrams::parameters,
            gdf::size_strings<character_ngrams::spans, gdf::span_sink>);
GDF_STRINGS(character_ngrams, character_ngrams, text_write, character_ngrams::parameters,
            gdf::write_strings<character_ngrams::spans, gdf::span_sink>);
