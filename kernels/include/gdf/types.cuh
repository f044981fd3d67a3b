// Descriptors and scalar types that all kernels share: the structs that the host passes by value, the type numbers, the
// layout of a stream's scratch memory, and the wide integers.
//
// The comments of gdf functions begin with the threads that call the function:
//   [thread] Any thread may call the function alone. The calling thread gets the result.
//   [warp]   All 32 lanes call the function together. The comment says which lanes get the result.
//   [block]  All threads of a one-dimensional block call the function together, outside divergent code. The function
//            synchronizes the block. The comment says which threads get the result.
#pragma once

#include <cstdint>

/// Marks every device function of these headers. The function is inlined, so that an unused function costs nothing.
#define GDF_DEVICE __device__ __forceinline__

namespace gdf {

using u64 = unsigned long long; // the type that 64-bit atomics and shuffles take

static_assert(sizeof(u64) == 8);

/// Types of counts that the host passes to kernels.
///
/// The host has a distinct type for each kind of count, so that it cannot pass, for example, a number of rows in place
/// of a number of tiles.
using row_count = int64_t;
using tile_count = int64_t;
using byte_count = int64_t;
using row_count32 = int32_t;
using tile_count32 = int32_t;
using byte_count32 = int32_t;

template <class A, class B>
constexpr bool is_same = false;
template <class A>
constexpr bool is_same<A, A> = true;

/// The physical types. The Rust descriptors use the same numbers.
enum class type : int32_t {
  boolean = 0, // bit-packed, least significant bit first
  i8 = 1,
  i16 = 2,
  i32 = 3,
  i64 = 4,
  u8 = 5,
  u16 = 6,
  u32 = 7,
  u64 = 8,
  f16 = 9,
  f32 = 10,
  f64 = 11,
  i128 = 12,
  i256 = 13,
  fixed_binary = 14,         // the width is a kernel parameter
  string = 15,               // offsets (64-bit with the flag wide_offsets) and bytes
  binary = 16,               // any bytes, stored like strings
  list = 17,                 // offsets; the child is a separate column
  structure = 18,            // validity only
  dictionary = 19,           // `data` holds keys; their type is a parameter of the kernel
  string_view = 20,          // 16-byte views
  binary_view = 21,          // 16-byte views
  interval_day_time = 22,    // 8 bytes: days, milliseconds
  interval_month_day_nano = 23, // 16 bytes: months, days, nanoseconds
  null = 24,                 // no buffers
};

enum flags : int32_t {
  broadcast = 1,    // the single row at `offset` stands for every row
  wide_offsets = 2, // `offsets` holds int64_t, not int32_t
};

/// A column that a kernel reads. Row r lies at index `offset + r` of each buffer. A null `validity` means that every
/// row is valid.
struct column_in {
  const void* data;
  const void* offsets;
  const uint8_t* validity;
  int64_t offset;
  int64_t length;
  int32_t type;
  int32_t flags;
};
static_assert(sizeof(column_in) == 48 && alignof(column_in) == 8);

/// A column that a kernel writes, from row (and bit) 0. `validity` is 64-byte aligned. If the result has no mask,
/// `validity` and `null_count` are null.
struct column_out {
  void* data;
  void* offsets;
  uint32_t* validity;
  unsigned long long* null_count;
  int64_t length;
  int32_t type;
  int32_t flags;
};
static_assert(sizeof(column_out) == 48 && alignof(column_out) == 8);

/// The size of a stream's scratch memory, and the size of its first part. The first part is zero between operations.
/// The remaining memory holds unspecified data.
constexpr int scratch_bytes = 65536;
constexpr int scratch_zeroed_bytes = 4096;

/// The number of zeroed words that operations may use. An operation must set these words back to zero.
constexpr int scratch_zeroed_words = 448;

/// A stream's scratch memory.
///
/// The fields before `partials` are zero between operations. A kernel that uses one of them must set it back to zero.
struct scratch {
  unsigned long long counts[32]; // null counts per blockIdx.y, see count.cuh
  uint32_t tickets[64];          // see last_block.cuh; slot 32 and up are free for operations
  unsigned long long zeroed[scratch_zeroed_words]; // accumulators of operations
  unsigned char partials[scratch_bytes - scratch_zeroed_bytes]; // per-block partial results
};
static_assert(sizeof(scratch) == scratch_bytes);
static_assert(__builtin_offsetof(scratch, partials) == scratch_zeroed_bytes);

using i128 = __int128;
using u128 = unsigned __int128;

/// A 256-bit two's complement integer, least significant word first. Its bytes are those of Arrow's Decimal256.
struct i256 {
  unsigned long long word[4];
};
static_assert(sizeof(i256) == 32 && alignof(i256) == 8);

GDF_DEVICE i256 operator+(const i256& a, const i256& b) {
  i256 sum;
  unsigned long long carry = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    unsigned long long const partial = a.word[i] + carry;
    unsigned long long const overflow = partial < carry;
    sum.word[i] = partial + b.word[i];
    carry = overflow | (sum.word[i] < partial);
  }
  return sum;
}

