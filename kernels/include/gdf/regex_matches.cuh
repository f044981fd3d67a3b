// Matches of regular expressions, row by row. A tagged DFA finds matches and groups in one pass over a text. If the
// pattern has no tagged DFA, or if that DFA gives up, the automata of regex.cuh are used.
#pragma once

#include "byte_dfa.cuh"
#include "regex.cuh"
#include "search_text.cuh"

namespace gdf {

namespace regex_detail {

/// The bits of an entry of a tagged DFA.
///
/// The low `next_bits` bits are the position of the next state. `matches_bit` is set if a match ends before the byte.
/// The higher bits are the position of the moves.
constexpr uint32_t next_bits = 20;
constexpr uint32_t matches_bit = 1u << next_bits;

/// The number of registers of a thread. The last register is temporary memory for exchanging other registers.
constexpr int registers = 32;

/// Sources of a move that are not registers: the current position, the end of the match, and an unset position.
constexpr uint32_t from_now = 255;
constexpr uint32_t from_end = 254;
constexpr uint32_t from_nowhere = 253;

/// The bit of a move that is set if another move follows.
constexpr uint32_t more_moves = 1u << 16;

/// The maximum number of words of a table that is copied to shared memory.
constexpr int near_words = 2048;

GDF_DEVICE uint32_t* near_table() {
  __shared__ uint32_t table[near_words];
  return table;
}

GDF_DEVICE uint32_t shared_word(uint32_t address) {
  uint32_t word;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
  return word;
}

/// [block] Replaces each next state in the table in shared memory by its address.
///
/// Byte 255 occurs in no text, and therefore stands for the end of a text.
GDF_DEVICE void address_near_table(const tagged_dfa& dfa) {
  uint32_t* const table = near_table();
  uint32_t const first = shared_address(table + dfa.transitions);
  for (int i = dfa.transitions + static_cast<int>(threadIdx.x); i < dfa.moves; i += static_cast<int>(blockDim.x)) {
    table[i] += first + 3 * (table[i] & (matches_bit - 1));
  }
  if (threadIdx.x == 0) { reinterpret_cast<uint8_t*>(table)[255] = static_cast<uint8_t>(dfa.stride - 1); }
  __syncthreads();
}

struct near_table_words {
  GDF_DEVICE explicit near_table_words(const tagged_dfa&) {}
  GDF_DEVICE uint32_t word(uint32_t at) const { return near_table()[at]; }
  GDF_DEVICE uint32_t byte(uint32_t at) const { return reinterpret_cast<const uint8_t*>(near_table())[at]; }
};
struct far_table_words {
  const uint32_t* table;
  GDF_DEVICE explicit far_table_words(const tagged_dfa& dfa) : table(dfa.table) {}
  GDF_DEVICE uint32_t word(uint32_t at) const { return __ldg(table + at); }
  GDF_DEVICE uint32_t byte(uint32_t at) const { return __ldg(reinterpret_cast<const uint8_t*>(table) + at); }
};

/// A simplified table for a pattern without look-around and empty matches.
///
/// The entry of a byte at which a match ends belongs to the next search, so that a scan needs no branches.
struct plain_table {
  uint8_t classes[256]; // twice the class of the tagged DFA; byte 0xff occurs in no text and stands for the end
  uint16_t entries[1024];

