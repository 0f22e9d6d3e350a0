import { commandTypes } from '../../model/command.ts';
import { interactionTypes } from '../../model/interaction.ts';
import { fieldErrors } from '../../model/issue.ts';
import { limits } from '../../model/limits.ts';
import {
  checkEnum,
  checkRequiredText,
  checkSnowflake,
  checkText,
  type Fields,
  isAbsent,
  isFields,
} from '../../model/rules/field.ts';
import { Report } from '../../model/rules/report.ts';
import type { ApplicationId, ChannelId, CommandId, GuildId } from '../../model/snowflake.ts';
import { Fault, refuseIssues } from '../fault.ts';

/** One use of a command, as a user's client asks for it. */
export interface Invocation {
  readonly applicationId: ApplicationId;
  readonly channelId: ChannelId;
  /** Undefined outside guilds. */
  readonly guildId: GuildId | undefined;
  readonly nonce: string | null;
  readonly commandId: CommandId;
  readonly version: string;
  readonly name: string;
  readonly type: number;
  /** Yet to be judged by the command's own rules. */
  readonly options: unknown;
}

// Our choice: a client has nothing here that a context-menu command could be used on.
const usableTypes = [commandTypes.CHAT_INPUT, commandTypes.PRIMARY_ENTRY_POINT];

/** What a client is told whose command is not (or no longer) as it believes: it should load the command again. */
export function commandFault(
  field: 'id' | 'version',
  code: 'INTERACTION_APPLICATION_COMMAND_INVALID' | 'INTERACTION_APPLICATION_COMMAND_INVALID_VERSION',
): Fault {
  return new Fault('invalid_form_body', {}, [{ path: ['data', field], code, message: fieldErrors[code]() }]);
}

/** @throws Fault `invalid_form_body` */
export function readInvocation(body: unknown): Invocation {
  const report = new Report();
  if (!isFields(body)) report.here('DICT_TYPE_CONVERT');
  const invocation = readBody(report, isFields(body) ? body : {});
  refuseIssues(report.issues);
  return invocation;
}

// Whatever is reported is also given a value of its type; nobody sees it.
function readBody(report: Report, body: Fields): Invocation {
  if (isAbsent(body.type)) report.at('type', 'BASE_TYPE_REQUIRED');
  else checkEnum(report, 'type', body.type, [interactionTypes.APPLICATION_COMMAND]);
  const applicationId = readId(report, 'application_id', body.application_id);
  const channelId = readId(report, 'channel_id', body.channel_id);
  const guildId = isAbsent(body.guild_id) ? undefined : readId(report, 'guild_id', body.guild_id);
  const nonce = isAbsent(body.nonce) ? null : readNonce(report, body.nonce);
  if (isAbsent(body.data)) report.at('data', 'BASE_TYPE_REQUIRED');
  else if (!isFields(body.data)) report.at('data', 'MODEL_TYPE_CONVERT');
  const data = isFields(body.data) ? readData(report, body.data) : readData(new Report(), {});
  return { applicationId, channelId, guildId, nonce, ...data };
}

type InvocationData = Pick<Invocation, 'commandId' | 'version' | 'name' | 'type' | 'options'>;

function readData(report: Report, { id, version, name, type, options }: Fields): InvocationData {
  report.enter('data');
  const data = {
    commandId: readId(report, 'id', id),
    version: readId(report, 'version', version),
    name: checkRequiredText(report, 'name', name, limits.commandNameLengthMax) ? name : '',
    type: isAbsent(type) ? commandTypes.CHAT_INPUT : readType(report, type),
    options: isAbsent(options) ? [] : options,
  };
  report.leave();
  return data;
}

function readId(report: Report, key: string, value: unknown): string {
  if (!isAbsent(value)) return checkSnowflake(report, key, value) ?? '';
  report.at(key, 'BASE_TYPE_REQUIRED');
  return '';
}

function readNonce(report: Report, value: unknown): string {
  return checkText(report, 'nonce', value, 1, limits.nonceLengthMax) ? value : '';
}

function readType(report: Report, value: unknown): number {
  return checkEnum(report, 'type', value, usableTypes) ? value : 0;
}
