// strings::contains, starts_with, ends_with, find, rfind, count_characters and count_bytes. Each row is searched for a
// target text, which is one text for all rows or one text for each row.

#include <gdf/search_text.cuh>
#include <gdf/thread_texts.cuh>
#include <gdf/value_strings.cuh>

GDF_POLICY(search, 256, 4, 4);

namespace strings {

/// The result of a search.
enum class search_mode : int32_t {
  contains,
  starts_with,
  ends_with,
  find,
  rfind,
  count_characters,
  count_bytes,
};

/// [thread, or warp if Lanes is by_warp] Returns whether a text contains, starts with or ends with `what`.
template <class Lanes, class Text>
GDF_DEVICE bool occurs(const Text& text, const gdf::needle& what, search_mode mode) {
  if (mode == search_mode::contains) { return Lanes::first(text, 0, what) >= 0; }
  return what.size <= text.size && gdf::lies_at(text, mode == search_mode::starts_with ? 0 : text.size - what.size, what);
}

/// [thread, or warp if Lanes is by_warp] Returns the number of characters or bytes of a text or, for a search, the
/// number of characters before the first or last match of `what`. The match must lie within the characters [start,
/// stop). If `stop` is negative, they end at the end of the text. If there is no match, the result is -1.
template <class Lanes, class Text>
GDF_DEVICE int64_t position(const Text& text, const gdf::needle& what, search_mode mode, int64_t start,
                            int64_t stop) {
  if (mode == search_mode::count_characters) { return Lanes::characters(text, 0, text.size); }
  if (mode == search_mode::count_bytes) { return text.size; }
  typename Text::index const from = start == 0 ? 0 : gdf::character_place(text, start);
  typename Text::index const end = stop < 0 ? -1 : gdf::character_place(text, stop);
  if (from < 0) { return -1; }
  Text const part = gdf::part_of(text, 0, end < 0 ? text.size : end);
  typename Text::index const place = mode == search_mode::find ? Lanes::first(part, from, what) : Lanes::last(part, from, what);
  return place < 0 ? -1 : start + Lanes::characters(text, from, place);
}

/// The target of a search.
struct search_parameters {
  const uint8_t* data; // only the bytes after the first eight are read
  int64_t size; // may be 0
  uint64_t first; // up to eight bytes of the target; the first byte has the lowest bits
  uint64_t mask; // ones for the bytes in `first`
  int64_t start; // find and rfind search the characters [start, stop)
  int64_t stop; // if negative, the end of the text
  int32_t mode;
  int32_t unused;
};

template <class O>
struct of_one {
  static constexpr bool by_warp = true;

  template <class Lanes, class Text>
  GDF_DEVICE static O of(const Text& text, const search_parameters& p) {
    auto const mode = static_cast<search_mode>(p.mode);
    gdf::needle const what{p.data, p.size, p.first, p.mask};
    if constexpr (gdf::is_same<O, bool>) {
      return occurs<Lanes>(text, what, mode);
    } else {
      return static_cast<O>(position<Lanes>(text, what, mode, p.start, p.stop));
    }
  }

  /// [thread] Marks the bytes that matter to `mode`.
  GDF_DEVICE static void mark(const gdf::marked_bytes& bytes, const search_parameters& p, uint32_t& found, uint32_t& continued) {
    auto const mode = static_cast<search_mode>(p.mode);
    if (p.size > 0) { found = gdf::mark_needle(bytes, {p.data, p.size, p.first, p.mask}); }
    if (mode == search_mode::find || mode == search_mode::rfind || mode == search_mode::count_characters) {
      continued = gdf::mark_continued(bytes);
    }
  }

  GDF_DEVICE static O row(const gdf::marked_piece& text, const search_parameters& p) { return of<gdf::by_bits>(text, p); }
  GDF_DEVICE static O row(const gdf::string_piece& text, const search_parameters& p) { return of<gdf::by_thread>(text, p); }
  GDF_DEVICE static O warp(const gdf::string_piece& text, const search_parameters& p) { return of<gdf::by_warp>(text, p); }

  GDF_DEVICE static bool splits(const search_parameters& p) {
    auto const mode = static_cast<search_mode>(p.mode);
    return mode == search_mode::contains || mode == search_mode::count_characters;
  }

  GDF_DEVICE static O part(const gdf::string_piece& text, int64_t from, int64_t to, const search_parameters& p, bool&) {
    if constexpr (gdf::is_same<O, bool>) {
      return gdf::by_warp::lies_from(text, from, to, {p.data, p.size, p.first, p.mask});
    } else {
      return static_cast<O>(gdf::by_warp::characters(text, from, to));
    }
  }
};

} // namespace strings

