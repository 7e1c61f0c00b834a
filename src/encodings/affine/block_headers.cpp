// How blocks are written into the header of a node, and read.
#include <bit>

#include "encodings/affine/blocks.hpp"

namespace floe::trees {
namespace {

void put_lines(const AffineBlock& block, const AffineBlock* before, ByteWriter& header) {
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const AffineLine& line = block.lines[i];
    const bool has_step = before == nullptr || before->lines[i].step != line.step,
               has_offset = line.offset != 0;
    header.put_byte(static_cast<std::uint8_t>((has_step ? 1 : 0) | (has_offset ? 2 : 0)));
    if (has_step) header.put_word(std::bit_cast<std::uint64_t>(line.step));
    if (has_offset) header.put_word(std::bit_cast<std::uint64_t>(line.offset));
  }
}

}  // namespace

void put_blocks(std::span<const AffineBlock> blocks, ByteWriter& header) {
  header.put_varint(blocks.size());
  const AffineBlock* before = nullptr;
  for (const AffineBlock& block : blocks) {
    header.put_varint(block.rows);
    header.put_byte(static_cast<std::uint8_t>(block.form));
    if (block.form == AffineForm::plain) continue;
    put_lines(block, before, header);
    before = &block;
  }
}

bool AffineBlockReader::next() {
  const std::uint64_t rows_left = words_left_ / channels_ + (words_left_ % channels_ == 0 ? 0 : 1);
  block_.rows = bytes_.get_varint();
  block_.form = static_cast<AffineForm>(bytes_.get_byte());
  if (bytes_.failed() || block_.rows == 0 || block_.rows > rows_left ||
      block_.form > AffineForm::quotient_in_single || (is_in_single(block_.form) && type_ != DType::f32))
    return false;
  words_ = block_.rows == rows_left ? words_left_ : block_.rows * channels_;
  words_left_ -= words_;
  --blocks_left_;
  block_.lines.clear();
  return block_.form == AffineForm::plain || read_lines();
}

bool AffineBlockReader::read_lines() {
  const auto get_double = [&] { return std::bit_cast<double>(bytes_.get_word<std::uint64_t>()); };
  const bool has_steps = !steps_.empty();
  steps_.resize(channels_);
  for (double& step : steps_) {
    const std::uint8_t has = bytes_.get_byte();
    if (has > 3 || ((has & 1) == 0 && !has_steps)) return false;
    if ((has & 1) != 0) step = get_double();
    block_.lines.push_back({block_.form, step, (has & 2) != 0 ? get_double() : 0});
    if (bytes_.failed() || !is_within_limits(block_.lines.back(), type_)) return false;
  }
  return true;
}

}  // namespace floe::trees
