/** The page of a network for tests at `/dev`: it reads the other paths of `/dev`, and changes nothing. */
import type { ServerResponse } from 'node:http'
import { script } from './page-script.ts'
import { style } from './page-style.ts'

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Network for tests</title>
<link rel="stylesheet" href="/dev/page.css">
<script type="module" src="/dev/page.js"></script>
</head>
<body>
<header>
<h1>Network for tests</h1>
<p>Everything here is public and will be forgotten: accounts, passwords, keys and messages.</p>
<p><label><input type="checkbox" id="refresh" checked> Refresh every two seconds</label> <span id="failure" role="status"></span></p>
</header>
<main>
${section('servers', 'Addresses')}
${section('clock', 'Clock')}
${section('accounts', 'Accounts')}
${section('mail', 'Messages')}
${section('faults', 'Faults')}
${section('requests', 'Last requests')}
</main>
<footer><p>All of this as JSON: <a href="/dev/lexicons">lexicons of the methods</a>.</p></footer>
<noscript><p>This page needs JavaScript. The same as JSON: /dev/accounts, /dev/mail, /dev/requests.</p></noscript>
</body>
</html>
`

function section(id: string, title: string): string {
  return `<section aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2><div id="${id}"></div></section>`
}

const files: Readonly<Record<string, readonly [type: string, content: string]>> = {
  '/dev': ['text/html', html],
  '/dev/': ['text/html', html],
  '/dev/page.css': ['text/css', style],
  '/dev/page.js': ['text/javascript', script],
}

const policy = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  "require-trusted-types-for 'script'",
].join('; ')

/** @returns false for other paths */
export function sendPage(res: ServerResponse, path: string): boolean {
  const file = Object.hasOwn(files, path) ? files[path] : undefined
  if (!file) return false
  const [type, content] = file
  res.setHeader('Content-Type', `${type}; charset=utf-8`)
  res.setHeader('Content-Security-Policy', policy)
  res.setHeader('Cross-Origin-Opener-Policy', 'same-origin')
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  res.setHeader('Referrer-Policy', 'no-referrer')
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.end(content)
  return true
}
