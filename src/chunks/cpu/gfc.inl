// A full chunk through the pipeline LaneDelta, BytePack and back: what all instruction sets have in common. A
// translation unit includes this inside its namespace and its region; before that, <cstring>, core/chunk.hpp,
// stages/shape.hpp, lanes and code_bytes, and
//   Predictor<W>                                    made from the dimensionality; knows the sub-chunk before
//   encode_subchunk<W>(words, predictor, out)       writes one sub-chunk and returns its bytes; may overshoot
//   by 64 bytes decode_subchunk<W>(in, end, predictor, out)     restores the next sub-chunk and returns the
//   end of what it read, or a null pointer if
//                                                   that would be behind `end`; reads nothing from there on
//   carry_on(overlap, lines)                        core::MemoryOverlap::advance, if there is any

template <core::Word W>
std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, unsigned dimensionality,
                   core::MemoryOverlap* overlap) {
  constexpr std::size_t subchunk_bytes = lanes * sizeof(W), largest = code_bytes + subchunk_bytes + 64;
  Predictor<W> predictor(dimensionality);
  std::size_t total = 0;
  std::uint8_t last[largest];  // for sub-chunks too near the end of the output for stores that overshoot
  for (std::size_t at = 0; at < core::chunk_bytes; at += subchunk_bytes) {
    carry_on(overlap, subchunk_bytes / core::MemoryOverlap::line_bytes);
    const bool has_room = total + largest <= core::chunk_bytes;
    const std::size_t bytes = encode_subchunk<W>(chunk + at, predictor, has_room ? out + total : last);
    if (!has_room) [[unlikely]] {
      if (total + bytes >= core::chunk_bytes) return core::raw_chunk;
      std::memcpy(out + total, last, bytes);
    }
    total += bytes;
  }
  return total;
}

/// To `out`, which decode_subchunk fills.
template <core::Word W, class Output>
bool decode_to(Output& out, const std::uint8_t* payload, std::size_t payload_bytes, unsigned dimensionality,
               core::MemoryOverlap* overlap) {
  Predictor<W> predictor(dimensionality);
  const std::uint8_t* in = payload;
  const std::uint8_t* const end = payload + payload_bytes;
  for (std::size_t at = 0; at < core::chunk_bytes; at += lanes * sizeof(W)) {
    carry_on(overlap, lanes * sizeof(W) / core::MemoryOverlap::line_bytes);
    in = decode_subchunk<W>(in, end, predictor, out);
    if (in == nullptr) return false;
  }
  return in == end;
}
