// Zero bytes dropped: published as RZE (repeated zero elimination).
#pragma once

#include "chunks/stages/shape.hpp"

namespace floe::stages {

/// The bitmap of kept bytes is itself shortened by dropping bytes that repeat, level by level.
struct DropZeroBytes {
  using Shape = DropShape;
  using Unit = std::uint8_t;
};

}  // namespace floe::stages
