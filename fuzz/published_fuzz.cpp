// Are any bytes safe to take for a bare stream of the publications, and does every array come back through
// one?
#include <array>

#include "fuzz/support.hpp"
#include "research/published.hpp"

namespace floe::fuzz {
namespace {

constexpr std::uint64_t memory_limit_bytes = 16 << 20;
constexpr std::array<std::string_view, 4> fpcompress_codecs = {"spspeed", "spratio", "dpspeed", "dpratio"};

void run_published(Input input) {
  const unsigned choice = input.take<std::uint8_t>() % 5;
  const published::GfcOptions gfc{.chunk_count = 1u + input.take<std::uint8_t>(),
                                  .dimensionality = 1u + input.take<std::uint8_t>() % 32};
  const auto damage = input.take<std::uint32_t>();
  Bytes data = input.rest();
  const auto bytes = std::as_bytes(std::span(data));
  const bool is_gfc = choice == fpcompress_codecs.size();
  const auto decompress = [&](std::span<const std::byte> stream) {
    return is_gfc ? published::decompress_gfc(stream, memory_limit_bytes)
                  : published::decompress_fpcompress(stream, fpcompress_codecs[choice], memory_limit_bytes);
  };

  count_decoded();
  static_cast<void>(decompress(bytes));
  auto stream = is_gfc ? published::compress_gfc(bytes, gfc)
                       : published::compress_fpcompress(bytes, fpcompress_codecs[choice]);
  if (!stream) {  // only the empty input, and what is no whole number of words
    require(data.empty() || data.size() % 8 != 0);
    return;
  }
  const auto restored = decompress(*stream);
  require(restored && std::ranges::equal(*restored, bytes));

  (*stream)[(damage >> 8) % stream->size()] ^= static_cast<std::byte>(1 + damage % 255);
  if (damage % 4 == 0) stream->resize(stream->size() - stream->size() / 8);
  const auto* const first = reinterpret_cast<const std::uint8_t*>(stream->data());
  with_changes({first, first + stream->size()}, 12, [&](const Bytes& changed) {
    count_decoded();
    static_cast<void>(decompress(std::as_bytes(std::span(changed))));
  });
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_published({data, size});
  return 0;
}
