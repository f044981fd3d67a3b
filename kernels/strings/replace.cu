// strings::replace, replace_slice, replace_multiple: text with what occurs in it, or a part by numbers, replaced.

#include <gdf/build_strings.cuh>
#include <gdf/characters.cuh>

GDF_POLICY(replace, 128, 4, 8);

namespace replace {

struct parameters {
  gdf::text_in text;
  gdf::text_in target;
  gdf::text_in replacement;
  int64_t max;
};

struct replaced {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t row, const parameters& p) { return gdf::text_or_none(p.text, row).size; }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row) || !gdf::is_valid(p.target.column, row) ||
        !gdf::is_valid(p.replacement.column, row)) {
      return false;
    }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    gdf::string_piece const replacement = gdf::text_at(p.replacement, row);
    gdf::needle const target = gdf::needle_of(gdf::text_at(p.target, row));
    int64_t from = 0;
    for (int64_t times = 0; target.size > 0 && times < p.max; times++) {
      int64_t const at = Sink::search::first(text, from, target);
      if (at < 0) { break; }
      sink.put(gdf::part_of(text, from, at));
      sink.put(replacement);
      from = at + target.size;
    }
    sink.put(gdf::part_of(text, from, text.size));
    return true;
  }
};

} // namespace replace

/// Text with a target replaced.
GDF_STRINGS_BUILD(replace, replace, text, replace::parameters, replace::replaced);

GDF_POLICY(replace_slice, 128, 4, 8);

namespace replace_slice {

struct parameters {
  gdf::text_in text;
  gdf::text_in replacement;
  int64_t start; // 0 or more
  int64_t stop; // not less
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

/// Text with a part replaced.
GDF_STRINGS_BUILD(replace_slice, replace_slice, text, replace_slice::parameters, replace_slice::replaced);

GDF_POLICY(replace_multiple, 128, 4, 8);

namespace replace_multiple {

struct parameters {
  gdf::text_in text;
  gdf::text_in targets;
  gdf::text_in replacements; // one, or as many
};

struct replaced {
  static constexpr bool by_warp = true;

  GDF_DEVICE static int64_t work(int64_t row, const parameters& p) { return gdf::text_or_none(p.text, row).size; }

  /// The bytes that targets begin with.
  struct first_bytes {
    gdf::u64 set[4];

    GDF_DEVICE explicit first_bytes(const parameters& p) : set{} {
      for (int64_t i = 0; i < p.targets.column.length; i++) {
        gdf::string_piece const target = gdf::text_or_none(p.targets, i);
        uint32_t const byte = target.size > 0 ? __ldg(target.data) : 0;
#pragma unroll
        for (uint32_t word = 0; word < 4; word++) {
          if (target.size > 0 && byte >> 6 == word) { set[word] |= 1ull << (byte & 63); }
        }
      }
    }

    GDF_DEVICE bool has(uint32_t byte) const {
      gdf::u64 const low = (byte & 64) != 0 ? set[1] : set[0];
      gdf::u64 const high = (byte & 64) != 0 ? set[3] : set[2];
      return (((byte & 128) != 0 ? high : low) >> (byte & 63) & 1) != 0;
    }
  };

  /// [thread] The first target that lies at a place, -1 if none does; its bytes in `bytes`.
  GDF_DEVICE static int64_t target_at(const gdf::string_piece& text, int64_t at, const parameters& p,
                                      const first_bytes& first, int64_t& bytes) {
    if (!first.has(__ldg(text.data + at))) { return -1; }
    for (int64_t i = 0; i < p.targets.column.length; i++) {
      gdf::string_piece const target = gdf::text_or_none(p.targets, i);
      if (target.size > 0 && target.size <= text.size - at && gdf::lies_at(text, at, gdf::needle_of(target))) {
        bytes = target.size;
        return i;
      }
    }
    return -1;
  }

  template <class Sink>
  GDF_DEVICE static bool row(Sink& sink, int64_t row, const parameters& p) {
    if (!gdf::is_valid(p.text.column, row)) { return false; }
    gdf::string_piece const text = gdf::text_at(p.text, row);
    first_bytes const first(p);
    int64_t from = 0;
    int64_t at = 0;
    while (at < text.size) {
      int64_t bytes = 0;
      int64_t found = -1;
      if constexpr (Sink::is_warp) { // a place for each lane
        int64_t const mine = at + gdf::lane();
        found = mine < text.size ? target_at(text, mine, p, first, bytes) : -1;
        uint32_t const lanes = __ballot_sync(~0u, found >= 0);
        if (lanes == 0) {
          at += 32;
          continue;
        }
        int const owner = __ffs(static_cast<int>(lanes)) - 1;
        found = static_cast<int64_t>(__shfl_sync(~0u, static_cast<gdf::u64>(found), owner));
        bytes = static_cast<int64_t>(__shfl_sync(~0u, static_cast<gdf::u64>(bytes), owner));
        at += owner;
      } else {
        found = target_at(text, at, p, first, bytes);
        if (found < 0) {
          at++;
          continue;
        }
      }
      sink.put(gdf::part_of(text, from, at));
      sink.put(gdf::text_or_none(p.replacements, p.replacements.column.length == 1 ? 0 : found));
      at += bytes;
      from = at;
    }
    sink.put(gdf::part_of(text, from, text.size));
    return true;
  }
};

} // namespace replace_multiple

/// Text with several targets replaced.
GDF_STRINGS_BUILD(replace_multiple, replace_multiple, text, replace_multiple::parameters, replace_multiple::replaced);
