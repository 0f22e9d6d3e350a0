import type { Core } from '../../core.ts';
import type { GatewaySessionRecord } from '../../store/records.ts';
import { Alarms } from '../connection/alarms.ts';
import type { SessionPrincipal } from '../identify.ts';

/** What a session depends on: not only its token, but also every token that a refresh replaces it with. */
export function credentialOf(principal: SessionPrincipal): string | null {
  switch (principal.kind) {
    case 'bot':
      return principal.application.bot_token_hash;
    case 'user':
      return principal.token.grant_id;
    case 'session':
      return principal.token.hash;
  }
}

/** A session, as far as its credential is concerned. */
interface Watched {
  readonly record: GatewaySessionRecord;
  readonly hasEnded: boolean;
}

/** Notices when a session's credential is no longer valid: it was revoked, replaced or has expired. */
export class CredentialWatch<Session extends Watched> {
  readonly #core: Core;
  readonly #alarms: Alarms<Session>;

  /** @param onDue the session's credential may have expired: {@link check} it */
  constructor(core: Core, onDue: (session: Session) => void) {
    this.#core = core;
    this.#alarms = new Alarms(core.clock, onDue);
  }

  /** When the credential expires: null: never; undefined: it is no longer valid. */
  async end({ kind, application_id, credential }: GatewaySessionRecord): Promise<number | null | undefined> {
    const { store, clock } = this.#core;
    if (kind === 'session') return (await store.get('tokens', credential ?? ''))?.expires_at_ms;
    if (kind === 'bot') {
      const application = await store.get('applications', application_id ?? '');
      return application?.bot_token_hash === credential ? null : undefined;
    }
    let end: number | undefined;
    for (const token of await store.list('tokens', { index: 'byGrant', equals: [credential ?? ''] })) {
      // A grant can have tokens of child applications, too.
      if (token.kind !== 'access' || token.application_id !== application_id) continue;
      if (token.expires_at_ms === null) return null;
      if (token.expires_at_ms > clock.now()) end = Math.max(end ?? 0, token.expires_at_ms);
    }
    return end;
  }

  /** Whether the session's credential is still valid; if so, it stays watched. */
  async check(session: Session): Promise<boolean> {
    const end = await this.end(session.record);
    if (end !== undefined && !session.hasEnded) this.watch(session, end);
    return end !== undefined;
  }

  /** @param endMs when to check the credential again; null: never */
  watch(session: Session, endMs: number | null): void {
    if (endMs === null) this.#alarms.drop(session);
    else this.#alarms.set(session, endMs);
  }

  drop(session: Session): void {
    this.#alarms.drop(session);
  }

  /** Stops watching a session. */
  close(): void {
    this.#alarms.close();
  }
}