  static constexpr uint32_t begins = 1; // a match may begin
  static constexpr uint32_t matches = 2; // a match may end
  static constexpr uint32_t ends = 4; // the match ends, and the next search begins
  static constexpr int bits = 3;
};

GDF_DEVICE plain_table& near_plain() {
  __shared__ plain_table table;
  return table;
}

/// [thread] Returns 1 if the moves of an entry set register 0 to the current position, 0 if they do not set it, and -1
/// if they set it to another position.
GDF_DEVICE int begins_by(const tagged_dfa& dfa, uint32_t entry) {
  uint32_t const moves = entry >> (next_bits + 1);
  if (moves == 0) { return 0; }
  int result = 0;
  for (uint32_t at = dfa.moves + moves;; at++) {
    uint32_t const one = near_table()[at];
    if ((one & 0xff) == 0) { result = (one >> 8 & 0xff) == from_now ? 1 : -1; }
    if (one < more_moves || result < 0) { return result; }
  }
}

/// [block] Makes the plain table from the table in shared memory. Returns false if the pattern has no plain table.
GDF_DEVICE bool make_plain(const tagged_dfa& dfa) {
  int const entries = dfa.moves - dfa.transitions;
  if (dfa.start == 0 || dfa.quits != 0 || entries > 1024 || dfa.stride > 127) { return false; }
  plain_table& plain = near_plain();
  bool is_other = false;
  const uint32_t* const table = near_table() + dfa.transitions;
  for (int i = threadIdx.x; i < entries; i += blockDim.x) {
    int const of = i % dfa.stride;
    uint32_t entry = table[i];
    bool const matches = entry & matches_bit;
    bool const ends = (entry & (2 * matches_bit - 1)) == matches_bit;
    int begins = begins_by(dfa, entry);
    is_other |= begins < 0 || (ends && begins != 0) || (matches && i - of == dfa.start);
    if (ends && of + 1 < dfa.stride) {
      entry = table[dfa.start + of];
      begins = begins_by(dfa, entry);
    }
    plain.entries[i] = static_cast<uint16_t>((entry & (matches_bit - 1)) << (plain_table::bits + 1) | (ends ? plain_table::ends : 0) |
                                             (matches ? plain_table::matches : 0) | (begins != 0 ? plain_table::begins : 0));
  }
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    uint32_t const of = i == 255 ? dfa.stride - 1 : reinterpret_cast<const uint8_t*>(near_table())[i];
    plain.classes[i] = static_cast<uint8_t>(2 * of);
  }
  return !__syncthreads_or(is_other);
}

/// [thread] Reads the eight bytes of a text from `at` on, and calls `see(entry)` after each byte.
template <class See>
GDF_DEVICE void step_plain(const staged_piece& text, int32_t at, uint32_t& entry, See&& see) {
  plain_table const& plain = near_plain();
  u64 word = loose_bytes_at(text, at);
  int32_t const left = text.size - at;
  if (left < 8) { word |= ~0ull << (8 * left); }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint32_t const of = plain.classes[word >> (8 * i) & 0xff];
    entry = *reinterpret_cast<const uint16_t*>(reinterpret_cast<const uint8_t*>(plain.entries) + (entry >> plain_table::bits) + of);
    see(entry);
  }
}

template <class Words>
GDF_DEVICE void move_positions(const Words& words, uint32_t move, uint32_t* positions, uint32_t now, uint32_t end) {
  uint32_t one;
  do {
    one = words.word(move++);
    uint32_t const from = one >> 8 & 0xff;
    positions[one & 0xff] = from < registers ? positions[from] : from == from_now ? now : from == from_end ? end : unset;
  } while (one >= more_moves);
}

template <class Text>
struct byte_reader {
  GDF_DEVICE void restart() {}
  GDF_DEVICE uint32_t get(const Text& text, typename Text::index at) { return byte_at(text, at); }
};
template <>
struct byte_reader<string_piece> {
  u64 word = 0;
  int left = 0;

  GDF_DEVICE void restart() { left = 0; }
  GDF_DEVICE uint32_t get(const string_piece& text, int64_t at) {
    if (left == 0) {
      word = loose_bytes_at(text, at);
      left = 8;
    }
    auto const byte = static_cast<uint32_t>(word) & 0xff;
    word >>= 8;
    left--;
    return byte;
  }
};

} // namespace regex_detail

struct regex_searcher {
  const regex_pattern& pattern;
  bool is_near;
  bool is_plain; // whether the searcher also has a plain table

