import type { ComponentChildren } from 'preact';

/** One line of a list of facts. */
export function Fact({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </>
  );
}
