// stream_compaction::distinct: finds the rows to keep, as a bit for each row, in one cooperative launch over a table of
// keys. If any row of a key may be kept, the row that inserts its key into the table is kept. Otherwise the table
// records the first row, the last row or the number of rows of each key. After a barrier, each row looks up the record
// of its key.

#include <gdf/half.cuh>
#include <gdf/item_bits.cuh>
#include <gdf/key_table.cuh>
#include <gdf/policy.cuh>

GDF_POLICY(distinct, 1024, 4, 1);
GDF_POLICY(distinct_bits, 256, 8, 4);
GDF_POLICY(row_numbers, 256, 8, 8);

namespace distinct {

using gdf::u64;
using tuning = distinct_tuning;
constexpr int threads = tuning::threads;

/// The row that is kept among rows with equal keys. The host has the same enum.
enum keep : int32_t { any = 0, first = 1, last = 2, none = 3 };

/// [thread] Returns the rank of a row in the table. The row with the smallest rank of its key is kept.
GDF_DEVICE uint32_t rank_of(int32_t keep, int64_t row) {
  uint32_t const number = static_cast<uint32_t>(row);
  return keep == last ? ~1u - number : number;
}

/// [grid] Finds the rows to keep.
template <bool packed>
GDF_DEVICE void mark(const gdf::row_keys& keys, const gdf::key_table& table, int64_t rows, int32_t keep,
                     uint32_t* positions, uint32_t* bits, gdf::scratch* scratch) {
  gdf::grid_barrier barrier{scratch, 32};
  gdf::begin_key_table<tuning>(table, keys, rows,
                               reinterpret_cast<unsigned long long*>(scratch->partials), barrier);
  auto const* const state = static_cast<const volatile gdf::key_table_state*>(table.state);
  u64 const low = state->low;
  u64 const entries = state->entries;
  bool const direct = packed && entries != 0;
  uint32_t* const entry = gdf::entries_of(table);
  bool const shares_words = entries >= u64{1} << 20; // the words of fewer entries fit in the L2 cache

  gdf::for_each_spread_tile<threads, tuning::items>(rows, [&]<int items>(int64_t begin, int share) {
    int64_t row[items];
    bool active[items];
    gdf::rows_of_tile<threads>(begin, share, rows, row, active);
    gdf::key_probe probe[items];
    gdf::make_probes<packed>(keys, row, active, probe);
#pragma unroll
    for (int i = 0; i < items; i++) {
      bool stays = active[i]; // a row without a key equals no other row and is kept
      uint32_t position = gdf::no_position;
      if (probe[i].used) {
        bool found = false;
        if (direct) {
          position = gdf::entry_of(table, low, entries, probe[i]);
          if (keep == any) {
            // A bit for each entry suffices. The bit is set until the first row with the key clears it. Most rows find
            // the bit clear, so they need no atomic operation. If there are few entries, each entry has its own word,
            // because atomic operations on the same word wait for each other.
            uint32_t* const word = entry + (position >> (shares_words ? 5 : 0));
            uint32_t const bit = 1u << (shares_words ? position & 31 : 0);
            found = (*static_cast<const volatile uint32_t*>(word) & bit) == 0 || (atomicAnd(word, ~bit) & bit) == 0;
          } else if (keep == none) {
            atomicAdd(entry + position, 1u); // the counter starts at all ones, so the first row makes it zero
          } else {
            atomicMin(entry + position, rank_of(keep, row[i]));
          }
        } else {
          int64_t const slot =
            gdf::insert_key<false>(table, probe[i], found, gdf::same_word<packed>{keys, probe[i], row[i]});
          position = static_cast<uint32_t>(slot);
          if (keep == none) {
            atomicAdd(&table.slots[slot].count, 1u);
          } else if (keep != any) {
            atomicMin(&table.slots[slot].first, rank_of(keep, row[i]));
          }
        }
        stays = !found;
      }
      if (keep == any) {
        uint32_t const word = __ballot_sync(~0u, stays);
        if (gdf::lane() == 0 && active[i]) { bits[row[i] >> 5] = word; }
      } else if (active[i]) {
        positions[row[i]] = position;
      }
    }
  });
  if (keep != any) {
    barrier.wait();
    gdf::for_each_spread_tile<threads, tuning::items>(rows, [&]<int items>(int64_t begin, int share) {
      int64_t rows_in[items];
      bool active[items];
      gdf::rows_of_tile<threads>(begin, share, rows, rows_in, active);
#pragma unroll
      for (int i = 0; i < items; i++) {
        int64_t const row = rows_in[i];
        bool stays = active[i];
        uint32_t const position = stays ? positions[row] : gdf::no_position;
        if (position != gdf::no_position) {
          if (keep == none) {
            stays = direct ? *static_cast<const volatile uint32_t*>(entry + position) == 0
                           : *static_cast<const volatile uint32_t*>(&table.slots[position].count) == 1;
          } else {
            auto const* const held = direct ? entry + position : &table.slots[position].first;
            stays = *static_cast<const volatile uint32_t*>(held) == rank_of(keep, row);
          }
        }
        uint32_t const word = __ballot_sync(~0u, stays);
        if (gdf::lane() == 0 && active[i]) { bits[row >> 5] = word; }
      }
    });
  }
  barrier.end();
}

} // namespace distinct

