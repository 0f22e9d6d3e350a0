/** A file of a message, as it is served again. */
export interface StoredFile {
  readonly name: string;
  /** Its media type; empty if none was sent. */
  readonly type: string;
  readonly content: Uint8Array;
}

/** The files of messages, where every node finds them: bounded, the oldest make room, and each is deleted after a day. */
export interface FileStore {
  /**
   * Resolves when it is stored.
   *
   * @param key must not be guessable
   * @throws StoreError `store_unavailable`, `store_failed`, `store_full`
   */
  put(key: string, file: StoredFile): Promise<void>;
  /** @throws as {@link put} */
  get(key: string): Promise<StoredFile | undefined>;
  /** Deletes all of them. */
  clear(): Promise<void>;
}
