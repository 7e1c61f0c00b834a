// Entropy coding, one word after the other: what it means. A translation unit includes this inside its
// namespace and its region.

/// The state after a symbol, whose entry is given.
inline std::uint32_t state_after(std::uint32_t state, std::uint32_t entry, unsigned frequency_bits) {
  return (entry >> 20) * (state >> frequency_bits) + (entry & ((1U << long_frequency_bits) - 1));
}

/// The symbols of a group: every lane has `steps` of them. There are numbers to read: entropy_slack_bytes.
template <unsigned steps, bool chooses>
void decode_group(EntropyDecoder& decoder, std::uint8_t* symbols) {
  const unsigned bits = decoder.shape.frequency_bits, lanes = decoder.shape.lanes;
  const unsigned interval = bits == short_frequency_bits ? 2 : 1;
  for (unsigned step = 0; step < steps; ++step) {
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::uint32_t& state = decoder.states[lane];
      const unsigned choice = chooses ? decoder.choices[lane * steps / entropy_run_words] : 0U;
      const std::uint32_t entry = decoder.table[(choice << bits) + (state & ((1U << bits) - 1))];
      symbols[lane * steps + step] = static_cast<std::uint8_t>(symbol_of_entry(entry));
      state = state_after(state, entry, bits);
    }
    if ((step + 1) % interval != 0) continue;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      std::uint32_t& state = decoder.states[lane];
      const bool is_small = state < min_entropy_state;
      const std::uint32_t refilled = state << 16 | core::load<std::uint16_t>(decoder.words);
      state = is_small ? refilled : state;
      decoder.words += is_small ? 2 : 0;
    }
  }
  if constexpr (chooses) decoder.choices += max_entropy_lanes * steps / entropy_run_words;
}

/// Up to 64 bits from any position of a bit stream, of which 16 bytes can be read.
inline std::uint64_t extra_bits_at(const std::uint8_t* extra, std::uint64_t bit, unsigned length) {
  const std::uint8_t* const from = extra + bit / 8;
  const auto shift = static_cast<unsigned>(bit % 8);
  const std::uint64_t low = core::load<std::uint64_t>(from) >> shift,
                      high = core::load<std::uint64_t>(from + 8) << 1 << (63 - shift);
  return (low | high) & core::low_mask<std::uint64_t>(length);
}

/// Where the next extra bits are.
struct ExtraPosition {
  const std::uint8_t* begin;
  std::uint64_t bit;
};

/// The words of symbols. Moves behind their extra bits, which may not be there.
template <class W>
void join_words(const EntropyModel& model, ExtraPosition& extra, const std::uint8_t* symbols, W* words,
                std::size_t count) {
  const W base = static_cast<W>(model.base);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned length = dropped_bits_of_symbol(symbols[i], model.mantissa_bits) + model.raw_bits;
    const std::uint64_t top = top_of_symbol(symbols[i], model.mantissa_bits);
    const std::uint64_t offset = top << length | extra_bits_at(extra.begin, extra.bit, length);
    words[i] = word_of(static_cast<W>(offset), model.mode, base);
    extra.bit += length;
  }
}

/// False if there are not so many extra bits.
template <class W>
bool join_words_of_symbols(EntropyDecoder& decoder, const std::uint8_t* symbols, W* words,
                           std::size_t count) {
  ExtraPosition extra{decoder.extra, decoder.extra_bit};
  join_words(decoder.shape.model, extra, symbols, words, count);
  decoder.extra_bit = extra.bit;
  return extra.bit <= decoder.extra_end;
}

template <class W>
bool decode_words(EntropyDecoder& decoder, W* words, std::size_t count) {
  constexpr unsigned steps = entropy_steps<W>;
  const std::size_t group = std::size_t{decoder.shape.lanes} * steps;
  std::uint8_t symbols[max_entropy_lanes * steps];
  while (count > 0) {
    const std::size_t part = count < group ? count : group;
    if (decoder.choices != nullptr)
      decode_group<steps, true>(decoder, symbols);
    else
      decode_group<steps, false>(decoder, symbols);
    if (decoder.words > decoder.words_end || !join_words_of_symbols(decoder, symbols, words, part))
      return false;
    words += part;
    count -= part;
  }
  return true;
}

