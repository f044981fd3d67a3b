// The elements of compressed pages: literals, which are bytes of the page, and copies of earlier output. A thread walks
// from element to element and lists them, and other threads write them.
//
// Every length and distance is checked against the end of the page, the claimed size and the output so far before it is
// followed. Each element takes a byte of the page at least, so damaged pages end.
#pragma once

#include <gdf/async_copy.cuh>

#include "values.cuh"

namespace decode {

/// The number of bytes of recent output that are in shared memory. Copies from farther back depend on nothing that is in
/// work, so many are written at once. Less shared memory lets more blocks hide the latency of each.
constexpr uint32_t history_bytes = 16384;

/// The number of bytes of the compressed page that are in shared memory.
constexpr uint32_t stage_bytes = 4096;

/// The largest number of elements of a batch.
constexpr uint32_t batch_elements = 64;

/// The largest number of bytes of output of a batch.
constexpr uint32_t batch_bytes = 3072;

/// More threads share an element of more bytes.
constexpr uint32_t long_element = 64;

/// The number of batches that are in work at the same time, see `decode_compressed_pages_kernel`.
constexpr uint32_t batch_slots = 4;

// When a batch is written, the two batches before may not be in global memory yet, and the batch behind may be written at
// the same time. What a far copy needs is before all of them.
static_assert(history_bytes >= 5 * batch_bytes + 16);
static_assert(batch_bytes % 16 == 0 && stage_bytes >= 2 * long_element);

/// Where the bytes of an element come from.
enum class origin : uint32_t {
  stage = 0,   // a literal whose bytes are in shared memory
  page = 1,    // a literal
  output = 2,  // a copy of output that is no longer in shared memory, but in global memory
  history = 3, // a copy of output that is in shared memory, or is written by the batch
};

struct alignas(16) element {
  uint32_t to;     // position in the output
  uint32_t length; // not zero
  uint32_t from;   // literals: position in the page; copies: the distance back
  uint32_t source; // an `origin`
};

struct element_batch {
  // From the front on, those whose bytes do not come from the history. From the back on, in the order of the output, those
  // whose bytes do.
  element elements[batch_elements];
  uint8_t longs[batch_elements]; // numbers of the long elements at the front
  uint32_t fills;  // the number of elements at the front
  uint32_t copies; // the number of elements at the back
  uint32_t long_count;
  uint32_t begin; // the position of the output of the batch
  uint32_t end;
  bool is_last;

  /// Returns a copy of recent output by its number.
  GDF_DEVICE element& copy(uint32_t number) { return elements[batch_elements - 1 - number]; }
  GDF_DEVICE const element& copy(uint32_t number) const { return elements[batch_elements - 1 - number]; }
};

/// The shared memory of a block.
struct decompress_memory {
  uint4 history[history_bytes / 16];
  uint4 stage[stage_bytes / 16];
  element_batch batches[batch_slots];
};

/// What follows at the position of the walk.
enum class state : uint32_t {
  start = 0,          // the compressed bytes
  snappy_element = 1, // a tag, or the end
  lz4_frame = 2,      // the sizes of a block of Hadoop, or the end
  lz4_token = 3,
  lz4_literal = 4, // more bytes of the length of a literal
  lz4_offset = 5,  // the distance of a copy, or the end of a block
  lz4_match = 6,   // more bytes of the length of a copy
  ended = 7,
};

/// Lists the elements of a page. All positions count from the multiple of 16 bytes at or before the start of the page.
///
/// The lanes of a warp share the staging of the page. Only lane 0 walks, and only its members change by that.
struct element_walk {
  const compressed_page& of;
  const uint8_t* page; // aligned to 16
  decompress_memory& memory;
  status* statuses;
  uint32_t end;   // the position of the end of the page
  uint32_t size;  // the claimed number of bytes of output
  uint32_t at;    // the position of what follows
  uint32_t out = 0;
  state next = state::start;
  // The element whose bytes are not all listed.
  uint32_t left = 0;
  uint32_t from = 0;
  bool is_copy = false;
  // LZ4: the block, and the lengths of the sequence.
  uint32_t block_end = 0;
  uint32_t block_begin_out = 0;
  uint32_t block_end_out = 0;
  uint32_t length = 0;
  uint32_t match = 0;
  // The staged bytes: from `kept` on, batches may read them; those before `ready` have arrived; those before `asked` are
  // on their way.
  uint32_t kept;
  uint32_t ready;
  uint32_t asked;
  bool has_staged = false; // whether a literal of the batch before has its bytes in the stage

