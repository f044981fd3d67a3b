// The elements of LZ4. A sequence is a literal and a copy.
#pragma once

#include "elements.cuh"

namespace decode {

/// Lists the elements of a page of LZ4, or of a page that is not compressed. Sequences with longer lengths than a window
/// reads, and the last one of a block, are walked through step by step.
struct lz4_walk : element_walk {
  /// What follows at the position of the walk.
  enum class state : uint32_t {
    start = 0, // the compressed bytes
    frame = 1, // the sizes of a block of Hadoop, or the end
    token = 2,
    literal = 3, // more bytes of the length of a literal
    offset = 4,  // the distance of a copy, or the end of a block
    match = 5,   // more bytes of the length of a copy
  };

  state next = state::start;
  // The block, and the lengths of the sequence.
  uint32_t block_end = 0;
  uint32_t block_begin_out = 0;
  uint32_t block_end_out = 0;
  uint32_t length = 0;
  uint32_t match = 0;

  using element_walk::element_walk;

  /// The sequence that begins at a position of the page, if one begins there.
  struct candidate {
    uint32_t literal; // bytes
    uint32_t literal_from;
    uint32_t copy; // bytes
    uint32_t distance;
    uint32_t step; // the number of bytes of the sequence in the page; 0 if it is walked through step by step
  };

  /// [warp] Lists the elements of the next batch, until it is full, or staged bytes have not arrived.
  GDF_DEVICE void list(element_batch& batch) {
    begin_batch();
    batch_counts counts;
    bool goes_on = true;
    while (goes_on) {
      if (left > 0) {
        goes_on = list_rest(batch, counts);
      } else if (has_ended || !has_arrived(8)) {
        break;
      } else if (next != state::token || !list_window(batch, counts)) {
        step();
      }
    }
    if (gdf::lane() == 0) { end_batch(batch, counts); }
    __syncwarp(); // the staged bytes were read
  }

  /// [thread] Reads the sequence at a position.
  GDF_DEVICE candidate sequence_at(uint32_t position) const {
    candidate of{};
    // Two words are read at once, of which the second one may still be written.
    uint32_t const arrived = ready < end ? ready - 8 : end;
    uint32_t const limit = arrived < block_end ? arrived : block_end;
    if (position + 2 > limit) { return of; }
    gdf::u64 const read = bytes_at(position);
    auto const token = static_cast<uint32_t>(read) & 0xff;
    of.literal = token >> 4;
    of.literal_from = position + 1;
    if (of.literal == 15) {
      uint32_t const more = static_cast<uint32_t>(read >> 8) & 0xff;
      if (more == 0xff) { return of; }
      of.literal += more;
      of.literal_from++;
    }
    uint32_t const offset_at = of.literal_from + of.literal;
    if (offset_at + 3 > limit) { return of; }
    gdf::u64 const behind = bytes_at(offset_at);
    of.distance = static_cast<uint32_t>(behind) & 0xffff;
    of.copy = 4 + (token & 15);
    uint32_t bytes = offset_at + 2 - position;
    if ((token & 15) == 15) {
      uint32_t const more = static_cast<uint32_t>(behind >> 16) & 0xff;
      if (more == 0xff) { return of; }
      of.copy += more;
      bytes++;
    }
    of.step = of.distance == 0 ? 0 : bytes;
    return of;
  }

