// Encodes a leaf of entropy with a block, section by section: the bytes are those of
// encodings/entropy/section_encoder.cpp. Warps take blocks of a section in turn.
#pragma once

#include "gpu/encode/encode_frames.hpp"
#include "gpu/entropy/choose_code.hpp"
#include "gpu/entropy/choose_model.hpp"
#include "gpu/entropy/split_block.hpp"
#include "gpu/warp/copy_bytes.hpp"

namespace floe::gpu {

/// Where the parts of blocks lie before they have their position: slots of a section, one behind the other.
/// Each has room for states, which end where extra bits begin; and numbers up to its end.
class BlockSlots {
 public:
  static constexpr std::uint32_t state_room = 4 * warp_lanes;

  FLOE_DEVICE BlockSlots(std::uint8_t* slots, unsigned word_bytes) : slots_(slots), word_bytes_(word_bytes) {}
  [[nodiscard]] FLOE_DEVICE std::uint8_t* slot(const CodedBlocks& blocks, std::uint32_t i) const {
    return slots_ + std::uint64_t{i} * entropy_slot_bytes(i == 0 ? 0 : blocks.block_words(), word_bytes_);
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t bytes(const CodedBlocks& blocks, std::uint32_t i) const {
    return entropy_slot_bytes(blocks.words_of(i), word_bytes_);
  }
  [[nodiscard]] FLOE_DEVICE std::uint8_t* extra(const CodedBlocks& blocks, std::uint32_t i) const {
    return slot(blocks, i) + state_room;
  }
  /// States, and the extra bits behind them.
  [[nodiscard]] FLOE_DEVICE std::uint8_t* front(const CodedBlocks& blocks, std::uint32_t i) const {
    return extra(blocks, i) - (4u << blocks.lane_bits);
  }

 private:
  std::uint8_t* slots_;
  unsigned word_bytes_;
};

/// Puts block `i` to its position in the section at `out`. By a warp.
template <class Warp>
FLOE_DEVICE void put_coded_block(Warp& warp, const CodedBlocks& blocks, const BlockSlots& slots,
                                 std::uint32_t i, std::uint8_t* out) {
  const std::uint32_t begin = blocks.starts[i], front = blocks.front_bytes(i),
                      numbers = 2 * blocks.numbers[i],
                      end = i + 1 < blocks.count() ? blocks.starts[i + 1] : blocks.end;
  copy_by_warp(warp, out + begin, slots.front(blocks, i), front);
  copy_by_warp(warp, out + begin + front, slots.slot(blocks, i) + slots.bytes(blocks, i) - numbers, numbers);
  zero_bytes(warp, out, begin + front + numbers, end);
}

/// Puts blocks to their positions in the section at `out`. By all threads.
template <class Block>
FLOE_DEVICE void put_blocks(Block& block, const CodedBlocks& blocks, const BlockSlots& slots,
                            std::uint8_t* out) {
  for (std::uint32_t i = block.warp_index(); i < blocks.count(); i += block.warp_count())
    put_coded_block(block.warp(), blocks, slots, i, out);
}

/// Blocks of a section that remain in their slots until they get their position.
struct BlocksInSlots {
  CodedBlocks coded;
  std::uint8_t* slots;
};

/// Encodes sections by all threads of a block. `calls`: words are split by a function that is called: where
/// the registers of what is around it do not suffice, what is kept elsewhere has to be waited for with the
/// words that were asked for ahead. `in_parts`: where there are several warps for each block, these split it.
template <core::Word W, class Block, bool calls = false, bool in_parts = true>
class SectionEncoder {
 public:
  /// `rings`: of all warps. `symbols` and `slots`: scratch for a section. If the leaf has one section, that
  /// may have been encoded before.
  FLOE_DEVICE SectionEncoder(Block& block, EntropyEncodeMemory& memory, std::uint32_t* rings,
                             std::uint32_t leaf_words, std::uint8_t* symbols, std::uint8_t* slots)
      : block_(block),
        memory_(memory),
        rings_(rings),
        unit_(static_cast<std::uint32_t>(trees::entropy_unit(leaf_words))),
        words_(leaf_words),
        lane_bits_(trees::entropy_lane_bits(leaf_words)),
        symbols_(symbols),
        slots_(slots, sizeof(W)) {}

