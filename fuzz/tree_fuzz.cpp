// Is any text safe to take for a tree, and does every tree that is one bring any words back?
#include <algorithm>
#include <string>

#include "fuzz/support.hpp"
#include "pipeline/column_codec.hpp"

namespace floe::fuzz {
namespace {

/// What stands before the first line feed is the text.
std::string first_line(Bytes& bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), '\n');
  std::string text(bytes.begin(), end);
  bytes.erase(bytes.begin(), end == bytes.end() ? end : end + 1);
  return text;
}

void round_trip(const trees::Plan& plan, DType type, Bytes words) {
  const std::uint64_t count = words.size() / size_of(type);
  words.resize(count * size_of(type));
  const Bytes encoded = trees::ColumnEncoder(plan).encode({type, words.data(), count});
  Bytes decoded(words.size());
  require(trees::decode_column(encoded, type, count, decoded.data()).ok());
  require(decoded == words);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace floe;
  fuzz::Input input(data, size);
  const DType type = word_types[input.take<std::uint8_t>() % std::size(word_types)];
  fuzz::Bytes words = input.rest();
  const std::string text = fuzz::first_line(words);
  const Status checked = trees::check_plan_text(text);
  const Result<trees::Plan> plan = trees::plan_from_text(text, type);
  if (!plan) {
    fuzz::require(plan.status().byte_offset <= text.size());
    return 0;
  }
  fuzz::require(checked.ok());
  const Result<trees::Plan> again = trees::plan_from_text(trees::text_of(*plan), type);
  fuzz::require(again && *again == *plan);
  fuzz::round_trip(*plan, type, std::move(words));
  return 0;
}
