import type { Issue } from '../../errors/issue.ts';
import { limits } from '../../limits/limits.ts';
import { checkBody, checkRequiredText, checkSnowflake, isAbsent } from '../field.ts';
import { checkIdleTimeout, checkLobbyFlags, checkMetadata } from './lobby.ts';

/**
 * Checks the body that creates a lobby by a secret or joins it; all but the secret may be absent or null.
 *
 * Unspecified: an empty secret is no secret, for it would bring all who forgot theirs together.
 *
 * @see docs/spec/lobbies.md#metadata; docs/spec/lobbies.md#create-or-join
 */
export function checkLobbyJoin(value: unknown): Issue[] {
  return checkBody(value, (report, join) => {
    checkRequiredText(report, 'secret', join.secret, limits.lobbySecretLengthMax);
    checkIdleTimeout(report, join.idle_timeout_seconds);
    checkMetadata(report, 'lobby_metadata', join.lobby_metadata);
    checkMetadata(report, 'member_metadata', join.member_metadata);
    checkLobbyFlags(report, join.flags);
  });
}

/**
 * Checks the body that links a channel to a lobby; without one, or without a body, it unlinks.
 *
 * @see docs/spec/lobbies.md#link-a-channel
 */
export function checkLobbyLink(value: unknown): Issue[] {
  if (isAbsent(value)) return [];
  return checkBody(value, (report, link) => {
    if (!isAbsent(link.channel_id)) checkSnowflake(report, 'channel_id', link.channel_id);
  });
}
