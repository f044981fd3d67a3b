// join: inserts rows region by region if the table is larger than the L2 cache. Rows are therefore first moved so that
// the rows of each part of the table are contiguous. A block then keeps the slots of a region in shared memory, inserts
// the rows there, and writes each slot to global memory once.
#pragma once

#include "key.cuh"

namespace join {

using building = join_build_tuning;
static_assert(join_build_rows_tuning::threads == building::threads);

/// The output of the build besides the table. Each row has a number, which is its position in the order of insertion.
struct row_lists {
  // The rows of keys that have several rows, grouped by key.
  uint32_t* grouped;
  uint32_t* found;   // a bit per number, set if the key was in the table before; null for a set
  // Per number: the slot of the key in the lower half, and the number of earlier rows with the key in the upper half.
  u64* places;
  // If rows are inserted in the order of the table, a slot per number, which has the row and its word.
  gdf::key_slot* ordered;
  uint32_t* late;         // in the order of the table: a bit per number, set if the row did not fit in its region
  int32_t region_bits;    // number of bits of a slot's index within a region
  int32_t unused;
};
static_assert(sizeof(row_lists) == 48);

/// [warp] Sets the bits of the lanes whose `set` is true. The numbers of the 32 lanes are consecutive, and the first
/// one is a multiple of 32.
GDF_DEVICE void set_bits(uint32_t* bits, int64_t number, bool set) {
  uint32_t const word = __ballot_sync(~0u, set);
  if (word != 0 && gdf::lane() == 0) { atomicOr(bits + (number >> 5), word); }
}

/// [grid] Visits all numbers whose bit is set.
template <class Body>
GDF_DEVICE void for_each_set(const uint32_t* bits, int64_t numbers, Body&& body) {
  int64_t const words = (numbers + 31) / 32;
  for (int64_t first = int64_t{blockIdx.x} * building::threads + gdf::warp() * 32; first < words;
       first += int64_t{gridDim.x} * building::threads) {
    int64_t const at = first + gdf::lane();
    for (uint32_t left = at < words ? __ldcg(bits + at) : 0; __any_sync(~0u, left != 0); left &= left - 1) {
      body(at * 32 + (left != 0 ? __ffs(static_cast<int>(left)) - 1 : 0), left != 0);
    }
  }
}

/// [thread] Returns the row with a number as a slot, for rows in the order of the table.
GDF_DEVICE gdf::key_slot row_at(const row_lists& out, int64_t number) {
  uint4 const words = __ldcg(reinterpret_cast<const uint4*>(out.ordered) + number);
  return {static_cast<u64>(words.y) << 32 | words.x, words.z, words.w};
}

/// [thread] Inserts a row into the table if the row has a key. Returns whether the table already had the key.
template <bool packed>
GDF_DEVICE bool insert_row(const gdf::row_keys& keys, const gdf::key_table& table, const gdf::key_probe& probe,
                           int64_t row, int64_t number, const row_lists& out) {
  if (!probe.used) { return false; }
  bool found;
  int64_t const position = gdf::insert_key<true>(table, probe, found, gdf::same_word<packed>{keys, probe, row});
  gdf::key_slot* const slot = table.slots + position;
  if (!found) {
    if (packed) { slot->first = static_cast<uint32_t>(row); } // if keys do not pack, the word contains the row
  } else if (out.grouped != nullptr) {
    u64 const before = atomicAdd(&slot->count, 1u) + 1;
    out.places[number] = before << 32 | static_cast<u64>(position);
  }
  return found;
}

constexpr int max_parts = building::threads;

/// The number of rows of each part of a table, and the number of rows of each part that have been moved.
struct part_counts {
  uint32_t rows[max_parts];
  uint32_t moved[max_parts];
};

/// [grid] Clears the memory that insert_by_region needs to be zero.
GDF_DEVICE part_counts* begin_regions(int64_t rows, const row_lists& out, gdf::scratch* scratch) {
  constexpr int64_t used = 16384; // bytes that are in use until the range of the keys has been found
  static_assert(used + sizeof(part_counts) <= sizeof(scratch->partials));
  auto* const parts = reinterpret_cast<part_counts*>(scratch->partials + used);
  gdf::for_each_index((rows + 31) / 32, [&](int64_t i) { out.late[i] = 0; });
  gdf::for_each_index(max_parts, [&](int64_t i) { parts->rows[i] = parts->moved[i] = 0; });
  return parts;
}

/// [block] Fills the slots of a region with the rows that belong there.
template <bool packed>
GDF_DEVICE void fill_region(const gdf::row_keys& keys, const gdf::key_table& table, const row_lists& out, u64 low,
                            uint32_t slots, uint32_t begin, uint32_t end, uint32_t* entries, bool& duplicates) {
  constexpr int threads = building::threads;
  constexpr int items = building::items;
  // An entry has the number of a row within the part in the lower 24 bits, and eight bits of the row's hash above.
  constexpr uint32_t none = ~0u;
  constexpr uint32_t number_mask = 0xffffff;
  __syncthreads(); // the slots of the previous region have been written
  for (uint32_t i = threadIdx.x; i < slots; i += threads) { entries[i] = none; }
  __syncthreads();
  for (uint32_t first = begin & ~31u; first < end; first += threads * items) {
    gdf::key_slot row[items];
    uint32_t at[items];
    uint32_t entry[items];
    uint32_t searching = 0; // a bit per item
    uint32_t found = 0;
    uint32_t late = 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const number = first + i * threads + threadIdx.x;
      row[i] = number >= begin && number < end ? row_at(out, number) : gdf::key_slot{0, 0, none};
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      u64 const hash = packed ? gdf::mix64(row[i].word) : row[i].word;
      u64 const home = static_cast<u64>(gdf::home_of_hash(table, hash)) - low;
      uint32_t const number = first + i * threads + threadIdx.x - begin;
      at[i] = static_cast<uint32_t>(home);
      entry[i] = static_cast<uint32_t>(hash >> 32) << 24 | number;
      if (row[i].count == none || home >= slots) { continue; }
      bool const fits = number < number_mask && row[i].count == 0;
      searching |= static_cast<uint32_t>(fits) << i;
      late |= static_cast<uint32_t>(!fits) << i;
    }
    while (searching != 0) { // the atomic operations of all items are in flight together
      uint32_t there[items];
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (searching >> i & 1) { there[i] = atomicCAS(entries + at[i], none, entry[i]); }
      }
#pragma unroll
      for (int i = 0; i < items; i++) {
        if ((searching >> i & 1) == 0) { continue; }
        bool same = false;
        if (there[i] != none && (there[i] ^ entry[i]) >> 24 == 0) {
          gdf::key_probe const probe{row[i].word, 0, 0, true};
          int64_t const own = static_cast<int64_t>(gdf::first_of(row[i]));
          same = gdf::same_word<packed>{keys, probe, own}(row_at(out, begin + (there[i] & number_mask)).word);
        }
        bool const left = there[i] != none && !same && ++at[i] == slots;
        found |= static_cast<uint32_t>(same) << i;
        late |= static_cast<uint32_t>(left) << i;
        if (there[i] == none || same || left) { searching ^= 1u << i; }
      }
    }
    duplicates = duplicates || found != 0;
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const number = first + i * threads + threadIdx.x;
      bool const again = found >> i & 1;
      set_bits(out.late, number, late >> i & 1);
      if (out.grouped != nullptr) {
        set_bits(out.found, number, again);
        if (again) { out.places[number] = low + at[i]; }
      }
    }
  }
  __syncthreads();
  auto* const memory = reinterpret_cast<uint4*>(table.slots) + low;
  auto const* const rows = reinterpret_cast<const uint4*>(out.ordered) + begin;
  for (uint32_t first = threadIdx.x; first < slots; first += threads * items) {
    uint4 slot[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const entry = first + i * threads < slots ? entries[first + i * threads] : none;
      slot[i] = entry != none ? __ldcg(rows + (entry & number_mask)) : uint4{~0u, ~0u, ~0u, 0};
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (first + i * threads < slots) { memory[first + i * threads] = slot[i]; }
    }
  }
}

