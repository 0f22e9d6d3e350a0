import type { ApiErrorName } from '../../../model/errors/errors.ts';
import type { GuildId } from '../../../model/snowflake.ts';
import type { StoreView } from '../../store/contract.ts';
import type { ApplicationRecord, GuildRecord } from '../../store/records.ts';
import { RequestError } from '../../support/request-error.ts';

/** The error in a guild without the application: reads do not find it, writes lack access to it. */
const refusals = { read: 'unknown_guild', write: 'missing_access' } as const satisfies Record<string, ApiErrorName>;

/** The access of an application to a guild. */
export type PlaceUse = keyof typeof refusals;

/**
 * A guild in which the application is authorized with `applications.commands`.
 *
 * Unspecified: a guild that does not exist is answered like one without the application, so that nobody can probe for
 * ids.
 *
 * @throws RequestError `unknown_guild` for `read`, `missing_access` for `write`
 * @see docs/spec/commands.md#reading
 */
export async function authorizedGuild(
  view: StoreView,
  application: ApplicationRecord,
  guildId: GuildId,
  use: PlaceUse,
): Promise<GuildRecord> {
  const guild = await view.get('guilds', guildId);
  if (!guild?.applications.includes(application.id)) throw new RequestError(refusals[use]);
  return guild;
}