  /// [block] Returns a searcher whose table is in shared memory, if the table is small.
  GDF_DEVICE static regex_searcher near(const regex_pattern& p) {
    bool const is_near = bring_near(p.tagged);
    return {p, is_near, is_near && regex_detail::make_plain(p.tagged)};
  }

  GDF_DEVICE static regex_searcher near_first(const regex_pattern& p) {
    bool const is_near = bring_near(p.tagged);
    if (is_near) { regex_detail::address_near_table(p.tagged); }
    return {p, is_near, false};
  }

  /// [thread] Returns whether the searcher can search text in shared memory.
  GDF_DEVICE bool takes_staged() const { return pattern.tagged.table != nullptr && pattern.tagged.quits == 0; }

private:
  GDF_DEVICE static bool bring_near(const tagged_dfa& dfa) {
    if (dfa.table == nullptr || dfa.words > regex_detail::near_words) { return false; }
    uint32_t* const table = regex_detail::near_table();
    for (int i = threadIdx.x; i < dfa.words; i += blockDim.x) { table[i] = __ldg(dfa.table + i); }
    __syncthreads();
    return true;
  }
};

/// The groups of a match.
struct regex_groups {
  const regex_pattern& pattern;
  const string_piece* text; // the text, if a simulation found the groups; else null
  const uint32_t* positions;

  /// [thread] Returns the bounds of a group other than 0. If the group took no part in the match, its begin is -1.
  GDF_DEVICE regex_match get(int32_t group) const {
    auto const slot = static_cast<uint32_t>(2 * group - 1);
    if (text != nullptr) {
      regex_detail::simulation nfa = regex_detail::simulation_of(pattern, *text, true);
      uint32_t const begin = nfa.best(slot);
      if (begin == regex_detail::unset) { return {-1, -1}; }
      return {begin, nfa.best(slot + 1)};
    }
    uint32_t const begin = positions[slot];
    if (begin == regex_detail::unset) { return {-1, -1}; }
    return {begin, positions[slot + 1]};
  }
};

