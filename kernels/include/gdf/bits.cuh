// Reads and writes bit-packed memory (validity, booleans), at any address and any bit offset. The least significant bit
// comes first. Reads access only the bytes [base, base + ceil(end_bit / 8)), so that memory of other libraries without
// padding is safe. Loads use the read-only cache, so a kernel must not read in this way what it has written itself.
#pragma once

#include "types.cuh"

namespace gdf {

/// [thread] Returns a word whose bits [0, n) are set. If n is 32 or more, all bits are set. If n is 0 or less, no bit
/// is set.
GDF_DEVICE uint32_t low_bits(int64_t n) {
  return n >= 32 ? ~0u : n <= 0 ? 0u : (1u << n) - 1u;
}

/// [thread] Does the same as low_bits, for a word of 64 bits.
GDF_DEVICE u64 low_bits64(int64_t n) {
  return n >= 64 ? ~0ull : n <= 0 ? 0ull : (1ull << n) - 1ull;
}

/// [thread] Moves the bits of `bits` that are set in `mask` together, to the lowest bits. The other bits of the result
/// are zero. The method is that of "Hacker's Delight", section 7-4: in step i, bits move by 2^i if bit i of the number
/// of unset mask bits below them is set.
GDF_DEVICE uint32_t compress_bits(uint32_t bits, uint32_t mask) {
  bits &= mask;
  uint32_t unset = ~mask << 1;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    uint32_t parity = unset; // bit k is the parity of the unset bits at or below bit k
#pragma unroll
    for (int by = 1; by < 32; by *= 2) { parity ^= parity << by; }
    uint32_t const moves = parity & mask;
    mask = (mask ^ moves) | (moves >> step);
    uint32_t const moved = bits & moves;
    bits = (bits ^ moved) | (moved >> step);
    unset &= ~parity;
  }
  return bits;
}

/// [thread] Does the same as compress_bits, for words of 64 bits.
GDF_DEVICE u64 compress_bits64(u64 bits, u64 mask) {
  auto const low = static_cast<uint32_t>(mask);
  u64 const first = compress_bits(static_cast<uint32_t>(bits), low);
  u64 const second = compress_bits(static_cast<uint32_t>(bits >> 32), static_cast<uint32_t>(mask >> 32));
  return first | second << __popc(low);
}

GDF_DEVICE int64_t words_for(int64_t bits) { return (bits + 31) >> 5; }

GDF_DEVICE bool get_bit(const void* base, int64_t bit) {
  return (__ldg(static_cast<const uint8_t*>(base) + (bit >> 3)) >> (bit & 7)) & 1;
}

namespace bits_detail {

/// Loads the bytes [first, end) as a little-endian integer and shifts it right by `shift` (0 to 7) bits. N is 4 or 8.
/// There must be at most N + 1 bytes.
template <int N>
GDF_DEVICE u64 gather_bytes(const uint8_t* first, const uint8_t* end, int shift) {
  u64 low = 0;
#pragma unroll
  for (int i = 0; i < N; i++) {
    if (first + i < end) { low |= static_cast<u64>(__ldg(first + i)) << (8 * i); }
  }
  low >>= shift;
  if (shift != 0 && first + N < end) {
    low |= static_cast<u64>(__ldg(first + N)) << (8 * N - shift);
  }
  return low;
}

} // namespace bits_detail

/// [thread] Returns the bits [bit, bit + 32). The bits from `end_bit` on are zero.
GDF_DEVICE uint32_t load_bits32(const void* base, int64_t bit, int64_t end_bit) {
  if (bit >= end_bit) { return 0; }
  auto const* const bytes = static_cast<const uint8_t*>(base);
  auto const* const first = bytes + (bit >> 3);
  auto const* const end = bytes + ((end_bit + 7) >> 3);
  auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(first) & 3);
  auto const* const word = reinterpret_cast<const uint32_t*>(first - misalignment);
  int const shift = misalignment * 8 + static_cast<int>(bit & 7);
  int const needed = shift == 0 ? 4 : 8;
  uint32_t value;
  if (first - misalignment >= bytes && first - misalignment + needed <= end) {
    value = __ldg(word);
    if (shift != 0) { value = __funnelshift_r(value, __ldg(word + 1), shift); }
  } else {
    value = static_cast<uint32_t>(
      bits_detail::gather_bytes<4>(first, end, static_cast<int>(bit & 7)));
  }
  return value & low_bits(end_bit - bit);
}

/// [thread] Does the same as load_bits32, for 64 bits.
GDF_DEVICE u64 load_bits64(const void* base, int64_t bit, int64_t end_bit) {
  if (bit >= end_bit) { return 0; }
  auto const* const bytes = static_cast<const uint8_t*>(base);
  auto const* const first = bytes + (bit >> 3);
  auto const* const end = bytes + ((end_bit + 7) >> 3);
  auto const misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(first) & 3);
  auto const* const word = reinterpret_cast<const uint32_t*>(first - misalignment);
  int const shift = misalignment * 8 + static_cast<int>(bit & 7);
  int const needed = shift == 0 ? 8 : 12;
  u64 value;
  if (first - misalignment >= bytes && first - misalignment + needed <= end) {
    uint32_t low = __ldg(word);
    uint32_t high = __ldg(word + 1);
    if (shift != 0) {
      low = __funnelshift_r(low, high, shift);
      high = __funnelshift_r(high, __ldg(word + 2), shift);
    }
    value = static_cast<u64>(high) << 32 | low;
  } else {
    value = bits_detail::gather_bytes<8>(first, end, static_cast<int>(bit & 7));
  }
  return value & low_bits64(end_bit - bit);
}

/// [thread] Sets one bit. Other threads may write to the same word at the same time, and words must be 4-byte aligned.
GDF_DEVICE void atomic_set_bit(uint32_t* words, int64_t bit) {
  atomicOr(words + (bit >> 5), 1u << (bit & 31));
}

/// [thread] Clears one bit. Other threads may write to the same word at the same time.
GDF_DEVICE void atomic_clear_bit(uint32_t* words, int64_t bit) {
  atomicAnd(words + (bit >> 5), ~(1u << (bit & 31)));
}

} // namespace gdf
