#include "key_file.h"

#include <algorithm>

namespace rallypoint {

namespace {

struct Line {
  std::string_view whole;  // with its line end
  std::string_view trimmed;
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    const std::string_view whole = text.substr(at, end == std::string_view::npos ? end : end - at + 1);
    lines.push_back({whole, trim(whole)});
    at += whole.size();
  }
  return lines;
}

bool is_group(const Line& line) { return !line.trimmed.empty() && line.trimmed.front() == '['; }

bool is_header_of(const Line& line, std::string_view group) {
  return is_group(line) && line.trimmed.back() == ']' && line.trimmed.substr(1, line.trimmed.size() - 2) == group;
}

// Undefined for a line of another key, a comment, or no key at all.
std::optional<std::string_view> value_at(const Line& line, std::string_view key) {
  const size_t equals = line.trimmed.find('=');
  if (equals == std::string_view::npos || trim(line.trimmed.substr(0, equals)) != key) return std::nullopt;
  return trim(line.trimmed.substr(equals + 1));
}

}  // namespace

std::optional<std::string> value_in(std::string_view text, std::string_view group, std::string_view key) {
  std::optional<std::string> found;
  bool inside = false;
  for (const Line& line : lines_of(text)) {
    if (is_group(line)) inside = is_header_of(line, group);
    if (!inside) continue;
    if (const auto value = value_at(line, key)) found = std::string(*value);
  }
  return found;
}

std::string with_value(std::string_view text, std::string_view group, std::string_view key,
                       const std::optional<std::string>& value) {
  const std::string entry = value ? std::string(key) + "=" + *value + "\n" : "";
  std::string result;
  size_t group_end = std::string::npos;  // behind the last line of the group that says something
  bool inside = false;
  bool stands = false;
  for (const Line& line : lines_of(text)) {
    if (is_group(line)) inside = is_header_of(line, group);
    const bool replaced = inside && value_at(line, key).has_value();
    result += replaced ? std::string_view(entry) : line.whole;
    stands = stands || replaced;
    if (inside && !line.trimmed.empty()) group_end = result.size();
  }
  if (stands || entry.empty()) return result;
  if (group_end != std::string::npos) {
    const bool open = group_end > 0 && result[group_end - 1] != '\n';
    return result.insert(group_end, open ? "\n" + entry : entry);
  }
  if (!result.empty()) result += result.back() == '\n' ? "\n" : "\n\n";
  return result + "[" + std::string(group) + "]\n" + entry;
}

std::vector<std::string> list_of(std::string_view value) {
  std::vector<std::string> items;
  for (size_t at = 0; at <= value.size();) {
    const size_t end = std::min(value.find(';', at), value.size());
    const std::string_view item = trim(value.substr(at, end - at));
    if (!item.empty()) items.emplace_back(item);
    at = end + 1;
  }
  return items;
}

std::optional<std::string> value_of_list(const std::vector<std::string>& items) {
  if (items.empty()) return std::nullopt;
  if (items.size() == 1) return items.front();
  std::string value;
  for (const std::string& item : items) value += item + ";";
  return value;
}

std::string escaped(std::string_view text) {
  std::string value;
  for (const char character : text) {
    switch (character) {
      case '\\': value += "\\\\"; break;
      case '\n': value += "\\n"; break;
      case '\t': value += "\\t"; break;
      case '\r': value += "\\r"; break;
      // What stands at the start would be taken for the blanks around the equals sign.
      case ' ': value += value.empty() ? "\\s" : " "; break;
      default: value += character;
    }
  }
  return value;
}

std::string unescaped(std::string_view value) {
  std::string text;
  for (size_t at = 0; at < value.size(); at++) {
    if (value[at] != '\\' || at + 1 == value.size()) {
      text += value[at];
      continue;
    }
    switch (value[++at]) {
      case 's': text += ' '; break;
      case 'n': text += '\n'; break;
      case 't': text += '\t'; break;
      case 'r': text += '\r'; break;
      case '\\': text += '\\'; break;
      default: text += {'\\', value[at]};
    }
  }
  return text;
}

}  // namespace rallypoint
