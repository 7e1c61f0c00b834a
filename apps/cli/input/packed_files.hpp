// Files that are read for what they hold: CSV text in a gzip file, arrays of an .npz file, tensors.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "arguments/arguments.hpp"
#include "input/input_file.hpp"

namespace floe::cli {

/// By its name, and if the user does not say that it holds something else.
bool is_packed_text(const Arguments& arguments, const std::string& file);
bool is_packed_arrays(const Arguments& arguments, const std::string& file);

/// Whether it is a safetensors file: the user says so, or its name does, and its first bytes, too.
bool is_named_tensors(const Arguments& arguments, const std::string& file);
bool is_tensors(const Arguments& arguments, const std::string& file, std::span<const std::byte> begin);

/// Opens a file, or the text in it if it is packed text and begins as a gzip file.
InputFile open_content(const Arguments& arguments, const std::string& file, bool allow_special);

/// The name of what is in packed text: without ".gz".
std::string name_of_text(const std::string& file);
/// Opens the members of an .npz file one after the other; `name`: what a member is called beside the others,
/// such as "x.weights.npy" of "x.npz". Throws a Failure if there is none.
void for_each_member(const std::string& file,
                     const std::function<void(InputFile& member, const std::string& name)>& work);

}  // namespace floe::cli