GDF_DEVICE i256 operator-(const i256& a, const i256& b) {
  i256 difference;
  unsigned long long borrow = 0;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    unsigned long long const partial = a.word[i] - borrow;
    unsigned long long const underflow = a.word[i] < borrow;
    difference.word[i] = partial - b.word[i];
    borrow = underflow | (partial < b.word[i]);
  }
  return difference;
}

GDF_DEVICE i256 operator-(const i256& a) { return i256{{0, 0, 0, 0}} - a; }

GDF_DEVICE bool operator==(const i256& a, const i256& b) {
  return ((a.word[0] ^ b.word[0]) | (a.word[1] ^ b.word[1]) | (a.word[2] ^ b.word[2]) |
          (a.word[3] ^ b.word[3])) == 0;
}

GDF_DEVICE bool operator<(const i256& a, const i256& b) {
  if (a.word[3] != b.word[3]) {
    return static_cast<long long>(a.word[3]) < static_cast<long long>(b.word[3]);
  }
#pragma unroll
  for (int i = 2; i > 0; i--) {
    if (a.word[i] != b.word[i]) { return a.word[i] < b.word[i]; }
  }
  return a.word[0] < b.word[0];
}

GDF_DEVICE bool operator!=(const i256& a, const i256& b) { return !(a == b); }
GDF_DEVICE bool operator>(const i256& a, const i256& b) { return b < a; }
GDF_DEVICE bool operator<=(const i256& a, const i256& b) { return !(b < a); }
GDF_DEVICE bool operator>=(const i256& a, const i256& b) { return !(a < b); }

GDF_DEVICE i256 to_i256(i128 value) {
  unsigned long long const sign = value < 0 ? ~0ull : 0ull;
  return {{static_cast<unsigned long long>(value),
           static_cast<unsigned long long>(static_cast<u128>(value) >> 64), sign, sign}};
}

struct bits128 {
  unsigned long long word[2];
};

/// [thread] Returns the number of bytes per row of a fixed-width type. The result is 0 for every other type, such as
/// boolean, fixed_binary and string.
GDF_DEVICE int width_of(int32_t number) {
  switch (static_cast<type>(number)) {
    case type::i8:
    case type::u8: return 1;
    case type::i16:
    case type::u16:
    case type::f16: return 2;
    case type::i32:
    case type::u32:
    case type::f32: return 4;
    case type::i64:
    case type::u64:
    case type::f64:
    case type::interval_day_time: return 8;
    case type::i128:
    case type::string_view:
    case type::binary_view:
    case type::interval_month_day_nano: return 16;
    case type::i256: return 32;
    default: return 0;
  }
}

} // namespace gdf
