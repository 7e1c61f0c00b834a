#include "encodings/entropy/section_source.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/bit_stream.hpp"
#include "core/spare_memory.hpp"
#include "encodings/entropy/frequencies.hpp"
#include "encodings/entropy/section_layout.hpp"
#include "encodings/entropy/table_choice.hpp"
#include "simd/entropy/kernels.hpp"

namespace floe::trees {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// Read at a time: whole groups of blocks of any size.
constexpr std::size_t block_words = 1024;
/// Who asks for so many words of a part at a time will mostly ask for those of the next block, too.
constexpr std::size_t min_words_to_decode_ahead = 2048;

/// The ends of sections, in bytes. Empty if they contradict the format.
std::vector<std::uint64_t> ends_of_sections(Bytes payload, std::uint64_t sections, std::size_t unit) {
  if (sections == 1) return {payload.size()};
  if (sections > payload.size() / sizeof(std::uint32_t)) return {};
  std::vector<std::uint64_t> ends(static_cast<std::size_t>(sections));
  std::uint64_t before = core::align_up(sections * sizeof(std::uint32_t), unit);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i] = core::load<std::uint32_t>(payload.data() + i * sizeof(std::uint32_t)) * std::uint64_t{unit};
    if (ends[i] <= before) return {};
    before = ends[i];
  }
  return before == payload.size() ? ends : std::vector<std::uint64_t>{};
}

template <core::Word W>
class SectionSource final : public BlockSource<W, block_words> {
 public:
  SectionSource(const Opening& opening, Bytes payload, Bytes readable, bool may_have_tables,
                std::vector<std::uint64_t> ends)
      : BlockSource<W, block_words>(opening.count),
        wanted_(opening.wanted),
        payload_(payload),
        readable_end_(readable.data() + readable.size()),
        unit_(static_cast<std::size_t>(entropy_unit(opening.count))),
        ends_(std::move(ends)),
        words_left_(opening.count),
        may_have_tables_(may_have_tables) {
    decoder_.states = states_[0].data();
  }
  ~SectionSource() override {
    core::keep_spare(std::move(ahead_memory_));
    core::keep_spare(std::move(tables_memory_));
  }

  /// Of several blocks, two at a time are decoded to where they belong.
  [[nodiscard]] std::size_t words_at_once() const override { return 16 * piece_words; }

 private:
  bool read_blocks(W* out, std::size_t count) override {
    while (count > 0) {
      const std::size_t part = ahead_left_ > 0 ? read_ahead(out, count) : read_block(out, count);
      if (part == 0) return false;
      out += part;
      count -= part;
      in_section_ -= static_cast<std::uint32_t>(part);
    }
    return true;
  }

  /// Words that were decoded with the block before. Returns how many.
  std::size_t read_ahead(W* out, std::size_t count) {
    const std::size_t part = std::min<std::size_t>(count, ahead_left_);
    std::copy_n(ahead_end() - ahead_left_, part, out);
    ahead_left_ -= static_cast<std::uint32_t>(part);
    return part;
  }
  [[nodiscard]] W* ahead_end() const {
    return reinterpret_cast<W*>(ahead_memory_.data()) + (std::size_t{1} << header_.block_bits);
  }

  /// The next words of a block. Returns how many; 0 if they contradict the format.
  std::size_t read_block(W* out, std::size_t count) {
    if (in_section_ == 0 && !open_section()) return 0;
    if (in_block_ == 0 && !open_blocks(count)) return 0;
    const std::size_t part = std::min<std::size_t>(count, in_block_),
                      full = std::size_t{1} << header_.block_bits;
    const bool takes_both = decodes_two_ && in_block_ == full && count >= 2 * full;
    const auto second = [&] { return takes_both ? out + full : ahead_end() - in_block_; };
    const EntropyKernels<W>& kernels = entropy_kernels().of<W>();
    const bool is_sound = decodes_two_
                              ? kernels.decode_two({&decoder_, &second_decoder_}, {out, second()}, part)
                              : kernels.decode(decoder_, out, part);
    if (!is_sound) return 0;
    in_block_ -= static_cast<std::uint32_t>(part);
    if (in_block_ > 0) return part;
    if (!ends_well(decoder_) || (decodes_two_ && !ends_well(second_decoder_))) return 0;
    if (takes_both) return 2 * full;
    if (decodes_two_) ahead_left_ = static_cast<std::uint32_t>(full);
    return part;
  }

