// Entropy: words as symbols with extra bits, the symbols coded by interleaved rANS. A leaf for integers.
// Duda, "Asymmetric numeral systems", 2013; Giesen, "Interleaved entropy coders", 2014.
#include <algorithm>
#include <array>
#include <limits>

#include "chunks/cpu/bit_io.hpp"
#include "core/bit_stream.hpp"
#include "encodings/encodings.hpp"
#include "encodings/entropy/entropy_model.hpp"
#include "encodings/word_order.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {

using core::BitReader;
using core::BitWriter;
using core::bytes_of_bits;
namespace {

constexpr unsigned max_lane_bits = 5;
constexpr std::uint64_t model_sample_words = 1 << 13;

/// Many lanes are decoded side by side; their states are not worth it for few words.
unsigned lane_bits_for(std::uint64_t count) {
  return count < 1 << 12 ? 1 : count < 1 << 16 ? 2 : max_lane_bits;
}

/// What an encoder needs to know of symbols.
struct EncoderTables {
  explicit EncoderTables(const FrequencyTable& table) {
    std::uint32_t first = 0;
    for (std::size_t s = 0; s < symbol_count; ++s) {
      const std::uint32_t frequency = table.frequency(s);
      entries[s] = frequency << frequency_bits | (first & core::low_mask<std::uint32_t>(frequency_bits));
      inverses[s] = frequency > 1 ? ~std::uint64_t{0} / frequency + 1 : 0;
      first += frequency;
    }
  }
  std::array<std::uint32_t, symbol_count> entries;
  std::array<std::uint64_t, symbol_count> inverses;
};

struct CoveringModel {
  EntropyModel model;
  std::uint64_t max_offset = 0;
};

/// The model for the middle of the stream, made to cover all words.
template <core::Word W>
CoveringModel choose_model(const ColumnView& in) {
  const std::uint64_t sampled = std::min(in.count, model_sample_words);
  const W* const begin = in.words<W>().data() + (in.count - sampled) / 2;
  const ColumnView sample{in.type, begin, sampled};
  EntropyModel model = choose_entropy_model(sample).model;
  W least = 0, max_word = 0, most = 0;
  const W flip = sign_flip<W>(in.type);
  kernels().of<W>().range(in.words<W>().data(), static_cast<std::size_t>(in.count), flip, least, max_word);
  // A few smaller words elsewhere would shift the offsets of all others.
  if (!model.is_zigzag && model.base != least) model = folded_model(sample);
  for (const W word : in.words<W>()) most = std::max(most, model.offset_of(word));
  while (symbol_of(most, model.mantissa_bits) >= symbol_count) --model.mantissa_bits;
  return {model, most};
}

/// Writes the symbols of words, and their extra bits. Returns how many bits those are.
template <core::Word W>
std::uint64_t split_words(std::span<const W> words, const CoveringModel& covering, std::uint8_t* symbols,
                          std::uint8_t* extra) {
  const EntropyModel model = covering.model;
  if (covering.max_offset >> (model.mantissa_bits + 1) == 0) {  // offsets are symbols
    const W base = static_cast<W>(model.base);
    if (model.is_zigzag) {
      for (std::size_t i = 0; i < words.size(); ++i)
        symbols[i] = static_cast<std::uint8_t>(core::zigzag(static_cast<W>(words[i] - base)));
    } else {
      for (std::size_t i = 0; i < words.size(); ++i) symbols[i] = static_cast<std::uint8_t>(words[i] - base);
    }
    return 0;
  }
  cpu::BitWriter extra_bits(extra, 0);
  std::uint64_t extra_bit_count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint64_t offset = model.offset_of(words[i]), symbol = symbol_of(offset, model.mantissa_bits);
    symbols[i] = static_cast<std::uint8_t>(symbol);
    const unsigned bits = extra_bits_of(symbol, model.mantissa_bits);
    extra_bits.put(offset & core::low_mask<std::uint64_t>(bits), bits);
    extra_bit_count += bits;
  }
  extra_bits.finish();
  return extra_bit_count;
}

bool encode(const ColumnView& in, const Parameters&, Encoded& out) {
  if (in.count > std::numeric_limits<std::uint32_t>::max()) return false;  // counts have 32 bits
  return with_word(size_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const CoveringModel covering = choose_model<W>(in);
    const EntropyModel model = covering.model;
    const Block symbols = out.scratch.take(words.size());
    const Block extra_block = out.scratch.take(words.size() * sizeof(W) + sizeof(std::uint64_t));
    const std::uint64_t extra_bit_count = split_words(words, covering, symbols.data(), extra_block.data());
    const std::span<const std::uint8_t> extra{extra_block.data(),
                                              static_cast<std::size_t>(bytes_of_bits(extra_bit_count))};

    const FrequencyTable table(count_symbols({symbols.data(), words.size()}));
    const EncoderTables tables(table);
    const unsigned lane_bits = lane_bits_for(words.size());
    std::array<std::uint32_t, 1 << max_lane_bits> states;
    states.fill(RansEncoder::smallest_state);
    const Block coded = out.scratch.take(2 * words.size());
    std::uint8_t* const end = coded.data() + 2 * words.size();
    RansEncoder encoder{tables.entries.data(), tables.inverses.data(), states.data(),
                        std::size_t{1} << lane_bits, end};
    kernels().encode_rans(encoder, symbols.data(), words.size());
    const std::uint8_t* const begin = encoder.begin;

    out.header.put_byte(
        static_cast<std::uint8_t>(model.mantissa_bits | lane_bits << 3 | (model.is_zigzag ? 0x80U : 0U)));
    out.header.put_signed(static_cast<W>(model.base));
    table.write(out.header);
    out.header.put_varint(static_cast<std::uint64_t>(end - begin));
    out.header.put_varint(extra.size());
    for (std::size_t lane = 0; lane < std::size_t{1} << lane_bits; ++lane) out.header.put_word(states[lane]);
    out.header.put_bytes({begin, end});
    out.header.put_bytes(extra);
    return true;
  });
}

