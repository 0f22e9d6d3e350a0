import { commandTypes, entryPointHandlers, type OptionType } from '../../model/command.ts';
import { type Interaction, interactionTypes, type OptionValue } from '../../model/interaction.ts';
import { limits } from '../../model/limits.ts';
import { checkAutocomplete, checkInvocation } from '../../model/rules/invocation.ts';
import type { MessageId } from '../../model/snowflake.ts';
import { topics } from '../announcement.ts';
import type { Core } from '../core.ts';
import { Fault, refuseIssues } from '../fault.ts';
import { hashSecret } from '../secret.ts';
import type { Transaction } from '../store/contract.ts';
import type { ApplicationRecord, CommandRecord, InteractionRecord, UserRecord } from '../store/records.ts';
import { answerView } from './answer-view.ts';
import type { InteractionDelivery } from './interaction-delivery.ts';
import { interactionScope, tellOutcome } from './interaction-records.ts';
import { makeInteractionToken } from './interaction-token.ts';
import { type CommandUse, interactionView } from './interaction-view.ts';
import { commandFault, type Invocation, readInvocation } from './invocation-input.ts';
import { findPlace } from './invocation-place.ts';
import { referencesOf } from './invocation-references.ts';
import { resolve } from './invocation-resolved.ts';

const { PRIMARY_ENTRY_POINT } = commandTypes;
const { APPLICATION_COMMAND_AUTOCOMPLETE } = interactionTypes;

export interface UseParts {
  /** Hears when an interaction that was made is due. */
  readonly noticeExpiry: (atMs: number) => void;
  readonly delivery: Pick<InteractionDelivery, 'post'>;
}

/** Uses commands for users: judges what a client asks for, and tells the application. */
export function createInteractionUse(core: Core, { noticeExpiry, delivery }: UseParts) {
  const { store, ids, clock, entropy } = core;

  async function invoke(user: UserRecord, body: unknown): Promise<void> {
    const invocation = readInvocation(body);
    const application = await store.get('applications', invocation.applicationId);
    if (!application) throw new Fault('unknown_application');
    const command = await findCommand(invocation);
    const place = await findPlace(store, { application, command, user, invocation });
    refuseWrongOptions(invocation, command);
    const { channelId } = invocation;
    const resolved = await resolve(store, referencesOf(invocation, command), { application, user, channelId, place });
    const id = ids.next();
    const use = { id, token: makeInteractionToken(entropy, id), user, command, invocation, place, resolved };
    if (isLaunchedHere(command)) await launch(use, application);
    else await send(use, application);
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

  /** By the gateway or, where the application has an address, to its server; never by both. @see commands.md 3.5 */
  async function send(use: CommandUse, application: ApplicationRecord): Promise<void> {
    const { interactions_endpoint_url: url } = application;
    const record = recordOf(use, clock.now());
    const interaction = interactionView(use);
    await store.transact(interactionScope(use.id), transaction => {
      transaction.put('interactions', record);
      if (url === null) announce(transaction, record, interaction);
    });
    noticeExpiry(record.expires_at_ms);
    if (url !== null) delivery.post({ url, application, interaction, answerByMs: record.expires_at_ms });
  }

  /**
   * Launches the Activity without asking the application, and says so in the channel.
   *
   * @see interface.md, "Enumerations", entry-point handler type 2
   */
  async function launch(use: CommandUse, application: ApplicationRecord): Promise<void> {
    const { user } = use;
    const interaction = recordOf(use, clock.now());
    const id: MessageId = ids.next();
    const data = { content: `${user.global_name ?? user.username} started ${application.name}.` };
    const message = answerView({ id, atMs: clock.now(), interaction, application, user, data });
    await store.transact(interactionScope(use.id), transaction => {
      tellOutcome(transaction, interaction, 'INTERACTION_SUCCESS');
      const event = { name: 'MESSAGE_CREATE', data: JSON.stringify(message) } as const;
      transaction.announce({ to: topics.user(user.id), event });
    });
  }

  return { invoke };
}

function announce(transaction: Transaction, record: InteractionRecord, interaction: Interaction): void {
  transaction.announce({
    to: topics.application(record.application_id),
    event: { name: 'INTERACTION_CREATE', data: JSON.stringify(interaction) },
    ...(record.guild_id !== null && { guild: record.guild_id }),
  });
}

function isLaunchedHere({ type, handler }: CommandRecord): boolean {
  return type === PRIMARY_ENTRY_POINT && handler === entryPointHandlers.DISCORD_LAUNCH_ACTIVITY;
}

/** @throws Fault `invalid_form_body` */
function refuseWrongOptions({ type, options }: Invocation, command: CommandRecord): void {
  const check = type === APPLICATION_COMMAND_AUTOCOMPLETE ? checkAutocomplete : checkInvocation;
  refuseIssues(check(options, command).map(issue => ({ ...issue, path: ['data', 'options', ...issue.path] })));
}

function recordOf({ id, token, user, command, invocation, place }: CommandUse, nowMs: number): InteractionRecord {
  return {
    id,
    application_id: command.application_id,
    user_id: user.id,
    guild_id: invocation.guildId ?? null,
    channel_id: invocation.channelId,
    type: invocation.type,
    command_type: command.type,
    focused_type: focusedType(invocation.options as readonly OptionValue[]),
    token_hash: hashSecret(token),
    nonce: invocation.nonce,
    owners: place.owners,
    state: 'waiting',
    created_at_ms: nowMs,
    expires_at_ms: nowMs + limits.interactionAnswerMs,
    original_id: null,
    follow_ups: 0,
  };
}

function focusedType(values: readonly OptionValue[]): OptionType | null {
  for (const { type, focused, options = [] } of values) {
    const found = focused ? type : focusedType(options);
    if (found !== null) return found;
  }
  return null;
}
