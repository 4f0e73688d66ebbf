/** The style of the page at `/dev`. */
export const style = `:root {
  color-scheme: light dark;
  --paper: light-dark(#faf8f4, #171614);
  --ink: light-dark(#1f1d19, #efebe4);
  --soft: light-dark(#5f594f, #aaa397);
  --line: light-dark(#d9d3c7, #3c3934);
  --accent: light-dark(#1d5c49, #86d0b3);
  --warn: light-dark(#f8efd9, #352c18);
  --warn-ink: light-dark(#6d4d09, #e7c678);
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-inline-size: 72rem;
  padding: 1.5rem;
  background: var(--paper);
  color: var(--ink);
  font: 0.9375rem/1.5 system-ui, sans-serif;
}
header { padding: 0.75rem 1rem; border-radius: 0.5rem; background: var(--warn); color: var(--warn-ink); }
h1 { margin: 0; font-size: 1.375rem; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1.0625rem; }
header p { margin: 0.25rem 0 0; }
a { color: var(--accent); }
.table { overflow-x: auto; }
:focus-visible { outline: 0.125rem solid var(--accent); outline-offset: 0.125rem; }
table { inline-size: 100%; border-collapse: collapse; }
th, td { padding: 0.25rem 0.75rem 0.25rem 0; border-block-end: 0.0625rem solid var(--line); text-align: start; vertical-align: top; }
th { color: var(--soft); font-weight: 500; }
td { overflow-wrap: anywhere; }
.code, td { font-family: ui-monospace, monospace; font-size: 0.8125rem; }
@media (width < 40rem) {
  body { padding: 1rem; }
  table, tbody, tr { display: block; }
  thead { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: 0.375rem 0; border-block-end: 0.0625rem solid var(--line); }
  td { display: grid; grid-template-columns: 8rem 1fr; gap: 0.5rem; padding: 0; border: 0; }
  td::before { content: attr(data-title); color: var(--soft); font: 0.9375rem/1.5 system-ui, sans-serif; }
  td:empty { display: none; }
}
.none { margin: 0; color: var(--soft); }
`
