// strings::to_upper, to_lower, swapcase, capitalize and title. Each character is mapped by Unicode's full case mapping,
// independently of a language. Only the mapping of a final sigma depends on neighboring characters.

#include <gdf/character_types.cuh>
#include <gdf/characters.cuh>
#include <gdf/lower_case.cuh>
#include <gdf/map_strings.cuh>
#include <gdf/title_case.cuh>
#include <gdf/upper_case.cuh>

GDF_POLICY(to_case, 128, 4, 8);

namespace to_case {

/// The modes in which the mapping depends on the character or its position.
enum class mode : int32_t {
  swapped,
  // Title case for the first character and for characters after a character of `delimiters`, otherwise lower case.
  after_delimiters,
  // Title case for the first character and for characters after a character whose type is not in `types`, otherwise
  // lower case.
  after_other_types,
};

struct parameters {
  gdf::text_in text;
  gdf::text_in delimiters; // a single row
  int32_t mode;
  uint32_t types;
  gdf::text_chunks chunks;
};

/// [thread] Flips the case of the 26 letters from `first` on, in eight bytes at once.
GDF_DEVICE gdf::u64 ascii_flipped(gdf::u64 word, uint8_t first) {
  gdf::u64 const low = word & 0x7f7f7f7f7f7f7f7full;
  gdf::u64 const from_first = low + 0x0101010101010101ull * (0x80 - first);
  gdf::u64 const past_last = low + 0x0101010101010101ull * (0x80 - first - 26);
  return word ^ ((from_first & ~past_last & ~word & 0x8080808080808080ull) >> 2);
}

#define TO_CASE_TABLE(name, first)                                        \
  struct name {                                                           \
    static constexpr uint8_t first_ascii = first;                         \
    static constexpr bool final_sigma = first == 'A';                     \
    static constexpr uint32_t bits = gdf::name##_case::block_bits;        \
    static constexpr uint32_t leads = gdf::name##_case::leads;            \
    static constexpr int first_long = gdf::name##_case::first_long;       \
    GDF_DEVICE static const uint8_t* lead() { return gdf::name##_case::lead; }       \
    GDF_DEVICE static const uint8_t* block() { return gdf::name##_case::block; }     \
    GDF_DEVICE static const uint16_t* mapping() { return gdf::name##_case::mapping; } \
  }

TO_CASE_TABLE(upper, 'a');
TO_CASE_TABLE(lower, 'A');
TO_CASE_TABLE(title, 'a');

#undef TO_CASE_TABLE

/// [thread] Finds the words of a character's mapping, and returns the number of these words.
template <class Table>
GDF_DEVICE int mapping_of(uint32_t code, uint32_t& first, const uint16_t*& more) {
  uint32_t const at = code >> Table::bits;
  first = code;
  if (at >= Table::leads) { return 1; }
  uint32_t const within = code & ((1u << Table::bits) - 1);
  int const number = __ldg(Table::block() + ((static_cast<uint32_t>(__ldg(Table::lead() + at)) << Table::bits) | within));
  more = Table::mapping() + number * 3;
  uint32_t const word = __ldg(more);
  if (number < Table::first_long) {
    first = (code & ~0xffffu) | ((code + word) & 0xffff);
    return 1;
  }
  first = word;
  return 3;
}

template <class Table, class Emit>
GDF_DEVICE void characters(uint32_t code, Emit&& emit) {
  uint32_t first;
  const uint16_t* words = nullptr;
  int const count = mapping_of<Table>(code, first, words);
  emit(first);
  if (count == 1) { return; }
#pragma unroll
  for (int i = 1; i < 3; i++) {
    uint32_t const next = __ldg(words + i);
    if (next != 0) { emit(next); }
  }
}

/// [thread] Returns whether the mapping changes a character.
template <class Table>
GDF_DEVICE bool changes(uint32_t code) {
  uint32_t first;
  const uint16_t* words = nullptr;
  mapping_of<Table>(code, first, words);
  return first != code;
}

/// The roles of a character before or after a sigma, as bits that gdf::lower_case::context also uses.
constexpr uint32_t cased = 1;
constexpr uint32_t passed_over = 2;

GDF_DEVICE uint32_t context_of(uint32_t code) {
  namespace table = gdf::lower_case;
  int low = 0; // a run that begins at or before the code
  int high = table::contexts;
  while (high - low > 1) {
    int const middle = (low + high) / 2;
    if (__ldg(table::context + middle) >> 2 <= code) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return __ldg(table::context + low) & 3;
}

/// [thread] Returns whether the sigma at `at` of a text ends a word: a cased character comes before it, and none comes
/// after it.
GDF_DEVICE bool ends_word(const gdf::string_piece& text, int64_t at) {
  uint32_t before = passed_over;
  for (int64_t i = at; i > 0 && before == passed_over;) {
    i = gdf::character_before(text, i);
    before = context_of(gdf::code_of(gdf::character_at(text, i)));
  }
  if (before != cased) { return false; }
  uint32_t after = passed_over;
  for (int64_t i = at + 2; i < text.size && after == passed_over;) {
    gdf::character const one = gdf::character_at(text, i);
    after = context_of(gdf::code_of(one));
    i += one.bytes;
  }
  return after != cased;
}

/// [thread] Maps a character of two or more bytes at `at` of the row's text.
template <class Table, class Put>
GDF_DEVICE void put_mapped(gdf::u64 word, int n, const gdf::string_piece& row, int64_t at, Put&& put) {
  if (n != gdf::character_bytes(static_cast<uint32_t>(word) & 0xff) || n < 2) { return put(word, n); }
  uint32_t const code = gdf::decoded(word, n);
  if constexpr (Table::final_sigma) {
    if (code == 0x3a3 && ends_word(row, at)) { return put(gdf::encoded(0x3c2), 2); }
  }
  characters<Table>(code, [&](uint32_t to) { put(gdf::encoded(to), gdf::encoded_bytes(to)); });
}

/// [thread] Finds the single character to which a character is mapped in any context. Returns false if there is no such
/// character.
template <class Table>
GDF_DEVICE bool mapped_anywhere(uint32_t code, uint32_t& to) {
  const uint16_t* more = nullptr;
  return !(Table::final_sigma && code == 0x3a3) && mapping_of<Table>(code, to, more) == 1;
}

/// Maps all characters by one table.
template <class Table>
struct by_table {
  GDF_DEVICE static bool in_place(const parameters&) { return true; }
  GDF_DEVICE static gdf::u64 ascii(gdf::u64 word, const parameters&) { return ascii_flipped(word, Table::first_ascii); }
  GDF_DEVICE static bool character(uint32_t code, const parameters&, uint32_t& to) { return mapped_anywhere<Table>(code, to); }

  template <class Put>
  GDF_DEVICE static void each(const gdf::text_part& text, const parameters&, Put&& put) {
    int64_t at = text.data - text.row.data;
    gdf::for_each_character(
      text,
      [&](gdf::u64 word, int n) {
        put(ascii_flipped(word, Table::first_ascii), n);
        at += n;
        return true;
      },
      [&](gdf::u64 word, int n) {
        put_mapped<Table>(word, n, text.row, at, put);
        at += n;
        return true;
      });
  }
};

/// Maps each character by a table.
struct mixed {
  GDF_DEVICE static bool in_place(const parameters& p) { return p.mode == static_cast<int32_t>(mode::swapped); }
  GDF_DEVICE static gdf::u64 ascii(gdf::u64 word, const parameters&) {
    return ascii_flipped(word, 'a') ^ ascii_flipped(word, 'A') ^ word;
  }
  GDF_DEVICE static bool character(uint32_t code, const parameters&, uint32_t& to) {
    bool const has_upper = changes<upper>(code);
    to = code;
    if (has_upper == changes<lower>(code)) { return true; }
    return has_upper ? mapped_anywhere<upper>(code, to) : mapped_anywhere<lower>(code, to);
  }

  GDF_DEVICE static bool begins_after(const gdf::character& one, const gdf::string_piece& set, const parameters& p) {
    if (p.mode == static_cast<int32_t>(mode::after_other_types)) {
      return (gdf::character_types::flags_of(gdf::code_of(one)) & p.types) == 0;
    }
    for (int64_t at = 0; at < set.size;) {
      gdf::character const of = gdf::character_at(set, at);
      if (of.word == one.word && of.bytes == one.bytes) { return true; }
      at += of.bytes;
    }
    return false;
  }

  template <class Put>
  GDF_DEVICE static void each(const gdf::text_part& text, const parameters& p, Put&& put) {
    bool const swaps = p.mode == static_cast<int32_t>(mode::swapped);
    gdf::string_piece const set =
      p.mode == static_cast<int32_t>(mode::after_delimiters) ? gdf::text_or_none(p.delimiters, 0) : gdf::string_piece{nullptr, 0, nullptr};
    int64_t const begin = text.data - text.row.data;
    bool first = true;
    if (!swaps && begin > 0 && text.size > 0) {
      gdf::string_piece const before = gdf::part_of(text.row, 0, begin);
      first = begins_after(gdf::character_at(before, gdf::character_before(before, begin)), set, p);
    }
    for (int64_t at = 0; at < text.size;) {
      gdf::character const one = gdf::character_at(text, at);
      uint32_t const code = gdf::code_of(one);
      bool const has_upper = swaps && changes<upper>(code);
      bool const has_lower = swaps && changes<lower>(code);
      if (swaps && has_upper == has_lower) {
        put(one.word, one.bytes);
      } else if (one.bytes == 1 && one.word < 0x80) {
        bool const to_lower = swaps ? has_lower : !first;
        put(ascii_flipped(one.word & 0x7f, to_lower ? 'A' : 'a') & 0xff, 1);
      } else if (swaps ? has_lower : !first) {
        put_mapped<lower>(one.word, one.bytes, text.row, begin + at, put);
      } else if (swaps) {
        put_mapped<upper>(one.word, one.bytes, text.row, begin + at, put);
      } else {
        put_mapped<title>(one.word, one.bytes, text.row, begin + at, put);
      }
      at += one.bytes;
      first = !swaps && begins_after(one, set, p);
    }
  }
};

/// Adapts the output of `Each` to gdf::map_strings.
template <class Each>
struct letters : Each {
  static constexpr bool by_characters = true;

  GDF_DEVICE static int64_t size(const gdf::text_part& text, const parameters& p) {
    int64_t bytes = 0;
    Each::each(text, p, [&](gdf::u64, int n) { bytes += n; });
    return bytes;
  }

  GDF_DEVICE static void write(const gdf::text_part& text, uint8_t* target, const parameters& p) {
    Each::each(text, p, [&](gdf::u64 word, int n) {
#pragma unroll
      for (int i = 0; i < 8; i++) {
        if (i < n) { target[i] = static_cast<uint8_t>(word >> (8 * i)); }
      }
      target += n;
    });
  }
};

using as_upper = letters<by_table<upper>>;
using as_lower = letters<by_table<lower>>;
using as_mixed = letters<mixed>;

} // namespace to_case

GDF_STRINGS(to_case, to_case, upper_write, to_case::parameters, gdf::map_strings<to_case::as_upper>);
GDF_STRINGS(to_case, to_case, lower_write, to_case::parameters, gdf::map_strings<to_case::as_lower>);
GDF_STRINGS(to_case, to_case, mixed_write, to_case::parameters, gdf::map_strings<to_case::as_mixed>);

GDF_STRINGS(to_case, to_case, upper_bytes, to_case::parameters, gdf::map_bytes<to_case::as_upper>);
GDF_STRINGS(to_case, to_case, lower_bytes, to_case::parameters, gdf::map_bytes<to_case::as_lower>);
GDF_STRINGS(to_case, to_case, mixed_bytes, to_case::parameters, gdf::map_bytes<to_case::as_mixed>);

/// Finds the sizes of the results of chunks.
GDF_STRINGS(to_case, to_case, upper_chunks_sizes, to_case::parameters, gdf::size_mapped_chunks<to_case::as_upper>);
/// Writes the results of chunks.
GDF_STRINGS(to_case, to_case, upper_chunks_write, to_case::parameters, gdf::write_mapped_chunks<to_case::as_upper>);

/// Finds the sizes of the results of chunks.
GDF_STRINGS(to_case, to_case, lower_chunks_sizes, to_case::parameters, gdf::size_mapped_chunks<to_case::as_lower>);
/// Writes the results of chunks.
GDF_STRINGS(to_case, to_case, lower_chunks_write, to_case::parameters, gdf::write_mapped_chunks<to_case::as_lower>);

/// Finds the sizes of the results of chunks.
GDF_STRINGS(to_case, to_case, mixed_chunks_sizes, to_case::parameters, gdf::size_mapped_chunks<to_case::as_mixed>);
/// Writes the results of chunks.
GDF_STRINGS(to_case, to_case, mixed_chunks_write, to_case::parameters, gdf::write_mapped_chunks<to_case::as_mixed>);
