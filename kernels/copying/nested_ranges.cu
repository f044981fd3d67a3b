// Finds the ranges of all levels of columns with lists, see nested.cuh. The sizes of the ranges are scanned in a single
// launch by decoupled look-back.

#include <gdf/block_sum.cuh>
#include <gdf/look_back.cuh>
#include <gdf/sizes.cuh>

#include "affine_rows.cuh"
#include "gather_map.cuh"
#include "nested.cuh"

GDF_POLICY(nested_ranges, 256, 4, 4);

namespace nested {

/// The form in which the ranges of level 0 are given.
enum range_form : int32_t {
  by_map = 0,    // range i is row map[i]
  by_affine = 1, // range i is row i of an arithmetic formula
  by_ranges = 2, // range i has ends[i] - ends[i - 1] rows from begins[i] on
  by_mask = 3,   // range i is row i if map[i] is true and not null, and has no rows otherwise
};

/// The ranges of level 0. All columns have a row per range.
struct row_ranges {
  gdf::column_in map;   // by_map: integers; by_ranges: the begins, i64; by_mask: booleans
  gdf::column_in ends;  // by_ranges: i64
  gdf::column_in sizes; // by_ranges: if it has data and sizes[i] is 0, the rows of range i are null
  affine::affine_rows affine;
  gdf::row_count rows;  // the number of rows of the table, or of both tables
  int64_t split; // by_map: the number of rows of the first table
  int32_t form;
  int32_t check; // by_map: see gather::checks; by_ranges: whether begins lie in a table of `rows` rows
};

struct sum {
  using value = gdf::u64;
  static constexpr bool exact = true;
  GDF_DEVICE static gdf::u64 identity() { return 0; }
  GDF_DEVICE gdf::u64 operator()(gdf::u64 a, gdf::u64 b) const { return gdf::bounded_size(gdf::saturating_add(a, b)); }
};

struct range {
  int64_t begin;
  int64_t size;
};

/// [thread] Returns range `i` of level 0 in the form by_ranges.
GDF_DEVICE range given_range(const row_ranges& given, int64_t i) {
  auto const* const ends = static_cast<const int64_t*>(given.ends.data) + given.ends.offset;
  int64_t const size = __ldg(ends + i) - (i == 0 ? 0 : __ldg(ends + i - 1));
  bool has = gdf::is_valid(given.map, i);
  if (given.sizes.data != nullptr) {
    has = has && __ldg(static_cast<const int64_t*>(given.sizes.data) + given.sizes.offset + i) != 0;
  }
  int64_t const begin = __ldg(static_cast<const int64_t*>(given.map.data) + given.map.offset + i);
  if (given.check != gather::trust) {
    has = has && static_cast<gdf::u64>(begin) <= static_cast<gdf::u64>(given.rows) && size <= given.rows - begin;
  }
  return {has ? begin : no_rows, size};
}

/// [thread] Returns the range of elements that the lists of a range have.
GDF_DEVICE range elements_of(const nodes& all, const level& of, const range& lists) {
  if (lists.begin < 0) { return {no_rows, 0}; }
  int const table = table_of(lists.begin);
  if (lists.size == 0) { return {begin_of(table, 0), 0}; }
  int64_t const row = row_in_table(lists.begin);
  gdf::column_in const& column = all.at(table, of.node);
  bool const wide = column.flags & gdf::wide_offsets;
  int64_t const first = column.offset + row * of.scale;
  int64_t begin = gdf::load_offset(column.offsets, wide, first);
  int64_t end = gdf::load_offset(column.offsets, wide, first + lists.size * of.scale);
  begin = begin < 0 ? 0 : begin > column.length ? column.length : begin;
  end = end < begin ? begin : end > column.length ? column.length : end;
  if (of.masked && !is_row_valid(all, table, of.node, row)) { end = begin; }
  return {begin_of(table, begin), end - begin};
}

} // namespace nested

