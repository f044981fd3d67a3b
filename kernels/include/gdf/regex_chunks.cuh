// Matches of regular expressions in long rows that are cut into chunks.
//
// The searches of a row form a chain, because each search begins where the last match ended. The thread of a chunk
// guesses the state with which the chain enters its chunk, by a search that begins a few bytes before the chunk. The
// thread then follows the chain to the end of the chunk. If the guess differs from the state in which the chain left
// the previous chunk, the chunk is searched again. The DFA must never give up.
#pragma once

#include "build_strings.cuh"
#include "regex_matches.cuh"
#include "text_chunks.cuh"

namespace gdf {

namespace regex_detail {

/// The state of a search that is not finished at the end of a chunk, if a search from the beginning of the next chunk
/// would find the same matches.
constexpr int64_t undecided = -3;

/// The number of bytes before a chunk that are searched to guess its state.
constexpr int64_t lead = 48;

/// [thread] Does the same as `forward` with neither `anchored` nor `earliest`, but may return earlier.
GDF_DEVICE int64_t forward_within(const regex_dfa& dfa, const string_piece& text, int64_t from, int64_t stop) {
  auto const start = [&](int64_t at) {
    return static_cast<uint32_t>(__ldg(dfa.starts + (at == 0 ? 256 : __ldg(text.data + at - 1))));
  };
  uint32_t state = start(from);
  int64_t last = none;
  if (is_last(state)) { return none; }
  for (int64_t at = from; at < stop; at += 8) {
    int const n = stop - at < 8 ? static_cast<int>(stop - at) : 8;
    u64 word = string_detail::load_before(text.data + at, text.limit, n);
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (i >= n) { break; }
      state = after(dfa, state, static_cast<uint32_t>(word) & 0xff);
      word >>= 8;
      if (is_special(dfa, state)) {
        if (is_last(state)) { return last; }
        last = at + i;
      }
    }
  }
  uint32_t other = last == none && stop < text.size ? start(stop) : 0;
  for (int64_t at = stop; at < text.size; at++) {
    if (state == other) { return undecided; }
    uint32_t const byte = __ldg(text.data + at);
    state = after(dfa, state, byte);
    if (is_special(dfa, state)) {
      if (is_last(state)) { return last; }
      last = at;
      other = 0;
    } else if (other != 0) {
      other = after(dfa, other, byte);
      if (is_special(dfa, other)) { other = 0; }
    }
  }
  state = after_end(dfa, state);
  return state >= static_cast<uint32_t>(dfa.first_match) ? text.size : last;
}

/// [thread] Follows the chain from `entry` through a part, and returns the state at the end of the part.
template <class See>
GDF_DEVICE int64_t follow(const regex_dfa& dfa, const chunk_part& part, int64_t entry, int64_t& floor, See&& see) {
  int64_t const behind = part.is_last ? part.text.size + 1 : part.end;
  int64_t from = entry == undecided ? part.begin : entry >> 1;
  int64_t last = entry != undecided && (entry & 1) ? from : none;
  int64_t begin = entry == undecided ? floor : from;
  while (from < behind) {
    int64_t const end = forward_within(dfa, part.text, from, part.end);
    if (end == undecided) {
      floor = begin;
      return undecided;
    }
    if (end == none) { return 2 * (part.text.size + 1); }
    bool const is_within = end < part.text.size && is_continuation(__ldg(part.text.data + end));
    if (is_within || end == last) { // an empty match that does not count
      from = end == part.text.size ? end + 1 : character_from(part.text, end + 1);
    } else {
      if (!see(begin, from, end)) { break; }
      from = last = end;
    }
    begin = from;
  }
  return 2 * from + (from == last);
}

/// [thread] Returns whether there are long rows. If the kernel cannot know this, the function returns true.
GDF_DEVICE bool has_work(const text_chunks& all) { return all.token == 0 || all.chunks[all.count].row == all.token; }

} // namespace regex_detail

GDF_DEVICE void report_long(const text_chunks& all) { all.chunks[all.count].row = all.token; }

