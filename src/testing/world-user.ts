import { type Command, type CommandChoice, commandTypes } from '../model/command.ts';
import type { CommandIndex } from '../model/command-index.ts';
import {
  type Component,
  componentTypes,
  type Modal,
  partsOf,
  type SubmittedComponent,
  usableComponents,
} from '../model/component.ts';
import { RallypointError } from '../model/errors/errors.ts';
import type { ModalCreated } from '../model/gateway.ts';
import { interactionTypes } from '../model/interaction.ts';
import { type Message, messageFlags } from '../model/message.ts';
import { findCommand, type Names, notInWorld, type OptionInputs, optionValues } from './command-input.ts';
import type { Screen } from './screen.ts';
import { dataOf, type Received, type UserSession } from './user-session.ts';

/** Where a user does something. */
export interface Place {
  /** A channel, by name or id. Default: the first one of the world. */
  readonly in?: string;
  /** In the user's direct messages with the application's bot, not in a channel of the guild. Default false. */
  readonly direct?: boolean;
}

/** What became of something that a user did. */
export interface Reply {
  /**
   * - `message`: the application answered with a message
   * - `update`: it changed the message whose component was used
   * - `modal`: it showed a form
   * - `acknowledged`: it answered, and nothing is shown yet
   */
  readonly kind: 'message' | 'update' | 'modal' | 'acknowledged';
  /** The text of the message; empty where there is none. */
  readonly content: string;
  readonly message?: Message;
  readonly modal?: Modal;
  /** Only this user sees the message. */
  readonly isEphemeral: boolean;
  /** The application said that it will answer later; the message follows in {@link WorldUser.messages}. */
  readonly isDeferred: boolean;
}

/** What a user of a world is made from. */
export interface WorldUserParts {
  readonly id: string;
  readonly username: string;
  readonly applicationId: string;
  readonly guildId: string;
  readonly names: Names;
  readonly screen: Screen;
  readonly defaultChannelId: string;
}

type Use = { readonly type: number; readonly data: object; readonly message_id?: string };
type Awaited<T> = (received: Received, nonce: string) => T | undefined;

/** A user in front of the guild's channels: does what a person does in a chat client, by the service's public interface. */
export class WorldUser {
  readonly id: string;
  readonly username: string;
  readonly #parts: WorldUserParts;
  #session: UserSession | undefined;
  #modal: (ModalCreated & { readonly channel_id: string }) | undefined;
  #lastNonce = 0;

  /** @internal */
  constructor(parts: WorldUserParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.username = parts.username;
  }

  /**
   * Uses a command: `use('/rally', { where: 'harbour' })`, `use('/crew add', { member: 'grace' })`, or a context-menu command by
   * its name. Users and channels are given by name or id. Resolves with the application's first answer.
   *
   * @param more `target`: the user (by name) or message (by id) that a context-menu command is used on
   * @throws ArgumentError `not_in_world`: there is no such command or option, or the user may not use it here
   * @throws ApiError what the service rejected; RallypointError `interaction_failed`: nobody answered in time
   */
  async use(
    command: string,
    options: OptionInputs = {},
    more: Place & { readonly target?: string } = {},
  ): Promise<Reply> {
    const channelId = this.#channelOf(more);
    const found = await this.#command(command, channelId);
    const { names } = this.#parts;
    const target = more.target !== undefined && {
      target_id: found.type === commandTypes.USER ? names.userId(more.target) : more.target,
    };
    const data = { ...invocation(found), options: optionValues(found, command, options, names), ...target };
    return this.#act({ type: interactionTypes.APPLICATION_COMMAND, data }, channelId);
  }