/// Puts numbers one after the other; 8 bytes can be written wherever bits go.
class ExtraBitWriter {
 public:
  explicit ExtraBitWriter(std::uint8_t* to) : to_(to) {}
  /// `filled` bits, fewer than 8, wait for what follows.
  ExtraBitWriter(std::uint8_t* to, std::uint64_t pending, unsigned filled)
      : to_(to), pending_(pending), filled_(filled) {}
  static constexpr unsigned max_length = 56;
  /// `value` has at most `length` bits, 0 to max_length.
  void put(std::uint64_t value, unsigned length) {
    pending_ |= value << filled_;
    core::store(to_, pending_);
    const unsigned total = filled_ + length;
    to_ += total / 8;
    pending_ >>= total & 56;
    filled_ = total & 7;
  }
  /// Up to 64 bits, without a branch on how many there are.
  void put_any(std::uint64_t value, unsigned length) {
    pending_ |= value << filled_;
    core::store(to_, pending_);
    const unsigned total = filled_ + length;
    const std::uint64_t is_full = std::uint64_t{0} - (total >> 6), rest = value >> 1 >> (63 - filled_);
    to_ += total / 8;
    pending_ = (pending_ >> (total & 56) & ~is_full) | (rest & is_full);
    filled_ = total & 7;
  }
  /// Returns how many bits were put, counted from `begin`.
  [[nodiscard]] std::uint64_t finish(const std::uint8_t* begin) {
    core::store(to_, pending_);
    return 8 * static_cast<std::uint64_t>(to_ - begin) + filled_;
  }
  [[nodiscard]] std::uint64_t pending() const { return pending_; }

 private:
  std::uint8_t* to_;
  std::uint64_t pending_ = 0;
  unsigned filled_ = 0;  // bits of `pending_`, fewer than 8
};

template <class W>
void split_words(const EntropyModel& model, const W* words, std::size_t count, std::uint8_t* symbols,
                 ExtraBitWriter& out) {
  const W base = static_cast<W>(model.base);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t offset = offset_of(words[i], model.mode, base), part = offset >> model.raw_bits;
    const unsigned dropped = dropped_bits(part, model.mantissa_bits), length = dropped + model.raw_bits;
    symbols[i] = static_cast<std::uint8_t>((dropped << model.mantissa_bits) + (part >> dropped));
    out.put_any(offset & core::low_mask<std::uint64_t>(length), length);
  }
}
template <class W>
std::uint64_t split_block(const EntropyModel& model, const W* words, std::size_t count, std::uint8_t* symbols,
                          std::uint8_t* extra) {
  ExtraBitWriter out(extra);
  split_words(model, words, count, symbols, out);
  return out.finish(extra);
}

inline std::uint32_t state_before(std::uint32_t state, const EncoderEntry& entry, unsigned frequency_bits) {
  const std::uint32_t quotient = state / entry.frequency;
  return (quotient << frequency_bits) + (state - quotient * entry.frequency) + entry.first;
}

/// The symbols of a group, from the last step to the first and from the last lane to the first.
template <unsigned steps>
std::uint8_t* encode_group(const EntropyShape& shape, const EncoderEntry* tables, std::uint32_t* states,
                           const std::uint8_t* symbols, const std::uint8_t* choices, std::uint8_t* end) {
  const bool in_pairs = shape.frequency_bits == short_frequency_bits;
  const unsigned interval = in_pairs ? 2 : 1;
  for (unsigned step = steps; step > 0; step -= interval) {
    for (unsigned lane = shape.lanes; lane-- > 0;) {
      const EncoderEntry* const table =
          choices == nullptr ? tables : tables + entropy_symbols * choices[lane * steps / entropy_run_words];
      const EncoderEntry& last = table[symbols[lane * steps + step - 1]];
      const EncoderEntry& first = table[symbols[lane * steps + step - interval]];
      std::uint32_t state = states[lane];
      // Decoding multiplies states by less than 2^16 in total, and reads a number if they became too small.
      const bool is_large = in_pairs ? state >> 16 >= std::uint32_t{first.frequency} * last.frequency
                                     : state >> (32 - long_frequency_bits) >= last.frequency;
      if (is_large) {
        end -= 2;
        core::store(end, static_cast<std::uint16_t>(state));
        state >>= 16;
      }
      state = state_before(state, last, shape.frequency_bits);
      states[lane] = in_pairs ? state_before(state, first, shape.frequency_bits) : state;
    }
  }
  return end;
}

