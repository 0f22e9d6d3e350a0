import { commandTypes } from '../../../model/command.ts';
import { type CommandInteraction, interactionTypes } from '../../../model/interaction.ts';
import { limits } from '../../../model/limits/limits.ts';
import { checkEnum, checkRequiredText, type Fields, isAbsent } from '../../../model/rules/field.ts';
import type { Report } from '../../../model/rules/report.ts';
import type { CommandId, Snowflake } from '../../../model/snowflake.ts';
import { serviceFieldErrors } from '../../support/api-messages.ts';
import { RequestError } from '../../support/request-error.ts';
import { readId, readUse, readUseBody, readUseData, type UseInput } from './use-input.ts';

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
  return new RequestError('invalid_form_body', {}, [
    { path: ['data', field], code, message: serviceFieldErrors[code]() },
  ]);
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
