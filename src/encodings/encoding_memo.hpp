// What encodings that take long made of a stream on which several trees are tried.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// While one exists, encodings of its stream that use `encode_once` are done once. The words must stay as
/// they are, and nothing else may lie where they lie.
class EncodingMemo {
 public:
  EncodingMemo(const ColumnView& stream, Scratch& scratch)
      : stream_(stream), scratch_(scratch), outer_(scratch.memo) {
    scratch.memo = this;
  }
  EncodingMemo(const EncodingMemo&) = delete;
  EncodingMemo& operator=(const EncodingMemo&) = delete;
  ~EncodingMemo() { scratch_.memo = outer_; }

  using Encode = bool (*)(const ColumnView& in, const Parameters& parameters, Encoded& out);

  /// encode(in, parameters, out), or what it made of the same before.
  bool encode_once(EncodingId id, Encode encode, const ColumnView& in, const Parameters& parameters,
                   Encoded& out) {
    if (in.values != stream_.values || in.count != stream_.count || in.type != stream_.type)
      return encode(in, parameters, out);
    const auto is_same = [&](const Made& made) { return made.id == id && made.parameters == parameters; };
    const auto known = std::find_if(made_.begin(), made_.end(), is_same);
    if (known != made_.end()) {
      out.header.put_bytes(known->header);
      for (const Stream& child : known->children) out.children.push_back(copy(child));
      return known->fits;
    }
    const std::size_t header_begin = out.header.size();
    Made& made = made_.emplace_back(Made{id, parameters, encode(in, parameters, out), {}, {}});
    if (!made.fits) return false;
    const auto header = out.header.bytes().subspan(header_begin);
    made.header.assign(header.begin(), header.end());
    for (const Stream& child : out.children) made.children.push_back(copy(child));
    return true;
  }

 private:
  struct Made {
    EncodingId id;
    Parameters parameters;
    bool fits;
    std::vector<std::uint8_t> header;
    std::vector<Stream> children;
  };
  Stream copy(const Stream& stream) {
    const ColumnView words = stream.view();
    Stream same(words.type, words.count, scratch_);
    std::memcpy(same.data(), words.values, static_cast<std::size_t>(words.bytes()));
    return same;
  }

  const ColumnView stream_;
  Scratch& scratch_;
  EncodingMemo* const outer_;
  std::vector<Made> made_;
};

/// With the memo of the scratch memory, if there is one.
inline bool encode_once(EncodingId id, EncodingMemo::Encode encode, const ColumnView& in,
                        const Parameters& parameters, Encoded& out) {
  EncodingMemo* const memo = out.scratch.memo;
  return memo == nullptr ? encode(in, parameters, out) : memo->encode_once(id, encode, in, parameters, out);
}

}  // namespace floe::trees