  /// Encodes a section of at least one word, whose bytes remain in the scratch.
  template <class Words>
  FLOE_DEVICE void encode(const Words& words, const WordSurvey<W>& survey) {
    words_ = words.count();
    choose_model(words, survey);
    split(words);
    choose_code();
    CodedBlocks& coded = memory_.coded;
    std::uint32_t* const buffer = rings_ + block_.warp_index() * staged_extra_words;
    for (std::uint32_t i = block_.warp_index(); i < coded.count(); i += block_.warp_count()) {
      const std::uint32_t numbers = encode_symbols<trees::entropy_steps<W>>(
          block_.warp(), memory_, symbols_ + coded.first_word(i), coded.words_of(i), slots_.front(coded, i),
          slots_.slot(coded, i) + slots_.bytes(coded, i), buffer);
      if (block_.warp().lane() == 0) coded.numbers[i] = numbers;
    }
    block_.sync();
  }

  /// Puts header, table, directory and sums to `out`, and says where blocks go. By a warp; then its block
  /// needs a barrier.
  FLOE_DEVICE void put_front(std::uint8_t* out) {
    auto& warp = block_.warp();
    const unsigned lane = warp.lane();
    std::uint32_t size = 0;
    if (lane == 0) {
      HeaderWriter writer{out, 0};
      const trees::SectionHeader& header = memory_.header;
      writer.put_byte(header.control());
      writer.put_byte(header.raw());
      writer.put_byte(static_cast<std::uint8_t>(header.block_bits));
      writer.put_signed(header.model.base, core::word_bits<W>);
      writer.put_byte(static_cast<std::uint8_t>(memory_.first_symbol));
      writer.put_byte(static_cast<std::uint8_t>(memory_.last_symbol));
      size = writer.size;
    }
    size = warp.shuffle(size, 0);
    CodedBlocks& coded = memory_.coded;
    const std::uint32_t table_end = size + (memory_.table_bits + 7) / 8, count = coded.count(),
                        directory = aligned(table_end),
                        sums = directory + trees::directory_entry_bytes * count,
                        front = aligned(directory + static_cast<std::uint32_t>(
                                                        trees::directory_bytes(count, unit_, sizeof(W))));
    for (std::uint32_t i = size + lane; i < table_end; i += warp_lanes)
      out[i] = static_cast<std::uint8_t>(memory_.table[(i - size) / 4] >> (8 * ((i - size) % 4)));
    zero_bytes(warp, out, table_end, directory);
    const std::uint32_t own = lane < count ? aligned(coded.front_bytes(lane) + 2 * coded.numbers[lane]) : 0,
                        inclusive = inclusive_scan(warp, own), start = front + inclusive - own;
    if (lane < count) {
      coded.starts[lane] = start;
      HeaderWriter entry{out + directory + trees::directory_entry_bytes * lane};
      entry.put_word(start / unit_ | coded.extras[lane] << 16, trees::directory_entry_bytes);
      HeaderWriter sum{out + sums + sizeof(W) * lane};
      if (unit_ > 1) sum.put_word(memory_.sums[lane], sizeof(W));
    }
    zero_bytes(warp, out, unit_ > 1 ? static_cast<std::uint32_t>(sums + sizeof(W) * count) : sums, front);
    if (lane == warp_lanes - 1) coded.end = front + inclusive;
  }
  /// Of the section that has been encoded, once its front was put.
  [[nodiscard]] FLOE_DEVICE std::uint32_t bytes() const { return memory_.coded.end; }

  [[nodiscard]] FLOE_DEVICE const CodedBlocks& coded() const { return memory_.coded; }
  /// Puts the blocks behind a front, to the same memory.
  FLOE_DEVICE void put_blocks(std::uint8_t* out) { gpu::put_blocks(block_, memory_.coded, slots_, out); }

