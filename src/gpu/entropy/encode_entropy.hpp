// Encodes a leaf of entropy with a block, section by section: the bytes are those of
// encodings/entropy/section_encoder.cpp. Warps take blocks of a section in turn.
#pragma once

#include "gpu/encode/encode_frames.hpp"
#include "gpu/entropy/choose_code.hpp"
#include "gpu/entropy/choose_model.hpp"
#include "gpu/entropy/encode_block.hpp"
#include "gpu/warp/copy_bytes.hpp"

namespace floe::gpu {

/// Encodes sections by all threads of a block.
template <core::Word W, class Block>
class SectionEncoder {
 public:
  /// `symbols` and `slots`: scratch for a section.
  FLOE_DEVICE SectionEncoder(Block& block, EntropyEncodeMemory& memory, std::uint32_t leaf_words,
                             std::uint8_t* symbols, std::uint8_t* slots)
      : block_(block),
        memory_(memory),
        unit_(static_cast<std::uint32_t>(trees::entropy_unit(leaf_words))),
        lane_bits_(trees::entropy_lane_bits(leaf_words)),
        symbols_(symbols),
        slots_(slots) {}

  /// Puts a section to `out`, which units begin at. Returns its bytes, to all.
  FLOE_DEVICE std::uint32_t encode(const EncodeStream& section, std::uint8_t* out) {
    choose_model(section);
    split(section);
    choose_code(section.count);
    for (std::uint32_t i = block_.warp_index(); i < blocks(); i += block_.warp_count()) {
      const std::uint32_t numbers = encode_symbols<trees::entropy_steps<W>>(
          block_.warp(), memory_, symbols_ + first_word(i), words_of(i), slot_of(i));
      if (block_.warp().lane() == 0) memory_.numbers[i] = numbers;
    }
    block_.sync();
    if (block_.rank() == 0) put_front(out);
    block_.sync();
    for (std::uint32_t i = block_.warp_index(); i < blocks(); i += block_.warp_count()) put_block(i, out);
    block_.sync();
    return memory_.end;
  }

