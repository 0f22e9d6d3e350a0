import type { CallAnswer, CallBody, SessionBody } from './act.ts';
import type { CommandsAnswer, CommandsQuery, CommandVersionsAnswer, ExplainAnswer, ExplainBody } from './commands.ts';
import type { LobbiesPage, LobbiesQuery, LobbyDetails } from './lobbies.ts';
import type { SessionActionBody, SessionDetails, SessionsPage, SessionsQuery } from './sessions.ts';
import type { ConversationPage, UserSocial } from './social.ts';
import type { ControlStatus } from './status.ts';
import type { ClockAnswer, ClockBody, ClockToNextAnswer, TimersAnswer, TimersQuery } from './time.ts';
import type { TrafficDetails, TrafficPage, TrafficQuery, TrafficReplay, TrafficReplayBody } from './traffic.ts';
import type {
  ApplicationDetails,
  ApplicationsPage,
  AuthorizationsAnswer,
  GuildDetails,
  GuildMembersPage,
  GuildsPage,
  ListQuery,
  RotateBody,
  RotatedCredential,
  UserDetails,
  UsersPage,
} from './world.ts';

/**
 * The calls of the control API: method and path below `/control` → what is sent and answered, as JSON. All carry the control token
 * (`authorization: Bearer …`); errors are `{"message"}` with 4xx or 5xx. An answer that is undefined is 204.
 *
 * The answers are those with the header `prefer: details`: without it, calls that existed before the console answer as they always did.
 */
export interface ControlCalls {
  'GET /status': { answer: ControlStatus };
  /** The newest entries, or those after or before a number. */
  'GET /traffic': { query: TrafficQuery; answer: TrafficPage };
  'GET /traffic/{id}': { answer: TrafficDetails };
  /** All entries that fit, as a recording of the testing kit: `text` in JSON lines. */
  'GET /traffic/recording': { query: TrafficQuery; answer: { readonly recording: string } };
  'POST /traffic/replay': { body: TrafficReplayBody; answer: TrafficReplay };
  /** Forgets the traffic. */
  'DELETE /traffic': { answer: undefined };
  'GET /applications': { query: ListQuery; answer: ApplicationsPage };
  'GET /applications/{id}': { answer: ApplicationDetails };
  /** 409 for the parent of others. */
  'DELETE /applications/{id}': { answer: undefined };
  'POST /applications/{id}/rotate': { body: RotateBody; answer: RotatedCredential };
  'GET /users': { query: ListQuery & { readonly username?: string }; answer: UsersPage };
  'GET /users/{id}': { answer: UserDetails };
  /** 409 for one who owns an application or a guild. */
  'DELETE /users/{id}': { answer: undefined };
  'GET /users/{id}/social': { answer: UserSocial };
  'GET /users/{id}/conversations/{other}': { query: ListQuery; answer: ConversationPage };
  'GET /users/{id}/authorizations': { answer: AuthorizationsAnswer };
  'POST /users/{id}/session': { body: SessionBody | undefined; answer: { readonly token: string } };
  'DELETE /users/{id}/tokens': { answer: undefined };
  'DELETE /authorizations/{id}': { answer: undefined };
  'GET /guilds': { query: ListQuery; answer: GuildsPage };
  'GET /guilds/{id}': { answer: GuildDetails };
  'GET /guilds/{id}/members': { query: ListQuery; answer: GuildMembersPage };
  'DELETE /guilds/{id}': { answer: undefined };
  /** 409 for the role of everyone. */
  'DELETE /guilds/{id}/roles/{role}': { answer: undefined };
  'DELETE /guilds/{id}/channels/{channel}': { answer: undefined };
  /** 409 for the owner. */
  'DELETE /guilds/{id}/members/{user}': { answer: undefined };
  'GET /lobbies': { query: LobbiesQuery; answer: LobbiesPage };
  'GET /lobbies/{id}': { answer: LobbyDetails };
  'GET /commands': { query: CommandsQuery; answer: CommandsAnswer };
  'GET /commands/{id}/versions': { answer: CommandVersionsAnswer };
  'POST /permissions/explain': { body: ExplainBody; answer: ExplainAnswer };
  'GET /sessions': { query: SessionsQuery; answer: SessionsPage };
  'GET /sessions/{id}': { answer: SessionDetails };
  'POST /sessions/{id}': { body: SessionActionBody; answer: undefined };
  'GET /timers': { query: TimersQuery; answer: TimersAnswer };
  'GET /clock': { answer: ClockAnswer };
  'POST /clock': { body: ClockBody; answer: ClockAnswer | ClockToNextAnswer };
  'POST /call': { body: CallBody; answer: CallAnswer };
  /** The world as a fixtures document without secrets. */
  'GET /fixtures': { answer: FixturesDocument };
  'POST /fixtures': { body: FixturesDocument; answer: FixturesDocument };
  'POST /consent': {
    body: {
      readonly user_id: string;
      readonly decision: 'approve' | 'deny';
      readonly authorize_url?: string;
      readonly user_code?: string;
      readonly guild_id?: string | null;
    };
    answer: { readonly redirect_to: string } | undefined;
  };
  'GET /faults': { answer: { readonly faults: readonly ArmedFaultView[] } };
  'POST /faults': { body: unknown; answer: { readonly faults: readonly ArmedFaultView[] } };
  /** Disarms all faults. */
  'DELETE /faults': { answer: undefined };
  /** Disarms one fault. */
  'DELETE /faults/{id}': { answer: undefined };
  'GET /snapshot': { answer: unknown };
  'PUT /snapshot': { body: unknown; answer: undefined };
  'POST /reset': { answer: undefined };
}

export type ControlCallName = keyof ControlCalls;
export type ControlAnswer<Name extends ControlCallName> = ControlCalls[Name]['answer'];
export type ControlBody<Name extends ControlCallName> = ControlCalls[Name] extends { body: infer Body }
  ? Body
  : undefined;
export type ControlQuery<Name extends ControlCallName> = ControlCalls[Name] extends { query: infer Query }
  ? Query
  : undefined;

/** A fixtures document, as `@rallypoint/sdk/service` exports it as `Fixtures`: lists of plain objects. */
export interface FixturesDocument {
  readonly applications?: readonly Readonly<Record<string, unknown>>[];
  readonly users?: readonly Readonly<Record<string, unknown>>[];
  readonly guilds?: readonly Readonly<Record<string, unknown>>[];
  readonly relationships?: readonly Readonly<Record<string, unknown>>[];
  readonly social_settings?: readonly Readonly<Record<string, unknown>>[];
  readonly direct_messages?: readonly Readonly<Record<string, unknown>>[];
  readonly application_profiles?: readonly Readonly<Record<string, unknown>>[];
}

/** An armed fault: its document, `id`, and how often it is still injected. */
export interface ArmedFaultView {
  readonly id: string;
  readonly kind: string;
  /** Null: without bound. */
  readonly left: number | null;
  /** How often it was injected. */
  readonly struck: number;
  readonly match?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** The error of every call. */
export interface ControlError {
  readonly message: string;
  /** What is wrong in the body, and where: each path leads through the body. */
  readonly issues?: readonly { readonly path: readonly string[]; readonly code: string; readonly message: string }[];
}
