// Tests of the GPU's coders on an emulated warp: they make and accept the payloads of the CPU.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "gpu/chunks/byte_pack_chunk.hpp"
#include "gpu/chunks/drop_zeros_quarters.hpp"
#include "gpu/chunks/pack_chunk.hpp"
#include "gpu/chunks/tops_decoder.hpp"
#include "gpu/chunks/tops_encoder.hpp"
#include "tests/identity/chunk_runner.hpp"
#include "tests/support/emulated_warp.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

using gpu::ChunkSink;

/// A buffer of exactly the bytes that a coder asks for, at a multiple of 16, full of garbage.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes) : bytes_(garbage(bytes + 16)) {}
  std::uint8_t* data() {
    return bytes_.data() + (16 - reinterpret_cast<std::uintptr_t>(bytes_.data()) % 16) % 16;
  }

 private:
  Bytes bytes_;
};

struct GpuCoder {
  MaybeBytes (*encode)(const Bytes& chunk, unsigned dimensionality);
  MaybeBytes (*decode)(const Bytes& payload, std::size_t chunk_bytes, unsigned dimensionality);
  MaybeBytes (*encode_full)(const Bytes& chunk, unsigned dimensionality) = nullptr;
};

template <class Coder>
MaybeBytes encode(const Bytes& chunk, unsigned dimensionality) {
  SharedMemory shared(Coder::encode_bytes);
  std::memcpy(shared.data() + Coder::content_offset, chunk.data(), chunk.size());
  std::uint32_t stored = 0;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    typename Coder::Plan plan;
    const auto chunk_bytes = static_cast<std::uint32_t>(chunk.size());
    const std::uint32_t bytes = Coder::measure(warp, shared.data(), chunk_bytes, dimensionality, plan);
    if (bytes != gpu::stored_raw) Coder::write(warp, shared.data(), chunk_bytes, plan);
    if (warp.lane() == 0) stored = bytes;
  });
  if (stored == gpu::stored_raw) return std::nullopt;
  const std::uint8_t* const payload = shared.data() + Coder::payload_offset;
  return Bytes(payload, payload + stored);
}

/// As two warps encode a full chunk: what happens between the barriers, one warp after the other.
template <class Coder>
MaybeBytes encode_in_halves(const Bytes& chunk, unsigned dimensionality) {
  using Halves = typename Coder::Halves;
  SharedMemory shared(2 * Halves::region_bytes);
  const auto region = [&](unsigned half) { return shared.data() + half * Halves::region_bytes; };
  typename Halves::Share shares[2];
  for (unsigned half : {1u, 0u}) {
    const std::size_t lead = half * Halves::lead_bytes;
    std::memcpy(region(half) + Halves::content_offset - lead,
                chunk.data() + half * gpu::half_chunk_bytes - lead, gpu::half_chunk_bytes + lead);
    EmulatedWarp::run(
        [&](EmulatedWarp& warp) { Halves::measure(warp, region(half), half, dimensionality, shares[half]); });
  }
  std::uint32_t stored = 0, second_half = 0;
  for (unsigned half : {0u, 1u}) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      typename Halves::Plan plan;
      const std::uint32_t bytes = Halves::join(warp, shares, plan),
                          second = half * gpu::second_piece(plan.second);
      if (bytes != gpu::stored_raw) Halves::write(warp, region(half) - second, region(half), half, plan);
      if (warp.lane() == 0) stored = bytes;
      if (warp.lane() == 0) second_half = plan.second;
    });
  }
  if (stored == gpu::stored_raw) return std::nullopt;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    gpu::complete_second_piece(warp, region(0), region(1), second_half, stored);
  });
  const std::uint32_t second = gpu::second_piece(second_half), padded = (stored + 15) / 16 * 16;
  Bytes payload(region(0), region(0) + second);
  payload.insert(payload.end(), region(1), region(1) + (padded - second));
  for (std::size_t i = stored; i < padded; ++i) EXPECT_EQ(payload[i], 0);
  payload.resize(stored);
  return payload;
}

