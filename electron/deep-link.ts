/** Links such as `desktop-pds://notifications`: they lead to a screen out of a closed list, and do nothing else. */
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

/** The screen that a link leads to; undefined when it is none of ours. */
export function screenOf(link: string): string | undefined {
  const name = new RegExp(`^${scheme}:(?://)?([a-z]+)/?$`).exec(link)?.[1]
  return name !== undefined && Object.hasOwn(screens, name) ? screens[name] : undefined
}

/** The screen that one of the arguments of a start leads to. */
export function screenAmong(args: readonly string[]): string | undefined {
  return args.map(screenOf).find((screen) => screen !== undefined)
}

type Show = (screen?: string) => void

/**
 * macOS tells of a link by an event, the others by the arguments of a second start. Listens from the first line of the program on: the
 * link that macOS starts it for is told before the app is ready.
 * @returns a function that follows them, the last that has come before included
 */
export function collectLinks(): (show: Show) => void {
  let follow: Show | undefined
  let missed: { readonly screen: string | undefined } | undefined
  const hear: Show = (screen) => {
    if (follow) follow(screen)
    else missed = { screen }
  }
  app.on('open-url', (event, link) => {
    event.preventDefault()
    hear(screenOf(link))
  })
  app.on('second-instance', (_, args) => hear(screenAmong(args)))
  return (show) => {
    if (app.isPackaged) app.setAsDefaultProtocolClient(scheme)
    follow = show
    if (missed) show(missed.screen)
  }
}
