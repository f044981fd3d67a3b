// Published hash functions, which other programs also compute: MurmurHash3 and XXHash of bytes. The bytes come from
// registers or from memory, as little-endian words of eight bytes.
#pragma once

#include "half.cuh"
#include "string_view.cuh"

namespace gdf {

template <int bytes>
struct register_bytes {
  static constexpr int unroll = 4; // all steps are unrolled, because `word` must not be indexed at run time
  u64 word[(bytes + 7) / 8];

  GDF_DEVICE static constexpr int64_t size() { return bytes; }
  GDF_DEVICE u64 operator()(int64_t at) const { return word[at >> 3]; }
};

struct memory_bytes {
  static constexpr int unroll = 1;
  string_view view;

  GDF_DEVICE int64_t size() const { return view.size; }
  GDF_DEVICE u64 operator()(int64_t at) const {
    int64_t const left = view.size - at;
    if (left >= string_detail::reach) { return string_detail::load8(view.data + at); }
    u64 word = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (i < left) { word |= static_cast<u64>(__ldg(view.data + at + i)) << (8 * i); }
    }
    return word;
  }
};

namespace hash_detail {

GDF_DEVICE uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }
GDF_DEVICE u64 rotate(u64 x, int by) { return x << by | x >> (64 - by); }

} // namespace hash_detail

/// MurmurHash3_x86_32.
struct murmurhash3_x86_32 {
  using value = uint32_t;
  using seed = uint32_t;
  static constexpr bool one_zero = true;
  static constexpr bool of_numbers = false;

  GDF_DEVICE static value null() { return ~0u; }
  GDF_DEVICE static seed seed_after(value, seed initial) { return initial; }
  GDF_DEVICE static value combine(value before, value h) {
    return before ^ (h + 0x9e3779b9u + (before << 6) + (before >> 2));
  }

  GDF_DEVICE static uint32_t mix(uint32_t k) {
    return hash_detail::rotate(k * 0xcc9e2d51u, 15) * 0x1b873593u;
  }

  template <class Bytes>
  GDF_DEVICE static value hash(const Bytes& bytes, seed h) {
    int64_t const size = bytes.size();
#pragma unroll Bytes::unroll
    for (int64_t at = 0; at < size; at += 8) {
      u64 const word = bytes(at);
      int64_t const left = size - at;
      h ^= mix(static_cast<uint32_t>(word)); // the missing bytes of a tail are zeros
      if (left >= 4) { h = hash_detail::rotate(h, 13) * 5 + 0xe6546b64u; }
      if (left > 4) { h ^= mix(static_cast<uint32_t>(word >> 32)); }
      if (left >= 8) { h = hash_detail::rotate(h, 13) * 5 + 0xe6546b64u; }
    }
    h ^= static_cast<uint32_t>(size);
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
  }
};

/// MurmurHash3_x64_128.
struct murmurhash3_x64_128 {
  struct value {
    u64 low;
    u64 high;
  };
  using seed = u64;
  static constexpr bool one_zero = false;
  static constexpr bool of_numbers = false;

  GDF_DEVICE static value null() { return {~0ull, ~0ull}; }
  GDF_DEVICE static seed seed_after(value before, seed) { return before.low; }
  GDF_DEVICE static value combine(value, value h) { return h; }

  GDF_DEVICE static u64 mix_low(u64 k) {
    return hash_detail::rotate(k * 0x87c37b91114253d5ull, 31) * 0x4cf5ad432745937full;
  }
  GDF_DEVICE static u64 mix_high(u64 k) {
    return hash_detail::rotate(k * 0x4cf5ad432745937full, 33) * 0x87c37b91114253d5ull;
  }
  GDF_DEVICE static u64 finish(u64 h) {
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53ull;
    return h ^ h >> 33;
  }

  template <class Bytes>
  GDF_DEVICE static value hash(const Bytes& bytes, seed initial) {
    u64 low = initial;
    u64 high = initial;
    int64_t const size = bytes.size();
#pragma unroll Bytes::unroll
    for (int64_t at = 0; at < size; at += 16) {
      int64_t const left = size - at;
      low ^= mix_low(bytes(at));
      if (left > 8) {
        u64 const word = bytes(at + 8);
        if (left >= 16) {
          low = (hash_detail::rotate(low, 27) + high) * 5 + 0x52dce729u;
          high ^= mix_high(word);
          high = (hash_detail::rotate(high, 31) + low) * 5 + 0x38495ab5u;
        } else {
          high ^= mix_high(word);
        }
      }
    }
    low ^= static_cast<u64>(size);
    high ^= static_cast<u64>(size);
    low += high;
    high += low;
    low = finish(low);
    high = finish(high);
    low += high;
    high += low;
    return {low, high};
  }
};