  GDF_DEVICE element_walk(const compressed_page& of_, const uint8_t* bytes, decompress_memory& memory_,
                          status* statuses_)
      : of(of_), memory(memory_), statuses(statuses_) {
    const uint8_t* const begin = bytes + of.at;
    auto const lead = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(begin) & 15);
    page = begin - lead;
    end = lead + static_cast<uint32_t>(of.bytes);
    size = static_cast<uint32_t>(of.size);
    at = lead + static_cast<uint32_t>(of.plain);
    left = static_cast<uint32_t>(of.plain);
    from = lead;
    kept = ready = asked = at & ~15u;
  }

  /// [warp] Lists the elements of the next batch.
  GDF_DEVICE void list(element_batch& batch) {
    stage();
    if (gdf::lane() == 0) { fill(batch); }
    at = __shfl_sync(~0u, at, 0);
    has_staged = __shfl_sync(~0u, has_staged ? 1 : 0, 0) != 0;
    __syncwarp(); // the staged bytes were read
  }

  /// [warp] Begins to bring bytes to shared memory. Those that the call before has asked for arrive.
  GDF_DEVICE void stage() {
    gdf::await_words();
    __syncwarp();
    ready = asked;
    // The literals of the batch before are still read.
    if (at > asked) {
      if (has_staged) { return; }
      kept = ready = asked = at & ~15u;
    }
    uint32_t const beyond = (end + 15) & ~15u;
    uint32_t const limit = beyond - kept < stage_bytes ? beyond : kept + stage_bytes;
    for (uint32_t i = asked + static_cast<uint32_t>(gdf::lane()) * 16; i < limit; i += 32 * 16) {
      gdf::copy_word(memory.stage + i % stage_bytes / 16, reinterpret_cast<const uint4*>(page + i));
    }
    asked = limit > asked ? limit : asked;
    kept = at & ~15u;
  }

  /// [thread] Returns the 4 staged bytes from a position on. Those behind the end may be anything.
  GDF_DEVICE uint32_t word(uint32_t position) const {
    auto const* const words = reinterpret_cast<const uint32_t*>(memory.stage);
    uint32_t const first = position / 4;
    uint32_t const low = words[first % (stage_bytes / 4)];
    uint32_t const high = words[(first + 1) % (stage_bytes / 4)];
    return __funnelshift_r(low, high, (position & 3) * 8);
  }

  /// [thread] Returns whether what follows has arrived: `bytes` bytes, or all up to the end.
  GDF_DEVICE bool has_arrived(uint32_t bytes) const { return at + bytes <= ready || ready >= end; }

