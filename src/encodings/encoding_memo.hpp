// What encodings made of a stream on which several trees are tried, and of what they made of it.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <vector>

#include "encodings/encoding.hpp"

namespace floe::trees {

/// While one exists, a stream and those below it are encoded once with each encoding that trees have for
/// them. The words must stay as they are, and nothing else may lie where they lie.
class EncodingMemo {
 public:
  EncodingMemo(const ColumnView& stream, Scratch& scratch)
      : scratch_(scratch), outer_(scratch.memo), known_{stream}, bytes_left_(max_growth * stream.bytes()) {
    scratch.memo = this;
  }
  EncodingMemo(const EncodingMemo&) = delete;
  EncodingMemo& operator=(const EncodingMemo&) = delete;
  ~EncodingMemo() { scratch_.memo = outer_; }

  struct Made {
    bool fits = false;
    std::optional<EncodingId> simpler;
    ByteWriter header;
    std::vector<Stream> children;
  };
  using Encode = bool (*)(const ColumnView& in, const Parameters& parameters, Encoded& out);
  /// What function(in, parameters) makes, which remains; null if the memo does not know the stream, or is
  /// full.
  const Made* encode(EncodingId id, Encode function, const ColumnView& in, const Parameters& parameters) {
    const auto stream = find(in);
    if (stream == known_.end()) return nullptr;
    const auto of = static_cast<std::size_t>(stream - known_.begin());
    for (const Entry& entry : entries_) {
      if (entry.of == of && entry.id == id && entry.parameters == parameters) return &entry.made;
    }
    return bytes_left_ == 0 ? nullptr : &add({of, id, parameters, {}}, function, in);
  }
  [[nodiscard]] bool knows(const ColumnView& stream) const { return find(stream) != known_.end(); }

 private:
  [[nodiscard]] std::vector<ColumnView>::const_iterator find(const ColumnView& in) const {
    return std::find_if(known_.begin(), known_.end(), [&](const ColumnView& stream) {
      return in.values == stream.values && in.count == stream.count && in.type == stream.type;
    });
  }
  /// It is full when it has so many times the bytes of the stream.
  static constexpr std::uint64_t max_growth = 4;
  struct Entry {
    std::size_t of;  ///< The stream, in known_.
    EncodingId id;
    Parameters parameters;
    Made made;
  };
  const Made& add(Entry entry, Encode function, const ColumnView& in) {
    Made& made = entry.made;
    Encoded encoded{made.header, made.children, scratch_};
    made.fits = function(in, entry.parameters, encoded);
    made.simpler = encoded.simpler;
    std::uint64_t bytes = made.header.size();
    for (const Stream& child : made.children) {
      if (child.view().count > 0) known_.push_back(child.view());
      bytes += child.view().bytes();
    }
    bytes_left_ -= std::min(bytes_left_, bytes);
    return entries_.emplace_back(std::move(entry)).made;
  }

  Scratch& scratch_;
  EncodingMemo* const outer_;
  std::vector<ColumnView> known_;  ///< The stream, and what was made of it.
  std::deque<Entry> entries_;
  std::uint64_t bytes_left_;
};

/// By the memo of the scratch memory, if there is one, and the encoding takes longer than touching more
/// memory.
inline const EncodingMemo::Made* find_encoded(EncodingId id, EncodingMemo::Encode encode,
                                              const ColumnView& in, const Parameters& parameters,
                                              Scratch& scratch) {
  constexpr std::uint32_t min_picoseconds = 1000;
  if (scratch.memo == nullptr || encoding_of(id).time.encode_picoseconds < min_picoseconds) return nullptr;
  return scratch.memo->encode(id, encode, in, parameters);
}

/// What an encoding that has children makes of a stream: what the memo knows, or what is made here.
class EncodedOnce {
 public:
  EncodedOnce(const Encoding& encoding, const ColumnView& in, const Parameters& parameters, Scratch& scratch)
      : made_(find_encoded(encoding.id, encoding.encode, in, parameters, scratch)) {
    if (made_ != nullptr) return;
    Encoded encoded{own_.header, own_.children, scratch};
    own_.fits = encoding.encode(in, parameters, encoded);
  }
  [[nodiscard]] bool fits() const { return made().fits; }
  [[nodiscard]] ColumnView child(std::size_t index) const { return made().children[index].view(); }

 private:
  [[nodiscard]] const EncodingMemo::Made& made() const { return made_ != nullptr ? *made_ : own_; }

  const EncodingMemo::Made* made_;
  EncodingMemo::Made own_;
};

}  // namespace floe::trees
