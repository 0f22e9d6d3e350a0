import type { CommandChoice } from '../../../model/command.ts';
import type { AutocompleteResponse, InteractionOutcome, ModalCreated } from '../../../model/gateway.ts';
import type { Message } from '../../../model/message.ts';

/** What one user sees and does: it changes by what the user's client sends and receives. */
export interface Screen {
  /** Of all channels, oldest first. */
  readonly messages: readonly Message[];
  /** What the user did, newest last. */
  readonly uses: readonly Use[];
  /** The form that is shown. */
  readonly modal: ModalCreated | undefined;
  readonly suggestions: Suggestions | undefined;
}

/** Something that the user did, which the application is to answer. */
export interface Use {
  readonly nonce: string;
  /** What was done, in words. */
  readonly label: string;
  readonly applicationId: string;
  readonly channelId: string;
  /** On the service's clock. */
  readonly startedMs: number;
  /**
   * - `sending`: the service has not taken it yet
   * - `waiting`: the application has not answered yet
   * - `answered`: it has
   * - `failed`: it did not in time
   * - `rejected`: the service rejected what was sent
   */
  readonly state: 'sending' | 'waiting' | 'answered' | 'failed' | 'rejected';
  /** Of the interaction, once it is known. */
  readonly interactionId?: string;
  /** The traffic's entry of the request. */
  readonly trafficId?: number;
  /** Why it was rejected. */
  readonly error?: string;
}

interface Suggestions {
  readonly nonce: string;
  readonly choices: readonly CommandChoice[];
}

export const emptyScreen: Screen = { messages: [], uses: [], modal: undefined, suggestions: undefined };

const messagesMax = 500;
const usesMax = 100;

export function withUse(screen: Screen, use: Use): Screen {
  return { ...screen, uses: [...screen.uses, use].slice(-usesMax) };
}

export function changeUse(screen: Screen, nonce: string, change: Partial<Use>): Screen {
  return { ...screen, uses: screen.uses.map(use => (use.nonce === nonce ? { ...use, ...change } : use)) };
}

/** What an event of the gateway changes; other events change nothing. */
export function receive(screen: Screen, name: string, data: unknown): Screen {
  switch (name) {
    case 'MESSAGE_CREATE':
    case 'MESSAGE_UPDATE':
      return { ...screen, messages: withMessage(screen.messages, data as Message) };
    case 'MESSAGE_DELETE':
      return { ...screen, messages: screen.messages.filter(({ id }) => id !== (data as { id: string }).id) };
    case 'INTERACTION_SUCCESS':
      return ended(screen, data as InteractionOutcome, 'answered');
    case 'INTERACTION_FAILURE':
      return ended(screen, data as InteractionOutcome, 'failed');
    case 'INTERACTION_MODAL_CREATE':
      return { ...ended(screen, data as ModalCreated, 'answered'), modal: data as ModalCreated };
    case 'APPLICATION_COMMAND_AUTOCOMPLETE_RESPONSE': {
      const { nonce, choices } = data as AutocompleteResponse;
      return nonce === null ? screen : { ...screen, suggestions: { nonce, choices } };
    }
    default:
      return screen;
  }
}

function ended(screen: Screen, { id, nonce }: InteractionOutcome, state: 'answered' | 'failed'): Screen {
  return nonce === null ? screen : changeUse(screen, nonce, { state, interactionId: id });
}

function withMessage(messages: readonly Message[], message: Message): readonly Message[] {
  const isKnown = messages.some(({ id }) => id === message.id);
  if (isKnown) return messages.map(one => (one.id === message.id ? message : one));
  return [...messages, message].slice(-messagesMax);
}
