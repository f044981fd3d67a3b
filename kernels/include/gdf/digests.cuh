// MD5 (RFC 1321) and the SHA family (FIPS 180-4). The bytes of a message may be passed in several pieces.
#pragma once

#include "hash_functions.cuh"

namespace gdf {

namespace digest_detail {

/// Element i is floor(2^32 |sin(i + 1)|).
__constant__ const uint32_t md5_sines[64] = {
  0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u,
  0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u,
  0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u,
  0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au,
  0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u,
  0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u,
  0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u,
  0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u,
};

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
__constant__ const uint32_t sha256_roots[64] = {
  0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
  0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
  0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
  0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
  0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
  0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
  0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
  0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
};
__constant__ const u64 sha512_roots[80] = {
  0x428a2f98d728ae22ull, 0x7137449123ef65cdull, 0xb5c0fbcfec4d3b2full, 0xe9b5dba58189dbbcull,
  0x3956c25bf348b538ull, 0x59f111f1b605d019ull, 0x923f82a4af194f9bull, 0xab1c5ed5da6d8118ull,
  0xd807aa98a3030242ull, 0x12835b0145706fbeull, 0x243185be4ee4b28cull, 0x550c7dc3d5ffb4e2ull,
  0x72be5d74f27b896full, 0x80deb1fe3b1696b1ull, 0x9bdc06a725c71235ull, 0xc19bf174cf692694ull,
  0xe49b69c19ef14ad2ull, 0xefbe4786384f25e3ull, 0x0fc19dc68b8cd5b5ull, 0x240ca1cc77ac9c65ull,
  0x2de92c6f592b0275ull, 0x4a7484aa6ea6e483ull, 0x5cb0a9dcbd41fbd4ull, 0x76f988da831153b5ull,
  0x983e5152ee66dfabull, 0xa831c66d2db43210ull, 0xb00327c898fb213full, 0xbf597fc7beef0ee4ull,
  0xc6e00bf33da88fc2ull, 0xd5a79147930aa725ull, 0x06ca6351e003826full, 0x142929670a0e6e70ull,
  0x27b70a8546d22ffcull, 0x2e1b21385c26c926ull, 0x4d2c6dfc5ac42aedull, 0x53380d139d95b3dfull,
  0x650a73548baf63deull, 0x766a0abb3c77b2a8ull, 0x81c2c92e47edaee6ull, 0x92722c851482353bull,
  0xa2bfe8a14cf10364ull, 0xa81a664bbc423001ull, 0xc24b8b70d0f89791ull, 0xc76c51a30654be30ull,
  0xd192e819d6ef5218ull, 0xd69906245565a910ull, 0xf40e35855771202aull, 0x106aa07032bbd1b8ull,
  0x19a4c116b8d2d0c8ull, 0x1e376c085141ab53ull, 0x2748774cdf8eeb99ull, 0x34b0bcb5e19b48a8ull,
  0x391c0cb3c5c95a63ull, 0x4ed8aa4ae3418acbull, 0x5b9cca4f7763e373ull, 0x682e6ff3d6b2b8a3ull,
  0x748f82ee5defb2fcull, 0x78a5636f43172f60ull, 0x84c87814a1f0ab72ull, 0x8cc702081a6439ecull,
  0x90befffa23631e28ull, 0xa4506cebde82bde9ull, 0xbef9a3f7b2c67915ull, 0xc67178f2e372532bull,
  0xca273eceea26619cull, 0xd186b8c721c0c207ull, 0xeada7dd6cde0eb1eull, 0xf57d4f7fee6ed178ull,
  0x06f067aa72176fbaull, 0x0a637dc5a2c898a6ull, 0x113f9804bef90daeull, 0x1b710b35131c471bull,
  0x28db77f523047d84ull, 0x32caab7b40c72493ull, 0x3c9ebe0a15c9bebcull, 0x431d67c49c100d4cull,
  0x4cc5d4becb3e42b6ull, 0x597f299cfc657e2aull, 0x5fcb6fab3ad6faecull, 0x6c44198c4a475817ull,
};

GDF_DEVICE u64 right(u64 x, int by) { return x >> by | x << (64 - by); }
GDF_DEVICE uint32_t right(uint32_t x, int by) { return x >> by | x << (32 - by); }

} // namespace digest_detail

struct md5 {
  using word = uint32_t;
  static constexpr int words = 4;
  static constexpr int kept = 4;
  static constexpr bool big_endian = false;
  static constexpr int length_bytes = 8;

  GDF_DEVICE static void begin(word (&state)[words]) {
    state[0] = 0x67452301u;
    state[1] = 0xefcdab89u;
    state[2] = 0x98badcfeu;
    state[3] = 0x10325476u;
  }

