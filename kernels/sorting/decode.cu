// Columns from sorted keys: values, masks and null counts of a whole table in one launch.

#include <type_traits>

#include <gdf/count.cuh>
#include <gdf/policy.cuh>

#include "key.cuh"

GDF_POLICY(sort_decode, 256, 4, 4);

namespace sorting_decode {

using namespace sorting;
using tuning = sort_decode_tuning;

constexpr int32_t all_null = 4;

/// A column of the result; of 256 bits the second field is the lower half.
struct decoded {
  gdf::column_out out;
  u64 base[2][2];
  int32_t position[2];
  int32_t bits[2];
  int32_t shift[2];
  int32_t null_position; // below 0: no bit
  int32_t flags;         // piece_flags, all_null
};
static_assert(sizeof(decoded) == 112);

struct table {
  decoded at[32];
};

template <class Word>
GDF_DEVICE Word word_of(const decoded& column, int part, u64 key) {
  auto const base = static_cast<Word>(make_u128(column.base[part][0], column.base[part][1]));
  int const bits = column.bits[part];
  if (bits == 0) { return base; }
  auto const kept = static_cast<Word>(key >> column.position[part] & (~0ull >> (64 - bits)));
  Word const distance = kept << column.shift[part];
  return column.flags & descending ? base - distance : base + distance;
}

template <class Order>
GDF_DEVICE void store_value(const decoded& column, int64_t row, u64 key, bool in) {
  using word = typename Order::word;
  if constexpr (std::is_same_v<Order, text_order>) {
    return;
  } else if constexpr (std::is_same_v<Order, boolean_order>) {
    uint32_t const bits = __ballot_sync(~0u, in && word_of<u64>(column, 0, key) != 0);
    if (gdf::lane() == 0 && in) { static_cast<uint32_t*>(column.out.data)[row >> 5] = bits; }
  } else if constexpr (std::is_same_v<Order, i256_order>) {
    if (in) {
      gdf::store(static_cast<gdf::i256*>(column.out.data) + row,
                 Order::restored(word_of<u128>(column, 0, key), word_of<u128>(column, 1, key)));
    }
  } else {
    if (in) {
      auto* const data = static_cast<typename Order::stored*>(column.out.data);
      gdf::store(data + row, Order::restored(word_of<word>(column, 0, key)));
    }
  }
}

template <class Key>
GDF_DEVICE void decode(const table& to, const Key* keys, int64_t rows, gdf::scratch* scratch) {
  const decoded& column = to.at[blockIdx.y];
  bool const first = column.flags & nulls_first;
  uint32_t valid_rows = 0;
  by_order(column.out.type, [&]<class Order>() {
    gdf::for_each_tile<tuning::threads, tuning::items>(rows, [&](int64_t tile, bool) {
      u64 key[tuning::items];
#pragma unroll
      for (int i = 0; i < tuning::items; i++) {
        int64_t const row = gdf::row_of<tuning::threads>(tile, i);
        key[i] = keys[row < rows ? row : rows - 1];
      }
#pragma unroll
      for (int i = 0; i < tuning::items; i++) {
        int64_t const row = gdf::row_of<tuning::threads>(tile, i);
        bool const in = row < rows;
        store_value<Order>(column, row, key[i], in);
        bool const valid = column.null_position < 0
                             ? (column.flags & all_null) == 0
                             : ((key[i] >> column.null_position & 1) != 0) == first;
        if (row - gdf::lane() < rows) {
          valid_rows += gdf::store_valid_word(column.out, row - gdf::lane(), in && valid);
        }
      }
    });
  });
  gdf::post_null_count<tuning::threads>(scratch, column.out, valid_rows);
}

} // namespace sorting_decode

/// Column blockIdx.y of the result from `rows` sorted keys of one word. Values under nulls are
/// arbitrary.
extern "C" __global__ void GDF_BOUNDS(sort_decode)
sort_decode_k32_kernel(const __grid_constant__ sorting_decode::table to, const uint32_t* keys,
                       int64_t rows, gdf::scratch* scratch) {
  sorting_decode::decode(to, keys, rows, scratch);
}

extern "C" __global__ void GDF_BOUNDS(sort_decode)
sort_decode_k64_kernel(const __grid_constant__ sorting_decode::table to,
                       const unsigned long long* keys, int64_t rows, gdf::scratch* scratch) {
  sorting_decode::decode(to, keys, rows, scratch);
}
