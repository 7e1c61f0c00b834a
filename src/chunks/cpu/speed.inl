// A full chunk through the pipeline of a speed codec and back: Delta, ZigZag, BitPack, or for narrow words
// OffsetPack. What all instruction sets have in common. A translation unit includes this inside its namespace
// and its region; before that, <algorithm>, <bit>, <cstring>, core/bits.hpp and core/chunk.hpp.
//
// Residuals are folded two sub-chunks ahead of the one that is packed, because packing has to wait for the OR
// of all words of its sub-chunk. A longer lead would read the chunk in one go, and memory would idle while
// the rest is computed.
//
// L says how words lie in vectors:
//   Vector, Subchunk               some words; the vectors of a sub-chunk
//   word_bits, width_field         bits of a word, and of a width in the header
//   load, store, zero, bit_or      of vectors, at any alignment
//   or_of                          over the words of a vector; may leave parts to be ORed, of word_bits each
//   residuals(words, before)       the words at `words`, each less the one before; `before` is the vector
//                                  before, and then this one; or, if residuals_read_word_before, the word
//                                  before is read
//   fold, unfold                   BitPack's formulas
//   prefix_sums(v, carry)          inclusive; `carry` is the last word before at every position, and then the
//                                  last word of this vector
//   add_up(words, carry)           if there is a quicker way than this for the vectors of a sub-chunk
//   Unfolding(width, twice)        if unfolding once or twice, and clearing the bits from `width` on before
//                                  that, can be one
//   OutputPastCaches               if there is one: as PlainOutput below, past the caches
// and for wide words
//   max, max_of                    the larger words, the largest of a vector
// or for narrow words
//   range_of(words, smallest, largest)  of a sub-chunk's words in OffsetPack's order; `smallest` less one
//   offsets(v, base), words(v, base)    OffsetPack's formulas
//   last_word(v)                        at every position
// Besides L there must be subchunks and subchunk_bytes, both per full chunk, and
//   pack<L>(words, width, out)       a sub-chunk, aligned to 64; may write 64 bytes past the packed words
//   unpack<L>(in, width, subchunk)   may read 8 bytes before the packed words and 64 after them
//   unpack<L, false>(...)            if there is L::Unfolding; may leave anything in the bits from `width` on
//   carry_on(overlap, lines)         core::MemoryOverlap::advance, if there is any

template <class L>
constexpr std::size_t header_bytes = 4 + 2 + subchunks* L::width_field / 8;

/// Bytes of a sub-chunk's words per bit of their width.
template <class L>
constexpr std::size_t bytes_per_bit = subchunk_bytes / L::word_bits;

/// Folds the residuals of sub-chunk `s` into `folded` and returns the OR of them; `before` as L::residuals
/// has it.
template <class L>
std::uint64_t fold_residuals(const std::uint8_t* chunk, unsigned s, std::uint8_t* folded,
                             typename L::Vector& before) {
  using Vector = typename L::Vector;
  const std::uint8_t* words = chunk + s * subchunk_bytes;
  alignas(64) std::uint8_t first_subchunk[64 + subchunk_bytes];  // with the zero before it
  if (L::residuals_read_word_before && s == 0) {
    std::memset(first_subchunk, 0, 64);
    words = static_cast<std::uint8_t*>(std::memcpy(first_subchunk + 64, chunk, subchunk_bytes));
  }
  Vector all = L::zero();
  for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
    const Vector y = L::fold(L::residuals(words + i, before));
    L::store(folded + i, y);
    all = L::bit_or(all, y);
  }
  return L::or_of(all);
}

/// The ORs of word_bits bits each in one word.
template <class L>
constexpr std::uint64_t word_of_ors(std::uint64_t ors) {
  for (unsigned bits = 32; bits >= L::word_bits; bits /= 2) ors |= ors >> bits;
  return ors & core::low_mask<std::uint64_t>(L::word_bits);
}

template <class L>
constexpr bool has_top_bit(std::uint64_t word) {
  return word >> (L::word_bits - 1) != 0;
}

/// Folds a sub-chunk that has a word with the top bit set once more if that makes its largest word smaller;
/// `all` is the OR of its words and becomes that of the new ones. Returns whether it did.
template <class L>
bool fold_again(std::uint8_t* subchunk, std::uint64_t& all) {
  using Vector = typename L::Vector;
  Vector ors = L::zero();
  for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector))
    ors = L::bit_or(ors, L::fold(L::load(subchunk + i)));
  const std::uint64_t all_again = word_of_ors<L>(L::or_of(ors));
  if (has_top_bit<L>(all_again)) {  // otherwise the new words are smaller in any case
    Vector largest = L::zero(), largest_again = largest;
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector)) {
      const Vector words = L::load(subchunk + i);
      largest = L::max(largest, words);
      largest_again = L::max(largest_again, L::fold(words));
    }
    if (L::max_of(largest_again) >= L::max_of(largest)) return false;
  }
  for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector))
    L::store(subchunk + i, L::fold(L::load(subchunk + i)));
  all = all_again;
  return true;
}

