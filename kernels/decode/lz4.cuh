// The elements of LZ4. A sequence is a literal and a copy.
#pragma once

#include "elements.cuh"

namespace decode {

/// A walk over the elements of a page of LZ4, or of a page that is not compressed.
struct lz4_walk : page_walk {
  // The block.
  uint32_t block_end = 0;
  uint32_t block_begin_out = 0;
  uint32_t block_end_out = 0;
  bool is_between = false; // whether the sizes of the next block follow, or the end of the page

  using page_walk::page_walk;

  /// [block] Begins with the compressed bytes.
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
        return;
      case codec::lz4_hadoop:
        block_end = at;
        is_between = true;
        return;
    }
  }

  /// [block] Reads the sizes of a block of Hadoop, or ends the page.
  GDF_DEVICE void frame() {
    uint32_t const behind = end - at;
    if (behind == 0) { return finish(flaw::size); }
    if (behind < 8) { return refuse(flaw::compression); }
    uint32_t bytes = 0;
    uint32_t compressed = 0;
    for (uint32_t i = 0; i < 4; i++) {
      bytes = bytes << 8 | byte_at(at + i);
      compressed = compressed << 8 | byte_at(at + 4 + i);
    }
    at += 8;
    if (compressed > behind - 8) { return refuse(flaw::compression); }
    if (bytes > size - out) { return refuse(flaw::size); }
    is_between = false;
    block_end = at + compressed;
    block_begin_out = out;
    block_end_out = out + bytes;
  }

  /// [thread] Returns the end of the sequences that can be read from the stage.
  GDF_DEVICE uint32_t limit() const { return block_end < reach() ? block_end : reach(); }

  /// [thread] Reads the sequence at a position. A length of more than two bytes is not read.
  GDF_DEVICE sequence sequence_at(uint32_t position, uint32_t limit) const {
    sequence of{0, 0, 0, 0, 0};
    if (position + 2 > limit) { return of; }
    gdf::u64 const read = bytes_at(position);
    auto const token = static_cast<uint32_t>(read) & 0xff;
    of.literal = token >> 4;
    of.literal_at = position + 1;
    if (of.literal == 15) {
      uint32_t const more = static_cast<uint32_t>(read >> 8) & 0xff;
      if (more == 0xff) { return of; }
      of.literal += more;
      of.literal_at++;
    }
    uint32_t const offset_at = of.literal_at + of.literal;
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
    of.step = bytes;
    return of;
  }

  /// [thread] Returns whether a sequence is right whose output begins at position `to`.
  GDF_DEVICE bool is_right(const sequence& of, uint32_t to) const {
    if (of.bytes() > block_end_out - to) { return false; }
    return of.distance != 0 && of.distance <= to + of.literal - block_begin_out;
  }

  /// [thread] Refuses a block that has another number of bytes than is stated.
  GDF_DEVICE void refuse_block() {
    refuse(static_cast<codec>(of.codec) == codec::lz4_raw ? flaw::size : flaw::compression);
  }

  /// [thread] Reads a length. Returns whether it is complete.
  GDF_DEVICE bool read_length(uint32_t& position, uint32_t nibble, uint32_t& length) {
    length = nibble;
    for (uint32_t byte = nibble == 15 ? 0xff : 0; byte == 0xff; position++) {
      if (position == block_end) {
        refuse(flaw::compression);
        return false;
      }
      byte = byte_at(position);
      length = length < 1u << 31 ? length + byte : length; // no page has as many bytes
    }
    return true;
  }

  /// [block] Writes the next sequence, or begins a block.
  GDF_DEVICE void step() {
    if (is_between) { return frame(); }
    if (at == block_end) { return refuse(flaw::compression); }
    sequence found{0, 0, 0, 0, 0};
    uint32_t position = at;
    uint32_t const token = byte_at(position);
    position++;
    if (!read_length(position, token >> 4, found.literal)) { return; }
    if (found.literal > block_end - position) { return refuse(flaw::compression); }
    if (found.literal > block_end_out - out) { return refuse_block(); }
    found.literal_at = position;
    position += found.literal;
    bool const is_last = position == block_end;
    uint32_t const to = out + found.literal;
    if (is_last) {
      if (to != block_end_out) { return refuse_block(); }
    } else {
      if (block_end - position < 2) { return refuse(flaw::compression); }
      found.distance = byte_at(position) | byte_at(position + 1) << 8;
      position += 2;
      if (found.distance == 0) { return refuse(flaw::compression); }
      if (!read_length(position, token & 15, found.copy)) { return; }
      found.copy += 4;
      if (found.copy > block_end_out - to) { return refuse_block(); }
      if (found.distance > to - block_begin_out) { return refuse(flaw::compression); }
    }
    found.step = position - at;
    write(found);
    if (!is_last) { return; }
    if (static_cast<codec>(of.codec) == codec::lz4_raw) { return finish(flaw::size); }
    is_between = true; // the stage has the next bytes when the next chunk begins
  }
};

} // namespace decode