 private:
  [[nodiscard]] FLOE_DEVICE std::uint32_t aligned(std::uint32_t offset) const {
    return (offset + unit_ - 1) / unit_ * unit_;
  }

  template <class Words>
  FLOE_DEVICE void choose_model(const Words& words, const WordSurvey<W>& survey) {
    ModelChooser<W, Block> chooser(block_, memory_, rings_, words_);
    const SampledModel choice = chooser.choose(words, survey);
    block_.sync();
    if (block_.rank() == 0) {
      memory_.header.model = choice.model;
      memory_.header.lane_bits = lane_bits_;
      memory_.header.has_tables = false;
      memory_.header.block_bits = trees::block_bits_for(choice.sample_cost, trees::sample_count(words_));
      CodedBlocks& coded = memory_.coded;
      coded.words = words_, coded.block_bits = memory_.header.block_bits, coded.lane_bits = lane_bits_;
    }
    clear_histogram(block_, memory_);
    block_.sync();
  }

  template <class Words>
  FLOE_DEVICE void split(const Words& words) {
    if constexpr (calls) {
      split_far(words);
    } else {
      split_here(words);
    }
  }
  template <class Words>
  FLOE_DEVICE_CALL void split_far(const Words words) {
    split_here(words);
  }
  template <class Words>
  FLOE_DEVICE void split_here(const Words& words) {
    if constexpr (in_parts) {
      split_parts(words);
    } else {
      split_blocks(words);
    }
  }
  template <class Words>
  FLOE_DEVICE void split_blocks(const Words& words) {
    auto& warp = block_.warp();
    std::uint32_t* const ring = rings_ + block_.warp_index() * staged_extra_words;
    CodedBlocks& coded = memory_.coded;
    for (std::uint32_t i = block_.warp_index(); i < coded.count(); i += block_.warp_count()) {
      const std::uint32_t first = coded.first_word(i);
      BlockSplitter<Words, std::remove_reference_t<decltype(warp)>> splitter(
          warp, memory_, ring, symbols_ + first, slots_.extra(coded, i));
      const std::uint32_t extras = splitter.split(words, first, coded.words_of(i));
      const W all = warp.shuffle(scan_words(warp, splitter.sum()), warp_lanes - 1);
      if (warp.lane() != 0) continue;
      coded.extras[i] = extras;
      memory_.sums[i] = all;
    }
    block_.sync();
  }
  /// The same, each block by several warps if there are so many: 2^shift of them.
  template <class Words>
  FLOE_DEVICE void split_parts(const Words& words) {
    auto& warp = block_.warp();
    std::uint32_t* const ring = rings_ + block_.warp_index() * staged_extra_words;
    CodedBlocks& coded = memory_.coded;
    const unsigned shift = parts_shift();
    const std::uint32_t parts = 1u << shift, part_words = coded.block_words() >> shift;
    FLOE_NO_UNROLL
    for (std::uint32_t u = block_.warp_index(); u < coded.count() << shift; u += block_.warp_count()) {
      const std::uint32_t i = u >> shift, begin = (u & (parts - 1)) * part_words,
                          words_of = coded.words_of(i), left = words_of > begin ? words_of - begin : 0,
                          first = coded.first_word(i) + begin;
      BlockSplitter<Words, std::remove_reference_t<decltype(warp)>> splitter(
          warp, memory_, ring, symbols_ + first, slots_.extra(coded, i) + begin * sizeof(W));
      const std::uint32_t extras = splitter.split(words, first, left < part_words ? left : part_words);
      const W all = warp.shuffle(scan_words(warp, splitter.sum()), warp_lanes - 1);
      if (warp.lane() != 0) continue;
      if (shift == 0) {
        coded.extras[i] = extras;
        memory_.sums[i] = all;
      } else {
        memory_.totals[2 * u] = all;
        memory_.totals[2 * u + 1] = splitter.bits();
      }
    }
    block_.sync();
    if (shift > 0 && block_.warp_index() < coded.count()) join_parts(block_.warp_index(), shift);
    if (shift > 0) block_.sync();
  }
  [[nodiscard]] FLOE_DEVICE unsigned parts_shift() const {
    const std::uint32_t blocks = memory_.coded.count();
    return 4 * blocks <= block_.warp_count() ? 2 : 2 * blocks <= block_.warp_count() ? 1 : 0;
  }
  /// Puts the extra bits of the parts of a block behind each other. By a warp.
  FLOE_DEVICE void join_parts(std::uint32_t i, unsigned shift) {
    auto& warp = block_.warp();
    CodedBlocks& coded = memory_.coded;
    std::uint8_t* const extra = slots_.extra(coded, i);
    const std::uint32_t parts = 1u << shift,
                        part_bytes = (coded.block_words() >> shift) * std::uint32_t{sizeof(W)};
    std::uint32_t bits = 0;
    W sum = 0;
    FLOE_NO_UNROLL
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::uint64_t* const own = memory_.totals + 2 * ((i << shift) + part);
      const auto count = static_cast<std::uint32_t>(own[1]);
      if (part > 0) move_bits(warp, extra, bits, extra + part * part_bytes, count);
      bits += count;
      sum = static_cast<W>(sum + static_cast<W>(own[0]));
    }
    if (warp.lane() != 0) return;
    coded.extras[i] = (bits + 31) / 32;
    memory_.sums[i] = sum;
  }

