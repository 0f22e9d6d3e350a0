import { integrationTypes } from '../../../model/command.ts';
import type { ApplicationDetails } from '../../../wire/control/world.ts';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.ts';
import { UserPicker } from '../../ui/user-picker.tsx';
import { worldWords } from '../../words/en/world.ts';
import { CheckboxSet, FormDialog, noOwner, useForm } from './form-frame.tsx';
import { type FreshSecret, freshSecrets, saveEntry } from './save-fixture.ts';

const words = worldWords.applications;
const shown = [
  ...['name', 'description', 'owner_id', 'redirect_uris', 'integration_types'],
  ...['interactions_endpoint_url', 'event_webhooks_url', 'parent_id', 'id'],
];

/** Creates an application, or edits one. */
export function ApplicationForm({
  application,
  onSaved,
  onClose,
}: {
  readonly application: ApplicationDetails | undefined;
  onSaved(id: string, secrets: readonly FreshSecret[]): void;
  onClose(): void;
}) {
  const { running, fields, changed, isChanged, set, at, text, choice, flag } = useForm(() => ({
    name: application?.name ?? '',
    description: application?.description ?? '',
    owner_id: (application?.owner_id ?? '') as string,
    redirect_uris: (application?.redirect_uris ?? ['http://127.0.0.1/callback']).join('\n'),
    public_client: application?.public_client ?? true,
    embedded: application?.embedded ?? false,
    discoverable: application?.discoverable ?? false,
    bot_require_code_grant: application?.bot_require_code_grant ?? false,
    provisional_accounts: application?.provisional_accounts ?? true,
    integration_types: [...(application?.integration_types ?? Object.values(integrationTypes))] as readonly number[],
    interactions_endpoint_url: application?.interactions_endpoint_url ?? '',
    event_webhooks_url: application?.event_webhooks_url ?? '',
    parent_id: (application?.parent_id ?? '') as string,
  }));

  const save = async () => {
    if (application && !isChanged) return onClose();
    if (fields.owner_id === '') return running.fail(noOwner);
    // What a new application does not say has its default, which need not be that of the form.
    const entry = entryOf(application ? changed : fields);
    const named = { ...(application && { id: application.id }), ...entry };
    const saved = await running.run(() => saveEntry('applications', named));
    if (!saved) return;
    toast(worldWords.saved(String(saved.name)));
    const fresh = application ? [] : freshSecrets({ applications: [named] }, { applications: [saved] });
    onSaved(String(saved.id), fresh);
  };

  return (
    <FormDialog
      title={application ? words.editTitle(application.name) : words.addTitle}
      running={running}
      isChanged={isChanged}
      shown={shown}
      onSave={save}
      onClose={onClose}
    >
      <TextField label={words.name} {...text('name')} />
      <TextField label={words.description} {...text('description')} />
      <UserPicker label={words.owner} {...choice('owner_id')} />
      <TextArea label={words.redirects} hint={words.redirectsHint} rows={3} isMono {...text('redirect_uris')} />
      <CheckboxSet
        legend={words.installs}
        choices={Object.values(integrationTypes).map(value => ({
          value,
          label: words.installNames[value] ?? String(value),
        }))}
        value={fields.integration_types}
        {...at('integration_types')}
        onChange={types => set({ integration_types: types.toSorted() })}
      />
      <Checkbox label={words.publicClient} {...flag('public_client')} />
      <Checkbox label={words.embedded} {...flag('embedded')} />
      <Checkbox label={words.discoverable} {...flag('discoverable')} />
      <Checkbox label={words.requireCode} {...flag('bot_require_code_grant')} />
      <Checkbox label={words.provisional} {...flag('provisional_accounts')} />
      <TextField label={words.interactionsUrl} hint={words.interactionsHint} {...text('interactions_endpoint_url')} />
      <TextField label={words.eventsUrl} {...text('event_webhooks_url')} />
      <TextField label={words.parent} hint={words.parentHint} {...text('parent_id')} />
      <p class="hint">{words.moreInFile}</p>
    </FormDialog>
  );
}

/** The fixture's fields: empty texts are null where that means none, and absent where that means a default. */
function entryOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { redirect_uris, interactions_endpoint_url, event_webhooks_url, parent_id, ...rest } = fields;
  return {
    ...rest,
    ...(typeof redirect_uris === 'string' && {
      redirect_uris: redirect_uris
        .split('\n')
        .map(line => line.trim())
        .filter(line => line !== ''),
    }),
    ...textOrNull({ interactions_endpoint_url, event_webhooks_url, parent_id }),
  };
}

function textOrNull(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, value === '' ? null : value]));
}
