// Files of groups, keys and values: desktop entries and lists of default programs. Pure: text in, text out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rallypoint {

// The value as it stands in the file; the last one where a key stands twice, as GLib takes it.
std::optional<std::string> value_in(std::string_view text, std::string_view group, std::string_view key);

// The text with that value at every place of the key, or at a new one at the end of the group; without a value the key
// goes. All else stays as it is, byte for byte.
std::string with_value(std::string_view text, std::string_view group, std::string_view key,
                       const std::optional<std::string>& value);

// What stands between semicolons, without what is empty.
std::vector<std::string> list_of(std::string_view value);

// One item bare, several each with its semicolon; undefined for none.
std::optional<std::string> value_of_list(const std::vector<std::string>& items);

// A value's escapes (\s \n \t \r \\) made and undone.
std::string escaped(std::string_view text);
std::string unescaped(std::string_view value);

}  // namespace rallypoint
