// Every field of the interface that takes an id, and those that take another number too long for a double.
const idFields =
  '(?:application_|channel_|child_application_|client_|emoji_|guild_|lobby_|message_|parent_application_|provisional_user_|recipient_' +
  '|target_|user_)?id|default_member_permissions|nonce';
const longId = new RegExp(`("(?:${idFields})"\\s*:\\s*)([0-9]{16,})(?![0-9.eE])`, 'g');
/** A list of whole numbers. */
const idList = /("(?:guild_id|[a-z_]*ids|users|roles)"\s*:\s*\[)([\s\d,]*)\]/g;
const longNumber = /[0-9]{16,}/g;
const mayHaveLongId = /(?:ids?|permissions|nonce|users|roles)"\s*:\s*[[0-9]/;

/**
 * Puts ids that are sent as numbers in quotation marks, because a double keeps only 53 bits. Quotation marks inside strings are
 * escaped, so that the patterns do not match there.
 *
 * @param json text that may be JSON
 * @see docs/spec/http.md#ids
 */
export function quoteLongIds(json: string): string {
  if (!hasLongNumber(json) || !mayHaveLongId.test(json)) return json;
  return json
    .replace(longId, '$1"$2"')
    .replace(idList, (_, head: string, numbers: string) => `${head}${numbers.replace(longNumber, '"$&"')}]`);
}

/** Whether 16 digits follow each other. A pattern would look at each character of a large body, this looks at every 16th. */
function hasLongNumber(text: string): boolean {
  for (let at = 15; at < text.length; at += 16) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at - 1;
    let end = at + 1;
    while (start > at - 16 && isDigit(text.charCodeAt(start))) start--;
    while (end < start + 17 && isDigit(text.charCodeAt(end))) end++;
    if (end === start + 17) return true;
  }
  return false;
}

/** @param unit a UTF-16 code unit, NaN outside the text */
function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
