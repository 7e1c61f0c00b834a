// Are any bytes safe to take for an encoded stream, and do the words of every stream come back?
#include "fuzz/support.hpp"
#include "tests/encodings/every_encoding.hpp"
#include "tests/series/columns.hpp"

namespace floe::fuzz {
namespace {

void decode_anything(const Bytes& encoded, test::Column& words) {
  count_decoded();
  const DType type = words.type;
  const Status status = test::decode(encoded, words);
  require(status.ok() || status.code == ErrorCode::corrupt_frame ||
          status.code == ErrorCode::unsupported_version);
  if (words.count() == 0 || chunks::leaf_of_front(encoded, size_of(type))) return;
  // What the parts say agrees with what was decoded.
  require(trees::parts_of(encoded, type, words.count()) || !status.ok());
}

/// The plan of each part, and its lengths.
std::size_t max_header_bytes(const std::vector<trees::StreamPart>& parts) {
  std::size_t bytes = 16 * parts.size();
  for (const trees::StreamPart& part : parts) bytes += trees::written_bytes(part.plan);
  return bytes;
}

/// The trees that take words of a type.
std::vector<trees::Plan> plans_of(DType type) {
  std::vector<trees::Plan> plans;
  const auto add = [&](const std::string& tree) {
    if (auto plan = trees::plan_from_text(tree, type)) plans.push_back(std::move(*plan));
  };
  std::ranges::for_each(test::trees_of_integers, add);
  std::ranges::for_each(test::trees_of_floats, add);
  std::ranges::for_each(test::wide_trees(), add);
  return plans;
}

/// Encodes with a tree that the planner chooses, or with one that the input does.
Bytes encode(const test::Column& words, bool planned, std::size_t number) {
  if (planned) return test::ColumnEncoder().encode(words.view());
  static const auto plans = [] {
    std::vector<std::vector<trees::Plan>> of_types(256);
    for (const DType type : word_types) of_types[static_cast<std::size_t>(type)] = plans_of(type);
    return of_types;
  }();
  const auto& fitting = plans[static_cast<std::size_t>(words.type)];
  return test::ColumnEncoder(fitting[number % fitting.size()]).encode(words.view());
}

void round_trip(Input& input, DType type, bool planned) {
  const auto number = planned ? std::uint8_t{0} : input.take<std::uint8_t>();
  test::Column words;
  words.type = type;
  words.bytes = input.rest();
  words.bytes.resize(words.count() * size_of(type));
  const Bytes encoded = encode(words, planned, number);
  if (chunks::leaf_of_front(encoded, size_of(type))) {
    require(encoded.size() <= chunks::stream_bound(words.bytes.size(), false));
  } else if (words.count() != 0) {
    const auto parts = trees::parts_of(encoded, type, words.count());
    require(parts && encoded.size() <= words.bytes.size() + max_header_bytes(*parts));
  }
  test::Column decoded(type, words.count());
  require(test::decode(encoded, decoded).ok());
  require(decoded.bytes == words.bytes);
  with_changes(encoded, 12, [&](const Bytes& changed) { decode_anything(changed, decoded); });
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::Input input(data, size);
  const auto choice = input.take<std::uint8_t>();
  const floe::DType type = floe::word_types[choice % std::size(floe::word_types)];
  if (choice < 128) {
    floe::test::Column words(type, input.take<std::uint16_t>() % 4096);
    floe::fuzz::with_changes(input.rest(), 24, [&](const floe::fuzz::Bytes& encoded) {
      floe::fuzz::decode_anything(encoded, words);
    });
  } else {
    floe::fuzz::round_trip(input, type, choice < 192);
  }
  return 0;
}
