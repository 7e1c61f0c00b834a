// Does every chunk come back, does the oracle write the same payload, and do both agree on what is left of it
// after damage?
#include "fuzz/support.hpp"
#include "tests/oracle/oracle.hpp"

namespace floe::fuzz {
namespace {

/// The payload; empty for a raw chunk.
Bytes encode(const registry::ChunkCoder& coder, const Bytes& chunk, const core::ChunkContext& context) {
  Bytes workspace(coder.workspace_bytes(chunk.size())), payload(chunk.size());
  const std::size_t bytes = coder.encode(chunk, payload, workspace, context);
  payload.resize(bytes == registry::raw_chunk ? 0 : bytes);
  return payload;
}

bool decode(const registry::ChunkCoder& coder, const Bytes& payload, Bytes& chunk,
            const core::ChunkContext& context) {
  Bytes workspace(coder.workspace_bytes(chunk.size()));
  return coder.decode(payload, chunk, workspace, context);
}

/// Changes a few bytes, chosen by the payload and a number of the fuzzer.
void damage(Bytes& payload, std::uint32_t choice) {
  for (unsigned changes = 1 + choice % 3; changes > 0; --changes, choice = choice * 0x9E3779B1 + 1) {
    payload[(choice >> 8) % payload.size()] ^= static_cast<std::uint8_t>(1 + choice % 255);
  }
  if (choice % 8 == 0) payload.resize(payload.size() - payload.size() / 8);
}

void run_chunk(Input input) {
  const auto codecs = registry::all_codecs();
  const registry::CodecEntry& codec = codecs[input.take<std::uint8_t>() % codecs.size()];
  const registry::ChunkCoder oracle = oracle::coder_of(codec);
  core::ChunkContext context;
  context.parameters.dimensionality = 1 + input.take<std::uint8_t>() % 32;
  auto choice = input.take<std::uint32_t>();
  Bytes chunk = input.rest();
  // Repeated, so that short inputs reach whole groups and tiles.
  const std::size_t length = chunk.size();
  for (unsigned i = input.take<std::uint8_t>() % 16; i > 0 && chunk.size() + length <= core::chunk_bytes;
       --i) {
    chunk.insert(chunk.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(length));
  }
  if (chunk.empty() || chunk.size() > core::chunk_bytes) return;
  context.bytes = chunk.size();

  const Bytes payload = encode(codec.cpu, chunk, context);
  require(payload == encode(oracle, chunk, context));
  if (payload.empty()) return;
  Bytes restored(chunk.size());
  require(decode(codec.cpu, payload, restored, context));
  require(restored == chunk);

  Bytes expected(chunk.size());
  for (unsigned i = 0; i < 8; ++i, choice = choice * 0x9E3779B1 + 1) {
    Bytes damaged = payload;
    damage(damaged, choice);
    count_decoded();
    const bool is_valid = decode(codec.cpu, damaged, restored, context);
    require(is_valid == decode(oracle, damaged, expected, context));
    require(!is_valid || restored == expected);
  }
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_chunk({data, size});
  return 0;
}
