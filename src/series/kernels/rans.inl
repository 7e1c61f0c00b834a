// Decoding of interleaved rANS. A translation unit includes this inside its namespace and its region.

inline bool decode_rans(RansDecoder& decoder, std::uint8_t* symbols, std::size_t count) {
  constexpr std::uint32_t scale_mask = (1U << RansDecoder::scale_bits) - 1;
  for (std::size_t i = 0; i < count; i += decoder.lanes) {
    for (std::size_t lane = 0; lane < decoder.lanes && i + lane < count; ++lane) {
      std::uint32_t state = decoder.states[lane];
      const std::uint32_t entry = decoder.table[state & scale_mask];
      symbols[i + lane] = static_cast<std::uint8_t>(entry);
      state = ((entry >> 20) + 1) * (state >> RansDecoder::scale_bits) + ((entry >> 8) & scale_mask);
      if (state < 1U << 16) {
        if (decoder.end - decoder.words < 2) return false;
        state = state << 16 | core::load<std::uint16_t>(decoder.words);
        decoder.words += 2;
      }
      decoder.states[lane] = state;
    }
  }
  return true;
}
