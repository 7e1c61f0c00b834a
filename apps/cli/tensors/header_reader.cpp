#include "tensors/header_reader.hpp"

#include <fmt/core.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <utility>

#include "base/failure.hpp"
#include "base/text.hpp"

namespace floe::cli {
namespace {

constexpr unsigned max_depth = 32;
constexpr std::size_t max_dimensions = 255;

/// Takes the events of the reader. Each returns whether it made sense; if not, `problem` says why.
class Entries {
 public:
  explicit Entries(const rapidjson::MemoryStream& stream) : stream_(stream) {}

  [[nodiscard]] TensorHeader take() { return std::move(header_); }
  [[nodiscard]] const char* problem() const noexcept { return problem_; }

  bool Null() { return other(); }
  bool Bool(bool) { return other(); }
  bool Int(int) { return other(); }
  bool Uint(unsigned number) { return number_is(number); }
  bool Int64(std::int64_t) { return other(); }
  bool Uint64(std::uint64_t number) { return number_is(number); }
  bool Double(double) { return other(); }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return other(); }

  bool String(const char* begin, rapidjson::SizeType length, bool) {
    if (depth_ == 2 && !is_metadata_ && key_ == "dtype") {
      tensor().dtype.assign(begin, length);
      has_dtype_ = true;
      return is_utf8(tensor().dtype) || fail("a type is no text");
    }
    if (depth_ == 2 && is_metadata_) {
      if (key_.starts_with("floe")) header_.metadata[key_].assign(begin, length);
      return true;
    }
    return other();
  }

  bool Key(const char* begin, rapidjson::SizeType length, bool) {
    if (depth_ > 2) return true;
    if (depth_ == 2) {
      key_.assign(begin, length);
      return true;
    }
    const std::string_view name(begin, length);
    is_metadata_ = name == "__metadata__";
    if (is_metadata_) return true;
    header_.tensors.push_back({});
    tensor().name = name;
    tensor().entry_at = header_length_bytes + stream_.Tell();
    has_dtype_ = has_shape_ = has_offsets_ = false;
    return is_utf8(name) || fail("the name of a tensor is no text");
  }

  bool StartObject() { return (depth_ < 2 || other()) && deeper(); }
  bool EndObject(rapidjson::SizeType) {
    --depth_;
    if (depth_ != 1 || is_metadata_) return true;
    return (has_dtype_ && has_shape_ && has_offsets_) || fail("a tensor lacks dtype, shape or data_offsets");
  }

  bool StartArray() {
    if (depth_ < 2) return fail(depth_ == 0 ? "it is no object" : "an entry is no object");
    if (depth_ == 2 && !is_metadata_ && (key_ == "shape" || key_ == "data_offsets")) {
      numbers_.clear();
      is_list_ = true;
      return deeper();
    }
    return other() && deeper();
  }
  bool EndArray(rapidjson::SizeType) {
    --depth_;
    return depth_ != 2 || !std::exchange(is_list_, false) || take_list();
  }

 private:
  Tensor& tensor() { return header_.tensors.back(); }
  bool fail(const char* problem) {
    problem_ = problem;
    return false;
  }
  bool deeper() { return ++depth_ <= max_depth || fail("it is nested too deeply"); }

  /// A value that is not what its place asks for; in other places it may be anything.
  bool other() {
    if (depth_ < 2) return fail(depth_ == 0 ? "it is no object" : "an entry is no object");
    if (is_metadata_) return true;
    if (is_list_) return fail("a size or an offset is no whole number up to 2^64");
    if (depth_ > 2) return true;
    const bool is_ours = key_ == "dtype" || key_ == "shape" || key_ == "data_offsets";
    return !is_ours || fail("dtype is no text, or shape or data_offsets are no lists");
  }

  bool number_is(std::uint64_t number) {
    if (!is_list_) return other();
    numbers_.push_back(number);
    return numbers_.size() <= max_dimensions || fail("a tensor has more than 255 dimensions");
  }

  bool take_list() {
    if (key_ == "shape") {
      tensor().shape = numbers_;
      return has_shape_ = true;
    }
    if (numbers_.size() != 2) return fail("data_offsets are not two numbers");
    tensor().begin = numbers_[0];
    tensor().end = numbers_[1];
    return has_offsets_ = true;
  }

  const rapidjson::MemoryStream& stream_;
  TensorHeader header_;
  const char* problem_ = nullptr;
  unsigned depth_ = 0;
  bool is_metadata_ = false;  ///< The entry that is being read is no tensor.
  bool is_list_ = false;      ///< A shape or offsets are being read.
  std::string key_;           ///< In an entry.
  std::vector<std::uint64_t> numbers_;
  bool has_dtype_ = false, has_shape_ = false, has_offsets_ = false;
};

[[noreturn]] void refuse(const std::string& file, std::size_t offset, const char* cause) {
  throw Failure(ExitCode::corrupt, file,
                fmt::format("corrupt: this is no header of a safetensors file: {} (at byte {})", cause,
                            header_length_bytes + offset));
}

}  // namespace

TensorHeader read_tensor_header(const std::string& file, std::string_view text) {
  // The reader takes it for the end.
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    refuse(file, zero, "a zero byte is no JSON");
  rapidjson::MemoryStream stream(text.data(), text.size());
  Entries entries(stream);
  rapidjson::Reader reader;
  constexpr unsigned flags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult result = reader.Parse<flags>(stream, entries);
  if (result.IsError())
    refuse(file, result.Offset(),
           entries.problem() != nullptr ? entries.problem() : rapidjson::GetParseError_En(result.Code()));
  return entries.take();
}

}  // namespace floe::cli
