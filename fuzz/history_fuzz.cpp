// Is any segment of values and distances safe to decode, do the backends agree on it, and does every segment
// come back?
#include "chunks/registry/codec_entry.hpp"
#include "fuzz/support.hpp"

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

void run(Input input) {
  const registry::CodecEntry& codec = *registry::find_codec("dpratio", 64);
  const auto choice = input.take<std::uint8_t>();
  Words words = words_from(input, (choice & 1) != 0);
  if ((choice & 2) != 0) {
    Words encoded(2 * words.size()), reference(2 * words.size()), restored(words.size());
    codec.cpu_history.encode(words, encoded);
    codec.reference_history.encode(words, reference);
    require(encoded == reference);
    require(codec.cpu_history.decode(encoded, restored) && restored == words);
    return;
  }
  words.resize(words.size() / 2 * 2);
  Words restored(words.size() / 2), reference(words.size() / 2);
  const bool valid = codec.cpu_history.decode(words, restored);
  require(valid == codec.reference_history.decode(words, reference));
  require(!valid || restored == reference);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run({data, size});
  return 0;
}
