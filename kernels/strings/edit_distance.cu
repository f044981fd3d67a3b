// strings::edit_distance: the number of insertions, deletions and replacements of characters that turn one text into
// another (Levenshtein distance).
//
// The algorithm is Myers' bit vectors in Hyyrö's version for blocks. A strip of the distance table has a column for
// each character of 32 bytes of the target.

#include <gdf/characters.cuh>
#include <gdf/policy.cuh>
#include <gdf/text_arguments.cuh>

GDF_POLICY(edit_distance, 256, 1, 4);

namespace edit_distance {

/// [warp] Returns the code of the character that begins at this lane's byte.
GDF_DEVICE uint32_t codes_of(const gdf::string_piece& text, int64_t at, uint32_t& begins) {
  int64_t const mine = at + gdf::lane();
  bool const is_first = mine < text.size && !gdf::is_continuation(gdf::byte_at(text, mine));
  begins = __ballot_sync(~0u, is_first);
  return is_first ? gdf::code_of(gdf::character_at(text, mine)) : 0;
}

/// [warp] Proceeds along the text for a strip of `columns` characters, one per lane.
GDF_DEVICE int64_t along(const gdf::string_piece& text, uint32_t own, int columns, gdf::u64* carries, bool is_first, bool is_last) {
  uint32_t grows = ~0u; // the differences between a row of the table and the row above it
  uint32_t falls = 0;
  int64_t sum = 0;
  for (int64_t at = 0; at < text.size; at += 32) {
    uint32_t begins;
    uint32_t const codes = codes_of(text, at, begins);
    gdf::u64 const before = is_first ? 0xffffffffull : carries[at >> 5];
    uint32_t out_grows = 0;
    uint32_t out_falls = 0;
    for (uint32_t left = begins; left != 0; left &= left - 1) {
      int const bit = __ffs(static_cast<int>(left)) - 1;
      auto const in_grows = static_cast<uint32_t>(before >> bit) & 1;
      auto const in_falls = static_cast<uint32_t>(before >> (32 + bit)) & 1;
      uint32_t const code = __shfl_sync(~0u, codes, bit);
      uint32_t equal = __ballot_sync(~0u, gdf::lane() < columns && code == own);
      uint32_t const vertical = equal | falls;
      equal |= in_falls;
      uint32_t const diagonal = (((equal & grows) + grows) ^ grows) | equal;
      uint32_t plus = falls | ~(diagonal | grows);
      uint32_t minus = grows & diagonal;
      out_grows |= (plus >> (columns - 1) & 1) << bit;
      out_falls |= (minus >> (columns - 1) & 1) << bit;
      plus = plus << 1 | in_grows;
      minus = minus << 1 | in_falls;
      grows = minus | ~(vertical | plus);
      falls = plus & vertical;
    }
    sum += __popc(out_grows) - __popc(out_falls);
    if (!is_last && gdf::lane() == 0) { carries[at >> 5] = static_cast<gdf::u64>(out_falls) << 32 | out_grows; }
  }
  __syncwarp(); // the next strip reads the carries
  return sum;
}

/// [warp] Returns the distance between two texts.
GDF_DEVICE int64_t between(const gdf::string_piece& text, const gdf::string_piece& target, gdf::u64* carries) {
  int64_t distance = gdf::by_warp::characters(text, 0, text.size);
  int64_t characters = 0;
  for (int64_t at = 0; at < target.size; at += 32) {
    uint32_t begins;
    uint32_t const codes = codes_of(target, at, begins);
    int const columns = __popc(begins);
    if (columns == 0) { continue; } // no character begins in this strip
    uint32_t const place = __fns(begins, 0, gdf::lane() + 1);
    uint32_t const own = __shfl_sync(~0u, codes, static_cast<int>(place & 31));
    bool const is_last = at + 32 >= target.size;
    characters += columns;
    distance = characters + along(text, own, columns, carries, at == 0, is_last);
  }
  return distance;
}

} // namespace edit_distance

/// Computes the distance of each row's text to the text of `target`. The results have 32 or 64 bits, according to the
/// type of `out`. A null text counts as empty. `carries` has a word for each 32 bytes of text and one for each row.
extern "C" __global__ void GDF_BOUNDS(edit_distance)
edit_distance_kernel(const __grid_constant__ gdf::text_in text, const __grid_constant__ gdf::text_in target,
                     const __grid_constant__ gdf::column_out out, unsigned long long* carries) {
  constexpr int warps = edit_distance_tuning::threads / 32;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * warps + gdf::warp(); row < out.length; row += static_cast<int64_t>(gridDim.x) * warps) {
    gdf::string_piece const from = gdf::text_or_none(text, row);
    gdf::extent const place = gdf::extent_within(text.column, row, text.bytes);
    int64_t const distance = edit_distance::between(from, gdf::text_or_none(target, row), carries + (place.begin / 32 + row));
    if (gdf::lane() != 0) { continue; }
    if (static_cast<gdf::type>(out.type) == gdf::type::i64) {
      static_cast<int64_t*>(out.data)[row] = distance;
    } else {
      static_cast<int32_t*>(out.data)[row] = static_cast<int32_t>(distance);
    }
  }
}