  /// [warp] Lists the sequences that begin in the next 32 bytes, up to the first one that the batch does not have slots or
  /// bytes for, or that is walked through step by step. Returns whether there were any.
  GDF_DEVICE bool list_window(element_batch& batch, batch_counts& counts) {
    auto const lane = static_cast<uint32_t>(gdf::lane());
    candidate const own = sequence_at(at + lane);
    uint32_t const bytes = own.step == 0 ? 0 : own.literal + own.copy;
    window_chain const chain = follow(own.step != 0, own.step, bytes);
    bool const begins = (chain.begins >> lane & 1) != 0;
    uint32_t const copy_to = chain.to + own.literal;
    auto const number = static_cast<uint32_t>(__popc(chain.begins & ((1u << lane) - 1)));
    bool const fits = chain.to + bytes <= begin + batch_bytes && 2 * number + 2 <= counts.slots();
    bool const is_right = bytes <= block_end_out - chain.to && own.distance <= copy_to - block_begin_out;
    // Those before the first one that is left to the next batch, or to the steps.
    uint32_t const others = __ballot_sync(~0u, begins && !(fits && is_right));
    uint32_t const listed = others == 0 ? chain.begins : chain.begins & ((others & (0u - others)) - 1);
    if (listed == 0) { return false; }
    bool const is_listed = (listed >> lane & 1) != 0;
    list_elements(batch, counts, {own.literal, own.literal_from, false}, chain.to, is_listed && own.literal > 0);
    list_elements(batch, counts, {own.copy, own.distance, true}, copy_to, is_listed);
    int const last = 31 - __clz(static_cast<int>(listed));
    at += __shfl_sync(~0u, lane + own.step, last);
    out = __shfl_sync(~0u, chain.to + bytes, last);
    return true;
  }

  /// [thread] Walks a step. The 8 bytes from the position on have arrived, as far as the page has them.
  GDF_DEVICE void step() {
    switch (next) {
      case state::start: return start();
      case state::frame: return frame();
      case state::token: return token();
      case state::literal: return more_of_literal();
      case state::offset: return offset();
      case state::match: return more_of_match();
    }
  }

  GDF_DEVICE void start() {
    if (out == size) { // compressed bytes of nothing are not looked at
      has_ended = true;
      return;
    }
    switch (static_cast<codec>(of.codec)) {
      case codec::uncompressed: return finish(flaw::size);
      case codec::snappy: return; // another walk
      case codec::lz4_raw:
        block_end = end;
        block_end_out = size;
        block_begin_out = out;
        next = state::token;
        return;
      case codec::lz4_hadoop: next = state::frame; return;
    }
  }

  GDF_DEVICE void frame() {
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
    next = state::token;
  }

  /// [thread] Refuses a block that has another number of bytes than is stated.
  GDF_DEVICE void refuse_block() {
    refuse(static_cast<codec>(of.codec) == codec::lz4_raw ? flaw::size : flaw::compression);
  }

  GDF_DEVICE void token() {
    if (at == block_end) { return refuse(flaw::compression); }
    uint32_t const token = word(at) & 0xff;
    at++;
    length = token >> 4;
    match = token & 15;
    if (length == 15) {
      next = state::literal;
      return;
    }
    begin_literal();
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

  GDF_DEVICE void more_of_literal() {
    if (add_to_length(length)) { begin_literal(); }
  }

  GDF_DEVICE void begin_literal() {
    if (length > block_end - at) { return refuse(flaw::compression); }
    if (length > block_end_out - out) { return refuse_block(); }
    next = state::offset;
    is_copy = false;
    left = length;
    from = at;
    at += length;
  }

  GDF_DEVICE void offset() {
    if (at == block_end) {
      if (out != block_end_out) { return refuse_block(); }
      if (static_cast<codec>(of.codec) == codec::lz4_raw) { return finish(flaw::size); }
      next = state::frame;
      return;
    }
    if (block_end - at < 2) { return refuse(flaw::compression); }
    from = word(at) & 0xffff;
    at += 2;
    if (from == 0) { return refuse(flaw::compression); }
    if (match == 15) {
      next = state::match;
      return;
    }
    begin_match();
  }

  GDF_DEVICE void more_of_match() {
    if (add_to_length(match)) { begin_match(); }
  }

  GDF_DEVICE void begin_match() {
    uint32_t const bytes = match + 4;
    if (bytes > block_end_out - out) { return refuse_block(); }
    if (from > out - block_begin_out) { return refuse(flaw::compression); }
    next = state::token;
    is_copy = true;
    left = bytes;
  }
};

} // namespace decode
