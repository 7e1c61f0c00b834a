// Is any payload of a chunk safe to decode, and does the oracle agree on every one? No checksum stands before
// them here.
#include "fuzz/support.hpp"
#include "tests/oracle/oracle.hpp"

namespace floe::fuzz {
namespace {

bool decode(const registry::ChunkCoder& coder, const Bytes& payload, Bytes& chunk, Bytes& workspace,
            const core::ChunkContext& context) {
  workspace.resize(coder.workspace_bytes(chunk.size()));
  return coder.decode(payload, chunk, workspace, context);
}

void run_payload(Input input) {
  const auto codecs = registry::all_codecs();
  const registry::CodecEntry& codec = codecs[input.take<std::uint8_t>() % codecs.size()];
  core::ChunkContext context;
  context.bytes = 1 + input.take<std::uint16_t>() % core::chunk_bytes;
  context.parameters.dimensionality = 1 + input.take<std::uint8_t>() % 32;
  const Bytes bytes = input.rest();
  if (bytes.empty() || bytes.size() >= context.bytes) return;

  Bytes chunk(context.bytes), expected(context.bytes), workspace;
  const registry::ChunkCoder oracle = oracle::coder_of(codec);
  with_changes(bytes, 16, [&](const Bytes& payload) {
    count_decoded();
    const bool is_valid = decode(codec.cpu, payload, chunk, workspace, context);
    require(is_valid == decode(oracle, payload, expected, workspace, context));
    require(!is_valid || chunk == expected);
  });
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_payload({data, size});
  return 0;
}
