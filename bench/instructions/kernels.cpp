// Runs one fixed kernel on fixed chunks, for valgrind to count its instructions: kernels CODEC encode|decode
// ROUNDS. Counts for two numbers of rounds differ by those of the kernel alone.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "chunks/registry/codec_entry.hpp"
#include "core/splitmix.hpp"
#include "core/word.hpp"

namespace {

using floe::core::chunk_bytes;

constexpr std::size_t chunk_count = 16;

/// A wave with noise, by integers only, so that every machine has the same: what floating-point formats look
/// like as words.
template <class Word>
std::vector<std::uint8_t> wave() {
  std::vector<std::uint8_t> bytes(chunk_count * chunk_bytes);
  constexpr unsigned mantissa_bits = sizeof(Word) == 4 ? 23 : 52;
  const Word base = static_cast<Word>(sizeof(Word) == 4 ? 0x42c80000u : 0x4059000000000000u);  // 100
  for (std::size_t i = 0; i < bytes.size() / sizeof(Word); ++i) {
    const std::uint64_t phase = i % 512, triangle = phase < 256 ? phase : 511 - phase;
    const std::uint64_t noise = floe::core::splitmix(i) & ((std::uint64_t{1} << (mantissa_bits - 14)) - 1);
    floe::core::store(bytes.data() + i * sizeof(Word),
                      static_cast<Word>(base + (triangle << (mantissa_bits - 10)) + noise));
  }
  return bytes;
}

struct Payload {
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(chunk_bytes);
  std::size_t stored_bytes = 0;
};

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 4) return 2;
  const std::string_view name = arguments[1], direction = arguments[2];
  const int rounds = std::atoi(arguments[3]);
  const bool is_double = name.starts_with("dp");
  const auto* const codec = floe::registry::find_codec(name, is_double ? 64 : 32);
  if (codec == nullptr || (direction != "encode" && direction != "decode")) return 2;

  const std::vector<std::uint8_t> content = is_double ? wave<std::uint64_t>() : wave<std::uint32_t>();
  std::vector<std::uint8_t> workspace(codec->cpu.workspace_bytes(chunk_bytes));
  std::vector<Payload> payloads(chunk_count);
  floe::core::ChunkContext context;
  context.bytes = chunk_bytes;
  const auto chunk = [&](std::size_t i) { return std::span(content).subspan(i * chunk_bytes, chunk_bytes); };
  const auto encode = [&](std::size_t i) {
    payloads[i].stored_bytes = codec->cpu.encode(chunk(i), payloads[i].bytes, workspace, context);
    return payloads[i].stored_bytes < chunk_bytes;
  };
  std::vector<std::uint8_t> decoded(chunk_bytes);
  for (std::size_t i = 0; i < chunk_count; ++i) {
    if (!encode(i)) return 1;
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < chunk_count; ++i) {
      const auto payload = std::span<const std::uint8_t>(payloads[i].bytes).first(payloads[i].stored_bytes);
      if (direction == "encode" ? !encode(i) : !codec->cpu.decode(payload, decoded, workspace, context))
        return 1;
    }
  }
  if (direction == "decode" && rounds > 0 &&
      std::memcmp(decoded.data(), chunk(chunk_count - 1).data(), chunk_bytes) != 0)
    return 1;
  std::printf("%zu\n", chunk_count * static_cast<std::size_t>(rounds));
  return 0;
}
