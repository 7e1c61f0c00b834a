// Entropy: words as symbols with extra bits, the symbols coded by interleaved rANS. A leaf for integers.
// Duda, "Asymmetric numeral systems", 2013; Giesen, "Interleaved entropy coders", 2014.
#include <algorithm>
#include <array>
#include <limits>

#include "backend/cpu/bit_io.hpp"
#include "series/bit_stream.hpp"
#include "series/encodings/encodings.hpp"
#include "series/entropy_model.hpp"
#include "series/kernels/kernels.hpp"

namespace floe::series {
namespace {

constexpr std::uint32_t smallest_state = 1U << 16;
constexpr unsigned most_lane_bits = 5;
constexpr std::uint64_t model_sample_words = 1 << 13;

bool accepts(Type type, const Parameters&) { return is_integer(type); }

/// Many lanes are decoded side by side; their states are not worth it for few words.
unsigned lane_bits_for(std::uint64_t count) { return count < 1 << 12 ? 1 : count < 1 << 16 ? 2 : most_lane_bits; }

/// What an encoder needs to know of a symbol.
struct SymbolRange {
  std::uint32_t frequency = 0, first = 0;
  std::uint64_t inverse = 0;  ///< 2^64 / frequency, rounded up: the upper half of a product with it is an exact quotient.
};

std::array<SymbolRange, symbol_count> ranges_of(const FrequencyTable& table) {
  std::array<SymbolRange, symbol_count> ranges;
  std::uint32_t first = 0;
  for (std::size_t s = 0; s < symbol_count; ++s) {
    const std::uint32_t frequency = table.frequency(s);
    ranges[s] = {frequency, first, frequency > 1 ? ~std::uint64_t{0} / frequency + 1 : 0};
    first += frequency;
  }
  return ranges;
}

/// Codes the symbols from the last to the first, as rANS has to; writes words before `end`. Returns where they begin.
std::uint8_t* code_backwards(std::span<const std::uint8_t> symbols, const FrequencyTable& table, std::span<std::uint32_t> states,
                             std::uint8_t* end) {
  const std::array<SymbolRange, symbol_count> ranges = ranges_of(table);
  const std::size_t lane_mask = states.size() - 1;
  for (std::size_t i = symbols.size(); i-- > 0;) {
    const SymbolRange range = ranges[symbols[i]];
    std::uint32_t state = states[i & lane_mask];
    if (state >= std::uint64_t{range.frequency} << (32 - frequency_bits)) {
      end -= 2;
      core::store(end, static_cast<std::uint16_t>(state));
      state >>= 16;
    }
    __extension__ using Wide = unsigned __int128;
    const auto quotient = range.frequency == 1 ? state : static_cast<std::uint32_t>(Wide{state} * range.inverse >> 64);
    states[i & lane_mask] = (quotient << frequency_bits) + (state - quotient * range.frequency) + range.first;
  }
  return end;
}

/// The model for the middle of the stream, made to cover all words.
template <core::Word W>
EntropyModel choose_model(const ColumnView& in) {
  const std::uint64_t sampled = std::min(in.count, model_sample_words);
  const W* const begin = in.words<W>().data() + (in.count - sampled) / 2;
  const ColumnView sample{in.type, begin, sampled};
  EntropyModel model = choose_entropy_model(sample).model;
  W least = 0, most_word = 0, most = 0;
  const W flip = is_signed(in.type) ? static_cast<W>(W{1} << (core::word_bits<W> - 1)) : W{0};
  kernels().of<W>().range(in.words<W>().data(), static_cast<std::size_t>(in.count), flip, least, most_word);
  // A few smaller words elsewhere would shift the offsets of all others.
  if (!model.is_zigzag && model.base != least) model = folded_model(sample);
  for (const W word : in.words<W>()) most = std::max(most, model.offset_of(word));
  while (symbol_of(most, model.mantissa_bits) >= symbol_count) --model.mantissa_bits;
  return model;
}

bool encode(const ColumnView& in, const Parameters&, Encoded& out) {
  if (in.count > std::numeric_limits<std::uint32_t>::max()) return false;  // counts have 32 bits
  return with_word(bytes_of(in.type), [&]<class W>(W) {
    const std::span<const W> words = in.words<W>();
    const EntropyModel model = choose_model<W>(in);
    const Block symbol_block = out.scratch.take(words.size());
    const std::span<std::uint8_t> symbols{symbol_block.data(), words.size()};
    SymbolCounts counts{};
    const Block extra_block = out.scratch.take(words.size() * sizeof(W) + sizeof(std::uint64_t));
    cpu::BitWriter extra_bits(extra_block.data(), 0);
    std::uint64_t extra_bit_count = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::uint64_t offset = model.offset_of(words[i]), symbol = symbol_of(offset, model.mantissa_bits);
      symbols[i] = static_cast<std::uint8_t>(symbol);
      ++counts[symbol];
      const unsigned bits = extra_bits_of(symbol, model.mantissa_bits);
      extra_bits.put(offset & core::low_mask<std::uint64_t>(bits), bits);
      extra_bit_count += bits;
    }
    extra_bits.finish();
    const std::span<const std::uint8_t> extra{extra_block.data(), static_cast<std::size_t>(bytes_of_bits(extra_bit_count))};

    const FrequencyTable table(counts);
    const unsigned lane_bits = lane_bits_for(words.size());
    std::array<std::uint32_t, 1 << most_lane_bits> states;
    states.fill(smallest_state);
    const Block coded = out.scratch.take(2 * words.size());
    std::uint8_t* const end = coded.data() + 2 * words.size();
    const std::uint8_t* const begin = code_backwards(symbols, table, std::span(states).first(std::size_t{1} << lane_bits), end);

    out.header.put_byte(static_cast<std::uint8_t>(model.mantissa_bits | lane_bits << 3 | (model.is_zigzag ? 0x80U : 0U)));
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
    if ((control & 0x40) != 0 || lane_bits > most_lane_bits || in.failed() || !table.read(in) || !set_symbols(table)) return false;
    const std::uint64_t word_bytes = in.get_varint(), extra_bytes = in.get_varint();
    for (std::size_t lane = 0; lane < std::size_t{1} << lane_bits; ++lane) states_[lane] = in.get_word<std::uint32_t>();
    const auto words = in.get_bytes(word_bytes);
    const auto extra = in.get_bytes(extra_bytes);
    if (in.failed()) return false;
    decoder_ = {table_.data(), states_.data(), std::size_t{1} << lane_bits, words.data(), words.data() + words.size()};
    extra_ = BitReader(extra);
    extra_left_ = 8 * extra_bytes;
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
      has_extra_ = has_extra_ || extra_bits_[s] > 0;
      if (s >> (model_.mantissa_bits + 1) != 0 && extra_bits_[s] + model_.mantissa_bits >= core::word_bits<W>) return false;
      const auto least = static_cast<W>(least_offset(s, model_.mantissa_bits));
      values_[s] = extra_bits_[s] > 0 ? least : model_.word_of(least);
      for (std::uint32_t i = 0; i < frequency; ++i) table_[slot++] = (frequency - 1) << 20 | i << 8 | static_cast<std::uint32_t>(s);
    }
    return true;
  }