/// As four warps encode a full chunk: what happens between the barriers, one warp after the other.
template <class Quarters>
MaybeBytes encode_in_quarters(const Bytes& chunk, unsigned /*dimensionality*/) {
  SharedMemory shared(Quarters::buffer_bytes), content(chunk.size());
  std::memcpy(content.data(), chunk.data(), chunk.size());
  std::vector<typename Quarters::State> states(gpu::quarters * EmulatedWarp::lanes);
  typename Quarters::Share shares[gpu::quarters];
  const auto run = [&]<unsigned step>(const auto& next) {
    if constexpr (step < Quarters::steps) {
      for (const unsigned quarter : {2u, 0u, 3u, 1u}) {
        const gpu::QuarterContent own{content.data() + quarter * gpu::quarter_bytes, quarter};
        EmulatedWarp::run([&](EmulatedWarp& warp) {
          Quarters::template run<step>(warp, own, shared.data(),
                                       states[quarter * EmulatedWarp::lanes + warp.lane()], shares);
        });
      }
      next.template operator()<step + 1>(next);
    }
  };
  run.template operator()<0>(run);
  const std::uint32_t stored = Quarters::stored(shares);
  if (stored == gpu::stored_raw) return std::nullopt;
  for (std::size_t i = stored; i % 16 != 0; ++i) EXPECT_EQ(shared.data()[i], 0);
  return Bytes(shared.data(), shared.data() + stored);
}

template <class Coder>
MaybeBytes decode(const Bytes& payload, std::size_t chunk_bytes, unsigned dimensionality) {
  SharedMemory shared(Coder::decode_bytes);
  const std::uint32_t offset =
      Coder::payload_begin(static_cast<std::uint32_t>((payload.size() + 15) / 16 * 16));
  std::memcpy(shared.data() + offset, payload.data(), payload.size());
  SharedMemory out(core::chunk_bytes);
  std::uint32_t accepted = 0;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    const auto count = static_cast<std::uint32_t>(chunk_bytes);
    const bool mine = Coder::decode(warp, shared.data(), static_cast<std::uint32_t>(payload.size()), count,
                                    dimensionality, ChunkSink{out.data(), 0, count, chunk_bytes % 3 != 0});
    accepted += mine ? 1 : 0;
  });
  if (accepted == 0) return std::nullopt;
  EXPECT_EQ(accepted, EmulatedWarp::lanes);
  return Bytes(out.data(), out.data() + chunk_bytes);
}

/// The words of a chunk in memory.
struct ChunkSource {
  const Bytes& chunk;
  [[nodiscard]] std::uint64_t word(std::uint32_t i) const {
    return core::load<std::uint64_t>(chunk.data() + 8 * i);
  }
  [[nodiscard]] std::uint8_t tail_byte(std::uint32_t i) const { return chunk[chunk.size() / 8 * 8 + i]; }
};

MaybeBytes encode_tops(const Bytes& chunk, unsigned /*dimensionality*/) {
  SharedMemory shared(gpu::TopsEncoder::encode_bytes), payload(core::chunk_bytes);
  std::uint32_t stored = 0;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    const std::uint32_t bytes = gpu::TopsEncoder::encode(
        warp, shared.data(), ChunkSource{chunk}, static_cast<std::uint32_t>(chunk.size()), payload.data());
    if (warp.lane() == 0) stored = bytes;
  });
  if (stored == gpu::stored_raw) return std::nullopt;
  for (std::uint32_t i = stored; i % 16 != 0; ++i) EXPECT_EQ(payload.data()[i], 0);
  return Bytes(payload.data(), payload.data() + stored);
}

