import { isSealed, type Vault, wrongSecret } from '../support/vault.ts';
import type { Store, StoreContent } from './contract.ts';
import type { ApplicationRecord, SettingRecord } from './records.ts';

/** The setting that holds the private key of ID tokens. */
export const signingKeySetting = 'oauth_signing_key';
/** The setting that holds the fixtures given at the start, with the private keys of their applications. */
export const fixturesSetting = 'fixtures';
/** The setting that holds the key that generated secrets of fixtures are derived from. */
export const fixturesKeySetting = 'fixtures_key';
/** The setting by which a node recognizes that it has another secret than those before it. */
const proofSetting = 'secret';
const proofText = 'This can be read with the right secret.';

/**
 * Checks that the keys in the store can be read with the secrets of this node, and encrypts those that are not encrypted by the
 * first one: those from before there was a secret, and those under the secret before.
 *
 * @param vault absent without a secret
 * @throws ArgumentError `wrong_secret`
 */
export async function protectKeys(store: Store, vault: Vault | undefined): Promise<void> {
  const proof = (await store.get('settings', proofSetting))?.value;
  if (isSealed(proof)) {
    if (!vault) throw wrongSecret();
    vault.open(proof);
  }
  // While the secret is being changed, other nodes may still encrypt by the one before: each node that starts looks at every key.
  if (!vault || (isSealed(proof) && vault.isCurrent(proof) && !vault.hasOthers)) return;
  for (const { id, signing_key } of await store.list('applications')) {
    if (vault.isCurrent(signing_key)) continue;
    await store.transact(
      `application/${id}`,
      async transaction => {
        const record = await transaction.get('applications', id);
        if (record) transaction.put('applications', sealedApplication(record, vault));
      },
      ['fixtures'],
    );
  }
  for (const name of [signingKeySetting, fixturesSetting, fixturesKeySetting]) {
    await store.transact(name === fixturesSetting ? 'fixtures' : 'settings', async transaction => {
      const record = await transaction.get('settings', name);
      if (record) transaction.put('settings', sealedSetting(record, vault));
    });
  }
  // Last, so that a node that fails before is followed by one that does the rest.
  await store.transact('settings', transaction =>
    transaction.put('settings', { name: proofSetting, value: vault.seal(proofText) }),
  );
}

/** The content with all keys encrypted. */
export function withSealedKeys(content: StoreContent, vault: Vault | undefined): StoreContent {
  if (!vault) return content;
  const settings = content.settings.map(record => sealedSetting(record, vault));
  return {
    ...content,
    applications: content.applications.map(record => sealedApplication(record, vault)),
    settings: [...settings, { name: proofSetting, value: vault.seal(proofText) }],
  };
}

/**
 * One record with its keys in clear text.
 *
 * @returns the same record where it has none that is encrypted; undefined for the proof of the secret
 * @throws ArgumentError `wrong_secret`
 */
export function openedRecord(
  name: 'applications' | 'settings',
  record: object,
  vault: Vault | undefined,
): object | undefined {
  if (name === 'settings' && (record as SettingRecord).name === proofSetting) return undefined;
  let isChanged = false;
  const open = (text: string) => {
    if (!isSealed(text)) return text;
    if (!vault) throw wrongSecret();
    isChanged = true;
    return vault.open(text);
  };
  if (name === 'settings') {
    const opened = mapSetting(record as SettingRecord, open);
    return isChanged ? opened : record;
  }
  const application = record as ApplicationRecord;
  const opened = { ...application, signing_key: open(application.signing_key) };
  return isChanged ? opened : record;
}

function sealedApplication(record: ApplicationRecord, vault: Vault): ApplicationRecord {
  return { ...record, signing_key: resealed(record.signing_key, vault) };
}

function sealedSetting(record: SettingRecord, vault: Vault): SettingRecord {
  return mapSetting(record, text => resealed(text, vault));
}

function resealed(text: string, vault: Vault): string {
  return vault.isCurrent(text) ? text : vault.seal(vault.open(text));
}

/** A setting with a private key, with another text for each; any other as it is. */
function mapSetting(record: SettingRecord, change: (text: string) => string): SettingRecord {
  const { name, value } = record;
  if (name === signingKeySetting) return { name, value: fromText(change(textOf(value))) };
  if (name === fixturesKeySetting) return { name, value: change(String(value)) };
  const records = name === fixturesSetting ? (value as { records?: FixtureApplications }).records : undefined;
  if (!records?.applications) return record;
  const applications = records.applications.map(one => ({ ...one, signing_key: change(one.signing_key) }));
  return { name, value: { ...(value as object), records: { ...records, applications } } };
}

interface FixtureApplications {
  readonly applications?: readonly ApplicationRecord[];
}

function textOf(value: unknown): string {
  return isSealed(value) ? value : JSON.stringify(value);
}

function fromText(text: string): unknown {
  return isSealed(text) ? text : JSON.parse(text);
}
