#include "series/column_codec.hpp"

#include <new>

#include "series/tree_decoder.hpp"
#include "series/tree_encoder.hpp"

namespace floe::series {

std::vector<std::uint8_t> ColumnEncoder::encode(const ColumnView& segment) {
  const Plan plan = fixed_ ? *fixed_ : Plan{{plain_leaf(segment.type)}};
  return serialize(encode_tree(segment, plan, scratch_));
}

Status decode_column(std::span<const std::uint8_t> bytes, Type type, std::uint64_t count, void* out) try {
  ByteReader reader(bytes);
  const Result<Plan> plan = read_plan(reader, type);
  if (!plan) return plan.status();
  if (count == 0) return {};
  const auto source = open_tree(*plan, reader, type, count);
  if (source == nullptr)
    return {ErrorCode::corrupt_frame, bytes.size() - reader.remaining(), "the header of an encoding contradicts the format"};
  auto* to = static_cast<std::uint8_t*>(out);
  while (count > 0) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(count, piece_words));
    if (!source->read(to, piece)) return {ErrorCode::corrupt_frame, 0, "the payload of an encoding contradicts the format"};
    to += piece * bytes_of(type);
    count -= piece;
  }
  return {};
} catch (const std::bad_alloc&) {
  return {ErrorCode::out_of_memory, 0, "no memory"};
}

Result<Plan> plan_of(std::span<const std::uint8_t> bytes, Type type) {
  ByteReader reader(bytes);
  return read_plan(reader, type);
}

}  // namespace floe::series