MaybeBytes decode_tops(const Bytes& payload, std::size_t chunk_bytes, unsigned /*dimensionality*/) {
  SharedMemory shared(gpu::TopsDecoder::decode_bytes), in((payload.size() + 15) / 16 * 16 + 16),
      out(core::chunk_bytes);
  std::memcpy(in.data(), payload.data(), payload.size());
  std::uint32_t accepted = 0;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    const auto count = static_cast<std::uint32_t>(chunk_bytes);
    const bool mine =
        gpu::TopsDecoder::decode(warp, shared.data(), in.data(), static_cast<std::uint32_t>(payload.size()),
                                 count, ChunkSink{out.data(), 0, count, chunk_bytes % 3 != 0});
    accepted += mine ? 1 : 0;
  });
  if (accepted == 0) return std::nullopt;
  EXPECT_EQ(accepted, EmulatedWarp::lanes);
  return Bytes(out.data(), out.data() + chunk_bytes);
}

GpuCoder gpu_coder(std::uint16_t codec_id) {
  switch (codec_id) {
    case 1:
      return {encode<gpu::PackChunk<std::uint32_t>>, decode<gpu::PackChunk<std::uint32_t>>,
              encode_in_halves<gpu::PackChunk<std::uint32_t>>};
    case 2:
      return {encode<gpu::PackChunk<std::uint64_t>>, decode<gpu::PackChunk<std::uint64_t>>,
              encode_in_halves<gpu::PackChunk<std::uint64_t>>};
    case 3:
      return {encode<gpu::DropZerosChunk>, decode<gpu::DropZerosChunk>,
              encode_in_quarters<gpu::DropZerosQuarters>};
    case 4:
      return {encode_tops, decode_tops};
    case 5:
      return {encode<gpu::BytePackChunk<std::uint64_t>>, decode<gpu::BytePackChunk<std::uint64_t>>,
              encode_in_halves<gpu::BytePackChunk<std::uint64_t>>};
    case 6:
      return {encode<gpu::BytePackChunk<std::uint32_t>>, decode<gpu::BytePackChunk<std::uint32_t>>,
              encode_in_halves<gpu::BytePackChunk<std::uint32_t>>};
    case 7:
      return {encode<gpu::PackChunk<std::uint8_t>>, decode<gpu::PackChunk<std::uint8_t>>,
              encode_in_halves<gpu::PackChunk<std::uint8_t>>};
    case 8:
      return {encode<gpu::PackChunk<std::uint16_t>>, decode<gpu::PackChunk<std::uint16_t>>,
              encode_in_halves<gpu::PackChunk<std::uint16_t>>};
    default:
      return {};
  }
}

/// Full chunks, and lengths around every boundary that a coder may have.
std::vector<std::size_t> chunk_sizes() {
  return {1,     2,     3,     4,     5,     7,     8,     9,     15,    16,    31,    32,   33,
          63,    64,    65,    127,   128,   129,   255,   256,   257,   300,   511,   512,  513,
          1000,  1023,  1024,  1025,  2047,  2048,  2049,  4096,  4097,  5000,  8191,  8192, 8193,
          10000, 12345, 16128, 16255, 16256, 16257, 16376, 16380, 16381, 16382, 16383, 16384};
}

class WarpCoders : public testing::TestWithParam<registry::CodecEntry> {};

