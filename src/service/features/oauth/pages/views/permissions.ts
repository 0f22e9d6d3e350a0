/**
 * The permissions that a bot can request, by the number of their bit. Unspecified: every bit that the hosted service names is
 * listed, including those that nothing here depends on, because the user who adds a bot must see all that it requests.
 */
const names = {
  0: 'CREATE_INSTANT_INVITE',
  1: 'KICK_MEMBERS',
  2: 'BAN_MEMBERS',
  3: 'ADMINISTRATOR',
  4: 'MANAGE_CHANNELS',
  5: 'MANAGE_GUILD',
  6: 'ADD_REACTIONS',
  7: 'VIEW_AUDIT_LOG',
  8: 'PRIORITY_SPEAKER',
  9: 'STREAM',
  10: 'VIEW_CHANNEL',
  11: 'SEND_MESSAGES',
  12: 'SEND_TTS_MESSAGES',
  13: 'MANAGE_MESSAGES',
  14: 'EMBED_LINKS',
  15: 'ATTACH_FILES',
  16: 'READ_MESSAGE_HISTORY',
  17: 'MENTION_EVERYONE',
  18: 'USE_EXTERNAL_EMOJIS',
  19: 'VIEW_GUILD_INSIGHTS',
  20: 'CONNECT',
  21: 'SPEAK',
  22: 'MUTE_MEMBERS',
  23: 'DEAFEN_MEMBERS',
  24: 'MOVE_MEMBERS',
  25: 'USE_VAD',
  26: 'CHANGE_NICKNAME',
  27: 'MANAGE_NICKNAMES',
  28: 'MANAGE_ROLES',
  29: 'MANAGE_WEBHOOKS',
  30: 'MANAGE_GUILD_EXPRESSIONS',
  31: 'USE_APPLICATION_COMMANDS',
  32: 'REQUEST_TO_SPEAK',
  33: 'MANAGE_EVENTS',
  34: 'MANAGE_THREADS',
  35: 'CREATE_PUBLIC_THREADS',
  36: 'CREATE_PRIVATE_THREADS',
  37: 'USE_EXTERNAL_STICKERS',
  38: 'SEND_MESSAGES_IN_THREADS',
  39: 'USE_EMBEDDED_ACTIVITIES',
  40: 'MODERATE_MEMBERS',
  41: 'VIEW_CREATOR_MONETIZATION_ANALYTICS',
  42: 'USE_SOUNDBOARD',
  43: 'CREATE_GUILD_EXPRESSIONS',
  44: 'CREATE_EVENTS',
  45: 'USE_EXTERNAL_SOUNDS',
  46: 'SEND_VOICE_MESSAGES',
  49: 'SEND_POLLS',
  50: 'USE_EXTERNAL_APPS',
  51: 'PIN_MESSAGES',
} as const;

export type PermissionName = (typeof names)[keyof typeof names];

/** The names of the permissions in a bit set: the administrator's first, because it includes all others, then by bit. */
export function permissionNames(permissions: bigint): PermissionName[] {
  const held = Object.entries(names).flatMap(([bit, name]) => (permissions & (1n << BigInt(bit)) ? [name] : []));
  return held.sort((one, other) => Number(other === 'ADMINISTRATOR') - Number(one === 'ADMINISTRATOR'));
}
