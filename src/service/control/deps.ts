import type { UserId } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import type { FaultInjector } from '../testing/faults/faults.ts';
import type { FixtureLoader } from '../testing/fixtures/fixtures.ts';

/** What the control API works with. */
export interface ControlDeps {
  readonly core: Core;
  /** What callers prove themselves by. */
  readonly controlToken: string;
  /** Moves the service's clock when it is a virtual one; absent on the system's clock. */
  readonly advance?: (ms: number) => Promise<number>;
  readonly fixtures: FixtureLoader;
  readonly faults: FaultInjector;
  /** What the consent page does with a user's answer. */
  readonly decide: (decision: ConsentDecision) => Promise<{ readonly redirectTo: string }>;
  /** What the page for devices does with a user's answer. */
  readonly decideDevice: (decision: DeviceConsentDecision) => Promise<void>;
  /** Ends whatever lets somebody act as the user, and closes the sessions that lived by it. */
  readonly endUserTokens: (userId: UserId) => Promise<void>;
  /** Called after the whole state was replaced: closes gateway sessions, and lets whoever waits by the store look again. */
  readonly stateReplaced: () => void | Promise<void>;
}

export interface DeviceConsentDecision {
  /** As the device shows it. */
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
