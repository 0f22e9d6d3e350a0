import { commandTypes, entryPointHandlers } from '../../../model/command.ts';
import { interactionTypes, type OptionValue } from '../../../model/interaction.ts';
import { isFields } from '../../../model/rules/field.ts';
import { checkAutocomplete, checkInvocation } from '../../../model/rules/interactions/invocation.ts';
import type { MessageId } from '../../../model/snowflake.ts';
import { type Attach, Uploads } from '../../attachments/attachments.ts';
import type { Core } from '../../core.ts';
import type { ApplicationRecord, CommandRecord, UserRecord } from '../../store/records.ts';
import { RequestError, rejectIssues } from '../../support/request-error.ts';
import { answerView } from './answer-view.ts';
import { createComponentUse } from './component-use.ts';
import { findPlace } from './invocation-place.ts';
import { referencesOf, resolve } from './invocation-resolved.ts';
import { createModalSubmit } from './modal-submit.ts';
import { createInteractionToken, interactionScope, notifyOutcome, notifyViewers } from './records.ts';
import {
  commandData,
  createInteractionSending,
  type InteractionUse,
  type SendingParts,
  type UseDetails,
  useRecord,
} from './sending.ts';
import { commandFault, type Invocation, readInvocation } from './use-input.ts';

const { PRIMARY_ENTRY_POINT } = commandTypes;
const { APPLICATION_COMMAND_AUTOCOMPLETE, MESSAGE_COMPONENT, MODAL_SUBMIT } = interactionTypes;

/**
 * Handles the use of commands, components and modals: validates what a client sends, and sends it to the application.
 */
export function createInteractionUse(core: Core, attach: Attach, parts: SendingParts) {
  const { store, ids, clock, entropy } = core;
  const send = createInteractionSending(core, parts);
  const useComponent = createComponentUse(core, send);
  const submitModal = createModalSubmit(core, attach, send);

  async function invoke(user: UserRecord, body: unknown): Promise<void> {
    const type = isFields(body) ? body.type : undefined;
    if (type === MESSAGE_COMPONENT) await useComponent(user, body);
    else if (type === MODAL_SUBMIT) await submitModal(user, body);
    else await useCommand(user, body);
  }

  async function useCommand(user: UserRecord, body: unknown): Promise<void> {
    const asked = readInvocation(body);
    const { applicationId, channelId, nonce } = asked;
    const application = await store.get('applications', applicationId);
    if (!application) throw new RequestError('unknown_application');
    const command = await findCommand(asked);
    const place = await findPlace(store, { application, command, user, invocation: asked });
    const uploads = new Uploads(attach, (body as { readonly data?: unknown }).data, channelId, user.id);
    const invocation = { ...asked, options: uploads.inOptions(asked.options) };
    rejectWrongOptions(invocation, command);
    const named = await resolve(store, referencesOf(invocation, command), { application, user, channelId, place });
    const uploaded = uploads.resolveOptions(invocation.options as readonly OptionValue[], command.options ?? []);
    const resolved = named || uploaded ? { ...named, ...uploaded } : undefined;
    const id = ids.next();
    const payload = { type: invocation.type, data: commandData(command, invocation, resolved) };
    const use = { id, token: createInteractionToken(entropy, id), applicationId, channelId, user, place, payload };
    const details = { nonce, command_type: command.type };
    if (isLaunchedHere(command)) await launch(use, application, details);
    else await send(use, application, details);
  }

  async function findCommand({ commandId, applicationId, guildId, ...asked }: Invocation): Promise<CommandRecord> {
    const command = await store.get('commands', commandId);
    const isThere =
      command?.application_id === applicationId && (command.guild_id === undefined || command.guild_id === guildId);
    if (!command || !isThere || command.type !== asked.commandType || command.name !== asked.name) {
      throw commandFault('id', 'INTERACTION_APPLICATION_COMMAND_INVALID');
    }
    if (command.version === asked.version) return command;
    throw commandFault('version', 'INTERACTION_APPLICATION_COMMAND_INVALID_VERSION');
  }

  /**
   * Launches the Activity without the application, and posts a message about it in the channel.
   *
   * @see docs/spec/commands.md#entry-point-handlers
   */
  async function launch(use: InteractionUse, application: ApplicationRecord, details: UseDetails): Promise<void> {
    const { user } = use;
    const interaction = useRecord(use, details, clock.now());
    const id: MessageId = ids.next();
    const data = { content: `${user.global_name ?? user.username} started ${application.name}.` };
    const message = answerView({ id, atMs: clock.now(), interaction, application, user, data });
    await store.transact(interactionScope(use.id), transaction => {
      notifyOutcome(transaction, interaction, 'INTERACTION_SUCCESS');
      const event = { name: 'MESSAGE_CREATE', data: JSON.stringify(message) } as const;
      notifyViewers(transaction, interaction, message, event);
    });
  }

  return { invoke };
}

function isLaunchedHere({ type, handler }: CommandRecord): boolean {
  return type === PRIMARY_ENTRY_POINT && handler === entryPointHandlers.DISCORD_LAUNCH_ACTIVITY;
}

/** @throws RequestError `invalid_form_body` */
function rejectWrongOptions({ type, options }: Invocation, command: CommandRecord): void {
  const check = type === APPLICATION_COMMAND_AUTOCOMPLETE ? checkAutocomplete : checkInvocation;
  rejectIssues(check(options, command).map(issue => ({ ...issue, path: ['data', 'options', ...issue.path] })));
}
