// A hash table in global memory that numbers distinct rows in the order of their first insertion. The table uses open
// addressing with linear probing, and 16 bytes per slot. If the key fits in 64 bits, the word of a slot is the key
// itself. Otherwise the word is half a hash and the number of a row with that key. A thread claims a slot by a
// compare-and-swap of the word, and then publishes the group number of the slot. The word and the number are written
// only once. A reader may see them late, but never sees a wrong word or number, so loads may come from the L1 cache.
#pragma once

#include "row_keys.cuh"

namespace gdf {

struct group_slot {
  u64 word;
  uint32_t id;
  uint32_t unused;
};
static_assert(sizeof(group_slot) == 16);

constexpr uint32_t no_id = ~0u;          // the number is not known yet, or the row has no group
constexpr uint32_t claimed_id = ~0u - 1; // a special slot whose group is being inserted
constexpr uint32_t lost_id = ~0u - 2;    // the table has no space for the group
constexpr u64 no_row = ~0ull;

/// The state of the groups during and after their construction, in device memory.
struct group_state {
  u64 groups;
  u64 overflow; // nonzero if there are more groups than the capacity; all other members are then invalid
  u64 seen; // the number of rows seen
  u64 spreads;  // groupby: bit s is set if spread s has lost digits of some group
};

/// A table of groups. `slots` has a power of two of slots, mask + 1.
struct group_table {
  group_slot* slots;
  u64 mask;
  group_state* state;
  u64* first_row; // for each group, a row that has the key of the group
  u64 capacity;       // the greatest number of groups
};

namespace group_detail {

GDF_DEVICE uint32_t poll_id(const group_slot* slot) {
  return *static_cast<const volatile uint32_t*>(&slot->id);
}

/// [thread] Returns a number for a new group, whose first row is `row`. If the table has no space for the group, the
/// function sets the overflow flag and returns lost_id.
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

/// [thread] Returns the number of the group of a row.
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
      return lost_id; // a full table is not searched to its end
    }
  }
  *static_cast<volatile u64*>(&table.state->overflow) = 1;
  return lost_id;
}

/// [warp] Assigns numbers to the new groups of a warp with one atomic operation per warp.
struct warp_numbers {
  GDF_DEVICE u64 operator()(const group_table& table, uint32_t made) const {
    u64 first = 0;
    if (made != 0 && (threadIdx.x & 31) == 0) {
      first = atomicAdd(&table.state->groups, static_cast<u64>(made));
    }
    return __shfl_sync(~0u, first, 0);
  }
};

/// [block] Does the same as warp_numbers with one atomic operation per block. Atomic additions to one address are
/// serialized, so fewer of them take less time.
template <int threads>
struct block_numbers {
  GDF_DEVICE u64 operator()(const group_table& table, uint32_t made) const {
    constexpr int warps = threads / 32;
    __shared__ uint32_t count[warps];
    __shared__ u64 base;
    int const warp = static_cast<int>(threadIdx.x >> 5);
    if (!__syncthreads_or(made != 0)) { return 0; } // after this barrier, no thread still reads `count`
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

/// [warp], [block] Does the same as find_or_insert for `items` rows of each lane.
///
/// A row that is not `active` gets lost_id.
template <int items, class Same, class Numbers>
GDF_DEVICE void find_or_insert_all(const group_table& table, const key_probe (&probe)[items],
                                   const int64_t (&row)[items], const bool (&active)[items],
                                   uint32_t (&id)[items], Same&& same, Numbers&& numbers) {
  u64 word[items];
  u64 rest[items];
  u64 at[items]; // the index of the slot
  uint32_t fresh = 0;   // a bit per item; set if the item has claimed its slot
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
          if ((probes & 63) == 0) { // a full table is not searched to its end
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