TEST_P(WarpCoders, MakeThePayloadsOfTheCpu) {
  const registry::CodecEntry& codec = GetParam();
  const GpuCoder gpu = gpu_coder(codec.id);
  ChunkRunner cpu(codec.cpu);
  for (std::size_t content = 0; content < content_names().size(); ++content) {
    for (const std::size_t size : chunk_sizes()) {
      if (size > 600 && size < core::chunk_bytes && (size + content) % (sanitized ? 12 : 4) != 0) continue;
      core::ChunkContext context;
      context.parameters.dimensionality =
          codec.takes_dimensionality ? static_cast<std::uint32_t>(1 + (content * 5 + size) % 32) : 1;
      const Bytes chunk = make_bytes(codec.word_bits, content, size, size + content);
      const MaybeBytes expected = cpu.encode(chunk, context);
      const MaybeBytes payload = gpu.encode(chunk, context.parameters.dimensionality);
      ASSERT_EQ(payload.has_value(), expected.has_value()) << content_names()[content] << " " << size;
      if (gpu.encode_full != nullptr && size == core::chunk_bytes) {
        const MaybeBytes together = gpu.encode_full(chunk, context.parameters.dimensionality);
        ASSERT_TRUE(together == expected) << content_names()[content];
      }
      if (!payload) continue;
      ASSERT_EQ(payload->size(), expected->size()) << content_names()[content] << " " << size;
      ASSERT_TRUE(*payload == *expected)
          << content_names()[content] << " " << size << " first at "
          << std::mismatch(payload->begin(), payload->end(), expected->begin()).first - payload->begin();
      const MaybeBytes decoded = gpu.decode(*payload, size, context.parameters.dimensionality);
      ASSERT_TRUE(decoded && *decoded == chunk) << content_names()[content] << " " << size;
    }
  }
}

TEST_P(WarpCoders, AcceptWhatTheCpuAccepts) {
  const registry::CodecEntry& codec = GetParam();
  const GpuCoder gpu = gpu_coder(codec.id);
  ChunkRunner cpu(codec.cpu);
  Random random(codec.id);
  std::size_t accepted = 0;
  for (std::size_t round = 0; round < (sanitized ? 60 : 600); ++round) {
    core::ChunkContext context;
    context.parameters.dimensionality =
        codec.takes_dimensionality ? static_cast<std::uint32_t>(1 + random.below(32)) : 1;
    const std::size_t size =
        round % 3 == 0 ? core::chunk_bytes : 1 + random.below(round % 3 == 1 ? 200 : core::chunk_bytes);
    const Bytes chunk = make_bytes(codec.word_bits, random.below(content_names().size()), size, round);
    MaybeBytes payload = cpu.encode(chunk, context);
    if (!payload) continue;
    for (std::size_t change = random.below(3); change <= 2; ++change) {
      const std::size_t at = random.below(2) == 0 ? random.below(payload->size())
                                                  : random.below(std::min<std::size_t>(40, payload->size()));
      switch (random.below(5)) {
        case 0:
          (*payload)[at] = static_cast<std::uint8_t>(random.next());
          break;
        case 1:
          (*payload)[payload->size() - 1 - std::min<std::size_t>(at, 40) % payload->size()] ^=
              static_cast<std::uint8_t>(1u << random.below(8));
          break;
        case 2:
          (*payload)[at] ^= static_cast<std::uint8_t>(1u << random.below(8));
          break;
        case 3:
          if (payload->size() > 1) payload->pop_back();
          break;
        default:
          if (payload->size() + 1 < size) payload->push_back(static_cast<std::uint8_t>(random.next()));
      }
    }
    const MaybeBytes expected = cpu.decode(*payload, size, context);
    const MaybeBytes decoded = gpu.decode(*payload, size, context.parameters.dimensionality);
    ASSERT_EQ(decoded.has_value(), expected.has_value()) << round << " " << size;
    if (expected) {
      ASSERT_TRUE(*decoded == *expected) << round << " " << size;
    }
    accepted += expected ? 1 : 0;
  }
  EXPECT_GT(accepted, 0u);
}

std::vector<registry::CodecEntry> codecs_of_the_gpu() {
  std::vector<registry::CodecEntry> codecs;
  for (const registry::CodecEntry& codec : registry::all_codecs()) {
    if (gpu_coder(codec.id).encode != nullptr) codecs.push_back(codec);
  }
  return codecs;
}

INSTANTIATE_TEST_SUITE_P(All, WarpCoders, testing::ValuesIn(codecs_of_the_gpu()),
                         [](const auto& parameter) { return test_name(parameter.param); });

}  // namespace
}  // namespace floe::test
