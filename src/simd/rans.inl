// Interleaved rANS. A translation unit includes this inside its namespace and its region.

/// One symbol. Whether the state needs a new word is as good as random, so there is no branch on it; `words`
/// has two bytes.
inline std::uint8_t step_lane(std::uint32_t& state_of_lane, const std::uint32_t* table,
                              const std::uint8_t*& words) {
  constexpr std::uint32_t offset_mask = (1U << RansDecoder::scale_bits) - 1;
  const std::uint32_t entry = table[state_of_lane & offset_mask];
  const std::uint32_t state =
      ((entry >> 20) + 1) * (state_of_lane >> RansDecoder::scale_bits) + ((entry >> 8) & offset_mask);
  const std::uint32_t refilled = state << 16 | core::load<std::uint16_t>(words);
  const bool is_small = state < 1U << 16;
  state_of_lane = is_small ? refilled : state;
  words += is_small ? 2 : 0;
  return static_cast<std::uint8_t>(entry);
}

inline bool decode_rans(RansDecoder& decoder, std::uint8_t* symbols, std::size_t count) {
  const std::uint8_t* words = decoder.words;
  std::size_t i = 0;
  for (; i + decoder.lanes <= count && decoder.end - words >= static_cast<std::ptrdiff_t>(2 * decoder.lanes);
       i += decoder.lanes) {
    for (std::size_t lane = 0; lane < decoder.lanes; ++lane)
      symbols[i + lane] = step_lane(decoder.states[lane], decoder.table, words);
  }
  // The last words, from a copy that always has two bytes.
  std::uint8_t rest[2] = {};
  for (; i < count; ++i) {
    const std::size_t lane = i % decoder.lanes;
    const auto left = static_cast<std::size_t>(decoder.end - words);
    std::memcpy(rest, words, left < 2 ? left : 2);
    const std::uint8_t* next = rest;
    symbols[i] = step_lane(decoder.states[lane], decoder.table, next);
    const auto taken = static_cast<std::size_t>(next - rest);
    if (taken > left) return false;
    words += taken;
  }
  decoder.words = words;
  return true;
}

inline void encode_rans(RansEncoder& encoder, const std::uint8_t* symbols, std::size_t count) {
  constexpr unsigned scale_bits = RansDecoder::scale_bits;
  __extension__ using Wide = unsigned __int128;
  std::uint8_t* begin = encoder.begin;
  for (std::size_t i = count; i-- > 0;) {
    const std::uint32_t entry = encoder.table[symbols[i]], frequency = entry >> scale_bits;
    std::uint32_t& state_of_lane = encoder.states[i & (encoder.lanes - 1)];
    std::uint32_t state = state_of_lane;
    if (state >> (32 - scale_bits) >= frequency) {
      begin -= 2;
      core::store(begin, static_cast<std::uint16_t>(state));
      state >>= 16;
    }
    // The upper half of a product with the inverse is an exact quotient.
    const auto quotient =
        frequency == 1 ? state : static_cast<std::uint32_t>(Wide{state} * encoder.inverses[symbols[i]] >> 64);
    state_of_lane =
        (quotient << scale_bits) + (state - quotient * frequency) + (entry & ((1U << scale_bits) - 1));
  }
  encoder.begin = begin;
}
