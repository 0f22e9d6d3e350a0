import { commandTypes } from '../../../model/command.ts';
import { type CommandInteraction, interactionTypes } from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import {
  checkEnum,
  checkRequiredText,
  checkSnowflake,
  checkText,
  type Fields,
  isAbsent,
  isFields,
} from '../../../model/rules/field.ts';
import { Report } from '../../../model/rules/report.ts';
import type { ApplicationId, ChannelId, CommandId, GuildId, Snowflake } from '../../../model/snowflake.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { invalidBody, type RequestError, rejectIssues } from '../../support/request-error.ts';
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

/** One use of a command, as a user's client sends it. */
export interface Invocation extends UseInput {
  readonly type: CommandInteraction['type'];
  readonly commandId: CommandId;
  readonly version: string;
  readonly name: string;
  readonly commandType: number;
  /** Not yet validated against the command. */
  readonly options: unknown;
  /** The user or message that a context-menu command is used on; other commands have none. */
  readonly targetId: Snowflake | undefined;
}

const useTypes = Object.values(interactionTypes).filter(type => type !== interactionTypes.PING);
const commandTypeList = Object.values(commandTypes);
const withTarget: readonly number[] = [commandTypes.USER, commandTypes.MESSAGE];

/** The error for a client whose command is outdated: it should load the command again. */
export function commandFault(
  field: 'id' | 'version',
  code: 'INTERACTION_APPLICATION_COMMAND_INVALID' | 'INTERACTION_APPLICATION_COMMAND_INVALID_VERSION',
): RequestError {
  return invalidBody([{ path: ['data', field], code, message: serviceFieldErrors[code]() }]);
}

/** @throws RequestError `invalid_form_body` */
export function readInvocation(body: unknown): Invocation {
  return readUseBody(body, (report, fields) => {
    const type = readUseType(report, fields.type);
    const use = readUse(report, fields);
    return { type, ...use, ...readUseData(report, fields.data, (inData, data) => readData(inData, data, type)) };
  });
}

function readData(report: Report, data: Fields, useType: Invocation['type']) {
  const commandType = isAbsent(data.type) ? commandTypes.CHAT_INPUT : readCommandType(report, data.type, useType);
  return {
    commandId: readId(report, 'id', data.id),
    version: readId(report, 'version', data.version),
    name: checkRequiredText(report, 'name', data.name, limits.commandNameLengthMax) ? data.name : '',
    commandType,
    options: isAbsent(data.options) ? [] : data.options,
    targetId: withTarget.includes(commandType) ? readId(report, 'target_id', data.target_id) : undefined,
  };
}

/** Only uses of commands arrive here; those of components and modals are separated before. */
function readUseType(report: Report, type: unknown): Invocation['type'] {
  if (isAbsent(type)) report.at('type', 'BASE_TYPE_REQUIRED');
  else if (checkEnum(report, 'type', type, useTypes)) return type as Invocation['type'];
  return interactionTypes.APPLICATION_COMMAND;
}

/** Only chat commands have options. */
function readCommandType(report: Report, type: unknown, useType: Invocation['type']): number {
  const isTyped = useType === interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE;
  return checkEnum(report, 'type', type, isTyped ? [commandTypes.CHAT_INPUT] : commandTypeList) ? type : 0;
}
