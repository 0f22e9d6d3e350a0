import type { Issue } from '../../model/errors/issue.ts';
import { snowflakeTimeMsMax } from '../../model/snowflake.ts';
import type { StoreContent } from '../store/contract.ts';
import { collectionNames, indexFields, keyFields } from '../store/keys.ts';
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