constexpr std::size_t block_words = 1024;

template <core::Word W>
class EntropySource final : public BlockSource<W, block_words> {
 public:
  explicit EntropySource(std::uint64_t count) : BlockSource<W, block_words>(count) {}

  /// False if the bytes contradict the format.
  bool open(ByteReader& in) {
    const std::uint8_t control = in.get_byte();
    model_ = {(control & 0x80) != 0, control & 7U, 0};
    const unsigned lane_bits = control >> 3 & 7U;
    model_.base = in.get_signed<W>();
    FrequencyTable table;
    if ((control & 0x40) != 0 || lane_bits > max_lane_bits || in.failed() || !table.read(in) ||
        !set_symbols(table))
      return false;
    const std::uint64_t word_bytes = in.get_varint(), extra_bytes = in.get_varint();
    for (std::size_t lane = 0; lane < std::size_t{1} << lane_bits; ++lane)
      states_[lane] = in.get_word<std::uint32_t>();
    const auto words = in.get_bytes(word_bytes);
    const auto extra = in.get_bytes(extra_bytes);
    if (in.failed()) return false;
    decoder_ = {table_.data(), states_.data(), std::size_t{1} << lane_bits, words.data(),
                words.data() + words.size()};
    extra_ = extra;
    return true;
  }

 private:
  /// False if a symbol has more bits than a word.
  bool set_symbols(const FrequencyTable& table) {
    std::uint32_t slot = 0;
    for (std::size_t s = 0; s < symbol_count; ++s) {
      const std::uint32_t frequency = table.frequency(s);
      if (frequency == 0) continue;
      extra_bits_[s] = static_cast<std::uint8_t>(extra_bits_of(s, model_.mantissa_bits));
      max_extra_ = std::max<unsigned>(max_extra_, extra_bits_[s]);
      if (s >> (model_.mantissa_bits + 1) != 0 && extra_bits_[s] + model_.mantissa_bits >= core::word_bits<W>)
        return false;
      values_[s] = static_cast<W>(min_offset(s, model_.mantissa_bits));
      for (std::uint32_t i = 0; i < frequency; ++i)
        table_[slot++] = (frequency - 1) << 20 | i << 8 | static_cast<std::uint32_t>(s);
    }
    if (max_extra_ == 0) {
      for (W& value : values_) value = model_.word_of(value);
    }
    return true;
  }

  bool read_blocks(W* out, std::size_t count) override {
    for (std::size_t part = 0; count > 0; out += part, count -= part) {
      part = std::min(count, block_words);
      if (!read_block(out, part)) return false;
    }
    return true;
  }

  bool read_block(W* out, std::size_t count) {
    if (!kernels().decode_rans(decoder_, symbols_.data(), count)) return false;
    if (max_extra_ == 0) {
      for (std::size_t i = 0; i < count; ++i) out[i] = values_[symbols_[i]];
      return true;
    }
    // Eight bytes from wherever bits begin must be there, and hold them.
    if (max_extra_ <= 56 && (extra_bit_ + count * max_extra_) / 8 + 8 <= extra_.size()) {
      model_.is_zigzag ? add_extra_bits<true>(out, count) : add_extra_bits<false>(out, count);
      return true;
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < count; ++i) bits += extra_bits_[symbols_[i]];
    if (bits > 8 * extra_.size() - extra_bit_) return false;
    BitReader reader(extra_.subspan(static_cast<std::size_t>(extra_bit_ / 8)));
    reader.get(static_cast<unsigned>(extra_bit_ % 8));
    for (std::size_t i = 0; i < count; ++i)
      out[i] = model_.word_of(static_cast<W>(values_[symbols_[i]] + reader.get(extra_bits_[symbols_[i]])));
    extra_bit_ += bits;
    return true;
  }

  template <bool is_zigzag>
  void add_extra_bits(W* out, std::size_t count) {
    const EntropyModel model{is_zigzag, 0, model_.base};
    std::uint64_t bit = extra_bit_;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t symbol = symbols_[i];
      const unsigned length = extra_bits_[symbol];
      const std::uint64_t extra = core::load<std::uint64_t>(extra_.data() + bit / 8) >> (bit % 8);
      out[i] =
          model.word_of(static_cast<W>(values_[symbol] + (extra & core::low_mask<std::uint64_t>(length))));
      bit += length;
    }
    extra_bit_ = bit;
  }

  EntropyModel model_;
  unsigned max_extra_ = 0;
  RansDecoder decoder_{};
  std::span<const std::uint8_t> extra_;
  std::uint64_t extra_bit_ = 0;  // the next one
  std::array<std::uint32_t, 1 << max_lane_bits> states_{};
  std::array<std::uint32_t, 1 << frequency_bits> table_;
  std::array<W, symbol_count>
      values_{};  // the least offsets of the symbols; if none has extra bits, the words
  std::array<std::uint8_t, symbol_count> extra_bits_{};
  alignas(64) std::array<std::uint8_t, block_words> symbols_;
};

std::unique_ptr<Source> open(Opening& opening) {
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    auto source = std::make_unique<EntropySource<W>>(opening.count);
    if (!source->open(opening.bytes)) return nullptr;
    return source;
  });
}

}  // namespace

Encoding entropy_encoding() noexcept { return {.time = {1700, 1000}, .encode = encode, .open = open}; }

}  // namespace floe::trees