  /**
   * Types into an option, and resolves with what the application suggests. The last option given is the one being typed.
   *
   * @throws ArgumentError `not_in_world`; ApiError; RallypointError `interaction_failed`
   */
  async autocomplete(command: string, options: OptionInputs, place: Place = {}): Promise<readonly CommandChoice[]> {
    const channelId = this.#channelOf(place);
    const found = await this.#command(command, channelId);
    const focused = Object.keys(options).at(-1);
    const data = { ...invocation(found), options: optionValues(found, command, options, this.#parts.names, focused) };
    const use = { type: interactionTypes.APPLICATION_COMMAND_AUTOCOMPLETE, data };
    return this.#send(use, channelId, (received, nonce) => {
      const response = dataOf(received, 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE');
      return response?.nonce === nonce ? response.choices : undefined;
    });
  }

  /** Presses a button of the newest message that has it. @param button its label or custom id */
  press(button: string, place: Place = {}): Promise<Reply> {
    const isIt = (one: Component) => one.type === componentTypes.BUTTON && isNamed(one, button);
    return this.#useComponent('button', button, isIt, undefined, place);
  }

  /** Chooses in a select of the newest message that has it. @param select its placeholder or custom id @param values of the options */
  choose(select: string, values: string | readonly string[], place: Place = {}): Promise<Reply> {
    const isIt = (one: Component) => one.type !== componentTypes.BUTTON && isNamed(one, select);
    return this.#useComponent('select', select, isIt, typeof values === 'string' ? [values] : values, place);
  }

  /**
   * Submits the form that was shown last.
   *
   * @param values by the label or custom id of the input; inputs that are left out stay as the form showed them
   */
  async submit(values: Readonly<Record<string, string | boolean | readonly string[]>> = {}): Promise<Reply> {
    const modal = this.#modal;
    if (!modal) throw notInWorld('form on the screen', 'any', []);
    const inputs = modal.components.flatMap(inputsOf);
    for (const name of Object.keys(values)) {
      if (!inputs.some(({ names }) => names.includes(name))) {
        throw notInWorld(
          'input of the form',
          name,
          inputs.flatMap(({ names }) => names),
        );
      }
    }
    this.#modal = undefined;
    const components = modal.components.map(component => filledIn(component, values));
    const data = { id: modal.id, custom_id: modal.custom_id, components };
    return this.#act({ type: interactionTypes.MODAL_SUBMIT, data }, modal.channel_id);
  }

  /** What the channel shows this user, oldest first: as the messages are now, those for this user alone included. */
  messages(place: Place = {}): readonly Message[] {
    return this.#parts.screen.messages(this.id, this.#channelOf(place));
  }

  /** The newest message that the channel shows. */
  lastMessage(place: Place = {}): Message | undefined {
    return this.messages(place).at(-1);
  }

  /** Resolves once everything that the service has sent this user has arrived. */
  async settled(): Promise<void> {
    await this.#session?.barrier();
  }

  /** @internal The session to act through from now on. */
  attach(session: UserSession | undefined): void {
    this.#session = session;
    this.#modal = undefined;
  }

  /** @internal */
  receive(received: Received): void {
    this.#parts.screen.receive(this.id, received);
    this.#modal = dataOf(received, 'INTERACTION_MODAL_CREATE') ?? this.#modal;
  }

  async #useComponent(
    what: string,
    name: string,
    isIt: (component: Component) => boolean,
    values: readonly string[] | undefined,
    place: Place,
  ): Promise<Reply> {
    await this.settled();
    const shown = this.messages(place).map(message => ({ message, components: usable(message) }));
    const found = shown.findLast(({ components }) => components.some(isIt));
    const component = found?.components.find(isIt);
    if (!found || !component) {
      throw notInWorld(
        `${what} in the channel`,
        name,
        shown.flatMap(({ components }) => components.map(nameOf)),
      );
    }
    const { type: component_type, custom_id } = component;
    const data = { component_type, custom_id, ...(values && { values }) };
    const use = { type: interactionTypes.MESSAGE_COMPONENT, message_id: found.message.id, data };
    return this.#act(use, this.#channelOf(place));
  }

  /** Does it, and waits for the application's first answer. */
  async #act(use: Use, channelId: string): Promise<Reply> {
    const seen: Received[] = [];
    const stop = this.#opened.listen(received => seen.push(received));
    try {
      const id = await this.#send(use, channelId, (received, nonce) => {
        const success = dataOf(received, 'INTERACTION_SUCCESS');
        return success?.nonce === nonce ? success.id : undefined;
      });
      // What the answer shows follows the success.
      await this.settled();
      return replyOf(seen, id, use.message_id);
    } finally {
      stop();
    }
  }

  async #send<T>(use: Use, channelId: string, answered: Awaited<T>): Promise<T> {
    const session = this.#opened;
    const { applicationId: application_id, guildId: guild_id } = this.#parts;
    const nonce = `${this.username.slice(0, 8)}-${++this.#lastNonce}`;
    const outcome = Promise.withResolvers<T>();
    const stop = session.listen(received => {
      const answer = answered(received, nonce);
      if (answer !== undefined) outcome.resolve(answer);
      if (dataOf(received, 'INTERACTION_FAILURE')?.nonce === nonce) outcome.reject(unanswered());
    });
    try {
      const guild = channelId === this.#directChannelId ? {} : { guild_id };
      const body = { ...use, application_id, ...guild, channel_id: channelId, nonce };
      await session.request('invokeCommand', '/interactions', body);
      return await outcome.promise;
    } finally {
      stop();
    }
  }

  async #command(written: string, channelId: string): Promise<Command> {
    const isDirect = channelId === this.#directChannelId;
    const index = isDirect
      ? await this.#opened.request<CommandIndex>(
          'getApplicationCommandIndex',
          `/applications/${this.#parts.applicationId}/application-command-index`,
        )
      : await this.#opened.request<CommandIndex>(
          'getChannelCommandIndex',
          `/channels/${channelId}/application-command-index`,
        );
    return findCommand(index.application_commands, written);
  }

  /** Direct messages have no channel of their own in the service: any id stands for them. */
  get #directChannelId(): string {
    return this.id;
  }

  #channelOf({ in: channel, direct = false }: Place): string {
    if (direct) return this.#directChannelId;
    return channel === undefined ? this.#parts.defaultChannelId : this.#parts.names.channelId(channel);
  }

  get #opened(): UserSession {
    if (this.#session) return this.#session;
    throw new RallypointError('closed', 'The world is closed.');
  }
}