  GDF_DEVICE static void compress(word (&state)[words], const word (&w)[16]) {
    word a = state[0], b = state[1], c = state[2], d = state[3];
#pragma unroll
    for (int i = 0; i < 64; i++) {
      constexpr int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
      word f;
      int at;
      switch (i / 16) {
        case 0: f = (b & c) | (~b & d); at = i; break;
        case 1: f = (d & b) | (~d & c); at = (5 * i + 1) % 16; break;
        case 2: f = b ^ c ^ d; at = (3 * i + 5) % 16; break;
        default: f = c ^ (b | ~d); at = 7 * i % 16; break;
      }
      word const sum = a + f + digest_detail::md5_sines[i] + w[at];
      a = d;
      d = c;
      c = b;
      b += hash_detail::rotate(sum, turns[i / 16][i % 4]);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
  }
};

struct sha1 {
  using word = uint32_t;
  static constexpr int words = 5;
  static constexpr int kept = 5;
  static constexpr bool big_endian = true;
  static constexpr int length_bytes = 8;

  GDF_DEVICE static void begin(word (&state)[words]) {
    state[0] = 0x67452301u;
    state[1] = 0xefcdab89u;
    state[2] = 0x98badcfeu;
    state[3] = 0x10325476u;
    state[4] = 0xc3d2e1f0u;
  }

