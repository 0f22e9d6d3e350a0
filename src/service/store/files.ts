/** A file of a message. */
export interface StoredFile {
  readonly name: string;
  /** Its media type; empty if none was sent. */
  readonly type: string;
  readonly content: Uint8Array;
}

/** A stored file, as it is served again. */
export interface ServedFile {
  readonly type: string;
  readonly size: number;
  /** Its content in pieces, each read when the one before it was taken. */
  readonly pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/** The files of messages, where every node finds them: bounded for each owner and in all, and each is deleted after a day. */
export interface FileStore {
  /**
   * Resolves when it is stored.
   *
   * @param key must not be guessable
   * @param owner whose other files make room first
   * @throws StoreError `store_unavailable`, `store_failed`, `store_full`
   */
  put(key: string, owner: string, file: StoredFile): Promise<void>;
  /** @throws as {@link put} */
  get(key: string): Promise<ServedFile | undefined>;
  /** Deletes all of them. */
  clear(): Promise<void>;
}