function invocation({ id, version, name, type }: Command) {
  return { id, version, name, type };
}

function unanswered(): RallypointError {
  return new RallypointError('interaction_failed', 'The application did not answer the interaction in time.');
}

function replyOf(seen: readonly Received[], interactionId: string, pressedId: string | undefined): Reply {
  const modal = seen.map(one => dataOf(one, 'INTERACTION_MODAL_CREATE')).find(one => one?.id === interactionId);
  const created = seen
    .map(one => dataOf(one, 'MESSAGE_CREATE') as Message | undefined)
    .find(one => one?.interaction_metadata?.id === interactionId);
  const updated = seen
    .map(one => dataOf(one, 'MESSAGE_UPDATE'))
    .findLast(one => one !== undefined && (one.id === created?.id || one.id === pressedId));
  const message = updated ?? created;
  const flags = message?.flags ?? 0;
  return {
    kind: modal ? 'modal' : created ? 'message' : updated ? 'update' : 'acknowledged',
    content: message?.content ?? '',
    ...(message && { message }),
    ...(modal && { modal }),
    isEphemeral: (flags & messageFlags.EPHEMERAL) !== 0,
    isDeferred: (flags & messageFlags.LOADING) !== 0,
  };
}

function usable({ components }: Message): readonly Component[] {
  return usableComponents(components as readonly Component[]).filter(({ disabled }) => disabled !== true);
}

function isNamed({ custom_id, label, placeholder }: Component, name: string): boolean {
  return custom_id === name || label === name || placeholder === name;
}

function nameOf({ custom_id, label, placeholder }: Component): string {
  return label ?? placeholder ?? custom_id ?? '';
}

/** The inputs of a part of a form, each with the names that it is known by. */
function inputsOf(component: Component): { readonly names: readonly string[] }[] {
  const { component: labelled, components = [] } = partsOf(component);
  if (labelled) return [{ names: [component.label ?? '', labelled.custom_id ?? ''] }];
  return components.map(({ label, custom_id }) => ({ names: [label ?? '', custom_id ?? ''] }));
}

type Filled = Readonly<Record<string, string | boolean | readonly string[]>>;

function filledIn(component: Component, values: Filled, label?: string): SubmittedComponent {
  const { type, id, custom_id } = component;
  const { component: labelled, components } = partsOf(component);
  const own = { type, ...(id !== undefined && { id }) };
  if (labelled) return { ...own, component: filledIn(labelled, values, component.label) };
  if (components) return { ...own, components: components.map(one => filledIn(one, values, one.label)) };
  if (custom_id === undefined) return own;
  const given = values[custom_id] ?? (label === undefined ? undefined : values[label]);
  if (type === componentTypes.TEXT_INPUT) return { ...own, custom_id, value: String(given ?? component.value ?? '') };
  if (type === componentTypes.CHECKBOX) return { ...own, custom_id, value: given === true || given === 'true' };
  if (type === componentTypes.RADIO_GROUP) {
    return { ...own, custom_id, value: given === undefined ? (defaultsOf(component)[0] ?? null) : String(given) };
  }
  const chosen = given === undefined ? defaultsOf(component) : typeof given === 'object' ? given : [String(given)];
  return { ...own, custom_id, values: chosen };
}

function defaultsOf({ options = [] }: Component): readonly string[] {
  return options.filter(option => option.default === true).map(({ value }) => value);
}
