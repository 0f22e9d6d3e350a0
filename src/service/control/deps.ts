import type { Snowflake, UserId } from '../../model/snowflake.ts';
import type { ActingTokens } from '../auth/acting.ts';
import type { Core } from '../core.ts';
import type { SignInMode } from '../features/oauth/sign-in/sign-in-mode.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { FaultInjector } from '../testing/faults/faults.ts';
import type { FixtureLoader } from '../testing/fixtures/fixtures.ts';
import type { RemovalParts } from '../testing/removal.ts';
import type { SelfAnswer, SelfRequest } from './ask-self.ts';

/** What the control API needs. */
export interface ControlDeps {
  readonly core: Core;
  /** The bearer token of all calls. */
  readonly controlToken: string;
  /** Advances a virtual clock; absent on the system clock. */
  readonly advance?: (ms: number) => Promise<number>;
  readonly fixtures: FixtureLoader;
  readonly faults: FaultInjector;
  /** What users, applications and guilds have that is deleted with them. */
  readonly removalParts: RemovalParts;
  /** What the consent page does with a user's decision. */
  readonly decide: (decision: ConsentDecision) => Promise<{ readonly redirectTo: string }>;
  /** What the device page does with a user's decision. */
  readonly decideDevice: (decision: DeviceConsentDecision) => Promise<void>;
  /** Revokes every token of the user, and closes the gateway sessions that were opened with one. */
  readonly endUserTokens: (userId: UserId) => Promise<void>;
  /** Ends one authorization with all its tokens. @returns whether there was one */
  readonly endAuthorization: (id: Snowflake) => Promise<boolean>;
  /** The gateway of this node. */
  readonly gateway: Pick<Gateway, 'sessions' | 'sessionCount' | 'connectionCount'>;
  /** Issues credentials for acting; absent while the console is off. */
  readonly acting: ActingTokens | undefined;
  /** Sends a request to this service's own HTTP server. */
  readonly askSelf: (asked: SelfRequest) => Promise<SelfAnswer>;
  /** The address of the control API. */
  readonly controlBase: () => string;
  /** When the service began, on the machine's clock, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  /** Why the service is not ready; empty if it is. */
  readonly readiness: () => Promise<readonly string[]>;
  readonly signIn: SignInMode;
  readonly hasVoice: boolean;
  /** Other machines can reach the service. */
  readonly isPublic: boolean;
  /** Calls `stop` when the service begins to stop. */
  readonly onStop: (stop: () => void) => void;
  /** Called after the whole state was replaced: closes gateway sessions and restarts the sweeps, on every node. */
  readonly stateReplaced: () => void | Promise<void>;
}

export interface DeviceConsentDecision {
  /** The code that the device shows. */
  readonly userCode: string;
  readonly userId: string;
  readonly decision: 'approve' | 'deny';
}

export interface ConsentDecision {
  readonly authorizeUrl: string;
  readonly userId: string;
  readonly decision: 'approve' | 'deny';
  readonly guildId?: string | null;
}
