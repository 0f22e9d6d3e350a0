import { Icon } from '../../ui/icon.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { signInWords as words } from '../../words/en/sign-in.ts';
import { type Exchange, partsOf, type Verdict } from './flow.ts';

/** An address part by part. Nothing of it is a link: it was made by somebody else. */
export function AddressParts({ address, label }: { readonly address: string; readonly label: string }) {
  const { base, parameters } = partsOf(address);
  return (
    <div class="sign-in-address">
      <p class="mono">{base}</p>
      {parameters.length > 0 && (
        <table class="sign-in-table" aria-label={label}>
          <thead class="visually-hidden">
            <tr>
              <th scope="col">{words.address.parameter}</th>
              <th scope="col">{words.address.value}</th>
            </tr>
          </thead>
          <tbody>
            {parameters.map(([name, value], i) => (
              <tr key={`${i} ${name}`}>
                <th scope="row" class="mono">
                  {name}
                </th>
                <td class="mono">{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

export function VerdictView({ verdict: { tone, outcome, message, code } }: { readonly verdict: Verdict }) {
  const advice = code === undefined ? undefined : words.sdk.advice[code];
  return (
    <div class={`sign-in-verdict ${tone}`} role="status">
      <Icon name={tone === 'good' ? 'check' : 'warning'} />
      <div>
        <p>
          <span class="hint">{words.sdk.title}: </span>
          <strong class="mono">{outcome}</strong>
        </p>
        <p class="sign-in-message">{message}</p>
        {advice && <p class="hint">{advice}</p>}
      </div>
    </div>
  );
}

/** A request with its answer; secrets of both are shown, because they are what one wants to see here. */
export function ExchangeView({ exchange: { method, path, form, status, body } }: { readonly exchange: Exchange }) {
  return (
    <div class="stack">
      <p class="mono">
        {method} {path} <span class={`badge ${status < 400 ? 'good' : 'fault'}`}>{words.exchange.answer(status)}</span>
      </p>
      <details>
        <summary>{words.exchange.sent}</summary>
        <JsonView value={form} label={words.exchange.sent} />
      </details>
      {Object.keys(body).length > 0 && <JsonView value={body} label={words.exchange.answer(status)} />}
    </div>
  );
}
