// The functions of HDF5 that the filter calls, of the very library that called it.
#pragma once

#include <dlfcn.h>

#include "hdf5_abi.hpp"

namespace floe::hdf5 {

/// A process may have several libraries of HDF5, none of which the filter is linked to, and Python loads them
/// where other libraries do not see them. The one that counts is where the call came from.
class Functions {
 public:
  /// `return_address`: of the call from HDF5.
  explicit Functions(const void* return_address) {
    Dl_info caller{};
    if (dladdr(return_address, &caller) == 0) return;
    void* const library = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    // A program that HDF5 is linked into is not found by its name.
    void* const from = library != nullptr ? library : RTLD_DEFAULT;
    all_found_ = find(from, "H5Tget_class", get_class) && find(from, "H5Tget_size", get_size) &&
                 find(from, "H5Tget_order", get_order) && find(from, "H5Tget_fields", get_fields) &&
                 find(from, "H5Tget_nmembers", get_member_count) &&
                 find(from, "H5Tget_member_type", get_member) && find(from, "H5Tclose", close_type) &&
                 find(from, "H5Pget_chunk", get_chunk) && find(from, "H5Pget_filter_by_id2", get_filter) &&
                 find(from, "H5Pmodify_filter", modify_filter);
    if (library != nullptr) dlclose(library);  // whoever calls keeps it
  }
  [[nodiscard]] bool all_found() const { return all_found_; }

  int (*get_class)(Id type) = nullptr;
  std::size_t (*get_size)(Id type) = nullptr;
  int (*get_order)(Id type) = nullptr;
  int (*get_fields)(Id type, std::size_t* sign, std::size_t* exponent, std::size_t* exponent_bits,
                    std::size_t* mantissa, std::size_t* mantissa_bits) = nullptr;
  int (*get_member_count)(Id type) = nullptr;
  Id (*get_member)(Id type, unsigned index) = nullptr;
  int (*close_type)(Id type) = nullptr;
  int (*get_chunk)(Id creation, int max_rank, unsigned long long* sizes) = nullptr;
  int (*get_filter)(Id creation, int filter, unsigned* flags, std::size_t* value_count, unsigned* values,
                    std::size_t name_room, char* name, unsigned* config) = nullptr;
  int (*modify_filter)(Id creation, int filter, unsigned flags, std::size_t value_count,
                       const unsigned* values) = nullptr;

 private:
  template <class Function>
  static bool find(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    return function != nullptr;
  }

  bool all_found_ = false;
};

}  // namespace floe::hdf5
