// Are any bytes safe to take for an encoded segment of a column, and does every column come back?
#include "fuzz/support.hpp"
#include "pipeline/column_codec.hpp"

namespace floe::fuzz {
namespace {

constexpr std::uint64_t max_words = 1 << 16;

void decode_anything(Input input, DType type) {
  const std::uint64_t count = input.take<std::uint16_t>() % max_words;
  const Bytes encoded = input.rest();
  Bytes words(count * size_of(type));
  const Status status = trees::decode_column(encoded, type, count, words.data());
  require(status.ok() || status.code == ErrorCode::corrupt_frame);
  // What the parts say agrees with what was decoded.
  const auto parts = trees::parts_of(encoded, type, count);
  require(parts || !status.ok());
}

std::size_t max_head_bytes(const std::vector<trees::SegmentPart>& parts) {
  std::size_t bytes = 16 * parts.size();
  for (const trees::SegmentPart& part : parts) bytes += trees::written_bytes(part.plan);
  return bytes;
}

void round_trip(const Input& input, DType type) {
  Bytes words = input.rest();
  const std::uint64_t count = words.size() / size_of(type);
  words.resize(count * size_of(type));
  const Bytes encoded = trees::ColumnEncoder().encode({type, words.data(), count});
  const auto parts = trees::parts_of(encoded, type, count);
  require(parts && encoded.size() <= words.size() + max_head_bytes(*parts));
  Bytes decoded(words.size());
  require(trees::decode_column(encoded, type, count, decoded.data()).ok());
  require(decoded == words);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::Input input(data, size);
  const auto choice = input.take<std::uint8_t>();
  const floe::DType type = floe::word_types[choice % std::size(floe::word_types)];
  if (choice < 128) {
    floe::fuzz::decode_anything(input, type);
  } else {
    floe::fuzz::round_trip(input, type);
  }
  return 0;
}
