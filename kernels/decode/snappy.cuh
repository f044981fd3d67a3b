// The elements of Snappy.
#pragma once

#include "elements.cuh"

namespace decode {

/// Lists the elements of a page of Snappy.
struct snappy_walk : element_walk {
  /// The number of bytes that a window reads: its own, and the rest of the two words at its last byte. Words that have not
  /// arrived are not read, because they are written at the same time.
  static constexpr uint32_t window_bytes = 32 + 8;

  bool has_started = false;

  using element_walk::element_walk;

  /// The element that begins at a position of the page, if one begins there.
  struct candidate {
    uint32_t bytes; // of output
    uint32_t from;  // see `element`
    uint32_t step;  // the number of bytes of the element in the page; 0 if the page cannot have the element
    bool is_copy;
  };

  /// [warp] Lists the elements of the next batch, until it is full, or staged bytes have not arrived.
  GDF_DEVICE void list(element_batch& batch) {
    begin_batch();
    batch_counts counts;
    bool goes_on = true;
    while (goes_on) {
      if (left > 0) {
        goes_on = list_rest(batch, counts);
      } else if (has_ended || !has_arrived(window_bytes)) {
        break;
      } else if (!has_started) {
        start();
      } else if (at == end) {
        finish(flaw::compression);
      } else {
        goes_on = list_window(batch, counts);
      }
    }
    if (gdf::lane() == 0) { end_batch(batch, counts); }
    __syncwarp(); // the staged bytes were read
  }

  /// [warp] Reads the number of bytes that the page begins with.
  GDF_DEVICE void start() {
    has_started = true;
    if (out == size) { // compressed bytes of nothing are not looked at
      has_ended = true;
      return;
    }
    if (at == end) { return refuse(flaw::size); }
    gdf::u64 claimed = 0;
    gdf::u64 const first = bytes_at(at);
    for (uint32_t i = 0; i < 5; i++) {
      if (at == end) { return refuse(flaw::compression); }
      auto const byte = static_cast<uint32_t>(first >> (8 * i)) & 0xff;
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

  /// [thread] Reads the element at a position before the end.
  GDF_DEVICE candidate element_at(uint32_t position) const {
    uint32_t const behind = end - position;
    gdf::u64 const read = bytes_at(position);
    auto const tag = static_cast<uint32_t>(read) & 0xff;
    auto const next = static_cast<uint32_t>(read >> 8); // the 4 bytes behind the tag
    uint32_t const high = tag >> 2;
    uint32_t const kind = tag & 3;
    if (kind == 0) {
      uint32_t const extra = high < 60 ? 0 : high - 59;
      uint32_t const below = extra == 0 ? high : next & ~0u >> (32 - 8 * extra); // one less than the number of bytes
      bool const is_whole = extra + 1 < behind && below < behind - 1 - extra;
      return {below + 1, position + 1 + extra, is_whole ? below + 2 + extra : 0, false};
    }
    uint32_t const extra = kind == 3 ? 4 : kind;
    uint32_t const bytes = kind == 1 ? 4 + (high & 7) : high + 1;
    uint32_t distance = next;
    if (kind == 1) { distance = (tag >> 5) << 8 | (next & 0xff); }
    if (kind == 2) { distance = next & 0xffff; }
    return {bytes, distance, extra < behind && distance != 0 ? 1 + extra : 0, true};
  }

  /// [warp] Lists the elements that begin in the next 32 bytes, up to the end of the batch. Returns false if the batch is
  /// full.
  GDF_DEVICE bool list_window(element_batch& batch, batch_counts& counts) {
    auto const lane = static_cast<uint32_t>(gdf::lane());
    bool const exists = lane < end - at;
    candidate const own = exists ? element_at(at + lane) : candidate{0, 0, 0, false};
    window_chain const chain = follow(exists, own.step, own.bytes);
    bool const begins = (chain.begins >> lane & 1) != 0;
    uint32_t const to = chain.to;
    auto const plain = static_cast<uint32_t>(of.plain);
    bool const is_bad = own.step == 0 || own.bytes > size - to || (own.is_copy && own.from > to - plain);
    if (__any_sync(~0u, begins && is_bad)) {
      refuse(flaw::compression);
      return true;
    }
    uint32_t const limit = begin + batch_bytes;
    auto const number = static_cast<uint32_t>(__popc(chain.begins & ((1u << lane) - 1)));
    bool const fits = begins && number < counts.slots() && to < limit;
    uint32_t const listed = __ballot_sync(~0u, fits);
    if (listed == 0) { return false; }
    uint32_t const part = own.bytes < limit - to ? own.bytes : limit - to;
    list_elements(batch, counts, {part, own.from, own.is_copy}, to, fits);
    int const last = 31 - __clz(static_cast<int>(listed));
    at += __shfl_sync(~0u, lane + own.step, last);
    out = __shfl_sync(~0u, to + part, last);
    left = __shfl_sync(~0u, own.bytes - part, last);
    is_copy = __shfl_sync(~0u, own.is_copy ? 1 : 0, last) != 0;
    from = __shfl_sync(~0u, own.is_copy ? own.from : own.from + part, last);
    return true;
  }
};

} // namespace decode
