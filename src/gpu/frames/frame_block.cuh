// The blocks that make and read frames.
#pragma once

#include "gpu/frames/frame_memory.hpp"
#include "gpu/warp/device_block.cuh"

namespace floe::gpu {

using FrameBlock = DeviceBlock<FrameMemory, frame_threads>;

}  // namespace floe::gpu
