#include "encodings/entropy/section_encoder.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "core/bit_stream.hpp"

#include "encodings/entropy/frequencies.hpp"
#include "encodings/entropy/model_choice.hpp"
#include "encodings/entropy/section_choice.hpp"
#include "encodings/entropy/table_choice.hpp"
#include "encodings/word_order.hpp"
#include "simd/entropy/kernels.hpp"

namespace floe::trees {
namespace {

/// The frequencies of each table, and what encoders make of them.
struct EntropyCode {
  unsigned frequency_bits = long_frequency_bits;
  std::vector<SymbolCounts> frequencies;
  std::vector<std::uint8_t> most_frequent;  ///< The symbol; of several the smallest one.
  std::vector<EncoderEntry> entries;
};

std::vector<SymbolCounts> frequencies_of(const std::vector<SymbolCounts>& counts, unsigned bits) {
  std::vector<SymbolCounts> frequencies(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::uint32_t total = std::accumulate(counts[i].begin(), counts[i].end(), 0U);
    normalise(counts[i].data(), total, bits, frequencies[i].data());
  }
  return frequencies;
}

std::uint64_t coded_cost(const std::vector<SymbolCounts>& counts,
                         const std::vector<SymbolCounts>& frequencies, const EntropyModel& model,
                         unsigned frequency_bits) {
  std::uint64_t cost = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    for (unsigned s = 0; s < entropy_symbols; ++s) {
      if (counts[i][s] != 0) cost += coded_cost(counts[i][s], frequencies[i][s], s, model, frequency_bits);
    }
  }
  return cost;
}

/// The code of a section with these counts for each table.
EntropyCode choose_code(const std::vector<SymbolCounts>& counts, const EntropyModel& model) {
  EntropyCode code;
  code.frequencies = frequencies_of(counts, long_frequency_bits);
  std::vector<SymbolCounts> short_frequencies = frequencies_of(counts, short_frequency_bits);
  if (takes_short_frequencies(coded_cost(counts, short_frequencies, model, short_frequency_bits),
                              coded_cost(counts, code.frequencies, model, long_frequency_bits), model)) {
    code.frequency_bits = short_frequency_bits;
    code.frequencies = std::move(short_frequencies);
  }
  for (const SymbolCounts& frequencies : code.frequencies) {
    code.most_frequent.push_back(static_cast<std::uint8_t>(
        std::max_element(frequencies.begin(), frequencies.end()) - frequencies.begin()));
    std::uint32_t first = 0;
    for (const std::uint32_t frequency : frequencies) {
      code.entries.push_back(encoder_entry(frequency, first));
      first += frequency;
    }
  }
  return code;
}

template <core::Word W>
class SectionEncoder {
 public:
  SectionEncoder(const ColumnView& leaf, unsigned max_table_bits, Scratch& scratch)
      : unit_(static_cast<std::size_t>(entropy_unit(leaf.count))),
        lane_bits_(entropy_lane_bits(leaf.count)),
        flip_(sign_flip<W>(leaf.type)),
        max_table_bits_(unit_ > 1 ? max_table_bits : 0),
        is_float_(is_float(leaf.type)),
        scratch_(scratch) {
    const auto words = static_cast<std::size_t>(std::min(leaf.count, section_words));
    symbols_ = scratch.take(words + max_group);
    extra_ = scratch.take(words * sizeof(W) + max_blocks * sizeof(std::uint64_t));
    numbers_ = scratch.take(front_bytes + 2 * (std::min(words, max_block_words) + max_group));
  }

  /// Appends a section. Returns whether it has several tables.
  bool encode(const W* words, std::uint32_t count, core::ByteWriter& out) {
    const std::size_t begin = out.size();
    const ModelChoice choice = choose_model(words, count, flip_, is_float_);
    SectionHeader header{choice.model, lane_bits_, 0, block_bits_for(choice.sample_cost, choice.sampled)};
    const std::uint32_t block_words = 1U << header.block_bits;
    const auto blocks = static_cast<std::uint32_t>(core::divide_up(count, block_words));
    split(header, words, count);
    const TableChoice tables = choose_tables(symbols_.data(), count, header.model, max_table_bits_, scratch_);
    const EntropyCode code = choose_code(tables.counts, header.model);
    header.frequency_bits = code.frequency_bits;
    header.has_tables = tables.table_bits > 0;
    out.put_byte(header.control());
    out.put_byte(header.raw());
    out.put_byte(static_cast<std::uint8_t>(header.block_bits));
    out.put_signed(static_cast<W>(header.model.base));
    if (header.has_tables) out.put_byte(static_cast<std::uint8_t>(tables.table_bits));
    for (const SymbolCounts& frequencies : code.frequencies) write_frequencies(frequencies, out);
    if (header.has_tables) put_choices(tables, count, out);
    out.align(unit_);
    const std::size_t directory = out.size();
    out.extend(static_cast<std::size_t>(directory_bytes(blocks, unit_, sizeof(W))));
    out.align(unit_);
    const std::uint8_t* extra = extra_.data();
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::size_t start = (out.size() - begin) / unit_, extra_bytes = std::size_t{4} * extras_[block];
      out.put_word_at(directory + std::size_t{directory_entry_bytes} * block,
                      static_cast<std::uint32_t>(start) | extras_[block] << 16);
      const std::uint32_t first = block * block_words, block_count = std::min(count - first, block_words);
      if (unit_ > 1)
        out.put_word_at(directory + std::size_t{directory_entry_bytes} * blocks + sizeof(W) * block,
                        sums_[block]);
      const std::uint8_t* const choices = tables.choices.data() + first / entropy_run_words;
      put_block(header, code, choices, symbols_.data() + first, block_count, {extra, extra_bytes}, out);
      extra += extra_bytes;
    }
    return header.has_tables;
  }