namespace regex_detail {

/// [thread] Does the same as regex_for_each without groups, with the plain table.
template <bool begins, class See>
GDF_DEVICE int32_t for_each_plain(const regex_pattern& p, const staged_piece& text, int32_t from, See&& see) {
  uint32_t entry = static_cast<uint32_t>(p.tagged.start) << (plain_table::bits + 1);
  bool is_open = false;
  int32_t begin = from;
  for (int32_t at = from; at <= text.size; at += 32) {
    // The results of 32 bytes are collected as bits. Lanes whose matches end at different bytes can then call `see`
    // together.
    uint32_t begun = 0;
    uint32_t matched = 0;
    uint32_t ended = 0;
    int steps = 0;
#pragma unroll 1
    do {
      step_plain(text, at + steps, entry, [&](uint32_t bits) {
        if constexpr (begins) { begun = __funnelshift_r(begun, bits, 1); }
        matched = __funnelshift_r(matched, bits >> 1, 1);
        ended = __funnelshift_r(ended, bits >> 2, 1);
      });
      steps += 8;
    } while (steps < 32 && at + steps <= text.size);
    begun >>= 32 - steps;
    matched >>= 32 - steps;
    ended >>= 32 - steps;
    if (matched != 0) { is_open = (ended >> (31 - __clz(matched)) & 1) == 0; }
    for (; ended != 0; ended &= ended - 1) {
      int const bit = __ffs(ended) - 1;
      uint32_t const before = begun & ((1u << bit) - 1);
      if (before != 0) { begin = at + 31 - __clz(before); }
      from = at + bit;
      if (!see(regex_match{begin, from}, regex_groups{p, nullptr, nullptr})) { return -1; }
    }
    if (begun != 0) { begin = at + 31 - __clz(begun); }
  }
  return is_open ? from : -1;
}

/// [thread] Finds the end of the first match of a text and the `positions` of that match, with a table whose next
/// states are addresses.
///
/// The function returns false if it cannot decide.
template <int threads>
GDF_DEVICE bool find_first(const tagged_dfa& dfa, const staged_piece& text, uint32_t* positions, int32_t& end) {
  constexpr uint32_t most = 24;
  // A recorded move packs three numbers: the position of the byte, the end of the last match plus 1, and the moves of
  // the entry.
  constexpr uint32_t place_bits = 9;
  constexpr uint32_t place_mask = (1u << place_bits) - 1;
  static_assert(2 * place_bits <= next_bits + 1);
  if (text.size >= static_cast<int32_t>(place_mask)) { return false; }
  __shared__ uint32_t kept[most][threads];
  uint32_t const list = shared_address(&kept[0][threadIdx.x]);
  auto const* const classes = reinterpret_cast<const uint8_t*>(near_table());
  uint32_t const first = shared_address(near_table() + dfa.transitions);
  uint32_t const last_final = first + 4 * static_cast<uint32_t>(dfa.stride);
  uint32_t state = first + 4 * near_table()[64 + dfa.stride - 1];
  uint32_t last = 0;
  uint32_t to = list;
  for (uint32_t at = 0; state > last_final; at += 8) {
    u64 const word = loose_bytes_at(text, static_cast<int32_t>(at));
    auto const left = static_cast<uint32_t>(text.size) * 8 - at * 8; // in bits; wraps if no bytes are left
    bool const is_none = static_cast<int32_t>(left) <= 0;
    uint32_t const half[2] = {
      static_cast<uint32_t>(word) | (is_none ? ~0u : __funnelshift_lc(0, ~0u, left)),
      static_cast<uint32_t>(word >> 32) | (static_cast<int32_t>(left) <= 32 ? ~0u : __funnelshift_lc(0, ~0u, left - 32))};
    if (to > list + (most - 8) * threads * 4) { return false; }
    uint32_t const ends = at << place_bits;
    uint32_t of[8]; // loaded before the stores of moves, which would otherwise delay the loads
#pragma unroll
    for (uint32_t i = 0; i < 8; i++) { of[i] = classes[__byte_perm(half[i / 4], 0, 0x4440 | (i % 4))]; }
#pragma unroll
    for (uint32_t i = 0; i < 8; i++) {
      uint32_t const entry = shared_word(state + 4 * of[i]);
      state = entry & (matches_bit - 1);
      if (entry & matches_bit) { last = ends + ((i + 1) << place_bits); }
      if (entry >= 2 * matches_bit) {
        uint32_t const one = (entry & ~(2 * matches_bit - 1)) | last | (at + i);
        asm volatile("st.shared.u32 [%0], %1;" : : "r"(to), "r"(one) : "memory");
        to += threads * 4;
      }
    }
  }
  end = static_cast<int32_t>(last >> place_bits) - 1;
  if (end < 0) { return true; }
  if (end < text.size && is_continuation(byte_at(text, end))) { return false; } // an empty match
#pragma unroll 1
  for (uint32_t from = list; from < to; from += threads * 4) {
    uint32_t const one = shared_word(from);
    move_positions(near_table_words(dfa), dfa.moves + (one >> (next_bits + 1)), positions, one & place_mask,
                   (one >> place_bits & place_mask) - 1);
  }
  return true;
}

/// [thread] Implements regex_for_each with the tagged DFA of `p`, whose table `Words` reads.
template <bool begins, class Words, class Text, class See>
GDF_DEVICE void for_each_match(const regex_pattern& p, const Text& text, typename Text::index from, bool with_groups, See&& see) {
  using index = typename Text::index;
  tagged_dfa const& dfa = p.tagged;
  constexpr bool is_staged = is_same<Text, staged_piece>;
  bool const has_table = is_staged || (dfa.table != nullptr && text.size < (int64_t{1} << 31));
  Words const words(dfa);
  auto const stride = static_cast<uint32_t>(dfa.stride);
  auto const transitions = static_cast<uint32_t>(dfa.transitions);
  auto const start = [&](index at) {
    if (dfa.start != 0 || !has_table) { return static_cast<uint32_t>(dfa.start); }
    return words.word(64 + (at == 0 ? stride - 1 : words.byte(byte_at(text, at - 1))));
  };
  auto const is_within = [&](index at) { return at < text.size && is_continuation(byte_at(text, at)); };
  uint32_t positions[begins ? registers : 1];
  auto const move = [&](uint32_t entry, index at, index end) {
    if constexpr (begins) {
      uint32_t const moves = entry >> (next_bits + 1);
      if (moves != 0) {
        move_positions(words, dfa.moves + moves, positions, static_cast<uint32_t>(at), static_cast<uint32_t>(end));
      }
    }
  };
  byte_reader<Text> bytes;
  uint32_t state = start(from);
  index last = -1;
  index previous = -1;
  // A single loop reads the bytes of all searches, so that lanes do not diverge when their matches end at different
  // bytes.
  for (index at = from;; at++) {
    regex_match found{from, -1};
    bool is_slow = !has_table;
    if (has_table) {
      uint32_t const byte = at < text.size ? bytes.get(text, at) : 0;
      uint32_t const of = at < text.size ? words.byte(byte) : stride - 1;
      uint32_t entry = words.word(transitions + state + of);
      if ((entry & (2 * matches_bit - 1)) == matches_bit && at != previous && !is_continuation(byte)) {
        // The match ends before this byte, and the next search begins with this byte.
        move(entry, at, at);
        found.end = at;
        if constexpr (begins) { found.begin = positions[0]; }
        if (!see(found, regex_groups{p, nullptr, positions})) { return; }
        from = previous = at;
        last = -1;
        state = start(at);
        entry = words.word(transitions + state + of);
      }
      state = entry & (matches_bit - 1);
      if (entry & matches_bit) { last = at; }
      move(entry, at, last);
      if (state > stride) { continue; }
      if (state == 0 && last < 0) { return; }
      is_slow = state != 0;
      found.end = last;
      if constexpr (begins) { found.begin = positions[0]; }
    }
    const string_piece* simulated = nullptr;
    if constexpr (!is_staged) {
      if (is_slow) {
        if (!regex_find(p, text, from, found)) { return; }
        last = found.end;
        if (begins && with_groups) {
          capture(p, text, found);
          simulated = &text;
        }
      }
    }
    if (last == previous || is_within(last)) { // an empty match that does not count
      if (last == text.size) { return; }
      from = last + 1;
      while (is_within(from)) { from++; }
    } else {
      if (!see(found, regex_groups{p, simulated, positions})) { return; }
      from = previous = last;
    }
    bytes.restart();
    state = start(from);
    last = -1;
    at = from - 1;
  }
}

} // namespace regex_detail

