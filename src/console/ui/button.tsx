import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { words } from '../words/en.ts';
import { Icon, type IconName } from './icon.tsx';
import { toast } from './toast.ts';

export interface ButtonProps {
  readonly children?: ComponentChildren;
  readonly icon?: IconName;
  /** What the button is called where it shows no words. */
  readonly label?: string;
  /** `primary`: what one is here to do; `danger`: loses something; `quiet`: without a border. */
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet';
  readonly type?: 'button' | 'submit';
  readonly isDisabled?: boolean;
  /** The act is under way: the button stays where it is and ignores presses. */
  readonly isBusy?: boolean;
  readonly isPressed?: boolean;
  /** The button shows and hides something. */
  readonly isExpanded?: boolean;
  readonly title?: string;
  onClick?(event: MouseEvent): void;
}

export function Button(props: ButtonProps) {
  const {
    children,
    icon,
    label,
    kind = 'plain',
    type = 'button',
    isDisabled,
    isBusy,
    isPressed,
    isExpanded,
    title,
    onClick,
  } = props;
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={isDisabled}
      aria-disabled={isBusy}
      aria-busy={isBusy}
      aria-pressed={isPressed}
      aria-expanded={isExpanded}
      aria-label={label}
      title={title ?? label}
      onClick={event => {
        if (isBusy) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {icon && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}

/** Copies a text. A function makes the text only when it is pressed. */
export function CopyButton({
  text,
  label = words.kit.copy,
  kind = 'quiet',
  isBare = false,
}: {
  readonly text: string | (() => string);
  readonly label?: string;
  readonly kind?: 'plain' | 'quiet';
  /** Shows the icon alone. */
  readonly isBare?: boolean;
}) {
  const [isDone, setDone] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setDone(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setDone(false), 1500);
      toast(words.kit.copied);
    } catch {
      toast(words.kit.copyFailed, 'fault');
    }
  };
  return (
    <Button kind={kind} icon={isDone ? 'check' : 'copy'} {...(isBare && { label })} onClick={copy}>
      {isBare ? undefined : label}
    </Button>
  );
}
