// A 128-bit hash of a stream, which stands for its contents when the source cannot be read a second time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace floe::cli {

class ContentHash {
 public:
  ContentHash();
  ~ContentHash();
  ContentHash(const ContentHash&) = delete;
  ContentHash& operator=(const ContentHash&) = delete;

  void add(std::span<const std::byte> bytes);
  friend bool operator==(const ContentHash& a, const ContentHash& b);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace floe::cli
