// Tests texts by a DFA with few states. The load for a byte depends on the load for the byte before, so a thread tests
// several rows at the same time.
#pragma once

#include "search_text.cuh"

namespace gdf {

/// A DFA in shared memory.
///
/// Each state has 256 bytes of shared memory. The number of the state is the address of these bytes divided by 256.
template <int most>
struct byte_dfa {
  static constexpr int words = 64; // words of a state
  static constexpr uint32_t fails = 0; // no byte leaves the states first + fails and first + matches
  static constexpr uint32_t matches = 1;
  static constexpr uint32_t end = 0xff; // the end of a text (no text has this byte); leads to `fails` or `matches`
  static constexpr uint32_t none = 0xfe; // a byte to skip (no text has this byte); leaves every state unchanged

  uint32_t first;
  uint32_t start; // counted from `first`
  bool is_there;

  GDF_DEVICE static uint32_t* table() {
    __shared__ alignas(256) uint32_t table[most * words];
    return table;
  }

  /// [block] Makes an object without a DFA. Other data may use the shared memory of the transitions.
  GDF_DEVICE byte_dfa() : first(shared_address(table()) >> 8), start(0), is_there(false) {}

  /// [block] Fills all transitions.
  template <class Next>
  GDF_DEVICE void make(int states, uint32_t from, Next&& next) {
    for (int i = static_cast<int>(threadIdx.x); i < states * words; i += static_cast<int>(blockDim.x)) {
      auto const state = static_cast<uint32_t>(i / words);
      uint32_t word = 0;
#pragma unroll
      for (uint32_t k = 0; k < 4; k++) {
        uint32_t const byte = static_cast<uint32_t>(i % words) * 4 + k;
        bool const stays = state <= matches || byte == none;
        word |= (first + (stays ? state : next(state, byte))) << (8 * k);
      }
      table()[i] = word;
    }
    __syncthreads();
    start = from;
    is_there = true;
  }

  /// [block] Makes the DFA that finds the `count` texts `needle(i)` one after the other in a row (Knuth, Morris,
  /// Pratt). If the texts need too many states, the function makes no DFA.
  template <bool apart = false, class Needle>
  GDF_DEVICE void make_texts(int32_t count, Needle&& needle) {
    int64_t total = matches + 1;
    for (int32_t i = 0; i < count; i++) { total += needle(i).size; }
    if (total > most) { return; }
    start = total > matches + 1 ? matches + 1 : matches;
    is_there = true;
    auto const page = [&](uint32_t state) { return (first + state) * 0x01010101u; };
    if (warp() == 0) {
      uint32_t* const mine = table() + lane();
      for (uint32_t state = fails; state <= matches; state++) { mine[state * words] = mine[state * words + 32] = page(state); }
      uint32_t state = matches + 1;
      for (int32_t i = 0; i < count; i++) {
        auto const what = needle(i);
        uint32_t const base = state;
        // `like` is the state of the longest proper prefix of the text that is also a suffix of the bytes read so far.
        uint32_t like = base;
        for (int64_t at = 0; at < what.size; at++, state++) {
          __syncwarp();
          uint32_t const byte = at < 8 ? static_cast<uint32_t>(what.first >> (8 * at)) & 0xff : __ldg(what.data + at);
          uint32_t const next = (apart ? at + 1 < what.size : state + 1 < total) ? state + 1 : matches;
          uint32_t other[2] = {page(base), page(base)};
          uint32_t then = base;
          if (at > 0) {
            other[0] = mine[like * words];
            other[1] = mine[like * words + 32];
            then = reinterpret_cast<const uint8_t*>(table())[like * 4 * words + byte] - first;
          } else if (lane() == 31) {
            other[1] = __byte_perm(other[1], first + fails, 0x4210); // the end
          }
          if (lane() == 31) { other[1] = __byte_perm(other[1], first + state, 0x3410); } // none
          uint32_t const shift = 8 * (byte & 3);
#pragma unroll
          for (uint32_t half = 0; half < 2; half++) {
            if (byte >> 2 == half * 32 + lane()) { other[half] = (other[half] & ~(0xffu << shift)) | (first + next) << shift; }
            mine[state * words + half * 32] = other[half];
          }
          like = then;
        }
      }
    }
    __syncthreads();
  }

  template <uint32_t number>
  GDF_DEVICE static uint32_t after(uint32_t state, uint32_t word) {
    uint32_t next;
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(next) : "r"(__byte_perm(word, state, 0x5540 | number)));
    return next;
  }

