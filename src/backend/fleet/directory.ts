/**
 * Where game servers record which lobbies they own: a small persistent map, text → text, that all of them share. The
 * interface can neither list nor search lobbies, so a lobby that is not recorded here cannot be found again.
 *
 * It must be linearizable: a read sees every write that was acknowledged before it, and if two callers compare and set
 * the same key concurrently, one gets false. Any database can do that: `UPDATE … WHERE key = ? AND value = ?` is enough.
 * If a method throws, the caller gets an OwnershipError `directory_failed` with that as its cause; the write may or may
 * not have been done.
 */
export interface LobbyDirectory {
  get(key: string): Promise<string | undefined>;
  /** Every key that begins with `prefix`, with its value. */
  list(prefix: string): Promise<ReadonlyMap<string, string>>;
  /**
   * Writes `after` (undefined: deletes the key) if the value is `before` (undefined: there is none).
   *
   * @returns whether it was, and has been written
   */
  compareAndSet(key: string, before: string | undefined, after: string | undefined): Promise<boolean>;
}

/** A directory in memory, for a single server and for tests. */
export function memoryLobbyDirectory(): LobbyDirectory {
  const values = new Map<string, string>();
  return {
    async get(key) {
      return values.get(key);
    },
    async list(prefix) {
      return new Map([...values].filter(([key]) => key.startsWith(prefix)));
    },
    async compareAndSet(key, before, after) {
      if (values.get(key) !== before) return false;
      if (after === undefined) values.delete(key);
      else values.set(key, after);
      return true;
    },
  };
}