/// What is before the packed words of a payload but for the length, and behind them.
template <class L>
struct Fields {
  std::uint32_t folded = 0, offsets = 0;  ///< A bit for each sub-chunk.
  std::uint8_t widths[subchunks];
  std::uint8_t bases[subchunks * 2];
  std::size_t base_bytes = 0;

  void add_base(std::uint64_t base) {
    std::memcpy(bases + base_bytes, &base, L::word_bits / 8);
    base_bytes += L::word_bits / 8;
  }
};

/// The OR of residuals that are folded once more, from byte `begin` of a sub-chunk to `end`.
template <class L>
std::uint64_t or_of_folded(const std::uint8_t* residuals, std::size_t begin, std::size_t end) {
  typename L::Vector ors = L::zero();
  for (std::size_t i = begin; i < end; i += sizeof(ors))
    ors = L::bit_or(ors, L::fold(L::load(residuals + i)));
  return word_of_ors<L>(L::or_of(ors));
}

/// OffsetPack's choice for sub-chunk `s`; `all` is the OR of its folded residuals.
template <class L>
unsigned choose_narrow(const std::uint8_t* words, std::uint8_t* residuals, std::uint64_t all, unsigned s,
                       Fields<L>& fields) {
  using Vector = typename L::Vector;
  const unsigned plain_width = core::bit_length(all);
  if (plain_width <= stages::OffsetPack::enough_bits<typename L::Word>) return plain_width;
  std::uint64_t smallest, largest;
  L::range_of(words, smallest, largest);
  const std::uint64_t base = largest == 0 ? 0 : smallest;
  const unsigned offset_width = std::max(1u, core::bit_length(largest - base));
  unsigned width = plain_width;
  if (plain_width == L::word_bits) {
    constexpr std::size_t some = subchunk_bytes / 4;  // are mostly enough to see that offsets are shorter
    std::uint64_t folded = or_of_folded<L>(residuals, 0, some);
    if (core::bit_length(folded) <= offset_width) folded |= or_of_folded<L>(residuals, some, subchunk_bytes);
    width = core::bit_length(folded);
  }
  if (offset_width < width) {
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector))
      L::store(residuals + i, L::offsets(L::load(words + i), static_cast<unsigned>(base)));
    fields.offsets |= 1u << s;
    fields.add_base(base);
    return offset_width;
  }
  if (width < plain_width) {
    for (std::size_t i = 0; i < subchunk_bytes; i += sizeof(Vector))
      L::store(residuals + i, L::fold(L::load(residuals + i)));
    fields.folded |= 1u << s;
  }
  return width;
}

/// Maps the residuals of sub-chunk `s` as is best, and returns the width; `all` is the OR of them.
template <class L>
unsigned choose_mapping(const std::uint8_t* words, std::uint8_t* residuals, std::uint64_t all, unsigned s,
                        Fields<L>& fields) {
  if constexpr (L::word_bits < 32) {
    return choose_narrow<L>(words, residuals, all, s, fields);
  } else {
    if (has_top_bit<L>(all)) [[unlikely]] {
      fields.folded |= static_cast<std::uint32_t>(fold_again<L>(residuals, all)) << s;
    }
    return core::bit_length(all);
  }
}

/// Flags, length and widths.
template <class L>
void write_header(std::uint8_t* out, const Fields<L>& header) {
  const auto length = static_cast<std::uint16_t>(core::chunk_bytes);
  std::memcpy(out, &header.folded, 4);
  std::memcpy(out + 4, &length, 2);
  for (unsigned group = 0; group < subchunks; group += 8) {  // eight widths fill width_field bytes
    std::uint64_t fields = 0;
    for (unsigned i = 0; i < 8; ++i) {
      const std::uint64_t is_offsets = header.offsets >> (group + i) & 1;
      fields |= (header.widths[group + i] + is_offsets * L::word_bits) << (i * L::width_field);
    }
    std::memcpy(out + 6 + group / 8 * L::width_field, &fields, L::width_field);
  }
}

