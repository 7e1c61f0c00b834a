// Codecs of the experimental stages, behind the functions by which the library knows codecs.
#pragma once

#include "chunks/registry/codec_entry.hpp"
#include "chunks/stages/bit_pack.hpp"
#include "chunks/stages/delta.hpp"
#include "chunks/stages/zigzag.hpp"
#include "tests/experiments/cooperative.hpp"
#include "tests/experiments/decimal.hpp"
#include "tests/experiments/lattice.hpp"
#include "tests/experiments/lorenzo.hpp"
#include "tests/experiments/rans.hpp"
#include "tests/experiments/residual_split.hpp"
#include "tests/experiments/split.hpp"

namespace floe::experiments {

/// A codec that chooses one of several pipelines per chunk. Payload: the number of the pipeline, 1 byte; its
/// output.
template <core::Word W, class... Pipelines>
struct OneOf {
  static std::size_t workspace_bytes(std::size_t) { return 0; }

  static std::size_t encode(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                            std::span<std::uint8_t> workspace, const core::ChunkContext& context) {
    const std::size_t size = encode_stages(chunk, out, workspace, context);
    return size < chunk.size() ? size : registry::raw_chunk;
  }

  /// The smallest output; of equals the first.
  static std::size_t encode_stages(std::span<const std::uint8_t> chunk, std::span<std::uint8_t> out,
                                   std::span<std::uint8_t>, const core::ChunkContext& context) {
    const Bytes in(chunk.begin(), chunk.end());
    const MaybeBytes outputs[] = {reference::encode_stages<W>(Pipelines{}, in, context)...};
    const MaybeBytes* best = nullptr;
    for (const MaybeBytes& output : outputs) {
      if (output && (best == nullptr || output->size() < (*best)->size())) best = &output;
    }
    if (best == nullptr || 1 + (*best)->size() > out.size()) return registry::raw_chunk;
    out[0] = static_cast<std::uint8_t>(best - outputs);
    std::copy((*best)->begin(), (*best)->end(), out.begin() + 1);
    return 1 + (*best)->size();
  }

  static bool decode(std::span<const std::uint8_t> payload, std::span<std::uint8_t> chunk,
                     std::span<std::uint8_t>, const core::ChunkContext& context) {
    if (payload.empty()) return false;
    const Bytes in(payload.begin() + 1, payload.end());
    MaybeBytes decoded;
    unsigned number = 0;
    ((decoded = number++ == payload[0] ? reference::decode_stages<W>(Pipelines{}, in, context)
                                       : std::move(decoded)),
     ...);
    if (!decoded || decoded->size() != chunk.size()) return false;
    std::copy(decoded->begin(), decoded->end(), chunk.begin());
    return true;
  }

  static constexpr registry::ChunkCoder coder{workspace_bytes, encode, encode_stages, decode};
};

using stages::BitPack, stages::Delta, stages::ZigZag, codecs::Pipeline;

/// The bit lengths of words, entropy-coded, and the rest of their bits.
using LengthEntropy = SplitInto<BitLengths, Stream<std::uint8_t, Rans<32>>, Stream<std::uint8_t>>;
/// The planes share a warp: four of eight lanes each, or eight of four.
using Planes32 = SplitInto<BytePlanes, Stream<std::uint8_t, Rans<8>>, Stream<std::uint8_t, Rans<8>>,
                           Stream<std::uint8_t, Rans<8>>, Stream<std::uint8_t, Rans<8>>>;
using Planes64 =
    SplitInto<BytePlanes, Stream<std::uint8_t, Rans<4>>, Stream<std::uint8_t, Rans<4>>,
              Stream<std::uint8_t, Rans<4>>, Stream<std::uint8_t, Rans<4>>, Stream<std::uint8_t, Rans<4>>,
              Stream<std::uint8_t, Rans<4>>, Stream<std::uint8_t, Rans<4>>, Stream<std::uint8_t, Rans<4>>>;
/// Integers from decimals, then as `Stages` say; exceptions as they are.
template <class... Stages>
using DecimalThen = Pipeline<
    SplitInto<Decimal, Stream<std::uint64_t, Stages...>, Stream<std::uint16_t>, Stream<std::uint64_t>>>;
/// Lorenzo in one, two or three dimensions, per chunk.
template <core::Word W, class... Rest>
using LorenzoThen = OneOf<W, Pipeline<OrderedFloat, Lorenzo<1>, ZigZag, Rest...>,
                          Pipeline<OrderedFloat, Lorenzo<2>, ZigZag, Rest...>,
                          Pipeline<OrderedFloat, Lorenzo<3>, ZigZag, Rest...>>;

struct Experiment {
  const char* name;
  unsigned word_bits;
  registry::ChunkCoder coder;
};

inline constexpr std::array experiments = {
    Experiment{"decimal_pack", 64, OneOf<std::uint64_t, DecimalThen<Delta, ZigZag, BitPack>>::coder},
    Experiment{
        "decimal_entropy", 64,
        OneOf<std::uint64_t, DecimalThen<Delta, ZigZag, LengthEntropy>, DecimalThen<LengthEntropy>>::coder},
    Experiment{"planes_entropy", 32, OneOf<std::uint32_t, Pipeline<Delta, ZigZag, Planes32>>::coder},
    Experiment{"planes_entropy", 64, OneOf<std::uint64_t, Pipeline<Delta, ZigZag, Planes64>>::coder},
    Experiment{"lengths_entropy", 32, OneOf<std::uint32_t, Pipeline<Delta, ZigZag, LengthEntropy>>::coder},
    Experiment{"lengths_entropy", 64, OneOf<std::uint64_t, Pipeline<Delta, ZigZag, LengthEntropy>>::coder},
    Experiment{"lorenzo_pack", 32, LorenzoThen<std::uint32_t, BitPack>::coder},
    Experiment{"lorenzo_pack", 64, LorenzoThen<std::uint64_t, BitPack>::coder},
    Experiment{"lorenzo_entropy", 32, LorenzoThen<std::uint32_t, LengthEntropy>::coder},
    Experiment{"lorenzo_entropy", 64, LorenzoThen<std::uint64_t, LengthEntropy>::coder},
};

}  // namespace floe::experiments
