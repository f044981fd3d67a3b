// Searches long rows chunk by chunk, before the kernels that use the matches. See regex_chunks.cuh.

#include <gdf/regex_chunks.cuh>

GDF_POLICY(regex_chain, 128, 1, 8);

namespace regex_chain {

/// The rows to search, the pattern, and the values to compute.
struct request {
  gdf::text_in text;
  gdf::regex_pattern pattern;
  gdf::text_chunks chunks;
  int32_t* values; // if not null, receives the value that `answer` requests for each row
  int32_t answer; // gdf::regex_answer
};

/// [warp] Returns the character at which the first match of a row begins.
GDF_DEVICE int32_t first_match(const request& p, int64_t row, int64_t first, int64_t count) {
  int64_t begin = -1;
  gdf::string_piece text{};
  for (int64_t at = first; begin < 0 && at < first + count; at += 32) {
    bool const inside = at + gdf::lane() < first + count;
    gdf::text_chunk const chunk = p.chunks.chunks[inside ? at + gdf::lane() : first];
    gdf::chunk_part const part = gdf::chunks_detail::part_of(p.text, p.chunks, row, inside ? at + gdf::lane() : first);
    text = part.text;
    if (inside && chunk.matches == 0) {
      gdf::regex_for_each_in(p.pattern, chunk, part, false, [&](const gdf::regex_match& found, const gdf::regex_groups&) {
        begin = found.begin;
        return false;
      });
    }
    uint32_t const found = __ballot_sync(~0u, begin >= 0);
    if (found != 0) {
      int const owner = __ffs(static_cast<int>(found)) - 1;
      begin = static_cast<int64_t>(__shfl_sync(~0u, static_cast<gdf::u64>(begin), owner));
    }
  }
  if (begin < 0) { return -1; }
  uint32_t characters = 0;
  for (int64_t i = gdf::lane(); i < begin; i += 32) { characters += !gdf::is_continuation(__ldg(text.data + i)); }
  return static_cast<int32_t>(gdf::warp_sum(characters));
}

} // namespace regex_chain

extern "C" __global__ void GDF_BOUNDS(regex_chain) GDF_VARIANT(regex_chain, guess)
regex_chain_guess_kernel(const __grid_constant__ regex_chain::request p) {
  gdf::guess_chunks(p.text, p.pattern, p.chunks);
}

/// Joins the searches of the chunks of a row to one search. If `values` is not null, the kernel also writes the answer
/// for the row: the number of its matches, or the character at which the first match begins.
extern "C" __global__ void GDF_BOUNDS(regex_chain) GDF_VARIANT(regex_chain, link)
regex_chain_link_kernel(const __grid_constant__ regex_chain::request p) {
  if (!gdf::regex_detail::has_work(p.chunks)) { return; }
  gdf::for_each_chunked_row(p.text, p.chunks, [&](int64_t row, int64_t first, int64_t count) {
    int64_t const matches = gdf::link_chunks(p.text, p.pattern, p.chunks, row, first, count);
    if (p.values == nullptr) { return; }
    int32_t const value = gdf::is_answer(p.answer, gdf::regex_answer::count) ? static_cast<int32_t>(matches) : regex_chain::first_match(p, row, first, count);
    if (gdf::lane() == 0) { p.values[row] = value; }
  });
}
