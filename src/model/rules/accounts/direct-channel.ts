import type { Issue } from '../../errors/issue.ts';
import { checkBody, checkRequiredId } from '../field.ts';

/** Checks the body that asks for a bot's direct messages with a user: `{recipient_id}`. @see docs/spec/http.md#users-and-guilds */
export function checkDirectChannel(value: unknown): Issue[] {
  return checkBody(value, (report, { recipient_id }) => checkRequiredId(report, 'recipient_id', recipient_id));
}
