import type {
  EntryPointDraft,
  EntryPointNews,
  PlayerView,
  RefusalBody,
  SavedEntryPoint,
} from '../../game-backend/contract.ts';
import { GameError } from '../shared/problem.ts';

/** The game's own server refused, or could not be reached (`backend_unreachable`). */
export class BackendRefusal extends GameError {
  constructor({ code, issues }: Pick<RefusalBody, 'issues'> & { readonly code: string }) {
    super(code, issues);
  }
}

/** What the game asks of its own server, each time with the player's access token. */
export interface GameBackend {
  whoAmI(): Promise<PlayerView>;
  /** The entry point and who is there: now, and whenever it changes. Ends with the connection. */
  readEntryPointNews(signal: AbortSignal): AsyncIterable<EntryPointNews>;
  /** Only the application's owner may. */
  saveEntryPoint(draft: EntryPointDraft): Promise<SavedEntryPoint>;
}

const answerMsMax = 10_000;

/** @param accessToken the one to use now; asked for at each call, since it is renewed from time to time */
export function createGameBackend(base: string, accessToken: () => Promise<string>): GameBackend {
  return {
    whoAmI: () => call('GET', '/me'),
    readEntryPointNews: news,
    saveEntryPoint: draft => call('PUT', '/entry-point', draft),
  };

  async function* news(signal: AbortSignal): AsyncGenerator<EntryPointNews> {
    const authorization = `Bearer ${await accessToken()}`;
    const answer = await fetch(`${base}/entry-point/news`, {
      headers: { authorization },
      redirect: 'error',
      signal,
    }).catch(() => undefined);
    if (!answer?.ok || !answer.body) throw refusal(await answer?.json().catch(() => undefined));
    let text = '';
    try {
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
        const events = (text + part).split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) yield JSON.parse(event.slice('data: '.length)) as EntryPointNews;
      }
    } catch {
      throw refusal(undefined);
    }
  }

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
    throw refusal(told);
  }
}

function refusal(told: unknown): BackendRefusal {
  if (isRefusal(told)) return new BackendRefusal(told);
  return new BackendRefusal({ code: 'backend_unreachable' });
}

function isRefusal(value: unknown): value is RefusalBody {
  const { code, message } = Object(value) as Partial<RefusalBody>;
  return typeof code === 'string' && typeof message === 'string';
}