/// Writes booleans. The target is the same for all rows.
GDF_STRING_VALUES(search, search, bool, strings::search_parameters, gdf::value_strings<strings::of_one<bool>, bool>);
/// Writes 32-bit numbers. The target is the same for all rows.
GDF_STRING_VALUES(search, search, int, strings::search_parameters, gdf::value_strings<strings::of_one<int32_t>, int32_t>);
/// Writes 64-bit numbers. The target is the same for all rows.
GDF_STRING_VALUES(search, search, long, strings::search_parameters, gdf::value_strings<strings::of_one<int64_t>, int64_t>);

GDF_POLICY(search_long, 1024, 1, 1);

/// Does the same as `bool`, for columns of few or long rows.
GDF_STRING_VALUES(search_long, search, long_rows_bool, strings::search_parameters,
                  gdf::value_long_strings<strings::of_one<bool>, bool>);
/// Does the same as `int`, for columns of few or long rows.
GDF_STRING_VALUES(search_long, search, long_rows_int, strings::search_parameters,
                  gdf::value_long_strings<strings::of_one<int32_t>, int32_t>);
/// Does the same as `long`, for columns of few or long rows.
GDF_STRING_VALUES(search_long, search, long_rows_long, strings::search_parameters,
                  gdf::value_long_strings<strings::of_one<int64_t>, int64_t>);

GDF_POLICY(search_ends, 256, 2, 5);

/// Writes whether rows start with, or end with, one text. The kernel reads only the bytes at that end of a row.
extern "C" __global__ void GDF_BOUNDS(search_ends) GDF_VARIANT(search, ends)
search_ends_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes, const __grid_constant__ gdf::column_out out,
                   const __grid_constant__ strings::search_parameters p, gdf::scratch* scratch) {
  constexpr int threads = search_ends_tuning::threads;
  constexpr int items = search_ends_tuning::items;
  gdf::needle const what{p.data, p.size, p.first, p.mask};
  bool const at_start = p.mode == static_cast<int32_t>(strings::search_mode::starts_with);
  int const size = p.size < 8 ? static_cast<int>(p.size) : 8;
  auto const* const data = static_cast<const uint8_t*>(in.data);
  const uint8_t* const limit = data + bytes;
  uint32_t valid = 0;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    gdf::thread_texts<threads, items> texts;
    texts.load(in, bytes, first, out.length);
    const uint8_t* place[items];
    gdf::u64 low[items];
    gdf::u64 high[items];
    bool fits[items]; // whether the row is long enough, and whole words may be read
#pragma unroll
    for (int i = 0; i < items; i++) {
      gdf::extent const& text = texts.text[i];
      place[i] = data + (at_start ? text.begin : text.end - what.size);
      auto const lead = static_cast<int>(reinterpret_cast<uintptr_t>(place[i]) & 7);
      auto const* const word = reinterpret_cast<const gdf::u64*>(place[i] - lead);
      bool const two = lead + size > 8;
      fits[i] = text.size() >= what.size && place[i] - lead >= data && place[i] - lead + (two ? 16 : 8) <= limit;
      low[i] = 0;
      high[i] = 0;
      if (fits[i]) { low[i] = __ldg(word); }
      if (fits[i] && two) { high[i] = __ldg(word + 1); }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      int64_t const row = gdf::row_of<threads>(first, i);
      if (row - gdf::lane() >= out.length) { break; } // the whole warp
      bool is = texts.has(i) && texts.text[i].size() >= what.size;
      auto const lead = static_cast<int>(reinterpret_cast<uintptr_t>(place[i]) & 7);
      gdf::u64 const word = gdf::search_detail::word_from(low[i], high[i], lead);
      if (fits[i]) {
        is = is && ((word ^ what.first) & what.mask) == 0;
      } else if (is && size > 0) {
        is = gdf::string_detail::load_before(place[i], limit, size) == what.first;
      }
      is = is && gdf::search_detail::goes_on(gdf::string_piece{place[i], what.size, limit}, 0, what);
      uint32_t const bits = __ballot_sync(~0u, is);
      if (gdf::lane() == 0) { static_cast<uint32_t*>(out.data)[row >> 5] = bits; }
      valid += gdf::store_valid_word(out, row, texts.has(i));
    }
  });
  gdf::post_null_count<threads>(scratch, out, valid);
}