  /// Sections and blocks that are passed over as a whole are not looked at.
  bool skip_blocks(std::uint64_t count) override {
    while (count > 0) {
      if (ahead_left_ > 0) {
        const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, ahead_left_));
        ahead_left_ -= part;
        in_section_ -= part;
        count -= part;
        continue;
      }
      const std::uint64_t section = std::min(words_left_, section_words);
      if (in_section_ == 0 && count >= section) {
        ++next_section_;
        words_left_ -= section;
        count -= section;
        continue;
      }
      if (in_section_ == 0 && !open_section()) return false;
      if (in_block_ == 0) {
        const std::uint32_t block = std::min(in_section_, std::uint32_t{1} << header_.block_bits);
        if (count >= block) {
          if (!next_block()) return false;
          in_section_ -= block;
          count -= block;
          continue;
        }
      }
      const std::uint64_t part =
          std::min<std::uint64_t>({count, block_words, in_block_ == 0 ? count : in_block_});
      if (!read_blocks(skipped_.data(), static_cast<std::size_t>(part))) return false;
      count -= part;
    }
    return true;
  }

  bool open_section() {
    const std::size_t index = next_section_++;
    const std::uint64_t end = ends_[index],
                        begin = index > 0 ? ends_[index - 1]
                                : ends_.size() > 1
                                    ? core::align_up(ends_.size() * sizeof(std::uint32_t), unit_)
                                    : 0;
    section_ = payload_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    core::ByteReader in(section_);
    const std::uint8_t control = in.get_byte(), raw = in.get_byte(), size = in.get_byte();
    header_.set(control, raw, size);
    header_.model.base = in.get_signed<W>();
    section_count_ = in_section_ = static_cast<std::uint32_t>(std::min(words_left_, section_words));
    if (!header_.is_valid(unit_, may_have_tables_) || !read_tables(in)) return false;
    words_left_ -= in_section_;
    const std::uint64_t blocks = core::divide_up(in_section_, std::uint64_t{1} << header_.block_bits),
                        directory = core::align_up(in.position(), unit_),
                        data = core::align_up(directory + directory_bytes(blocks, unit_, sizeof(W)), unit_);
    if (data > section_.size()) return false;
    directory_ = section_.subspan(static_cast<std::size_t>(directory),
                                  static_cast<std::size_t>(blocks * directory_entry_bytes));
    min_start_ = static_cast<std::size_t>(data);
    decoder_.shape = {header_.model, 1U << header_.lane_bits, header_.frequency_bits};
    return true;
  }

  /// The table of a section, or several and what runs choose.
  bool read_tables(core::ByteReader& in) {
    decoder_.max_extra_bits = 0;
    decoder_.table = table_.data();
    if (!header_.has_tables) return read_table(in, table_.data());
    const unsigned bits = in.get_byte();
    if (in.failed() || bits == 0 || bits > max_entropy_table_bits) return false;
    const std::size_t entries = std::size_t{1} << (bits + header_.frequency_bits);
    if (tables_memory_.capacity() < entries * sizeof(std::uint32_t))
      tables_memory_ = core::take_spare_block(entries * sizeof(std::uint32_t));
    auto* const tables = reinterpret_cast<std::uint32_t*>(tables_memory_.data());
    for (std::size_t first = 0; first < entries; first += std::size_t{1} << header_.frequency_bits) {
      if (!read_table(in, tables + first)) return false;
    }
    decoder_.table = tables;
    const std::uint64_t runs = core::divide_up(section_count_, entropy_run_words);
    const Bytes bytes = in.get_bytes(core::bytes_of_bits(runs * bits));
    if (in.failed()) return false;
    core::BitReader choices(bytes);
    choices_.assign(max_entropy_runs, 0);
    for (std::size_t run = 0; run < runs; ++run) choices_[run] = static_cast<std::uint8_t>(choices.get(bits));
    return true;
  }
  bool read_table(core::ByteReader& in, std::uint32_t* table) {
    SymbolCounts frequencies;
    return read_frequencies(in, header_.frequency_bits, frequencies) && set_symbols(frequencies, table);
  }

  /// False if a symbol has more bits than a word.
  bool set_symbols(const SymbolCounts& frequencies, std::uint32_t* slot) {
    const EntropyModel& model = header_.model;
    for (unsigned s = 0; s < entropy_symbols; ++s) {
      if (frequencies[s] == 0) continue;
      if (!is_symbol_of_words(s, model.mantissa_bits, model.raw_bits, core::word_bits<W>)) return false;
      decoder_.max_extra_bits =
          std::max(decoder_.max_extra_bits, dropped_bits_of_symbol(s, model.mantissa_bits) + model.raw_bits);
      for (std::uint32_t i = 0; i < frequencies[s]; ++i) *slot++ = decoder_entry(frequencies[s], i, s);
    }
    return true;
  }

  /// Takes the next entry of the directory. False if it contradicts the format.
  bool next_block() {
    const std::size_t start = next_start();
    extras_ = core::load<std::uint16_t>(directory_.data() + 2);
    directory_ = directory_.subspan(directory_entry_bytes);
    const std::size_t end = directory_.empty() ? section_.size() : next_start(),
                      in_front = sizeof(std::uint32_t) * (decoder_.shape.lanes + extras_);
    if (start < min_start_ || end > section_.size() || end < start || end - start < in_front) return false;
    min_start_ = end;
    block_ = section_.subspan(start, end - start);
    return true;
  }

  /// Opens the next block, and the one behind it if both can be decoded at the same time.
  bool open_blocks(std::size_t count) {
    const std::uint32_t full = std::uint32_t{1} << header_.block_bits;
    in_block_ = std::min(in_section_, full);
    decodes_two_ = (wanted_ == Wanted::all || count >= min_words_to_decode_ahead) &&
                   in_section_ >= 2 * full && decoder_.shape.lanes == max_entropy_lanes &&
                   entropy_kernels().of<W>().decode_two != nullptr;
    if (!open_block(decoder_, section_count_ - in_section_, copies_[0])) return false;
    if (!decodes_two_) return true;
    if (ahead_memory_.capacity() < full * sizeof(W)) ahead_memory_ = core::take_spare_block(full * sizeof(W));
    second_decoder_ = decoder_;
    second_decoder_.states = states_[1].data();
    return open_block(second_decoder_, section_count_ - in_section_ + full, copies_[1]);
  }
  /// The one from word `first` of the section on.
  bool open_block(EntropyDecoder& decoder, std::uint32_t first, std::vector<std::uint8_t>& copy) {
    if (!next_block()) return false;
    const Bytes block = with_slack(block_, copy);
    std::memcpy(decoder.states, block.data(), sizeof(std::uint32_t) * decoder.shape.lanes);
    decoder.extra = block.data() + sizeof(std::uint32_t) * decoder.shape.lanes;
    decoder.extra_bit = 0;
    decoder.extra_end = std::uint64_t{32} * extras_;
    decoder.words = decoder.extra + sizeof(std::uint32_t) * extras_;
    decoder.words_end = block.data() + block.size();
    decoder.choices = header_.has_tables ? choices_.data() + first / entropy_run_words : nullptr;
    return true;
  }
  [[nodiscard]] std::size_t next_start() const {
    return core::load<std::uint16_t>(directory_.data()) * unit_;
  }

  /// A block behind which as many bytes can be read as kernels do.
  Bytes with_slack(Bytes block, std::vector<std::uint8_t>& copy) {
    if (static_cast<std::size_t>(readable_end_ - (block.data() + block.size())) >= entropy_slack_bytes)
      return block;
    copy.assign(block.begin(), block.end());
    copy.resize(block.size() + entropy_slack_bytes);
    return Bytes(copy).first(block.size());
  }

  [[nodiscard]] static bool ends_well(const EntropyDecoder& decoder) {
    bool all = true;
    for (unsigned lane = 0; lane < decoder.shape.lanes; ++lane)
      all = all && decoder.states[lane] == min_entropy_state;
    return all;
  }

  Wanted wanted_;
  Bytes payload_;
  const std::uint8_t* readable_end_;
  std::size_t unit_;
  std::vector<std::uint64_t> ends_;
  std::uint64_t words_left_;  // in sections that are not open yet
  std::size_t next_section_ = 0;

  bool may_have_tables_;
  core::AlignedMemory tables_memory_;  // if there are several
  std::vector<std::uint8_t> choices_;  // of the runs of the section

  Bytes section_;
  SectionHeader header_;
  Bytes block_;
  std::size_t extras_ = 0;                       // of the block, in u32
  Bytes directory_;                              // from the next block on
  std::size_t min_start_ = 0;                    // of the next block
  std::uint32_t section_count_ = 0;              // words
  std::uint32_t in_section_ = 0, in_block_ = 0;  // words left
  EntropyDecoder decoder_, second_decoder_;
  bool decodes_two_ = false;
  std::uint32_t ahead_left_ = 0;      // words of the second block that were not asked for
  core::AlignedMemory ahead_memory_;  // which they are at the end of
  std::array<std::vector<std::uint8_t>, 2> copies_;
  std::array<W, block_words> skipped_;
  alignas(64) std::array<std::array<std::uint32_t, max_entropy_lanes>, 2> states_;
  alignas(64) std::array<std::uint32_t, std::size_t{1} << long_frequency_bits> table_;
};

}  // namespace

std::unique_ptr<Source> open_entropy(const Opening& opening, Bytes payload, Bytes readable,
                                     bool may_have_tables) {
  return with_word(size_of(opening.type), [&]<class W>(W) -> std::unique_ptr<Source> {
    std::vector<std::uint64_t> ends = ends_of_sections(payload, section_count(opening.count),
                                                       static_cast<std::size_t>(entropy_unit(opening.count)));
    if (ends.empty()) return nullptr;
    return std::make_unique<SectionSource<W>>(opening, payload, readable, may_have_tables, std::move(ends));
  });
}

}  // namespace floe::trees
