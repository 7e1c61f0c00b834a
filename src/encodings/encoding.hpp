// One encoding as trees see it: its name and parameters, the types of its children, and the functions that
// encode and open.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/byte_stream.hpp"
#include "encodings/rules.hpp"
#include "encodings/source.hpp"
#include "encodings/stream.hpp"

namespace floe::trees {

using core::ByteReader;
using core::ByteWriter;

inline constexpr std::size_t max_parameters = 2;
using Parameters = std::array<std::uint32_t, max_parameters>;

/// What an encoding makes of a stream.
struct Encoded {
  ByteWriter& header;             ///< Its header is appended here; for a leaf also its payload.
  std::vector<Stream>& children;  ///< Its child streams are appended here, as many as child_count.
  Scratch& scratch;
  std::optional<EncodingId> simpler = {};  ///< Without parameters: has the same bytes, where a leaf says so.
};

/// What will be read of a tree.
enum class Wanted : std::uint8_t { all, parts };

/// What an encoding is opened with.
class Opening {
 public:
  Opening(ByteReader& tree_bytes, DType node_type, std::uint64_t word_count,
          const Parameters& node_parameters, Wanted wanted_words)
      : bytes(tree_bytes),
        type(node_type),
        count(word_count),
        parameters(node_parameters),
        wanted(wanted_words) {}
  virtual ~Opening() = default;
  /// Opens the next child; the header must have been read before. Null if the bytes contradict the format.
  virtual std::unique_ptr<Source> open_child(std::uint64_t child_count) = 0;

  ByteReader& bytes;
  const DType type;
  const std::uint64_t count;  ///< At least 1.
  const Parameters& parameters;
  const Wanted wanted;
};

/// Time per word of an encoding itself, without its children: measured on 2^16 words in the caches of
/// a core (Zen 5) that uses AVX2, and for devices as differences between trees that bench/cuda/series_encode
/// and series_trees measured on an H200; rounded, because only the order of trees depends on it. Part of what
/// decides the bytes, and therefore the same on every machine.
struct EncodingTime {
  std::uint32_t encode_picoseconds = 0, decode_picoseconds = 0;
};
/// Of every encoding, by its id.
using EncodingTimes = std::array<EncodingTime, encoding_count>;

/// What an encoding does, and what it costs. Functions are stateless and thread-safe.
struct Encoding {
  EncodingTime time{};
  EncodingTime device_time{};  ///< Of words of 4 to 8 bytes, with thousands of segments.
  /// False if this stream does not fit; what was appended is then unspecified. Precondition: accepted type,
  /// at least one word.
  bool (*encode)(const ColumnView& in, const Parameters& parameters, Encoded& out) = nullptr;
  /// Reads the header and opens the children in order. Null if the bytes contradict the format.
  std::unique_ptr<Source> (*open)(Opening& opening) = nullptr;

  // By the rules:
  EncodingId id{};
  std::string_view name = {};
  std::string_view summary = {};
  unsigned parameter_count = 0;
  std::array<ParameterRange, max_parameters> ranges{};

  bool is_refused = false;  ///< See refuse().

  [[nodiscard]] unsigned children_of(const Parameters& parameters) const noexcept {
    return trees::children_of(id, parameters[0]);
  }
  /// Whether it takes streams of a type. Precondition: parameters within their ranges.
  [[nodiscard]] bool accepts(DType type, const Parameters& parameters) const noexcept {
    return !is_refused && trees::accepts(id, type, parameters[0], parameters[1]);
  }
  /// The type of a child. Precondition: accepts(type, parameters), child < children_of().
  [[nodiscard]] DType child_type(DType type, const Parameters& parameters, unsigned child) const noexcept {
    return child_type_of(id, type, parameters[1], child);
  }
};

/// Every encoding, in the order of their ids.
std::span<const Encoding> all_encodings() noexcept;
/// Null if there is none.
const Encoding* find_encoding(std::uint8_t id) noexcept;
/// By its name, or by the one that it has in the thesis ("afl"). Null if there is none.
const Encoding* find_encoding(std::string_view name) noexcept;
inline const Encoding& encoding_of(EncodingId id) noexcept {
  return *find_encoding(static_cast<std::uint8_t>(id));
}

/// From now on no stream fits this encoding, so that trees do without it: for measurements of what it brings.
/// Before anything is encoded.
void refuse(EncodingId id) noexcept;

}  // namespace floe::trees
