import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../src/wire/clock/ports.ts';
import { answerJson, type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

/**
 * What becomes of a request:
 *
 * - `answer`: what should
 * - `lose`: it is carried out, and the answer is lost on its way
 * - `hold`: it is carried out, and answered when {@link TokenOffice.release} is called
 * - a number: this status instead; a text: this OAuth2 error instead
 */
export type Mood = 'answer' | 'lose' | 'hold' | number | (string & {});

/** A token endpoint over real HTTP, for one player's tokens, whose trouble the test decides. Refresh tokens work once. */
export class TokenOffice {
  /** What becomes of the requests to come: one each, and the last one from then on. */
  moods: Mood[] = ['answer'];
  /** Whether the same refresh by the same key is answered again. */
  knowsKeys = true;
  /** The pause that a 429 asks for. */
  retryAfterSeconds = 20;
  /** How long access tokens live. */
  lifeSeconds = 3_600;
  /** Refresh requests received, and refresh tokens used up. */
  asked = 0;
  refreshed = 0;
  readonly revoked: string[] = [];
  /** The service's own time; when set, refreshes answer with an ID token of that time. */
  serviceTime: (() => number) | undefined;
  /** Requests for the current user, by the token they were sent with. */
  readonly userRequests: string[] = [];
  /** Whether the API rejects every token. */
  rejectsAll = false;
  readonly #clock: Clock;
  readonly #answers = new Map<string, object>();
  #held: (() => void)[] = [];
  #arrived = Promise.withResolvers<void>();
  #pair = 0;
  /** Whether the present access token is invalid. */
  #isOutdated = false;
  #server: LoopbackServer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async open(): Promise<void> {
    this.#server = await startLoopbackServer(({ url, body, headers }, response) => {
      if (url.endsWith('/users/@me')) return this.#user(headers.authorization ?? '', response);
      const form = Object.fromEntries(new URLSearchParams(body));
      if (url.endsWith('/revoke')) this.#revoke(form, response);
      else this.#refresh(form, response);
    });
  }

  get baseUrl(): string {
    return this.#server?.baseUrl ?? '';
  }

  get accessToken(): string {
    return `access-${this.#pair}`;
  }

  get refreshToken(): string {
    return `refresh-${this.#pair}`;
  }

  /** The access token becomes invalid before its time; the refresh token still works. */
  outdate(): void {
    this.#isOutdated = true;
  }

  /** A new sign-in. */
  issue() {
    this.#pair++;
    return {
      accessToken: this.accessToken,
      refreshToken: this.refreshToken,
      tokenType: 'Bearer',
      expiresInSeconds: this.lifeSeconds,
      expiresAtMs: this.#clock.now() + this.lifeSeconds * 1000,
      scopes: 'openid',
    } as const;
  }

  /** Resolves when so many refreshes have been asked for. */
  async untilAsked(count: number): Promise<void> {
    while (this.asked < count) await this.#arrived.promise;
  }

  /** Answers what is held. */
  release(): void {
    for (const answer of this.#held) answer();
    this.#held = [];
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  #refresh(form: Record<string, string>, response: ServerResponse): void {
    this.asked++;
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
    const mood = this.#nextMood();
    if (this.#refuses(mood, response)) return;
    const answer = this.#answerTo(form);
    const reply = () =>
      answer ? answerJson(response, 200, answer) : answerJson(response, 400, { error: 'invalid_grant' });
    if (mood === 'lose') response.destroy();
    else if (mood === 'hold') this.#held.push(reply);
    else reply();
  }

  #answerTo({ refresh_token = '', idempotency_key }: Record<string, string>): object | undefined {
    const request = this.knowsKeys && idempotency_key ? `${refresh_token} ${idempotency_key}` : undefined;
    const before = request === undefined ? undefined : this.#answers.get(request);
    if (before) return before;
    if (refresh_token !== this.refreshToken) return undefined;
    const answer = this.#rotate();
    if (request !== undefined) this.#answers.set(request, answer);
    return answer;
  }

  #rotate(): object {
    this.#pair++;
    this.#isOutdated = false;
    this.refreshed++;
    return {
      access_token: this.accessToken,
      refresh_token: this.refreshToken,
      token_type: 'Bearer',
      expires_in: this.lifeSeconds,
      scope: 'openid',
      ...(this.serviceTime && { id_token: this.#idToken(this.serviceTime()) }),
    };
  }

  #idToken(nowMs: number): string {
    const iat = Math.floor(nowMs / 1000);
    const claims = { iss: this.baseUrl, aud: '1', sub: '9', iat, exp: iat + this.lifeSeconds };
    return [{ alg: 'RS256' }, claims, 'signature']
      .map(part => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
  }

  #user(authorization: string, response: ServerResponse): void {
    const token = authorization.replace('Bearer ', '');
    this.userRequests.push(token);
    if (token === this.accessToken && !this.#isOutdated && !this.rejectsAll)
      answerJson(response, 200, { id: '9', username: 'ada' });
    else answerJson(response, 401, { message: '401: Unauthorized', code: 0 });
  }

  #revoke({ token = '' }: Record<string, string>, response: ServerResponse): void {
    if (this.#refuses(this.#nextMood(), response)) return;
    this.revoked.push(token);
    answerJson(response, 200, {});
  }

  /** Answers in the mood's stead, if it is one that carries nothing out. */
  #refuses(mood: Mood, response: ServerResponse): boolean {
    if (mood === 'answer' || mood === 'lose' || mood === 'hold') return false;
    if (typeof mood === 'number')
      answerJson(response, mood, { message: 'no', code: 0, retry_after: this.retryAfterSeconds });
    else answerJson(response, 400, { error: mood });
    return true;
  }

  #nextMood(): Mood {
    return (this.moods.length > 1 ? this.moods.shift() : this.moods[0]) ?? 'answer';
  }
}
