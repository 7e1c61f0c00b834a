// Any segment of values and distances is safe to decode, the oracle agrees on it, and every segment comes
// back.
#include "fuzz/support.hpp"
#include "tests/oracle/match_history.hpp"
#include "tests/support/match_history.hpp"

namespace floe::fuzz {
namespace {

using Words = std::vector<std::uint64_t>;

/// One word per byte: small, or made of the one before, so that chance makes matches and distances that are
/// possible.
Words words_from(Input input, bool small) {
  Words words;
  const Bytes bytes = input.rest();
  for (const std::uint8_t byte : bytes) {
    const std::uint64_t seed = words.empty() ? 0 : words.back();
    words.push_back(small ? byte : byte < 128 ? byte : seed * 0x9E3779B97F4A7C15 + byte);
  }
  return words;
}

void compare(const Words& words, Words& expected) {
  count_decoded();
  Words restored;
  const bool is_valid = test::decode_history(words, restored);
  require(is_valid == oracle::decode_history(words, expected));
  require(!is_valid || restored == expected);
}

void run_history(Input input) {
  const Bytes bytes = input.rest();
  const auto choice = input.take<std::uint8_t>();
  Words words = words_from(input, (choice & 1) != 0);
  if ((choice & 2) != 0) {
    Words restored;
    const Words encoded = test::encode_history(words);
    require(encoded == oracle::encode_history(words));
    require(test::decode_history(encoded, restored) && restored == words);
    return;
  }
  words.resize(words.size() / 2 * 2);
  Words expected(words.size() / 2);
  compare(words, expected);
  if (words.empty()) return;
  Chance chance(bytes);
  for (unsigned i = 0; i < 16; ++i) {  // a value or a distance is another one's, or near it
    Words changed = words;
    changed[chance.below(words.size())] = words[chance.below(words.size())] + chance.below(3) - 1;
    compare(changed, expected);
  }
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_history({data, size});
  return 0;
}
