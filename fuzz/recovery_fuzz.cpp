// Is recovery safe for any bytes, and what it makes of a frame that was damaged true? Inputs are damaged
// frames, or say which damage a frame that is made here gets.
#include "floe/recover.hpp"

#include <array>

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

struct Made {
  Bytes content, frame;
};

/// An array in segments of 16 KiB, by one of some trees. Made once.
const Made& made_frame(Input& input) {
  static constexpr const char* trees[] = {"spspeed", "spratio", "delta,bitpack", "rle,bitpack,raw", ""};
  static std::array<std::array<Made, 16>, std::size(trees)> all;
  const std::size_t tree = input.take<std::uint8_t>() % std::size(trees);
  const std::uint32_t step = input.take<std::uint32_t>() % 16;
  Made& made = all.at(tree).at(step);
  if (!made.frame.empty()) return made;
  Options options;
  options.tree = trees[tree];
  options.segment_bytes = 16384;
  options.threads = 1;
  made.content.resize(40000);
  for (std::size_t i = 0; i < made.content.size() / 4; ++i) {
    const auto word = static_cast<std::uint32_t>(i / 100 * step * 0x10205);
    std::memcpy(made.content.data() + 4 * i, &word, sizeof word);
  }
  const auto frame = compress(std::as_bytes(std::span(made.content)), DType::u32,
                              Extent::linear(made.content.size() / 4), options);
  require(bool(frame));
  const auto* const first = reinterpret_cast<const std::uint8_t*>(frame->data());
  made.frame = {first, first + frame->size()};
  return made;
}

/// What comes back of a damaged frame is what was there, and the rest is on the map.
void recover_and_compare(const Bytes& frame, const Bytes& content) {
  count_decoded();
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

void damage_and_compare(Input input) {
  const Made& made = made_frame(input);
  Bytes frame = made.frame;
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
  with_changes(frame, 6, [&](const Bytes& damaged) { recover_and_compare(damaged, made.content); });
}

void recover_anything(std::span<const std::uint8_t> bytes, bool fills) {
  count_decoded();
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
    const std::span frame = data[0] == 'F' ? std::span(data, size) : bytes;
    with_changes({frame.begin(), frame.end()}, 6,
                 [&](const Bytes& changed) { recover_anything(changed, data[0] % 2 == 0); });
  }
  return 0;
}