  GDF_DEVICE static void compress(word (&state)[words], word (&w)[16]) {
    word a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
#pragma unroll
    for (int i = 0; i < 80; i++) {
      if (i >= 16) {
        w[i % 16] = hash_detail::rotate(w[(i + 13) % 16] ^ w[(i + 8) % 16] ^ w[(i + 2) % 16] ^ w[i % 16], 1);
      }
      word f;
      word k;
      switch (i / 20) {
        case 0: f = (b & c) | (~b & d); k = 0x5a827999u; break;
        case 1: f = b ^ c ^ d; k = 0x6ed9eba1u; break;
        case 2: f = (b & c) | (b & d) | (c & d); k = 0x8f1bbcdcu; break;
        default: f = b ^ c ^ d; k = 0xca62c1d6u; break;
      }
      word const sum = hash_detail::rotate(a, 5) + f + e + k + w[i % 16];
      e = d;
      d = c;
      c = hash_detail::rotate(b, 30);
      b = a;
      a = sum;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
};

/// SHA-2 of words of 32 or 64 bits.
template <class Word>
struct sha2 {
  using word = Word;
  static constexpr int words = 8;
  static constexpr bool big_endian = true;
  static constexpr bool wide = sizeof(Word) == 8;
  static constexpr int length_bytes = wide ? 16 : 8;

  /// Returns the exclusive or of three values: x rotated right by a, x rotated right by b, and x shifted right by c.
  template <int a, int b, int c, bool shifts>
  GDF_DEVICE static word mixed(word x) {
    using digest_detail::right;
    return right(x, a) ^ right(x, b) ^ (shifts ? x >> c : right(x, c));
  }

  GDF_DEVICE static void compress(word (&state)[words], word (&w)[16]) {
    word s[words];
#pragma unroll
    for (int i = 0; i < words; i++) { s[i] = state[i]; }
    constexpr int rounds = wide ? 80 : 64;
#pragma unroll 1
    for (int first = 0; first < rounds; first += 16) {
#pragma unroll
      for (int i = 0; i < 16; i++) {
        if (first != 0) {
          word const before = w[(i + 1) % 16];
          word const behind = w[(i + 14) % 16];
          word const low = wide ? mixed<1, 8, 7, true>(before) : mixed<7, 18, 3, true>(before);
          word const high = wide ? mixed<19, 61 % (8 * sizeof(word)), 6, true>(behind) : mixed<17, 19, 10, true>(behind);
          w[i] += low + w[(i + 9) % 16] + high;
        }
        word root;
        if constexpr (wide) {
          root = digest_detail::sha512_roots[first + i];
        } else {
          root = digest_detail::sha256_roots[first + i];
        }
        word const choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        word const majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        word const e = wide ? mixed<14, 18, 41 % (8 * sizeof(word)), false>(s[4]) : mixed<6, 11, 25, false>(s[4]);
        word const a = wide ? mixed<28, 34 % (8 * sizeof(word)), 39 % (8 * sizeof(word)), false>(s[0])
                            : mixed<2, 13, 22, false>(s[0]);
        word const sum = s[7] + e + choice + root + w[i];
#pragma unroll
        for (int k = 7; k > 0; k--) { s[k] = s[k - 1]; }
        s[4] += sum;
        s[0] = sum + a + majority;
      }
    }
#pragma unroll
    for (int i = 0; i < words; i++) { state[i] += s[i]; }
  }

  GDF_DEVICE static void copy(word (&state)[words], const word (&initial)[words]) {
#pragma unroll
    for (int i = 0; i < words; i++) { state[i] = initial[i]; }
  }
};

/// SHA-224. The initial state has the lower 32 bits of each word of the initial state of SHA-384.
struct sha224 : sha2<uint32_t> {
  static constexpr int kept = 7;
  GDF_DEVICE static void begin(word (&state)[words]) {
    copy(state, {
      0xc1059ed8u, 0x367cd507u, 0x3070dd17u, 0xf70e5939u,
      0xffc00b31u, 0x68581511u, 0x64f98fa7u, 0xbefa4fa4u,
    });
  }
};

/// SHA-256. The initial state is the first 32 bits of the fractional parts of the square roots of the first eight
/// primes.
struct sha256 : sha2<uint32_t> {
  static constexpr int kept = 8;
  GDF_DEVICE static void begin(word (&state)[words]) {
    copy(state, {
      0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au,
      0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u,
    });
  }
};

/// SHA-384. The initial state is the first 64 bits of the fractional parts of the square roots of the 9th to 16th
/// prime.
struct sha384 : sha2<u64> {
  static constexpr int kept = 6;
  GDF_DEVICE static void begin(word (&state)[words]) {
    copy(state, {
      0xcbbb9d5dc1059ed8ull, 0x629a292a367cd507ull,
      0x9159015a3070dd17ull, 0x152fecd8f70e5939ull,
      0x67332667ffc00b31ull, 0x8eb44a8768581511ull,
      0xdb0c2e0d64f98fa7ull, 0x47b5481dbefa4fa4ull,
    });
  }
};

/// SHA-512. The initial state is the first 64 bits of the fractional parts of the square roots of the first eight
/// primes.
struct sha512 : sha2<u64> {
  static constexpr int kept = 8;
  GDF_DEVICE static void begin(word (&state)[words]) {
    copy(state, {
      0x6a09e667f3bcc908ull, 0xbb67ae8584caa73bull,
      0x3c6ef372fe94f82bull, 0xa54ff53a5f1d36f1ull,
      0x510e527fade682d1ull, 0x9b05688c2b3e6c1full,
      0x1f83d9abfb41bd6bull, 0x5be0cd19137e2179ull,
    });
  }
};

template <class D>
struct digest_state {
  using word = typename D::word;
  static constexpr int block_bytes = 16 * static_cast<int>(sizeof(word));

  word state[D::words];
  word block[16];
  u64 size;

  GDF_DEVICE void begin() {
    D::begin(state);
    clear();
    size = 0;
  }

  GDF_DEVICE void clear() {
#pragma unroll
    for (int i = 0; i < 16; i++) { block[i] = 0; }
  }

  /// [thread] Returns the number of bits by which byte `at` of a block is shifted within its word.
  GDF_DEVICE static int shift(int at) {
    constexpr int last = static_cast<int>(sizeof(word)) - 1;
    return 8 * (D::big_endian ? last - (at & last) : at & last);
  }

  GDF_DEVICE void put_at(int at, uint8_t byte) {
    block[at / static_cast<int>(sizeof(word))] |= static_cast<word>(byte) << shift(at);
  }

  GDF_DEVICE void compress() {
    word w[16];
#pragma unroll
    for (int i = 0; i < 16; i++) { w[i] = block[i]; }
    D::compress(state, w);
    clear();
  }

  GDF_DEVICE void put(uint8_t byte) {
    int const at = static_cast<int>(size % block_bytes);
    put_at(at, byte);
    size++;
    if (at + 1 == block_bytes) { compress(); }
  }

  /// [thread] Adds several bytes to the message.
  template <class Bytes>
  GDF_DEVICE void put(const Bytes& bytes) {
    int64_t const count = bytes.size();
#pragma unroll Bytes::unroll
    for (int64_t at = 0; at < count; at += 8) {
      u64 word = bytes(at);
      int const left = static_cast<int>(count - at < 8 ? count - at : 8);
#pragma unroll 1
      for (int i = 0; i < left; i++) {
        put(static_cast<uint8_t>(word));
        word >>= 8;
      }
    }
  }

  /// [thread] Ends the message. The first words of `state` are then the digest.
  GDF_DEVICE void finish() {
    int const at = static_cast<int>(size % block_bytes);
    put_at(at, 0x80);
    if (at >= block_bytes - D::length_bytes) { compress(); }
    u64 const bits = size * 8;
    if constexpr (sizeof(word) == 8) {
      block[15] = bits;
    } else {
      block[D::big_endian ? 15 : 14] = static_cast<word>(bits);
      block[D::big_endian ? 14 : 15] = static_cast<word>(bits >> 32);
    }
    compress();
  }

  GDF_DEVICE uint8_t byte(int at) const {
    return static_cast<uint8_t>(state[at / static_cast<int>(sizeof(word))] >> shift(at));
  }
};

/// The digest of the bytes of all elements of a row that are not null, in the form of a hash function (hash_rows.cuh).
template <class D>
struct digest_sink {
  using seed = digest_state<D>*;
  struct value {};
  static constexpr bool one_zero = true;
  static constexpr bool of_numbers = false;

  GDF_DEVICE static value null() { return {}; }
  template <class Bytes>
  GDF_DEVICE static value hash(const Bytes& bytes, seed sink) {
    sink->put(bytes);
    return {};
  }
};

} // namespace gdf
