// A hash table in global memory that numbers distinct rows by their first insertion: open addressing
// with linear probing, 16 bytes per slot. A slot is claimed by one 64-bit compare-and-swap of its word
// - the key itself where it fits 64 bits, else half a hash and the number of a row that has it - and
// its number is published right after. Both are written once, so a reader may see either late but
// never wrong, and loads may come from L1.
#pragma once

#include "row_keys.cuh"

namespace gdf {

struct group_slot {
  u64 word;
  uint32_t id;
  uint32_t unused;
};
static_assert(sizeof(group_slot) == 16);

constexpr uint32_t no_id = ~0u;          // not yet, or never
constexpr uint32_t claimed_id = ~0u - 1; // special slots: being inserted
constexpr uint32_t lost_id = ~0u - 2;    // there was no room
constexpr u64 no_row = ~0ull;

/// What is known of the groups while and after they are made; device memory.
struct group_state {
  u64 groups;
  u64 overflow; // nonzero: there were more than there is room for, nothing else counts
  u64 seen;     // rows
  u64 spreads;  // groupby: a bit for each spread of which some group has lost digits
};

/// `slots` has mask + 1 slots, a power of two, and two more: for the key of all ones, for a null.
struct group_table {
  group_slot* slots;
  u64 mask;
  group_state* state;
  u64* first_row; // of each group, some row that has its key
  u64 capacity;       // groups
};

namespace group_detail {

GDF_DEVICE uint32_t poll_id(const group_slot* slot) {
  return *static_cast<const volatile uint32_t*>(&slot->id);
}

/// A number for a new group, and its place for the row; lanes that come together share an atomic.
GDF_DEVICE uint32_t new_group(const group_table& table, int64_t row) {
  unsigned const lanes = __activemask();
  int const lane = static_cast<int>(threadIdx.x & 31);
  int const leader = __ffs(static_cast<int>(lanes)) - 1;
  u64 base = 0;
  if (lane == leader) { base = atomicAdd(&table.state->groups, static_cast<u64>(__popc(lanes))); }
  base = __shfl_sync(lanes, base, leader);
  u64 const id = base + static_cast<u64>(__popc(lanes & ((1u << lane) - 1)));
  if (id >= table.capacity) {
    *static_cast<volatile u64*>(&table.state->overflow) = 1;
    return lost_id;
  }
  table.first_row[id] = static_cast<u64>(row);
  return static_cast<uint32_t>(id);
}

GDF_DEVICE void publish_id(group_slot* slot, uint32_t id) {
  *static_cast<volatile uint32_t*>(&slot->id) = id;
}

} // namespace group_detail

/// [thread] The number of the group of a row, made if need be; lost_id when there is no room for it.
/// `same(word)` tells whether a slot's word is that of the row's key.
template <class Same>
GDF_DEVICE uint32_t find_or_insert(const group_table& table, const key_probe& probe, int64_t row,
                                   Same&& same) {
  if (probe.special != 0) {
    group_slot* const slot = table.slots + table.mask + probe.special;
    uint32_t id = group_detail::poll_id(slot);
    if (id == no_id) {
      id = atomicCAS(&slot->id, no_id, claimed_id);
      if (id == no_id) {
        id = group_detail::new_group(table, row);
        group_detail::publish_id(slot, id);
      }
    }
    while (id == claimed_id) { id = group_detail::poll_id(slot); }
    return id;
  }
  u64 at = probe.hash & table.mask;
  for (u64 probes = 0; probes <= table.mask; probes++) {
    group_slot* const slot = table.slots + at;
    u64 word;
    u64 rest;
    asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(word), "=l"(rest) : "l"(slot) : "memory");
    uint32_t id = static_cast<uint32_t>(rest);
    if (word == empty_word) {
      word = atomicCAS(&slot->word, empty_word, probe.word);
      if (word == empty_word) {
        id = group_detail::new_group(table, row);
        group_detail::publish_id(slot, id);
        return id;
      }
      id = no_id;
    }
    if (same(word)) {
      while (id == no_id) { id = group_detail::poll_id(slot); }
      return id;
    }
    at = (at + 1) & table.mask;
    if ((probes & 63) == 63 && *static_cast<const volatile u64*>(&table.state->overflow) != 0) {
      return lost_id; // what is full is not searched to its end
    }
  }
  *static_cast<volatile u64*>(&table.state->overflow) = 1;
  return lost_id;
}

/// Numbers for new groups, so many of each warp: the first one of a warp's.
/// [warp] With one atomic per warp.
struct warp_numbers {
  GDF_DEVICE u64 operator()(const group_table& table, uint32_t made) const {
    u64 first = 0;
    if (made != 0 && (threadIdx.x & 31) == 0) {
      first = atomicAdd(&table.state->groups, static_cast<u64>(made));
    }
    return __shfl_sync(~0u, first, 0);
  }
};

