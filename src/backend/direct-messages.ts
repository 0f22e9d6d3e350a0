import type { Metadata } from '../model/lobby.ts';
import { checkModerationMetadata } from '../model/rules/lobbies/lobby-message.ts';
import { type MessageId, parseSnowflake, type UserId } from '../model/snowflake.ts';
import { rejectIssues } from '../wire/http/check.ts';
import type { Call, RequestOptions } from './calls.ts';

/** Messages between players. The server learns of them by webhook events. */
export interface DirectMessages {
  /**
   * Replaces the moderation metadata of a message that was sent in the game: up to `limits.lobbyModerationEntriesMax` entries. The
   * game's clients receive it; other games do not see it. Needs the bot token.
   *
   * @param users the two users, in any order
   * @throws ValidationError, ArgumentError; ApiError `unknown_message`; RateLimitError, TransportError
   * @see docs/spec/social.md#moderation-metadata-of-messages
   */
  setModerationMetadata(
    users: readonly [UserId, UserId],
    messageId: MessageId,
    metadata: Metadata,
    options?: RequestOptions,
  ): Promise<void>;
}

export function createDirectMessages(call: Call): DirectMessages {
  return {
    async setModerationMetadata(users, messageId, metadata, options) {
      // Programs without types may pass anything.
      const [first, second] = Array.isArray(users) ? users : ['', ''];
      const path = {
        user_id_1: parseSnowflake<'user'>(first, 'users[0]'),
        user_id_2: parseSnowflake<'user'>(second, 'users[1]'),
        message_id: parseSnowflake<'message'>(messageId, 'messageId'),
      };
      rejectIssues('The moderation metadata', checkModerationMetadata(metadata));
      await call('setDirectModerationMetadata', { path, body: metadata }, options);
    },
  };
}