/// XXH32.
struct xxhash_32 {
  using value = uint32_t;
  using seed = uint32_t;
  static constexpr bool one_zero = true;
  static constexpr bool of_numbers = false;
  static constexpr uint32_t prime1 = 0x9e3779b1u;
  static constexpr uint32_t prime2 = 0x85ebca77u;
  static constexpr uint32_t prime3 = 0xc2b2ae3du;
  static constexpr uint32_t prime4 = 0x27d4eb2fu;
  static constexpr uint32_t prime5 = 0x165667b1u;

  GDF_DEVICE static value null() { return ~0u; }
  GDF_DEVICE static seed seed_after(value, seed initial) { return initial; }
  GDF_DEVICE static value combine(value before, value h) {
    return murmurhash3_x86_32::combine(before, h);
  }

  GDF_DEVICE static uint32_t round(uint32_t lane, uint32_t word) {
    return hash_detail::rotate(lane + word * prime2, 13) * prime1;
  }
  GDF_DEVICE static uint32_t add_word(uint32_t h, uint32_t word) {
    return hash_detail::rotate(h + word * prime3, 17) * prime4;
  }
  /// Adds the lowest `count` (below 4) bytes of `word` to the hash.
  GDF_DEVICE static uint32_t add_bytes(uint32_t h, uint32_t word, int64_t count) {
#pragma unroll
    for (int i = 0; i < 3; i++) {
      if (i < count) { h = hash_detail::rotate(h + (word >> 8 * i & 255) * prime5, 11) * prime1; }
    }
    return h;
  }

  template <class Bytes>
  GDF_DEVICE static value hash(const Bytes& bytes, seed initial) {
    int64_t const size = bytes.size();
    uint32_t h = initial + prime5;
    if (size >= 16) {
      uint32_t a = initial + prime1 + prime2;
      uint32_t b = initial + prime2;
      uint32_t c = initial;
      uint32_t d = initial - prime1;
#pragma unroll Bytes::unroll
      for (int64_t at = 0; at + 16 <= size; at += 16) {
        u64 const first = bytes(at);
        u64 const second = bytes(at + 8);
        a = round(a, static_cast<uint32_t>(first));
        b = round(b, static_cast<uint32_t>(first >> 32));
        c = round(c, static_cast<uint32_t>(second));
        d = round(d, static_cast<uint32_t>(second >> 32));
      }
      h = hash_detail::rotate(a, 1) + hash_detail::rotate(b, 7) + hash_detail::rotate(c, 12) +
          hash_detail::rotate(d, 18);
    }
    h += static_cast<uint32_t>(size);
#pragma unroll Bytes::unroll
    for (int64_t at = size & ~int64_t{15}; at < size; at += 8) {
      u64 const word = bytes(at);
      int64_t const left = size - at;
      uint32_t const half = static_cast<uint32_t>(word >> 32);
      h = left >= 4 ? add_word(h, static_cast<uint32_t>(word))
                    : add_bytes(h, static_cast<uint32_t>(word), left);
      h = left >= 8 ? add_word(h, half) : add_bytes(h, half, left - 4);
    }
    h = (h ^ h >> 15) * prime2;
    h = (h ^ h >> 13) * prime3;
    return h ^ h >> 16;
  }
};

/// XXH64.
struct xxhash_64 {
  using value = u64;
  using seed = u64;
  static constexpr bool one_zero = false;
  static constexpr bool of_numbers = false;
  static constexpr u64 prime1 = 0x9e3779b185ebca87ull;
  static constexpr u64 prime2 = 0xc2b2ae3d27d4eb4full;
  static constexpr u64 prime3 = 0x165667b19e3779f9ull;
  static constexpr u64 prime4 = 0x85ebca77c2b2ae63ull;
  static constexpr u64 prime5 = 0x27d4eb2f165667c5ull;