/// [grid] Inserts the rows in the order of the table. begin_regions must have been called. Dynamic shared memory must
/// have 32 bits per slot of a region, and at least 64 KiB.
template <bool packed>
GDF_DEVICE int64_t insert_by_region(const gdf::row_keys& keys, const gdf::key_table& table, int64_t rows,
                                    const row_lists& out, part_counts* parts, gdf::grid_barrier& barrier,
                                    bool& duplicates) {
  constexpr int threads = building::threads;
  constexpr int batch = packed ? building::items : join_build_rows_tuning::items;
  constexpr int items = building::items;
  extern __shared__ __align__(16) unsigned char shared[]; // a tile of rows by part, then the entries of a region
  __shared__ uint32_t base[max_parts];
  __shared__ uint32_t count[max_parts];
  // The difference between the number of a row and the place of that row among the rows that are moved together.
  __shared__ uint32_t delta[max_parts];
  u64* const words = out.places; // per row, if keys do not pack
  auto const thread = threadIdx.x;
  int shift = out.region_bits;
  while ((table.size - 1) >> shift >= max_parts) { shift++; }
  auto const part_of = [&](u64 hash) { return static_cast<uint32_t>(gdf::home_of_hash(table, hash) >> shift); };

  count[thread] = 0;
  __syncthreads();
  gdf::for_each_tile<threads, batch>(rows, [&](int64_t first, bool) {
    int64_t row[batch];
    bool active[batch];
    gdf::rows_of_tile<threads>(first, batch, rows, row, active);
    gdf::key_probe probe[batch];
    gdf::make_probes<packed>(keys, row, active, probe);
#pragma unroll
    for (int i = 0; i < batch; i++) {
      if (!packed && active[i]) { words[row[i]] = probe[i].used ? probe[i].word : gdf::empty_word; }
      if (probe[i].used) { atomicAdd(count + part_of(probe[i].hash), 1u); }
    }
  });
  __syncthreads();
  if (count[thread] != 0) { atomicAdd(parts->rows + thread, count[thread]); }
  barrier.wait();

  uint32_t all;
  base[thread] = gdf::block_exclusive_sum<threads>(__ldcg(parts->rows + thread), all);
  gdf::for_each_tile<threads, items>(rows, [&](int64_t first, bool) {
    int64_t row[items];
    bool active[items];
    gdf::rows_of_tile<threads>(first, items, rows, row, active);
    gdf::key_probe probe[items];
    if constexpr (packed) {
      gdf::make_probes<packed>(keys, row, active, probe);
    } else {
#pragma unroll
      for (int i = 0; i < items; i++) {
        u64 const word = active[i] ? __ldcg(words + row[i]) : gdf::empty_word;
        probe[i] = {word, word, 0, word != gdf::empty_word};
      }
    }
    count[thread] = 0;
    __syncthreads();
    uint32_t rank[items];
#pragma unroll
    for (int i = 0; i < items; i++) { rank[i] = probe[i].used ? atomicAdd(count + part_of(probe[i].hash), 1u) : 0; }
    __syncthreads();
    uint32_t total;
    uint32_t const mine = count[thread];
    uint32_t const before = gdf::block_exclusive_sum<threads>(mine, total);
    delta[thread] = base[thread] + (mine != 0 ? atomicAdd(parts->moved + thread, mine) : 0) - before;
    count[thread] = before;
    __syncthreads();
    auto* const staged = reinterpret_cast<uint4*>(shared);
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (!probe[i].used) { continue; }
      staged[count[part_of(probe[i].hash)] + rank[i]] = {
        static_cast<uint32_t>(probe[i].word), static_cast<uint32_t>(probe[i].word >> 32),
        packed ? static_cast<uint32_t>(row[i]) : gdf::no_entry, static_cast<uint32_t>(probe[i].special)};
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const k = i * threads + thread;
      if (k >= total) { continue; }
      uint4 const slot = staged[k];
      u64 const word = static_cast<u64>(slot.y) << 32 | slot.x;
      reinterpret_cast<uint4*>(out.ordered)[delta[part_of(packed ? gdf::mix64(word) : word)] + k] = slot;
    }
  });
  barrier.wait();

  int64_t const region = int64_t{1} << out.region_bits;
  for (int64_t low = region * blockIdx.x; low < table.size; low += region * gridDim.x) {
    int64_t const left = table.size - low;
    auto const part = static_cast<int>(low >> shift);
    uint32_t const end = part + 1 < max_parts ? base[part + 1] : all;
    fill_region<packed>(keys, table, out, static_cast<u64>(low), static_cast<uint32_t>(left < region ? left : region),
                        base[part], end, reinterpret_cast<uint32_t*>(shared), duplicates);
  }
  if (blockIdx.x == 0 && thread < 2) { reinterpret_cast<uint4*>(table.slots)[table.size + thread] = {~0u, ~0u, ~0u, 0}; }
  barrier.wait();

  for_each_set(out.late, all, [&](int64_t number, bool late) {
    if (!late) { return; }
    gdf::key_slot const row = row_at(out, number);
    gdf::key_probe const probe{row.word, packed ? gdf::mix64(row.word) : row.word, static_cast<int32_t>(row.count), true};
    bool const found = insert_row<packed>(keys, table, probe, gdf::first_of(row), number, out);
    if (found && out.grouped != nullptr) { atomicOr(out.found + (number >> 5), 1u << (number & 31)); }
    duplicates = duplicates || found;
  });
  return all;
}

} // namespace join