/// Writes a bit for each of `rows` rows (fewer than 2^31), which is set if the row is kept. The table has at least
/// twice as many slots as rows. The launch must be cooperative.
extern "C" __global__ void GDF_BOUNDS(distinct) GDF_VARIANT(distinct, packed)
distinct_packed_kernel(const __grid_constant__ gdf::row_keys keys,
                       const __grid_constant__ gdf::key_table table, gdf::row_count rows, int32_t keep,
                       uint32_t* positions, uint32_t* bits, gdf::scratch* scratch) {
  distinct::mark<true>(keys, table, rows, keep, positions, bits, scratch);
}

/// Does the same as distinct_packed_kernel, for keys that do not pack into 64 bits.
extern "C" __global__ void GDF_BOUNDS(distinct) GDF_VARIANT(distinct, rows)
distinct_rows_kernel(const __grid_constant__ gdf::row_keys keys,
                     const __grid_constant__ gdf::key_table table, gdf::row_count rows, int32_t keep,
                     uint32_t* positions, uint32_t* bits, gdf::scratch* scratch) {
  distinct::mark<false>(keys, table, rows, keep, positions, bits, scratch);
}

/// Writes a bit for each row, which is set for one of the rows of each key. `keys` are integers of 32 or 64 bits
/// without nulls, whose order numbers are in [low, low + count). `seen` has `count` bits, which are zero before.
extern "C" __global__ void GDF_BOUNDS(distinct_bits)
distinct_bits_kernel(const __grid_constant__ gdf::column_in keys, gdf::u64 low, gdf::u64 count, uint32_t* seen,
                     const __grid_constant__ gdf::column_out out) {
  constexpr int threads = distinct_bits_tuning::threads;
  constexpr int items = distinct_bits_tuning::items;
  gdf::for_each_tile<threads, items>(out.length, [&](int64_t first, bool) {
    int64_t const base = gdf::warp_rows<items>(first);
    if (base >= out.length) { return; } // the whole warp
    int64_t row[items];
    bool active[items];
    gdf::u64 value[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      row[i] = base + gdf::lane() + 32 * i;
      active[i] = row[i] < out.length;
    }
    gdf::load_bits(keys, row, active, value);
    uint32_t word[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      value[i] = gdf::order_of_bits(keys.type, value[i]) - low;
      active[i] = active[i] && value[i] < count;
      word[i] = active[i] ? *static_cast<const volatile uint32_t*>(seen + (value[i] >> 5)) : 0;
    }
    // Most rows find the bit of their key set, so they need no atomic operation.
    uint32_t kept = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const bit = 1u << (value[i] & 31);
      if (active[i] && (word[i] & bit) == 0) {
        kept |= static_cast<uint32_t>((atomicOr(seen + (value[i] >> 5), bit) & bit) == 0) << i;
      }
    }
    gdf::store_bits<items>(out, base, gdf::collect<items>([&](int i) { return (kept >> i & 1) != 0; }));
  });
}

/// Writes the numbers of `rows` rows, which are fewer than 2^32.
extern "C" __global__ void GDF_BOUNDS(row_numbers)
row_numbers_kernel(uint32_t* numbers, gdf::row_count rows) {
  gdf::for_each_index(rows, [&](int64_t row) { numbers[row] = static_cast<uint32_t>(row); });
}