/// [grid] Guesses the entry state of each chunk, and follows the chain through the chunk.
GDF_DEVICE void guess_chunks(const text_in& in, const regex_pattern& p, const text_chunks& all) {
  namespace detail = regex_detail;
  if (!detail::has_work(all)) { return; }
  for (int64_t at = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; at < all.count; at += gridDim.x * int64_t{blockDim.x}) {
    text_chunk chunk{chunks_detail::long_row_at(in, all, at << all.shift), 0, 0, -1, -1, -1};
    if (chunk.row >= 0) {
      chunk_part const part = chunks_detail::part_of(in, all, chunk.row, at);
      if (part.begin > 0) {
        int64_t const from = part.begin < detail::lead ? 0 : character_from(part.text, part.begin - detail::lead);
        int64_t floor = from;
        chunk.entry = detail::follow(p.forward, {part.text, from, part.begin, 0, false, false}, from == 0 ? 0 : detail::undecided,
                                     floor, [](int64_t, int64_t, int64_t) { return true; });
      }
      chunk.exit = detail::follow(p.forward, part, chunk.entry, chunk.floor, [&](int64_t, int64_t, int64_t end) {
        chunk.matches--;
        chunk.last = end;
        return true;
      });
    }
    all.chunks[at] = chunk;
  }
}

/// [warp] Connects the chunks of a row to one chain.
GDF_DEVICE int64_t link_chunks(const text_in& in, const regex_pattern& p, const text_chunks& all, int64_t row, int64_t first,
                               int64_t count) {
  namespace detail = regex_detail;
  int64_t entry = 0;
  int64_t floor = -1;
  int64_t last = -1;
  u64 matches = 0;
  for (int64_t at = first; at < first + count; at += 32) {
    bool const inside = at + lane() < first + count && all.chunks[at + lane()].row == row;
    text_chunk chunk{-1, 0, 0, -1, -1, -1};
    if (inside) { chunk = all.chunks[at + lane()]; }
    while (true) {
      auto const before = static_cast<int64_t>(__shfl_up_sync(~0u, static_cast<u64>(chunk.exit), 1));
      int64_t const truth = lane() == 0 ? entry : before;
      bool const is_wrong = inside && chunk.entry != truth;
      if (!__any_sync(~0u, is_wrong)) { break; }
      if (is_wrong) {
        chunk = {row, truth, 0, -1, -1, -1};
        chunk_part const part = chunks_detail::part_of(in, all, row, at + lane());
        chunk.exit = detail::follow(p.forward, part, truth, chunk.floor, [&](int64_t, int64_t, int64_t end) {
          chunk.matches--;
          chunk.last = end;
          return true;
        });
      }
    }
    u64 const mine = static_cast<u64>(inside ? ~chunk.matches : 0);
    u64 const up_to = warp_inclusive_sum(mine);
    entry = static_cast<int64_t>(__shfl_sync(~0u, static_cast<u64>(chunk.exit), 31));
    chunk.floor = chunks_detail::exclusive_max(chunk.floor, floor);
    chunk.last = chunks_detail::exclusive_max(chunk.last, last);
    chunk.matches = static_cast<int64_t>(matches + up_to - mine);
    if (inside) { all.chunks[at + lane()] = chunk; }
    matches += __shfl_sync(~0u, up_to, 31);
  }
  if (lane() == 0) { all.chunks[first].exit = static_cast<int64_t>(matches); }
  __syncwarp();
  return static_cast<int64_t>(matches);
}

/// [grid] Calls `body(chunk, part)` [thread] for each linked chunk.
template <class Body>
GDF_DEVICE void for_each_linked_chunk(const text_in& in, const text_chunks& all, Body&& body) {
  int64_t const step = gridDim.x * int64_t{blockDim.x};
  for (int64_t at = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; at < all.count; at += step) {
    text_chunk& chunk = all.chunks[at];
    if (chunk.row >= 0 && chunk.matches >= 0) { body(chunk, chunks_detail::part_of(in, all, chunk.row, at)); }
  }
}

/// [thread] Calls `see(match, groups)` for each match of a linked chunk, until `see` returns false.
template <class See>
GDF_DEVICE void regex_for_each_in(const regex_pattern& p, const text_chunk& chunk, const chunk_part& part, bool with_groups,
                                  See&& see) {
  int64_t floor = chunk.floor;
  regex_detail::follow(p.forward, part, chunk.entry, floor, [&](int64_t begin, int64_t from, int64_t end) {
    begin = end == from && begin == from ? from : regex_detail::reverse(p.reverse, part.text, begin, end);
    if (!with_groups) { return see(regex_match{begin, end}, regex_groups{p, nullptr, nullptr}); }
    bool goes_on = false;
    regex_for_each<true>({p, false, false}, part.text, begin, true, [&](const regex_match& found, const regex_groups& groups) {
      goes_on = see(found, groups);
      return false;
    });
    return goes_on;
  });
}

} // namespace gdf
