// Decoding blocks with all lanes: first the symbols of a thousand words, then their words. Apart from each
// other, neither waits for the other one. Those who need it include this inside their region, behind
//   Lanes           the states of 32 lanes: load(decoder), store(decoder), and where their numbers are: words
//   LaneVectors     the symbols of up to four steps
//   step_lanes<frequency_bits, step>(lanes, tables, symbols)  tables.of(k) is that of the k-th eight lanes
//   store_symbols<steps>(symbols, of_first_four_steps, to)    in the order of the words
//   join_symbols(decoder, symbols, words, count)              false if there are not so many extra bits

/// The symbols of whole groups of one block, or of two at the same time: what one waits for, the other hides.
/// False if there are not so many numbers.
template <unsigned steps, unsigned frequency_bits, unsigned blocks, bool chooses>
[[gnu::noinline]] bool decode_symbols(EntropyDecoder* const (&decoders)[blocks], std::uint8_t* symbols,
                                      std::size_t groups) {
  Lanes lanes[blocks];
  GroupTables<steps, frequency_bits, chooses> tables[blocks];
  for (unsigned b = 0; b < blocks; ++b) {
    lanes[b].load(*decoders[b]);
    tables[b] = {decoders[0]->table, decoders[b]->choices};
  }
  bool is_inside = true;
  for (std::size_t i = 0; i < groups && is_inside; ++i) {
    LaneVectors of_steps[blocks], of_first_steps[blocks] = {};
    const auto take = [&]<unsigned step>(std::integral_constant<unsigned, step>)
        __attribute__((always_inline)) {
#pragma GCC unroll 2
      for (unsigned b = 0; b < blocks; ++b) {
        step_lanes<frequency_bits, step>(lanes[b], tables[b], of_steps[b]);
        if constexpr (steps == 8 && step == 3)
          std::memcpy(&of_first_steps[b], &of_steps[b], sizeof(LaneVectors));
      }
    };
    [&]<unsigned... all>(std::integer_sequence<unsigned, all...>) __attribute__((always_inline)) {
      (take(std::integral_constant<unsigned, all>{}), ...);
    }
    (std::make_integer_sequence<unsigned, steps>{});
#pragma GCC unroll 2
    for (unsigned b = 0; b < blocks; ++b) {
      store_symbols<steps>(of_steps[b], of_first_steps[b], symbols + b * entropy_batch_words);
      is_inside = is_inside && lanes[b].words <= decoders[b]->words_end;
      if constexpr (chooses) tables[b].choices += max_entropy_lanes * steps / entropy_run_words;
    }
    symbols += max_entropy_lanes * steps;
  }
  for (unsigned b = 0; b < blocks; ++b) {
    lanes[b].store(*decoders[b]);
    decoders[b]->choices = tables[b].choices;
  }
  return is_inside;
}

/// In batches whose symbols stay in the first cache.
template <class W, unsigned frequency_bits, unsigned blocks, bool chooses>
bool decode_groups_of(EntropyDecoder* const (&decoders)[blocks], W* const (&words)[blocks],
                      std::size_t groups) {
  constexpr unsigned steps = entropy_steps<W>;
  constexpr std::size_t group = max_entropy_lanes * steps, batch = entropy_batch_words / group;
  alignas(64) std::uint8_t symbols[blocks * entropy_batch_words];
  for (std::size_t first = 0; first < groups; first += batch) {
    const std::size_t part = groups - first < batch ? groups - first : batch;
    if (!decode_symbols<steps, frequency_bits, blocks, chooses>(decoders, symbols, part)) return false;
    for (unsigned b = 0; b < blocks; ++b) {
      if (!join_symbols(*decoders[b], symbols + b * entropy_batch_words, words[b] + first * group,
                        part * group))
        return false;
    }
  }
  return true;
}
template <class W, unsigned blocks>
bool decode_groups(EntropyDecoder* const (&decoders)[blocks], W* const (&words)[blocks], std::size_t groups) {
  const bool is_short = decoders[0]->shape.frequency_bits == short_frequency_bits;
  if (decoders[0]->choices != nullptr)
    return is_short ? decode_groups_of<W, short_frequency_bits, blocks, true>(decoders, words, groups)
                    : decode_groups_of<W, long_frequency_bits, blocks, true>(decoders, words, groups);
  return is_short ? decode_groups_of<W, short_frequency_bits, blocks, false>(decoders, words, groups)
                  : decode_groups_of<W, long_frequency_bits, blocks, false>(decoders, words, groups);
}

template <class W>
bool decode_in_vectors(EntropyDecoder& decoder, W* words, std::size_t count) {
  constexpr std::size_t group = max_entropy_lanes * entropy_steps<W>;
  if (decoder.shape.lanes != max_entropy_lanes) return decode_words(decoder, words, count);
  const std::size_t groups = count / group;
  if (!decode_groups<W, 1>({&decoder}, {words}, groups)) return false;
  return decode_words(decoder, words + groups * group, count % group);
}

template <class W>
bool decode_two_in_vectors(EntropyDecoder* const (&decoders)[2], W* const (&words)[2], std::size_t count) {
  return decode_groups<W, 2>(decoders, words, count / (max_entropy_lanes * entropy_steps<W>));
}