  /// [thread] Lists elements until the batch is full, or staged bytes have not arrived.
  GDF_DEVICE void fill(element_batch& batch) {
    has_staged = false;
    uint32_t const begin = out;
    uint32_t fills = 0;
    uint32_t copies = 0;
    uint32_t longs = 0;
    uint32_t repeated = 0; // the distance of the last listed element, if its bytes come from the history
    for (;;) {
      while (left == 0 && next != state::ended && has_arrived(8)) {
        if (next == state::snappy_element) {
          snappy_element();
        } else {
          step();
        }
      }
      uint32_t const most = begin + batch_bytes - out;
      if (left == 0 || most == 0) { break; }
      uint32_t const part = left < most ? left : most;
      bool const is_near = is_copy && out - from + history_bytes >= begin + 2 * batch_bytes;
      if (is_near && repeated == from) { // a copy goes on
        batch.copy(copies - 1).length += part;
      } else {
        if (fills + copies == batch_elements) { break; }
        if (is_near) {
          batch.copy(copies++) = {out, part, from, static_cast<uint32_t>(origin::history)};
          repeated = from;
        } else {
          bool const is_staged = !is_copy && part <= long_element && from >= kept && from + part <= ready;
          has_staged = has_staged || is_staged;
          origin const source = is_copy ? origin::output : is_staged ? origin::stage : origin::page;
          if (part > long_element) { batch.longs[longs++] = static_cast<uint8_t>(fills); }
          batch.elements[fills++] = {out, part, from, static_cast<uint32_t>(source)};
          repeated = 0;
        }
      }
      out += part;
      left -= part;
      if (!is_copy) { from += part; }
    }
    batch.fills = fills;
    batch.copies = copies;
    batch.long_count = longs;
    batch.begin = begin;
    batch.end = out;
    batch.is_last = next == state::ended && left == 0;
  }

  GDF_DEVICE void refuse(flaw what) {
    report(statuses, of.column, of.number, what);
    next = state::ended;
    left = 0;
  }

  /// [thread] Ends the page, which has no more elements.
  GDF_DEVICE void finish(flaw what) {
    if (out != size) { return refuse(what); }
    next = state::ended;
  }

  GDF_DEVICE void begin_literal(uint32_t bytes) {
    is_copy = false;
    left = bytes;
    from = at;
    at += bytes;
  }

  GDF_DEVICE void begin_copy(uint32_t distance, uint32_t bytes) {
    is_copy = true;
    left = bytes;
    from = distance;
  }

  /// [thread] Walks a step. The 8 bytes from the position on have arrived, as far as the page has them.
  GDF_DEVICE void step() {
    switch (next) {
      case state::start: return start();
      case state::snappy_element: return snappy_element();
      case state::lz4_frame: return lz4_frame();
      case state::lz4_token: return lz4_token();
      case state::lz4_literal: return lz4_literal();
      case state::lz4_offset: return lz4_offset();
      case state::lz4_match: return lz4_match();
      case state::ended: return;
    }
  }

  GDF_DEVICE void start() {
    if (out == size) { // compressed bytes of nothing are not looked at
      next = state::ended;
      return;
    }
    switch (static_cast<codec>(of.codec)) {
      case codec::uncompressed: return finish(flaw::size);
      case codec::snappy: return snappy_size();
      case codec::lz4_raw:
        block_end = end;
        block_end_out = size;
        block_begin_out = out;
        next = state::lz4_token;
        return;
      case codec::lz4_hadoop: next = state::lz4_frame; return;
    }
  }