template <class L>
std::size_t encode(const std::uint8_t* chunk, std::uint8_t* out, std::uint8_t* scratch,
                   core::MemoryOverlap* overlap) {
  constexpr unsigned lead = 2, ring = 4;  // sub-chunks in `scratch`; a power of two above the lead
  std::uint64_t ors[ring];
  typename L::Vector before = L::zero();
  const auto folded = [&](unsigned s) { return scratch + s % ring * subchunk_bytes; };
  for (unsigned s = 0; s < lead; ++s) ors[s] = fold_residuals<L>(chunk, s, folded(s), before);

  std::uint8_t* to = out;
  std::size_t total = header_bytes<L>;
  Fields<L> fields;
  for (unsigned s = 0; s < subchunks; ++s) {
    const unsigned ahead = s + lead;
    if (ahead < subchunks) ors[ahead % ring] = fold_residuals<L>(chunk, ahead, folded(ahead), before);
    const std::uint64_t all = word_of_ors<L>(ors[s % ring]);
    const unsigned width = choose_mapping<L>(chunk + s * subchunk_bytes, folded(s), all, s, fields);
    fields.widths[s] = static_cast<std::uint8_t>(width);
    const std::size_t bytes = width * bytes_per_bit<L>;
    if (total + bytes + 64 > core::chunk_bytes)
        [[unlikely]] {  // stores overshoot by up to 64 bytes, which must not leave the output
      if (total + bytes >= core::chunk_bytes) return core::raw_chunk;
      if (to == out)
        to = static_cast<std::uint8_t*>(std::memcpy(scratch + ring * subchunk_bytes, out, total));
    }
    pack<L>(folded(s), width, to + total);
    carry_on(overlap, subchunk_bytes / 64);
    total += bytes;
  }
  write_header<L>(to, fields);
  if constexpr (L::word_bits < 32) {
    if (total + fields.base_bytes >= core::chunk_bytes) return core::raw_chunk;
    std::memcpy(to + total, fields.bases, fields.base_bytes);
    total += fields.base_bytes;
  }
  if (to != out) std::memcpy(out, to, total);
  return total;
}

/// Eight fields of `bits` bits, side by side, to a byte each.
constexpr std::uint64_t fields_to_bytes(std::uint64_t fields, unsigned bits) {
  const std::uint64_t four = core::low_mask<std::uint64_t>(4 * bits);
  fields = (fields & four) | (fields >> (4 * bits) & four) << 32;
  const std::uint64_t two = core::low_mask<std::uint64_t>(2 * bits) * 0x0000000100000001;
  fields = (fields & two) | (fields >> (2 * bits) & two) << 16;
  const std::uint64_t one = core::low_mask<std::uint64_t>(bits) * 0x0001000100010001;
  return (fields & one) | (fields >> bits & one) << 8;
}

/// Flags and widths of a payload; false if they contradict its length.
template <class L>
bool read_header(const std::uint8_t* payload, std::size_t payload_bytes, Fields<L>& header) {
  if (payload_bytes < header_bytes<L>) return false;
  std::uint16_t length;
  std::memcpy(&header.folded, payload, 4);
  std::memcpy(&length, payload + 4, 2);
  // Of bytes side by side: none overflows, because a field has seven bits at most.
  constexpr std::uint64_t every_byte = 0x0101010101010101, even_bytes = 0x00FF00FF00FF00FF,
                          every_second_byte = 0x0001000100010001;
  std::uint64_t too_wide = 0, sums = 0;
  for (unsigned group = 0; group < subchunks; group += 8) {
    std::uint64_t fields = 0;
    std::memcpy(&fields, payload + 6 + group / 8 * L::width_field, L::width_field);
    std::uint64_t bytes = fields_to_bytes(fields, L::width_field);
    const std::uint64_t above = (bytes + (127 - L::word_bits) * every_byte) & (128 * every_byte);
    if constexpr (L::word_bits < 32) {
      bytes -= (above >> 7) * L::word_bits;
      header.offsets |= static_cast<std::uint32_t>((above >> 7) * 0x0102040810204080 >> 56) << group;
    } else {
      too_wide |= above;
    }
    core::store(header.widths + group, bytes);
    sums += (bytes & even_bytes) + (bytes >> 8 & even_bytes);
  }
  const std::size_t sum = sums * every_second_byte >> 48;
  header.base_bytes = static_cast<unsigned>(std::popcount(header.offsets)) * (L::word_bits / 8);
  return length == core::chunk_bytes && too_wide == 0 && (header.folded & header.offsets) == 0 &&
         header_bytes<L> + sum * bytes_per_bit<L> + header.base_bytes == payload_bytes;
}

