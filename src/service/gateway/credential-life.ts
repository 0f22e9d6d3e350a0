import type { StoreView } from '../store/contract.ts';
import type { GatewaySessionRecord } from '../store/records.ts';
import type { SessionPrincipal } from './identify.ts';

/** What a session lives by: not the one token it came with, but all that a refresh puts in its place. */
export function credentialOf(principal: SessionPrincipal): string | null {
  switch (principal.kind) {
    case 'bot':
      return principal.application.bot_token_hash;
    case 'user':
      return principal.token.grant_id;
    case 'session':
      return null;
  }
}

/** Until when a session's credential holds: null without end, undefined when it holds no more. */
export async function credentialEnd(
  view: StoreView,
  { kind, application_id, credential }: GatewaySessionRecord,
  nowMs: number,
): Promise<number | null | undefined> {
  if (kind === 'session') return null;
  if (kind === 'bot') {
    const application = await view.get('applications', application_id ?? '');
    return application?.bot_token_hash === credential ? null : undefined;
  }
  let end: number | null | undefined;
  for (const token of await view.list('tokens', { index: 'byGrant', equals: [credential ?? ''] })) {
    if (token.kind !== 'access') continue;
    if (token.expires_at_ms === null) return null;
    if (token.expires_at_ms > nowMs) end = Math.max(end ?? 0, token.expires_at_ms);
  }
  return end;
}
