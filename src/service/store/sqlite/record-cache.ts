import type { CollectionName } from '../records.ts';

interface Entry {
  readonly record: object;
  readonly size: number;
}
type Generation = Map<CollectionName, Map<string, Entry>>;

/**
 * Decoded records that were used lately, bounded by the length of their JSON. Two generations: what is used is in the
 * young one; when that fills half the bound it becomes the old one, and what was in the old one, unused since, is
 * forgotten. A hit costs one look-up and moves nothing.
 */
export class RecordCache {
  readonly #generationSizeMax: number;
  #young: Generation = new Map();
  #old: Generation = new Map();
  #youngSize = 0;

  /** @param sizeMax UTF-16 units of JSON, at least */
  constructor(sizeMax: number) {
    this.#generationSizeMax = sizeMax / 2;
  }

  get(collection: CollectionName, key: string): object | undefined {
    const young = this.#young.get(collection)?.get(key);
    if (young) return young.record;
    const old = this.#old.get(collection)?.get(key);
    if (old) this.#add(collection, key, old);
    return old?.record;
  }

  /** @param size length of the record's JSON */
  set(collection: CollectionName, key: string, record: object, size: number): void {
    this.#add(collection, key, { record, size });
  }

  delete(collection: CollectionName, key: string): void {
    const young = this.#young.get(collection);
    this.#youngSize -= young?.get(key)?.size ?? 0;
    young?.delete(key);
    this.#old.get(collection)?.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#youngSize = 0;
  }

  /** An entry of the same key in the old generation is hidden from here on, and goes with that. */
  #add(collection: CollectionName, key: string, entry: Entry): void {
    let records = this.#young.get(collection);
    if (!records) {
      records = new Map();
      this.#young.set(collection, records);
    }
    this.#youngSize += entry.size - (records.get(key)?.size ?? 0);
    records.set(key, entry);
    if (this.#youngSize <= this.#generationSizeMax) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSize = 0;
  }
}