template <class W>
std::uint8_t* encode_symbols(const EntropyShape& shape, const EncoderEntry* table, std::uint32_t* states,
                             const std::uint8_t* symbols, const std::uint8_t* choices, std::size_t count,
                             std::uint8_t* end) {
  const std::size_t group = std::size_t{shape.lanes} * entropy_steps<W>;
  for (std::size_t i = count; i > 0; i -= group)
    end = encode_group<entropy_steps<W>>(
        shape, table, states, symbols + (i - group),
        choices == nullptr ? nullptr : choices + (i - group) / entropy_run_words, end);
  return end;
}

template <class W>
W unite_words(const W* words, std::size_t count) {
  W all = 0;
  for (std::size_t i = 0; i < count; ++i) all = static_cast<W>(all | words[i]);
  return all;
}

template <class W>
W sum_words(const W* words, std::size_t count) {
  W sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum = static_cast<W>(sum + words[i]);
  return sum;
}

template <class W>
std::uint32_t find_classes_of_words(const EntropyModel& model, const W* words, std::size_t count,
                                    std::uint16_t* classes) {
  const W base = static_cast<W>(model.base);
  std::uint16_t last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    classes[i] =
        static_cast<std::uint16_t>(symbol_of(offset_of(words[i], model.mode, base), model.mantissa_bits));
    last = classes[i] > last ? classes[i] : last;
  }
  return last;
}

/// Into several tables, so that equal neighbours do not wait for each other.
inline void count_symbols(const std::uint8_t* symbols, std::size_t count, std::uint32_t* counts) {
  std::uint32_t tables[4][entropy_symbols] = {};
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const auto eight = core::load<std::uint64_t>(symbols + i);
    for (unsigned k = 0; k < 8; ++k) ++tables[k % 4][static_cast<std::uint8_t>(eight >> (8 * k))];
  }
  for (; i < count; ++i) ++tables[0][symbols[i]];
  for (unsigned s = 0; s < entropy_symbols; ++s)
    counts[s] = tables[0][s] + tables[1][s] + tables[2][s] + tables[3][s];
}

inline void add_pairs(const std::uint16_t* __restrict counts, std::size_t pairs,
                      std::uint16_t* __restrict sums) {
  for (std::size_t i = 0; i < pairs; ++i)
    sums[i] = static_cast<std::uint16_t>(counts[2 * i] + counts[2 * i + 1]);
}
inline std::uint32_t add_all(const std::uint16_t* counts, std::size_t count) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += counts[i];
  return sum;
}

/// Every second symbol has a sum of its own: neither chain of additions waits for the other.
inline void add_costs(const std::uint8_t* symbols, std::size_t count, const SymbolCosts* costs,
                      SymbolCosts& sums) {
  using Numbers __attribute__((vector_size(sizeof(SymbolCosts)))) = std::int16_t;
  const auto* const all = reinterpret_cast<const char*>(costs);
  const auto add = [&](std::uint8_t symbol, Numbers& sum) {
    Numbers numbers;
    std::memcpy(&numbers, all + symbol * sizeof(SymbolCosts), sizeof(numbers));
    sum += numbers;
  };
  Numbers first{}, second{};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    add(symbols[i], first);
    add(symbols[i + 1], second);
    add(symbols[i + 2], first);
    add(symbols[i + 3], second);
  }
  for (; i < count; ++i) add(symbols[i], first);
  first += second;
  std::memcpy(&sums, &first, sizeof(first));
}

template <class W>
constexpr EntropyKernels<W> entropy_word_kernels() {
  return {decode_words<W>, nullptr,      split_block<W>,          encode_symbols<W>,
          unite_words<W>,  sum_words<W>, find_classes_of_words<W>};
}
constexpr AllEntropyKernels plain_entropy_kernels = {entropy_word_kernels<std::uint8_t>(),
                                                     entropy_word_kernels<std::uint16_t>(),
                                                     entropy_word_kernels<std::uint32_t>(),
                                                     entropy_word_kernels<std::uint64_t>(),
                                                     count_symbols,
                                                     add_pairs,
                                                     add_all,
                                                     add_costs};
