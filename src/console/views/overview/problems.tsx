import type { ControlProblem } from '../../../wire/control/status.ts';
import { Icon } from '../../ui/icon.tsx';
import { words } from '../../words/en/overview.ts';

/** What goes wrong now, the worst first, each with a link to where more is shown. */
export function Problems({ problems }: { readonly problems: readonly ControlProblem[] }) {
  return (
    <section class="stack" aria-labelledby="overview-problems">
      <h2 id="overview-problems">{words.problems}</h2>
      {problems.length === 0 ? (
        <p class="overview-fine">
          <Icon name="check" />
          {words.noProblems}
        </p>
      ) : (
        <ul class="stack">
          {problems.map(({ severity, code, message, link }) => (
            <li key={`${code}/${message}`} class={`overview-problem ${severity}`}>
              <Icon name="warning" />
              <span class="grow">
                <strong>{words.severities[severity]}:</strong> {message}
              </span>
              {link?.startsWith('#/') && (
                <a href={link} aria-label={`${words.more}: ${message}`}>
                  {words.more}
                </a>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
