import { createHash } from 'node:crypto';

/** The pages' one style sheet. Contrast of text is at least 4.5 : 1 in both colour schemes. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #eef0f8; --card: #fff; --line: #d9dcea; --text: #1c1d2b; --soft: #565a72;
  --accent: #4f46e5; --accent-strong: #4338ca; --accent-text: #4338ca; --tint: #f1f1fd; --fault: #b42318;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12131c; --card: #1c1e2b; --line: #343850; --text: #eceef8; --soft: #a7acc6;
    --accent: #5b53e8; --accent-strong: #4f46e5; --accent-text: #a9a5ff; --tint: #25273a; --fault: #ff9a8d;
  }
}
* { box-sizing: border-box; }
html { font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; scroll-padding-bottom: 9rem; }
body {
  margin: 0; min-height: 100vh; padding: 1.5rem 1rem; display: grid; place-content: center; grid-template-columns: minmax(0, 29rem);
  background: radial-gradient(60rem 30rem at 50% -8rem, color-mix(in srgb, var(--accent) 22%, transparent), transparent),
    var(--ground);
  color: var(--text);
}
main {
  padding: 2rem; border: 1px solid var(--line); border-radius: 1.25rem;
  background: var(--card); box-shadow: 0 1rem 3rem -1rem rgb(20 20 60 / .28);
}
h1 { margin: 0; font-size: 1.375rem; line-height: 1.3; text-align: center; text-wrap: balance; overflow-wrap: anywhere; }
h2 { margin: 1.75rem 0 .5rem; font-size: .9375rem; line-height: 1.4; color: var(--soft); overflow-wrap: anywhere; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
main > :last-child { margin-bottom: 0; }
.lead { text-align: center; color: var(--soft); text-wrap: balance; }
.note { margin-top: 1.5rem; font-size: .8125rem; color: var(--soft); text-align: center; }
.small { font-size: .875rem; color: var(--soft); }
.fault { color: var(--fault); }
code { font: .875em ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
a { color: var(--accent-text); }
.badge {
  flex: none; display: grid; place-items: center; width: 2.5rem; height: 2.5rem; border-radius: 50%;
  background: var(--accent); color: #fff; font-weight: 600; text-transform: uppercase;
}
.badge.large { width: 4rem; height: 4rem; margin: 0 auto 1rem; border-radius: 1.25rem; font-size: 1.625rem; }
.badge.done { background: var(--tint); color: var(--accent-text); }
.badge.fault { background: none; border: 2px solid; color: var(--fault); }
.person { display: flex; align-items: center; gap: .75rem; min-width: 0; flex: 1; text-align: left; }
.person span { min-width: 0; }
.person strong, .person small { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.person small { color: var(--soft); font-size: .875rem; }
.account {
  display: flex; flex-wrap: wrap; align-items: center; gap: .25rem .75rem; margin: 1.25rem 0 0; padding: .75rem .875rem; border-radius: .875rem;
  background: var(--tint);
}
ul { margin: 0; padding: 0; list-style: none; }
.people { margin-top: 1.5rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; }
.scopes > li { position: relative; padding: .375rem 0 .375rem 1.875rem; }
.scopes > li::before {
  content: ""; position: absolute; left: .375rem; top: .75rem; width: .375rem; height: .6875rem;
  border: solid var(--accent-text); border-width: 0 2px 2px 0; transform: rotate(40deg);
}
.scopes.not > li::before {
  left: .25rem; top: 1.0625rem; width: .75rem; height: 0; border: 0; border-top: 2px solid var(--soft); transform: none;
}
ul.links { padding-left: 1.25rem; list-style: disc; }
.permissions { columns: 11rem; column-gap: 1rem; }
.permissions > li { break-inside: avoid; }
dl { margin: .375rem 0 .25rem; padding-left: .875rem; border-left: 2px solid var(--line); font-size: .875rem; }
dl > div + div { margin-top: .5rem; }
dt { font-weight: 600; }
dd { margin: 0; padding: .0625rem 0; color: var(--soft); }
label { display: block; margin: 0 0 .375rem; font-weight: 600; }
h2 > label { margin: 0; }
.fields { margin-top: 1.5rem; }
.fields label { margin-top: 1rem; }
.fields button { width: 100%; margin-top: 1.5rem; }
.fields .fault, .warning { margin: 0; padding: .75rem .875rem; border-radius: .875rem; background: var(--tint); }
.warning { margin-top: 1.5rem; font-size: .9375rem; }
input.code { font: 600 1.25rem/1.4 ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace; letter-spacing: .15em; text-align: center; text-transform: uppercase; }
select, input {
  width: 100%; padding: .625rem .75rem; border: 1px solid var(--soft); border-radius: .625rem; font: inherit;
  background: var(--card); color: inherit;
}
.row { display: flex; gap: .5rem; }
/* The buttons stay in view while the list above them scrolls. */
.decision {
  position: sticky; bottom: 0; margin: 1.5rem -2rem -2rem; padding: 1rem 2rem 1.25rem; border-top: 1px solid var(--line);
  border-radius: 0 0 1.25rem 1.25rem; background: var(--card);
}
.decision .note { margin: .75rem 0 0; }
.choices { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
footer { padding: 1rem 1rem 0; font-size: .8125rem; color: var(--soft); text-align: center; }
button {
  padding: .6875rem 1rem; border: 1px solid var(--line); border-radius: .75rem; font: inherit; font-weight: 600;
  background: var(--card); color: inherit; cursor: pointer;
}
button:hover { background: var(--tint); }
button.primary { border-color: transparent; background: var(--accent); color: #fff; }
button.primary:hover { background: var(--accent-strong); }
.account .person { flex: 1 1 9rem; }
button.link { padding: .25rem; border: 0; background: none; color: var(--accent-text); text-decoration: underline; }
button.person { width: 100%; padding: .625rem .75rem; font-weight: 400; }
:focus-visible { outline: 3px solid var(--accent-text); outline-offset: 2px; }
@media (max-width: 26rem) {
  body { padding: 0; background: var(--card); place-content: start stretch; }
  main { padding: 1.5rem 1.25rem; border: 0; border-radius: 0; box-shadow: none; }
  .decision { margin: 1.5rem -1.25rem -1.5rem; padding: 1rem 1.25rem; border-radius: 0; }
  footer { padding: 1rem 1.25rem; }
}
@media (forced-colors: active) { .badge { border: 1px solid; } }
`;

/** Allows this style sheet in a `style-src`, and no other. */
export const styleSource = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