  GDF_DEVICE static value null() { return ~0ull; }
  GDF_DEVICE static seed seed_after(value, seed initial) { return initial; }
  GDF_DEVICE static value combine(value before, value h) {
    return before ^ (h + 0x9e3779b97f4a7c15ull + (before << 6) + (before >> 2));
  }

  GDF_DEVICE static u64 round(u64 lane, u64 word) {
    return hash_detail::rotate(lane + word * prime2, 31) * prime1;
  }
  GDF_DEVICE static u64 merge(u64 h, u64 lane) { return (h ^ round(0, lane)) * prime1 + prime4; }
  /// Adds the lowest `count` (below 8) bytes of `word` to the hash.
  GDF_DEVICE static u64 add_tail(u64 h, u64 word, int64_t count) {
    if (count >= 4) {
      h = hash_detail::rotate(h ^ (word & 0xffffffffu) * prime1, 23) * prime2 + prime3;
      word >>= 32;
      count -= 4;
    }
#pragma unroll
    for (int i = 0; i < 3; i++) {
      if (i < count) { h = hash_detail::rotate(h ^ (word >> 8 * i & 255) * prime5, 11) * prime1; }
    }
    return h;
  }

  template <class Bytes>
  GDF_DEVICE static value hash(const Bytes& bytes, seed initial) {
    int64_t const size = bytes.size();
    u64 h = initial + prime5;
    if (size >= 32) {
      u64 a = initial + prime1 + prime2;
      u64 b = initial + prime2;
      u64 c = initial;
      u64 d = initial - prime1;
#pragma unroll Bytes::unroll
      for (int64_t at = 0; at + 32 <= size; at += 32) {
        a = round(a, bytes(at));
        b = round(b, bytes(at + 8));
        c = round(c, bytes(at + 16));
        d = round(d, bytes(at + 24));
      }
      h = hash_detail::rotate(a, 1) + hash_detail::rotate(b, 7) + hash_detail::rotate(c, 12) +
          hash_detail::rotate(d, 18);
      h = merge(merge(merge(merge(h, a), b), c), d);
    }
    h += static_cast<u64>(size);
#pragma unroll Bytes::unroll
    for (int64_t at = size & ~int64_t{31}; at < size; at += 8) {
      u64 const word = bytes(at);
      int64_t const left = size - at;
      h = left >= 8 ? hash_detail::rotate(h ^ round(0, word), 27) * prime1 + prime4
                    : add_tail(h, word, left);
    }
    h = (h ^ h >> 33) * prime2;
    h = (h ^ h >> 29) * prime3;
    return h ^ h >> 32;
  }
};

/// The identity, which is used instead of a hash for numbers.
///
/// Integers and booleans are reduced modulo 2^32. Floats are truncated to integers, and values out of range saturate.
/// NaN becomes 0.
struct identity_hash {
  using value = uint32_t;
  using seed = uint32_t;
  static constexpr bool one_zero = true;
  static constexpr bool of_numbers = true;

  GDF_DEVICE static value null() { return ~0u; }
  GDF_DEVICE static seed seed_after(value, seed initial) { return initial; }
  GDF_DEVICE static value combine(value before, value h) {
    return murmurhash3_x86_32::combine(before, h);
  }

  GDF_DEVICE static value saturated(double number) {
    return !(number > 0.0)           ? 0u
           : number >= 4294967295.0 ? ~0u
                                     : static_cast<uint32_t>(number);
  }

  GDF_DEVICE static value number(int32_t number, u64 bits) {
    switch (static_cast<type>(number)) {
      case type::i8: return static_cast<uint32_t>(static_cast<int8_t>(bits));
      case type::i16: return static_cast<uint32_t>(static_cast<int16_t>(bits));
      case type::f16: return saturated(__half2float(__ushort_as_half(static_cast<uint16_t>(bits))));
      case type::f32: return saturated(__uint_as_float(static_cast<uint32_t>(bits)));
      case type::f64: return saturated(__longlong_as_double(static_cast<long long>(bits)));
      default: return static_cast<uint32_t>(bits);
    }
  }

  template <class Bytes>
  GDF_DEVICE static value hash(const Bytes&, seed) {
    return null(); // the type is not numeric
  }
};

} // namespace gdf
