import type {
  EntryPointAnswer,
  EntryPointDraft,
  PlayerView,
  RefusalBody,
  RefusalIssue,
  SavedEntryPoint,
} from '../../game-backend/contract.ts';

/** The game's own server refused, or could not be reached (`backend_unreachable`). */
export class BackendRefusal extends Error {
  readonly code: RefusalBody['code'] | 'backend_unreachable';
  readonly issues: readonly RefusalIssue[];

  constructor({ code, message, issues = [] }: Omit<RefusalBody, 'code'> & { readonly code: BackendRefusal['code'] }) {
    super(message);
    this.name = 'BackendRefusal';
    this.code = code;
    this.issues = issues;
  }
}

/** What the game asks of its own server, each time with the player's access token. */
export interface GameBackend {
  whoAmI(): Promise<PlayerView>;
  readEntryPoint(): Promise<EntryPointAnswer>;
  /** Only the application's owner may. */
  saveEntryPoint(draft: EntryPointDraft): Promise<SavedEntryPoint>;
}

const answerMsMax = 10_000;

/** @param accessToken the one to use now; asked for at each call, since it is renewed from time to time */
export function createGameBackend(base: string, accessToken: () => Promise<string>): GameBackend {
  return {
    whoAmI: () => call('GET', '/me'),
    readEntryPoint: () => call('GET', '/entry-point'),
    saveEntryPoint: draft => call('PUT', '/entry-point', draft),
  };

  async function call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const authorization = `Bearer ${await accessToken()}`;
    const answer = await fetch(base + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      redirect: 'error',
      signal: AbortSignal.timeout(answerMsMax),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch(() => undefined);
    const told: unknown = await answer?.json().catch(() => undefined);
    if (answer?.ok && told !== undefined) return told as Answer;
    if (isRefusal(told)) throw new BackendRefusal(told);
    throw new BackendRefusal({ code: 'backend_unreachable', message: 'The game server cannot be reached.' });
  }
}

function isRefusal(value: unknown): value is RefusalBody {
  const { code, message } = Object(value) as Partial<RefusalBody>;
  return typeof code === 'string' && typeof message === 'string';
}