/// [block] With one atomic per block: additions to one place take their time one after another.
template <int threads>
struct block_numbers {
  GDF_DEVICE u64 operator()(const group_table& table, uint32_t made) const {
    constexpr int warps = threads / 32;
    __shared__ uint32_t count[warps];
    __shared__ u64 base;
    int const warp = static_cast<int>(threadIdx.x >> 5);
    if (!__syncthreads_or(made != 0)) { return 0; } // and `count` is no longer read
    if ((threadIdx.x & 31) == 0) { count[warp] = made; }
    __syncthreads();
    uint32_t below = 0;
    uint32_t all = 0;
#pragma unroll
    for (int w = 0; w < warps; w++) {
      below += w < warp ? count[w] : 0;
      all += count[w];
    }
    if (threadIdx.x == 0) { base = atomicAdd(&table.state->groups, static_cast<u64>(all)); }
    __syncthreads();
    return base + below;
  }
};

/// [warp], [block] As find_or_insert, of `items` rows of each lane where `active`: the first slots of all of them are
/// read together, and the new groups take their numbers from `numbers` together. `same(i, word)` tells whether a
/// slot's word is that of row i's key. lost_id where not active.
template <int items, class Same, class Numbers>
GDF_DEVICE void find_or_insert_all(const group_table& table, const key_probe (&probe)[items],
                                   const int64_t (&row)[items], const bool (&active)[items],
                                   uint32_t (&id)[items], Same&& same, Numbers&& numbers) {
  u64 word[items];
  u64 rest[items];
  u64 at[items]; // the slot's number
  uint32_t fresh = 0;   // a bit per item: the slot was claimed for it
#pragma unroll
  for (int i = 0; i < items; i++) {
    word[i] = empty_word;
    rest[i] = no_id;
    id[i] = lost_id;
    at[i] = probe[i].special != 0 ? table.mask + static_cast<u64>(probe[i].special) : probe[i].hash & table.mask;
    if (active[i]) {
      asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                   : "=l"(word[i]), "=l"(rest[i])
                   : "l"(table.slots + at[i]));
    }
  }
#pragma unroll
  for (int i = 0; i < items; i++) {
    if (active[i]) {
      id[i] = static_cast<uint32_t>(rest[i]);
      if (probe[i].special != 0) {
        if (id[i] == no_id) {
          id[i] = atomicCAS(&table.slots[at[i]].id, no_id, claimed_id);
          fresh |= id[i] == no_id ? 1u << i : 0u;
        }
      } else {
        for (u64 probes = 0;;) {
          if (word[i] == empty_word) {
            word[i] = atomicCAS(&table.slots[at[i]].word, empty_word, probe[i].word);
            id[i] = no_id;
            if (word[i] == empty_word) {
              fresh |= 1u << i;
              break;
            }
          }
          if (same(i, word[i])) { break; }
          at[i] = (at[i] + 1) & table.mask;
          bool full = ++probes > table.mask;
          if ((probes & 63) == 0) { // what is full is not searched to its end
            full = full || *static_cast<const volatile u64*>(&table.state->overflow) != 0;
          }
          if (full) {
            *static_cast<volatile u64*>(&table.state->overflow) = 1;
            id[i] = lost_id;
            break;
          }
          asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                       : "=l"(word[i]), "=l"(rest[i])
                       : "l"(table.slots + at[i]));
          id[i] = static_cast<uint32_t>(rest[i]);
        }
      }
    }
    __syncwarp();
  }
  uint32_t const lane = threadIdx.x & 31;
  uint32_t made = 0;
  uint32_t before[items];
#pragma unroll
  for (int i = 0; i < items; i++) {
    uint32_t const lanes = __ballot_sync(~0u, fresh >> i & 1);
    before[i] = made + static_cast<uint32_t>(__popc(lanes & ((1u << lane) - 1)));
    made += static_cast<uint32_t>(__popc(lanes));
  }
  u64 const first = numbers(table, made);
#pragma unroll
  for (int i = 0; i < items; i++) {
    if (fresh >> i & 1) {
      u64 const group = first + before[i];
      if (group < table.capacity) {
        table.first_row[group] = static_cast<u64>(row[i]);
        id[i] = static_cast<uint32_t>(group);
      } else {
        *static_cast<volatile u64*>(&table.state->overflow) = 1;
        id[i] = lost_id;
      }
      group_detail::publish_id(table.slots + at[i], id[i]);
    }
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < items; i++) {
    if (active[i]) {
      while (id[i] == no_id || id[i] == claimed_id) { id[i] = group_detail::poll_id(table.slots + at[i]); }
    }
    __syncwarp();
  }
}

} // namespace gdf