  bool read_block(W* out, std::size_t count) override {
    if (!kernels().decode_rans(decoder_, symbols_.data(), count)) return false;
    if (!has_extra_) {
      for (std::size_t i = 0; i < count; ++i) out[i] = values_[symbols_[i]];
      return true;
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < count; ++i) bits += extra_bits_[symbols_[i]];
    if (bits > extra_left_) return false;
    extra_left_ -= bits;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint8_t symbol = symbols_[i];
      const W value = values_[symbol];
      const unsigned extra = extra_bits_[symbol];
      out[i] = extra > 0 ? model_.word_of(static_cast<W>(value + extra_.get(extra))) : value;
    }
    return true;
  }

  EntropyModel model_;
  bool has_extra_ = false;
  RansDecoder decoder_{};
  BitReader extra_{{}};
  std::uint64_t extra_left_ = 0;
  std::array<std::uint32_t, 1 << most_lane_bits> states_{};
  std::array<std::uint32_t, 1 << frequency_bits> table_;
  std::array<W, symbol_count> values_{};  // of symbols without extra bits the words, of others the least offsets
  std::array<std::uint8_t, symbol_count> extra_bits_{};
  alignas(64) std::array<std::uint8_t, block_words> symbols_;
};

std::unique_ptr<Source> open(Opening& opening) {
  return with_word(bytes_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    auto source = std::make_unique<EntropySource<W>>(opening.count);
    if (!source->open(opening.bytes)) return nullptr;
    return source;
  });
}

}  // namespace

Encoding entropy_encoding() noexcept {
  return {.id = EncodingId::entropy,
          .name = "entropy",
          .summary = "symbols by frequency, and extra bits",
          .time = {4000, 1500},
          .accepts = accepts,
          .encode = encode,
          .open = open};
}

}  // namespace floe::series