/// Does the same as the other kernels of the family, with a target for each row in `target`. The results are booleans
/// or numbers, according to the type of `out`. A result is null if one of its two texts is null.
extern "C" __global__ void GDF_BOUNDS(search)
search_columns_kernel(const __grid_constant__ gdf::column_in in, const __grid_constant__ gdf::column_in target,
                      gdf::byte_count bytes, gdf::byte_count target_bytes, const __grid_constant__ gdf::column_out out,
                      const __grid_constant__ strings::search_parameters p, gdf::scratch* scratch) {
  auto const mode = static_cast<strings::search_mode>(p.mode);
  bool const is_truth = out.type == static_cast<int32_t>(gdf::type::boolean);
  gdf::pair_strings<search_tuning>(
    in, target, bytes, target_bytes, out, scratch,
    [&](const gdf::string_piece& text, const gdf::string_piece& other) -> int64_t {
      gdf::needle const what = gdf::needle_of(other);
      return is_truth ? strings::occurs<gdf::by_thread>(text, what, mode)
                      : strings::position<gdf::by_thread>(text, what, mode, p.start, p.stop);
    });
}

namespace strings {

/// Several targets, whose total size is small. `more` has the output words of the booleans of all targets except the
/// first.
struct several {
  search_parameters texts[8];
  uint32_t* more[7];
  int32_t count;
  int32_t unused;
};

} // namespace strings

/// Tests whether rows contain each of several targets. If the text of a row is null, all results of the row are null,
/// and their bits are 0.
extern "C" __global__ void GDF_BOUNDS(search) search_several_kernel(const __grid_constant__ gdf::column_in in, gdf::byte_count bytes,
                                                                    const __grid_constant__ gdf::column_out out,
                                                                    const __grid_constant__ strings::several p,
                                                                    gdf::scratch* scratch) {
  using rows = gdf::tested_rows<search_tuning::items>;
  auto const what = [&](int32_t i) {
    strings::search_parameters const& one = p.texts[i];
    return gdf::needle{one.data, one.size, one.first, one.mask};
  };
  gdf::byte_dfa<40> dfa;
  dfa.make_texts<true>(p.count, what);
  auto const store = [&](int64_t row, bool is_text, uint32_t found) {
#pragma unroll 1
    for (int32_t i = 0; i < p.count; i++) {
      uint32_t const bits = __ballot_sync(~0u, is_text && (found >> i & 1) != 0);
      auto* const words = i == 0 ? static_cast<uint32_t*>(out.data) : p.more[i - 1];
      if (gdf::lane() == 0) { words[row >> 5] = bits; }
    }
    return gdf::store_valid_word(out, row, is_text);
  };
  auto const test = [&](const auto& texts, auto& bits) {
#pragma unroll
    for (int k = 0; k < rows::together; k++) { bits[k] = 0; }
    auto begin = dfa.start;
#pragma unroll 1
    for (int32_t i = 0; i < p.count; i++) {
      int64_t const size = p.texts[i].size;
      bool found[rows::together];
      dfa.test(texts, size == 0 ? dfa.matches : begin, found);
#pragma unroll
      for (int k = 0; k < rows::together; k++) { bits[k] |= static_cast<uint32_t>(found[k]) << i; }
      begin += static_cast<uint32_t>(size);
    }
  };
  auto const far = [&](int64_t row) {
    bool const is_text = row < out.length && gdf::is_valid(in, row);
    gdf::string_piece const mine = gdf::build_strings_detail::piece_of(in, bytes, row, out.length);
    bool const is_long = mine.size > gdf::build_strings_detail::long_row;
    uint32_t found = 0;
    uint32_t begin = dfa.start;
#pragma unroll 1
    for (int32_t i = 0; i < p.count; i++) {
      int64_t const size = p.texts[i].size;
      bool is = is_text && !is_long && dfa.test(mine, size == 0 ? dfa.matches : begin);
      gdf::build_strings_detail::for_each_long(is_long, mine, [&](const gdf::string_piece& text, int owner) {
        bool const lies = gdf::by_warp::first(text, 0, what(i)) >= 0;
        if (static_cast<int>(gdf::lane()) == owner) { is = lies; }
      });
      found |= static_cast<uint32_t>(is) << i;
      begin += static_cast<uint32_t>(size);
    }
    return store(row, is_text, found);
  };
  gdf::for_each_loaded<search_tuning, rows>(
    in, out, scratch,
    [&](int64_t row, int64_t end, auto& memory) { return rows::load(in, bytes, row, end, memory, test, false, 0); },
    [&](int64_t row, bool is_text, const gdf::tested_piece& text) { return store(row, is_text, text.found); }, far);
}
