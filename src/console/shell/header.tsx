import { isClockKnown, isClockVirtual, serviceNow } from '../control/clock.ts';
import { serviceState } from '../control/service-state.ts';
import { hrefOf } from '../router.ts';
import { Icon } from '../ui/icon.tsx';
import { clockText } from '../ui/text/time.ts';
import { words } from '../words/en.ts';
import { isMenuOpen } from './navigation.tsx';
import { isPaletteOpen } from './palette.tsx';
import { Settings } from './settings.tsx';

export function Header() {
  return (
    <>
      <header class="bar">
        <button
          type="button"
          class="menu-button"
          aria-expanded={isMenuOpen.value}
          aria-controls="views"
          onClick={() => (isMenuOpen.value = !isMenuOpen.value)}
        >
          <Icon name="menu" />
          <span class="visually-hidden">{words.shell.menu}</span>
        </button>
        <a class="brand" href={hrefOf('overview')}>
          {words.product}
        </a>
        <button type="button" class="palette-button" onClick={() => (isPaletteOpen.value = true)}>
          <Icon name="search" />
          <span class="palette-word">{words.shell.palette}</span>
          <kbd>Ctrl K</kbd>
        </button>
        <span class="bar-space" />
        <Clock />
        <Connection />
        <div class="bar-settings">
          <Settings />
        </div>
      </header>
      <Away />
    </>
  );
}

function Clock() {
  if (!isClockKnown.value) return null;
  return (
    <a class="clock" href={hrefOf('time')} title={words.shell.clock}>
      <span class="visually-hidden">{words.shell.clock}: </span>
      <time class="mono">{clockText(serviceNow.value)}</time>
      {isClockVirtual.value && <span class="tag">{words.shell.virtualClock}</span>}
    </a>
  );
}

function Connection() {
  const { kind } = serviceState.value;
  return (
    <span class={`connection ${kind}`} role="status">
      <span class="dot" aria-hidden="true" />
      <span class="connection-text">{words.shell[kind]}</span>
    </span>
  );
}

function Away() {
  const state = serviceState.value;
  if (state.kind !== 'away') return null;
  return (
    <p class="away" role="alert">
      <Icon name="warning" />
      {words.shell.awaySince(new Date(state.sinceMs).toLocaleTimeString('en-GB'))}
    </p>
  );
}
