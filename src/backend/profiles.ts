import type { ApplicationProfileEdit, StoredApplicationProfile } from '../model/application-profile.ts';
import { checkBotUnmerge } from '../model/rules/accounts/provisional.ts';
import { checkApplicationProfile } from '../model/rules/social/profile.ts';
import { type ApplicationId, parseSnowflake, type UserId } from '../model/snowflake.ts';
import { requireType } from '../wire/arguments.ts';
import { rejectIssues } from '../wire/http/check.ts';
import { readProfile } from './answers.ts';
import type { Call, RequestOptions } from './calls.ts';

/** Whom a profile is of: a user, and the user's id in the game's own accounts. */
export interface ProfileOwner {
  readonly userId: UserId;
  /** Of a player who has signed in by an identity elsewhere: the id of that identity. */
  readonly externalUserId: string;
}

/**
 * What the game reports about its players: each has one profile. The player's own clients in the game and those of friends receive it,
 * except for the data. Needs the bot token, and the player must have authorized the game with `application_identities.write`, which
 * the SDK's scopes include.
 *
 * @see docs/spec/social.md#application-profiles
 */
export interface Profiles {
  /** @throws ValidationError, ArgumentError; ApiError `unknown_user` if there is no profile, `missing_scope`; RateLimitError, TransportError */
  get(owner: ProfileOwner, options?: RequestOptions): Promise<StoredApplicationProfile>;
  /**
   * Changes what the edit names and leaves the rest; the data is replaced as a whole.
   *
   * @throws ValidationError, ArgumentError; ApiError `unknown_user`, `missing_scope`, `invalid_form_body` if the player has another
   *   identity, or another player has this one; RateLimitError, TransportError
   */
  edit(owner: ProfileOwner, edit: ApplicationProfileEdit, options?: RequestOptions): Promise<StoredApplicationProfile>;
}

export function createProfiles(call: Call, applicationId: ApplicationId): Profiles {
  const pathOf = (owner: ProfileOwner) => {
    requireType('owner', owner, 'object');
    const { userId, externalUserId } = owner;
    rejectIssues('The owner of the profile', checkBotUnmerge({ external_user_id: externalUserId }));
    return {
      application_id: applicationId,
      user_id: parseSnowflake<'user'>(userId, 'userId'),
      external_user_id: externalUserId,
    };
  };
  return {
    async get(owner, options) {
      const { body } = await call('getApplicationProfile', { path: pathOf(owner) }, options);
      return readProfile(body);
    },
    async edit(owner, edit, options) {
      const path = pathOf(owner);
      rejectIssues('The profile', checkApplicationProfile(edit));
      const { body } = await call('editApplicationProfile', { path, body: edit }, options);
      return readProfile(body);
    },
  };
}
