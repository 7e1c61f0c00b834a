// Is recovery safe for any bytes, and what it makes of a frame that was damaged true? Inputs are damaged
// frames, or say which damage a frame that is made here gets.
#include "floe/recover.hpp"

#include "fuzz/support.hpp"

namespace floe::fuzz {
namespace {

/// More is neither filled nor written.
constexpr std::uint64_t max_bytes = 1 << 22;

struct Restored {
  Bytes content;
  RecoveryMap map;
  bool is_whole = false;
};

Restored restore(const Recovery& recovery) {
  Restored restored;
  DecodeOptions options;
  options.threads = 1;
  options.memory_limit_bytes = max_bytes;
  auto map = recovery.restore(
      [&](std::span<const std::byte> bytes) -> Status {
        if (restored.content.size() + bytes.size() > max_bytes) return {ErrorCode::io_error, 0, "enough"};
        const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
        restored.content.insert(restored.content.end(), first, first + bytes.size());
        return {};
      },
      options);
  restored.is_whole = bool(map);
  if (map) restored.map = std::move(*map);
  return restored;
}

RecoveryOptions options_of(bool fills) {
  RecoveryOptions options;
  options.fill_lost = fills;
  options.max_filled_bytes = max_bytes;
  options.memory_limit_bytes = max_bytes;
  return options;
}

/// An array in segments of 16 KiB, by one of some trees.
Bytes made_frame(Input& input, Bytes& content) {
  static constexpr const char* trees[] = {"spspeed", "spratio", "delta,bitpack", "rle,bitpack,raw", ""};
  Options options;
  options.tree = trees[input.take<std::uint8_t>() % std::size(trees)];
  options.segment_bytes = 16384;
  options.threads = 1;
  content.resize(40000);
  const std::uint32_t step = input.take<std::uint32_t>();
  for (std::size_t i = 0; i < content.size() / 4; ++i) {
    const auto word = static_cast<std::uint32_t>(i / 100 * step);
    std::memcpy(content.data() + 4 * i, &word, sizeof word);
  }
  const auto frame =
      compress(std::as_bytes(std::span(content)), DType::u32, Extent::linear(content.size() / 4), options);
  require(bool(frame));
  const auto* const first = reinterpret_cast<const std::uint8_t*>(frame->data());
  return {first, first + frame->size()};
}

void damage_and_compare(Input input) {
  Bytes content;
  Bytes frame = made_frame(input, content);
  for (unsigned i = input.take<std::uint8_t>() % 8; i > 0 && !frame.empty(); --i) {
    const std::size_t at = input.take<std::uint32_t>() % frame.size();
    const auto count = static_cast<std::ptrdiff_t>(1 + input.take<std::uint8_t>() %
                                                           std::min<std::size_t>(frame.size() - at, 64));
    const auto begin = frame.begin() + static_cast<std::ptrdiff_t>(at);
    switch (input.take<std::uint8_t>() % 4) {
      case 0:
        *begin = static_cast<std::uint8_t>(*begin ^ (1U << input.take<std::uint8_t>() % 8));
        break;
      case 1:
        std::fill(begin, begin + count, input.take<std::uint8_t>());
        break;
      case 2:
        frame.erase(begin, begin + count);
        break;
      default:
        frame.insert(begin, static_cast<std::size_t>(count), input.take<std::uint8_t>());
    }
  }
  const auto recovery = Recovery::open(std::as_bytes(std::span(frame)), options_of(true));
  if (!recovery) return;
  const Restored restored = restore(*recovery);
  require(restored.is_whole);
  require(restored.content.size() <= content.size());
  std::vector<bool> is_lost(content.size());
  for (const LostRange& range : restored.map.lost) {
    for (std::uint64_t i = 4 * range.first; i < 4 * (range.first + range.count) && i < is_lost.size(); ++i)
      is_lost[i] = true;
  }
  for (std::size_t i = 0; i < restored.content.size(); ++i)
    require(restored.content[i] == (is_lost[i] ? 0 : content[i]));
}

void recover_anything(std::span<const std::uint8_t> bytes, bool fills) {
  const auto recovery = Recovery::open(std::as_bytes(bytes), options_of(fills));
  if (recovery) restore(*recovery);
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace floe::fuzz;
  if (size == 0) return 0;
  const std::span bytes(data + 1, size - 1);
  if (data[0] % 4 == 0) {
    damage_and_compare(Input(bytes.data(), bytes.size()));
  } else {
    recover_anything(data[0] == 'F' ? std::span(data, size) : bytes, data[0] % 2 == 0);
  }
  return 0;
}