/// [thread] Calls `see(match, groups)` for each match of a text that begins at `from` or later, until `see` returns
/// false.
///
/// Matches do not overlap. An empty match at the end of the previous match does not count.
template <bool begins, class Text, class See>
GDF_DEVICE void regex_for_each(const regex_searcher& searcher, const Text& text, typename Text::index from, bool with_groups,
                               See&& see) {
  namespace detail = regex_detail;
  if constexpr (is_same<Text, staged_piece>) {
    if (searcher.is_plain && !with_groups) {
      from = detail::for_each_plain<begins>(searcher.pattern, text, from, see);
      if (from < 0) { return; }
    }
    if (searcher.is_near) {
      detail::for_each_match<begins, detail::near_table_words>(searcher.pattern, text, from, with_groups, see);
      return;
    }
  }
  detail::for_each_match<begins, detail::far_table_words>(searcher.pattern, text, from, with_groups, see);
}

/// [thread] Calls `see(match, groups)` for the first match of a text.
///
/// If there is no match, the begin of `match` is -1. Returns false without a call if the function cannot decide. The
/// searcher must come from near_first and have its table in shared memory.
template <int threads, class See>
GDF_DEVICE bool regex_first(const regex_searcher& searcher, const staged_piece& text, See&& see) {
  uint32_t positions[regex_detail::registers];
  int32_t end;
  if (!regex_detail::find_first<threads>(searcher.pattern.tagged, text, positions, end)) { return false; }
  regex_match const found = end < 0 ? regex_match{-1, -1} : regex_match{positions[0], end};
  see(found, regex_groups{searcher.pattern, nullptr, positions});
  return true;
}

