import { limits } from '../../../model/limits/limits.ts';
import { Button } from '../../ui/button.tsx';
import { lobbyWords } from '../../words/en/lobbies.ts';
import { duplicateKeys, type MetadataRow, metadataLength, metadataOf } from './metadata.ts';

const words = lobbyWords.metadata;

/** The entries of a metadata map as rows that are edited, added and removed. */
export function MetadataFields({
  legend,
  rows,
  error,
  onChange,
}: {
  readonly legend: string;
  readonly rows: readonly MetadataRow[];
  readonly error: string | undefined;
  onChange(rows: readonly MetadataRow[]): void;
}) {
  const change = (at: number, changes: Partial<MetadataRow>) =>
    onChange(rows.map((row, nth) => (nth === at ? { ...row, ...changes } : row)));
  const duplicates = [...duplicateKeys(rows)];
  const length = metadataLength(metadataOf(rows));
  return (
    <fieldset class="metadata-fields">
      <legend>{legend}</legend>
      {rows.map((row, at) => (
        <div key={at} class="metadata-row">
          <input
            class="input mono"
            aria-label={`${words.key} ${at + 1}`}
            value={row.key}
            spellcheck={false}
            onInput={event => change(at, { key: event.currentTarget.value })}
          />
          <input
            class="input mono"
            aria-label={`${words.value} ${at + 1}`}
            value={row.value}
            spellcheck={false}
            onInput={event => change(at, { value: event.currentTarget.value })}
          />
          <Button
            kind="quiet"
            icon="trash"
            label={words.removeRow(row.key || String(at + 1))}
            onClick={() => onChange(rows.toSpliced(at, 1))}
          />
        </div>
      ))}
      <div class="metadata-foot">
        <Button icon="plus" onClick={() => onChange([...rows, { key: '', value: '' }])}>
          {words.addRow}
        </Button>
        <span class={length > limits.lobbyMetadataLengthMax ? 'hint over' : 'hint'}>
          {words.length(length, limits.lobbyMetadataLengthMax)}
        </span>
      </div>
      {(error !== undefined || duplicates.length > 0) && (
        <p class="field-error" role="alert">
          {[error, ...duplicates.map(words.duplicate)].filter(Boolean).join(' ')}
        </p>
      )}
    </fieldset>
  );
}
