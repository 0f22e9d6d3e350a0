import type { Issue } from '../../model/errors/issue.ts';
import { snowflakeTimeMsMax } from '../../model/snowflake.ts';
import type { Core } from '../core.ts';
import type { StoreContent } from '../store/contract.ts';
import { collectionNames, indexFields, keyFields } from '../store/keys.ts';
import { openedRecord } from '../store/protected-keys.ts';
import { type CollectionName, numericFields } from '../store/records.ts';
import {
  type Check,
  check,
  isPlainObject,
  issue,
  list,
  nullable,
  object,
  text,
  whole,
} from '../support/document-check.ts';

/** Incremented whenever a change of the records makes older snapshots unreadable. */
export const snapshotVersion = 4;

/** The whole state of a service. It contains no token in clear text, but signing keys: treat it as a secret. */
export interface Snapshot {
  readonly version: typeof snapshotVersion;
  /** The time of the snapshot, on the service's clock: milliseconds since the Unix epoch. */
  readonly at_ms: number;
  readonly content: StoreContent;
}

/** The text that is gathered before it is written, in UTF-16 units. */
const pieceSize = 64 * 1024;

/**
 * The snapshot as JSON, piece by piece.
 *
 * @param write waited for after every piece
 * @throws StoreError as {@link Store.read}; what `write` throws
 */
export async function writeSnapshot(
  { store, clock, vault }: Pick<Core, 'store' | 'clock' | 'vault'>,
  write: (text: string) => Promise<void>,
): Promise<void> {
  let text = `{"version":${snapshotVersion},"at_ms":${clock.now()},"content":{`;
  let current: CollectionName | undefined;
  let isFirst = true;
  await store.read(async (collection, records) => {
    if (collection !== current) {
      text += `${current === undefined ? '' : '],'}"${collection}":[`;
      current = collection;
      isFirst = true;
    }
    const hasKeys = vault && (collection === 'applications' || collection === 'settings');
    for (const record of records) {
      const shown = hasKeys ? openedRecord(collection, record, vault) : record;
      if (!shown) continue;
      text += `${isFirst ? '' : ','}${JSON.stringify(shown)}`;
      isFirst = false;
      if (text.length < pieceSize) continue;
      await write(text);
      text = '';
    }
  });
  await write(`${text}${current === undefined ? '' : ']'}}}`);
}

const keyPartLengthMax = 4096;

/** Every issue of a snapshot: another version, an unknown or missing collection, a record without a valid key. */
export function checkSnapshot(value: unknown): Issue[] {
  if (isPlainObject(value) && value.version !== snapshotVersion) {
    return [issue('other_version', ['version'], snapshotVersion, value.version)];
  }
  return check(value, snapshot);
}

const recordsMax = Number.MAX_SAFE_INTEGER;
const content = Object.fromEntries(collectionNames.map(name => [name, list(record(name), recordsMax)]));
const snapshot = object(
  {
    version: whole(snapshotVersion, snapshotVersion),
    at_ms: whole(0, snowflakeTimeMsMax),
    content: object(content, collectionNames),
  },
  ['version', 'at_ms', 'content'],
);

/** Checks the fields of a record that belong to its key and its indexes. */
function record(name: CollectionName): Check {
  const key = keyFields(name);
  const indexed = indexFields(name);
  return (value, path, issues) => {
    if (!isPlainObject(value)) {
      issues.push(issue('wrong_type', path, 'an object'));
      return;
    }
    for (const field of key) keyPart(field)(value[field], [...path, field], issues);
    for (const field of indexed) nullable(keyPart(field))(value[field], [...path, field], issues);
  };
}

function keyPart(field: string): Check {
  return numericFields.has(field) ? whole(0, Number.MAX_SAFE_INTEGER) : text(0, keyPartLengthMax);
}