/// Tests whether texts have a match, with a tagged DFA without tags.
///
/// If `anchored`, the match must begin at the beginning of the text.
struct regex_tester {
  static constexpr int most_states = 96;
  using byte_table = byte_dfa<most_states>;

  const regex_pattern& pattern;
  bool anchored;
  bool is_near; // whether shared memory holds the table of the tagged DFA
  byte_table bytes;

  GDF_DEVICE regex_tester(const regex_pattern& p, bool is_anchored) : pattern(p), anchored(is_anchored), is_near(false) {
    tagged_dfa const& dfa = p.tagged;
    if (dfa.table == nullptr || dfa.quits != 0) { return; }
    auto const stride = static_cast<uint32_t>(dfa.stride);
    auto const entries = static_cast<uint32_t>(dfa.moves - dfa.transitions);
    if (dfa.start != 0 && entries <= most_states * stride && entries < 65536) {
      // A match that ends within a character can only be empty. A pattern without look-around that matches the empty
      // text also matches at the beginning of the row.
      uint32_t const inverse = 65536 / stride + 1; // divides multiples of the stride below 65536
      auto const number = [&](uint32_t state) { return state * inverse >> 16; };
      auto const* const classes = reinterpret_cast<const uint8_t*>(dfa.table);
      uint32_t const from = anchored ? __ldg(dfa.table + 64 + 2 * stride - 1) : static_cast<uint32_t>(dfa.start);
      bytes.make(static_cast<int>(number(entries)), number(from), [&](uint32_t state, uint32_t byte) {
        uint32_t const of = byte == byte_table::end ? stride - 1 : __ldg(classes + byte);
        uint32_t const entry = __ldg(dfa.table + dfa.transitions + state * stride + of);
        return entry & regex_detail::matches_bit ? byte_table::matches : number(entry & (regex_detail::matches_bit - 1));
      });
    } else if (dfa.words <= most_states * byte_table::words) {
      for (int i = threadIdx.x; i < dfa.words; i += blockDim.x) { byte_table::table()[i] = __ldg(dfa.table + i); }
      __syncthreads();
      is_near = true;
    }
  }

  GDF_DEVICE bool takes_staged() const { return bytes.is_there || is_near; }

  /// [thread] Returns whether a text has a match, if `bytes` has no table.
  GDF_DEVICE bool test(const staged_piece& text) const {
    using regex_detail::matches_bit;
    tagged_dfa const& dfa = pattern.tagged;
    const uint32_t* const table = byte_table::table();
    auto const* const classes = reinterpret_cast<const uint8_t*>(table);
    auto const stride = static_cast<uint32_t>(dfa.stride);
    auto const transitions = static_cast<uint32_t>(dfa.transitions);
    uint32_t state = table[64 + (anchored ? 2 * stride - 1 : stride - 1)];
    for (int32_t at = 0; state > stride; at++) {
      uint32_t const byte = at < text.size ? byte_at(text, at) : 0;
      uint32_t const entry = table[transitions + state + (at < text.size ? classes[byte] : stride - 1)];
      state = entry & (matches_bit - 1);
      if (entry & matches_bit) {
        if (!is_continuation(byte)) { return true; }
        // An end inside a character can only be that of an empty match, which does not count.
        while (at + 1 < text.size && is_continuation(byte_at(text, at + 1))) { at++; }
        state = table[64 + classes[byte_at(text, at)]];
      }
    }
    return false;
  }
};

} // namespace gdf