  FLOE_DEVICE void choose_code() {
    for (std::uint32_t s = block_.rank(); s < trees::entropy_symbols; s += block_.size())
      memory_.counts[s] = count_of_symbol(memory_, s);
    block_.sync();
    for (unsigned which = block_.warp_index(); which < 2; which += block_.warp_count())
      make_frequencies(block_.warp(), memory_, words_,
                       which == 0 ? trees::long_frequency_bits : trees::short_frequency_bits, which);
    block_.sync();
    if (block_.warp_index() == 0) choose_frequencies(block_.warp(), memory_);
    block_.sync();
  }

  Block& block_;
  EntropyEncodeMemory& memory_;
  std::uint32_t* rings_;
  std::uint32_t unit_, words_;  ///< Of the section that is encoded.
  unsigned lane_bits_;
  std::uint8_t* symbols_;
  BlockSlots slots_;
};

/// Whether differences may have a stride: of short words, as codes of dictionaries are.
template <core::Word W>
inline constexpr bool takes_strides = sizeof(W) == 2;

/// Encodes the current stream as a leaf of entropy below a chain. False to all threads if it is not worth it:
/// then nothing was put. Called by all threads. Precondition: with steps in the chain, one section, and more
/// words than differences begin with.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool encode_entropy_below(Block& block, LeafChain chain) {
  using Leaf = LeafWords<W, true, takes_strides<W>>;
  EncodeMemory& memory = block.memory();
  const EncodeStream stream = memory.at;
  const std::uint32_t leaf_words = stream.count - chain.heads();
  DType type = stream.type;
  if (chain.is_sortable) type = trees::child_type_of(EncodingId::sortable, type, 0, 0);
  if (chain.order > 0) type = trees::child_type_of(EncodingId::delta, type, 1, 0);
  EncodeScratch scratch = memory.scratch;  // every thread works this out; one of them keeps it
  HeaderWriter heads{scratch.take(32), 0}, header{scratch.take(32), 0};
  const bool is_one_section = leaf_words <= trees::section_words;  // blocks of one remain in their slots
  std::uint8_t* const payload =
      scratch.take(is_one_section ? max_section_front_bytes : entropy_payload_bound(leaf_words, sizeof(W)));
  const std::uint64_t kept = scratch.used, bytes_before = memory.bytes;
  const auto in_section =
      static_cast<std::uint32_t>(leaf_words < trees::section_words ? leaf_words : trees::section_words);
  std::uint8_t* const symbols = scratch.take(in_section);
  std::uint8_t* const slots = scratch.take(entropy_slots_bytes(leaf_words, sizeof(W)));
  auto* const in_slots = reinterpret_cast<BlocksInSlots*>(scratch.take(sizeof(BlocksInSlots)));
  const auto head = [&](unsigned index) {
    if (takes_strides<W> && chain.stride > 1)
      return Leaf(stream.words, 1, type, {chain.is_sortable}).word(index);
    return Leaf(stream.words, 1, type, {chain.is_sortable, static_cast<std::uint8_t>(index)}).word(0);
  };
  std::uint32_t heads_bytes = 0;
  for (unsigned i = 0; i < chain.heads(); ++i)
    heads_bytes += varint_bytes(folded(head(i), core::word_bits<W>));
  block.sync();
  auto& room = reinterpret_cast<EntropyEncodeRoom<max_encode_warps>&>(memory.tiles);
  SectionEncoder<W, Block> encoder(block, room.memory, room.rings[0], leaf_words, symbols, slots);
  const auto unit = static_cast<std::uint32_t>(trees::entropy_unit(leaf_words)),
             sections = static_cast<std::uint32_t>(trees::section_count(leaf_words));
  std::uint32_t size = sections > 1 ? (4 * sections + unit - 1) / unit * unit : 0;
  if (block.rank() == 0) {
    for (std::uint32_t i = 4 * sections; sections > 1 && i < size; ++i) payload[i] = 0;
  }
  for (std::uint32_t i = 0; i < sections; ++i) {
    const std::uint64_t first = i * trees::section_words;
    const auto count = static_cast<std::uint32_t>(
        leaf_words - first < trees::section_words ? leaf_words - first : trees::section_words);
    const Leaf words(stream.words + first * sizeof(W), count, type, chain);
    const WordSurvey<W> survey =
        survey_words(block, words, room.memory.totals, [](const auto&, const auto&) {});
    if (sections == 1 && survey.is_constant()) return false;
    encoder.encode(words, survey);
    if (block.warp_index() == 0) encoder.put_front(payload + size);
    block.sync();
    if (sections > 1) encoder.put_blocks(payload + size);
    size += encoder.bytes();
    block.sync();
    if (sections > 1 && block.rank() == 0) store_aligned(payload + 4 * i, size / unit);
  }
  std::uint32_t header_bytes = varint_bytes(size);
  while ((bytes_before + heads_bytes + header_bytes) % unit != 0) ++header_bytes;
  const std::uint64_t leaf_bytes = header_bytes + std::uint64_t{size};
  const bool fits = leaf_bytes <= std::uint64_t{leaf_words} * sizeof(W) &&
                    heads_bytes + leaf_bytes <= std::uint64_t{stream.count} * sizeof(W);
  block.sync();
  if (!fits || block.rank() != 0) return fits;
  for (unsigned i = 0; i < chain.heads(); ++i) heads.put_signed(head(i), core::word_bits<W>);
  header.put_varint(size);
  while (header.size < header_bytes) header.put_byte(0);
  memory.scratch.used = sections > 1 ? kept : scratch.used;
  if (chain.is_sortable) memory.out_plan.put(EncodingId::sortable, 0, 0);
  if (chain.order > 0) memory.out_plan.put(EncodingId::delta, chain.order, chain.stride);
  memory.out_plan.put(EncodingId::entropy, 0, 0);
  put_piece(memory, heads);
  put_piece(memory, header);
  if (sections > 1) {
    put_piece(memory, payload, size);
    return true;
  }
  in_slots->coded = encoder.coded();
  in_slots->slots = slots;
  const std::uint32_t front = encoder.coded().starts[0];
  put_piece(memory, payload, front);
  put_piece(memory, reinterpret_cast<const std::uint8_t*>(in_slots), size - front, EncodePiece::of_blocks,
            sizeof(W));
  return true;
}

/// The same of a leaf without a chain; words that it does not take remain as they are.
template <core::Word W, class Block>
FLOE_DEVICE void encode_entropy(Block& block) {
  const bool fits = encode_entropy_below<W>(block, {});
  if (!fits && block.rank() == 0) put_raw(block.memory(), block.memory().at);
}

}  // namespace floe::gpu