/// Writes the begins of level 0, and begins, ends and needed sizes of the levels [first_level, last_level). In the form
/// by_mask, the first level is level 0, whose ends are written to the array that is named in place of its sizes. Posts
/// whether the map has an element that is out of bounds to mailbox[0], unless `check` is `trust`, and the number of
/// rows of each of these levels to the words from mailbox[1] on. If there is more than one tile, `entries` has a
/// scan_entry per level and tile, which is zero. Uses the tickets of look_back.cuh.
extern "C" __global__ void GDF_BOUNDS(nested_ranges)
nested_ranges_kernel(const __grid_constant__ nested::row_ranges given, const gdf::column_in* in,
                     const int32_t* parent, int64_t nodes, const nested::level* levels, int first_level,
                     int last_level, long long* numbers, gdf::row_count count, unsigned long long* entries,
                     gdf::scratch* scratch, unsigned long long* mailbox) {
  using tuning = nested_ranges_tuning;
  constexpr int threads = tuning::threads;
  constexpr int items = tuning::items;
  __shared__ uint32_t slots[2];
  __shared__ gdf::u64 before_tile;
  nested::nodes const all{in, parent, nodes};
  nested::level_ranges const ranges{numbers, count};
  gather::gather_map const map(given.map, given.rows, given.check);
  affine::source const affine(given.affine);
  auto const tiles = static_cast<int>((count + tuning::tile - 1) / tuning::tile);
  gdf::scan_state state(true, reinterpret_cast<uint32_t*>(entries), nullptr, tiles, scratch);
  auto const state_of = [&](int l) {
    gdf::scan_state found = state;
    found.status += static_cast<int64_t>(l - first_level) * tiles * state.status_words;
    return found;
  };
  gdf::scan_turns in_turn(scratch, slots, tiles);
  bool refused = false;
  for (int tile = in_turn.first(), next; tile < tiles; tile = next) {
    in_turn.take();
    int64_t const first = int64_t{tile} * tuning::tile + int64_t{threadIdx.x} * items;
    int64_t at[items];
    bool active[items];
    nested::range rows[items];
#pragma unroll
    for (int i = 0; i < items; i++) {
      at[i] = first + i;
      active[i] = at[i] < count;
      rows[i] = {nested::no_rows, 0};
    }
    if (given.form == nested::by_ranges) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i]) { rows[i] = nested::given_range(given, at[i]); }
      }
    } else if (given.form == nested::by_mask) {
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (active[i]) {
          rows[i] = {at[i], gdf::element<bool>(given.map, at[i]) && gdf::is_valid(given.map, at[i])};
        }
      }
    } else {
      int64_t row[items];
      if (given.form == nested::by_map) {
        map.rows_at(at, active, row, refused);
      } else {
        affine.rows_at(at, active, row, refused);
      }
#pragma unroll
      for (int i = 0; i < items; i++) {
        bool const second = row[i] >= given.split;
        int64_t const begin = nested::begin_of(second, row[i] - (second ? given.split : 0));
        rows[i] = {row[i] < 0 ? nested::no_rows : begin, active[i]};
      }
    }
#pragma unroll
    for (int i = 0; i < items; i++) {
      if (active[i]) { ranges.begins(0)[at[i]] = rows[i].begin; }
    }
#pragma unroll 1
    for (int l = first_level; l < last_level; l++) {
      nested::level const of = levels[l];
      nested::range found[items];
      gdf::u64 mine = 0;
#pragma unroll
      for (int i = 0; i < items; i++) {
        nested::range lists = rows[i];
        if (of.above > 0 && active[i]) {
          lists = {ranges.begins(of.above)[at[i]], ranges.array(levels[of.above].sizes)[at[i]]};
        }
        found[i] = !active[i] ? nested::range{0, 0} : l == 0 ? lists : nested::elements_of(all, of, lists);
        mine += static_cast<gdf::u64>(found[i].size);
      }
      gdf::u64 total;
      gdf::u64 end = gdf::block_exclusive_sum<threads>(mine, total);
      total = gdf::bounded_size(total);
      gdf::u64 base = 0;
      if (tiles > 1) {
        if (gdf::warp() == 0) {
          gdf::carry<gdf::u64> const own{total, 0};
          if (gdf::lane() == 0) { gdf::publish_aggregate<nested::sum>(state_of(l), tile, own); }
          gdf::u64 const before = gdf::look_back_plain(state_of(l), nested::sum{}, tile, own).value;
          if (gdf::lane() == 0) { before_tile = before; }
        }
        __syncthreads();
        base = before_tile;
        __syncthreads(); // the next level writes `before_tile` again
      }
      end += base;
#pragma unroll
      for (int i = 0; i < items; i++) {
        if (!active[i]) { continue; }
        end += static_cast<gdf::u64>(found[i].size);
        if (l == 0) {
          ranges.array(of.sizes)[at[i]] = static_cast<int64_t>(end);
          continue;
        }
        ranges.begins(l)[at[i]] = found[i].begin;
        ranges.ends(l)[at[i]] = static_cast<int64_t>(end);
        if (of.sizes != 0) { ranges.array(of.sizes)[at[i]] = found[i].size; }
      }
      if (tile + 1 == tiles && threadIdx.x == 0) {
        gdf::post(mailbox + 1 + l - first_level, gdf::bounded_size(gdf::saturating_add(base, total)));
      }
    }
    in_turn.pass_on();
    __syncthreads();
    next = in_turn.next();
    __syncthreads();
  }
  if (refused && given.check == gather::report) { gather::refuse(mailbox); }
  gdf::finish_tiles<threads>(state, scratch);
}