 private:
  static constexpr std::size_t max_group = max_entropy_lanes * entropy_steps<W>, front_bytes = 64;
  static constexpr std::size_t max_block_words = 1 << max_chosen_block_bits,
                               max_blocks = section_words >> min_chosen_block_bits;

  /// Symbols and extra bits of all blocks, and sums of their words.
  void split(const SectionHeader& header, const W* words, std::uint32_t count) {
    const std::uint32_t block_words = 1U << header.block_bits;
    std::uint8_t* extra = extra_.data();
    for (std::uint32_t first = 0, block = 0; first < count; first += block_words, ++block) {
      const std::uint32_t block_count = std::min(count - first, block_words);
      const std::uint64_t bits = entropy_kernels().of<W>().split(header.model, words + first, block_count,
                                                                 symbols_.data() + first, extra);
      if (unit_ > 1) sums_[block] = entropy_kernels().of<W>().sum(words + first, block_count);
      extras_[block] = static_cast<std::uint32_t>(core::divide_up(bits, 32));
      std::uint8_t* const end = extra + std::size_t{4} * extras_[block];
      std::fill(extra + core::divide_up(bits, 8), end, std::uint8_t{0});
      extra = end;
    }
  }

  static void put_choices(const TableChoice& tables, std::uint32_t count, core::ByteWriter& out) {
    core::BitWriter bits(out);
    for (std::uint32_t run = 0; run * entropy_run_words < count; ++run)
      bits.put(tables.choices[run], tables.table_bits);
    bits.finish();
  }

  /// Appends a block. Its symbols are followed by room for a group.
  void put_block(const SectionHeader& header, const EntropyCode& code, const std::uint8_t* choices,
                 std::uint8_t* symbols, std::size_t count, std::span<const std::uint8_t> extra,
                 core::ByteWriter& out) {
    const EntropyShape shape{header.model, 1U << header.lane_bits, header.frequency_bits};
    const auto filled =
        static_cast<std::size_t>(core::align_up(count, std::uint64_t{shape.lanes} * entropy_steps<W>));
    for (std::size_t i = count; i < filled; ++i)
      symbols[i] = code.most_frequent[choices[i / entropy_run_words]];
    alignas(64) std::array<std::uint32_t, max_entropy_lanes> states;
    states.fill(min_entropy_state);
    std::uint8_t* const end = numbers_.data() + front_bytes + 2 * filled;
    const std::uint8_t* const begin =
        entropy_kernels().of<W>().encode(shape, code.entries.data(), states.data(), symbols,
                                         header.has_tables ? choices : nullptr, filled, end);
    for (unsigned lane = 0; lane < shape.lanes; ++lane) out.put_word(states[lane]);
    out.put_bytes(extra);
    out.put_bytes({begin, end});
    out.align(unit_);
  }

  std::size_t unit_;
  unsigned lane_bits_;
  W flip_;
  unsigned max_table_bits_;
  bool is_float_;
  Scratch& scratch_;
  std::array<std::uint32_t, max_blocks> extras_{};  // of each block, in u32
  std::array<W, max_blocks> sums_{};                // of its words
  Block symbols_, extra_, numbers_;
};

}  // namespace

bool encode_entropy(const ColumnView& words, unsigned max_table_bits, Scratch& scratch,
                    core::ByteWriter& out) {
  return with_word(size_of(words.type), [&]<class W>(W) {
    const std::size_t payload = out.size();
    const auto unit = static_cast<std::size_t>(entropy_unit(words.count));
    const std::uint64_t sections = section_count(words.count);
    if (sections > 1) {
      out.extend(static_cast<std::size_t>(sections * sizeof(std::uint32_t)));
      out.align(unit);
    }
    SectionEncoder<W> encoder(words, max_table_bits, scratch);
    bool has_tables = false;
    for (std::uint64_t section = 0; section < sections; ++section) {
      const std::uint64_t first = section * section_words;
      const auto count = static_cast<std::uint32_t>(std::min(words.count - first, section_words));
      if (encoder.encode(words.words<W>().data() + first, count, out)) has_tables = true;
      if (sections > 1)
        out.put_word_at(payload + static_cast<std::size_t>(section * sizeof(std::uint32_t)),
                        static_cast<std::uint32_t>((out.size() - payload) / unit));
    }
    return has_tables;
  });
}

}  // namespace floe::trees
