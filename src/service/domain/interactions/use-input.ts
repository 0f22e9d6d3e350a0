import type { Fields } from '../../../model/rules/field.ts';
import { checkSnowflake, checkText, isAbsent, isFields } from '../../../model/rules/field.ts';
import { Report } from '../../../model/rules/report.ts';
import type { ApplicationId, ChannelId, GuildId } from '../../../model/snowflake.ts';
import { rejectIssues } from '../../support/request-error.ts';
import { serviceLimits } from '../../support/service-limits.ts';

/** What every use contains: of a command, a component or a modal. */
export interface UseInput {
  readonly applicationId: ApplicationId;
  readonly channelId: ChannelId;
  /** Undefined outside guilds. */
  readonly guildId: GuildId | undefined;
  readonly nonce: string | null;
}

/**
 * Reads the body of a use. When `read` reports an issue it must still return a value of its type, which is never
 * used.
 *
 * @throws RequestError `invalid_form_body`
 */
export function readUseBody<Use>(body: unknown, read: (report: Report, body: Fields) => Use): Use {
  const report = new Report();
  if (!isFields(body)) report.here('DICT_TYPE_CONVERT');
  const use = read(report, isFields(body) ? body : {});
  rejectIssues(report.issues);
  return use;
}

/** The fields that every use has. */
export function readUse(report: Report, body: Fields): UseInput {
  return {
    applicationId: readId(report, 'application_id', body.application_id),
    channelId: readId(report, 'channel_id', body.channel_id),
    guildId: isAbsent(body.guild_id) ? undefined : readId(report, 'guild_id', body.guild_id),
    nonce: isAbsent(body.nonce) ? null : readNonce(report, body.nonce),
  };
}

/** The `data` of a use. */
export function readUseData<Data>(report: Report, data: unknown, read: (report: Report, data: Fields) => Data): Data {
  if (isFields(data)) {
    report.enter('data');
    const found = read(report, data);
    report.leave();
    return found;
  }
  report.at('data', isAbsent(data) ? 'BASE_TYPE_REQUIRED' : 'MODEL_TYPE_CONVERT');
  return read(new Report(), {});
}

export function readId(report: Report, key: string, value: unknown): string {
  if (!isAbsent(value)) return checkSnowflake(report, key, value) ?? '';
  report.at(key, 'BASE_TYPE_REQUIRED');
  return '';
}

function readNonce(report: Report, value: unknown): string {
  return checkText(report, 'nonce', value, 1, serviceLimits.nonceLengthMax) ? value : '';
}
