// Lists of the parts between separator bytes, for the rows of a warp. The text of all rows together is converted to
// bits, which are set where a byte is the separator.
#pragma once

#include "byte_run.cuh"
#include "marked_text.cuh"
#include "string_tiles.cuh"

namespace gdf {

namespace build_strings_detail {

/// [thread] Returns the number of elements and the number of their bytes, packed into a word.
///
/// The host has checked that both numbers are below 2^32.
GDF_DEVICE u64 list_size(u64 elements, u64 bytes) { return elements << 32 | bytes; }
GDF_DEVICE u64 elements_of(u64 size) { return size >> 32; }
GDF_DEVICE u64 bytes_of(u64 size) { return size & 0xffffffff; }

template <class Functor, class P>
GDF_DEVICE int separator_of(const P& p) {
  if constexpr (requires { Functor::separator(p); }) {
    return Functor::separator(p);
  } else {
    return -1;
  }
}

/// [thread] Returns a bit for each of sixteen bytes. The bit is set if the byte equals the byte that `what` repeats
/// four times.
GDF_DEVICE uint32_t mark_byte(const uint4& bytes, uint32_t what) {
  uint32_t const words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
  uint32_t tops[4];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    uint32_t const other = words[k] ^ what;
    tops[k] = ~(((other & 0x7f7f7f7fu) + 0x7f7f7f7fu) | other);
  }
  return search_detail::top_bits(tops);
}

/// Finds and writes the separated parts of the rows of a warp, with the bits of their text.
template <class Memory>
struct separated_parts {
  static constexpr uint32_t most = sizeof(Memory::elements) / sizeof(uint16_t);

  Memory& memory;
  uint16_t* begins; // the begin of each element within the bytes of all elements of the warp
  uint32_t* marks;
  uint32_t text; // where the text begins
  uint32_t text_end;

  GDF_DEVICE explicit separated_parts(Memory& memory)
    : memory(memory), begins(reinterpret_cast<uint16_t*>(memory.elements)), marks(memory.marks) {
    constexpr int rows = sizeof(memory.texts.rows) / sizeof(uint32_t);
    uint32_t const last = memory.texts.rows[rows - 1];
    text = memory.texts.rows[0] & 0xffff;
    text_end = (last & 0xffff) + (last >> 16);
  }

  /// [warp] Does the same as record_parts. The function also returns false if a null row has bytes.
  GDF_DEVICE bool record(const warp_rows& rows, const column_out& out, const column_in& in, int separator, u64& total,
                         uint32_t& valid_rows) {
    uint32_t const what = __byte_perm(static_cast<uint32_t>(separator), 0, 0);
    for (uint32_t unit = lane() + 1; unit * 16 < text_end; unit += 32) {
      reinterpret_cast<uint16_t*>(marks)[unit] = static_cast<uint16_t>(mark_byte(memory.texts.units[unit], what));
    }
    __syncwarp();
    uint32_t elements = 0;
    uint32_t values = 0;
    uint32_t valid = 0;
#pragma unroll 1
    for (int i = lane(); i - lane() < rows.count(); i += 32) {
      int64_t const row = rows.first + i;
      uint32_t const begin = memory.texts.rows[i] & 0xffff;
      auto const size = static_cast<int32_t>(memory.texts.rows[i] >> 16);
      bool const is_value = row < rows.end && is_valid(in, row);
      uint32_t count = is_value ? 1 : 0;
#pragma unroll 1
      for (int32_t at = 0; at < size; at += 32) { count += __popc(marked(begin + at, size - at)); }
      uint32_t const up_to = warp_inclusive_sum(count);
      uint32_t const of_step = __shfl_sync(~0u, up_to, 31);
      if (__any_sync(~0u, !is_value && size != 0) || elements + of_step > most) { return false; }
      uint32_t const lanes = __ballot_sync(~0u, is_value);
      uint32_t element = elements + up_to - count;
      memory.starts[i] = static_cast<uint16_t>(element);
      // Each earlier element is followed by a separator, except for the last element of a row.
      uint32_t to = begin - text - (element - values - __popc(lanes & ((1u << lane()) - 1)));
      if (is_value) { begins[element++] = static_cast<uint16_t>(to); }
#pragma unroll 1
      for (int32_t at = 0; at < size; at += 32) {
        for (uint32_t left = marked(begin + at, size - at); left != 0; left &= left - 1) {
          begins[element++] = static_cast<uint16_t>(to-- + at + __ffs(static_cast<int>(left)) - 1);
        }
      }
      elements += of_step;
      values += __popc(lanes);
      valid += store_valid_word(out, row, is_value);
    }
    valid_rows += valid;
    total = list_size(elements, text_end - text - (elements - values));
    __syncwarp();
    return true;
  }

  /// [warp] Writes the offsets of `count` elements, whose bytes begin at `byte`.
  GDF_DEVICE void write_offsets(void* offsets, bool wide, u64 first, u64 byte, uint32_t count) const {
#pragma unroll 2
    for (uint32_t i = lane(); i < count; i += 32) {
      store_offset(offsets, wide, static_cast<int64_t>(first + i), static_cast<int64_t>(byte + begins[i]));
    }
  }

  /// [warp] Writes the text without separators.
  GDF_DEVICE void write_bytes(byte_stage& stage) const {
    uint32_t const selector = selector_of(lane() & 15);
#pragma unroll 1
    for (uint32_t first = 1; first * 16 < text_end; first += 32) {
      uint32_t const unit = first + lane();
      uint32_t kept = 0;
      uint4 bytes{};
      if (unit * 16 < text_end) {
        bytes = memory.texts.units[unit];
        kept = ~uint32_t{reinterpret_cast<const uint16_t*>(marks)[unit]} & 0xffff;
        if (unit * 16 < text) { kept &= ~0u << (text & 15); }
        if (unit * 16 + 16 > text_end) { kept &= ~(~0u << (text_end & 15)); }
      }
      uint32_t const size = __popc(kept);
      uint32_t const up_to = warp_inclusive_sum(size);
      uint32_t const of_step = __shfl_sync(~0u, up_to, 31);
      if (stage.fill + of_step > Memory::stage_bytes) { stage.flush(); }
      byte_run run(stage.bytes, stage.fill + up_to - size);
      uint32_t const words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
      for (int k = 0; k < 4; k++) {
        uint32_t const which = kept >> (4 * k) & 15;
        run.put(__byte_perm(words[k], 0, __shfl_sync(~0u, selector, static_cast<int>(which))), __popc(which));
      }
      run.end();
      stage.fill += of_step;
    }
    stage.flush();
  }

private:
  /// [thread] Returns the bits of the separators among `n` (1 to 32) bytes.
  GDF_DEVICE uint32_t marked(uint32_t at, int32_t n) const {
    return search_detail::bits_from(marks, at) & search_detail::first_bits(n);
  }

  /// [thread] Returns the selector with which __byte_perm selects some of four bytes, followed by zeros. The selected
  /// bytes are those whose bit is set in `which`.
  GDF_DEVICE static uint32_t selector_of(int which) {
    uint32_t selector = 0x4444;
    int n = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) {
      if ((which >> k & 1) == 0) { continue; }
      selector ^= static_cast<uint32_t>(4 ^ k) << (4 * n);
      n++;
    }
    return selector;
  }
};

} // namespace build_strings_detail

} // namespace gdf
