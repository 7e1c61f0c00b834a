// Is any text safe to take for a tree, and does every tree that is one bring any words back?
#include <string>

#include "fuzz/support.hpp"
#include "tests/series/columns.hpp"

namespace floe::fuzz {
namespace {

/// What stands before the first line feed is the text.
std::string first_line(Bytes& bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), '\n');
  std::string text(bytes.begin(), end);
  bytes.erase(bytes.begin(), end == bytes.end() ? end : end + 1);
  return text;
}

void round_trip(const trees::Plan& plan, DType type, Bytes bytes) {
  test::Column words;
  words.type = type;
  words.bytes = std::move(bytes);
  words.bytes.resize(words.count() * size_of(type));
  const Bytes encoded = test::ColumnEncoder(plan).encode(words.view());
  test::Column decoded(type, words.count());
  require(test::decode(encoded, decoded).ok());
  require(decoded.bytes == words.bytes);
}

void run_tree(Input input) {
  const DType type = word_types[input.take<std::uint8_t>() % std::size(word_types)];
  Bytes words = input.rest();
  const std::string text = first_line(words);
  const Status checked = trees::check_plan_text(text);
  const Result<trees::Plan> plan = trees::plan_from_text(text, type);
  if (!plan) {
    require(plan.status().byte_offset <= text.size());
    return;
  }
  require(checked.ok());
  const Result<trees::Plan> again = trees::plan_from_text(trees::text_of(*plan), type);
  require(again && *again == *plan);
  round_trip(*plan, type, std::move(words));
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_tree({data, size});
  return 0;
}
