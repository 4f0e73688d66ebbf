import { t } from '../../strings/en.ts'

/** In this order: most User-Agent headers also contain the names of later entries. */
const browsers: readonly [string, RegExp][] = [
  ['Desktop PDS', /DesktopPDS|desktop-pds/i],
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
]

const systems: readonly [string, RegExp][] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux|X11/],
]

/** A readable name from a User-Agent header: “Firefox on Linux”, or its first product token. */
export function clientName(userAgent: string | undefined): string {
  if (!userAgent) return t.sessions.unknownClient
  const browser = nameIn(browsers, userAgent)
  const system = nameIn(systems, userAgent)
  if (browser && system) return t.sessions.on(browser, system)
  return browser ?? userAgent.split(/[\s/]/, 1)[0] ?? userAgent
}

function nameIn(names: readonly [string, RegExp][], text: string): string | undefined {
  return names.find(([, pattern]) => pattern.test(text))?.[0]
}
