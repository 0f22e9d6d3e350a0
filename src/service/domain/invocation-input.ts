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
import type { ApplicationId, ChannelId, CommandId, GuildId, Snowflake } from '../../model/snowflake.ts';
import { Fault, refuseIssues } from '../fault.ts';

/** One use of a command, as a user's client asks for it. */
export interface Invocation {
  readonly type: (typeof useTypes)[number];
  readonly applicationId: ApplicationId;
  readonly channelId: ChannelId;
  /** Undefined outside guilds. */
  readonly guildId: GuildId | undefined;
  readonly nonce: string | null;
  readonly commandId: CommandId;
  readonly version: string;
  readonly name: string;
  readonly commandType: number;
  /** Yet to be judged by the command's own rules. */
  readonly options: unknown;
  /** The user or message that a context-menu command is used on; other commands have none. */
  readonly targetId: Snowflake | undefined;
}

const useTypes = [interactionTypes.APPLICATION_COMMAND, interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE] as const;
const commandTypeList = Object.values(commandTypes);
const withTarget: readonly number[] = [commandTypes.USER, commandTypes.MESSAGE];

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
  const type = readUseType(report, body.type);
  const applicationId = readId(report, 'application_id', body.application_id);
  const channelId = readId(report, 'channel_id', body.channel_id);
  const guildId = isAbsent(body.guild_id) ? undefined : readId(report, 'guild_id', body.guild_id);
  const nonce = isAbsent(body.nonce) ? null : readNonce(report, body.nonce);
  if (isAbsent(body.data)) report.at('data', 'BASE_TYPE_REQUIRED');
  else if (!isFields(body.data)) report.at('data', 'MODEL_TYPE_CONVERT');
  const data = isFields(body.data) ? readData(report, body.data, type) : readData(new Report(), {}, type);
  return { type, applicationId, channelId, guildId, nonce, ...data };
}

type InvocationData = Pick<Invocation, 'commandId' | 'version' | 'name' | 'commandType' | 'options' | 'targetId'>;

function readData(report: Report, data: Fields, useType: Invocation['type']): InvocationData {
  report.enter('data');
  const commandType = isAbsent(data.type) ? commandTypes.CHAT_INPUT : readCommandType(report, data.type, useType);
  const read = {
    commandId: readId(report, 'id', data.id),
    version: readId(report, 'version', data.version),
    name: checkRequiredText(report, 'name', data.name, limits.commandNameLengthMax) ? data.name : '',
    commandType,
    options: isAbsent(data.options) ? [] : data.options,
    targetId: withTarget.includes(commandType) ? readId(report, 'target_id', data.target_id) : undefined,
  };
  report.leave();
  return read;
}

function readUseType(report: Report, type: unknown): Invocation['type'] {
  if (isAbsent(type)) report.at('type', 'BASE_TYPE_REQUIRED');
  else if (checkEnum(report, 'type', type, useTypes)) return type;
  return interactionTypes.APPLICATION_COMMAND;
}

/** Only chat commands have options to type. */
function readCommandType(report: Report, type: unknown, useType: Invocation['type']): number {
  const isTyped = useType === interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
  return checkEnum(report, 'type', type, isTyped ? [commandTypes.CHAT_INPUT] : commandTypeList) ? type : 0;
}

function readId(report: Report, key: string, value: unknown): string {
  if (!isAbsent(value)) return checkSnowflake(report, key, value) ?? '';
  report.at(key, 'BASE_TYPE_REQUIRED');
  return '';
}

function readNonce(report: Report, value: unknown): string {
  return checkText(report, 'nonce', value, 1, limits.nonceLengthMax) ? value : '';
}
