// Powers of ten, each as its highest 128 bits and a power of two. A power is the product of an entry of a table with
// 192 bits for every 27th power of ten, and a power of five from a second table.
#pragma once

#include <gdf/types.cuh>

namespace strings {

using u128 = gdf::u128;
using u64 = gdf::u64;

constexpr int first_power = -351;

/// The highest 192 bits of 10^(-351 + 27 i), rounded down.
__device__ const unsigned long long powers[26][3] = {
  {0x8049a4ac0c5811aeull, 0x205b896d777d6278ull, 0xac261e9f5141430bull},
  {0xcf42894a5dce35eaull, 0x52064cac828675b9ull, 0x475f2b7d7df1ad7aull},
  {0xa76c582338ed2621ull, 0xaf2af2b80af6f24eull, 0x657c8f4d43323a36ull},
  {0x873e4f75e2224e68ull, 0x5a7744a6e804a291ull, 0xcc35eddfcf0996d7ull},
  {0xda7f5bf590966848ull, 0xaf39a475506a899eull, 0xa30294cc2934e662ull},
  {0xb080392cc4349decull, 0xbd8d794d96aacfb3ull, 0xfe13a5c86af64418ull},
  {0x8e938662882af53eull, 0x547eb47b7282ee9cull, 0x41b0230e1421487dull},
  {0xe65829b3046b0afaull, 0x0cb4a5a3112a5112ull, 0xa3b561b1cb208396ull},
  {0xba121a4650e4ddebull, 0x92f34d62616ce413ull, 0x21a0183e10583cd3ull},
  {0x964e858c91ba2655ull, 0x3a6a07f8d510f86full, 0xe9082f25e9c5e9ecull},
  {0xf2d56790ab41c2a2ull, 0xfae27299423fb9c3ull, 0x3695dad7e8858901ull},
  {0xc428d05aa4751e4cull, 0xaa97e14c3c26b886ull, 0x96842dc95323f5a8ull},
  {0x9e74d1b791e07e48ull, 0x775ea264cf55347dull, 0xca49f1c05120c9c7ull},
  {0x8000000000000000ull, 0x0000000000000000ull, 0x0000000000000000ull},
  {0xcecb8f27f4200f3aull, 0x0000000000000000ull, 0x0000000000000000ull},
  {0xa70c3c40a64e6c51ull, 0x999090b65f67d924ull, 0x0000000000000000ull},
  {0x86f0ac99b4e8dafdull, 0x69a028bb3ded71a3ull, 0xdf9f915627c04e28ull},
  {0xda01ee641a708de9ull, 0xe80e6f4820cc9495ull, 0xd74baad03bc1d8d3ull},
  {0xb01ae745b101e9e4ull, 0x5ec05dcff72e7f8full, 0xc04c79ffe324301full},
  {0x8e41ade9fbebc27dull, 0x14588f13be847307ull, 0x23bd6a2059c002f5ull},
  {0xe5d3ef282a242e81ull, 0x8f1668c8a86da5faull, 0xf0b5ccf5176ecc7cull},
  {0xb9a74a0637ce2ee1ull, 0x6d953e2bd7173692ull, 0x88efb0037ac08bdeull},
  {0x95f83d0a1fb69cd9ull, 0x4abdaf101564f98eull, 0x0d5a4af7b3a98e47ull},
  {0xf24a01a73cf2dccfull, 0xbc633b39673c8cecull, 0x3d9c44cd2f36917cull},
  {0xc3b8358109e84f07ull, 0x0a862f80ec4700c8ull, 0x02606ea01029dc37ull},
  {0x9e19db92b4e31ba9ull, 0x6c07a2c26a8346d1ull, 0x4944d9f52cd0dec2ull},
};

__device__ const unsigned long long fives[27] = {
  1ull, 5ull, 25ull, 125ull, 625ull, 3125ull, 15625ull, 78125ull, 390625ull, 1953125ull, 9765625ull,
  48828125ull, 244140625ull, 1220703125ull, 6103515625ull, 30517578125ull, 152587890625ull, 762939453125ull,
  3814697265625ull, 19073486328125ull, 95367431640625ull, 476837158203125ull, 2384185791015625ull,
  11920928955078125ull, 59604644775390625ull, 298023223876953125ull, 1490116119384765625ull,
};

/// [thread] Returns floor(log2(10^k)) for |k| < 1234.
GDF_DEVICE int log2_of_power(int k) { return (k * 1741647) >> 19; }

/// [thread] Returns the highest 128 bits of 10^k, rounded down. k must be from -351 to 350. 10^k is at least the result
/// times 2^(log2_of_power(k) - 127).
GDF_DEVICE u128 highest_bits_of_power(int k) {
  int const i = (k - first_power) / 27;
  u64 const five = fives[(k - first_power) % 27];
  u128 const low = static_cast<u128>(powers[i][2]) * five;
  u128 const middle = static_cast<u128>(powers[i][1]) * five + static_cast<u64>(low >> 64);
  u128 const high = static_cast<u128>(powers[i][0]) * five + static_cast<u64>(middle >> 64);
  auto const top = static_cast<u64>(high >> 64);
  auto const rest = static_cast<u64>(middle);
  if (top == 0) { return high << 64 | rest; }
  int const shift = __clzll(static_cast<long long>(top));
  return shift == 0 ? high : high << shift | rest >> (64 - shift);
}

/// [thread] Returns whether 10^k has no set bits below its highest 128 bits.
GDF_DEVICE bool is_exact_power(int k) { return k >= 0 && k <= 55; }

} // namespace strings
