// What a filter of HDF5 shares with the library: the types of H5Zpublic.h and H5PLextern.h that are the same
// in all versions since 1.10, so that no headers of HDF5 are needed to build one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::hdf5 {

using Id = std::int64_t;  // hid_t

inline constexpr int class_version = 1;           // H5Z_CLASS_T_VERS
inline constexpr int plugin_is_filter = 0;        // H5PL_TYPE_FILTER
inline constexpr unsigned flag_reverse = 0x0100;  // H5Z_FLAG_REVERSE: decode

// H5T_class_t and H5T_order_t
inline constexpr int class_integer = 0, class_float = 1, class_compound = 6, class_enum = 8;
inline constexpr int order_big_endian = 1;

/// H5Z_class2_t.
struct FilterClass {
  int version;
  int id;
  unsigned encoder_present, decoder_present;
  const char* name;
  int (*can_apply)(Id creation, Id type, Id space);
  int (*set_local)(Id creation, Id type, Id space);
  std::size_t (*filter)(unsigned flags, std::size_t value_count, const unsigned* values, std::size_t bytes,
                        std::size_t* buffer_bytes, void** buffer);
};

}  // namespace floe::hdf5
