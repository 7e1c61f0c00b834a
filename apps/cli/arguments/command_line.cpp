#include "arguments/command_line.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace floe::cli {
namespace {

constexpr std::array<std::string_view, 13> command_names = {
    "compress", "decompress", "test",   "list", "inspect",  "plan",     "codecs",
    "bench",    "recover",    "doctor", "hdf5", "generate", "calibrate"};

constexpr std::size_t description_column = 27, max_line = 110;

class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) { column_width(description_column); }
  std::string make_usage(const CLI::App*, std::string) const override { return "\nUsage: " + usage_ + "\n"; }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_size() != 0 ? " " + option->get_type_name() : "";
  }

 private:
  std::string usage_;
};

/// The line of an option, its description in as many lines as it takes below each other.
std::string wrapped(std::string_view line) {
  std::string text;
  for (std::size_t room = max_line; line.size() > room; room = max_line - description_column) {
    const std::size_t space = line.rfind(' ', room);
    if (space == std::string_view::npos) break;
    text += std::string(line.substr(0, space)) + "\n" + std::string(description_column, ' ');
    line.remove_prefix(space + 1);
  }
  return text + std::string(line);
}

std::string names_of(Commands set) {
  std::vector<std::string_view> names;
  for (unsigned i = 0; i < command_names.size(); ++i) {
    if ((set >> i & 1u) != 0) names.push_back(command_names[i]);
  }
  return joined(names, ", ");
}

}  // namespace

std::string_view name_of(Command command) noexcept { return command_names[static_cast<unsigned>(command)]; }

CommandLine::CommandLine(Commands offered, const HelpText& help)
    : app_(std::make_unique<CLI::App>(help.description, "floe")),
      offered_(offered),
      help_names_(help.help_names) {
  app_->formatter(std::make_shared<HelpFormatter>(help.usage));
  app_->footer(help.footer);
  // Names are taken from the rest, as CLI11 would read "[a,b]" as two of them.
  app_->allow_extras();
  app_->set_help_flag();  // CLI11's own would stand first
}

CommandLine::~CommandLine() = default;

void CommandLine::remember(CLI::Option* option, Commands belongs_to) {
  option->group(group_)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  options_.emplace_back(option, belongs_to);
}

void CommandLine::flag(Commands belongs_to, const char* names, bool& target, const std::string& description) {
  if ((belongs_to & offered_) != 0) remember(app_->add_flag(names, target, description), belongs_to);
}

void CommandLine::value(Commands belongs_to, const char* names, const char* kind,
                        const std::string& description, std::function<void(std::string_view)> take) {
  if ((belongs_to & offered_) == 0) return;
  CLI::Option* option = app_->add_option_function<std::string>(
      names, [take](const std::string& text) { take(text); }, description);
  option->type_name(kind);
  remember(option, belongs_to);
}

void CommandLine::optional_value(Commands belongs_to, const char* names, const char* kind,
                                 const std::string& description, std::function<void(std::string_view)> take) {
  if ((belongs_to & offered_) == 0) return;
  CLI::Option* option = app_->add_option_function<std::vector<std::string>>(
      names,
      [take](const std::vector<std::string>& texts) {
        take(texts.empty() ? std::string_view{} : texts.back());
      },
      description);
  option->type_name(kind)->expected(0, 1);
  remember(option, belongs_to);
}

void CommandLine::values(Commands belongs_to, const char* names, const char* kind,
                         const std::string& description,
                         std::function<void(const std::vector<std::string>&)> take) {
  if ((belongs_to & offered_) == 0) return;
  CLI::Option* option =
      app_->add_option_function<std::vector<std::string>>(names, std::move(take), description);
  option->type_name(kind)->expected(1)->allow_extra_args(false);
  remember(option, belongs_to);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

std::string CommandLine::help() const {
  const std::string all = app_->help();
  std::string text;
  for (const std::string_view line : split(all, '\n')) {
    if (line.empty() && text.ends_with("\n\n")) continue;
    text += (line.starts_with("  -") ? wrapped(line) : std::string(line)) + "\n";
  }
  text.pop_back();
  return text;
}

std::vector<std::string> CommandLine::parse(std::vector<std::string> words) {
  const auto marker = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> names_after_marker;
  if (marker != words.end()) names_after_marker.assign(marker + 1, words.end());
  words.erase(marker, words.end());
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  app_->set_help_flag(help_names_, "Show this help")->group(group_);
  app_->set_version_flag("-V,--version", fmt::format("floe {}", version()), "Show the version")
      ->group(group_);
  try {
    app_->parse(words);
  } catch (const CLI::CallForHelp&) {
    throw TextWanted(help());
  } catch (const CLI::CallForVersion& wanted) {
    throw TextWanted(fmt::format("{}\n", wanted.what()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string text = error.what();
    throw UsageError(fmt::format("{}: its value is missing", printable(text.substr(0, text.find(':')))));
  } catch (const CLI::ParseError& error) {
    throw UsageError(printable(error.what()));
  }
  std::vector<std::string> files = app_->remaining();
  for (const std::string& word : files) {
    if (word.size() > 1 && word.front() == '-') {
      throw UsageError(
          fmt::format("unknown option {}; a file of this name can stand after --", printable(word)));
    }
  }
  files.insert(files.end(), names_after_marker.begin(), names_after_marker.end());
  return files;
}

void CommandLine::check_options_belong_to(Command command) const {
  for (const auto& [option, belongs_to] : options_) {
    if (option->count() != 0 && (belongs_to & commands(command)) == 0) {
      throw UsageError(fmt::format("{} does not go with {}, only with {}", option->get_name(),
                                   name_of(command), names_of(belongs_to)));
    }
  }
}

bool CommandLine::given(const char* name) const {
  const CLI::Option* option = app_->get_option_no_throw(name);
  return option != nullptr && option->count() != 0;
}

void CommandLine::check_at_most_one(std::initializer_list<const char*> names) const {
  const char* first = nullptr;
  for (const char* name : names) {
    if (!given(name)) continue;
    if (first != nullptr) throw UsageError(fmt::format("{} and {} exclude each other", first, name));
    first = name;
  }
}

}  // namespace floe::cli
