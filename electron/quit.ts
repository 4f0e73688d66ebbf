/** The end: whoever asks for it, and however often, the program ends once everything is on disk. */
import { app, powerMonitor } from 'electron'
import type { Logger } from '../server/util/log.ts'

export interface Quitting {
  readonly isQuitting: () => boolean
  quit(): void
  /** Ends without asking anybody, as the system wants it. */
  end(): void
}

export interface QuitOptions {
  /** Whether somebody who wants to quit still does, told what that would lose. */
  mayQuit(): Promise<boolean>
  /** Everything that has to be done before; runs once. */
  finish(): Promise<void>
  readonly log: Logger
}

export function quitGracefully({ mayQuit, finish, log }: QuitOptions): Quitting {
  let state: 'running' | 'asking' | 'finishing' | 'finished' = 'running'

  app.on('before-quit', (event) => {
    if (state === 'finished') return
    event.preventDefault()
    if (state !== 'running') return
    state = 'asking'
    void mayQuit().then((isWanted) => {
      if (isWanted) end()
      else if (state === 'asking') state = 'running'
    })
  })

  function end(): void {
    if (state === 'finishing' || state === 'finished') return
    state = 'finishing'
    void finish()
      .catch((error: unknown) => log.error({ err: error }, 'not everything could be finished'))
      .then(() => {
        state = 'finished'
        app.quit()
      })
  }

  // The window goes to the tray; the program goes when it is told to.
  app.on('window-all-closed', () => {})
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  // The types leave out the event: the system waits where it is prevented.
  const system: NodeJS.EventEmitter = powerMonitor
  system.on('shutdown', (event: Electron.Event) => {
    event.preventDefault()
    end()
  })
  const isQuitting = () => state === 'finishing' || state === 'finished'
  return { isQuitting, quit: () => app.quit(), end }
}
