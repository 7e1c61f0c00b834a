// The structures of DLPack (https://dmlc.github.io/dlpack), by which libraries hand arrays to one another.
#pragma once

#include <cstdint>

extern "C" {

struct DLDevice {
  std::int32_t device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct DLTensor {
  void* data;
  DLDevice device;
  std::int32_t ndim;
  DLDataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

struct DLPackVersion {
  std::uint32_t major;
  std::uint32_t minor;
};

/// Of libraries whose arrays have it as `type.__dlpack_c_exchange_api__`, a capsule; it remains.
struct DLPackExchangeAPI {
  DLPackVersion version;
  DLPackExchangeAPI* prev_api;  ///< For consumers of an older major version.
  void (*managed_tensor_allocator)();
  void (*managed_tensor_from_py_object_no_sync)();
  void (*managed_tensor_to_py_object_no_sync)();
  /// Describes an array, which keeps the shape and the strides; null where a library does not have it.
  int (*dltensor_from_py_object_no_sync)(void* array, DLTensor* out);
  int (*current_work_stream)(std::int32_t device_type, std::int32_t device_id, void** out_stream);
};

}  // extern "C"
