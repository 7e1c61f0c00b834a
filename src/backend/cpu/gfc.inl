// A full chunk through the pipeline LaneDelta, BytePack: what all instruction sets have in common. A translation unit includes this inside
// its namespace and its region; before that, <cstring>, core/chunk.hpp, stages/shape.hpp and
//   Predictor<W>                                    made from the dimensionality, for sub-chunks in their order
//   encode_subchunk<W>(words, predictor, out)       writes one sub-chunk and returns its bytes; may overshoot by 64 bytes
//   carry_on(traffic, lines)                        core::MemoryTraffic::advance, if there is traffic

template <core::Word W>
std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, unsigned dimensionality, core::MemoryTraffic* traffic) {
  constexpr std::size_t subchunk_bytes = lanes * sizeof(W), largest = code_bytes + subchunk_bytes + 64;
  Predictor<W> predictor(dimensionality);
  std::size_t total = 0;
  for (std::size_t at = 0; at < core::chunk_bytes; at += subchunk_bytes) {
    carry_on(traffic, subchunk_bytes / 64);
    if (total + largest <= core::chunk_bytes) [[likely]] {
      total += encode_subchunk<W>(chunk + at, predictor, out + total);
      continue;
    }
    std::uint8_t last[largest];  // too near the end of the output for stores that overshoot
    const std::size_t bytes = encode_subchunk<W>(chunk + at, predictor, last);
    if (total + bytes >= core::chunk_bytes) return core::raw_chunk;
    std::memcpy(out + total, last, bytes);
    total += bytes;
  }
  return total;
}
