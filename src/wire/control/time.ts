import type { ApplicationId, LobbyId, Snowflake, UserId } from '../../model/snowflake.ts';

/** `GET /control/timers?limit=100&kind=lobby_idle`: all that is due, next first. */
export interface TimersQuery {
  /** {@link TimerKind}s, separated by commas. */
  readonly kind?: string;
  /** 1 to 1000, default 100. */
  readonly limit?: string;
}

export interface TimersAnswer {
  readonly now_ms: number;
  readonly timers: readonly TimerDetails[];
  /** There are more. */
  readonly truncated: boolean;
}

export type TimerKind =
  | 'lobby_idle'
  | 'lobby_invite'
  | 'authorization_code'
  | 'device_code'
  | 'access_token'
  | 'refresh_token'
  | 'browser_sign_in'
  | 'interaction_answer'
  | 'interaction_token'
  | 'session_resume'
  | 'webhook_retry'
  | 'custom_status'
  | 'activity_invite'
  | 'headless_session'
  | 'direct_message';

export interface TimerDetails {
  readonly kind: TimerKind;
  readonly at_ms: number;
  /** What happens then, in a sentence. */
  readonly what: string;
  readonly application_id: ApplicationId | null;
  readonly user_id: UserId | null;
  readonly lobby_id: LobbyId | null;
  /** Of the record that it belongs to, where that is no secret. */
  readonly id: Snowflake | string | null;
  /** The console's view that shows it; null: none does. */
  readonly link: string | null;
}

/** `POST /control/clock`: `{"advance_ms":1000}`, `{"to_next":true}` or `{"to_ms":1700000000000}`; with `kinds` only those count. 409 on the system clock. */
export type ClockBody =
  | { readonly advance_ms: number }
  | { readonly to_next: true; readonly kinds?: readonly TimerKind[] }
  | { readonly to_ms: number };

export interface ClockAnswer {
  readonly now_ms: number;
}

/** The answer to `to_next`. */
export interface ClockToNextAnswer extends ClockAnswer {
  /** What was due then; null: nothing is, and the clock did not move. */
  readonly timer: TimerDetails | null;
}