 private:
  [[nodiscard]] FLOE_DEVICE std::uint32_t block_words() const { return 1u << memory_.header.block_bits; }
  [[nodiscard]] FLOE_DEVICE std::uint32_t blocks() const {
    return (words_ + block_words() - 1) / block_words();
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t first_word(std::uint32_t i) const { return i * block_words(); }
  [[nodiscard]] FLOE_DEVICE std::uint32_t words_of(std::uint32_t i) const {
    return words_ - first_word(i) < block_words() ? words_ - first_word(i) : block_words();
  }
  [[nodiscard]] FLOE_DEVICE EntropySlot slot_of(std::uint32_t i) const {
    std::uint8_t* const begin =
        slots_ + std::uint64_t{i} * entropy_slot_bytes(i == 0 ? 0 : block_words(), sizeof(W));
    return {begin, begin + entropy_slot_bytes(words_of(i), sizeof(W))};
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t aligned(std::uint32_t offset) const {
    return (offset + unit_ - 1) / unit_ * unit_;
  }

  FLOE_DEVICE void choose_model(const EncodeStream& section) {
    words_ = section.count;
    ModelChooser<W, Block> chooser(block_, memory_, words_);
    const SampledModel choice = chooser.choose(section);
    block_.sync();
    if (block_.rank() == 0) {
      memory_.header.model = choice.model;
      memory_.header.lane_bits = lane_bits_;
      memory_.header.block_bits = trees::block_bits_for(choice.sample_cost, trees::sample_count(words_));
    }
    clear_histogram(block_, memory_);
    block_.sync();
  }

  FLOE_DEVICE void split(const EncodeStream& section) {
    auto& warp = block_.warp();
    for (std::uint32_t i = block_.warp_index(); i < blocks(); i += block_.warp_count()) {
      const std::uint32_t first = first_word(i);
      W sum = 0;
      const std::uint32_t extras =
          split_block<W>(warp, memory_, memory_.staged[block_.warp_index()],
                         section.words + std::uint64_t{first} * sizeof(W), words_of(i), symbols_ + first,
                         slot_of(i).begin + (4u << lane_bits_), sum);
      const W all = warp.shuffle(scan_words(warp, sum), warp_lanes - 1);
      if (warp.lane() != 0) continue;
      memory_.extras[i] = extras;
      memory_.sums[i] = all;
    }
    block_.sync();
  }

  FLOE_DEVICE void choose_code(std::uint32_t total) {
    for (std::uint32_t s = block_.rank(); s < trees::entropy_symbols; s += block_.size())
      memory_.counts[s] = count_of_symbol(memory_, s);
    block_.sync();
    for (unsigned which = block_.warp_index(); which < 2; which += block_.warp_count())
      make_frequencies(block_.warp(), memory_, total,
                       which == 0 ? trees::long_frequency_bits : trees::short_frequency_bits, which);
    block_.sync();
    if (block_.warp_index() == 0) choose_frequencies(block_.warp(), memory_);
    block_.sync();
  }

  /// Header, table, directory and sums, by one thread.
  FLOE_DEVICE void put_front(std::uint8_t* out) {
    HeaderWriter writer{out, 0};
    const trees::SectionHeader& header = memory_.header;
    writer.put_byte(header.control());
    writer.put_byte(header.raw());
    writer.put_byte(static_cast<std::uint8_t>(header.block_bits));
    writer.put_signed(header.model.base, core::word_bits<W>);
    writer.put_byte(static_cast<std::uint8_t>(memory_.first_symbol));
    writer.put_byte(static_cast<std::uint8_t>(memory_.last_symbol));
    for (std::uint32_t i = 0; i < (memory_.table_bits + 7) / 8; ++i)
      writer.put_byte(static_cast<std::uint8_t>(memory_.table[i / 4] >> (8 * (i % 4))));
    const std::uint32_t count = blocks(), directory = aligned(writer.size),
                        directory_end = directory + static_cast<std::uint32_t>(
                                                        trees::directory_bytes(count, unit_, sizeof(W)));
    std::uint32_t at = aligned(directory_end);
    while (writer.size < directory) writer.put_byte(0);
    for (std::uint32_t i = 0; i < count; ++i) {
      memory_.starts[i] = at;
      writer.put_word(at / unit_ | memory_.extras[i] << 16, trees::directory_entry_bytes);
      at = aligned(at + (4u << lane_bits_) + 4 * memory_.extras[i] + 2 * memory_.numbers[i]);
    }
    for (std::uint32_t i = 0; unit_ > 1 && i < count; ++i) writer.put_word(memory_.sums[i], sizeof(W));
    while (writer.size < memory_.starts[0]) writer.put_byte(0);
    memory_.end = at;
  }

  /// By a warp.
  FLOE_DEVICE void put_block(std::uint32_t i, std::uint8_t* out) {
    auto& warp = block_.warp();
    const EntropySlot slot = slot_of(i);
    const std::uint32_t begin = memory_.starts[i], front = (4u << lane_bits_) + 4 * memory_.extras[i],
                        numbers = 2 * memory_.numbers[i],
                        end = i + 1 < blocks() ? memory_.starts[i + 1] : memory_.end;
    copy_by_warp(warp, out + begin, slot.begin, front);
    copy_by_warp(warp, out + begin + front, slot.end - numbers, numbers);
    zero_bytes(warp, out, begin + front + numbers, end);
  }

  Block& block_;
  EntropyEncodeMemory& memory_;
  std::uint32_t unit_, words_ = 0;
  unsigned lane_bits_;
  std::uint8_t *symbols_, *slots_;
};

/// Encodes the current stream as a leaf of entropy, or as it is if that is not larger. Called by all threads.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void encode_entropy(Block& block) {
  EncodeMemory& memory = block.memory();
  const EncodeStream stream = memory.at;
  EncodeScratch scratch = memory.scratch;  // every thread works this out; one of them keeps it
  HeaderWriter header{scratch.take(32), 0};
  std::uint8_t* const payload = scratch.take(entropy_payload_bound(stream.count, sizeof(W)));
  const std::uint64_t kept = scratch.used;
  const auto in_section =
      static_cast<std::uint32_t>(stream.count < trees::section_words ? stream.count : trees::section_words);
  std::uint8_t* const symbols = scratch.take(in_section);
  std::uint8_t* const slots = scratch.take(0);
  block.sync();
  SectionEncoder<W, Block> encoder(block, reinterpret_cast<EntropyEncodeMemory&>(memory.tiles), stream.count,
                                   symbols, slots);
  const auto unit = static_cast<std::uint32_t>(trees::entropy_unit(stream.count)),
             sections = static_cast<std::uint32_t>(trees::section_count(stream.count));
  std::uint32_t size = sections > 1 ? (4 * sections + unit - 1) / unit * unit : 0;
  if (block.rank() == 0) {
    for (std::uint32_t i = 4 * sections; sections > 1 && i < size; ++i) payload[i] = 0;
  }
  for (std::uint32_t i = 0; i < sections; ++i) {
    const std::uint64_t first = i * trees::section_words;
    const auto count = static_cast<std::uint32_t>(
        stream.count - first < trees::section_words ? stream.count - first : trees::section_words);
    size += encoder.encode({stream.words + first * sizeof(W), count, stream.type}, payload + size);
    if (sections > 1 && block.rank() == 0) store_aligned(payload + 4 * i, size / unit);
  }
  block.sync();
  if (block.rank() != 0) return;
  header.put_varint(size);
  while ((memory.bytes + header.size) % unit != 0) header.put_byte(0);
  if (header.size + std::uint64_t{size} > std::uint64_t{stream.count} * sizeof(W))
    return put_raw(memory, stream);
  memory.scratch.used = kept;
  memory.out_plan.put(EncodingId::entropy, 0, 0);
  put_piece(memory, header);
  put_piece(memory, payload, size);
}

}  // namespace floe::gpu
