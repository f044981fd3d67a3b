// The elements of Snappy.
#pragma once

#include "elements.cuh"

namespace decode {

/// A walk over the elements of a page of Snappy.
struct snappy_walk : page_walk {
  using page_walk::page_walk;

  /// [block] Reads the number of bytes that the compressed bytes begin with.
  GDF_DEVICE void start() {
    if (out == size) { // compressed bytes of nothing are not looked at
      has_ended = true;
      return;
    }
    if (at == end) { return refuse(flaw::size); }
    gdf::u64 claimed = 0;
    for (uint32_t i = 0; i < 5; i++) {
      if (at == end) { return refuse(flaw::compression); }
      uint32_t const byte = byte_at(at);
      at++;
      claimed |= static_cast<gdf::u64>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        if (claimed >> 32 != 0) { return refuse(flaw::compression); }
        if (claimed != size - out) { return refuse(flaw::size); }
        return;
      }
    }
    refuse(flaw::compression);
  }

  /// [thread] Returns the end of the elements that can be read from the stage.
  GDF_DEVICE uint32_t limit() const { return reach(); }

  /// [thread] Reads the element at a position.
  GDF_DEVICE sequence sequence_at(uint32_t position, uint32_t limit) const {
    if (position >= limit) { return {0, 0, 0, 0, 0}; }
    uint32_t const behind = limit - position;
    gdf::u64 const read = bytes_at(position);
    auto const tag = static_cast<uint32_t>(read) & 0xff;
    auto const next = static_cast<uint32_t>(read >> 8); // the 4 bytes behind the tag
    uint32_t const high = tag >> 2;
    uint32_t const kind = tag & 3;
    if (kind == 0) {
      uint32_t const extra = high < 60 ? 0 : high - 59;
      uint32_t const below = extra == 0 ? high : next & ~0u >> (32 - 8 * extra); // one less than the number of bytes
      bool const is_whole = extra + 1 < behind && below < behind - 1 - extra;
      return {below + 1, position + 1 + extra, 0, 0, is_whole ? below + 2 + extra : 0};
    }
    uint32_t const extra = kind == 3 ? 4 : kind;
    uint32_t const bytes = kind == 1 ? 4 + (high & 7) : high + 1;
    uint32_t distance = next;
    if (kind == 1) { distance = (tag >> 5) << 8 | (next & 0xff); }
    if (kind == 2) { distance = next & 0xffff; }
    return {0, 0, bytes, distance, extra < behind ? 1 + extra : 0};
  }

  /// [thread] Returns whether an element is right whose output begins at position `to`.
  GDF_DEVICE bool is_right(const sequence& element, uint32_t to) const {
    if (element.bytes() > size - to) { return false; }
    return element.copy == 0 || (element.distance != 0 && element.distance <= to - static_cast<uint32_t>(of.plain));
  }

  /// [block] Writes the next element, or ends the page.
  GDF_DEVICE void step() {
    if (at == end) { return finish(flaw::compression); }
    sequence const element = sequence_at(at, end);
    if (element.step == 0 || !is_right(element, out)) { return refuse(flaw::compression); }
    write(element);
  }
};

} // namespace decode
