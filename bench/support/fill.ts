import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LobbyMemberRecord, LobbyRecord } from '../../src/service/store/records.ts';
import { openSqliteStore } from '../../src/service/store/sqlite/store.ts';

const perTransaction = 5_000;
const idleTimeoutSeconds = 604_800;

/** The n-th lobby of a filled store. */
export function lobbyId(n: number): string {
  return String(1_300_000_000_000_000_000n + (BigInt(n) << 22n));
}

/** Puts `count` idle lobbies of two members each into a data folder of the service, as it would store them itself. */
export async function fillWithLobbies(folder: string, count: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const store = await openSqliteStore({ location: join(folder, 'rallypoint.sqlite'), sink: () => {} });
  for (let first = 0; first < count; first += perTransaction) {
    await store.transact('fill', transaction => {
      for (let n = first; n < Math.min(count, first + perTransaction); n++) {
        transaction.put('lobbies', lobby(n));
        for (const userId of ['1', '2']) transaction.put('lobby_members', member(n, userId));
      }
    });
  }
  await store.close();
}

function lobby(n: number): LobbyRecord {
  return {
    id: lobbyId(n),
    application_id: '100',
    metadata: { map: 'harbour', mode: 'ranked' },
    flags: 0,
    idle_timeout_seconds: idleTimeoutSeconds,
    override_event_webhooks_url: null,
    member_count: 2,
    secret_hash: null,
    secret_expires_at_ms: null,
    linked_guild_id: null,
    linked_channel_id: null,
    link: null,
    message_count: 0,
    expires_at_ms: Date.now() + idleTimeoutSeconds * 1000,
    attended: false,
  };
}

function member(n: number, user_id: string): LobbyMemberRecord {
  const metadata = { team: user_id === '1' ? 'red' : 'blue' };
  return {
    ...{ lobby_id: lobbyId(n), user_id, application_id: '100', metadata, flags: 0, additional_name: null },
    ...{ voice: null, voice_session_id: null },
  };
}
