// Matches of regular expressions in texts, see crates/gdf-engine/src/regex/README.md.
//
// A DFA finds the end of the leftmost match. A reverse DFA then finds the beginning of that match. An NFA is simulated
// in three cases: the DFA would be too large, the DFA gives up, or groups are requested. The simulation keeps a list of
// states for each character, in the order of preference, in memory of the thread.
#pragma once

#include "utf8.cuh"

namespace gdf {

/// A DFA as a table of 16-bit states.
///
/// State 0 is dead. In state 1, the DFA gives up.
struct regex_dfa {
  const uint8_t* classes; // the class of each of the 256 bytes; class stride - 1 is the end of the text
  // The start states of unanchored searches, then of anchored searches. The index is the byte before the begin of the
  // search, or 256 if there is no such byte.
  const uint16_t* starts;
  const uint16_t* next;
  int32_t stride;
  int32_t first_match;
};

/// A tagged DFA, see crates/gdf-engine/src/regex/tagged_dfa.rs.
struct tagged_dfa {
  const uint32_t* table; // null if there is no tagged DFA
  int32_t words; // number of words of the table
  int32_t stride;
  int32_t transitions; // index of the first transition
  int32_t moves;
  int32_t quits; // whether some text makes the DFA give up
  int32_t start; // the first state of unanchored searches if all of them begin in one state; otherwise 0
};

struct regex_state {
  uint32_t kind;
  uint32_t a;
  uint32_t b;
  uint32_t next;
};
GDF_SHARED(regex_state);

/// A pattern on the device.
struct regex_pattern {
  regex_dfa forward; // its table is null if there is no DFA
  regex_dfa reverse;
  tagged_dfa tagged; // records the requested tags
  const regex_state* states;
  const uint32_t* ranges; // pairs: first and last character
  uint32_t* memory; // memory of the NFA: `words` per thread, interleaved by threads of a block; null if not needed
  int32_t words;
  int32_t state_count;
  int32_t start;
  int32_t waiting; // the greatest number of states of a list
  int32_t groups;
  int32_t first_word_range; // the first of the ranges of \w
  int32_t word_ranges;
};

struct regex_match {
  int64_t begin;
  int64_t end;
};

/// The result of a search in a row.
enum class regex_answer : int32_t {
  contains = 0, // whether there is a match, as a boolean
  matches = 1,  // whether a match begins at the begin of the row, as a boolean
  count = 2,    // the number of matches, as 32 bits
  find = 3,     // the character at which the first match begins, or -1 without a match, as 32 bits
};

GDF_DEVICE bool is_answer(int32_t number, regex_answer answer) { return number == static_cast<int32_t>(answer); }

namespace regex_detail {

constexpr int64_t none = -1;
constexpr int64_t gave_up = -2;
constexpr uint32_t unset = ~0u;

/// The kind of a state of the NFA, which is the lowest byte of its first word.
enum state_kind : uint32_t {
  range = 0, // takes a character from `a` to `b`
  set = 1,   // takes a character of the `b` ranges from range `a` on
  split = 2, // goes to `next`, or to `a` if `next` leads to no match
  look = 3,  // goes on if the look-around with number `a` holds
  save = 4,  // writes the position to slot `a`
  match = 5, // the end of a match
};

/// The first two states of a DFA.
constexpr uint32_t dead = 0;
constexpr uint32_t quit = 1;

/// The number of start states of one kind of search: one for each value of the byte before the search, and one for a
/// search without a byte before it.
constexpr int start_count = 257;

GDF_DEVICE bool is_last(uint32_t state) { return state <= quit; }

GDF_DEVICE uint32_t after(const regex_dfa& dfa, uint32_t state, uint32_t byte) {
  return __ldg(dfa.next + (state * static_cast<uint32_t>(dfa.stride) + __ldg(dfa.classes + byte)));
}

GDF_DEVICE uint32_t after_end(const regex_dfa& dfa, uint32_t state) {
  return __ldg(dfa.next + ((state + 1) * static_cast<uint32_t>(dfa.stride) - 1));
}

GDF_DEVICE bool is_special(const regex_dfa& dfa, uint32_t state) {
  return state - 2 >= static_cast<uint32_t>(dfa.first_match) - 2;
}

/// [thread] Returns the end of the match of highest preference.
///
/// The result is `none` if there is no match, and `gave_up` if the DFA gives up.
GDF_DEVICE int64_t forward(const regex_dfa& dfa, const string_piece& text, int64_t from, bool anchored, bool earliest) {
  uint32_t const before = from == 0 ? 256 : __ldg(text.data + from - 1);
  uint32_t state = __ldg(dfa.starts + (anchored ? start_count : 0) + before);
  if (is_last(state)) { return state == quit ? gave_up : none; }
  int64_t last = none;
  for (int64_t at = from; at < text.size; at += 8) {
    int64_t const left = text.size - at;
    int const n = left < 8 ? static_cast<int>(left) : 8;
    u64 word = string_detail::load_before(text.data + at, text.limit, n);
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (i >= n) { break; }
      state = after(dfa, state, static_cast<uint32_t>(word) & 0xff);
      word >>= 8;
      if (is_special(dfa, state)) {
        if (is_last(state)) { return state == quit ? gave_up : last; }
        last = at + i;
        if (earliest) { return last; }
      }
    }
  }
  state = after_end(dfa, state);
  return state == quit ? gave_up : state >= static_cast<uint32_t>(dfa.first_match) ? text.size : last;
}

/// [thread] Returns 1 if a match begins in the part [begin, end) of a text, 0 if none does, and -1 if the function
/// cannot decide.
///
/// `begin` and `end` must be beginnings of characters, or the end of the text.
GDF_DEVICE int search_part(const regex_dfa& dfa, const string_piece& text, int64_t begin, int64_t end) {
  auto const start = [&](int64_t at) {
    return static_cast<uint32_t>(__ldg(dfa.starts + (at == 0 ? 256 : __ldg(text.data + at - 1))));
  };
  // An end within a character can only be the end of an empty match, which does not count.
  auto const ends_at = [&](int64_t at) {
    return at < text.size && is_continuation(__ldg(text.data + at)) ? -1 : 1;
  };
  uint32_t state = start(begin);
  if (is_last(state)) { return state == quit ? -1 : 0; }
  for (int64_t at = begin; at < end; at += 8) {
    int const n = end - at < 8 ? static_cast<int>(end - at) : 8;
    u64 word = string_detail::load_before(text.data + at, text.limit, n);
    for (int i = 0; i < n; i++) {
      state = after(dfa, state, static_cast<uint32_t>(word) & 0xff);
      word >>= 8;
      if (is_special(dfa, state)) {
        return state == quit ? -1 : state == 0 ? 0 : ends_at(at + i);
      }
    }
  }
  if (end < text.size) {
    uint32_t other = start(end);
    for (int64_t at = end; state != other; at++) {
      if (at == text.size || at - end > end - begin) { return -1; }
      uint32_t const byte = __ldg(text.data + at);
      state = after(dfa, state, byte);
      other = after(dfa, other, byte);
      if (is_special(dfa, state)) {
        return state == quit ? -1 : state == 0 ? 0 : ends_at(at);
      }
    }
    return 0;
  }
  state = after_end(dfa, state);
  return state == quit ? -1 : state >= static_cast<uint32_t>(dfa.first_match) ? 1 : 0;
}

/// [thread] Returns the earliest beginning of a match that ends at `end`. The result is `none` if no match ends at
/// `end`, and `gave_up` if the DFA gives up.
GDF_DEVICE int64_t reverse(const regex_dfa& dfa, const string_piece& text, int64_t from, int64_t end) {
  auto const first_match = static_cast<uint32_t>(dfa.first_match);
  uint32_t state = __ldg(dfa.starts + (end == text.size ? 256 : __ldg(text.data + end)));
  if (is_last(state)) { return state == quit ? gave_up : none; }
  int64_t first = none;
  for (int64_t at = end; at > from; at--) {
    state = after(dfa, state, __ldg(text.data + at - 1));
    if (is_special(dfa, state)) {
      if (is_last(state)) { return state == quit ? gave_up : first; }
      first = at;
    }
  }
  state = from == 0 ? after_end(dfa, state) : after(dfa, state, __ldg(text.data + from - 1));
  return state == quit ? gave_up : state >= first_match ? from : first;
}

/// [thread] Returns whether one of `count` ranges from range `first` on contains the character. The ranges are
/// sorted.
GDF_DEVICE bool in_ranges(const regex_pattern& p, uint32_t first, uint32_t count, uint32_t character) {
  const uint32_t* const ranges = p.ranges + 2 * first;
  uint32_t low = 0;
  uint32_t high = count;
  while (low < high) { // finds the first range that does not end before the character
    uint32_t const middle = (low + high) / 2;
    if (__ldg(ranges + 2 * middle + 1) < character) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && __ldg(ranges + 2 * low) <= character;
}

/// [thread] Returns the character that begins at `at` < text.size. `bytes` becomes its number of bytes.
GDF_DEVICE uint32_t character_at(const string_piece& text, int64_t at, int& bytes) {
  uint32_t const first = __ldg(text.data + at);
  bytes = character_bytes(first);
  if (bytes > text.size - at) { bytes = static_cast<int>(text.size - at); }
  if (bytes == 1) { return first; }
  return decoded(string_detail::load_before(text.data + at, text.limit, bytes), bytes);
}

/// [thread] Returns whether a word character begins at `at` or, with `before`, ends at `at`.
GDF_DEVICE bool is_word(const regex_pattern& p, const string_piece& text, int64_t at, bool before, bool ascii) {
  if (before) {
    if (at == 0) { return false; }
    do { at--; } while (at > 0 && is_continuation(__ldg(text.data + at)));
  } else if (at >= text.size) {
    return false;
  }
  int bytes;
  uint32_t const c = character_at(text, at, bytes);
  if (c < 0x80) { return c - '0' < 10 || (c | 0x20) - 'a' < 26 || c == '_'; }
  return !ascii && in_ranges(p, p.first_word_range, p.word_ranges, c);
}

/// [thread] Returns whether a look-around assertion holds at `at`.
GDF_DEVICE bool holds(const regex_pattern& p, const string_piece& text, int64_t at, uint32_t kind) {
  int const before = at == 0 ? -1 : __ldg(text.data + at - 1);
  int const after = at == text.size ? -1 : __ldg(text.data + at);
  if (kind < 6) {
    switch (kind) {
      case 0: return before < 0;
      case 1: return after < 0;
      case 2: return before < 0 || before == '\n';
      case 3: return after < 0 || after == '\n';
      case 4: return before < 0 || before == '\n' || (before == '\r' && after != '\n');
      default: return after < 0 || after == '\r' || (after == '\n' && before != '\r');
    }
  }
  bool const ascii = kind < 8 || (kind >= 10 && kind < 12) || kind == 14 || kind == 15;
  bool const word_before = is_word(p, text, at, true, ascii);
  bool const word_after = is_word(p, text, at, false, ascii);
  switch (kind) {
    case 6:
    case 8: return word_before != word_after;
    case 7:
    case 9: return word_before == word_after;
    case 10:
    case 12: return !word_before && word_after;
    case 11:
    case 13: return word_before && !word_after;
    case 14:
    case 16: return !word_before;
    default: return !word_after;
  }
}

/// The memory of a simulation of the NFA.
///
/// Slot 0 is the beginning of the match. Slots 1 + 2g and 2 + 2g are the beginning and the end of group g.
struct simulation {
  const regex_pattern& p;
  const string_piece& text;
  uint32_t* memory;
  uint32_t threads; // the distance between consecutive words of a thread
  uint32_t waiting;
  uint32_t all_slots;
  uint32_t slots; // the number of slots that are recorded
  uint32_t step; // a state whose mark equals `step` has been visited

  GDF_DEVICE uint32_t& word(uint32_t i) { return memory[static_cast<u64>(i) * threads]; }
  GDF_DEVICE uint32_t& listed(uint32_t list, uint32_t i) { return word(list * waiting + i); }
  GDF_DEVICE uint32_t& slot(uint32_t list, uint32_t i, uint32_t s) {
    return word(2 * waiting + (list * waiting + i) * all_slots + s);
  }
  GDF_DEVICE uint32_t& mark(uint32_t state) { return word(2 * waiting * (1 + all_slots) + state); }
  GDF_DEVICE uint32_t& stack(uint32_t i) {
    return word(2 * waiting * (1 + all_slots) + static_cast<uint32_t>(p.state_count) + i);
  }
  GDF_DEVICE uint32_t& current(uint32_t s) { return stack(2 * (static_cast<uint32_t>(p.state_count) + 1) + s); }
  GDF_DEVICE uint32_t& best(uint32_t s) { return current(all_slots + s); }

  /// [thread] Adds to a list all states that can be reached from `state` without reading a character, in the order of
  /// preference.
  GDF_DEVICE void add(uint32_t list, uint32_t& count, uint32_t state, int64_t at) {
    uint32_t depth = 0;
    stack(0) = state;
    stack(1) = unset; // the first word of the pair is a state to visit, not the value of a slot to restore
    depth++;
    while (depth > 0) {
      depth--;
      uint32_t const slot_of = stack(2 * depth + 1);
      uint32_t s = stack(2 * depth);
      if (slot_of != unset) { // restores the previous value of the slot
        current(slot_of) = s;
        continue;
      }
      while (mark(s) != step) {
        mark(s) = step;
        regex_state const node = p.states[s];
        if (node.kind == split) {
          stack(2 * depth) = node.a;
          stack(2 * depth + 1) = unset;
          depth++;
        } else if (node.kind == save) {
          if (node.a < slots) {
            stack(2 * depth) = current(node.a);
            stack(2 * depth + 1) = node.a;
            depth++;
            current(node.a) = static_cast<uint32_t>(at);
          }
        } else if (node.kind == look) {
          if (!holds(p, text, at, node.a)) { break; }
        } else {
          listed(list, count) = s;
          for (uint32_t i = 0; i < slots; i++) { slot(list, count, i) = current(i); }
          count++;
          break;
        }
        s = node.next;
      }
    }
  }

  GDF_DEVICE void next_step() {
    if (++step == 0) { clear(); }
  }

  GDF_DEVICE void clear() {
    for (int32_t i = 0; i < p.state_count; i++) { mark(i) = 0; }
    step = 1;
  }

  /// [thread] Returns the end of the match of highest preference. `best` has the slots of that match.
  ///
  /// The result is `none` if there is no match.
  GDF_DEVICE int64_t run(int64_t from, int64_t limit, bool anchored, bool earliest) {
    int64_t end = none;
    uint32_t list = 0;
    uint32_t count = 0;
    clear();
    for (int64_t at = from;;) {
      if (end == none && (!anchored || at == from)) {
        for (uint32_t i = 1; i < slots; i++) { current(i) = unset; }
        current(0) = static_cast<uint32_t>(at);
        add(list, count, static_cast<uint32_t>(p.start), at);
      }
      if (count == 0 && (end != none || anchored)) { return end; }
      bool const is_over = at >= text.size || at == limit;
      int bytes = 0;
      uint32_t const c = is_over ? 0 : character_at(text, at, bytes);
      uint32_t next_count = 0;
      next_step();
      for (uint32_t i = 0; i < count; i++) {
        regex_state const node = p.states[listed(list, i)];
        if (node.kind == match) {
          if (limit == none || at == limit) {
            end = at;
            for (uint32_t s = 0; s < slots; s++) { best(s) = slot(list, i, s); }
            if (earliest) { return end; }
          }
          break; // the following states have lower preference
        }
        bool const takes = node.kind == range ? node.a <= c && c <= node.b : in_ranges(p, node.a, node.b, c);
        if (takes && !is_over) {
          for (uint32_t s = 0; s < slots; s++) { current(s) = slot(list, i, s); }
          add(1 - list, next_count, node.next, at + bytes);
        }
      }
      if (is_over) { return end; }
      at += bytes;
      list = 1 - list;
      count = next_count;
    }
  }
};

/// [thread] Returns a simulation in the memory of this thread.
GDF_DEVICE simulation simulation_of(const regex_pattern& p, const string_piece& text, bool groups) {
  uint32_t* const memory =
    p.memory + static_cast<u64>(blockIdx.x) * static_cast<u64>(p.words) * blockDim.x + threadIdx.x;
  auto const slots = static_cast<uint32_t>(1 + 2 * p.groups);
  return {p, text, memory, blockDim.x, static_cast<uint32_t>(p.waiting), slots, groups ? slots : 1, 0};
}

/// [thread] Finds the leftmost match from `from` on with the NFA. Returns whether there is a match.
static __device__ __noinline__ bool simulate(const regex_pattern& p, const string_piece& text, int64_t from,
                                             bool anchored, bool earliest, regex_match& found) {
  simulation nfa = simulation_of(p, text, false);
  found.end = nfa.run(from, none, anchored, earliest);
  if (found.end == none) { return false; }
  found.begin = nfa.best(0);
  return true;
}

static __device__ __noinline__ void capture(const regex_pattern& p, const string_piece& text, const regex_match& found) {
  simulation nfa = simulation_of(p, text, true);
  nfa.run(found.begin, found.end, true, false);
}

} // namespace regex_detail

/// [thread] Finds the leftmost match that begins at `from` or later. Returns whether there is a match.
///
/// `from` must be the beginning of a character or the end of the text.
GDF_DEVICE bool regex_find(const regex_pattern& p, const string_piece& text, int64_t from, regex_match& found) {
  namespace detail = regex_detail;
  while (true) {
    found.begin = detail::gave_up;
    found.end = detail::gave_up;
    if (p.forward.next != nullptr) {
      found.end = detail::forward(p.forward, text, from, false, false);
      if (found.end == detail::none) { return false; }
      if (found.end != detail::gave_up) {
        found.begin = found.end == from ? from : detail::reverse(p.reverse, text, from, found.end);
      }
    }
    if (found.begin < 0 && !detail::simulate(p, text, from, false, false, found)) { return false; }
    // An empty match within a character does not count.
    if (found.begin < found.end || found.end == text.size || !is_continuation(__ldg(text.data + found.end))) { return true; }
    from = character_from(text, found.end + 1);
  }
}

static __device__ __noinline__ bool regex_is_found(const regex_pattern& p, const string_piece& text) {
  regex_match found;
  return regex_find(p, text, 0, found);
}

/// [thread] Returns whether there is a match. If `anchored`, the match must begin at the beginning of the text.
GDF_DEVICE bool regex_is_match(const regex_pattern& p, const string_piece& text, bool anchored) {
  namespace detail = regex_detail;
  if (p.forward.next != nullptr) {
    int64_t const end = detail::forward(p.forward, text, 0, anchored, true);
    if (end == detail::none) { return false; }
    if (end != detail::gave_up) {
      // An end within a character can only be the end of an empty match, which does not count. A full search must then
      // decide whether there is a match.
      return end == text.size || !is_continuation(__ldg(text.data + end)) || regex_is_found(p, text);
    }
  }
  regex_match found;
  return detail::simulate(p, text, 0, anchored, true, found);
}

/// [warp] Returns whether a match begins in the part [from, to) of a text that is the same in all lanes. The pattern
/// must have a forward DFA. If the function cannot decide, it sets `is_known` to false.
static __device__ __noinline__ bool regex_is_match_in(const regex_pattern& p, const string_piece& text, int64_t from,
                                                      int64_t to, bool& is_known) {
  constexpr int64_t longest = 512; // short parts, so that an early match is found early
  int64_t const share = (to - from + 31) / 32;
  int64_t const part = share < 32 ? 32 : share < longest ? share : longest;
  auto const place = [&](int64_t at) { return character_from(text, at < to ? at : to); };
  for (int64_t at = from; is_known && at < to; at += 32 * part) {
    int64_t const begin = place(at + lane() * part);
    int64_t const end = place(at + (lane() + 1) * part);
    int const here = begin < end ? regex_detail::search_part(p.forward, text, begin, end) : 0;
    if (__any_sync(~0u, here > 0)) { return true; }
    is_known = !__any_sync(~0u, here < 0);
  }
  return false;
}

/// [warp] Does the same as regex_is_match, for a text that is the same in all lanes.
static __device__ __noinline__ bool regex_is_match_by_warp(const regex_pattern& p, const string_piece& text, bool anchored) {
  bool is_known = p.forward.next != nullptr && !anchored;
  if (is_known && regex_is_match_in(p, text, 0, text.size, is_known)) { return true; }
  if (is_known) { return false; }
  bool const found = lane() == 0 && regex_is_match(p, text, anchored);
  return __any_sync(~0u, found);
}

} // namespace gdf
