// Do the decoder of devices, run by emulated lanes, and that of the CPU, with vectors, agree on every stream:
// on those that the CPU encodes, and on what is left of them after damage?
#include "fuzz/support.hpp"
#include "tests/series/columns.hpp"
#include "tests/series_cuda/emulated_decoder.hpp"

namespace floe::fuzz {
namespace {

constexpr std::size_t max_words = 3000;
constexpr std::size_t scratch_bytes = std::size_t{1} << 20;

constexpr const char* trees[] = {"raw",
                                 "constant",
                                 "bitpack",
                                 "entropy",
                                 "delta,bitpack",
                                 "delta(1,2),int_mult,bitpack",
                                 "rle,bitpack,delta,entropy",
                                 "sparse,entropy,bitpack",
                                 "stride_split(2),bitpack,entropy",
                                 "split(3),bitpack,raw,entropy",
                                 "dict,raw,bitpack,raw",
                                 "sortable,delta,entropy",
                                 "decimal(2,4),delta,bitpack,raw,raw",
                                 "divide,delta,entropy,raw",
                                 "unique,sortable,delta,bitpack,bitpack"};

void compare(const Bytes& encoded, const test::Column& words, bool is_opened, bool has_runs) {
  test::Column here(words.type, words.count()), there(words.type, words.count());
  count_decoded();
  const ErrorCode code = test::decode_emulated(encoded, here, scratch_bytes, is_opened);
  const Status status = test::decode(encoded, there);
  if (code == ErrorCode::unsupported_codec || code == ErrorCode::out_of_memory) return;
  if (code == ErrorCode::ok && status.ok()) require(here.bytes == there.bytes);
  // Devices add lengths of runs up to the end, also behind the last word.
  if (!has_runs) require((code == ErrorCode::ok) == status.ok());
}

void run_device(Input input) {
  const DType type = word_types[input.take<std::uint8_t>() % std::size(word_types)];
  const std::string_view tree = trees[input.take<std::uint8_t>() % std::size(trees)];
  const auto damage = input.take<std::uint64_t>();
  const bool has_runs = tree.find("rle") != std::string_view::npos;
  const auto plan = floe::trees::plan_from_text(tree, type);
  if (!plan) return;
  test::Column words;
  words.type = type;
  words.bytes = input.rest();
  words.bytes.resize(std::min(words.count(), max_words) * size_of(type));
  if (words.count() == 0) return;
  Bytes encoded = test::ColumnEncoder(*plan).encode(words.view());
  compare(encoded, words, damage % 2 == 0, has_runs);
  if (encoded.empty()) return;
  encoded[(damage >> 16) % encoded.size()] ^= static_cast<std::uint8_t>(damage >> 8);
  unsigned turn = 0;
  with_changes(encoded, 16,
               [&](const Bytes& changed) { compare(changed, words, (damage + turn++) % 2 == 1, true); });
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_device({data, size});
  return 0;
}
