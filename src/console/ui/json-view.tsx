import { useState } from 'preact/hooks';
import { words } from '../words/en.ts';

const stringShownMax = 400;
const itemsShownMax = 100;

/**
 * Any JSON value as text with colours and folds. Strings of players stay text. Long ones and long lists are shown in part first.
 *
 * @param depth how many levels are open at first
 */
export function JsonView({
  value,
  label,
  depth = 2,
}: {
  readonly value: unknown;
  readonly label?: string;
  readonly depth?: number;
}) {
  return (
    <div class="json" role="group" aria-label={label} tabIndex={0}>
      <Value value={value} depth={depth} />
    </div>
  );
}

function Value({ value, depth }: { readonly value: unknown; readonly depth: number }) {
  if (typeof value === 'string') return <Text text={value} />;
  if (typeof value !== 'object' || value === null) {
    return <span class={`json-${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
  }
  return Array.isArray(value) ? (
    <Node entries={value.map((item, index) => [String(index), item])} isList depth={depth} />
  ) : (
    <Node entries={Object.entries(value)} depth={depth} />
  );
}

function Text({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const rest = text.length - stringShownMax;
  if (rest <= 0 || isWhole) return <span class="json-string">{JSON.stringify(text)}</span>;
  return (
    <>
      <span class="json-string">{JSON.stringify(text.slice(0, stringShownMax))}</span>{' '}
      <button type="button" class="json-more" onClick={() => setWhole(true)}>
        {words.kit.chars(rest)}
      </button>
    </>
  );
}

function Node({
  entries,
  isList = false,
  depth,
}: {
  readonly entries: readonly (readonly [string, unknown])[];
  readonly isList?: boolean;
  readonly depth: number;
}) {
  const [isOpen, setOpen] = useState(depth > 0);
  const [shown, setShown] = useState(itemsShownMax);
  const [begin, end] = isList ? ['[', ']'] : ['{', '}'];
  if (entries.length === 0) return <span>{`${begin}${end}`}</span>;
  const count = isList ? words.kit.items(entries.length) : words.kit.keys(entries.length);
  const rest = entries.length - shown;
  return (
    <>
      <button type="button" class="json-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? begin : `${begin} ${count} ${end}`}
      </button>
      {isOpen && (
        <>
          <ul>
            {entries.slice(0, shown).map(([key, item]) => (
              <li key={key}>
                <span class="json-key">{isList ? key : JSON.stringify(key)}</span>:{' '}
                <Value value={item} depth={depth - 1} />
              </li>
            ))}
            {rest > 0 && (
              <li>
                <button type="button" class="json-more" onClick={() => setShown(shown + itemsShownMax * 10)}>
                  {words.kit.more(rest)}
                </button>
              </li>
            )}
          </ul>
          <span>{end}</span>
        </>
      )}
    </>
  );
}
