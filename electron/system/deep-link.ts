/** Links such as `desktop-pds://notifications`. They can only show one of a fixed list of screens. */
import { app } from 'electron'

const scheme = 'desktop-pds'

const screens: Readonly<Record<string, string>> = {
  home: '/',
  account: '/account',
  notifications: '/notifications',
  preferences: '/preferences',
  outbox: '/outbox',
  server: '/server',
  backups: '/backups',
}

/** The screen of a link; undefined for any other link. */
export function screenOf(link: string): string | undefined {
  const name = new RegExp(`^${scheme}:(?://)?([a-z]+)/?$`).exec(link)?.[1]
  return name !== undefined && Object.hasOwn(screens, name) ? screens[name] : undefined
}

/** The screen of the first link among the arguments of a start. */
export function screenAmong(args: readonly string[]): string | undefined {
  return args.map(screenOf).find((screen) => screen !== undefined)
}

type Show = (screen?: string) => void

/**
 * Collects links from the start of the program: macOS emits `open-url` before the app is ready, the other systems pass links as
 * arguments of a second start.
 * @returns a function to call once the window can be shown: it shows the screen of the last link, then of each new one
 */
export function collectLinks(): (show: Show) => void {
  let follow: Show | undefined
  let pending: { readonly screen: string | undefined } | undefined
  const receive: Show = (screen) => {
    if (follow) follow(screen)
    else pending = { screen }
  }
  app.on('open-url', (event, link) => {
    event.preventDefault()
    receive(screenOf(link))
  })
  app.on('second-instance', (_, args) => receive(screenAmong(args)))
  return (show) => {
    if (app.isPackaged) app.setAsDefaultProtocolClient(scheme)
    follow = show
    if (pending) show(pending.screen)
  }
}
