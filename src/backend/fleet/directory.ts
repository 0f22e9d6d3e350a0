/**
 * Where game servers write down which lobbies are theirs: a small persistent map, text → text, that all of them share.
 * The interface can neither list nor search lobbies, so what is not written down here cannot be found again.
 *
 * It must be linearizable: a read sees every write that was acknowledged before it, and of two that compare and set the
 * same key at once one is told false. Any database can be it: `UPDATE … WHERE key = ? AND value = ?` is enough.
 * What it throws comes back as the cause of an OwnershipError `directory_failed`; the write then counts as neither done
 * nor undone.
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

/** A directory that ends with the process: for one server, and for tests. */
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
