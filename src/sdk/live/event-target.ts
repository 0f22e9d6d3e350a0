import { requireType } from '../../wire/arguments.ts';
import type { ConnectionSnapshot } from '../connection/connection-snapshot.ts';
import type { ClientNewsEvent } from '../lobby/lobby-news.ts';
import type { LobbyState } from '../lobby/snapshot.ts';
import type { Observable } from './rxjs.ts';

/** The details of a client's events, by type: its states, and what happens ({@link ClientNewsEvent}). */
export type ClientEventDetails = {
  readonly status: ConnectionSnapshot;
  readonly lobbies: LobbyState;
} & { readonly [Type in ClientNewsEvent['type']]: EventOfType<ClientNewsEvent, Type> };

/** Those of a union's events that can have the type, also where one shape has several types. */
type EventOfType<Event extends { readonly type: string }, Type> = Event extends unknown
  ? Type extends Event['type']
    ? Event & { readonly type: Type }
    : never
  : never;

/** A client as an `EventTarget`, for code that does not use RxJS. */
export interface ClientEventTarget {
  addEventListener<Type extends keyof ClientEventDetails>(
    type: Type,
    listener: (event: ClientEvent<Type>) => void,
    options?: { readonly once?: boolean | undefined; readonly signal?: AbortSignal | undefined },
  ): void;
  removeEventListener<Type extends keyof ClientEventDetails>(
    type: Type,
    listener: (event: ClientEvent<Type>) => void,
  ): void;
  /** Ends the subscriptions to the client. Repeatable. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A `CustomEvent`, as much of it as matters. */
export interface ClientEvent<Type extends keyof ClientEventDetails> {
  readonly type: Type;
  readonly detail: ClientEventDetails[Type];
}

/** Of a client what an event target needs: one of the main process, or one of a window. */
export interface EventSource {
  readonly status$: Observable<ConnectionSnapshot>;
  readonly lobbies$: Observable<LobbyState>;
  readonly events$: Observable<{ readonly type: string }>;
}

/**
 * Makes an `EventTarget` of a client. Like any event target it does not replay: read the present state from the client.
 *
 * @throws ArgumentError `invalid_argument`
 * @example
 * const target = toEventTarget(client);
 * target.addEventListener('memberJoined', ({ detail }) => console.log(detail.member.displayName));
 */
export function toEventTarget(client: EventSource): ClientEventTarget {
  requireType('client.status$', Object(client).status$, 'object');
  const { status$, lobbies$, events$ } = client;
  const target = new EventTarget();
  let isReplaying = true;
  const dispatch = (type: string, detail: unknown) => {
    if (!isReplaying) target.dispatchEvent(new CustomEvent(type, { detail }));
  };
  const subscriptions = [
    status$.subscribe(status => dispatch('status', status)),
    lobbies$.subscribe(lobbies => dispatch('lobbies', lobbies)),
    events$.subscribe(event => dispatch(event.type, event)),
  ];
  isReplaying = false;
  const close = async () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
  };
  return Object.assign(target, { close, [Symbol.asyncDispose]: close }) as unknown as ClientEventTarget;
}