/// Unpacks the words of a sub-chunk, which were folded once or twice, and unfolds them. Inlined, since
/// vectors pass a call in memory only.
template <class L>
[[gnu::always_inline]] inline void unpack_residuals(const std::uint8_t* in, unsigned width, bool twice,
                                                    typename L::Subchunk& words) {
  using Vector = typename L::Vector;
  if constexpr (requires { typename L::Unfolding; }) {
    unpack<L, false>(in, width, words);
    const typename L::Unfolding unfolding(width, twice);
    for (Vector& v : words) v = unfolding(v);
  } else {
    unpack<L>(in, width, words);
    for (Vector& v : words) v = L::unfold(twice ? L::unfold(v) : v);
  }
}

/// Replaces residuals by their prefix sums; `carry` is the word before at every position, and then the last
/// word.
template <class L>
void add_up(typename L::Subchunk& words, typename L::Vector& carry) {
  if constexpr (requires { L::add_up(words, carry); }) {
    L::add_up(words, carry);
  } else {
    for (typename L::Vector& v : words) v = L::prefix_sums(v, carry);
  }
}

/// Unpacks the offsets of a sub-chunk from the base at `base`, which becomes the next one, to words, the last
/// of which becomes `carry`.
template <class L>
[[gnu::always_inline]] inline void unpack_offsets(const std::uint8_t* in, unsigned width,
                                                  const std::uint8_t*& base, typename L::Subchunk& words,
                                                  typename L::Vector& carry) {
  if constexpr (L::word_bits < 32) {
    unpack<L>(in, width, words);
    unsigned number = 0;
    std::memcpy(&number, base, L::word_bits / 8);
    base += L::word_bits / 8;
    for (typename L::Vector& v : words) v = L::words(v, number);
    carry = L::last_word(words[vectors - 1]);
  }
}

/// Where the vectors of a chunk go, one after the other.
template <class L>
struct PlainOutput {
  std::uint8_t* to;
  void put(typename L::Vector v) {
    L::store(to, v);
    to += sizeof(v);
  }
  void finish() {}
};

template <class L, class Output>
bool decode_to(Output out, const std::uint8_t* payload, std::size_t payload_bytes,
               core::MemoryOverlap* overlap) {
  using Vector = typename L::Vector;
  Fields<L> header;
  if (!read_header<L>(payload, payload_bytes, header)) return false;

  // Loads overshoot. The sub-chunks near the end are read from a copy that has room around it.
  constexpr std::size_t max_rest = subchunk_bytes + 64;
  alignas(64) std::uint8_t end_copy[64 + max_rest + 64];
  const std::uint8_t* in = payload + header_bytes<L>;
  const std::uint8_t* end = payload + payload_bytes;
  const std::uint8_t* base = end - header.base_bytes;
  Vector carry = L::zero();
  for (unsigned s = 0; s < subchunks; ++s) {
    const std::size_t bytes = header.widths[s] * bytes_per_bit<L>;
    const auto rest = static_cast<std::size_t>(end - in);
    if (rest < bytes + 64) {
      std::uint8_t* const copy_end = end_copy + 64 + max_rest;
      if (payload_bytes >= max_rest) {  // a copy of a constant length takes some vectors
        std::memset(end_copy, 0, 64);
        std::memcpy(copy_end - max_rest, end - max_rest, max_rest);
        std::memset(copy_end, 0, 64);
      } else {
        std::memset(end_copy, 0, sizeof end_copy);
        std::memcpy(copy_end - rest, in, rest);
      }
      in = copy_end - rest;
      end = copy_end + 64;
    }
    typename L::Subchunk words;
    if (L::word_bits < 32 && (header.offsets >> s & 1) != 0) {
      unpack_offsets<L>(in, header.widths[s], base, words, carry);
    } else {
      unpack_residuals<L>(in, header.widths[s], (header.folded >> s & 1) != 0, words);
      add_up<L>(words, carry);
    }
    for (const Vector& vector : words) out.put(vector);
    carry_on(overlap, subchunk_bytes / 64);
    in += bytes;
  }
  out.finish();
  return true;
}

template <class L>
bool decode(const std::uint8_t* payload, std::size_t payload_bytes, std::uint8_t* chunk,
            core::MemoryOverlap* overlap) {
  if constexpr (requires { typename L::OutputPastCaches; }) {
    if (overlap != nullptr && overlap->writes_past_caches())
      return decode_to<L>(typename L::OutputPastCaches(chunk), payload, payload_bytes, overlap);
  }
  return decode_to<L>(PlainOutput<L>{chunk}, payload, payload_bytes, overlap);
}