  /// [thread] Tests for each of several texts whether the DFA reaches the state `matches` from a given state.
  template <int n>
  GDF_DEVICE void test(const staged_piece (&texts)[n], uint32_t begin, bool (&found)[n]) const {
    uint32_t state[n];
    // Bytes before the text are replaced by `none`, and bytes after the text by `end`.
    uint32_t word[n];
    int32_t left[n]; // the number of bits in this word and the following words
    const uint32_t* from[n];
#pragma unroll
    for (int k = 0; k < n; k++) {
      uint32_t const lead = (texts[k].at & 3) * 8;
      from[k] = texts[k].words + (texts[k].at >> 2);
      uint32_t const before = (1u << lead) - 1;
      word[k] = (*from[k] & ~before) | (before & none * 0x01010101u);
      left[k] = texts[k].size * 8 + static_cast<int32_t>(lead);
      state[k] = first + begin;
    }
    uint32_t const last_final = first + matches;
    bool is_open;
    do {
#pragma unroll
      for (int j = 0; j < 2; j++) {
        uint32_t now[n];
#pragma unroll
        for (int k = 0; k < n; k++) {
          now[k] = word[k] | __funnelshift_lc(0, ~0u, static_cast<uint32_t>(left[k]));
          left[k] -= 32;
          word[k] = ~0u;
          if (left[k] > 0) { word[k] = from[k][j + 1]; }
        }
#pragma unroll
        for (int k = 0; k < n; k++) { state[k] = after<0>(state[k], now[k]); }
#pragma unroll
        for (int k = 0; k < n; k++) { state[k] = after<1>(state[k], now[k]); }
#pragma unroll
        for (int k = 0; k < n; k++) { state[k] = after<2>(state[k], now[k]); }
#pragma unroll
        for (int k = 0; k < n; k++) { state[k] = after<3>(state[k], now[k]); }
      }
      is_open = false;
#pragma unroll
      for (int k = 0; k < n; k++) {
        from[k] += 2;
        is_open |= left[k] > 0 && state[k] > last_final;
      }
    } while (is_open);
#pragma unroll
    for (int k = 0; k < n; k++) { found[k] = after<0>(state[k], end) == last_final; }
  }

  /// [thread] Does the same as the `test` of several texts, for a single text in global memory.
  GDF_DEVICE bool test(const string_piece& text, uint32_t begin) const {
    uint32_t state = first + begin;
#pragma unroll 1
    for (int64_t at = 0; at < text.size && state > first + matches; at += 8) {
      u64 word = bytes_at(text, at);
      if (text.size - at < 8) { word |= ~low_bytes(static_cast<int>(text.size - at)); }
#pragma unroll
      for (uint32_t half = 0; half < 2; half++) {
        auto const four = static_cast<uint32_t>(word >> (32 * half));
        state = after<3>(after<2>(after<1>(after<0>(state, four), four), four), four);
      }
    }
    return after<0>(state, end) == first + matches;
  }
};

struct tested_piece {
  uint32_t found;
};

/// The results of tests for some rows of a warp.
template <int items>
struct tested_rows {
  using texts = staged_rows<items>;
  using memory = typename texts::memory;
  static constexpr int together = items % 4 == 0 ? 4 : 1; // rows that a thread tests together

  GDF_DEVICE static tested_piece get(const memory& stage, int at) { return {stage.rows[at]}; }

  /// [warp] Does the same as staged_rows::load, with the same result.
  template <class Test, class Each>
  GDF_DEVICE static bool load(const column_in& in, int64_t bytes_of_column, int64_t first, int64_t rows, memory& stage, Test&& test,
                              bool by_each, Each&& each) {
    if (!texts::load(in, bytes_of_column, first, rows, stage)) { return false; }
    if constexpr (requires(const staged_piece& text) { each(text); }) {
      if (by_each) {
#pragma unroll 1
        for (int i = static_cast<int>(lane()); i < 32 * items; i += 32) { stage.rows[i] = each(texts::get(stage, i)); }
        return true;
      }
    }
#pragma unroll 1
    for (int i = static_cast<int>(lane()); i < 32 * items; i += 32 * together) {
      staged_piece text[together];
      uint32_t found[together];
#pragma unroll
      for (int k = 0; k < together; k++) { text[k] = texts::get(stage, i + 32 * k); }
      test(text, found);
#pragma unroll
      for (int k = 0; k < together; k++) { stage.rows[i + 32 * k] = found[k]; }
    }
    return true;
  }
};

} // namespace gdf