  /// [thread] Reads the number of bytes that the page begins with.
  GDF_DEVICE void snappy_size() {
    if (at == end) { return refuse(flaw::size); }
    gdf::u64 claimed = 0;
    uint32_t const first = word(at);
    for (uint32_t i = 0; i < 5; i++) {
      if (at == end) { return refuse(flaw::compression); }
      uint32_t const byte = i < 4 ? first >> (8 * i) & 0xff : word(at) & 0xff;
      at++;
      claimed |= static_cast<gdf::u64>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        if (claimed >> 32 != 0) { return refuse(flaw::compression); }
        if (claimed != size - out) { return refuse(flaw::size); }
        next = state::snappy_element;
        return;
      }
    }
    refuse(flaw::compression);
  }

  GDF_DEVICE void snappy_element() {
    uint32_t const behind = end - at;
    if (behind == 0) { return finish(flaw::compression); }
    uint32_t const first = word(at);
    uint32_t const tag = first & 0xff;
    uint32_t const high = tag >> 2;
    uint32_t const kind = tag & 3;
    if (kind == 0) {
      uint32_t const extra = high < 60 ? 0 : high - 59;
      if (extra + 1 > behind) { return refuse(flaw::compression); }
      uint32_t below = high; // one less than the length
      if (extra > 0) { below = word(at + 1) & ~0u >> (32 - 8 * extra); }
      at += 1 + extra;
      if (below >= behind - 1 - extra || below >= size - out) { return refuse(flaw::compression); }
      return begin_literal(below + 1);
    }
    uint32_t const extra = kind == 3 ? 4 : kind;
    if (extra + 1 > behind) { return refuse(flaw::compression); }
    uint32_t bytes = high + 1;
    uint32_t distance = first >> 8 & 0xffff;
    if (kind == 1) {
      bytes = 4 + (high & 7);
      distance = (tag >> 5) << 8 | (distance & 0xff);
    } else if (kind == 3) {
      distance = word(at + 1);
    }
    at += 1 + extra;
    uint32_t const before = out - static_cast<uint32_t>(of.plain);
    if (distance == 0 || distance > before || bytes > size - out) { return refuse(flaw::compression); }
    begin_copy(distance, bytes);
  }

  GDF_DEVICE void lz4_frame() {
    uint32_t const behind = end - at;
    if (behind == 0) { return finish(flaw::size); }
    if (behind < 8) { return refuse(flaw::compression); }
    uint32_t const bytes = __byte_perm(word(at), 0, 0x0123);
    uint32_t const compressed = __byte_perm(word(at + 4), 0, 0x0123);
    at += 8;
    if (compressed > behind - 8) { return refuse(flaw::compression); }
    if (bytes > size - out) { return refuse(flaw::size); }
    block_end = at + compressed;
    block_begin_out = out;
    block_end_out = out + bytes;
    next = state::lz4_token;
  }

  /// [thread] Refuses a block that has another number of bytes than is stated.
  GDF_DEVICE void refuse_block() {
    refuse(static_cast<codec>(of.codec) == codec::lz4_raw ? flaw::size : flaw::compression);
  }

  GDF_DEVICE void lz4_token() {
    if (at == block_end) { return refuse(flaw::compression); }
    uint32_t const token = word(at) & 0xff;
    at++;
    length = token >> 4;
    match = token & 15;
    if (length == 15) {
      next = state::lz4_literal;
      return;
    }
    lz4_begin_literal();
  }

  /// [thread] Adds a byte to a length. Returns whether the length is complete.
  GDF_DEVICE bool add_to_length(uint32_t& to) {
    if (at == block_end) {
      refuse(flaw::compression);
      return false;
    }
    uint32_t const byte = word(at) & 0xff;
    at++;
    to = to < 1u << 31 ? to + byte : to; // no page has as many bytes
    return byte != 0xff;
  }

  GDF_DEVICE void lz4_literal() {
    if (add_to_length(length)) { lz4_begin_literal(); }
  }

  GDF_DEVICE void lz4_begin_literal() {
    if (length > block_end - at) { return refuse(flaw::compression); }
    if (length > block_end_out - out) { return refuse_block(); }
    next = state::lz4_offset;
    begin_literal(length);
  }

  GDF_DEVICE void lz4_offset() {
    if (at == block_end) {
      if (out != block_end_out) { return refuse_block(); }
      if (static_cast<codec>(of.codec) == codec::lz4_raw) { return finish(flaw::size); }
      next = state::lz4_frame;
      return;
    }
    if (block_end - at < 2) { return refuse(flaw::compression); }
    from = word(at) & 0xffff;
    at += 2;
    if (from == 0) { return refuse(flaw::compression); }
    if (match == 15) {
      next = state::lz4_match;
      return;
    }
    lz4_begin_match();
  }

  GDF_DEVICE void lz4_match() {
    if (add_to_length(match)) { lz4_begin_match(); }
  }

  GDF_DEVICE void lz4_begin_match() {
    uint32_t const bytes = match + 4;
    if (bytes > block_end_out - out) { return refuse_block(); }
    if (from > out - block_begin_out) { return refuse(flaw::compression); }
    next = state::lz4_token;
    begin_copy(from, bytes);
  }
};

} // namespace decode
