import type { ApiErrorName } from '../../../model/errors/errors.ts';
import type { PermitStep, PermitStepName } from '../../../model/rules/permissions/permit.ts';
import { apiMessages } from '../../support/api-messages.ts';
import { Fault } from '../../support/fault.ts';

/**
 * What a member is answered who may not use a command.
 *
 * Our choice: 50001 where the member has no access to the place or to such commands, 50013 where it is a permission
 * that is missing; the message says which rule decided, and no more of it than the member may know.
 *
 * @see docs/spec/interactions.md#using-a-command; docs/spec/errors.md#error-codes
 */
export function permitFault({ step }: PermitStep): Fault {
  const { reason, because } = refusals[step];
  return new Fault(reason, { message: `${apiMessages[reason]}: ${because}.` });
}

const refusals: Readonly<Record<PermitStepName, { readonly reason: ApiErrorName; readonly because: string }>> = {
  age: { reason: 'missing_access', because: 'the command is for adults, in a guild only in age-restricted channels' },
  access: { reason: 'missing_access', because: 'VIEW_CHANNEL and USE_APPLICATION_COMMANDS are needed in the channel' },
  send: { reason: 'missing_permissions', because: 'the command asks for the permission to send messages' },
  administrator: { reason: 'missing_permissions', because: 'the command is for administrators' },
  channel: { reason: 'missing_permissions', because: 'the command is disallowed in this channel' },
  member: { reason: 'missing_permissions', because: 'the command is disallowed for this member' },
  default: { reason: 'missing_permissions', because: 'the command asks for permissions that the member lacks' },
};
