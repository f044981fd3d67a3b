// join: rows inserted region by region, where the table is larger than the L2 cache: random writes would cost a sector of
// memory each. Rows are moved next to each other by parts of the table; then a block has the slots of a region in shared memory,
// where rows find their slots, and each slot is written once.
#pragma once

#include "key.cuh"

namespace join {

using building = join_build_tuning;
static_assert(join_build_rows_tuning::threads == building::threads);

/// What is made of the build side besides the table. Rows have a number in the order in which they are inserted: that of the
/// rows, or that of the table.
struct row_lists {
  uint32_t* grouped; // the rows of keys that have several, by key; null for a set: then nobody asks which rows have a key
  uint32_t* found;   // a bit per number: the key was there before; null for a set
  u64* places;       // of these numbers, the key's slot, and above it how many rows of the key came before
  u64* ordered;      // not null where the order is that of the table: by number, the words of keys
  uint32_t* rows;    // by number, of keys that pack in that order, the row; with special_row above it
  uint32_t* late;    // in that order, a bit per number: the row did not get into its region
  int32_t region_bits; // of numbers of slots within a region
  int32_t unused;
};
static_assert(sizeof(row_lists) == 56);

constexpr uint32_t special_row = 1u << 31; // beside numbers of rows: the key has a slot of its own

/// [warp] Sets the bits of the lanes' numbers, 32 from a multiple of 32 on, where `set`.
GDF_DEVICE void set_bits(uint32_t* bits, int64_t number, bool set) {
  uint32_t const word = __ballot_sync(~0u, set);
  if (word != 0 && gdf::lane() == 0) { atomicOr(bits + (number >> 5), word); }
}

/// [grid] Calls `body(number, set)` in all lanes of a warp for 32 numbers, where any of their bits is set.
template <class Body>
GDF_DEVICE void for_each_set(const uint32_t* bits, int64_t numbers, Body&& body) {
  constexpr int warps = building::threads / 32;
  int64_t const words = (numbers + 31) / 32;
  for (int64_t first = (int64_t{blockIdx.x} * warps + gdf::warp()) * 32; first < words;
       first += int64_t{gridDim.x} * warps * 32) {
    uint32_t const mine = first + gdf::lane() < words ? __ldcg(bits + first + gdf::lane()) : 0;
    for (uint32_t some = __ballot_sync(~0u, mine != 0); some != 0; some &= some - 1) {
      int const from = __ffs(static_cast<int>(some)) - 1;
      body((first + from) * 32 + gdf::lane(), (__shfl_sync(~0u, mine, from) >> gdf::lane() & 1) != 0);
    }
  }
}

/// [thread] The row with a number.
template <bool packed>
GDF_DEVICE int64_t row_at(const row_lists& out, int64_t number) {
  if (out.ordered == nullptr) { return number; }
  return packed ? __ldcg(out.rows + number) & ~special_row : static_cast<uint32_t>(__ldcg(out.ordered + number));
}

/// [warp] A row gets into the table if it has a key. True if the key was there already.
template <bool packed>
GDF_DEVICE bool insert_row(const gdf::row_keys& keys, const gdf::key_table& table, const gdf::key_probe& probe,
                           int64_t row, int64_t number, const row_lists& out) {
  bool found = false;
  if (probe.used) {
    int64_t const position = gdf::insert_key<true>(table, probe, found, gdf::same_word<packed>{keys, probe, row});
    gdf::key_slot* const slot = table.slots + position;
    if (!found) {
      if (packed) { slot->first = static_cast<uint32_t>(row); } // the word has the row else
    } else if (out.grouped != nullptr) {
      u64 const before = atomicAdd(&slot->count, 1u) + 1;
      out.places[number] = before << 32 | static_cast<u64>(position);
    }
  }
  if (out.grouped != nullptr) { set_bits(out.found, number, found); }
  return found;
}

constexpr int max_parts = building::threads;

/// How many rows the parts of a table have, and how many of them are moved.
struct part_counts {
  uint32_t rows[max_parts];
  uint32_t moved[max_parts];
};

/// [grid] What insert_by_region wants to be zero; until the next barrier.
GDF_DEVICE part_counts* begin_regions(int64_t rows, const row_lists& out, gdf::scratch* scratch) {
  constexpr int64_t used = 16384; // by the range of keys
  static_assert(used + sizeof(part_counts) <= sizeof(scratch->partials));
  auto* const parts = reinterpret_cast<part_counts*>(scratch->partials + used);
  gdf::for_each_index((rows + 31) / 32, [&](int64_t i) { out.late[i] = 0; });
  gdf::for_each_index(max_parts, [&](int64_t i) { parts->rows[i] = parts->moved[i] = 0; });
  return parts;
}

/// [block] Fills the slots of a region, of which there are `slots` from `low` on, with those rows of the part, numbers
/// [begin, end), that belong there.
template <bool packed>
GDF_DEVICE void fill_region(const gdf::row_keys& keys, const gdf::key_table& table, const row_lists& out, u64 low,
                            uint32_t slots, uint32_t begin, uint32_t end, uint32_t* entries, bool& duplicates) {
  constexpr int threads = building::threads;
  constexpr int items = packed ? building::items : join_build_rows_tuning::items;
  // An entry is the number of a row within the part, and eight bits of its hash above it.
  constexpr uint32_t none = ~0u;
  constexpr uint32_t number_mask = 0xffffff;
  auto* const memory = reinterpret_cast<uint4*>(table.slots) + low;
  __syncthreads(); // the region before is written
  for (uint32_t i = threadIdx.x; i < slots; i += threads) { entries[i] = none; }
  __syncthreads();
  for (uint32_t first = begin & ~31u; first < end; first += threads * items) {
    u64 word[items];
    uint32_t row[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const number = first + i * threads + threadIdx.x;
      bool const active = number >= begin && number < end;
      word[i] = active ? __ldcg(out.ordered + number) : 0;
      row[i] = !packed ? static_cast<uint32_t>(word[i]) : active ? __ldcg(out.rows + number) : 0;
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const number = first + i * threads + threadIdx.x;
      u64 const hash = packed ? gdf::mix64(word[i]) : word[i];
      u64 at = static_cast<u64>(gdf::home_of_hash(table, hash)) - low;
      bool found = false;
      bool late = false;
      if (number >= begin && number < end && at < slots) {
        gdf::key_probe const probe{word[i], hash, 0, true};
        gdf::same_word<packed> const same{keys, probe, packed ? 0 : static_cast<int64_t>(row[i])};
        uint32_t const mine = static_cast<uint32_t>(hash >> 32) << 24 | (number - begin);
        late = number - begin >= number_mask || (packed && row[i] & special_row);
        while (!late) {
          uint32_t const there = atomicCAS(entries + at, none, mine);
          if (there == none) {
            memory[at] = {static_cast<uint32_t>(word[i]), static_cast<uint32_t>(word[i] >> 32),
                          packed ? row[i] : gdf::no_entry, 0};
            break;
          }
          if ((there ^ mine) >> 24 == 0 && same(__ldcg(out.ordered + begin + (there & number_mask)))) {
            found = true;
            break;
          }
          late = ++at == slots;
        }
        if (found && out.grouped != nullptr) { out.places[number] = low + at; }
      }
      duplicates = duplicates || found;
      if (out.grouped != nullptr) { set_bits(out.found, number, found); }
      set_bits(out.late, number, late);
    }
  }
  __syncthreads();
  for (uint32_t i = threadIdx.x; i < slots; i += threads) {
    if (entries[i] == none) { memory[i] = {~0u, ~0u, ~0u, 0}; }
  }
}

/// [grid] Inserts rows in the order of the table, which begin_regions has begun. Returns how many have a key; `duplicates` if
/// some key was there already. Dynamic shared memory of a word per slot of a region, and at least 64 KiB.
template <bool packed>
GDF_DEVICE int64_t insert_by_region(const gdf::row_keys& keys, const gdf::key_table& table, int64_t rows,
                                    const row_lists& out, part_counts* parts, gdf::grid_barrier& barrier,
                                    bool& duplicates) {
  constexpr int threads = building::threads;
  constexpr int batch = packed ? building::items : join_build_rows_tuning::items;
  constexpr int items = 8; // of a thread, of the rows that are moved together
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ uint32_t base[max_parts];
  __shared__ uint32_t count[max_parts];
  __shared__ uint32_t delta[max_parts]; // from places among the rows that are moved together to numbers
  u64* const words = out.places; // of keys that do not pack, by row
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
    constexpr uint32_t none = ~0u;
    u64 word[items];
    uint32_t at[items]; // the row's part and rank there, then its place among the rows; special_row / 2 beside it
    count[thread] = 0;
    __syncthreads();
#pragma unroll
    for (int from = 0; from < items; from += batch) {
      int64_t row[batch];
      bool active[batch];
      gdf::rows_of_tile<threads>(first + from * threads, batch, rows, row, active);
      gdf::key_probe probe[batch];
      if constexpr (packed) {
        gdf::make_probes<packed>(keys, row, active, probe);
      } else {
#pragma unroll
        for (int i = 0; i < batch; i++) {
          u64 const read = active[i] ? __ldcg(words + row[i]) : gdf::empty_word;
          probe[i] = {read, read, 0, read != gdf::empty_word};
        }
      }
#pragma unroll
      for (int i = 0; i < batch; i++) {
        word[from + i] = probe[i].word;
        at[from + i] = none;
        if (probe[i].used) {
          uint32_t const part = part_of(probe[i].hash);
          at[from + i] = (probe[i].special != 0 ? special_row / 2 : 0) | part << 16 | atomicAdd(count + part, 1u);
        }
      }
    }
    __syncthreads();
    uint32_t total;
    uint32_t const mine = count[thread];
    uint32_t const before = gdf::block_exclusive_sum<threads>(mine, total);
    delta[thread] = base[thread] + (mine != 0 ? atomicAdd(parts->moved + thread, mine) : 0) - before;
    count[thread] = before;
    __syncthreads();
    auto* const staged = reinterpret_cast<u64*>(shared);
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (at[i] == none) { continue; }
      at[i] = (at[i] & special_row / 2) | (count[at[i] >> 16 & (max_parts - 1)] + (at[i] & 0xffff));
      staged[at[i] & (special_row / 2 - 1)] = word[i];
    }
    __syncthreads();
    uint32_t target[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      uint32_t const k = i * threads + thread;
      if (k >= total) { continue; }
      u64 const read = staged[k];
      target[i] = delta[part_of(packed ? gdf::mix64(read) : read)] + k;
      out.ordered[target[i]] = read;
    }
    if constexpr (packed) {
      auto* const numbers = reinterpret_cast<uint32_t*>(shared);
      __syncthreads();
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (at[i] == none) { continue; }
        auto const row = static_cast<uint32_t>(gdf::row_of<threads>(first, i));
        numbers[at[i] & (special_row / 2 - 1)] = row | (at[i] & special_row / 2) << 1;
      }
      __syncthreads();
#pragma unroll
      for (int i = 0; i < items; i++) {
        uint32_t const k = i * threads + thread;
        if (k < total) { out.rows[target[i]] = numbers[k]; }
      }
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
    u64 const word = late ? __ldcg(out.ordered + number) : 0;
    gdf::key_probe probe{word, packed ? gdf::mix64(word) : word, 0, late};
    if (packed && late && __ldcg(out.rows + number) & special_row) { probe.special = word == gdf::empty_word ? 1 : 2; }
    bool const found = insert_row<packed>(keys, table, probe, late ? row_at<packed>(out, number) : 0, number, out);
    duplicates = duplicates || found;
  });
  return all;
}

} // namespace join
